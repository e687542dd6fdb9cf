#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Computes what src/record/tree/numerics.txt holds: the expected values of numerics.py, by NumPy, SciPy and plain Python in double
precision or integers. No torch takes part, but for the two files of torch.save that --save replaces (their values are from here).

usage: make_expected.py [--save]

Writes that file. Needs NumPy and SciPy, and torch for --save: 1.13.1 on x86-64 made the files. Convolutions, pooling, interpolation, losses and recurrent layers are written out from their definitions.
"""
import base64
import io
import itertools
import math
import os
import sys

import numpy as np
import scipy.linalg
import scipy.special as special

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "src", "record", "tree"))
import numerics  # noqa: E402  the same operands

OUTPUT = os.path.join(HERE, "..", "..", "src", "record", "tree", "numerics.txt")
INF, NAN = float("inf"), float("nan")
np.seterr(all="ignore")


class Arrays(numerics.Operands):
    """Operands of NumPy; magnitude: their absolute values, for the bound of a sum of products."""

    def __init__(self, kind, magnitude=False):
        numerics.Operands.__init__(self, kind)
        self.magnitude = magnitude

    def make(self, values, shape):
        count = numerics.product(shape)
        kind = np.complex128 if self.kind == "c" else np.float64 if self.kind in "f-" else np.bool_ if self.kind == "b" else np.int64
        array = np.resize(np.array(values, dtype=kind), count) if count else np.zeros(0, kind)
        array = array.reshape(shape)
        return np.abs(array) if self.magnitude else array

    def s(self, values=numerics.SPECIALS):
        return self.make(list(values), (len(values),))

    def i(self, values, shape=None):
        array = np.array(list(values), dtype=np.int64)
        return array if shape is None else array.reshape(shape)

    def like(self, values):
        return np.array(values, dtype=np.float64 if self.kind in "f-" else np.int64)


EXPECT = {}  # name -> (function, relative, terms or None, absolute factor)


def expect(name, function, relative=4, terms=0, absolute=0.0):
    """R; terms: M is (4 + 2 sqrt(terms)) * the result of absolute operands; absolute: M is this much of the largest result."""
    EXPECT[name] = (function, relative, terms, absolute)


def unary(name, function, operands=((-4, 4),), special_values=False, **how):
    expect(name, lambda c: function(*[c.b(at + 1, *each) for at, each in enumerate(operands)]), **how)
    if special_values:
        expect(name + ".special", lambda c: function(c.s()), **how)


R4, POSITIVE, UNIT = (-4, 4), (0.0625, 4), (-0.9375, 0.9375)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


def reciprocal(x):
    return 1.0 / x


for _name, _function in (("abs", np.abs), ("neg", np.negative), ("exp", np.exp), ("expm1", np.expm1), ("sin", np.sin), ("cos", np.cos), ("tanh", np.tanh),
                         ("atan", np.arctan), ("sigmoid", sigmoid), ("floor", np.floor), ("ceil", np.ceil), ("round", np.rint), ("trunc", np.trunc),
                         ("sign", np.sign), ("erf", special.erf), ("erfc", special.erfc)):
    unary(_name, _function, special_values=True, relative=16 if _name == "erfc" else 4)
# torch.erf of floats is formula 7.1.26 of Abramowitz and Stegun in some releases: 1.5e-7 of the whole range.
unary("erf", special.erf, special_values=True, absolute=4)
for _name, _function in (("sqrt", np.sqrt), ("rsqrt", lambda x: 1 / np.sqrt(x)), ("log", np.log), ("reciprocal", reciprocal)):
    unary(_name, _function, [POSITIVE], special_values=True)
for _name, _function in (("exp2", np.exp2), ("sinh", np.sinh), ("cosh", np.cosh), ("asinh", np.arcsinh), ("frac", lambda x: x - np.trunc(x)),
                         ("lgamma", special.gammaln), ("square", np.square), ("sinc", np.sinc), ("deg2rad", np.deg2rad), ("i0", special.i0),
                         ("relu", lambda x: np.maximum(x, 0))):
    unary(_name, _function, [(-3.0, 3.0)], relative=16 if _name in ("lgamma", "i0") else 4, absolute=8 if _name == "lgamma" else 4 if _name == "sinc" else 0.0)
unary("tan", np.tan, [(-1.5, 1.5)])
for _name, _function in (("log2", np.log2), ("log10", np.log10), ("log1p", np.log1p), ("digamma", special.digamma)):
    unary(_name, _function, [POSITIVE], absolute=1 if _name == "digamma" else 0.0, relative=16 if _name == "digamma" else 4)
for _name, _function in (("asin", np.arcsin), ("acos", np.arccos), ("atanh", np.arctanh), ("erfinv", special.erfinv)):
    unary(_name, _function, [UNIT], relative=16 if _name == "erfinv" else 4)
unary("acosh", np.arccosh, [(1.0625, 4)], relative=8)
expect("trunc.large", lambda c: [f(c.s((2.0 ** 31, -2.0 ** 33, 2.0 ** 62, -2.5, 1.5, 8388609.0, -0.75))) for f in (np.trunc, np.floor, np.ceil, np.rint)], relative=0)
unary("logit", lambda x: np.log(x / (1 - x)), [(0.0625, 0.9375)], absolute=1)
unary("bitwise_not", np.invert)
unary("conj", np.conj)
expect("abs.complex", lambda c: np.abs(c.b(1)))
expect("angle", lambda c: np.angle(c.b(1)))
expect("real", lambda c: (np.real(c.b(1)), np.imag(c.b(1))))
expect("clamp", lambda c: np.clip(c.b(1), -1, 2))
expect("pow.scalar", lambda c: (c.b(1, 0.5, 3) ** 2.5, c.b(2) ** 3, c.b(1, 0.5, 3) ** -0.5))
expect("isnan", lambda c: (np.isnan(c.s()), c.s() == INF))
expect("convert", lambda c: (c.b(1).astype(float), np.trunc(c.b(1)).astype(int), c.b(1).astype(float)))
expect("convert.half", lambda c: c.b(1))
expect("tolist", lambda c: (c.x(1, (67,)), c.x(1, (67,))))
expect("convert.bfloat16", lambda c: c.b(1))


def rounded(value, bits, least):
    """To a number of significant bits and to multiples of the least one, ties to even, in integers alone."""
    mantissa, exponent = math.frexp(abs(np.float32(value)))
    step = max(exponent - bits, least)
    return math.copysign(round(mantissa * 2.0 ** (exponent - step)) * 2.0 ** step, value)


expect("convert.rounding", lambda c: [np.array([rounded(each, *form) for each in numerics.ROUNDED] * 9) for form in ((11, -24), (8, -133))], relative=0)

erf = special.erf
for _name, _function in (("relu6", lambda x: np.clip(x, 0, 6)), ("elu", lambda x: np.where(x > 0, x, 0.75 * np.expm1(x))),
                         ("selu", lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))),
                         ("celu", lambda x: np.where(x > 0, x, 1.5 * np.expm1(x / 1.5))), ("gelu", lambda x: 0.5 * x * special.erfc(-x / math.sqrt(2))),
                         ("gelu.tanh", lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))), ("softplus", softplus),
                         ("leaky_relu", lambda x: np.where(x > 0, x, 0.125 * x)), ("hardtanh", lambda x: np.clip(x, -1.5, 2)),
                         ("hardsigmoid", lambda x: np.clip(x + 3, 0, 6) / 6), ("hardswish", lambda x: x * np.clip(x + 3, 0, 6) / 6), ("silu", lambda x: x * sigmoid(x)),
                         ("mish", lambda x: x * np.tanh(softplus(x))), ("softsign", lambda x: x / (1 + np.abs(x))), ("logsigmoid", lambda x: -softplus(-x)),
                         ("tanhshrink", lambda x: x - np.tanh(x)), ("softshrink", lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
                         ("hardshrink", lambda x: np.where(np.abs(x) > 0.5, x, 0)), ("threshold", lambda x: np.where(x > 0.25, x, -2.0))):
    unary(_name, _function, absolute=2 if _name in ("gelu", "gelu.tanh", "softplus", "logsigmoid", "tanhshrink", "mish", "elu", "selu", "celu") else 0.0, relative=6)
expect("prelu", lambda c: (lambda x, w: np.where(x > 0, x, x * w[:, None]))(c.x(1, (3, 4, 5)), c.x(2, (4,))))
expect("glu", lambda c: c.x(1, (3, 10))[:, :5] * sigmoid(c.x(1, (3, 10))[:, 5:]))

for _name, _function in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply)):
    unary(_name, _function, [R4, R4])
    expect(_name + ".broadcast", lambda c, f=_function: f(c.x(1, (7, 1, 3)), c.x(2, (5, 1))))
    expect(_name + ".scalar", lambda c, f=_function: f(c.b(1), 3))
unary("div", np.divide, [R4, (0.25, 4)])
expect("div.broadcast", lambda c: c.x(1, (7, 1, 3)) / c.x(2, (5, 1), 1, 3))
for _name, _function in (("atan2", np.arctan2), ("hypot", np.hypot), ("copysign", np.copysign), ("fmax", np.fmax), ("fmin", np.fmin), ("logaddexp", np.logaddexp),
                         ("logaddexp2", np.logaddexp2), ("nextafter", np.nextafter), ("xlogy", special.xlogy)):
    unary(_name, _function, [R4, (0.25, 4)], relative=0 if _name == "nextafter" else 4, absolute=4 if _name.startswith("logadd") else 0.0)
unary("heaviside", np.heaviside, [R4, R4])
unary("maximum", np.maximum, [R4, R4])
unary("minimum", np.minimum, [R4, R4])
unary("pow", np.power, [(0.25, 3), (-2, 3)], relative=8)
for _name, _function in (("fmod", np.fmod), ("remainder", np.mod), ("floor_divide", np.floor_divide)):
    unary(_name, _function, [R4, (0.25, 4)])
    expect(_name + ".integers", lambda c, f=_function: f(c.b(1), c.b(2, 1, 4)))
expect("div.trunc", lambda c: np.trunc(c.b(1) / c.b(2, 1, 4)))
for _name, _function in (("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("le", np.less_equal), ("gt", np.greater), ("ge", np.greater_equal)):
    unary(_name, _function, [R4, (-1, 1)])
    expect(_name + ".special", lambda c, f=_function: f(c.s(), c.s((0.0, NAN, 1.0, -0.0, INF, NAN, -1.0))))
for _name, _function in (("logical_and", np.logical_and), ("logical_or", np.logical_or), ("logical_xor", np.logical_xor)):
    unary(_name, _function, [(-1, 1), (-1, 1)])
expect("logical_not", lambda c: np.logical_not(c.b(1, -1, 1)))
expect("lerp", lambda c: c.b(1) + 0.25 * (c.b(2) - c.b(1)), absolute=2)
expect("lerp.tensor", lambda c: c.b(1) + c.b(3, 0, 1) * (c.b(2) - c.b(1)), absolute=2)
expect("addcmul", lambda c: c.b(1) + 0.5 * c.b(2) * c.b(3), absolute=4)
expect("addcdiv", lambda c: c.b(1) + 0.5 * c.b(2) / c.b(3, 0.25, 4), absolute=4)
expect("where", lambda c: np.where(c.b(1) > c.b(2), c.b(1), c.b(3)))
expect("gcd", lambda c: (np.gcd(c.b(1), c.b(2)), np.lcm(c.b(1), c.b(2))))
expect("polynomial", lambda c: ((c.b(1) * 0.5 + c.b(2)) * c.b(1) - c.b(3)) / 4, absolute=4)
for _name, _function in (("bitwise_and", np.bitwise_and), ("bitwise_or", np.bitwise_or), ("bitwise_xor", np.bitwise_xor)):
    unary(_name, _function, [R4, R4])
expect("shift", lambda c: (c.b(1) << c.b(2, 0, 2), c.b(1) >> c.b(2, 0, 2)))
expect("shift.out_of_range", lambda c: (c.b(1) * 0, np.where(c.b(1) < 0, -1, 0), np.where(c.b(1) < 0, -1, 0)))

for _name, _function, _terms in (("sum", np.sum, 67), ("mean", np.mean, 67)):
    expect(_name, lambda c, f=_function: (f(c.x(1, (5, 7, 11), -2, 2), 1), f(c.x(2, (3, 67), -1, 1), -1), f(c.x(2, (3, 17), -2, 2), 0)), terms=_terms)
expect("prod", lambda c: (np.prod(c.x(1, (5, 7, 11), -2, 2), 1), np.prod(c.x(2, (3, 67), -1, 1), -1), np.prod(c.x(2, (3, 17), -2, 2), 0)), relative=4 + 2 * 67)
expect("sum.all", lambda c: (c.x(1, (67,)).sum(), c.x(1, (5, 13)).sum(), c.x(1, (0,)).sum(), c.x(1, (0, 3)).sum(0)), terms=67)
LARGE = numerics.LARGE
expect("sum.large", lambda c: (c.x(1, (LARGE,)).sum(), c.x(2, (17, 6007)).sum(0)[:200], c.x(2, (6007, 17)).sum(0)), terms=1000)
expect("mean.large", lambda c: c.x(1, (LARGE,), 0, 4).mean(), terms=1000)


def deviation(x, axis=None, unbiased=True):
    return np.std(x, axis, ddof=1 if unbiased else 0)


def variance(x, axis=None, unbiased=True):
    return np.var(x, axis, ddof=1 if unbiased else 0)


expect("var", lambda c: (variance(c.x(1, (5, 17)), 1), variance(c.x(1, (5, 17))), deviation(c.x(2, (7, 9)), 0), variance(c.x(2, (7, 9)), 0, False)), relative=4 + 2 * 9)
expect("var.large", lambda c: (variance(c.x(1, (LARGE,))), deviation(c.x(1, (LARGE,)))), relative=700)


def norm(x, p=2, axis=None):
    return np.count_nonzero(x, axis) + 0.0 if p == 0 else np.abs(x).max(axis) if p == INF else (np.abs(x) ** p).sum(axis) ** (1.0 / p)


expect("norm", lambda c: (norm(c.x(1, (67,))), norm(c.x(1, (5, 13)), 1, 1), norm(c.x(1, (5, 13)), 2, 0), norm(c.x(1, (5, 13)), 3, 1), norm(c.x(2, (67,)), INF), norm(c.x(2, (67,)), 0)), relative=4 + 2 * 9)
expect("norm.large", lambda c: norm(c.x(1, (LARGE,))), relative=2000)  # 1.7 adds one after the other: within n * u
expect("cumsum", lambda c: (c.x(1, (5, 67)).cumsum(1), c.x(2, (9, 4)).cumsum(0)), terms=67)
expect("cumprod", lambda c: c.x(1, (5, 9), 0.5, 1.5).cumprod(1), relative=20)
expect("cummax", lambda c: np.maximum.accumulate(c.x(1, (5, 17)), 1))
expect("logcumsumexp", lambda c: np.logaddexp.accumulate(c.x(1, (5, 17)), 1), relative=16, absolute=4)


def logsumexp(x, axis):
    top = x.max(axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    return np.log(np.exp(x - top).sum(axis)) + np.squeeze(top, axis)


expect("logsumexp", lambda c: (logsumexp(c.x(1, (5, 17)), 1), logsumexp(c.x(1, (5, 17)), 0)), absolute=4)
expect("logsumexp.special", lambda c: np.array([INF, 2.0, -INF, NAN]))
expect("max", lambda c: (c.x(1, (5, 67)).max(1), c.x(1, (5, 67)).max(), c.x(1, (5, 67)).min(0), c.x(1, (5, 67)).min()))
expect("max.special", lambda c: (np.array(NAN), np.array([NAN, INF]), np.array([-INF, 2.0])))


def distinct(c, shape):
    count = numerics.product(shape)
    step = next(each for each in range(37, 9999) if math.gcd(each, count) == 1)
    return c.make([i * step % count for i in range(count)], shape)


expect("argmax", lambda c: (distinct(c, (5, 67)).argmax(1), distinct(c, (5, 67)).argmin(0), distinct(c, (5, 67)).argmax()))
expect("amax", lambda c: (c.x(1, (5, 7, 9)).max((0, 2)), c.x(1, (5, 7, 9)).min((0, 2))))
expect("aminmax", lambda c: (c.x(1, (5, 67)).min(1), c.x(1, (5, 67)).max(1)))
expect("all", lambda c: (c.x(1, (3, 5)).all(1), c.x(1, (3, 5)).any(0), c.x(1, (67,)).all(), c.x(1, (67,)).any()))
expect("median", lambda c: (np.sort(c.x(1, (5, 17)).ravel())[42], np.sort(c.x(1, (5, 17)), 1)[:, 8]))
expect("mode", lambda c: np.array([np.bincount(row).argmax() for row in c.x(1, (5, 67), 0, 1)]))
expect("nansum", lambda c: np.array(31.5))
expect("count_nonzero", lambda c: (np.count_nonzero(c.x(1, (5, 67), -1, 1)), np.count_nonzero(c.x(1, (5, 67), -1, 1), 1)))
expect("dist", lambda c: norm(c.x(1, (67,)) - c.x(2, (67,))), relative=20)
expect("renorm", lambda c: (lambda x: x * np.where(norm(x, 2, 1) > 3, 3.0 / (norm(x, 2, 1) + 1e-7), 1)[:, None])(c.x(1, (5, 9))), relative=12)
expect("trace", lambda c: np.trace(c.x(1, (7, 9))), terms=7)
expect("diff", lambda c: np.diff(c.x(1, (5, 17))))
expect("quantile", lambda c: np.quantile(c.x(1, (67,)), [0.1, 0.5, 0.8125]), absolute=64)

expect("mm", lambda c: (c.x(1, (13, 37)) @ c.x(2, (37, 19)), c.x(3, (1, 5)) @ c.x(4, (5, 1))), terms=37)
expect("mm.empty", lambda c: (c.x(1, (3, 0)) @ c.x(2, (0, 4)), c.x(1, (0, 3)) @ c.x(2, (3, 4))))
expect("mm.large", lambda c: (c.x(1, (131, 257)) @ c.x(2, (257, 67)))[::13, ::3], terms=257)
expect("mv", lambda c: (c.x(1, (13, 37)) @ c.x(2, (37,)), c.x(1, (131, 5)) @ c.x(2, (5,))), terms=37)
expect("addmv", lambda c: (c.x(1, (13,)) + c.x(2, (13, 37)) @ c.x(3, (37,)), 2 * c.x(1, (67,)) + 3 * (c.x(2, (67, 5)) @ c.x(3, (5,))), c.x(2, (67, 5)) @ c.x(3, (5,))), terms=37)
expect("addmv.transposed", lambda c: (2 * c.x(1, (13,)) + 3 * (c.x(2, (37, 13)).T @ c.x(3, (37,))), c.x(1, (3,)) + 2 * (c.x(2, (5, 3)).T @ c.x(3, (5,)))), terms=37)
expect("addmm", lambda c: 2 * c.x(1, (13, 19)) + 3 * (c.x(2, (13, 37)) @ c.x(3, (37, 19))), terms=37)
expect("addmm.transposed", lambda c: 0.5 * c.x(1, (19,)) + c.x(2, (37, 13)).T @ c.x(3, (19, 37)).T, terms=37)
expect("bmm", lambda c: c.x(1, (3, 5, 17)) @ c.x(2, (3, 17, 7)), terms=17)
expect("bmm.large", lambda c: (c.x(1, (9, 33, 65)) @ c.x(2, (9, 65, 31)))[:, ::7, ::5], terms=65)
expect("baddbmm", lambda c: 2 * c.x(3, (3, 5, 7)) + 3 * (c.x(1, (3, 5, 17)) @ c.x(2, (3, 17, 7))), terms=17)
expect("addbmm", lambda c: c.x(3, (5, 7)) + (c.x(1, (3, 5, 17)) @ c.x(2, (3, 17, 7))).sum(0), terms=51)
expect("addr", lambda c: 2 * c.x(1, (7, 9)) + 3 * np.outer(c.x(2, (7,)), c.x(3, (9,))), terms=2)
expect("outer", lambda c: np.outer(c.x(2, (7,)), c.x(3, (67,))))
expect("dot", lambda c: [c.x(1, (n,)) @ c.x(2, (n,)) for n in (1, 5, 67, 257)], terms=257)
expect("vdot", lambda c: [np.conj(c.x(1, (n,))) @ c.x(2, (n,)) for n in (1, 5, 67, 257)], terms=257)
expect("dot.large", lambda c: c.x(1, (LARGE,)) @ c.x(2, (LARGE,)), terms=LARGE // 16)
expect("matmul", lambda c: (c.x(1, (2, 1, 5, 7)) @ c.x(2, (3, 7, 4)), c.x(1, (3, 5, 7)) @ c.x(2, (7,)), c.x(1, (7,)) @ c.x(2, (3, 7, 4))), terms=7)
expect("einsum", lambda c: np.einsum("bij,bjk->bki", c.x(1, (2, 5, 7)), c.x(2, (2, 7, 4))), terms=7)
expect("tensordot", lambda c: np.tensordot(c.x(1, (4, 5, 7)), c.x(2, (7, 4, 3)), ([0, 2], [1, 0])), terms=28)
expect("linear", lambda c: c.x(1, (5, 37)) @ c.x(2, (11, 37)).T + c.x(3, (11,)), terms=38)
expect("linear.vector", lambda c: (c.x(1, (1, 67)) @ c.x(2, (35, 67)).T + c.x(3, (35,)), c.x(1, (67,)) @ c.x(2, (35, 67)).T), terms=68)
expect("bilinear", lambda c: np.einsum("bi,kij,bj->bk", c.x(1, (3, 4)), c.x(3, (6, 4, 5)), c.x(2, (3, 5))) + c.x(4, (6,)), terms=21)
expect("kron", lambda c: np.kron(c.x(1, (3, 4)), c.x(2, (2, 5))))
expect("cross", lambda c: np.cross(c.x(1, (9, 3)), c.x(2, (9, 3))), absolute=2)
expect("cdist", lambda c: np.sqrt(((c.x(1, (7, 5))[:, None] - c.x(2, (9, 5))[None] - 9) ** 2).sum(-1)), relative=20)
# By a product of matrices above 25 rows: |x|^2 + |y|^2 - 2xy loses digits.
expect("cdist.large", lambda c: np.sqrt(((c.x(1, (31, 5))[:, None] - c.x(2, (29, 5))[None] - 9) ** 2).sum(-1))[::5, ::3], relative=64, absolute=16)
expect("matrix_power", lambda c: np.linalg.matrix_power(c.x(1, (5, 5), -1, 1), 3), terms=25)


def convolve(x, w, bias, stride=1, padding=0, dilation=1, groups=1):
    rank = x.ndim - 2
    stride, padding, dilation = [(each,) * rank if isinstance(each, int) else each for each in (stride, padding, dilation)]
    x = np.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in padding])
    sizes = [(x.shape[2 + d] - dilation[d] * (w.shape[2 + d] - 1) - 1) // stride[d] + 1 for d in range(rank)]
    result, per, of = np.zeros([x.shape[0], w.shape[0]] + sizes), w.shape[1], w.shape[0] // groups
    for out in range(w.shape[0]):
        begin = out // of * per
        for at in itertools.product(*[range(size) for size in sizes]):
            window = x[(slice(None), slice(begin, begin + per)) + tuple(slice(at[d] * stride[d], at[d] * stride[d] + dilation[d] * (w.shape[2 + d] - 1) + 1, dilation[d]) for d in range(rank))]
            result[(slice(None), out) + at] = (window * w[out]).reshape(x.shape[0], -1).sum(1)
    return result if bias is None else result + bias.reshape([-1] + [1] * rank)


def convolve_transposed(x, w, bias, stride=1, padding=0, dilation=1, groups=1, output_padding=0):
    rank = x.ndim - 2
    stride, padding, dilation, output_padding = [(each,) * rank if isinstance(each, int) else each for each in (stride, padding, dilation, output_padding)]
    full = [(x.shape[2 + d] - 1) * stride[d] + dilation[d] * (w.shape[2 + d] - 1) + 1 + output_padding[d] for d in range(rank)]
    result, into, per = np.zeros([x.shape[0], w.shape[1] * groups] + full), w.shape[1], x.shape[1] // groups
    for channel in range(x.shape[1]):
        first = channel // per * into
        for at in itertools.product(*[range(size) for size in x.shape[2:]]):
            place = (slice(None), slice(first, first + into)) + tuple(slice(at[d] * stride[d], at[d] * stride[d] + dilation[d] * (w.shape[2 + d] - 1) + 1, dilation[d]) for d in range(rank))
            result[place] += x[(slice(None), channel) + at].reshape([-1] + [1] * (rank + 1)) * w[channel]
    result = result[(slice(None), slice(None)) + tuple(slice(p, size - p) for p, size in zip(padding, full))]
    return result if bias is None else result + bias.reshape([-1] + [1] * rank)


for _case in dict(numerics.GROUPS)["convolutions"]:
    if hasattr(_case, "convolution"):
        _name, _shape, _weight, _bias, _step, _how = _case.convolution
        _function = convolve_transposed if "transpose" in _name else convolve
        expect(_case.name, lambda c, f=_function, s=_shape, w=_weight, b=_bias, e=_step, h=_how: f(c.x(1, s), c.x(2, w, -1, 1), None if b is None else c.x(3, (b,)), **h).ravel()[::e],
               terms=numerics.product(_weight[1:]) + 1 if "transpose" not in _name else numerics.product(_weight[2:]) * _weight[0])


def unfold(x, kernel, padding):
    x = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    rows, columns = x.shape[2] - kernel[0] + 1, x.shape[3] - kernel[1] + 1
    return np.stack([x[:, ch, i:i + rows, j:j + columns].reshape(x.shape[0], -1) for ch in range(x.shape[1]) for i in range(kernel[0]) for j in range(kernel[1])], 1)


def fold(x, size, kernel):
    result, columns = np.zeros((x.shape[0], x.shape[1] // (kernel[0] * kernel[1])) + size), size[1] - kernel[1] + 1
    for row, at in itertools.product(range(x.shape[1]), range(x.shape[2])):
        channel, i, j = row // (kernel[0] * kernel[1]), row // kernel[1] % kernel[0], row % kernel[1]
        result[:, channel, at // columns + i, at % columns + j] += x[:, row, at]
    return result


expect("unfold", lambda c: unfold(c.x(1, (1, 2, 5, 6)), (3, 2), 1))
expect("fold", lambda c: fold(c.x(1, (1, 8, 12)), (4, 5), (2, 2)), terms=4)

# A solver: n times the condition number (Higham, chapter 9), 2 here for each.
SOLVER = 64.0
expect("solve", lambda c: np.linalg.solve(c.square(1, 9), c.x(2, (9, 3))), absolute=SOLVER)
expect("solve.batch", lambda c: np.linalg.solve(c.square(1, 5, (3,)), c.x(2, (3, 5, 2))), absolute=SOLVER)
expect("inverse", lambda c: np.linalg.inv(c.square(1, 9)), absolute=SOLVER)
expect("det", lambda c: (np.linalg.det(c.square(1, 5)), np.linalg.det(c.square(2, 2))), relative=32)
expect("slogdet", lambda c: np.linalg.slogdet(c.square(1, 7))[1], relative=32)
expect("cholesky", lambda c: np.linalg.cholesky(c.spd(1, 7)), absolute=16)
expect("cholesky_solve", lambda c: np.linalg.solve(c.spd(1, 7), c.x(2, (7, 2))), absolute=SOLVER)
expect("eigh", lambda c: np.linalg.eigvalsh(c.spd(1, 7)), absolute=16)


def hermitian(c, n):
    """LAPACK reads the lower half, and of the diagonal the real part."""
    lower = np.tril(c.spd(1, n), -1)
    return lower + np.conj(lower.T) + np.diag(np.real(np.diag(c.spd(1, n))))


expect("eigh.properties", lambda c: (hermitian(c, 9), np.eye(9) + 0 * c.spd(1, 9)), absolute=32)
expect("eigvals", lambda c: np.sort(np.diag(np.triu(c.x(1, (6, 6), -1, 1)) + np.diag([1., 2., 3., 4., 5., 6.]) * 4)), absolute=SOLVER)
expect("svd", lambda c: np.linalg.svd(c.x(1, (9, 6)), compute_uv=False), absolute=16)
expect("svd.properties", lambda c: (c.x(1, (9, 6)), np.eye(6) + 0 * c.x(1, (6, 6)), np.eye(6) + 0 * c.x(1, (6, 6))), absolute=32)
expect("qr.properties", lambda c: (c.x(1, (9, 6)), np.eye(6) + 0 * c.x(1, (6, 6)), np.zeros((6, 6)) + 0 * c.x(1, (6, 6))), absolute=32)
expect("triangular_solve", lambda c: scipy.linalg.solve_triangular(np.triu(c.square(1, 7)), c.x(2, (7, 3))), absolute=SOLVER)
expect("lstsq", lambda c: np.linalg.lstsq(c.x(1, (9, 4)), c.x(2, (9, 2)), rcond=None)[0], absolute=4 * SOLVER)
expect("pinverse", lambda c: np.linalg.pinv(c.x(1, (9, 4))), absolute=4 * SOLVER)
expect("lu_solve", lambda c: np.linalg.solve(c.square(1, 7), c.x(2, (7, 3))), absolute=SOLVER)
expect("matrix_exp", lambda c: scipy.linalg.expm(c.x(1, (5, 5), -0.5, 0.5)), absolute=SOLVER)


def parts(array):
    return np.stack([array.real, array.imag], -1)


def dft(x, sign=-1):
    """By the definition, not by a fast transform."""
    n = x.shape[-1]
    angles = np.outer(np.arange(n), np.arange(n)) % n
    return x @ np.exp(sign * 2j * np.pi * angles / n)


# The error of a fast transform grows with log2(n) (Higham, section 24.1), the one of this definition with n: for 64 or fewer points both are here.
expect("fft", lambda c: parts(dft(c.x(1, (3, 30)))), absolute=8)
expect("rfft", lambda c: [parts(dft(c.x(1, (3, n)))[:, :n // 2 + 1]) for n in (16, 15, 34, 1)], absolute=8)
expect("irfft", lambda c: c.x(1, (3, 18)), absolute=16)
expect("fft.complex", lambda c: (dft(c.x(1, (3, 17))), dft(c.x(1, (3, 12)), 1) / 12), absolute=8)
expect("fft2", lambda c: parts(dft(dft(c.x(1, (2, 6, 10))).swapaxes(1, 2)).swapaxes(1, 2)), absolute=8)
expect("rfftn.large", lambda c: parts(dft(c.x(1, (31, 64)))[:, :33][::5, ::3]), absolute=8)
expect("stft", lambda c: parts(np.stack([dft(c.x(1, (2, 64))[:, at:at + 16] * c.x(2, (16,), 0.5, 1))[:, :9] for at in range(0, 49, 8)], -1)), absolute=8)

expect("sort", lambda c: (np.sort(c.x(1, (3, 67)), 1), np.sort(c.x(1, (9, 5)), 0)[::-1]))
expect("sort.indices", lambda c: (distinct(c, (67,)).argsort(), distinct(c, (67,)).argsort()[::-1]))
expect("sort.large", lambda c: np.sort(c.x(1, (40009,)))[::401])
expect("topk", lambda c: (np.sort(c.x(1, (3, 67)), 1)[:, ::-1][:, :5], np.sort(c.x(1, (3, 67)), 1)[:, :4]))
expect("kthvalue", lambda c: np.sort(c.x(1, (3, 67)), 1)[:, 9])
expect("unique", lambda c: np.unique(c.x(1, (67,)), return_inverse=True))
expect("unique.dim", lambda c: np.unique(c.x(1, (17, 2), 0, 1), axis=0))
expect("unique_consecutive", lambda c: np.array([key for key, _ in itertools.groupby(c.x(1, (67,), 0, 0.5).tolist())]))
expect("bincount", lambda c: (np.bincount(numerics.numbers(1, 67, 0, 9)), np.bincount(numerics.numbers(1, 67, 0, 9), c.x(2, (67,), 0, 1))))
expect("histc", lambda c: np.histogram(c.x(1, (67,)), 8, (-4, 4))[0])
BOUNDS = [-9, -3, 0, 2, 3, 8]
expect("searchsorted", lambda c: (np.searchsorted(BOUNDS, c.x(1, (5, 13))), np.searchsorted(BOUNDS, c.x(1, (5, 13)), "right")))
expect("msort", lambda c: np.sort(c.x(1, (9, 5)), 0))

PICK = numerics.PICK


def changed(array, function):
    array = array.copy()
    function(array)
    return array


expect("index_select", lambda c: (c.x(1, (9, 5))[PICK], c.x(1, (5, 9))[:, PICK]))
expect("gather", lambda c: np.take_along_axis(c.x(1, (9, 5)), c.i(numerics.numbers(5, 20, 0, 8), (4, 5)), 0))
expect("scatter", lambda c: changed(c.x(1, (9, 5)), lambda a: np.put_along_axis(a, c.i([(i * 7 + j) % 9 for i in range(4) for j in range(5)], (4, 5)), c.x(2, (4, 5)), 0)))
COLUMNS = np.arange(5)[None]
expect("scatter_add", lambda c: changed(c.x(1, (9, 5)), lambda a: np.add.at(a, (c.i(numerics.numbers(5, 65, 0, 8), (13, 5)), COLUMNS), c.x(2, (13, 5)))), terms=13)
expect("scatter_add.large", lambda c: changed(c.x(1, (9, 5)), lambda a: np.add.at(a, (c.i([i % 9 for i in range(40005)], (8001, 5)), COLUMNS), c.x(2, (8001, 5), 0, 1))), terms=900)
expect("scatter_reduce", lambda c: changed(c.x(1, (9, 5)), lambda a: np.maximum.at(a, (c.i(numerics.numbers(5, 65, 0, 8), (13, 5)), COLUMNS), c.x(2, (13, 5)))))
expect("index_add", lambda c: changed(c.x(1, (9, 5)), lambda a: np.add.at(a, PICK, c.x(2, (13, 5)))), terms=13)
expect("index_add.vector", lambda c: changed(c.x(1, (9,)), lambda a: np.add.at(a, PICK, c.x(2, (13,)))), terms=13)
expect("index_copy", lambda c: changed(c.x(1, (9, 5)), lambda a: a.__setitem__([3, 0, 7], c.x(2, (3, 5)))))
expect("index_fill", lambda c: changed(c.x(1, (9, 5)), lambda a: a.__setitem__([3, 0, 7], 2)))
expect("index_put", lambda c: changed(c.x(1, (9, 5)), lambda a: np.add.at(a, ([1, 4, 1, 8], [0, 2, 0, 4]), c.x(2, (4,)))))
expect("index", lambda c: (c.x(1, (9, 5))[[1, 4, 1, 8], [0, 2, 0, 4]], c.x(1, (9, 5, 3))[:, [4, 0]], c.x(1, (9, 5))[1::3, ::2]))
expect("index.large", lambda c: c.x(1, (4001, 9))[[i * 7 % 4001 for i in range(8003)]][::251])
expect("masked_select", lambda c: c.x(1, (9, 7))[c.x(2, (9, 7)) > 0])
expect("masked_fill", lambda c: np.where(c.x(2, (7,)) > 1, 3, c.x(1, (9, 7))))
expect("masked_scatter", lambda c: changed(c.x(1, (9, 7)), lambda a: a.__setitem__(c.x(2, (9, 7)) > 0, c.x(3, (63,))[:(c.x(2, (9, 7)) > 0).sum()])))
expect("take", lambda c: c.x(1, (9, 7)).ravel()[c.i(numerics.numbers(5, 20, 0, 62), (4, 5))])
expect("nonzero", lambda c: np.argwhere(c.x(1, (9, 7), -0.5, 0.5)))
expect("roll", lambda c: (np.roll(c.x(1, (5, 7)), (2, -3), (0, 1)), c.x(1, (5, 7))[::-1, ::-1]))
expect("cat", lambda c: (np.concatenate([c.x(1, (3, 5)), c.x(2, (2, 5))]), np.concatenate([c.x(1, (5, 3)), c.x(2, (5, 67))], 1)))
expect("stack", lambda c: np.stack([c.x(1, (3, 5)), c.x(2, (3, 5))], 1))
expect("tril", lambda c: (np.tril(c.x(1, (7, 5)), 1), np.triu(c.x(1, (5, 7)), -1), np.diag(c.x(2, (5,)), 1)))
expect("repeat_interleave", lambda c: np.repeat(c.x(1, (5, 3)), [1, 0, 3, 2, 1], 0))
expect("one_hot", lambda c: np.eye(9, dtype=int)[PICK])
expect("permute", lambda c: (c.x(1, (5, 7, 3)).transpose(2, 0, 1), c.x(1, (67, 33)).T[::5, ::3]))
expect("copy.transposed", lambda c: c.x(1, (203, 301)).T[::11, ::7])
expect("arange", lambda c: (np.arange(3, 70), np.arange(0, 5, 1 if c.kind == "i" else 0.25)))
expect("linspace", lambda c: np.linspace(-2, 3, 41), absolute=2)
expect("logspace", lambda c: np.logspace(-1, 2, 13), relative=32)
expect("meshgrid", lambda c: np.meshgrid(c.x(1, (3,)), c.x(2, (5,)), indexing="ij"))

BAG, STARTS = np.array(numerics.BAG), numerics.STARTS


def bags(rows, indices, starts, mode, weights=None):
    result = []
    for begin, end in zip(starts, list(starts[1:]) + [len(indices)]):
        chosen = rows[indices[begin:end]] * (1 if weights is None else weights[begin:end, None])
        result.append(np.zeros(rows.shape[1]) if begin == end else {"sum": np.sum, "mean": np.mean, "max": np.max}[mode](chosen, 0))
    return np.stack(result)


expect("embedding", lambda c: c.x(1, (11, 35))[BAG[:12].reshape(3, 4)])
for _mode, _width in itertools.product(("sum", "mean", "max"), (3, 64)):
    expect("embedding_bag.%s_%d" % (_mode, _width), lambda c, m=_mode, w=_width: bags(c.x(1, (11, w)), BAG, STARTS, m), terms=23 if _mode != "max" else 0)
expect("embedding_bag.weights", lambda c: bags(c.x(1, (11, 33)), BAG, STARTS, "sum", c.x(2, (60,))), terms=23)
MANY = np.array([i * 5 % 11 for i in range(44)])
for _name in ("large", "medium"):
    expect("embedding_bag." + _name, lambda c: bags(c.x(1, (11, 64)), MANY, range(0, 44, 4), "sum").ravel(), terms=4)
    expect("embedding_bag.%s_weights" % _name, lambda c: bags(c.x(1, (11, 64)), MANY, range(0, 44, 4), "sum", np.array([0.5, 2, -1, 0.25] * 11)).ravel(), terms=4)


def packed_bags(bits):
    scale_bias = np.array([(0.0625 * (1 + row % 5), -1.5 + row) for row in range(9)])
    return bags(np.array(numerics.numbers(bits, 9 * 16, 0, (1 << bits) - 1)).reshape(9, 16) * scale_bias[:, :1] + scale_bias[:, 1:], BAG % 9, STARTS, "sum")


expect("embedding_bag_byte_rowwise_offsets", lambda c: packed_bags(8), absolute=20)
expect("embedding_bag_4bit_rowwise_offsets", lambda c: packed_bags(4), absolute=20)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_softmax(x, axis):
    return x - np.expand_dims(logsumexp(x, axis), axis)


expect("softmax", lambda c: (softmax(c.x(1, (3, 67)), 1), softmax(c.x(1, (2, 6, 7)), 1), softmax(c.x(1, (5, 7)), 0)), relative=20)
expect("log_softmax", lambda c: (log_softmax(c.x(1, (3, 67)), 1), log_softmax(c.x(1, (2, 6, 7)), 1), log_softmax(c.x(1, (5, 7)), 0)), absolute=4)
expect("softmax.large", lambda c: softmax(c.x(1, (251, 401)), 1)[::31, ::17], relative=40)
expect("normalize", lambda c: c.x(1, (5, 17)) / norm(c.x(1, (5, 17)), 2, 1)[:, None], relative=12)


def standardised(x, axes, epsilon=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def per_channel(v):
    return v[None, :, None, None]


expect("batch_norm", lambda c: standardised(c.x(1, (4, 3, 5, 5)), (0, 2, 3)) * per_channel(c.x(2, (3,))) + per_channel(c.x(3, (3,))), absolute=16)
expect("batch_norm.eval", lambda c: (c.x(1, (4, 3, 5, 5)) - per_channel(c.x(4, (3,)))) / np.sqrt(per_channel(c.x(5, (3,), 0.5, 2)) + 1e-5) * per_channel(c.x(2, (3,))) + per_channel(c.x(3, (3,))), absolute=16)
expect("batch_norm.statistics", lambda c: (0.75 * c.x(4, (3,)) + 0.25 * c.x(1, (4, 3, 5, 5)).mean((0, 2, 3)), 0.75 * c.x(5, (3,), 0.5, 2) + 0.25 * c.x(1, (4, 3, 5, 5)).var((0, 2, 3), ddof=1)), absolute=20)
expect("layer_norm", lambda c: (standardised(c.x(1, (5, 67)), 1) * c.x(2, (67,)) + c.x(3, (67,)), standardised(c.x(1, (3, 4, 5)), (1, 2))), absolute=16)
expect("layer_norm.large", lambda c: standardised(c.x(1, (257, 301)), 1)[::31, ::17], absolute=20)
expect("group_norm", lambda c: standardised(c.x(1, (2, 6, 5, 3)).reshape(2, 3, 2, 5, 3), (2, 3, 4)).reshape(2, 6, 5, 3) * per_channel(c.x(2, (6,))) + per_channel(c.x(3, (6,))), absolute=16)
expect("instance_norm", lambda c: standardised(c.x(1, (2, 3, 5, 7)), (2, 3)), absolute=16)


def local_response(x, size, alpha, beta=0.75, k=1.0):
    padded = np.pad(x ** 2, [(0, 0), (size // 2, (size - 1) // 2), (0, 0)])
    return x / (k + alpha * sum(padded[:, at:at + x.shape[1]] for at in range(size)) / size) ** beta


expect("local_response_norm", lambda c: local_response(c.x(1, (2, 6, 5)), 3, 0.5), relative=24)


def pool(x, kernel, stride, padding, function, fill, dilation=1):
    rank = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0)] + [(padding, padding)] * rank, constant_values=fill)
    sizes = [(size - dilation * (kernel - 1) - 1) // stride + 1 for size in x.shape[2:]]
    result = np.zeros(x.shape[:2] + tuple(sizes))
    for at in itertools.product(*[range(size) for size in sizes]):
        window = x[(slice(None), slice(None)) + tuple(slice(a * stride, a * stride + dilation * (kernel - 1) + 1, dilation) for a in at)]
        result[(slice(None), slice(None)) + at] = function(window.reshape(x.shape[0], x.shape[1], -1), 2)
    return result


def adaptive(x, sizes, function):
    result = np.zeros(x.shape[:2] + sizes)
    for at in itertools.product(*[range(size) for size in sizes]):
        window = x[(slice(None), slice(None)) + tuple(slice(a * n // size, -(-(a + 1) * n // size)) for a, n, size in zip(at, x.shape[2:], sizes))]
        result[(slice(None), slice(None)) + at] = function(window, (2, 3))
    return result


expect("max_pool1d", lambda c: pool(c.x(1, (2, 3, 17)), 3, 2, 1, np.max, -INF))
expect("max_pool2d", lambda c: (pool(c.x(1, (2, 3, 9, 11)), 3, 2, 1, np.max, -INF), pool(c.x(1, (1, 2, 9, 9)), 2, 2, 0, np.max, -INF, 2)))
expect("max_pool3d", lambda c: pool(c.x(1, (1, 2, 5, 6, 7)), 2, 2, 0, np.max, -INF))
expect("avg_pool1d", lambda c: pool(c.x(1, (2, 3, 17)), 3, 2, 1, np.mean, 0), absolute=4)
expect("avg_pool2d", lambda c: (pool(c.x(1, (2, 3, 9, 11)), 3, 2, 1, np.mean, 0), pool(c.x(1, (2, 3, 9, 11)), 2, 2, 1, np.nanmean, NAN)), absolute=8)
expect("avg_pool3d", lambda c: pool(c.x(1, (1, 2, 5, 6, 7)), 2, 2, 0, np.mean, 0), absolute=8)
expect("adaptive_avg_pool2d", lambda c: adaptive(c.x(1, (2, 3, 9, 11)), (4, 3), np.mean), absolute=10)
expect("adaptive_max_pool2d", lambda c: adaptive(c.x(1, (2, 3, 9, 11)), (4, 3), np.max))
expect("lp_pool", lambda c: np.sqrt(pool(c.x(1, (2, 3, 17), 0.25, 3) ** 2, 3, 3, 0, np.sum, 0)), relative=16)
expect("max_pool2d.large", lambda c: pool(c.x(1, (4, 5, 65, 67)), 3, 2, 1, np.max, -INF)[:, :, ::7, ::5])


def resize(x, axis, size, mode, align=False):
    """Along one axis, as torch's documentation of interpolate and align_corners defines it."""
    n = x.shape[axis]
    weights = np.zeros((size, n))
    for at in range(size):
        if mode == "nearest":
            weights[at, min(at * n // size, n - 1)] = 1
            continue
        source = at * (n - 1) / (size - 1) if align and size > 1 else (at + 0.5) * n / size - 0.5
        if mode == "linear":
            source = max(source, 0.0)
            low = min(int(source), n - 1)
            weights[at, low] += 1 - (source - low)
            weights[at, min(low + 1, n - 1)] += source - low
        else:
            low = math.floor(source)
            for tap in range(-1, 3):
                weights[at, min(max(low + tap, 0), n - 1)] += cubic(abs(source - low - tap))
    return np.moveaxis(np.tensordot(weights, x, ([1], [axis])), 0, axis)


def cubic(d, a=-0.75):
    return (a + 2) * d ** 3 - (a + 3) * d ** 2 + 1 if d <= 1 else a * d ** 3 - 5 * a * d ** 2 + 8 * a * d - 4 * a if d < 2 else 0.0


def resized(x, sizes, mode, align=False):
    for axis, size in enumerate(sizes):
        x = resize(x, axis + 2, size, mode, align)
    return x


# The weights themselves are rounded to the dtype: 64 of them in half of an index of 8.
expect("interpolate.nearest", lambda c: resized(c.x(1, (2, 3, 5, 7)), (9, 4), "nearest"))
expect("interpolate.linear", lambda c: resized(c.x(1, (2, 3, 7)), (12,), "linear"), absolute=32)
expect("interpolate.bilinear", lambda c: (resized(c.x(1, (2, 3, 5, 7)), (9, 4), "linear"), resized(c.x(1, (2, 3, 5, 7)), (9, 4), "linear", True)), absolute=32)
expect("interpolate.trilinear", lambda c: resized(c.x(1, (1, 2, 3, 4, 3)), (5, 3, 4), "linear"), absolute=32)
expect("interpolate.bicubic", lambda c: resized(c.x(1, (1, 2, 5, 7)), (8, 9), "cubic"), absolute=48)


def reflect(v, size):
    span = 2 * (size - 1)
    v = abs(v) % span
    return span - v if v > size - 1 else v


def inside(v, size, padding):
    return min(max(v, 0), size - 1) if padding == "border" else reflect(v, size) if padding == "reflection" else v


def sample(x, grid, mode, padding):
    """grid_sample with align_corners."""
    result = np.zeros(x.shape[:2] + grid.shape[1:3])
    height, width = x.shape[2:]

    def at(n, i, j):
        return x[n, :, i, j] if 0 <= i < height and 0 <= j < width else np.zeros(x.shape[1])
    for n, r, s in np.ndindex(grid.shape[:3]):
        u, v = (grid[n, r, s, 0] + 1) / 2 * (width - 1), (grid[n, r, s, 1] + 1) / 2 * (height - 1)
        if mode != "bicubic":
            u, v = inside(u, width, padding), inside(v, height, padding)
        if mode == "nearest":
            result[n, :, r, s] = at(n, int(np.rint(v)), int(np.rint(u)))
            continue
        i, j = math.floor(v), math.floor(u)
        for di, dj in itertools.product(range(-1, 3), repeat=2):
            weight = (max(0, 1 - abs(v - i - di)) * max(0, 1 - abs(u - j - dj)) if mode == "bilinear" else cubic(abs(v - i - di)) * cubic(abs(u - j - dj)))
            place = (i + di, j + dj) if mode == "bilinear" else (inside(i + di, height, padding), inside(j + dj, width, padding))
            if weight:
                result[n, :, r, s] += weight * at(n, *[int(each) for each in place])
    return result


for _mode, _padding in itertools.product(("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")):
    expect("grid_sample.%s_%s" % (_mode, _padding), lambda c, m=_mode, p=_padding: sample(c.x(1, (2, 3, 6, 7)), c.x(2, (2, 5, 5, 2), -1.25, 1.25) + 0.03125, m, p), absolute=32)


def affine(theta, size):
    height, width = size[2], size[3]
    xs, ys = (np.arange(width) * 2 + 1) / width - 1, (np.arange(height) * 2 + 1) / height - 1
    base = np.stack([np.broadcast_to(xs[None], (height, width)), np.broadcast_to(ys[:, None], (height, width)), np.ones((height, width))], -1)
    return np.einsum("hwk,nok->nhwo", base, theta)


expect("affine_grid", lambda c: affine(c.x(1, (2, 2, 3)), (2, 3, 4, 5)), absolute=6)
expect("pixel_shuffle", lambda c: c.x(1, (2, 8, 3, 4)).reshape(2, 2, 2, 2, 3, 4).transpose(0, 1, 4, 2, 5, 3).reshape(2, 2, 6, 8))
for _mode, _numpy in (("constant", "constant"), ("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")):
    expect("pad." + _mode, lambda c, m=_numpy: np.pad(c.x(1, (2, 3, 5, 7)), [(0, 0), (0, 0), (1, 2), (2, 1)], mode=m))


def attend(q, k, v):
    weights = softmax(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]), -1)
    return weights @ v, weights


