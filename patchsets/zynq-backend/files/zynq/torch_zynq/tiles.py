# SPDX-License-Identifier: BSD-3-Clause
"""Products of any size from products of tiles."""


def _spans(length, edge):
    return [slice(start, min(start + edge, length)) for start in range(0, length, edge)]


def tiled_matmul(a, b, edge, multiply, product_type):
    """The product of a (m, k) and b (k, n), where multiply takes tiles of at most edge × edge.

    Partial products are added in the order of k, in product_type: exact for int32 as long as it does not overflow.
    """
    out = a.new_zeros((a.shape[0], b.shape[1]), dtype=product_type)
    for rows in _spans(a.shape[0], edge):
        for columns in _spans(b.shape[1], edge):
            for inner in _spans(a.shape[1], edge):
                out[rows, columns] += multiply(a[rows, inner], b[inner, columns])
    return out
