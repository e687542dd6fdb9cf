# SPDX-License-Identifier: BSD-3-Clause
"""What a driver has to do, and which driver is in use."""

import abc
import contextlib
import os

import torch

BITSTREAM_VARIABLE = "TORCH_ZYNQ_BITSTREAM"


class Driver(abc.ABC):
    """Multiplies matrices in host memory. Operands are CPU tensors without gradient, of any strides, none empty."""

    name = ""
    # What it multiplies: torch.float32 (product float32), torch.int8 (product int32), or both.
    operand_types = frozenset()

    @abc.abstractmethod
    def matmul(self, a, b):
        """The product (m, n) of a (m, k) and b (k, n) as a new tensor."""

    def addmm(self, c, a, b, beta, alpha):
        """beta * c + alpha * (a @ b), float32 only; c broadcasts to (m, n), and is not read where beta is 0."""
        product = self.matmul(a, b)
        product = product if alpha == 1 else product * alpha
        return product if beta == 0 else product.add_(c, alpha=beta)

    def bmm(self, a, b):
        """The products of the matrices of a (batch, m, k) and b (batch, k, n)."""
        return torch.stack([self.matmul(x, y) for x, y in zip(a, b)])

    def synchronize(self):
        """Returns when all work has ended. matmul itself returns after its own."""


_current = None


def current():
    """The driver in use: PYNQ's where TORCH_ZYNQ_BITSTREAM names a bitstream, else the reference."""
    global _current
    if _current is None:
        _current = _default()
    return _current


def _default():
    bitstream = os.environ.get(BITSTREAM_VARIABLE)
    if bitstream:
        from torch_zynq.pynq_driver import PynqDriver

        return PynqDriver(bitstream)
    from torch_zynq.reference_driver import ReferenceDriver

    return ReferenceDriver()


def set_driver(driver):
    """Takes a driver for all threads; returns the one before, or None."""
    global _current
    if driver is not None and not isinstance(driver, Driver):
        raise TypeError("a driver is a torch_zynq.Driver, not %s" % type(driver).__name__)
    before, _current = _current, driver
    return before


@contextlib.contextmanager
def using(driver):
    before = set_driver(driver)
    try:
        yield driver
    finally:
        set_driver(before)