expect("scaled_dot_product_attention", lambda c: attend(c.x(1, (2, 3, 5, 8), -1, 1), c.x(2, (2, 3, 7, 8), -1, 1), c.x(3, (2, 3, 7, 8)))[0], absolute=16)


def attention(c):
    """Parameters by the names of torch.nn.MultiheadAttention, sorted."""
    in_bias, in_weight = c.x(20, (24,), -0.5, 0.5), c.x(21, (24, 8), -0.5, 0.5)
    out_bias, out_weight = c.x(22, (8,), -0.5, 0.5), c.x(23, (8, 8), -0.5, 0.5)
    x = c.x(1, (5, 2, 8), -1, 1)
    heads = [(x @ in_weight[8 * i:8 * i + 8].T + in_bias[8 * i:8 * i + 8]).reshape(5, 2, 2, 4).transpose(1, 2, 0, 3) for i in range(3)]
    values, weights = attend(*heads)
    return values.transpose(2, 0, 1, 3).reshape(5, 2, 8) @ out_weight.T + out_bias, weights.mean(1)


expect("multi_head_attention", attention, absolute=24)
expect("cosine_similarity", lambda c: (lambda a, b: (a * b).sum(1) / norm(a, 2, 1) / norm(b, 2, 1))(c.x(1, (5, 17)), c.x(2, (5, 17))), absolute=12)
# torch adds 1e-6 to the difference.
expect("pairwise_distance", lambda c: norm(c.x(1, (5, 17)) - c.x(2, (5, 17)) - 9 + 1e-6, 2, 1), relative=16)


