#!/usr/bin/env python3
"""Compares two prints of computes.py or of qnnpack.cpp: compare_values.py ONE OTHER. Exit code 1 where values differ."""
import json
import math
import sys


def main():
    one, other = (json.load(open(name)) for name in sys.argv[1:3])
    different = sorted(set(one) ^ set(other))
    for name in sorted(set(one) & set(other)):
        pairs = list(zip(one[name], other[name]))
        is_close = len(one[name]) == len(other[name]) and all(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-5) for a, b in pairs)
        if not is_close:
            different.append(name)
    print(f"{len(one)} results compared, different: {', '.join(different) or 'none'}")
    return 1 if different or not one else 0


if __name__ == "__main__":
    sys.exit(main())
