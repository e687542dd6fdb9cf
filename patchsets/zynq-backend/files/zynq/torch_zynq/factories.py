# SPDX-License-Identifier: BSD-3-Clause
"""The operators that come to PrivateUse1 itself: those that make new tensors, and the copy of a list into one."""

import torch

from torch_zynq import registration
from torch_zynq.tensor import ZynqTensor, host_of

_library = None


def _host_options(dtype, layout, device, pin_memory):
    registration.enter_factory()
    if device is not None and torch.device(device).index not in (None, 0):
        raise RuntimeError("there is no device %s, only zynq:0" % torch.device(device))
    if layout not in (None, torch.strided):
        raise RuntimeError("zynq has strided tensors only, not %s" % layout)
    if pin_memory:
        raise RuntimeError("only memory of the CPU can be pinned, not that of zynq")
    return {"dtype": dtype, "device": "cpu"}


def _empty(size, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    options = _host_options(dtype, layout, device, pin_memory)
    return ZynqTensor(torch.empty(size, memory_format=memory_format or torch.contiguous_format, **options))


def _empty_strided(size, stride, *, dtype=None, layout=None, device=None, pin_memory=None):
    return ZynqTensor(torch.empty_strided(size, stride, **_host_options(dtype, layout, device, pin_memory)))


def _copy_from(source, target, non_blocking=False):
    host_of(target).copy_(host_of(source))
    return target


def register():
    global _library  # the kernels go with it
    _library = torch.library.Library("aten", "IMPL")
    _library.impl("empty.memory_format", _empty, "PrivateUse1")
    _library.impl("empty_strided", _empty_strided, "PrivateUse1")
    _library.impl("_copy_from", _copy_from, "PrivateUse1")
