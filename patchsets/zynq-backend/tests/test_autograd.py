# SPDX-License-Identifier: BSD-3-Clause
"""Gradients and training are those of the CPU, bit for bit, with the reference driver."""

import copy
import unittest
from unittest import mock

import torch
import torch.nn.functional as F
import torch_zynq  # noqa: F401 registers the device
from torch.utils.checkpoint import checkpoint


def grads(function, *inputs):
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    out = function(*leaves)
    out.sum().backward()
    return [out.detach()] + [x.grad for x in leaves]


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0]


class GradientTest(unittest.TestCase):
    def check(self, function, *shapes):
        torch.manual_seed(1)
        inputs = [torch.randn(shape) for shape in shapes]
        there = grads(function, *[x.to("zynq") for x in inputs])
        for got, expected in zip(there, grads(function, *inputs)):
            self.assertEqual(got.device, torch.device("zynq:0"))
            self.assertTrue(torch.equal(got.cpu(), expected))

    def test_products(self):
        self.check(torch.mm, (5, 7), (7, 3))
        self.check(torch.matmul, (2, 5, 7), (7, 3))
        self.check(torch.matmul, (4, 1, 5, 7), (3, 7, 2))
        self.check(torch.bmm, (4, 5, 7), (4, 7, 3))
        self.check(lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2), (3,), (5, 7), (7, 3))
        self.check(torch.matmul, (7,), (7, 3))

    def test_linear(self):
        self.check(F.linear, (5, 7), (3, 7), (3,))
        self.check(F.linear, (2, 5, 7), (3, 7))
        self.check(F.linear, (0, 7), (3, 7), (3,))

    def test_what_runs_on_the_cpu(self):
        self.check(lambda x, w: F.conv2d(x, w, padding=1).relu().mean(), (2, 3, 6, 6), (4, 3, 3, 3))
        self.check(lambda x: F.layer_norm(x, (7,)).softmax(1).cumsum(0), (5, 7))
        self.check(lambda x: torch.cat([x[1:], x[:1]]).sort()[0].view(-1)[::2], (5, 7))

    @mock.patch("warnings.warn", mock.Mock())  # of autocast, which checkpoint asks for
    def test_custom_function_and_checkpoint(self):
        self.check(Square.apply, (5, 7))
        self.check(lambda x, w: checkpoint(lambda a, b: (a @ b).sin(), x, w, use_reentrant=False), (5, 7), (7, 3))
        self.check(lambda x: torch.cat([x, x]).index_select(0, torch.arange(3, device=x.device)), (2, 3))

    def test_gradient_crosses_devices(self):
        x = torch.ones(2, 2, requires_grad=True)
        (x.to("zynq") @ x.to("zynq")).cpu().sum().backward()
        self.assertEqual((x.grad.device.type, x.grad.tolist()), ("cpu", [[4, 4], [4, 4]]))

    def test_second_derivative(self):
        x = torch.tensor([[2.0]], device="zynq", requires_grad=True)
        (first,) = torch.autograd.grad((x @ x @ x).sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), x)
        self.assertEqual((first.item(), second.item()), (12, 12))

    def test_modified_in_place_after_use_is_found(self):
        x = torch.ones(2, 2, device="zynq", requires_grad=True)
        y = x * 1
        out = y @ y
        y.add_(1)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            out.sum().backward()

    def test_inference_mode(self):
        module = torch.nn.Linear(4, 3)
        x = torch.randn(2, 4)
        with torch.inference_mode():
            expected = module(x)
            torch.zynq.reset_host_operators()
            got = copy.deepcopy(module).to("zynq")(x.to("zynq"))
            self.assertNotIn("aten.addmm.default", torch.zynq.host_operators())
            self.assertNotIn("aten.linear.default", torch.zynq.host_operators())
        self.assertTrue(torch.equal(got.cpu(), expected))


class TrainingTest(unittest.TestCase):
    def train(self, optimizer, device):
        torch.manual_seed(3)
        model = torch.nn.Sequential(
            torch.nn.Conv2d(1, 2, 3),
            torch.nn.BatchNorm2d(2),
            torch.nn.ReLU(),
            torch.nn.Flatten(),
            torch.nn.Linear(32, 8),
            torch.nn.Dropout(0.0),
            torch.nn.Linear(8, 3),
        ).to(device)
        steps = optimizer(model.parameters())
        for _ in range(4):
            x, wanted = torch.randn(5, 1, 6, 6).to(device), torch.randint(3, (5,)).to(device)
            steps.zero_grad()
            loss = F.cross_entropy(model(x), wanted)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            steps.step()
        return [loss.detach().cpu()] + [p.detach().cpu() for p in model.parameters()]

    def check(self, optimizer):
        for got, expected in zip(self.train(optimizer, "zynq"), self.train(optimizer, "cpu")):
            self.assertTrue(torch.equal(got, expected))

    def test_sgd(self):
        self.check(lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, foreach=False))

    def test_adam(self):
        self.check(lambda p: torch.optim.AdamW(p, lr=0.01, foreach=False))
