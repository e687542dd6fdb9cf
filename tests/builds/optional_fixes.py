#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the fixes that --with has to ask for and that then change a file or a variable of a plan, one a line:
optional_fixes.py TORCHPATCH OPTION-OF-explain…"""
import json
import subprocess
import sys


def ask(program, *arguments):
    return json.loads(subprocess.run([program, *arguments, "--json", "--quiet"], check=True, capture_output=True).stdout)


def main(program, *options):
    for issue in ask(program, "list", "issues")["issues"]:
        for fix in ask(program, "show", "issue", issue["id"])["fixes"]:
            if not fix["optional"] or fix["kind"] == "advice":
                continue
            plan = ask(program, "explain", *options, "--with", fix["id"])
            if any(answered["fix"] == fix["id"] for answered in plan["issues"]):
                print(fix["id"])


main(*sys.argv[1:])
