# SPDX-License-Identifier: BSD-3-Clause
"""Calls functions that the tree's wrap_pybind_function wraps, with warnings as errors: run.py TREE PROOF WORK."""

import re
import subprocess
import sys

tree, proof, work = sys.argv[1:]
source = open(tree + "/torch/csrc/Exceptions.h").read()


def macro(name):
    found = re.search(r"^#define %s\b(?:[^\n]*\\\n)*[^\n]*\n" % name, source, re.M)
    return found.group(0)


# From the details to the end of wrap_pybind_function
details = source[source.index("namespace detail {\ntemplate <typename Func, size_t i>"):]
details = details[:details.index("\n}\n", details.index("auto wrap_pybind_function(")) + 3]
with open(work + "/wrap.h", "w") as out:
    out.write(macro("HANDLE_TH_ERRORS") + macro("END_HANDLE_TH_ERRORS_PYBIND") + "namespace torch {\n" + details + "}\n")
subprocess.run(["g++-12", "-std=c++17", "-O1", "-w", "-I" + work, proof + "/wrapped.cpp", "-o", work + "/wrapped"], check=True)
sys.exit(subprocess.run([work + "/wrapped"]).returncode)
