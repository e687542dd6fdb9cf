# SPDX-License-Identifier: BSD-3-Clause
"""The operators that go to the driver. torch makes linear and matmul of these before they come here."""

import torch

from torch_zynq import driver

_aten = torch.ops.aten


def run(func, args, kwargs):
    """What the driver makes of an operator on hosts, or NotImplemented where it is for the CPU."""
    kernel = _KERNELS.get(func)
    return NotImplemented if kernel is None else kernel(*args, **kwargs)


def _takes(operand_type, a, b, dimensions):
    """True where the driver multiplies a and b. Sizes that do not fit go to the CPU, which says what is wrong."""
    return (
        a.dtype == b.dtype == operand_type
        and operand_type in driver.current().operand_types
        and a.dim() == b.dim() == dimensions
        and a.shape[-1] == b.shape[-2]
        and a.shape[:-2] == b.shape[:-2]
        and a.numel() > 0
        and b.numel() > 0
    )


def _checked(product, a, b, dtype):
    shape = a.shape[:-1] + b.shape[-1:]
    if product.shape != shape or product.dtype != dtype:
        made = (driver.current().name, product.dtype, tuple(product.shape), dtype, tuple(shape))
        raise RuntimeError("the driver %r made %s %s instead of %s %s" % made)
    return product


def _mm(a, b):
    if not _takes(torch.float32, a, b, 2):
        return NotImplemented
    return _checked(driver.current().matmul(a, b), a, b, torch.float32)


def _addmm(c, a, b, *, beta=1, alpha=1):
    if not _takes(torch.float32, a, b, 2) or c.dtype != torch.float32:
        return NotImplemented
    if not _broadcasts(c.shape, a.shape[:1] + b.shape[1:]):
        return NotImplemented
    return _checked(driver.current().addmm(c, a, b, beta, alpha), a, b, torch.float32)


def _bmm(a, b):
    if not _takes(torch.float32, a, b, 3):
        return NotImplemented
    return _checked(driver.current().bmm(a, b), a, b, torch.float32)


def _int_mm(a, b):
    if not _takes(torch.int8, a, b, 2):
        return NotImplemented
    return _checked(driver.current().matmul(a, b), a, b, torch.int32)


def _broadcasts(shape, target):
    return len(shape) <= len(target) and all(n in (1, m) for n, m in zip(reversed(shape), reversed(target)))


_KERNELS = {
    _aten.mm.default: _mm,
    _aten.addmm.default: _addmm,
    _aten.bmm.default: _bmm,
    _aten._int_mm.default: _int_mm,
}