def recurrent(c, gates):
    bias_h, bias_i, w_h, w_i = [c.x(20 + at, shape, -0.5, 0.5) for at, shape in enumerate(((6 * gates,), (6 * gates,), (6 * gates, 6), (6 * gates, 5)))]
    # sorted by name: bias_hh, bias_ih, weight_hh, weight_ih
    h, cell, result = np.zeros((3, 6)), np.zeros((3, 6)), []
    for x in c.x(1, (4, 3, 5), -1, 1):
        a, b = x @ w_i.T + bias_i, h @ w_h.T + bias_h
        if gates == 4:
            i, f, g, o = np.split(a + b, 4, 1)
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(cell)
        elif gates == 3:
            (ar, az, an), (br, bz, bn) = np.split(a, 3, 1), np.split(b, 3, 1)
            z, n = sigmoid(az + bz), np.tanh(an + sigmoid(ar + br) * bn)
            h = (1 - z) * n + z * h
        else:
            h = np.tanh(a + b)
        result.append(h)
    return np.stack(result)


expect("lstm", lambda c: recurrent(c, 4), absolute=32)
expect("gru", lambda c: recurrent(c, 3), absolute=32)
expect("rnn", lambda c: recurrent(c, 1), absolute=32)


def sgd(c):
    w, a, velocity = c.x(1, (17,)), c.x(2, (17,), 0.25, 1), None
    for _ in range(5):
        gradient = 2 * w * a + 0.0625 * w
        velocity = gradient if velocity is None else 0.5 * velocity + gradient
        w = w - 0.125 * velocity
    return w


