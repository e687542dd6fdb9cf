#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the numbers of the torch that is installed: 294 operators in each dtype against values that NumPy, SciPy and
plain Python computed in double precision or exact integers (numerics.txt beside this script; its header describes it).

usage: numerics.py [--json FILE] [--html FILE] [--quick] [--threads 1,4] [--limit SECONDS] [--list] [NAME...]

NAME is an operator or a group. Needs torch 1.1 or later and no NumPy. Run it outside of torch's sources.

Inputs are multiples of 1/16 from a linear congruential generator, exact in every dtype. Each operator is called with contiguous,
strided and transposed operands, with each number of threads; elementwise ones with 0, 1, 3 and 67 elements (vector tails) and
100003 (above the grain size, 32768), in place and with out=. Calls marked as parallel are repeated 20 times and have to return
the same bits. Gradients of doubles are compared with a numeric derivative, those of the other dtypes with those of doubles.

A result g of an expected w passes if |g - w| <= eps * (R * |w| + M): eps of the dtype, R and M from numerics.txt. M is
(4 + 2 * sqrt(n)) * sum |x_i * y_i| for a sum of n products (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
section 3.1, gives n * u; Higham and Mary, SIAM J. Sci. Comput. 41(5), A2815, 2019, sqrt(n) * u with high probability), and n
times the condition number for a solver (Higham, chapter 9). R is 4 if nothing else is said: torch's vector functions are
those of SLEEF with 1.0 ulp (u10) or 3.5 ulp (u35).

Each group runs in a child process; a signal or a hang is a verdict of the operator that ran. Exit status: 0 nothing wrong,
1 wrong results, crashes or hangs, 2 wrong usage, 3 torch cannot be imported.
"""
import argparse
import base64
import html
import io
import json
import math
import os
import select
import signal
import struct
import sys
import tempfile
import time
import traceback

torch = F = None  # imported by the worker: a crash on import is a verdict, too
PERIOD, SMALL, LARGE, CYCLE = 61, (0, 1, 3, 67), 100003, 1021  # odd or prime, so that each value meets each vector lane
KINDS = {"f": ("float16", "bfloat16", "float32", "float64"), "c": ("complex64", "complex128"),
         "i": ("int8", "int16", "int32", "int64"), "u": ("uint8",), "b": ("bool",), "-": ("-",)}
EPS = {"float16": 2.0 ** -10, "bfloat16": 2.0 ** -7, "float32": 2.0 ** -23, "float64": 2.0 ** -52}
EPS.update(complex64=EPS["float32"], complex128=EPS["float64"])
TINY = {"float16": 2.0 ** -24, "bfloat16": 2.0 ** -126, "float32": 2.0 ** -126, "float64": 2.0 ** -1022}
LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}
INTEGERS = {"int8": (8, True), "int16": (16, True), "int32": (32, True), "int64": (64, True), "uint8": (8, False)}
SPECIALS = (float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 1.0, -1.0)
# What a release raises for what it lacks; VAGUE only of the smaller dtypes.
LACKING = ("not implemented", "not supported", "unsupported", "not compiled", "could not run", "removed", "no kernel", "not available", "built without",
           "lapack", "no such operator", "unknown builtin", "didn't find engine", "unexpected keyword", "invalid combination", "doesn't handle types",
           "is only available", "to be contiguous", "expected mode to be", "needs to be compiled", "not currently", "does not require grad", "don't support automatic differentiation", "not differentiable", "without autograd")
VAGUE = ("only support", "expected ", "requires", "must be", "should be", "does not support", "not support", "doesn't support", "cannot be cast", "can't be cast",
         "for an argument", "not yet", "complex")


def numbers(seed, count, low, high):
    """Returns integers from low to high: the multiplier and increment are those of Numerical Recipes, section 7.1."""
    key = (seed, count, low, high)
    if key not in _NUMBERS:
        state, result = (seed * 2654435761 + 12345) & 0xFFFFFFFF, []
        for _ in range(count):
            state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
            result.append(low + (state >> 9) % (high - low + 1))
        _NUMBERS[key] = result
    return list(_NUMBERS[key])


_NUMBERS = {}


class Operands(object):
    """Makes the operands of a case from numbers alone; make() is torch's here and NumPy's in make_expected.py."""

    def __init__(self, kind, count=PERIOD):
        self.kind, self.count = kind, count

    def values(self, seed, count, low, high):
        """Returns numbers of this kind: the range is that of floats; integers have 3 times as much."""
        if self.kind in "f-":
            return [each / 16.0 for each in numbers(seed, count, int(math.ceil(16 * low)), int(math.floor(16 * high)))]
        if self.kind == "c":
            parts = [[each / 16.0 for each in numbers(seed + add, count, int(math.ceil(16 * low)), int(math.floor(16 * high)))]
                     for add in (0, 500)]
            return [complex(*each) for each in zip(*parts)]
        if self.kind == "b":
            return [bool(each) for each in numbers(seed, count, 0, 1)]
        low = 0 if self.kind == "u" and low < 0 else low
        return numbers(seed, count, int(math.ceil(3 * low)), int(math.floor(3 * high)))

    def x(self, seed, shape, low=-4, high=4):
        """A tensor of this shape; large ones repeat after CYCLE numbers."""
        return self.make(self.values(seed, min(product(shape), CYCLE), low, high), shape)

    def b(self, seed, low=-4, high=4):
        """An operand of an elementwise operator, which repeats after PERIOD numbers."""
        return self.make(self.values(seed, PERIOD, low, high), (self.count,))

    def k(self, seed, shape, low=-4, high=4):
        """The same as x(), a constant for gradients."""
        return self.x(seed, shape, low, high)

    def s(self, values=SPECIALS):
        """An elementwise operand of NaN, infinities, zeros."""
        return self.make(list(values), (self.count,))

    def spd(self, seed, n):
        """A symmetric matrix, well-conditioned."""
        values = self.values(seed, n * n, -1, 1)
        return self.make([values[min(i, j) * n + max(i, j)] * (1 if self.kind != "c" or i == j else 1) + (4.0 * n if i == j else 0.0)
                          for i in range(n) for j in range(n)], (n, n))

    def square(self, seed, n, batch=()):
        """Matrices with a dominant diagonal that is not in order of size."""
        values = self.values(seed, product(batch) * n * n, -1, 1)
        for at in range(product(batch) * n):
            values[at * n + at % n] += 3.0 + at % 5
        return self.make(values, tuple(batch) + (n, n))


def product(shape):
    result = 1
    for each in shape:
        result *= each
    return result


class Tensors(Operands):
    """Operands of torch: layout is contiguous, strided or transposed."""

    def __init__(self, kind, dtype, count=PERIOD, layout="contiguous", leaves=None, shift=0.0):
        Operands.__init__(self, kind, count)
        self.dtype = getattr(torch, "float32" if dtype == "-" else dtype)
        self.layout, self.leaves, self.shift, self.made = layout, leaves, shift, []

    def make(self, values, shape):
        """Repeats the values to this shape. Twice the same large operand is one tensor: cases leave it as it is."""
        count = product(shape)
        if count > CYCLE and self.leaves is None:
            for key, tensor in self.made:
                if key == (values, shape):
                    return tensor
            tensor = self.lay(self.tile(values, shape))
            self.made.append(((values, shape), tensor))
            return tensor
        if self.leaves is not None:  # away from kinks and ties, and the same in each dtype
            values = [each + (0.0137 + 0.03 * ((at * 0.6180339887) % 1.0) if each == each and abs(each) < 99 else 0.0) for at, each in enumerate(values)]
        tensor = self.tile(values, shape)
        if self.leaves is not None:
            if self.shift:
                tensor = tensor + self.shift * sixteenths(900 + len(self.leaves), shape)
            tensor = tensor.clone().detach()
            if self.dtype.is_floating_point:
                tensor.requires_grad_()
                self.leaves.append(tensor)
        return self.lay(tensor)

    def tile(self, values, shape):
        count = product(shape)
        wide = torch.complex128 if self.kind == "c" else torch.float64 if self.kind in "f-" else torch.int64
        tensor = torch.tensor(values, dtype=wide).to(self.dtype)
        if count != len(values):
            tensor = tensor.repeat(count // len(values) + 1)[:count]
        return tensor.reshape(shape)

    def k(self, *arguments):
        kept, self.leaves = self.leaves, None
        tensor, self.leaves = self.x(*arguments), kept
        return tensor

    def lay(self, tensor):
        """Returns the same values elsewhere in memory."""
        if self.layout == "strided" and tensor.dim():
            return torch.stack([tensor, torch.ones_like(tensor)], -1)[..., 0]
        if self.layout == "transposed" and tensor.dim() > 1:
            return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
        return tensor

    def i(self, values, shape=None):
        """A tensor of indices."""
        tensor = torch.tensor(list(values), dtype=torch.int64)
        return tensor if shape is None else tensor.reshape(shape)

    def like(self, values, dtype=None):
        return torch.tensor(values, dtype=dtype or self.dtype)


def sixteenths(seed, shape):
    count = product(shape)
    values = torch.tensor([each / 16.0 for each in numbers(seed, max(1, min(count, CYCLE)), -16, 16)], dtype=torch.float64)
    return values.repeat(count // len(values) + 1)[:count].reshape(shape)


# ---------------------------------------------------------------------------------------------------------------- the cases

GROUPS = []  # in order: (name, [case])


class Case(object):
    """NAME of an operator, perhaps .VARIANT; run(operands) returns a tensor or several."""

    def __init__(self, name, kinds, run, block=False, grad=True, repeat=0, layouts=("contiguous", "strided", "transposed"), dtypes=(),
                 since=(), method=None, own=False, periodic=False, crowded=False):
        self.name, self.operator, self.kinds, self.run, self.block = name, name.split(".")[0], kinds.split(), run, block
        self.grad, self.repeat, self.layouts, self.dtypes, self.since = grad, repeat, layouts, dtypes, since
        self.method, self.own = method, own  # method: also in place and out=; own: run() raises AssertionError, nothing is stored
        self.periodic, self.crowded = periodic or block, crowded  # the stored values repeat; repeat with more threads than CPUs


def group(name):
    GROUPS.append((name, []))


def case(name, kinds, run, **facts):
    GROUPS[-1][1].append(Case(name, kinds, run, **facts))


def find(*names):
    """Returns the first of these attributes of torch that exists."""
    for name in names:
        at = torch
        for part in name.split("."):
            at = getattr(at, part, None)
        if at is not None:
            return at
    raise AttributeError("no %s" % names[0])


def elementwise(name, kinds, operands, special=False, names=(), **facts):
    """An operator of torch on operands such as (-4, 4), one each."""
    def run(c):
        return find(name, *names)(*[c.b(at + 1, *each) for at, each in enumerate(operands)])
    case(name, kinds, run, block=True, method=name, **facts)
    GROUPS[-1][1][-1].ranges = operands
    if special and name != "sign":  # sign of NaN is 0 in most releases
        case(name + ".special", "f", lambda c: find(name, *names)(c.s()), block=True, grad=False)


def activation(name, run, **facts):
    case(name, "f", run, block=True, **facts)


R4, POSITIVE, UNIT = (-4, 4), (0.0625, 4), (-0.9375, 0.9375)
group("unary")
for _name in "abs neg exp expm1 sin cos tanh atan sigmoid floor ceil round trunc sign erf erfc sqrt rsqrt log reciprocal".split():
    elementwise(_name, "f c" if _name in "exp sin cos tanh sqrt log reciprocal neg".split() else "f i" if _name in ("abs", "sign") else "f",
                [POSITIVE if _name in "sqrt rsqrt log reciprocal".split() else R4], special=True)
for _name in "exp2 sinh cosh tan asinh frac lgamma square sinc deg2rad i0 relu".split():
    elementwise(_name, "f", [(-3.0, 3.0) if _name != "tan" else (-1.5, 1.5)])
for _name in "log2 log10 log1p digamma".split():
    elementwise(_name, "f", [POSITIVE])
for _name in "asin acos atanh erfinv".split():
    elementwise(_name, "f", [UNIT])
elementwise("acosh", "f", [(1.0625, 4)])
case("trunc.large", "f", lambda c: [find(each)(c.s((2.0 ** 31, -2.0 ** 33, 2.0 ** 62, -2.5, 1.5, 8388609.0, -0.75))) for each in ("trunc", "floor", "ceil", "round")],
     block=True, grad=False, dtypes=("float32", "float64"))
elementwise("logit", "f", [(0.0625, 0.9375)])
elementwise("bitwise_not", "i u b", [R4])
elementwise("conj", "c", [R4], names=())
case("abs.complex", "c", lambda c: c.b(1).abs(), block=True)
case("angle", "c", lambda c: torch.angle(c.b(1)), block=True)
case("real", "c", lambda c: (torch.real(c.b(1)), torch.imag(c.b(1))), block=True)
case("clamp", "f i", lambda c: torch.clamp(c.b(1), -1, 2), block=True)
case("pow.scalar", "f", lambda c: (torch.pow(c.b(1, 0.5, 3), 2.5), torch.pow(c.b(2), 3), torch.pow(c.b(1, 0.5, 3), -0.5)), block=True)
case("isnan", "f", lambda c: (torch.isnan(c.s()), c.s() == float("inf")), block=True)
case("convert", "f i", lambda c: (c.b(1).to(torch.float64), c.b(1).to(torch.int64), c.b(1).to(torch.float32)), block=True, grad=False)
case("convert.half", "f i", lambda c: c.b(1).to(torch.float16), block=True, grad=False)
case("convert.bfloat16", "f i", lambda c: c.b(1).to(torch.bfloat16), block=True, grad=False)
case("tolist", "i", lambda c: signed_numbers(c.x(1, (67,))), grad=False)
case("convert.rounding", "-", lambda c: [torch.tensor(ROUNDED, dtype=torch.float64).repeat(9).to(torch.float32).to(each) for each in
                                         (torch.float16, torch.bfloat16)])

def signed_numbers(tensor):
    """By way of Python's numbers: tolist() and item()."""
    return torch.tensor(tensor.tolist()), torch.tensor([each.item() for each in tensor])


