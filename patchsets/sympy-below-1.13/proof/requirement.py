# SPDX-License-Identifier: BSD-3-Clause
"""Finds which versions of SymPy the wheel of the tree's setup.py lets pip install: requirement.py TREE."""

import ast
import re
import sys

RELEASES = ["1.11.1", "1.12", "1.12.1", "1.13.0", "1.13.1", "1.13.3", "1.14.0"]


def numbers(version):
    return [int(part) for part in version.split(".")]


source = ast.parse(open(sys.argv[1] + "/setup.py").read())
lists = [node.value for node in ast.walk(source)
         if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "install_requires"]
requirements = [each for each in ast.literal_eval(lists[0]) if re.match("sympy\\b", each)]
assert len(requirements) == 1, requirements
below = re.fullmatch("sympy(?:<([0-9.]+))?", requirements[0])
assert below, requirements[0]
allowed = [each for each in RELEASES if not below.group(1) or numbers(each) < numbers(below.group(1))]
print("%s: pip installs SymPy %s" % (requirements[0], allowed[-1]))
sys.exit(allowed != ["1.11.1", "1.12", "1.12.1"])