def adam(c):
    w, a, m, v = c.x(1, (17,)), c.x(2, (17,), 0.25, 1), 0.0, 0.0
    for step in range(1, 6):
        gradient = 2 * w * a
        m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient ** 2
        w = w - 0.125 / (1 - 0.9 ** step) * m / (np.sqrt(v) / math.sqrt(1 - 0.999 ** step) + 1e-8)
    return w


expect("sgd", sgd, absolute=16)
expect("adam", adam, absolute=64)

CLASSES = np.array(numerics.CLASSES)
SIGNS = np.array([1., -1., 1., -1., -1., 1., 1.])


def huber(x):
    return np.where(np.abs(x) < 1, 0.5 * x ** 2, np.abs(x) - 0.5)


for _name, _function in (("mse_loss", np.square), ("l1_loss", np.abs), ("smooth_l1_loss", huber), ("huber_loss", huber)):
    expect(_name, lambda c, f=_function: (f(c.x(1, (7, 5)) - c.x(2, (7, 5))).mean(), f(c.x(1, (7, 5)) - c.x(2, (7, 5)))), relative=16)
expect("cross_entropy", lambda c: -log_softmax(c.x(1, (7, 5)), 1)[np.arange(7), CLASSES].mean(), absolute=8)


def nll(x, classes, weight, ignore=None):
    weights = weight[classes] * (classes != ignore)
    return -(np.take_along_axis(x, np.expand_dims(classes, 1), 1)[:, 0] * weights).sum() / weights.sum()