ROUNDED = (1 + 2.0 ** -11, 1 + 3 * 2.0 ** -11, 1 + 2.0 ** -8, 1 + 3 * 2.0 ** -8, 2.0 ** -25, 2.0 ** -25 + 2.0 ** -40, 65519.0, 1e-7, -3.14159)

group("activations")
for _name, _run in (("relu6", "relu6(x)"), ("elu", "elu(x, 0.75)"), ("selu", "selu(x)"), ("celu", "celu(x, 1.5)"), ("gelu", "gelu(x)"),
                    ("gelu.tanh", "gelu(x, approximate='tanh')"), ("softplus", "softplus(x)"), ("leaky_relu", "leaky_relu(x, 0.125)"),
                    ("hardtanh", "hardtanh(x, -1.5, 2.)"), ("hardsigmoid", "hardsigmoid(x)"), ("hardswish", "hardswish(x)"), ("silu", "silu(x)"),
                    ("mish", "mish(x)"), ("softsign", "softsign(x)"), ("logsigmoid", "logsigmoid(x)"), ("tanhshrink", "tanhshrink(x)"),
                    ("softshrink", "softshrink(x, 0.5)"), ("hardshrink", "hardshrink(x, 0.5)"), ("threshold", "threshold(x, 0.25, -2.)")):
    activation(_name, eval("lambda c: (lambda x: F.%s)(c.b(1))" % _run))  # a text above, so that the table can be read
case("prelu", "f", lambda c: F.prelu(c.x(1, (3, 4, 5)), c.x(2, (4,))))
case("glu", "f", lambda c: F.glu(c.x(1, (3, 10)), -1))

group("binary")
for _name in "add sub mul".split():
    elementwise(_name, "f c i u", [R4, R4])
    case(_name + ".broadcast", "f i", lambda c, _name=_name: find(_name)(c.x(1, (7, 1, 3)), c.x(2, (5, 1))))
    case(_name + ".scalar", "f i", lambda c, _name=_name: find(_name)(c.b(1), 3), block=True)
elementwise("div", "f c", [R4, (0.25, 4)])
case("div.broadcast", "f", lambda c: torch.div(c.x(1, (7, 1, 3)), c.x(2, (5, 1), 1, 3)))
for _name in "atan2 hypot copysign fmax fmin logaddexp logaddexp2 nextafter".split():
    elementwise(_name, "f", [R4, (0.25, 4)], grad=_name != "nextafter", dtypes=("float64",) if _name == "nextafter" else ())
elementwise("xlogy", "f", [R4, (0.25, 4)])
elementwise("heaviside", "f", [R4, R4], grad=False)
for _name in "maximum minimum".split():
    elementwise(_name, "f i u", [R4, R4], names=({"maximum": "max", "minimum": "min"}[_name],))
elementwise("pow", "f", [(0.25, 3), (-2, 3)])
for _name in "fmod remainder floor_divide".split():
    elementwise(_name, "f", [R4, (0.25, 4)], grad=False, since=(1, 13) if _name == "floor_divide" else ())
    case(_name + ".integers", "i u", lambda c, _name=_name: find(_name)(c.b(1), c.b(2, 1, 4)), block=True, since=(1, 13) if _name == "floor_divide" else ())
case("div.trunc", "f i", lambda c: torch.div(c.b(1), c.b(2, 1, 4), rounding_mode="trunc"), block=True, grad=False)
for _name in "eq ne lt le gt ge".split():
    elementwise(_name, "f i u", [R4, (-1, 1)])
    case(_name + ".special", "f", lambda c, _name=_name: find(_name)(c.s(), c.s((0.0, float("nan"), 1.0, -0.0, float("inf"), float("nan"), -1.0))), block=True)
for _name in "logical_and logical_or logical_xor".split():
    elementwise(_name, "f i b", [(-1, 1), (-1, 1)])
case("logical_not", "f i b", lambda c: torch.logical_not(c.b(1, -1, 1)), block=True)
case("lerp", "f", lambda c: torch.lerp(c.b(1), c.b(2), 0.25), block=True)
case("lerp.tensor", "f", lambda c: torch.lerp(c.b(1), c.b(2), c.b(3, 0, 1)), block=True)
case("addcmul", "f", lambda c: torch.addcmul(c.b(1), c.b(2), c.b(3), value=0.5), block=True)
case("addcdiv", "f", lambda c: torch.addcdiv(c.b(1), c.b(2), c.b(3, 0.25, 4), value=0.5), block=True)
case("where", "f i", lambda c: torch.where(c.b(1) > c.b(2), c.b(1), c.b(3)), block=True)
case("gcd", "i u", lambda c: (torch.gcd(c.b(1), c.b(2)), torch.lcm(c.b(1), c.b(2))), block=True)
case("polynomial", "f", lambda c: ((c.b(1) * 0.5 + c.b(2)) * c.b(1) - c.b(3)) / 4, block=True)
for _name in "bitwise_and bitwise_or bitwise_xor".split():
    elementwise(_name, "i u b", [R4, R4], names=("Tensor.__%s__" % _name[8:],))
case("shift", "i u", lambda c: (c.b(1) << c.b(2, 0, 2), c.b(1) >> c.b(2, 0, 2)), block=True)
case("shift.out_of_range", "i", lambda c: (c.b(1) << c.b(2, 22, 30), c.b(1) >> c.b(2, 22, 30), c.b(1) >> c.b(2, -3, -1)), block=True)

group("reductions")
for _name in "sum mean prod".split():
    _reduce = (lambda _name: lambda c: (find(_name)(c.x(1, (5, 7, 11), -2, 2), 1), find(_name)(c.x(2, (3, 67), -1, 1), -1), find(_name)(c.x(2, (3, 17), -2, 2), 0)))(_name)
    case(_name, "f" if _name != "sum" else "f c i u", _reduce)
case("sum.all", "f i u", lambda c: (c.x(1, (67,)).sum(), c.x(1, (5, 13)).sum(), c.x(1, (0,)).sum(), c.x(1, (0, 3)).sum(0)))
case("sum.large", "f i", lambda c: (c.x(1, (LARGE,)).sum(), c.x(2, (17, 6007)).sum(0)[:200], c.x(2, (6007, 17)).sum(0)), repeat=20, grad=False, layouts=("contiguous", "transposed"))
case("mean.large", "f", lambda c: c.x(1, (LARGE,), 0, 4).mean(), repeat=20, dtypes=("float32", "float64"), grad=False, layouts=("contiguous", "strided"))
case("var", "f", lambda c: (c.x(1, (5, 17)).var(1), c.x(1, (5, 17)).var(), c.x(2, (7, 9)).std(0), c.x(2, (7, 9)).var(0, unbiased=False)))
case("var.large", "f", lambda c: (c.x(1, (LARGE,)).var(), c.x(1, (LARGE,)).std()), dtypes=("float32", "float64"), grad=False, layouts=("contiguous",), repeat=5)
case("norm", "f", lambda c: (c.x(1, (67,)).norm(), c.x(1, (5, 13)).norm(1, 1), c.x(1, (5, 13)).norm(2, 0), c.x(1, (5, 13)).norm(3, 1), c.x(2, (67,)).norm(float("inf")), c.x(2, (67,)).norm(0)))
case("norm.large", "f", lambda c: c.x(1, (LARGE,)).norm(), dtypes=("float32", "float64"), grad=False, layouts=("contiguous",), repeat=20)
case("cumsum", "f i", lambda c: (c.x(1, (5, 67)).cumsum(1), c.x(2, (9, 4)).cumsum(0)))
case("cumprod", "f", lambda c: c.x(1, (5, 9), 0.5, 1.5).cumprod(1))
case("cummax", "f i", lambda c: torch.cummax(c.x(1, (5, 17)), 1)[0], grad=False)
case("logcumsumexp", "f", lambda c: torch.logcumsumexp(c.x(1, (5, 17)), 1))
case("logsumexp", "f", lambda c: (torch.logsumexp(c.x(1, (5, 17)), 1), torch.logsumexp(c.x(1, (5, 17)), 0)))
case("logsumexp.special", "f", lambda c: torch.logsumexp(c.like([[float("inf"), 1.], [float("-inf"), 2.], [float("-inf"), float("-inf")], [float("nan"), 0.]]), 1), grad=False)
case("max", "f i u", lambda c: (c.x(1, (5, 67)).max(1)[0], c.x(1, (5, 67)).max(), c.x(1, (5, 67)).min(0)[0], c.x(1, (5, 67)).min()))
case("max.special", "f", lambda c: (c.like([1., float("nan"), 2.] * 9).max(), c.like([[1., float("nan")], [float("inf"), 2.]]).max(1)[0], c.like([[1., float("-inf")], [float("inf"), 2.]]).min(1)[0]), grad=False, since=(1, 2))
case("argmax", "f i", lambda c: (distinct(c, (5, 67)).argmax(1), distinct(c, (5, 67)).argmin(0), distinct(c, (5, 67)).argmax()), grad=False,
     dtypes=("float32", "float64", "int16", "int32", "int64"))
case("amax", "f i", lambda c: (torch.amax(c.x(1, (5, 7, 9)), (0, 2)), torch.amin(c.x(1, (5, 7, 9)), (0, 2))))
case("aminmax", "f", lambda c: list(torch.aminmax(c.x(1, (5, 67)), dim=1)), grad=False)
case("all", "b u", lambda c: (c.x(1, (3, 5)).bool().all(1), c.x(1, (3, 5)).bool().any(0), c.x(1, (67,)).bool().all(), c.x(1, (67,)).bool().any()))
case("median", "f i", lambda c: (c.x(1, (5, 17)).median(), c.x(1, (5, 17)).median(1)[0]), grad=False)
case("mode", "i", lambda c: c.x(1, (5, 67), 0, 1).mode(1)[0])
case("nansum", "f", lambda c: torch.nansum(c.like([1., float("nan"), 2.5] * 9)), grad=False)
case("count_nonzero", "f i", lambda c: (torch.count_nonzero(c.x(1, (5, 67), -1, 1)), torch.count_nonzero(c.x(1, (5, 67), -1, 1), 1)), grad=False)
case("dist", "f", lambda c: torch.dist(c.x(1, (67,)), c.x(2, (67,)), 2))
case("renorm", "f", lambda c: torch.renorm(c.x(1, (5, 9)), 2, 0, 3.0))
# Not of more rows than columns: their gradient is wrong on every machine (TriangularOps.cpp:171 of 1.13.1, :183 of 2.6.0).
case("trace", "f i", lambda c: torch.trace(c.x(1, (7, 9))))
case("diff", "f i", lambda c: torch.diff(c.x(1, (5, 17))))
case("quantile", "f", lambda c: torch.quantile(c.x(1, (67,)), c.like([0.1, 0.5, 0.8125])), grad=False)

