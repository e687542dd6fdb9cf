# SPDX-License-Identifier: BSD-3-Clause
"""What goes to the driver, and the PYNQ driver against a model of the interface that README.md describes."""

import sys
import types
import unittest
from unittest import mock

import numpy
import torch
import torch_zynq  # noqa: F401 registers the device
from torch_zynq import pynq_driver, tiles
from torch_zynq.driver import Driver


class Recorder(Driver):
    """Notes the shapes it is asked to multiply."""

    name = "recorder"

    def __init__(self, *operand_types):
        self.operand_types = frozenset(operand_types)
        self.calls = []

    def matmul(self, a, b):
        self.calls.append((tuple(a.shape), tuple(b.shape)))
        return torch.mm(a.int(), b.int()) if a.dtype == torch.int8 else torch.mm(a, b)


class Wrong(Recorder):
    def matmul(self, a, b):
        return torch.zeros(1, 1)


class DispatchTest(unittest.TestCase):
    def test_linear_goes_to_the_driver_forwards_and_backwards(self):
        x = torch.ones(2, 4, device="zynq", requires_grad=True)
        module = torch.nn.Linear(4, 3).to("zynq")
        with torch.zynq.using(Recorder(torch.float32)) as driver:
            module(x).sum().backward()
        self.assertEqual(driver.calls, [((2, 4), (4, 3)), ((2, 3), (3, 4)), ((3, 2), (2, 4))])

    def test_products_by_matmul_alone(self):
        a, b, c = torch.randn(2, 3, 4), torch.randn(2, 4, 5), torch.randn(5)
        with torch.zynq.using(Recorder(torch.float32)) as driver:
            batch = torch.matmul(a.to("zynq"), b.to("zynq"))
            sum_ = torch.addmm(c.to("zynq"), a[0].to("zynq"), b[0].to("zynq"), beta=2, alpha=3)
            bare = torch.addmm(torch.full((5,), float("nan")).to("zynq"), a[0].zynq(), b[0].zynq(), beta=0)
        self.assertEqual(len(driver.calls), 4)
        torch.testing.assert_close(batch.cpu(), torch.matmul(a, b))
        torch.testing.assert_close(sum_.cpu(), torch.addmm(c, a[0], b[0], beta=2, alpha=3))
        torch.testing.assert_close(bare.cpu(), a[0] @ b[0])

    def test_int8(self):
        a = torch.randint(-128, 128, (20, 24), dtype=torch.int8)
        b = torch.randint(-128, 128, (24, 16), dtype=torch.int8)
        with torch.zynq.using(Recorder(torch.int8)) as driver:
            product = torch._int_mm(a.to("zynq"), b.to("zynq"))
        self.assertEqual(len(driver.calls), 1)
        self.assertEqual((product.dtype, product.device.type), (torch.int32, "zynq"))
        self.assertTrue(torch.equal(product.cpu(), torch.mm(a.int(), b.int())))

    def test_what_the_driver_does_not_take_runs_on_the_cpu(self):
        with torch.zynq.using(Recorder(torch.int8)) as driver:
            torch.zynq.reset_host_operators()
            torch.ones(2, 3, device="zynq") @ torch.ones(3, 2, device="zynq")
        self.assertEqual((driver.calls, torch.zynq.host_operators()["aten.mm.default"]), ([], 1))
        with torch.zynq.using(Recorder(torch.float32)) as driver:
            torch.ones(2, 3, device="zynq").double() @ torch.ones(3, 2, device="zynq").double()
            torch.ones(2, 0, device="zynq") @ torch.ones(0, 2, device="zynq")
            with self.assertRaisesRegex(RuntimeError, "cannot be multiplied"):
                torch.ones(2, 3, device="zynq") @ torch.ones(2, 3, device="zynq")
        self.assertEqual(driver.calls, [])

    def test_product_of_a_wrong_shape_is_refused(self):
        with torch.zynq.using(Wrong(torch.float32)), self.assertRaisesRegex(RuntimeError, "the driver 'recorder' made"):
            torch.ones(2, 3, device="zynq") @ torch.ones(3, 2, device="zynq")

    def test_only_a_driver_is_taken(self):
        with self.assertRaisesRegex(TypeError, "a driver is a torch_zynq.Driver, not str"):
            torch.zynq.set_driver("pynq")


class TilesTest(unittest.TestCase):
    def test_any_size_is_made_of_tiles(self):
        largest = []

        def multiply(a, b):
            largest.append(max(*a.shape, *b.shape))
            return torch.mm(a.int(), b.int())

        for m, k, n in [(1, 1, 1), (4, 4, 4), (5, 9, 3), (8, 1, 13)]:
            a = torch.randint(-128, 128, (m, k), dtype=torch.int8)
            b = torch.randint(-128, 128, (k, n), dtype=torch.int8)
            product = tiles.tiled_matmul(a, b, 4, multiply, torch.int32)
            self.assertTrue(torch.equal(product, a.int() @ b.int()))
        self.assertEqual(max(largest), 4)


