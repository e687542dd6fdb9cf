# SPDX-License-Identifier: BSD-3-Clause
"""The driver without hardware: the CPU's own kernels, so that results are those of the CPU bit for bit."""

import torch

from torch_zynq.driver import Driver


class ReferenceDriver(Driver):
    name = "reference (CPU)"
    operand_types = frozenset([torch.float32, torch.int8])

    def matmul(self, a, b):
        return torch.mm(a.int(), b.int()) if a.dtype == torch.int8 else torch.mm(a, b)

    def addmm(self, c, a, b, beta, alpha):
        return torch.addmm(c, a, b, beta=beta, alpha=alpha)

    def bmm(self, a, b):
        return torch.bmm(a, b)