group("matrices")
case("mm", "f c i", lambda c: (torch.mm(c.x(1, (13, 37)), c.x(2, (37, 19))), torch.mm(c.x(3, (1, 5)), c.x(4, (5, 1)))))
case("mm.empty", "f i", lambda c: (torch.mm(c.x(1, (3, 0)), c.x(2, (0, 4))), torch.mm(c.x(1, (0, 3)), c.x(2, (3, 4)))), grad=False, layouts=("contiguous",))
case("mm.large", "f c", lambda c: torch.mm(c.x(1, (131, 257)), c.x(2, (257, 67)))[::13, ::3], repeat=20, grad=False)
case("mv", "f c i", lambda c: (torch.mv(c.x(1, (13, 37)), c.x(2, (37,))), torch.mv(c.x(1, (131, 5)), c.x(2, (5,)))))
case("addmv", "f c i", lambda c: (torch.addmv(c.x(1, (13,)), c.x(2, (13, 37)), c.x(3, (37,))), torch.addmv(c.x(1, (67,)), c.x(2, (67, 5)), c.x(3, (5,)), beta=2, alpha=3),
                                torch.addmv(c.x(1, (67,)), c.x(2, (67, 5)), c.x(3, (5,)), beta=0)))
case("addmv.transposed", "f c i", lambda c: (torch.addmv(c.x(1, (13,)), c.x(2, (37, 13)).t(), c.x(3, (37,)), beta=2, alpha=3), torch.addmv(c.x(1, (3,)), c.x(2, (5, 3)).t(), c.x(3, (5,)), alpha=2)))
case("addmm", "f c i", lambda c: torch.addmm(c.x(1, (13, 19)), c.x(2, (13, 37)), c.x(3, (37, 19)), beta=2, alpha=3))
case("addmm.transposed", "f c", lambda c: torch.addmm(c.x(1, (19,)), c.x(2, (37, 13)).t(), c.x(3, (19, 37)).t(), beta=0.5))
case("bmm", "f c i", lambda c: torch.bmm(c.x(1, (3, 5, 17)), c.x(2, (3, 17, 7))))
case("bmm.large", "f", lambda c: torch.bmm(c.x(1, (9, 33, 65)), c.x(2, (9, 65, 31)))[:, ::7, ::5], repeat=20, grad=False)
case("baddbmm", "f i", lambda c: torch.baddbmm(c.x(3, (3, 5, 7)), c.x(1, (3, 5, 17)), c.x(2, (3, 17, 7)), beta=2, alpha=3))
case("addbmm", "f", lambda c: torch.addbmm(c.x(3, (5, 7)), c.x(1, (3, 5, 17)), c.x(2, (3, 17, 7))))
case("addr", "f i", lambda c: torch.addr(c.x(1, (7, 9)), c.x(2, (7,)), c.x(3, (9,)), beta=2, alpha=3))
case("outer", "f i", lambda c: find("outer", "ger")(c.x(2, (7,)), c.x(3, (67,))))
case("dot", "f c i", lambda c: [torch.dot(c.x(1, (n,)), c.x(2, (n,))) for n in (1, 5, 67, 257)])
case("vdot", "f c", lambda c: [torch.vdot(c.x(1, (n,)), c.x(2, (n,))) for n in (1, 5, 67, 257)])
case("dot.large", "f c", lambda c: torch.dot(c.x(1, (LARGE,)), c.x(2, (LARGE,))), dtypes=("float32", "float64", "complex64", "complex128"), repeat=20, grad=False, layouts=("contiguous", "strided"))
case("matmul", "f c i", lambda c: (torch.matmul(c.x(1, (2, 1, 5, 7)), c.x(2, (3, 7, 4))), torch.matmul(c.x(1, (3, 5, 7)), c.x(2, (7,))), torch.matmul(c.x(1, (7,)), c.x(2, (3, 7, 4)))))
case("einsum", "f", lambda c: torch.einsum("bij,bjk->bki", [c.x(1, (2, 5, 7)), c.x(2, (2, 7, 4))]))
case("tensordot", "f", lambda c: torch.tensordot(c.x(1, (4, 5, 7)), c.x(2, (7, 4, 3)), dims=([0, 2], [1, 0])))
case("linear", "f", lambda c: F.linear(c.x(1, (5, 37)), c.x(2, (11, 37)), c.x(3, (11,))))
case("linear.vector", "f", lambda c: (F.linear(c.x(1, (1, 67)), c.x(2, (35, 67)), c.x(3, (35,))), F.linear(c.x(1, (67,)), c.x(2, (35, 67)))))
case("bilinear", "f", lambda c: F.bilinear(c.x(1, (3, 4)), c.x(2, (3, 5)), c.x(3, (6, 4, 5)), c.x(4, (6,))))
case("kron", "f", lambda c: torch.kron(c.x(1, (3, 4)), c.x(2, (2, 5))))
case("cross", "f i", lambda c: torch.cross(c.x(1, (9, 3)), c.x(2, (9, 3)), 1))
case("cdist", "f", lambda c: torch.cdist(c.x(1, (7, 5)), c.x(2, (9, 5)) + 9, p=2))
case("cdist.large", "f", lambda c: torch.cdist(c.x(1, (31, 5)), c.x(2, (29, 5)) + 9, p=2)[::5, ::3], grad=False)
case("matrix_power", "f", lambda c: torch.matrix_power(c.x(1, (5, 5), -1, 1), 3), layouts=("contiguous",))

group("convolutions")


def convolution(name, function, shape, weight, bias=None, step=1, **how):
    case(name, "f", lambda c: getattr(F, function)(c.x(1, shape), c.x(2, weight, -1, 1), None if bias is None else c.x(3, (bias,)), **how).reshape(-1)[::step],
         repeat=0 if step == 1 else 10, grad=step == 1)
    GROUPS[-1][1][-1].convolution = (function, shape, weight, bias, step, how)


convolution("conv1d", "conv1d", (2, 3, 17), (4, 3, 3), 4, padding=1)
convolution("conv1d.stride", "conv1d", (2, 4, 23), (6, 2, 5), None, stride=2, groups=2)
convolution("conv2d", "conv2d", (1, 3, 9, 11), (5, 3, 3, 3), 5, padding=1)
convolution("conv2d.1x1", "conv2d", (1, 7, 5, 9), (9, 7, 1, 1), 9)
convolution("conv2d.stride", "conv2d", (1, 4, 13, 11), (6, 4, 5, 3), 6, stride=(2, 3), padding=(2, 1))
convolution("conv2d.groups", "conv2d", (1, 6, 7, 7), (9, 2, 3, 3), 9, groups=3, padding=1)
convolution("conv2d.depthwise", "conv2d", (1, 8, 7, 11), (8, 1, 3, 3), 8, groups=8, padding=1)
convolution("conv2d.depthwise_stride", "conv2d", (1, 16, 12, 12), (16, 1, 3, 3), 16, groups=16, padding=1, stride=2)
convolution("conv2d.dilated", "conv2d", (1, 3, 13, 13), (4, 3, 3, 3), None, dilation=2, padding=2)
convolution("conv2d.large", "conv2d", (2, 8, 33, 35), (7, 8, 3, 3), 7, padding=1, step=61)
convolution("conv2d.one_channel", "conv2d", (1, 1, 9, 9), (1, 1, 3, 3), 1)
convolution("conv3d", "conv3d", (1, 3, 5, 6, 7), (4, 3, 3, 3, 3), 4, padding=1)
convolution("conv3d.groups", "conv3d", (1, 4, 5, 5, 5), (4, 2, 2, 2, 2), None, groups=2)
convolution("conv_transpose1d", "conv_transpose1d", (2, 3, 9), (3, 4, 3), 4, stride=2, padding=1)
convolution("conv_transpose2d", "conv_transpose2d", (1, 4, 5, 7), (4, 3, 3, 3), 3, stride=2, padding=1, output_padding=1)
convolution("conv_transpose2d.groups", "conv_transpose2d", (1, 4, 5, 5), (4, 2, 3, 3), 4, groups=2, dilation=2)
convolution("conv_transpose3d", "conv_transpose3d", (1, 2, 2, 3, 2), (2, 3, 2, 2, 2), 3, stride=2)
case("unfold", "f", lambda c: F.unfold(c.x(1, (1, 2, 5, 6)), (3, 2), padding=1))
case("fold", "f", lambda c: F.fold(c.x(1, (1, 8, 12)), (4, 5), (2, 2)))

group("algebra")
case("solve", "f c", lambda c: torch.linalg.solve(c.square(1, 9), c.x(2, (9, 3))) if has("linalg.solve") else torch.solve(c.x(2, (9, 3)), c.square(1, 9))[0])
case("solve.batch", "f", lambda c: torch.linalg.solve(c.square(1, 5, (3,)), c.x(2, (3, 5, 2))) if has("linalg.solve") else torch.solve(c.x(2, (3, 5, 2)), c.square(1, 5, (3,)))[0])
case("inverse", "f c", lambda c: torch.inverse(c.square(1, 9)))
case("det", "f c", lambda c: (torch.det(c.square(1, 5)), torch.det(c.square(2, 2))))
case("slogdet", "f", lambda c: torch.slogdet(c.square(1, 7))[1])
case("cholesky", "f", lambda c: find("linalg.cholesky", "cholesky")(c.spd(1, 7)), grad=False)
case("cholesky_solve", "f", lambda c: torch.cholesky_solve(c.x(2, (7, 2)), find("linalg.cholesky", "cholesky")(c.spd(1, 7))), grad=False)
case("eigh", "f", lambda c: torch.linalg.eigh(c.spd(1, 7))[0] if has("linalg.eigh") else torch.symeig(c.spd(1, 7), True)[0], grad=False)
case("eigh.properties", "f c", lambda c: eigh_back(c.spd(1, 9)), grad=False)
case("eigvals", "f", lambda c: (lambda a: a.sort()[0])(torch.linalg.eigvals(triangle(c)).real if has("linalg.eigvals") else torch.eig(triangle(c))[0][:, 0]), grad=False, layouts=("contiguous", "transposed"))
case("svd", "f", lambda c: torch.linalg.svdvals(c.x(1, (9, 6))) if has("linalg.svdvals") else torch.svd(c.x(1, (9, 6)))[1], grad=False)
case("svd.properties", "f c", lambda c: svd_back(c.x(1, (9, 6))), grad=False)
case("qr.properties", "f c", lambda c: qr_back(c.x(1, (9, 6))), grad=False)
case("triangular_solve", "f", lambda c: torch.linalg.solve_triangular(c.square(1, 7).triu(), c.x(2, (7, 3)), upper=True) if has("linalg.solve_triangular") else torch.triangular_solve(c.x(2, (7, 3)), c.square(1, 7))[0])
case("lstsq", "f", lambda c: torch.linalg.lstsq(c.x(1, (9, 4)), c.x(2, (9, 2)))[0] if has("linalg.lstsq") else torch.lstsq(c.x(2, (9, 2)), c.x(1, (9, 4)))[0][:4], grad=False)
case("pinverse", "f", lambda c: torch.pinverse(c.x(1, (9, 4))), grad=False)
case("lu_solve", "f", lambda c: torch.linalg.lu_solve(*(tuple(torch.linalg.lu_factor(c.square(1, 7))) + (c.x(2, (7, 3)),))) if has("linalg.lu_solve") else torch.lu_solve(c.x(2, (7, 3)), *torch.lu(c.square(1, 7))), grad=False)
# Of halves it is wrong on every machine: LinearAlgebra.cpp:2004 of 1.13.1 reads coefficients, doubles, as numbers of the operand's dtype.
case("matrix_exp", "f", lambda c: torch.matrix_exp(c.x(1, (5, 5), -0.5, 0.5)), grad=False, dtypes=("float32", "float64"))


def has(name):
    try:
        return find(name) is not None
    except AttributeError:
        return False


def triangle(c):
    """Eigenvalues of a triangular matrix are its diagonal."""
    return torch.triu(c.x(1, (6, 6), -1, 1)) + torch.diag(c.like([1., 2., 3., 4., 5., 6.])) * 4