expect("nll_loss", lambda c: (nll(c.x(1, (7, 5)), CLASSES, c.x(3, (5,), 0.5, 1)), nll(c.x(1, (2, 5, 3, 3)), np.array(numerics.numbers(8, 18, 0, 4)).reshape(2, 3, 3), np.ones(5), 2)), absolute=24)
expect("binary_cross_entropy", lambda c: -(lambda p, y: y * np.log(p) + (1 - y) * np.log(1 - p))(c.x(1, (7, 5), 0.0625, 0.875), c.x(2, (7, 5), 0, 1)).mean(), relative=24)
expect("binary_cross_entropy_with_logits", lambda c: (lambda x, y: softplus(-x) * y + softplus(x) * (1 - y))(c.x(1, (7, 5)), c.x(2, (7, 5), 0, 1)).mean(), relative=24)
expect("kl_div", lambda c: (lambda x, y: y * (np.log(y) - x))(c.x(1, (7, 5)), c.x(2, (7, 5), 0.0625, 1)).sum(), absolute=24)
expect("poisson_nll_loss", lambda c: (lambda x, y: np.exp(x) - y * x)(c.x(1, (7, 5)), c.x(2, (7, 5), 0, 4)).mean(), absolute=24)
expect("hinge_embedding_loss", lambda c: np.where(SIGNS > 0, c.x(1, (7,)), np.maximum(0, 1 - c.x(1, (7,)))).mean(), absolute=16)
expect("soft_margin_loss", lambda c: softplus(-SIGNS * c.x(1, (7,))).mean(), absolute=8)
expect("margin_ranking_loss", lambda c: np.maximum(0, -SIGNS * (c.x(1, (7,)) - c.x(2, (7,))) + 0.5).mean(), absolute=8)
expect("triplet_margin_loss", lambda c: np.maximum(norm(c.x(1, (7, 5)) - c.x(2, (7, 5)) + 1e-6, 2, 1) - norm(c.x(1, (7, 5)) - c.x(3, (7, 5)) + 1e-6, 2, 1) + 4, 0).mean(), absolute=24)