class Buffer(numpy.ndarray):
    """Memory that logic and CPU see each in their own way until it is flushed or invalidated."""

    def flush(self):
        self.logic = numpy.array(self)

    def invalidate(self):
        self[:] = self.logic


def allocate(shape, dtype):
    buffer = numpy.zeros(shape, dtype).view(Buffer)
    buffer.logic = numpy.zeros(shape, dtype)
    return buffer


class Logic:
    """A multiplier behind a DMA, by README.md."""

    def __init__(self, bits, edge):
        self.registers = {pynq_driver.ELEMENT_BITS: bits, pynq_driver.MAXIMUM_EDGE: edge}
        self.started = False
        self.sent = self.received = None

    def read(self, offset):
        return self.registers[offset]

    def write(self, offset, value):
        self.registers[offset] = value
        self.started = self.started or offset == pynq_driver.CONTROL and value == pynq_driver.START

    def multiply(self):
        sizes = (pynq_driver.MAXIMUM_EDGE, pynq_driver.ROWS, pynq_driver.INNER, pynq_driver.COLUMNS)
        edge, m, k, n = (self.registers[offset] for offset in sizes)
        assert self.started and 0 < min(m, k, n) and max(m, k, n) <= edge
        (source, source_bytes), (target, target_bytes) = self.sent, self.received
        assert source_bytes == (m * k + k * n) * source.itemsize and target_bytes == m * n * target.itemsize
        a, b = source.logic[: m * k].reshape(m, k), source.logic[m * k : m * k + k * n].reshape(k, n)
        target.logic[: m * n] = (a.astype(target.dtype) @ b.astype(target.dtype)).reshape(-1)
        self.started, self.sent, self.received = False, None, None


class Channel:
    def __init__(self, logic, end):
        self.logic, self.end = logic, end

    def transfer(self, array, start=0, nbytes=0):
        assert getattr(self.logic, self.end) is None and start == 0
        setattr(self.logic, self.end, (array, nbytes))

    def wait(self):
        if self.logic.sent and self.logic.received:
            self.logic.multiply()
        assert self.logic.sent is None and self.logic.received is None


def fake_pynq(bits, edge, names=("axi_dma_0", "matmul_0")):
    logic = Logic(bits, edge)
    dma = types.SimpleNamespace(sendchannel=Channel(logic, "sent"), recvchannel=Channel(logic, "received"))
    overlay = types.SimpleNamespace(ip_dict=dict.fromkeys(names), axi_dma_0=dma, matmul_0=logic)
    return mock.patch.dict(sys.modules, pynq=types.SimpleNamespace(Overlay=lambda path: overlay, allocate=allocate))


class PynqDriverTest(unittest.TestCase):
    def test_int8_products(self):
        with fake_pynq(bits=8, edge=8):
            driver = pynq_driver.PynqDriver("matmul.bit")
        a = torch.randint(-128, 128, (30, 24), dtype=torch.int8)
        b = torch.randint(-128, 128, (24, 16), dtype=torch.int8)
        with torch.zynq.using(driver):
            self.assertEqual(torch.zynq.get_device_name(), "Zynq, PYNQ matmul.bit")
            product = torch._int_mm(a.to("zynq"), b.to("zynq"))
        self.assertTrue(torch.equal(product.cpu(), torch.mm(a.int(), b.int())))

    def test_float32_training_step(self):
        with fake_pynq(bits=32, edge=3):
            driver = pynq_driver.PynqDriver("matmul.bit")
        module, x = torch.nn.Linear(7, 5), torch.randn(4, 7)
        expected = module(x)
        expected.square().sum().backward()
        wanted = module.weight.grad.clone()
        module.zero_grad()
        module.to("zynq")
        with torch.zynq.using(driver):
            got = module(x.to("zynq"))
            got.square().sum().backward()
        torch.testing.assert_close(got.cpu(), expected)
        torch.testing.assert_close(module.weight.grad.cpu(), wanted)

    def test_bitstream_names_the_driver(self):
        from torch_zynq import driver

        with fake_pynq(bits=8, edge=8), mock.patch.dict("os.environ", TORCH_ZYNQ_BITSTREAM="/b/matmul.bit"):
            self.assertEqual(driver._default().name, "PYNQ /b/matmul.bit")

    def test_refuses_another_bitstream(self):
        with fake_pynq(8, 8, names=["axi_gpio_0"]), self.assertRaisesRegex(
            RuntimeError, "x.bit has no axi_dma_0 and matmul_0, only axi_gpio_0"
        ):
            pynq_driver.PynqDriver("x.bit")
        with fake_pynq(16, 8), self.assertRaisesRegex(RuntimeError, "reports elements of 16 bits and tiles of 8"):
            pynq_driver.PynqDriver("x.bit")