def adjoint(tensor):
    return (tensor.conj() if tensor.dtype not in (torch.float32, torch.float64) else tensor).transpose(-1, -2)


def eigh_back(matrix):
    values, vectors = torch.linalg.eigh(matrix) if has("linalg.eigh") else torch.symeig(matrix, True)
    return torch.matmul(vectors * values.to(vectors.dtype), adjoint(vectors)), torch.matmul(adjoint(vectors), vectors)


def svd_back(matrix):
    if has("linalg.svd"):
        u, s, vh = torch.linalg.svd(matrix, full_matrices=False)
    else:
        u, s, v = torch.svd(matrix)
        vh = adjoint(v) if release(torch.__version__) >= (1, 8) else v.transpose(-1, -2)  # so the documentation of 1.7
    return torch.matmul(u * s.to(u.dtype), vh), torch.matmul(adjoint(u), u), torch.matmul(vh, adjoint(vh))


def qr_back(matrix):
    q, r = find("linalg.qr", "qr")(matrix)
    return torch.matmul(q, r), torch.matmul(adjoint(q), q), torch.tril(r, -1)


def parts(tensor):
    return torch.stack([tensor.real, tensor.imag], -1)


def distinct(c, shape):
    """Each value once: i * 37 mod n, in a prime number of values or what is coprime."""
    count = product(shape)
    step = next(each for each in range(37, 9999) if math.gcd(each, count) == 1)
    return c.make([i * step % count for i in range(count)], shape)


group("fourier")


def new_fft():
    """Whether torch.fft is a module, as from 1.8 on. Before it is a function of real and imaginary parts."""
    return hasattr(torch, "fft") and not callable(torch.fft)


case("fft", "f", lambda c: parts(torch.fft.fft(c.x(1, (3, 30)))) if new_fft() else torch.fft(torch.stack([c.x(1, (3, 30)), c.x(1, (3, 30)) * 0], -1), 1))
case("rfft", "f", lambda c: [parts(torch.fft.rfft(c.x(1, (3, n)))) if new_fft() else torch.rfft(c.x(1, (3, n)), 1) for n in (16, 15, 34, 1)])
case("irfft", "f", lambda c: torch.fft.irfft(torch.fft.rfft(c.x(1, (3, 18))), 18) if new_fft() else torch.irfft(torch.rfft(c.x(1, (3, 18)), 1), 1, signal_sizes=(18,)))
case("fft.complex", "c", lambda c: (torch.fft.fft(c.x(1, (3, 17))), torch.fft.ifft(c.x(1, (3, 12)))))
case("fft2", "f", lambda c: parts(torch.fft.fft2(c.x(1, (2, 6, 10)))) if new_fft() else torch.fft(torch.stack([c.x(1, (2, 6, 10)), c.x(1, (2, 6, 10)) * 0], -1), 2), grad=False)
case("rfftn.large", "f", lambda c: parts(torch.fft.rfftn(c.x(1, (31, 64)), dim=(-1,)))[::5, ::3], repeat=20, grad=False)
case("stft", "f", lambda c: parts(torch.stft(c.x(1, (2, 64)), 16, 8, window=c.x(2, (16,), 0.5, 1), center=False, return_complex=True)), grad=False, since=(1, 8))

group("sorting")
case("sort", "f i u", lambda c: (c.x(1, (3, 67)).sort(1)[0], c.x(1, (9, 5)).sort(0, descending=True)[0]))
case("sort.indices", "f i", lambda c: (distinct(c, (67,)).sort()[1], distinct(c, (67,)).argsort(descending=True)), grad=False)
case("sort.large", "f i", lambda c: c.x(1, (40009,)).sort()[0][::401], grad=False, repeat=3, layouts=("contiguous", "strided"))
case("topk", "f i", lambda c: (c.x(1, (3, 67)).topk(5, 1)[0], c.x(1, (3, 67)).topk(4, 1, largest=False)[0]))
case("kthvalue", "f i", lambda c: c.x(1, (3, 67)).kthvalue(10, 1)[0])
case("unique", "f i u", lambda c: torch.unique(c.x(1, (67,)), sorted=True, return_inverse=True), grad=False)
case("unique.dim", "i", lambda c: torch.unique(c.x(1, (17, 2), 0, 1), dim=0))
case("unique_consecutive", "i", lambda c: torch.unique_consecutive(c.x(1, (67,), 0, 0.5)))
case("bincount", "-", lambda c: (torch.bincount(c.i(numbers(1, 67, 0, 9))), torch.bincount(c.i(numbers(1, 67, 0, 9)), c.x(2, (67,), 0, 1).double())))
case("histc", "f", lambda c: torch.histc(c.x(1, (67,)), 8, -4, 4), grad=False, dtypes=("float32", "float64"))
case("searchsorted", "f i", lambda c: (torch.searchsorted(c.like([-9, -3, 0, 2, 3, 8]), c.x(1, (5, 13))), torch.bucketize(c.x(1, (5, 13)), c.like([-9, -3, 0, 2, 3, 8]), right=True)), grad=False)
case("msort", "f", lambda c: torch.msort(c.x(1, (9, 5))), grad=False)

group("indexing")
PICK = numbers(77, 13, 0, 8)
case("index_select", "f c i u b", lambda c: (c.x(1, (9, 5)).index_select(0, c.i(PICK)), c.x(1, (5, 9)).index_select(1, c.i(PICK))))
case("gather", "f c i u", lambda c: c.x(1, (9, 5)).gather(0, c.i(numbers(5, 20, 0, 8), (4, 5))))
case("scatter", "f i", lambda c: c.x(1, (9, 5)).scatter(0, c.i([(i * 7 + j) % 9 for i in range(4) for j in range(5)], (4, 5)), c.x(2, (4, 5))))
case("scatter_add", "f i", lambda c: c.x(1, (9, 5)).scatter_add(0, c.i(numbers(5, 65, 0, 8), (13, 5)), c.x(2, (13, 5))))
case("scatter_add.large", "f", lambda c: c.x(1, (9, 5)).scatter_add(0, c.i([i % 9 for i in range(40005)], (8001, 5)), c.x(2, (8001, 5), 0, 1)), grad=False, dtypes=("float32", "float64"), repeat=20)
case("scatter_reduce", "f", lambda c: c.x(1, (9, 5)).scatter_reduce(0, c.i(numbers(5, 65, 0, 8), (13, 5)), c.x(2, (13, 5)), reduce="amax"), since=(1, 13), grad=False)
case("index_add", "f i", lambda c: c.x(1, (9, 5)).index_add(0, c.i(PICK), c.x(2, (13, 5))))
case("index_add.vector", "f i", lambda c: c.x(1, (9,)).index_add(0, c.i(PICK), c.x(2, (13,))))
case("index_copy", "f i", lambda c: c.x(1, (9, 5)).index_copy(0, c.i([3, 0, 7]), c.x(2, (3, 5))))
case("index_fill", "f i", lambda c: c.x(1, (9, 5)).index_fill(0, c.i([3, 0, 7]), 2))
case("index_put", "f i", lambda c: c.x(1, (9, 5)).index_put((c.i([1, 4, 1, 8]), c.i([0, 2, 0, 4])), c.x(2, (4,)), accumulate=True))
case("index", "f c i u", lambda c: (c.x(1, (9, 5))[c.i([1, 4, 1, 8]), c.i([0, 2, 0, 4])], c.x(1, (9, 5, 3))[:, c.i([4, 0])], c.x(1, (9, 5))[1::3, ::2]))
case("index.large", "f", lambda c: c.x(1, (4001, 9))[c.i([i * 7 % 4001 for i in range(8003)])][::251], grad=False, repeat=20)
case("masked_select", "f i", lambda c: c.x(1, (9, 7)).masked_select(c.x(2, (9, 7)) > 0))
case("masked_fill", "f i u", lambda c: c.x(1, (9, 7)).masked_fill(c.x(2, (7,)) > 1, 3))
case("masked_scatter", "f i", lambda c: c.x(1, (9, 7)).masked_scatter(c.x(2, (9, 7)) > 0, c.x(3, (63,))), grad=False)
case("take", "f i", lambda c: torch.take(c.x(1, (9, 7)), c.i(numbers(5, 20, 0, 62), (4, 5))))
case("nonzero", "f i b", lambda c: c.x(1, (9, 7), -0.5, 0.5).nonzero(), grad=False)
case("roll", "f i", lambda c: (torch.roll(c.x(1, (5, 7)), (2, -3), (0, 1)), torch.flip(c.x(1, (5, 7)), (0, 1))))
case("cat", "f c i u b", lambda c: (torch.cat([c.x(1, (3, 5)), c.x(2, (2, 5)), c.x(3, (0, 5))], 0), torch.cat([c.x(1, (5, 3)), c.x(2, (5, 67))], 1)))
case("stack", "f i", lambda c: torch.stack([c.x(1, (3, 5)), c.x(2, (3, 5))], 1))
case("tril", "f i", lambda c: (torch.tril(c.x(1, (7, 5)), 1), torch.triu(c.x(1, (5, 7)), -1), torch.diag(c.x(2, (5,)), 1)))
case("repeat_interleave", "f i", lambda c: torch.repeat_interleave(c.x(1, (5, 3)), c.i([1, 0, 3, 2, 1]), 0))
case("one_hot", "-", lambda c: F.one_hot(c.i(PICK), 9))
case("permute", "f c i u", lambda c: (c.x(1, (5, 7, 3)).permute(2, 0, 1).contiguous(), c.x(1, (67, 33)).t().contiguous()[::5, ::3]))
case("copy.transposed", "f i", lambda c: torch.zeros(301, 203, dtype=c.dtype).copy_(c.x(1, (203, 301)).t())[::11, ::7], grad=False, repeat=20)
case("arange", "f i", lambda c: (torch.arange(3, 70, dtype=c.dtype), torch.arange(0, 5, 1 if c.kind == "i" else 0.25, dtype=c.dtype)), grad=False)
case("linspace", "f", lambda c: torch.linspace(-2, 3, 41, dtype=c.dtype), grad=False)
case("logspace", "f", lambda c: torch.logspace(-1, 2, 13, dtype=c.dtype), grad=False)
case("meshgrid", "f i", lambda c: torch.meshgrid(c.x(1, (3,)), c.x(2, (5,))))

group("embedding")
BAG, STARTS = numbers(3, 60, 0, 10), [0, 3, 3, 17, 40, 59]
case("embedding", "f", lambda c: F.embedding(c.i(BAG[:12], (3, 4)), c.x(1, (11, 35))))
for _mode in ("sum", "mean", "max"):
    for _width in (3, 64):
        case("embedding_bag.%s_%d" % (_mode, _width), "f", lambda c, _mode=_mode, _width=_width: F.embedding_bag(c.i(BAG), c.x(1, (11, _width)), c.i(STARTS), mode=_mode))
case("embedding_bag.weights", "f", lambda c: F.embedding_bag(c.i(BAG), c.x(1, (11, 33)), c.i(STARTS), mode="sum", per_sample_weights=c.x(2, (60,))))
# The system has to interrupt one thread while another one converts: so many bags on a fast machine, fewer on a slow one. The values repeat after 11 bags.
def many_bags(bags, weighted):
    def run(c):
        weights = c.like([0.5, 2., -1., 0.25]).repeat(bags) if weighted else None
        return F.embedding_bag(c.i([at * 5 % 11 for at in range(11)]).repeat(bags)[:4 * bags], c.x(1, (11, 64)), torch.arange(0, 4 * bags, 4), mode="sum",
                               per_sample_weights=weights).reshape(-1)
    return run


for _name, _bags in (("large", 32768), ("medium", 4096)):
    for _weighted in (False, True):
        case("embedding_bag.%s%s" % (_name, "_weights" if _weighted else ""), "f", many_bags(_bags, _weighted), grad=False, repeat=20, layouts=("contiguous",),
             periodic=True, crowded=True, dtypes=("float16", "float32"))


