# SPDX-License-Identifier: BSD-3-Clause
"""Versions and ranges as docs/formats.md has them, as far as ranges of patchsets, issues and proofs need it."""
import re


def key(version):
    """What versions are ordered by: a pre-release comes before its release."""
    numbers, _, pre = version.partition("-rc")
    return tuple((list(map(int, numbers.split("."))) + [0] * 6)[:6]) + (int(pre) if pre else 1 << 30,)


def clauses(text):
    """(operator, bound) of each comparison; a bare version has the operator ""."""
    return [] if text == "*" else [re.fullmatch(r"(>=|<=|==|<|>|)([0-9.]+(?:-rc[0-9]+)?)", each).groups() for each in text.split(" ")]


def holds(text, version):
    here = key(version)

    def meets(operator, bound):
        there = key(bound)
        parts = bound.count(".") + 1
        return {">=": here >= there, "<=": here <= there, "==": here == there, "<": here < there, ">": here > there,
                "": here[:parts] == there[:parts]}[operator]

    return all(meets(*clause) for clause in clauses(text))


def cut_before(text, version):
    """The range without what is at or behind a version."""
    lower = [">=" + bound if operator in ("", "==") else operator + bound for operator, bound in clauses(text) if operator not in ("<", "<=")]
    return " ".join(lower + ["<" + version])
