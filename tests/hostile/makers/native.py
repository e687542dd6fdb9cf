# SPDX-License-Identifier: BSD-3-Clause
"""Helpers in C++ that cases need, built from this directory when one is first asked for."""
import os
import shutil
import subprocess
import threading

from makers import CannotRun

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_lock = threading.Lock()


def build(tools, name, *options):
    """Returns the path of the program (or library) made of NAME.cpp."""
    path = os.path.join(tools.root, name)
    with _lock:
        if not os.path.exists(path):
            compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
            if not compiler:
                raise CannotRun("no C++ compiler here")
            subprocess.run([compiler, "-std=c++17", "-O1", *options, os.path.join(HERE, name + ".cpp"), "-o", path], check=True)
    return path
