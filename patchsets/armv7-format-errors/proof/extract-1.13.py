# SPDX-License-Identifier: BSD-3-Clause
"""Copies the functions that print positions in 1.13 and 2.0 out of the tree's sources, as they stand: extract-1.13.py TREE OUTPUT.

Whole, these files need Python, the generated parts of torch and a target's libraries of both.
"""
import os
import sys

FUNCTIONS = {
    'torch/csrc/utils/python_arg_parser.h': ['void throw_intlist_exception(', 'PythonArgs::intlistWithDefault(', 'PythonArgs::getDoublelist('],
    'torch/csrc/autograd/python_function.cpp': ['void _save_variables('],
}
tree, output = sys.argv[1:]
with open(output, 'w') as copy:
    for path, names in FUNCTIONS.items():
        with open(os.path.join(tree, path)) as file:
            lines = file.read().split('\n')
        for name in names:
            (first,) = [i for i, line in enumerate(lines) if name in line and not line.startswith(' ') and ';' not in line]
            last = lines.index('}', first)
            copy.write('\n'.join(lines[first:last + 1]) + '\n')
