# SPDX-License-Identifier: BSD-3-Clause
"""Lets setup.py of torchvision and torchaudio import the torch that was built for the board, in a cross build.

Its libraries cannot be loaded here. What the setup files need are its version and torch.utils.cpp_extension, which are
Python: the modules around them are stood in for. Python imports this file when it starts.
"""
import importlib.abc
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import types


def _module(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module
    return module


def _cxx_abi():
    """The version of the ABI that the cross compiler makes, which pybind11 writes into its modules."""
    command = shlex.split(os.environ.get("CXX", "c++")) + ["-dM", "-E", "-x", "c++", os.devnull]
    macros = subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    return re.search(r"#define __GXX_ABI_VERSION (\d+)", macros).group(1)


class _TorchOfTarget(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `torch` where it is built, or unpacked from its wheel, but not in its own source tree while that is built."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        for entry in sys.path:
            directory = os.path.join(entry, "torch")
            if os.path.isfile(os.path.join(directory, "version.py")) and not os.path.exists(os.path.join(entry, "setup.py")):
                return importlib.util.spec_from_loader(name, self, origin=directory, is_package=True)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, torch):
        directory = torch.__spec__.origin
        torch.__path__ = [directory]
        version = {}
        with open(os.path.join(directory, "version.py")) as file:
            exec(file.read(), version)
        torch.__version__ = version["__version__"]
        torch.version = _module("torch.version", **version)
        torch.cuda = _module("torch.cuda", is_available=lambda: False)
        torch.utils = _module("torch.utils", __path__=[os.path.join(directory, "utils")])
        torch._C = _module("torch._C", _GLIBCXX_USE_CXX11_ABI=True, _PYBIND11_COMPILER_TYPE="_gcc",
                           _PYBIND11_STDLIB="_libstdcpp", _PYBIND11_BUILD_ABI="_cxxabi" + _cxx_abi())


sys.meta_path.insert(0, _TorchOfTarget())