def packed_rows(bits, rows=9, columns=16):
    """Returns quantised rows as bytes: numbers of 8 or 4 bits, then scale and bias, floats or halves."""
    values, data = numbers(bits, rows * columns, 0, (1 << bits) - 1), []
    for row in range(rows):
        line = values[row * columns:(row + 1) * columns]
        data += line if bits == 8 else [line[i] | line[i + 1] << 4 for i in range(0, columns, 2)]
        scale_bias = (0.0625 * (1 + row % 5), -1.5 + row)
        # struct has had halves since 3.6
        data += list(struct.pack("<ff" if bits == 8 else "<ee", *scale_bias))
    return data


def rowwise(bits):
    rows = torch.tensor(packed_rows(bits), dtype=torch.uint8).reshape(9, -1)
    function = getattr(torch.ops.quantized, "embedding_bag_%s_rowwise_offsets" % ("byte" if bits == 8 else "4bit"))
    return function(rows, torch.tensor([each % 9 for each in BAG]), torch.tensor(STARTS))


def prepack(dtype):
    """The packed bytes hold scale and least value of each row, and its numbers to half a step."""
    for rows, columns in ((7, 5), (1, 3), (300, 64), (40, 1024)):
        weight = Tensors("f", dtype).x(1, (rows, columns))
        packed = torch.ops.quantized.embedding_bag_byte_prepack(weight).tolist()
        for row, (given, line) in enumerate(zip(weight.double().tolist(), packed)):
            low, width = min(given), max(given) - min(given)
            scale, bias = struct.unpack("<ff", bytes(bytearray(line[columns:])))
            check(abs(scale - width / 255) <= 1e-6 * (1 + width) and bias == low, "row %d of %dx%d: scale %s and bias %s, expected %s and %s", row, rows, columns, scale, bias, width / 255, low)
            for at in range(columns) if rows < 10 else range(0, columns, 17):
                check(abs(line[at] * scale + bias - given[at]) <= 0.51 * scale, "row %d, column %d of %dx%d: %s, expected %s", row, at, rows, columns, line[at] * scale + bias, given[at])


def check(right, text, *values):
    if not right:
        raise AssertionError(text % values)


case("embedding_bag_byte_rowwise_offsets", "-", lambda c: rowwise(8))
case("embedding_bag_4bit_rowwise_offsets", "-", lambda c: rowwise(4))
case("embedding_bag_byte_prepack", "-", lambda c: prepack("float32"), own=True)
case("embedding_bag_byte_prepack.half", "-", lambda c: prepack("float16"), own=True, since=(1, 8))

group("network")
case("softmax", "f", lambda c: (F.softmax(c.x(1, (3, 67)), 1), F.softmax(c.x(1, (2, 6, 7)), 1), F.softmax(c.x(1, (5, 7)), 0)))
case("log_softmax", "f", lambda c: (F.log_softmax(c.x(1, (3, 67)), 1), F.log_softmax(c.x(1, (2, 6, 7)), 1), F.log_softmax(c.x(1, (5, 7)), 0)))
case("softmax.large", "f", lambda c: F.softmax(c.x(1, (251, 401)), 1)[::31, ::17], grad=False, repeat=20)
case("normalize", "f", lambda c: F.normalize(c.x(1, (5, 17)), dim=1))
case("batch_norm", "f", lambda c: F.batch_norm(c.x(1, (4, 3, 5, 5)), None, None, c.x(2, (3,)), c.x(3, (3,)), True))
case("batch_norm.eval", "f", lambda c: F.batch_norm(c.x(1, (4, 3, 5, 5)), c.k(4, (3,)), c.k(5, (3,), 0.5, 2), c.x(2, (3,)), c.x(3, (3,)), False))
case("batch_norm.statistics", "f", lambda c: running_statistics(c), grad=False)
case("layer_norm", "f", lambda c: (F.layer_norm(c.x(1, (5, 67)), (67,), c.x(2, (67,)), c.x(3, (67,))), F.layer_norm(c.x(1, (3, 4, 5)), (4, 5))))
case("layer_norm.large", "f", lambda c: F.layer_norm(c.x(1, (257, 301)), (301,))[::31, ::17], grad=False, repeat=20)
case("group_norm", "f", lambda c: F.group_norm(c.x(1, (2, 6, 5, 3)), 3, c.x(2, (6,)), c.x(3, (6,))))
case("instance_norm", "f", lambda c: F.instance_norm(c.x(1, (2, 3, 5, 7))))
case("local_response_norm", "f", lambda c: F.local_response_norm(c.x(1, (2, 6, 5)), 3, alpha=0.5))
case("max_pool1d", "f", lambda c: F.max_pool1d(c.x(1, (2, 3, 17)), 3, 2, 1))
case("max_pool2d", "f", lambda c: (F.max_pool2d(c.x(1, (2, 3, 9, 11)), 3, 2, 1), F.max_pool2d(c.x(1, (1, 2, 9, 9)), 2, dilation=2)))
case("max_pool3d", "f", lambda c: F.max_pool3d(c.x(1, (1, 2, 5, 6, 7)), 2))
case("avg_pool1d", "f", lambda c: F.avg_pool1d(c.x(1, (2, 3, 17)), 3, 2, 1))
case("avg_pool2d", "f", lambda c: (F.avg_pool2d(c.x(1, (2, 3, 9, 11)), 3, 2, 1), F.avg_pool2d(c.x(1, (2, 3, 9, 11)), 2, 2, 1, count_include_pad=False)))
case("avg_pool3d", "f", lambda c: F.avg_pool3d(c.x(1, (1, 2, 5, 6, 7)), 2))
case("adaptive_avg_pool2d", "f", lambda c: F.adaptive_avg_pool2d(c.x(1, (2, 3, 9, 11)), (4, 3)))
case("adaptive_max_pool2d", "f", lambda c: F.adaptive_max_pool2d(c.x(1, (2, 3, 9, 11)), (4, 3)))
case("lp_pool", "f", lambda c: F.lp_pool1d(c.x(1, (2, 3, 17), 0.25, 3), 2, 3))
case("max_pool2d.large", "f", lambda c: F.max_pool2d(c.x(1, (4, 5, 65, 67)), 3, 2, 1)[:, :, ::7, ::5], grad=False, repeat=20)
case("interpolate.nearest", "f", lambda c: F.interpolate(c.x(1, (2, 3, 5, 7)), size=(9, 4), mode="nearest"))
case("interpolate.linear", "f", lambda c: F.interpolate(c.x(1, (2, 3, 7)), size=12, mode="linear", align_corners=False))
case("interpolate.bilinear", "f", lambda c: (F.interpolate(c.x(1, (2, 3, 5, 7)), size=(9, 4), mode="bilinear", align_corners=False), F.interpolate(c.x(1, (2, 3, 5, 7)), size=(9, 4), mode="bilinear", align_corners=True)))
case("interpolate.trilinear", "f", lambda c: F.interpolate(c.x(1, (1, 2, 3, 4, 3)), size=(5, 3, 4), mode="trilinear", align_corners=False))
case("interpolate.bicubic", "f", lambda c: F.interpolate(c.x(1, (1, 2, 5, 7)), size=(8, 9), mode="bicubic", align_corners=False))
for _mode in ("bilinear", "nearest", "bicubic"):
    for _padding in ("zeros", "border", "reflection"):
        case("grid_sample.%s_%s" % (_mode, _padding), "f", lambda c, _m=_mode, _p=_padding: F.grid_sample(c.x(1, (2, 3, 6, 7)), grid_of(c), mode=_m, padding_mode=_p, align_corners=True), grad=_mode == "bilinear")
case("affine_grid", "f", lambda c: F.affine_grid(c.x(1, (2, 2, 3)), (2, 3, 4, 5), align_corners=False))
case("pixel_shuffle", "f", lambda c: F.pixel_shuffle(c.x(1, (2, 8, 3, 4)), 2))
for _mode in ("constant", "reflect", "replicate", "circular"):
    case("pad." + _mode, "f", lambda c, _m=_mode: F.pad(c.x(1, (2, 3, 5, 7)), (2, 1, 1, 2), mode=_m))
case("scaled_dot_product_attention", "f", lambda c: F.scaled_dot_product_attention(c.x(1, (2, 3, 5, 8), -1, 1), c.x(2, (2, 3, 7, 8), -1, 1), c.x(3, (2, 3, 7, 8))))
case("multi_head_attention", "f", lambda c: attention(c), layouts=("contiguous",), grad=False)
case("cosine_similarity", "f", lambda c: F.cosine_similarity(c.x(1, (5, 17)), c.x(2, (5, 17)), 1))
case("pairwise_distance", "f", lambda c: F.pairwise_distance(c.x(1, (5, 17)), c.x(2, (5, 17)) + 9))
case("lstm", "f", lambda c: recurrent(c, "LSTM", 4), layouts=("contiguous",), grad=False)
case("gru", "f", lambda c: recurrent(c, "GRU", 3), layouts=("contiguous",), grad=False)
case("rnn", "f", lambda c: recurrent(c, "RNN", 1), layouts=("contiguous",), grad=False)
case("sgd", "f", lambda c: train(c, "SGD", lr=0.125, momentum=0.5, weight_decay=0.0625), grad=False, layouts=("contiguous",))
case("adam", "f", lambda c: train(c, "Adam", lr=0.125), grad=False, layouts=("contiguous",), dtypes=("float32", "float64"))


def running_statistics(c):
    mean, variance = c.x(4, (3,)).clone(), c.x(5, (3,), 0.5, 2).clone()
    F.batch_norm(c.x(1, (4, 3, 5, 5)), mean, variance, None, None, True, 0.25)
    return mean, variance


def grid_of(c):
    grid = c.x(2, (2, 5, 5, 2), -1.25, 1.25)
    return grid + 0.03125 if c.leaves is None else grid


def filled(module, c, low=-0.5, high=0.5):
    with torch.no_grad():
        for at, (_, each) in enumerate(sorted(module.named_parameters())):
            each.copy_(c.x(20 + at, tuple(each.shape), low, high))
    return module


def recurrent(c, kind, gates):
    module = filled(getattr(torch.nn, kind)(5, 6).to(c.dtype), c)
    with torch.no_grad():
        return module(c.x(1, (4, 3, 5), -1, 1))[0]


def attention(c):
    module = filled(torch.nn.MultiheadAttention(8, 2).to(c.dtype), c)
    x = c.x(1, (5, 2, 8), -1, 1)
    with torch.no_grad():
        return list(module(x, x, x))


def train(c, optimizer, **how):
    """Five steps on sum(w ** 2 * a)."""
    weight = c.x(1, (17,)).detach().clone().requires_grad_()
    factor, optimizer = c.k(2, (17,), 0.25, 1), getattr(torch.optim, optimizer)([weight], **how)
    for _ in range(5):
        optimizer.zero_grad()
        (weight * weight * factor).sum().backward()
        optimizer.step()
    return weight.detach()


group("losses")
CLASSES = numbers(9, 7, 0, 4)
for _name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
    case(_name, "f", lambda c, _n=_name: (getattr(F, _n)(c.x(1, (7, 5)), c.k(2, (7, 5))), getattr(F, _n)(c.x(1, (7, 5)), c.k(2, (7, 5)), reduction="none")))
case("cross_entropy", "f", lambda c: F.cross_entropy(c.x(1, (7, 5)), c.i(CLASSES)))
case("nll_loss", "f", lambda c: (F.nll_loss(c.x(1, (7, 5)), c.i(CLASSES), weight=c.k(3, (5,), 0.5, 1)), F.nll_loss(c.x(1, (2, 5, 3, 3)), c.i(numbers(8, 18, 0, 4), (2, 3, 3)), ignore_index=2)))
case("binary_cross_entropy", "f", lambda c: F.binary_cross_entropy(c.x(1, (7, 5), 0.0625, 0.875), c.k(2, (7, 5), 0, 1)))
case("binary_cross_entropy_with_logits", "f", lambda c: F.binary_cross_entropy_with_logits(c.x(1, (7, 5)), c.k(2, (7, 5), 0, 1)))
case("kl_div", "f", lambda c: F.kl_div(c.x(1, (7, 5)), c.k(2, (7, 5), 0.0625, 1), reduction="sum"))
case("poisson_nll_loss", "f", lambda c: F.poisson_nll_loss(c.x(1, (7, 5)), c.k(2, (7, 5), 0, 4)))
case("hinge_embedding_loss", "f", lambda c: F.hinge_embedding_loss(c.x(1, (7,)), c.like([1., -1., 1., -1., -1., 1., 1.])))
case("soft_margin_loss", "f", lambda c: F.soft_margin_loss(c.x(1, (7,)), c.like([1., -1., 1., -1., -1., 1., 1.])))
case("margin_ranking_loss", "f", lambda c: F.margin_ranking_loss(c.x(1, (7,)), c.x(2, (7,)), c.like([1., -1., 1., -1., -1., 1., 1.]), margin=0.5))
case("triplet_margin_loss", "f", lambda c: F.triplet_margin_loss(c.x(1, (7, 5)), c.x(2, (7, 5)), c.x(3, (7, 5)), margin=4.0))
case("cosine_embedding_loss", "f", lambda c: F.cosine_embedding_loss(c.x(1, (7, 5)), c.x(2, (7, 5)), c.like([1., -1., 1., -1., -1., 1., 1.])))
case("multi_margin_loss", "f", lambda c: F.multi_margin_loss(c.x(1, (7, 5)), c.i(CLASSES)))
case("ctc_loss", "f", lambda c: F.ctc_loss(F.log_softmax(c.x(1, (6, 2, 4)), 2), c.i([1, 2, 1, 3, 3, 1], (2, 3)), c.i([6, 5]), c.i([3, 2]), reduction="none"), dtypes=("float32", "float64"))

