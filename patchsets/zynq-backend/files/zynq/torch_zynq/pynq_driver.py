# SPDX-License-Identifier: BSD-3-Clause
"""The driver for a multiplier in the programmable logic, by PYNQ. README.md says what the bitstream must hold."""

import threading

import torch

from torch_zynq.driver import Driver
from torch_zynq.tiles import tiled_matmul

# Registers of the multiplier, as Vitis HLS lays out a block with three scalar arguments.
CONTROL, ROWS, INNER, COLUMNS, MAXIMUM_EDGE, ELEMENT_BITS = 0x00, 0x10, 0x18, 0x20, 0x28, 0x30
START = 1

_TYPES = {8: (torch.int8, "int8", torch.int32, "int32"), 32: (torch.float32, "float32", torch.float32, "float32")}


class PynqDriver(Driver):
    def __init__(self, bitstream, dma="axi_dma_0", multiplier="matmul_0"):
        import pynq

        overlay = pynq.Overlay(bitstream)
        missing = [name for name in (dma, multiplier) if name not in overlay.ip_dict]
        if missing:
            known = ", ".join(sorted(overlay.ip_dict))
            raise RuntimeError("%s has no %s, only %s" % (bitstream, " and ".join(missing), known))
        self._dma = getattr(overlay, dma)
        self._registers = getattr(overlay, multiplier)
        self._overlay = overlay
        self._edge = self._registers.read(MAXIMUM_EDGE)
        bits = self._registers.read(ELEMENT_BITS)
        if bits not in _TYPES or self._edge < 1:
            reported = (multiplier, bitstream, bits, self._edge)
            raise RuntimeError("%s of %s reports elements of %d bits and tiles of %d" % reported)
        self._operand, operand_name, self._product, product_name = _TYPES[bits]
        # Both operands go as one transfer; memory that the logic can reach is scarce, so it is taken once.
        self._input = pynq.allocate(shape=(2 * self._edge * self._edge,), dtype=operand_name)
        self._output = pynq.allocate(shape=(self._edge * self._edge,), dtype=product_name)
        self._lock = threading.Lock()
        self.name = "PYNQ %s" % bitstream
        self.operand_types = frozenset([self._operand])

    def matmul(self, a, b):
        with self._lock:
            return tiled_matmul(a, b, self._edge, self._multiply, self._product)

    def _multiply(self, a, b):
        (rows, inner), columns = a.shape, b.shape[1]
        sent, received = rows * inner + inner * columns, rows * columns
        self._input[: rows * inner] = a.reshape(-1).numpy()
        self._input[rows * inner : sent] = b.reshape(-1).numpy()
        self._input.flush()
        self._registers.write(ROWS, rows)
        self._registers.write(INNER, inner)
        self._registers.write(COLUMNS, columns)
        # The receiver first: the multiplier stalls where nobody takes its results.
        self._dma.recvchannel.transfer(self._output, nbytes=received * self._output.itemsize)
        self._registers.write(CONTROL, START)
        self._dma.sendchannel.transfer(self._input, nbytes=sent * self._input.itemsize)
        self._dma.sendchannel.wait()
        self._dma.recvchannel.wait()
        self._output.invalidate()
        product = torch.empty(rows, columns, dtype=self._product)
        product.view(-1).numpy()[:] = self._output[:received]
        return product
