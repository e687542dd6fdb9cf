# SPDX-License-Identifier: BSD-3-Clause
"""Copies the functions that print positions out of the tree's sources, as they stand: extract.py TREE OUTPUT.

Whole, these files need Python, the generated parts of torch and a target's libraries of both.
"""
import os
import sys

FUNCTIONS = {
    'torch/csrc/utils/python_arg_parser.h': ['void throw_intlist_exception(', 'PythonArgs::intlistWithDefault(', 'PythonArgs::getDoublelist('],
    'torch/csrc/autograd/python_function.cpp': ['void _save_variables('],
}
SINCE_1_13 = 'void throw_intlist_exception('  # which intlistWithDefault calls
tree, output = sys.argv[1:]
with open(output, 'w') as copy:
    for path, names in FUNCTIONS.items():
        with open(os.path.join(tree, path)) as file:
            lines = file.read().split('\n')
        for name in names:
            found = [i for i, line in enumerate(lines) if name in line and not line.startswith(' ') and ';' not in line]
            if not found and name == SINCE_1_13:
                continue
            (first,) = found
            last = lines.index('}', first)
            copy.write('\n'.join(lines[first:last + 1]) + '\n')
