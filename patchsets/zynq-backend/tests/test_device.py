# SPDX-License-Identifier: BSD-3-Clause
"""Tensors and modules on the device, and torch.zynq."""

import copy
import io
import os
import subprocess
import sys
import unittest

import torch
import torch_zynq  # noqa: F401 registers the device


def run_python(code, **environment):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=dict(os.environ, **environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class RegistrationTest(unittest.TestCase):
    @unittest.skipIf(tuple(map(int, torch.__version__.split(".")[:2])) < (2, 5), "torch 2.5 and later")
    def test_torch_loads_the_back_end_by_its_entry_point(self):
        code = "import torch; print(torch.ones(2, device='zynq').device)"
        self.assertEqual(run_python(code, TORCH_DEVICE_BACKEND_AUTOLOAD="1").stdout.split()[-1:], [b"zynq:0"])

    def test_the_back_end_and_torch_are_imported_in_either_order(self):
        for modules in ("torch, torch_zynq", "torch_zynq, torch"):
            for autoload in ("0", "1"):
                code = "import %s; print(torch.ones(2, device='zynq').device)" % modules
                done = run_python(code, TORCH_DEVICE_BACKEND_AUTOLOAD=autoload)
                self.assertEqual(done.stdout.split()[-1:], [b"zynq:0"], (modules, autoload, done.stderr))

    @unittest.skipUnless("TORCH_ZYNQ_LIBRARY" in os.environ, "this torch has the device guard built in")
    def test_without_the_device_guard_torch_works_and_the_device_is_refused(self):
        code = """
import torch, torch_zynq
assert not torch.zynq.is_available() and torch.zynq.device_count() == 0
x = torch.ones(2, requires_grad=True); x.sum().backward()
torch.ones(2, device="zynq")
"""
        done = run_python(code, TORCH_ZYNQ_LIBRARY="")
        self.assertEqual(done.returncode, 1)
        reason = b"there is no device zynq: this torch is built without aten/src/ATen/detail/ZynqDevice.cpp"
        self.assertIn(reason, done.stderr)

    def test_device_module(self):
        self.assertTrue(torch.zynq.is_available())
        self.assertEqual(torch.zynq.device_count(), 1)
        self.assertEqual(torch.zynq.current_device(), 0)
        self.assertEqual(torch.zynq.get_device_name(), "Zynq, reference (CPU)")
        torch.zynq.set_device("zynq:0")
        torch.zynq.synchronize()
        with torch.zynq.device(0):
            pass
        with self.assertRaisesRegex(RuntimeError, "there is no device zynq:1, only zynq:0"):
            torch.zynq.set_device(1)
        with self.assertRaisesRegex(ValueError, "expected a zynq device, but got cpu"):
            torch.zynq.synchronize("cpu")


class TensorTest(unittest.TestCase):
    def test_is_of_the_device(self):
        x = torch.ones(2, 3, device="zynq")
        self.assertEqual(str(x.device), "zynq:0")
        self.assertEqual((x.is_zynq, x.is_cpu), (True, False))
        self.assertEqual(x.t().contiguous().device, torch.device("zynq:0"))
        self.assertEqual(repr(torch.zeros(1, device="zynq")), "tensor([0.], device='zynq:0')")

    def test_moves(self):
        x = torch.randn(3, 4)
        there = x.to("zynq")
        self.assertIs(there.to("zynq"), there)
        self.assertTrue(torch.equal(there.cpu(), x))
        self.assertTrue(torch.equal(x.zynq().to("cpu", torch.float64), x.double()))
        there.fill_(0)
        self.assertNotEqual(x.abs().sum(), 0)
        x.copy_(there)
        self.assertEqual(x.abs().sum(), 0)

    def test_factories(self):
        for make in (
            lambda d: torch.arange(5, device=d),
            lambda d: torch.eye(3, device=d),
            lambda d: torch.full((2,), 7, device=d),
            lambda d: torch.linspace(0, 1, 5, device=d),
            lambda d: torch.tensor([[1, 2], [3, 4]], device=d),
            lambda d: torch.zeros(0, 3, device=d),
            lambda d: torch.ones(2, 3, device=d).new_zeros(2),
        ):
            self.assertTrue(torch.equal(make("zynq").cpu(), make("cpu")))
            self.assertEqual(make("zynq").device.type, "zynq")
        with torch.device("zynq"):
            self.assertTrue(torch.ones(2).is_zynq)
        self.assertEqual(torch.ones(2, device="zynq").new_zeros(2, device="cpu").device.type, "cpu")

    def test_random_numbers_are_those_of_the_cpu(self):
        torch.manual_seed(5)
        expected = torch.randn(4)
        torch.manual_seed(5)
        self.assertTrue(torch.equal(torch.randn(4, device="zynq").cpu(), expected))
        state = torch.zynq.get_rng_state()
        first = torch.rand(3, device="zynq").cpu()
        torch.zynq.set_rng_state(state)
        self.assertTrue(torch.equal(torch.rand(3, device="zynq").cpu(), first))

    def test_views_share_elements(self):
        x = torch.zeros(2, 3, device="zynq")
        x[0].add_(1)
        x.t()[2] = 5
        self.assertEqual(x.tolist(), [[1, 1, 5], [0, 0, 5]])

    def test_conjugate_views(self):
        x = torch.randn(3, dtype=torch.complex64)
        there = x.to("zynq")
        self.assertTrue(there.conj().is_conj())
        self.assertEqual(torch.view_as_real(there.conj().resolve_conj())[:, 1].tolist(), (-x.imag).tolist())
        there.conj().mul_(2)
        self.assertTrue(torch.equal(there.cpu(), x * 2))

    def test_operators_in_place_return_the_tensor(self):
        x = torch.zeros(2, 3, device="zynq")
        self.assertIs(x.add_(1), x)
        self.assertIs(x.t_(), x)
        self.assertEqual(x.shape, (3, 2))
        self.assertEqual(x.resize_(1, 2).tolist(), [[1, 1]])
        out = torch.empty(0, device="zynq")
        self.assertIs(torch.add(x, 1, out=out), out)
        self.assertEqual(out.tolist(), [[2, 2]])

    def test_refuses_to_mix_devices(self):
        x = torch.ones(2, device="zynq")
        with self.assertRaisesRegex(RuntimeError, "all tensors have to be on one device, not on zynq:0 and cpu"):
            x + torch.ones(2)
        self.assertEqual((x * torch.tensor(3.0)).tolist(), [3, 3])
        self.assertEqual(x[torch.tensor([1])].tolist(), [1])

    def test_refuses_what_the_device_has_not(self):
        for code in (
            lambda: torch.ones(2, device="zynq:1"),
            lambda: torch.empty(2, device="zynq", pin_memory=True),
            lambda: torch.ones(2, device="zynq").to_sparse(),
        ):
            with self.assertRaises((RuntimeError, NotImplementedError)):
                code()
        with self.assertRaisesRegex(TypeError, "take its copy by Tensor.cpu"):
            torch.ones(2, device="zynq").numpy()
        with self.assertRaises(BufferError):
            torch.ones(2, device="zynq").__dlpack__()
        with self.assertRaisesRegex(NotImplementedError, "neither its driver nor the CPU has a kernel for it"):
            torch.cudnn_grid_sampler(torch.ones(1, 1, 2, 2, device="zynq"), torch.zeros(1, 2, 2, 2, device="zynq"))

    def test_copies_and_files(self):
        x = torch.randn(3, device="zynq", requires_grad=True)
        (x * 2).sum().backward()
        twin = copy.deepcopy(x)
        self.assertEqual((twin.tolist(), twin.grad.tolist(), twin.requires_grad), (x.tolist(), [2, 2, 2], True))
        with torch.no_grad():
            twin.zero_()
        self.assertNotEqual(x.tolist(), twin.tolist())
        file = io.BytesIO()
        torch.save({"x": x}, file)
        file.seek(0)
        loaded = torch.load(file)["x"]
        self.assertEqual((loaded.device.type, loaded.tolist()), ("cpu", x.tolist()))


class ModuleTest(unittest.TestCase):
    def test_moves_there_and_back(self):
        module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
        expected = {name: value.clone() for name, value in module.state_dict().items()}
        module.to("zynq")
        self.assertTrue(all(p.is_zynq and isinstance(p, torch.nn.Parameter) and p.is_leaf for p in module.parameters()))
        self.assertTrue(all(b.is_zynq for b in module.buffers()))
        module.double()
        self.assertEqual({p.dtype for p in module.parameters()}, {torch.float64})
        twin = copy.deepcopy(module)
        self.assertEqual(len(list(twin.parameters())), 4)
        module.float().cpu()
        for name, value in module.state_dict().items():
            self.assertTrue(torch.equal(value, expected[name]))
        twin.load_state_dict(expected)
        self.assertTrue(torch.equal(twin[0].weight.cpu().float(), expected["0.weight"]))

    def test_dtype_of_parameters_on_the_device(self):
        module = torch.nn.Linear(2, 2).zynq()
        weight = module.weight.detach().cpu()
        module.double()
        self.assertTrue(torch.equal(module.weight.cpu(), weight.double()))
        self.assertEqual(module(torch.ones(1, 2, device="zynq", dtype=torch.float64)).dtype, torch.float64)