def cosine_loss(a, b):
    cosine = (a * b).sum(1) / np.sqrt(((a * a).sum(1) + 1e-12) * ((b * b).sum(1) + 1e-12))  # torch adds as much
    return np.where(SIGNS > 0, 1 - cosine, np.maximum(0, cosine)).mean()


expect("cosine_embedding_loss", lambda c: cosine_loss(c.x(1, (7, 5)), c.x(2, (7, 5))), absolute=16)


def multi_margin(x):
    right = x[np.arange(7), CLASSES][:, None]
    return (np.maximum(0, 1 - right + x).sum(1) - 1).mean() / 5


expect("multi_margin_loss", lambda c: multi_margin(c.x(1, (7, 5))), absolute=24)


def ctc(log_probabilities, target):
    """The sum over all paths that give the target: no dynamic programming."""
    total = 0.0
    for path in itertools.product(range(log_probabilities.shape[1]), repeat=len(log_probabilities)):
        if [key for key, _ in itertools.groupby(path) if key] == target:
            total += math.exp(sum(log_probabilities[t, k] for t, k in enumerate(path)))
    return -math.log(total)


expect("ctc_loss", lambda c: (lambda p: np.array([ctc(p[:6, 0], [1, 2, 1]), ctc(p[:5, 1], [3, 3])]))(log_softmax(c.x(1, (6, 2, 4)), 2)), absolute=32)