group("quantised")


def quantised(seed, shape, scale=0.0625, zero=128, kind="quint8"):
    return torch.quantize_per_tensor(Tensors("f", "float32").x(seed, shape), scale, zero, getattr(torch, kind))


def channels():
    return torch.quantize_per_channel(Tensors("f", "float32").x(2, (5, 7), -1, 1), torch.tensor([0.0625, 0.03125, 0.125, 0.25, 0.0625]).double(), torch.tensor([0, 1, -3, 5, 0]), 0, torch.qint8)


def quantised_layer(kind, engine):
    """Integers in, a result on the grid of the output: compared to one step of it, since a tie may be rounded either way."""
    if engine not in torch.backends.quantized.supported_engines:
        raise NotImplementedError("the engine %s is not available" % engine)
    torch.backends.quantized.engine = engine
    weights, bias = Tensors("f", "float32").x(2, (6, 8) if kind == "linear" else (6, 8, 3, 3), -1, 1), Tensors("f", "float32").x(3, (6,), -1, 1)
    weights = torch.quantize_per_tensor(weights, 0.0625, 0, torch.qint8)
    if kind == "linear":
        return torch.ops.quantized.linear(quantised(1, (5, 8)), torch.ops.quantized.linear_prepack(weights, bias), 0.25, 100).dequantize()
    how = ([1, 1], [1, 1], [1, 1], 1)
    return torch.ops.quantized.conv2d(quantised(1, (1, 8, 5, 6)), torch.ops.quantized.conv2d_prepack(weights, bias, *how), 0.5, 100).dequantize()


case("quantize_per_tensor", "-", lambda c: [f(quantised(1, (67,), 0.0725, 100, kind)) for kind in ("quint8", "qint8", "qint32") for f in (lambda q: q.int_repr(), lambda q: q.dequantize())] if hasattr(torch, "qint8") else find("qint8"))
case("quantize_per_channel", "-", lambda c: (channels().int_repr(), channels().dequantize()))
case("quantized.add", "-", lambda c: (torch.ops.quantized.add(quantised(1, (67,)), quantised(2, (67,)), 0.125, 100).int_repr(), torch.ops.quantized.add_relu(quantised(1, (67,)), quantised(2, (67,)), 0.125, 100).int_repr()))
case("quantized.mul", "-", lambda c: torch.ops.quantized.mul(quantised(1, (67,)), quantised(2, (67,)), 0.25, 100).int_repr())
case("quantized.relu", "-", lambda c: F.relu(quantised(1, (67,))).int_repr())
case("quantized.max_pool2d", "-", lambda c: F.max_pool2d(quantised(1, (1, 3, 9, 9)), 3, 2, 1).int_repr())
case("quantized.avg_pool2d", "-", lambda c: F.adaptive_avg_pool2d(quantised(1, (1, 3, 8, 8)), (2, 2)).dequantize())
case("quantized.cat", "-", lambda c: torch.cat([quantised(1, (3, 5)), quantised(2, (2, 5))]).int_repr())
case("fake_quantize", "-", lambda c: torch.fake_quantize_per_tensor_affine(c.x(1, (67,)), 0.0725, 3, -20, 30))
for _engine in ("qnnpack", "fbgemm", "onednn", "x86"):
    for _kind in ("linear", "conv2d"):
        case("quantized.%s.%s" % (_kind, _engine), "-", lambda c, _k=_kind, _e=_engine: quantised_layer(_k, _e), layouts=("contiguous",))

group("random")


def seeded(function):
    def run(c):
        torch.manual_seed(12345)
        return function(c)
    return run


def statistics(draw, mean, deviation, count=40000):
    """Mean and deviation to six standard errors, and the same numbers for the same seed."""
    def run(c):
        torch.manual_seed(7)
        first = draw(count).double()
        torch.manual_seed(7)
        check(bool((first == draw(count).double()).all()), "the same seed gives other numbers")
        values = first.tolist()
        average = sum(values) / count
        spread = math.sqrt(sum((each - average) ** 2 for each in values) / count)
        check(abs(average - mean) <= 6 * deviation / math.sqrt(count), "the mean is %s, expected %s", average, mean)
        check(abs(spread - deviation) <= 20 * deviation / math.sqrt(count), "the deviation is %s, expected %s", spread, deviation)
    return run


