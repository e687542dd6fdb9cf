# SPDX-License-Identifier: BSD-3-Clause
"""Preprocesses the Python bindings of c10d where there are no headers of Gloo: preprocess_bindings.py TREE [MACRO…].

Headers that are neither of c10d nor of Gloo are empty stand-ins: only what is left of the bindings themselves counts.
"""
import os
import subprocess
import sys

tree = sys.argv[1]
bindings = os.path.join(tree, 'torch/csrc/distributed/c10d/init.cpp')
compiler = ['g++', '-I' + os.path.join(tree, 'torch/lib'), '-Istand-ins'] + ['-D' + name for name in sys.argv[2:]]

rule = subprocess.check_output(compiler + ['-M', '-MG', bindings], text=True)
for header in rule.replace('\\\n', ' ').split()[1:]:
    if not os.path.exists(header) and not header.startswith('gloo/'):
        path = os.path.join('stand-ins', header)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, 'w').close()

run = subprocess.run(compiler + ['-E', bindings], stdout=subprocess.PIPE, text=True)
if run.returncode != 0:
    sys.exit(run.returncode)
file, left = '', []
for line in run.stdout.split('\n'):
    if line.startswith('# '):
        file = line.split('"')[1]
    elif file == bindings and 'gloo' in line.lower():
        left.append(line)
print(len(left), 'lines of the bindings use Gloo')
sys.exit(1 if left else 0)