def quantise(x, scale, zero, low=0, high=255):
    return np.clip(np.rint(x * (1 / np.float32(scale)).astype(float)) + zero, low, high)


LIMITS = {"quint8": (0, 255), "qint8": (-128, 127), "qint32": (-2 ** 31, 2 ** 31 - 1)}


def quantised(c, seed, shape, scale=0.0625, zero=128, kind="quint8", low=-4, high=4):
    return quantise(c.x(seed, shape, low, high), scale, zero, *LIMITS[kind])


expect("quantize_per_tensor", lambda c: [f(quantised(c, 1, (67,), 0.0725, 100, kind)) for kind in ("quint8", "qint8", "qint32") for f in (lambda q: q, lambda q: (q - 100) * float(np.float32(0.0725)))])
SCALES, ZEROS = np.array([0.0625, 0.03125, 0.125, 0.25, 0.0625])[:, None], np.array([0, 1, -3, 5, 0])[:, None]
expect("quantize_per_channel", lambda c: (lambda q: (q, (q - ZEROS) * SCALES))(np.clip(np.rint(c.x(2, (5, 7), -1, 1) / SCALES) + ZEROS, -128, 127)))


def real(c, seed, shape):
    return (quantised(c, seed, shape) - 128) * 0.0625


expect("quantized.add", lambda c: (quantise(real(c, 1, (67,)) + real(c, 2, (67,)), 0.125, 100), np.maximum(quantise(real(c, 1, (67,)) + real(c, 2, (67,)), 0.125, 100), 100)))
expect("quantized.mul", lambda c: quantise(real(c, 1, (67,)) * real(c, 2, (67,)), 0.25, 100))
expect("quantized.relu", lambda c: np.maximum(quantised(c, 1, (67,)), 128))
expect("quantized.max_pool2d", lambda c: pool(quantised(c, 1, (1, 3, 9, 9)), 3, 2, 1, np.max, -INF))
# To one step of 0.0625: a tie may be rounded either way.
expect("quantized.avg_pool2d", lambda c: adaptive(real(c, 1, (1, 3, 8, 8)), (2, 2), np.mean), absolute=-0.033)
expect("quantized.cat", lambda c: np.concatenate([quantised(c, 1, (3, 5)), quantised(c, 2, (2, 5))]))
expect("fake_quantize", lambda c: (np.clip(np.rint(c.x(1, (67,)) * float(1 / np.float32(0.0725))) + 3, -20, 30) - 3) * float(np.float32(0.0725)))


