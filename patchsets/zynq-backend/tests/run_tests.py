#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the Zynq back end in this Python's torch: run_tests.py [TREE].

TREE holds zynq/ and aten/src/ATen/detail/ZynqDevice.cpp: a prepared pytorch/, or by default the patchset's files/. A
torch that was built without the latter file gets it as a library, for which a C++ compiler and torch's headers are
needed.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parent


def build_library(source, directory):
    """Compiles ZynqDevice.cpp for this torch and returns the library."""
    import torch
    from torch.utils import cpp_extension

    library = os.path.join(directory, "libzynq_device.so")
    # torch's headers refuse C++17 from 2.13 or 2.14 on.
    standard = "c++20" if tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 12) else "c++17"
    command = [os.environ.get("CXX", "c++"), "-std=" + standard, "-Wall", "-Wextra", "-shared", "-fPIC", str(source)]
    command += ["-o", library]
    command += ["-I" + path for path in cpp_extension.include_paths()]
    command += ["-L" + path for path in cpp_extension.library_paths()]
    subprocess.run(command + ["-ltorch_cpu", "-lc10"], check=True)
    return library


def prepare(tree, directory):
    """Lays the package with its entry point, as pip would install it, and the library below the directory."""
    shutil.copytree(tree / "zynq", os.path.join(directory, "zynq"))
    package = os.path.join(directory, "zynq")
    subprocess.run([sys.executable, "setup.py", "--quiet", "egg_info"], cwd=package, check=True)
    os.environ["PYTHONPATH"] = os.pathsep.join([package] + os.environ.get("PYTHONPATH", "").split(os.pathsep))
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # only in this process; a test turns it on in another
    sys.path[:0] = [package, str(TESTS)]
    import ctypes

    import torch

    if not hasattr(ctypes.CDLL(torch._C.__file__), "torch_zynq_register"):
        os.environ["TORCH_ZYNQ_LIBRARY"] = build_library(tree / "aten/src/ATen/detail/ZynqDevice.cpp", directory)


def main():
    tree = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else TESTS.parent / "files"
    if not (tree / "zynq" / "torch_zynq").is_dir():
        sys.exit("run_tests.py: %s has no back end for Zynq: there is no zynq/torch_zynq in it" % tree)
    with tempfile.TemporaryDirectory() as directory:
        prepare(tree, directory)
        result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.discover(str(TESTS)))
    sys.exit(not result.wasSuccessful() or result.testsRun == 0)


if __name__ == "__main__":
    main()
