#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the summary that CMake prints of PyTorch with the plan that was built: compare_summary.py MANIFEST LOG.

Prints what differs, or how much was compared, and what downloads; exit code 1 where there is something of it."""
import json
import re
import sys

# Without a network, and on ARM at all, these are off unless the plan says otherwise; CUDA is on if the plan has it for a GPU.
ALWAYS_OFF = ("USE_ROCM", "USE_NCCL", "USE_FBGEMM", "USE_MKL", "USE_OPENCV", "USE_FFMPEG", "USE_MPI")


def is_on(value):
    return value.split(" ")[0].upper() not in ("", "0", "OFF", "FALSE", "NO", "N") and not value.endswith("NOTFOUND")


def summary(log):
    text = log[log.rindex("******** Summary ********"):]
    return dict(re.findall(r"^--\s+((?:USE|BUILD)_\w+)\s*:[ ]?(.*)$", text, re.MULTILINE))


def planned(manifest):
    """What the plan sets, by the name that CMake has for it: NO_NNPACK=1 is USE_NNPACK off."""
    for setting in manifest["environment"]:
        name, value = setting["name"], setting["value"]
        if name.startswith("NO_"):
            yield "USE_" + name[3:], not is_on(value)
        elif name.startswith(("USE_", "BUILD_")):
            yield name, is_on(value)


def main(manifest_path, log_path):
    with open(manifest_path) as file:
        manifest = json.load(file)
    with open(log_path, errors="replace") as file:
        log = file.read()
    found = summary(log)
    wanted = {name: False for name in ALWAYS_OFF}
    wanted["USE_CUDA"] = {"cuda", "compute_capability"} <= set(manifest["target"])
    wanted.update(planned(manifest))
    common = [name for name in wanted if name in found]
    problems = ["%s is %s" % (name, found[name]) for name in common if is_on(found[name]) != wanted[name]]
    problems += sorted(set(re.findall(r"^-- (Downloading \S+)", log, re.MULTILINE)))
    if "-D_GLIBCXX_USE_CXX11_ABI=0" in log:  # known_issues/abi-check-cross.md
        problems.append("the C++ ABI of before gcc 5")
    if not common:
        problems.append("the summary has none of the variables")
    print("; ".join(problems) or "%d of the plan's variables as planned" % len(common))
    return 1 if problems else 0


sys.exit(main(*sys.argv[1:]))
