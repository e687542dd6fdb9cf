#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Stands for the recipe of a pair (BUILD_WITH): stub_build.py OUT MADE. Reads the prepared tree and leaves a wheel of torch for its
board, with one library that a cross compiler makes, in MADE/dist.

STUB_SECONDS: how long a build takes; STUB_FAIL: the board whose builds fail; STUB_GLIBC: the version
that the library needs (default: 2.17); STUB_LOG: a file that gets a line for each start.
"""
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../wheels"))
import make  # noqa: E402

out, made = sys.argv[1:]
with open(out + "/torchpatch/manifest.json") as file:
    manifest = json.load(file)
release, board, machine = manifest["release"], manifest["board"], manifest["target"]["arch"]
if os.environ.get("STUB_LOG"):
    with open(os.environ["STUB_LOG"], "a") as file:
        file.write("%s %s\n" % (release, board))
time.sleep(float(os.environ.get("STUB_SECONDS", "0")))
if board == os.environ.get("STUB_FAIL"):
    sys.exit("error: this board's builds \"fail\" \\ on request")
digits = manifest["python"].replace(".", "")
abi = "cp" + digits + ("" if int(digits) >= 38 else "m")
os.makedirs(made + "/dist", exist_ok=True)
make.wheel("%s/dist/torch-%s-cp%s-%s-linux_%s.whl" % (made, release, digits, abi, machine),
           {"torch/lib/libtorch.so": make.library(machine, {"libc.so.6": ["GLIBC_" + os.environ.get("STUB_GLIBC", "2.17")]})}, "torch", release)
