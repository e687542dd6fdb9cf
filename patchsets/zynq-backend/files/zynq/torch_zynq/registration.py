# SPDX-License-Identifier: BSD-3-Clause
"""Registers the device guard and hooks of aten/src/ATen/detail/ZynqDevice.cpp, which a torch from a prepared tree has.

A tensor of the device without them would end the process as soon as autograd touched it, so none is made then.
"""

import ctypes
import os

import torch

# The shared library of that file alone, for a torch from elsewhere.
LIBRARY_VARIABLE = "TORCH_ZYNQ_LIBRARY"

_problem = "the device zynq is not registered"
_leave_hermetic = None


def register():
    """Registers what torch has; what it lacks, require() says."""
    global _problem, _leave_hermetic
    library = ctypes.CDLL(os.environ.get(LIBRARY_VARIABLE) or torch._C.__file__)
    try:
        function, leave_hermetic = library.torch_zynq_register, library.torch_zynq_leave_hermetic
    except AttributeError:
        _problem = "this torch is built without aten/src/ATen/detail/ZynqDevice.cpp: build it from a prepared tree, or "
        _problem += "name the shared library of that file in " + LIBRARY_VARIABLE
        return
    function.restype = ctypes.c_char_p
    reason = function()
    _problem = reason.decode() if reason else None
    _leave_hermetic = leave_hermetic


def is_present():
    return _problem is None


def require():
    if _problem is not None:
        raise RuntimeError("there is no device zynq: " + _problem)


def enter_factory():
    """What a kernel does before it makes the first tensor of zynq out of none: see torch_zynq_leave_hermetic."""
    require()
    _leave_hermetic()