case("random_", "-", seeded(lambda c: torch.empty(50, dtype=torch.int64).random_(0, 1000)))
case("randint", "-", seeded(lambda c: torch.randint(-7, 90, (50,))))
case("rand", "-", seeded(lambda c: (torch.rand(50), torch.rand(20, dtype=torch.float64))))
case("randperm", "-", seeded(lambda c: torch.randperm(50)))
case("rand.statistics", "-", statistics(lambda n: torch.rand(n), 0.5, 12 ** -0.5), own=True)
case("randn", "-", statistics(lambda n: torch.randn(n), 0, 1), own=True)
case("randn.double", "-", statistics(lambda n: torch.randn(n, dtype=torch.float64), 0, 1), own=True)
case("bernoulli", "-", statistics(lambda n: torch.empty(n).bernoulli_(0.25), 0.25, math.sqrt(3) / 4), own=True)
case("exponential_", "-", statistics(lambda n: torch.empty(n).exponential_(2.0), 0.5, 0.5), own=True)
case("poisson", "-", statistics(lambda n: torch.poisson(torch.ones(n) * 3), 3, math.sqrt(3)), own=True)
case("multinomial", "-", statistics(lambda n: torch.multinomial(torch.tensor([1., 2., 1.]), n, True), 1, math.sqrt(0.5)), own=True)
case("dropout", "-", statistics(lambda n: F.dropout(torch.ones(n), 0.5), 1, 1), own=True)
case("gamma", "-", statistics(lambda n: torch.distributions.Gamma(torch.tensor(3.), torch.tensor(1.)).sample((n // 8,)).repeat(8), 3, math.sqrt(3) * 1.0), own=True)

group("script")
SCRIPTS = '''
def collatz(n: int) -> int:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
def mixed(x, y):
    total = torch.zeros_like(x)
    for i in range(3):
        if i == 1:
            total = total + torch.tanh(x * y) * float(i)
        else:
            total = total - x / (1 + y * y)
    return total
'''


def scripted(name):
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:  # torch.jit.script reads the source
        file.write("import torch\n" + SCRIPTS)
    try:
        names = {"torch": torch, "__name__": "numerics_scripts"}
        exec(compile("import torch\n" + SCRIPTS, file.name, "exec"), names)
        return torch.jit.script(names[name])
    finally:
        import linecache
        linecache.clearcache()
        os.unlink(file.name)


def traced(c):
    model = filled(torch.nn.Sequential(torch.nn.Linear(7, 5), torch.nn.Tanh(), torch.nn.Linear(5, 3)), c)
    x = c.x(1, (4, 7))
    module = torch.jit.trace(model, x)
    data = io.BytesIO()
    torch.jit.save(module, data)
    module(x), module(x)  # the second call is optimised
    return module(x), torch.jit.load(io.BytesIO(data.getvalue()))(x)


case("jit.collatz", "-", lambda c: torch.tensor([scripted("collatz")(n) for n in (1, 27, 97)]))
case("jit.mixed", "f", lambda c: [f(c.b(1), c.b(2)) for f in [scripted("mixed")] * 3][-1], block=True, layouts=("contiguous",), dtypes=("float32", "float64"))
case("jit.trace", "-", traced)

group("files")


def loaded(data):
    # Since 2.6 weights_only is the default, which tensors pass.
    result = torch.load(io.BytesIO(data))
    return [result[name] for name in sorted(result)]


def saved(c):
    tensors = {"a": c.x(1, (5, 7)), "b": c.x(2, (3,)).to(torch.float64), "c": c.i([1, -2, 3]), "d": c.x(1, (5, 7))[1:4, ::2], "e": c.x(1, (3,)).half()}
    data = io.BytesIO()
    torch.save(tensors, data)
    return loaded(data.getvalue())


case("save", "-", saved)
case("load.zip", "-", lambda c: loaded(base64.b64decode(EXPECTED.files["zip"])), layouts=("contiguous",), since=(1, 4))
case("load.legacy", "-", lambda c: loaded(base64.b64decode(EXPECTED.files["legacy"])), layouts=("contiguous",))

group("distributed")


def two_processes(run):
    """Runs run(rank) in two processes over gloo; returns what process 0 returns, a tensor or several."""
    def start(c):
        if not has("distributed.init_process_group") or not torch.distributed.is_available():
            raise NotImplementedError("torch.distributed is not available")
        if hasattr(torch.distributed, "is_gloo_available") and not torch.distributed.is_gloo_available():
            raise NotImplementedError("gloo is not available")
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        directory = tempfile.mkdtemp()
        child = os.fork()
        status = 1
        try:
            torch.distributed.init_process_group("gloo", init_method="file://%s/store" % directory, rank=1 if child == 0 else 0, world_size=2)
            result = run(1 if child == 0 else 0)
            torch.distributed.barrier()
            status = 0
        except Exception:
            if child:
                os.kill(child, signal.SIGKILL)
                raise
        finally:
            if child == 0:
                os._exit(status)
            ended = os.waitpid(child, 0)[1]
            if torch.distributed.is_initialized():
                torch.distributed.destroy_process_group()
            for name in os.listdir(directory):
                os.unlink(os.path.join(directory, name))
            os.rmdir(directory)
        check(ended == 0, "the second process ended with status %s", ended)
        return result
    return start


def in_place(function, tensor, *arguments):
    getattr(torch.distributed, function)(tensor, *arguments)
    return tensor


def gathered(rank):
    parts = [torch.zeros(67) for _ in range(2)]
    torch.distributed.all_gather(parts, Tensors("f", "float32").x(1 + rank, (67,)))
    return torch.cat(parts)


for _dtype in ("float32", "float64", "float16", "int64", "uint8"):
    case("all_reduce." + _dtype, "-", two_processes(lambda rank, _d=_dtype: in_place("all_reduce", Tensors("f" if "float" in _d else "i", _d).x(1 + rank, (203,), 0, 4))), layouts=("contiguous",))
case("broadcast", "-", two_processes(lambda rank: in_place("broadcast", Tensors("f", "float32").x(1 + rank, (67,)), 1)), layouts=("contiguous",))
case("all_gather", "-", two_processes(gathered), layouts=("contiguous",))

# --------------------------------------------------------------------------------------------------------------- expected values


class Expected(object):
    """numerics.txt: values of a case by kind, known issues, files that another machine wrote."""

    def __init__(self, path):
        self.cases, self.files, self.issues = {}, {}, []
        with open(path) as file:
            for line in file:
                words = line.split()
                if line.startswith("case "):
                    name, kind, relative, absolute, shape = words[1:6]
                    values = [read_number(each) for each in words[6:]]
                    shape = tuple(int(each) for each in shape.split("x") if each)
                    self.cases.setdefault(name, {}).setdefault(kind, []).append((float(relative), float(absolute), shape, values))
                elif line.startswith("file "):
                    self.files[words[1]] = words[2]
                elif line.startswith("issue "):
                    self.issues.append(words[1:7])

    def issue(self, name, dtype, version, machine):
        """Returns the known issue of a case, or nothing."""
        for issue, names, dtypes, first, end, machines in self.issues:
            if ((name in names.split(",") or name.split(".")[0] in names.split(",")) and (dtypes == "*" or dtype in dtypes.split(","))
                    and release(first) <= version < release(end) and (machines == "*" or machine in machines.split(","))):
                return issue
        return None


EXPECTED = None


def read_number(text):
    return complex(text) if text.endswith("j") else int(text) if text.lstrip("-").isdigit() else float(text)


def release(text):
    """Returns the numbers that a version starts with."""
    numbers_ = []
    for part in text.split("+")[0].split(".")[:3]:
        digits = "".join(each for each in part if each.isdigit()) if not part[:1].isdigit() else part[:len(part) - len(part.lstrip("0123456789"))]
        numbers_.append(int(digits or 0))
    return tuple(numbers_ + [0] * (3 - len(numbers_)))


# ------------------------------------------------------------------------------------------------------------------- comparing


class Wrong(Exception):
    """A result that is not the expected one: what() is for the report."""

    def __init__(self, text, **facts):
        Exception.__init__(self, text)
        self.facts = facts


def flatten(result):
    return [each for each in result] if isinstance(result, (list, tuple)) else [result]


def dtype_name(tensor):
    return str(tensor.dtype)[6:]


def plain(tensor):
    """The numbers of a tensor, floats in double precision."""
    tensor = tensor.detach().reshape(-1)
    if tensor.dtype.is_floating_point:
        tensor = tensor.double()
    elif dtype_name(tensor) in INTEGERS:
        tensor = tensor.long()
    return tensor.tolist()


def tolerance(name, want, relative, absolute):
    return EPS[name] * (relative * abs(want) + absolute) + TINY.get(name, 0.0)


def differs(got, want, name, relative, absolute):
    """Whether a number is not the expected one in this dtype."""
    if got == want and name != "bool":
        return False
    if name in INTEGERS:
        bits, signed = INTEGERS[name]
        want = int(want) & ((1 << bits) - 1)
        return got != (want - (1 << bits) if signed and want >> (bits - 1) else want)
    if name == "bool":
        return bool(got) != bool(want)
    if isinstance(got, complex):
        want = complex(want)
        if math.isinf(abs(want)) or abs(want) != abs(want):
            return any(differs(g, w, "float64", 0, 0) for g, w in ((got.real, want.real), (got.imag, want.imag)))
        return not abs(got - want) <= tolerance(name, want, relative, absolute)
    if want != want or got != got:
        return want == want or got == got
    if abs(want) > LARGEST.get(name, float("inf")) * (1 - EPS[name]):
        return not (got == want or (got > 0) == (want > 0) and abs(got) >= LARGEST[name] * (1 - EPS[name]))
    if math.isinf(want):
        return got != want
    return not abs(got - want) <= tolerance(name, want, relative, absolute)


def coarser(name, tensor):
    """The dtype by which a result is judged: that of the operands if the result has more digits than they."""
    result = dtype_name(tensor)
    return name if name in EPS and result in EPS and EPS[name] > EPS[result] and (name[0] == "c") == (result[0] == "c") else result


def place(at, shape):
    """The index of an element, by its number."""
    index = []
    for size in reversed(tuple(shape)):
        index.insert(0, at % size)
        at //= size
    return "[%s]" % ", ".join(str(each) for each in index)


def compare(tensor, expected, dtype, block):
    """Raises Wrong for the worst element of a result."""
    relative, absolute, shape, wants = expected
    if not isinstance(tensor, torch.Tensor):
        raise Wrong("%s is not a tensor" % type(tensor))
    if not block and tuple(tensor.shape) != shape:
        raise Wrong("the shape is %s, expected %s" % (tuple(tensor.shape), shape))
    name, count, period = coarser(dtype, tensor), tensor.numel(), max(len(wants), 1)
    positions = range(count) if count <= 6000 else list(range(2 * period)) + list(range(count - 2 * period, count))
    flat = tensor.detach().reshape(-1)
    gots = plain(flat) if count <= 6000 else plain(flat[:2 * period]) + plain(flat[count - 2 * period:])
    worst = None
    for at, got in zip(positions, gots):
        want = wants[at % period]
        if differs(got, want, name, relative, absolute):
            error = abs(got - want) if got == got and want == want else float("inf")
            if worst is None or error > worst[0]:
                worst = (error, at, got, want)
    if worst is None and count > 6000:  # all of it, by torch in double precision
        rows = flat[:count - count % period].reshape(-1, period)
        bad = rows != rows[:1]
        if rows.dtype.is_floating_point:
            bad = bad & ~((rows != rows) & (rows[:1] != rows[:1])) if hasattr(bad, "__invert__") and bad.dtype == torch.bool else bad
        candidates = bad.reshape(-1).nonzero().reshape(-1)[:4096].tolist()
        for at in candidates:  # another kernel may round otherwise: judged one by one
            got, want = plain(flat[at:at + 1])[0], wants[at % period]
            if differs(got, want, name, relative, absolute):
                worst = (abs(got - want), at, got, want)
                break
    if worst is not None:
        raise Wrong("%s at %s, expected %s" % (worst[2], place(worst[1], tensor.shape), worst[3]), place=place(worst[1], tensor.shape),
                    got=str(worst[2]), expected=str(worst[3]), error_in_eps=None if name not in EPS or math.isinf(worst[0]) else worst[0] / (EPS[name] * (abs(worst[3]) or 1.0)))


def same_bits(one, other):
    """Whether two results are equal, NaN included."""
    if torch.equal(one, other):
        return True
    if one.dtype.is_floating_point:
        return bool(((one == other) | ((one != one) & (other != other))).all())
    return bool((one == other).all())


# --------------------------------------------------------------------------------------------------------------------- running


class Run(object):
    """The calls of one case in one dtype; where tells what is being called, for the report."""

    def __init__(self, case_, kind, dtype, threads, quick):
        self.case, self.kind, self.dtype, self.threads, self.quick, self.where, self.calls = case_, kind, dtype, threads, quick, {}, 0
        self.passed = {}
        self.expected = None if case_.own else EXPECTED.cases[case_.name][kind]

    def operands(self, count, layout):
        return Tensors(self.kind, self.dtype, count, layout)

    def check(self, result):
        """Compares results with the expected ones; what has the same bits as what passed before is not compared again."""
        results = flatten(result)
        self.calls += 1
        if len(results) != len(self.expected):
            raise Wrong("%d results, expected %d" % (len(results), len(self.expected)))
        for at, (tensor, expected) in enumerate(zip(results, self.expected)):
            self.where["result"] = at
            if not any(before.dtype == tensor.dtype and torch.equal(before, tensor) for before in self.passed.get(at, ()) if before.shape == tensor.shape):
                compare(tensor, expected, self.dtype, self.case.periodic)
                self.passed.setdefault(at, []).append(tensor.detach().clone())
        return results

    def everything(self):
        # Changing the number is slow: the one that is set comes first.
        for position, threads in enumerate(sorted(self.threads, key=lambda each: each != torch.get_num_threads())):
            if threads != torch.get_num_threads():
                torch.set_num_threads(threads)
            self.where = {"threads": threads}
            if self.case.own:
                self.case.run(None)
                self.calls += 1
                continue
            for layout in self.case.layouts[:1] if self.kind == "-" or position else self.case.layouts:
                for count in (SMALL if self.case.block else (0,)):
                    self.where = {"threads": threads, "layout": layout}
                    if self.case.block:
                        self.where["elements"] = count
                    self.check(self.case.run(self.operands(count, layout)))
                    if self.case.method and count == SMALL[-1]:
                        self.other_ways(layout, count)
            self.repeats(threads)
            if self.case.block and threads > 1 and self.dtype == "float32":
                self.where = {"threads": threads, "layout": "strided", "elements": LARGE}
                self.check(self.case.run(self.operands(LARGE, "strided")))
        if self.case.grad and self.kind == "f":
            self.gradients()

    def repeats(self, threads):
        """Above the grain size, and again and again if several threads compute."""
        count = self.case.repeat or (20 if self.case.block and self.dtype == "float32" else 2 if self.case.block else 0)
        if threads == 1 and len(self.threads) > 1 or (self.quick and self.dtype != "float32" and self.case.operator != "embedding_bag"):
            count = min(count, 1)
        if self.quick and not self.case.operator == "embedding_bag":
            count = min(count, 3)
        first = None
        operands = self.operands(LARGE, "contiguous")
        if self.case.crowded and count > 1:
            threads = max(threads, 4 * (os.cpu_count() or 1))
            torch.set_num_threads(threads)
        for at in range(count):
            self.where = {"threads": threads, "layout": "contiguous", "repeat": at}
            if self.case.block:
                self.where["elements"] = LARGE
            results = flatten(self.case.run(operands))
            self.calls += 1
            if first is None:
                first = self.check(results)
            elif not all(same_bits(*each) for each in zip(first, results)):
                self.check(results)
                raise Wrong("repeat %d returns other bits" % at)

    def other_ways(self, layout, count):
        """In place, and into a tensor that is given."""
        def operands():
            return [self.operands(count, layout).b(at + 1, *each) for at, each in enumerate(self.case.ranges)]
        first = operands()
        function = getattr(first[0], self.case.method + "_", None)
        result = None
        if function is not None:
            self.where["how"] = "in place"
            try:
                result = function(*first[1:])
            except (RuntimeError, TypeError):
                result = None
            if result is not None and self.case.method not in ("eq", "ne", "lt", "le", "gt", "ge") and not self.case.method.startswith("logical"):
                self.check(result)
        self.where["how"] = "out="
        try:
            first = operands()
            kept = find(self.case.method)(*first)
            out = self.operands(1, layout).lay(torch.zeros(kept.shape, dtype=kept.dtype))
            find(self.case.method)(*first, out=out)
        except (RuntimeError, TypeError, AttributeError):
            out = None
        if out is not None:
            self.check(out)
        self.where.pop("how")

    def loss(self, dtype, count, layout, shift=0.0):
        """The sum of the results, weighted, and the operands."""
        leaves = []
        results = flatten(self.case.run(Tensors(self.kind, dtype, count, layout, leaves, shift)))
        total = 0.0
        for at, each in enumerate(results):
            if each.dtype.is_floating_point and each.requires_grad:
                total = total + (each.double() * sixteenths(700 + at, tuple(each.shape))).sum()
        return total, leaves

    def gradient(self, dtype, count, layout):
        total, leaves = self.loss(dtype, count, layout)
        if isinstance(total, float):
            return None, leaves
        total.backward()
        self.calls += 1
        return [each.grad for each in leaves], leaves

    def gradients(self):
        sizes = [SMALL[-1]] + ([35011] if self.case.block and self.dtype == "float32" and not self.quick else [])
        for count in sizes:
            for layout in ("contiguous", "strided") if count == SMALL[-1] and self.dtype in ("float32", "float64") else ("contiguous",):
                self.where = {"gradient": True, "layout": layout, "threads": self.threads[-1], "elements": count}
                grads, leaves = self.gradient(self.dtype, count, layout)
                if grads is None:
                    return
                if self.dtype == "float64":
                    self.numeric(grads, leaves, count, layout)
                else:
                    self.as_doubles(grads, leaves, count, layout)

    def numeric(self, grads, leaves, count, layout):
        """The derivative in one direction by central differences: their error is of the order step ** 2."""
        step = 2.0 ** -17
        difference = (float(self.loss("float64", count, layout, step)[0]) - float(self.loss("float64", count, layout, -step)[0])) / (2 * step)
        products = [(grad * sixteenths(900 + at, tuple(grad.shape))).reshape(-1) for at, grad in enumerate(grads) if grad is not None]
        got, size = sum(float(each.sum()) for each in products), sum(float(each.abs().sum()) for each in products)
        if not abs(got - difference) <= 2e-6 * (1 + size):
            raise Wrong("the gradient gives %s in one direction, the numeric derivative %s" % (got, difference), got=str(got), expected=str(difference))

    def as_doubles(self, grads, leaves, count, layout):
        wide = []

        class Widened(Tensors):
            def lay(self, tensor):
                if self.leaves and tensor is self.leaves[-1] and len(wide) < len(self.leaves):
                    wide.append(leaves[len(wide)].detach().double().requires_grad_())
                    self.leaves[-1] = tensor = wide[-1]
                return Tensors.lay(self, tensor)

        holder = []
        results = flatten(self.case.run(Widened(self.kind, "float64", count, layout, holder)))
        sum((each * sixteenths(700 + at, tuple(each.shape))).sum() for at, each in enumerate(results) if each.requires_grad).backward()
        for at, (grad, want) in enumerate(zip(grads, wide)):
            if grad is None or want.grad is None:
                continue
            wants, gots = want.grad.reshape(-1), grad.detach().double().reshape(-1)
            finite = wants[(wants - wants) == 0].abs()
            limit = float(finite.max()) if finite.numel() else 0.0
            suspects = ((gots - wants).abs() <= tolerance(self.dtype, 0, 0, 64 * limit)) == 0  # NaN, too
            for number in suspects.nonzero().reshape(-1).tolist():
                got, expected = float(gots[number]), float(wants[number])
                if differs(got, expected, self.dtype, 256, 64 * limit):
                    raise Wrong("the gradient of operand %d is %s at %s, expected %s" % (at, got, place(number, grad.shape), expected),
                                place=place(number, grad.shape), got=str(got), expected=str(expected))


def judge(case_, kind, dtype, threads, quick):
    """Returns the verdict on a case in a dtype."""
    started, version = time.time(), release(torch.__version__)
    answer = {"verdict": "ok", "calls": 0}
    if dtype != "-" and not hasattr(torch, dtype):
        return dict(answer, verdict="absent", reason="no torch.%s" % dtype)
    if case_.since and version < case_.since:
        return dict(answer, verdict="skipped", reason="defined from %s on" % ".".join(map(str, case_.since)))
    run = Run(case_, kind, dtype, threads, quick)
    try:
        run.everything()
    except (Wrong, AssertionError) as error:
        answer.update(verdict="wrong", reason=str(error), where=run.where, **getattr(error, "facts", {}))
    except (AttributeError, NotImplementedError) as error:
        answer.update(verdict="absent", reason=one_line(error))
    except Exception as error:  # whatever torch raises
        lacking = any(each in str(error).lower() for each in LACKING + (() if dtype in ("float32", "float64", "int64", "-") else VAGUE))
        answer.update(verdict="absent" if lacking else "wrong", reason="%s: %s" % (type(error).__name__, one_line(error)), where=run.where)
        if not lacking:
            answer["traceback"] = traceback.format_exc()[-1500:]
    if answer["verdict"] == "absent" and run.calls:  # a part of it only: gradients, a layout
        answer.update(verdict="ok", reason="partly: " + answer["reason"], where=run.where)
    return dict(answer, calls=run.calls, seconds=round(time.time() - started, 2))


def one_line(error):
    return " ".join(str(error).split())[:200]


def tell(file, message):
    file.write((json.dumps(message) + "\n").encode())
    file.flush()


def child(jobs, options, descriptor):
    """Computes and reports on a pipe, in a process of its own."""
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(descriptor, "wb") as pipe:
        for at, (case_, kind, dtype) in enumerate(jobs):
            tell(pipe, {"start": at})
            tell(pipe, {"done": at, "answer": judge(case_, kind, dtype, options.threads, options.quick)})


def watch(jobs, options):
    """Yields number and verdict of each job; one that ends its process is left out of the next."""
    first = 0
    while first < len(jobs):
        sys.stdout.flush()
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                os.close(reader)
                child(jobs[first:], options, writer)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(status)
        os.close(writer)
        buffer, running, done, hung = b"", None, 0, False
        while True:
            if not select.select([reader], [], [], options.limit)[0]:
                hung = True
                os.kill(pid, signal.SIGKILL)
                break
            data = os.read(reader, 65536)
            if not data:
                break
            buffer += data
            while b"\n" in buffer:
                line, buffer = buffer.split(b"\n", 1)
                message = json.loads(line.decode())
                if "start" in message:
                    running = message["start"]
                else:
                    running, done = None, message["done"] + 1
                    yield first + message["done"], message["answer"]
        os.close(reader)
        status = os.waitpid(pid, 0)[1]
        if running is None and done == len(jobs) - first:
            return
        at = first + (done if running is None else running)
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if hung:
            yield at, {"verdict": "hung", "calls": 0, "reason": "nothing for %d seconds" % options.limit}
        else:
            name = signal.Signals(number).name if number else "status %d" % (status >> 8)
            yield at, {"verdict": "crashed", "calls": 0, "signal": number, "reason": "crashed by signal %d (%s)" % (number, name) if number else "ended with " + name}
        first = at + 1


# ------------------------------------------------------------------------------------------------------------------- reporting

ORDER = ("crashed", "hung", "wrong", "ok", "skipped", "absent")  # the worst first


class Report(object):
    """Verdicts by operator."""

    def __init__(self, options):
        self.options, self.operators, self.started = options, {}, time.time()

    def add(self, group_name, case_, dtype, answer):
        entry = self.operators.setdefault((group_name, case_.operator), {"operator": case_.operator, "group": group_name, "calls": 0, "seconds": 0.0, "cases": []})
        entry["calls"] += answer.pop("calls", 0)
        entry["seconds"] = round(entry["seconds"] + answer.pop("seconds", 0), 2)
        if answer["verdict"] in ORDER[:3]:
            issue = EXPECTED.issue(case_.name, dtype, release(torch.__version__), os.uname()[4])
            if issue:
                answer["issue"] = issue
        entry["cases"].append(dict(answer, case=case_.name, dtype=dtype))

    def verdict(self, entry):
        return min((each["verdict"] for each in entry["cases"]), key=ORDER.index)

    def data(self):
        counts = dict((each, 0) for each in ORDER)
        operators = []
        for entry in self.operators.values():
            entry["verdict"] = self.verdict(entry)
            counts[entry["verdict"]] += 1
            operators.append(entry)
        return {"schema": 1, "torch": torch.__version__, "python": sys.version.split()[0], "machine": os.uname()[4], "threads": self.options.threads,
                "quick": self.options.quick, "seconds": round(time.time() - self.started, 1), "counts": counts,
                "cases": sum(len(each["cases"]) for each in operators), "calls": sum(each["calls"] for each in operators), "operators": operators}


def say_operator(entry, verdict):
    dtypes = []
    for each in entry["cases"]:
        if each["verdict"] == "ok" and each["dtype"] != "-" and each["dtype"] not in dtypes:
            dtypes.append(each["dtype"])
    print("%-8s %s: %s" % (verdict, entry["operator"], " ".join(dtypes)))
    for each in entry["cases"]:
        if each["verdict"] in ORDER[:3]:
            where = ", ".join("%s %s" % pair for pair in sorted(each.get("where", {}).items()))
            print("         %s in %s %s (%s): %s%s" % (each["verdict"], each["case"], each["dtype"], where, each["reason"],
                                                     "; known issue: " + each["issue"] if "issue" in each else ""))
    if verdict == "absent":
        print("         %s" % entry["cases"][0]["reason"])
    sys.stdout.flush()


PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Numbers of torch %(torch)s on %(machine)s</title>
<style>body{font:16px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}table{border-collapse:collapse;width:100%%}
td,th{border-bottom:1px solid #999;padding:.2em .6em;text-align:left;vertical-align:top}.wrong,.crashed,.hung{background:#fdd;color:#000}</style></head>
<body><main><h1>Numbers of torch %(torch)s on %(machine)s</h1><p>%(summary)s</p>
<table><thead><tr><th scope="col">operator</th><th scope="col">verdict</th><th scope="col">dtypes</th><th scope="col">what was found</th></tr></thead>
<tbody>%(rows)s</tbody></table></main></body></html>
"""


def page(data):
    rows = []
    for entry in sorted(data["operators"], key=lambda each: ORDER.index(each["verdict"])):
        dtypes = sorted(set("%s%s" % (each["dtype"], "" if each["verdict"] == "ok" else " (%s)" % each["verdict"]) for each in entry["cases"] if each["dtype"] != "-"))
        found = ["%s: %s%s" % (each["case"], each["reason"], " [%s]" % each["issue"] if "issue" in each else "") for each in entry["cases"]
                 if each["verdict"] in ORDER[:3] or (each["verdict"] == entry["verdict"] and each["verdict"] != "ok")]
        rows.append('<tr class="%s"><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>' % (
            entry["verdict"], html.escape(entry["operator"]), entry["verdict"], html.escape(", ".join(dtypes)), "<br>".join(html.escape(each) for each in found[:6])))
    return PAGE % {"torch": html.escape(data["torch"]), "machine": html.escape(data["machine"]), "summary": html.escape(summary(data)), "rows": "\n".join(rows)}


def summary(data):
    found = ", ".join("%d %s" % (data["counts"][each], {"absent": "not in this torch"}.get(each, each)) for each in ("ok",) + ORDER[:3] + ORDER[4:])
    return "torch %s, Python %s, %s, threads %s: %d operators (%d cases, %d calls): %s; %d seconds" % (
        data["torch"], data["python"], data["machine"], ",".join(map(str, data["threads"])), len(data["operators"]), data["cases"], data["calls"], found, data["seconds"])


def load_torch():
    global torch, F
    import torch as torch_module
    import torch.nn.functional as functional
    torch, F = torch_module, functional


def compute(options):
    """Everything that needs torch; returns the exit status."""
    import warnings
    try:
        load_torch()
    except ImportError as error:
        print("numerics.py: error: torch cannot be imported: %s" % error, file=sys.stderr)
        return 3
    warnings.simplefilter("ignore")
    report = Report(options)
    for name, cases in GROUPS:
        jobs = [(each, kind, dtype) for each in cases for kind in each.kinds for dtype in KINDS[kind]
                if (not options.names or name in options.names or each.operator in options.names or each.name in options.names)
                and (not each.dtypes or dtype in each.dtypes)]
        last = dict((each[0].operator, at) for at, each in enumerate(jobs))
        for at, answer in watch(jobs, options):
            case_, _, dtype = jobs[at]
            report.add(name, case_, dtype, answer)
            if last[case_.operator] == at:
                entry = report.operators[(name, case_.operator)]
                say_operator(entry, report.verdict(entry))
    data = report.data()
    print(summary(data))
    for path, text in ((options.json, json.dumps(data, indent=1, sort_keys=True) + "\n"), (options.html, page(data))):
        if path:
            with open(path, "w") as file:
                file.write(text)
    return 1 if any(data["counts"][each] for each in ORDER[:3]) else 0


def read_options(arguments):
    parser = argparse.ArgumentParser(prog="numerics.py", description="Checks the numbers of the torch that is installed. See the header of this script.")
    parser.add_argument("--json", metavar="FILE", help="write the report as JSON")
    parser.add_argument("--html", metavar="FILE", help="write the report as a page")
    parser.add_argument("--quick", action="store_true", help="repeat less, and no large gradients")
    parser.add_argument("--threads", default="1,4", help="numbers of threads (default: 1,4)")
    parser.add_argument("--limit", type=int, default=600, metavar="SECONDS", help="end an operator that is silent for so long (default: 600)")
    parser.add_argument("--list", action="store_true", help="list groups and operators")
    parser.add_argument("names", nargs="*", metavar="NAME", help="an operator or a group")
    options = parser.parse_args(arguments)
    try:
        options.threads = [int(each) for each in options.threads.split(",")]
    except ValueError:
        parser.error("--threads: '%s' is not a list of numbers" % options.threads)
    known = set(word for name, cases in GROUPS for each in cases for word in (name, each.operator, each.name))
    for each in options.names:
        if each not in known:
            parser.error("there is no operator or group '%s' (--list lists them)" % each)
    return options


def main(arguments):
    global EXPECTED
    options = read_options(arguments)
    if options.list:
        for name, cases in GROUPS:
            print("%s: %s" % (name, " ".join(sorted(set(each.operator for each in cases)))))
        return 0
    EXPECTED = Expected(os.path.join(os.path.dirname(os.path.abspath(__file__)), "numerics.txt"))
    # In a process of its own, since importing torch may crash as well.
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = compute(options)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        print("crashed  import torch: crashed by signal %d (%s)" % (number, signal.Signals(number).name))
        return 1
    return os.WEXITSTATUS(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
