# SPDX-License-Identifier: BSD-3-Clause
"""torch as setup.py of torchvision and torchaudio needs it in a cross build: the version, and torch.utils.cpp_extension.

The real one is for the board and cannot be loaded here; its Python files are taken from where it was built.
"""
import os
import sys
import types

_BUILT = "/tree/pytorch/torch"

__path__ = [_BUILT]
_version = {}
with open(os.path.join(_BUILT, "version.py")) as _file:
    exec(_file.read(), _version)
__version__ = _version["__version__"]


def _module(name, **members):
    module = types.ModuleType("torch." + name)
    module.__dict__.update(members)
    sys.modules["torch." + name] = module
    return module


_C = _module("_C", _GLIBCXX_USE_CXX11_ABI=True)
cuda = _module("cuda", is_available=lambda: False)
utils = _module("utils", __path__=[os.path.join(_BUILT, "utils")])
version = _module("version", **_version)
