# SPDX-License-Identifier: BSD-3-Clause
"""Copies two functions out of the tree's sources, as they stand: extract.py TREE OUTPUT. Their files need generated parts
of torch."""
import os
import sys

FUNCTIONS = {
    'torch/csrc/jit/python/python_tracer.cpp': 'std::vector<StackEntry> _pythonCallstack() {',
    'torch/csrc/Stream.cpp': 'void THPStream_init(PyObject *module)',
}
tree, output = sys.argv[1:]
with open(output, 'w') as copy:
    for path, first_line in FUNCTIONS.items():
        with open(os.path.join(tree, path)) as file:
            lines = file.read().split('\n')
        first = lines.index(first_line)
        copy.write('\n'.join(lines[first:lines.index('}', first) + 1]) + '\n')