def quantised_layer(c, kind):
    weights = quantise(c.x(2, (6, 8) if kind == "linear" else (6, 8, 3, 3), -1, 1), 0.0625, 0, -128, 127) * 0.0625
    if kind == "linear":
        exact, scale = real(c, 1, (5, 8)) @ weights.T + c.x(3, (6,), -1, 1), 0.25
    else:
        exact, scale = convolve(real(c, 1, (1, 8, 5, 6)), weights, c.x(3, (6,), -1, 1), padding=1), 0.5
    return (quantise(exact, scale, 100) - 100) * scale


for _engine, _kind in itertools.product(("qnnpack", "fbgemm", "onednn", "x86"), ("linear", "conv2d")):
    expect("quantized.%s.%s" % (_kind, _engine), lambda c, k=_kind: quantised_layer(c, k), absolute=-(0.26 if _kind == "linear" else 0.51))


def twister():
    """mt19937 seeded with 12345: NumPy's RandomState seeds it as torch does (init_genrand of Matsumoto and Nishimura)."""
    state = np.random.RandomState(12345)
    return [int(each) for each in state.randint(0, 2 ** 32, size=256, dtype=np.uint32)]


def shuffled(n):
    order, draws = list(range(n)), twister()
    for i in range(n - 1):
        z = draws[i] % (n - i)
        order[i], order[i + z] = order[i + z], order[i]
    return np.array(order)


def uniform(count, doubles, skip=0):
    draws = twister()[skip:]
    if not doubles:
        return np.array([(each & 0xFFFFFF) / 2.0 ** 24 for each in draws[:count]])
    return np.array([((draws[2 * i] << 32 | draws[2 * i + 1]) & (2 ** 53 - 1)) / 2.0 ** 53 for i in range(count)])


expect("random_", lambda c: np.array([each % 1000 for each in twister()[:50]]))
expect("randint", lambda c: np.array([each % 97 - 7 for each in twister()[:50]]))
expect("rand", lambda c: (uniform(50, False), uniform(20, True, 50)), relative=0)
expect("randperm", lambda c: shuffled(50))


def collatz(n):
    return 0 if n == 1 else 1 + collatz(n // 2 if n % 2 == 0 else 3 * n + 1)


def mixed(x, y):
    return -2 * x / (1 + y * y) + np.tanh(x * y)


expect("jit.collatz", lambda c: np.array([collatz(n) for n in (1, 27, 97)]))
expect("jit.mixed", lambda c: mixed(c.b(1), c.b(2)), absolute=8)


def perceptron(c):
    bias_0, weight_0, bias_2, weight_2 = c.x(20, (5,), -0.5, 0.5), c.x(21, (5, 7), -0.5, 0.5), c.x(22, (3,), -0.5, 0.5), c.x(23, (3, 5), -0.5, 0.5)
    return np.tanh(c.x(1, (4, 7)) @ weight_0.T + bias_0) @ weight_2.T + bias_2


expect("jit.trace", lambda c: [perceptron(c)] * 2, absolute=16)
expect("save", lambda c: (c.x(1, (5, 7)), c.x(2, (3,)), np.array([1, -2, 3]), c.x(1, (5, 7))[1:4, ::2], c.x(1, (3,))), relative=0)
FILE = (lambda c: (c.x(1, (5, 7)), c.x(2, (3,)), c.x(1, (3,)), np.array([1, -2, 2 ** 40]), np.array([0, 7, 255]), c.x(1, (5, 7)).T[2:4]))
expect("load.zip", FILE, relative=0)
expect("load.legacy", FILE, relative=0)


def reduced(c, dtype):
    c = Arrays("f" if "float" in dtype else "i")
    return c.x(1, (203,), 0, 4) + c.x(2, (203,), 0, 4)


for _dtype in ("float32", "float64", "float16", "int64", "uint8"):
    expect("all_reduce." + _dtype, lambda c, d=_dtype: reduced(c, d))
expect("broadcast", lambda c: c.x(2, (67,)), relative=0)
expect("all_gather", lambda c: np.concatenate([c.x(1, (67,)), c.x(2, (67,))]), relative=0)


def text(value):
    """The shortest text that reads back as this number."""
    if isinstance(value, (complex, np.complexfloating)):
        return str(complex(value)).strip("()")
    value = float(value) if isinstance(value, (float, np.floating)) else int(value)
    return str(int(value)) if isinstance(value, int) or value.is_integer() and abs(value) < 2 ** 53 and math.copysign(1, value) * (value or 1) != -1 * (value == 0) else repr(value)


def as_list(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def lines():
    for _, cases in numerics.GROUPS:
        for case in cases:
            if case.own:
                continue
            function, relative, terms, absolute = EXPECT[case.name]
            for kind in case.kinds:
                results = [np.asarray(each) for each in as_list(function(Arrays(kind)))]
                bounds = [np.abs(np.asarray(each)) for each in as_list(function(Arrays(kind, True)))] if terms else results
                for result, bound in zip(results, bounds):
                    finite = np.abs(bound[np.isfinite(bound)]) if bound.dtype.kind in "fc" else np.zeros(0)
                    top = float(finite.max()) if finite.size else 0.0
                    limit = (4 + 2 * math.sqrt(terms)) * top if terms else absolute * top if absolute >= 0 else -absolute * 2 ** 23
                    shape = "x".join(str(each) for each in result.shape) or "x"
                    yield "case %s %s %s %.6g %s %s" % (case.name, kind, relative, limit, shape, " ".join(text(each) for each in result.ravel()))


HEADER = """# Expected values of numerics.py, made by tests/numerics/make_expected.py: do not edit.
#   case NAME KIND R M SHAPE VALUES   one line per result. KIND: f floats, c complex, i signed integers, u uint8, b bool, - one dtype.
#                                     |result - value| <= eps * (R * |value| + M). Elementwise: the values repeat.
#   issue ID NAMES DTYPES FROM BEFORE MACHINES   known issue of an operator or case, by release and machine (* for any).
#   file NAME BASE64                  what torch.save of 1.13.1 wrote on x86-64.
"""


def saved():
    """Yields the lines of the files that torch.save writes, in both formats."""
    numerics.load_torch()
    torch, c = numerics.torch, numerics.Tensors("f", "float32")
    tensors = {"a": c.x(1, (5, 7)), "b": c.x(2, (3,)).double(), "c": c.x(1, (3,)).half(), "d": torch.tensor([1, -2, 2 ** 40]),
               "e": torch.tensor([0, 7, 255], dtype=torch.uint8), "f": c.x(1, (5, 7)).t()[2:4]}
    for name, new in (("zip", True), ("legacy", False)):
        data = io.BytesIO()
        torch.save(tensors, data, _use_new_zipfile_serialization=new)
        yield "file %s %s" % (name, base64.b64encode(data.getvalue()).decode())


def main(arguments):
    with open(os.path.join(HERE, "issues.txt"), encoding="utf-8") as file:
        issues = ["issue " + line.strip() for line in file if line.strip() and not line.startswith("#")]
    if arguments == ["--save"]:
        files = list(saved())
    else:
        with open(OUTPUT, encoding="utf-8") as file:
            files = [line.strip() for line in file if line.startswith("file ")]
    text_ = HEADER + "".join(line.rstrip() + "\n" for line in issues + list(lines()) + files)
    with open(OUTPUT, "w", encoding="utf-8") as file:
        file.write(text_)


if __name__ == "__main__":
    main(sys.argv[1:])
