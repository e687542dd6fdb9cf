#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the headers that a build makes before it compiles CUDA: headers.py PYTORCH DIRECTORY.

PyTorch's own generator writes ATen's, out of the tree; what CMake makes of `.h.in` files is made with every option off.
"""
import glob
import os
import re
import subprocess
import sys

# A template, and below which folder of the tree a header is found by its name.
TEMPLATES = [('aten/src/ATen/Config.h.in', 'aten/src'), ('aten/src/ATen/cuda/CUDAConfig.h.in', 'aten/src'),
             ('aten/src/TH/THGeneral.h.in', 'aten/src'), ('aten/src/THC/THCGeneral.h.in', 'aten/src'),
             ('c10/macros/cmake_macros.h.in', '.'), ('c10/cuda/impl/cuda_cmake_macros.h.in', '.'),
             ('caffe2/core/macros.h.in', '.')]


# Up to 1.4 the generator calls yaml.load() as PyYAML 6 refuses to be called.
RUN = '''
import runpy, sys, yaml
load = yaml.load
yaml.load = lambda text, Loader=yaml.SafeLoader: load(text, Loader)
del sys.argv[0]
if sys.argv[0].endswith('.py'):
    sys.path.insert(0, sys.argv[0].rpartition('/')[0])
    runpy.run_path(sys.argv[0], run_name='__main__')
else:
    sys.path.insert(0, '.')
    runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)
'''


def configure(text):
    """What CMake's configure_file makes of `text` where no variable is true."""
    text = re.sub(r'#cmakedefine01 (\w+)', r'#define \1 0', text)
    text = re.sub(r'#cmakedefine (\w+)', r'/* #undef \1 */', text)
    text = re.sub(r'\$\{\w+\}', '', text)
    return re.sub(r'@\w+@', '0', text)


def write_atens(tree, directory):
    """Runs the generator of ATen's headers, whichever this release has."""
    aten = tree + '/aten/src/ATen'
    os.makedirs(directory + '/aten/src/ATen/core', exist_ok=True)
    os.makedirs(directory + '/aten/src/ATen/core_tmp', exist_ok=True)
    to = ['--install_dir', directory + '/aten/src/ATen']
    modules = [module for module in ('torchgen', 'tools/codegen') if os.path.exists('%s/%s/gen.py' % (tree, module))]
    if modules:
        command = [modules[0].replace('/', '.') + '.gen', '--source-path', aten] + to
    else:
        known = ['Declarations.cwrap', '../THNN/generic/THNN.h', '../THCUNN/generic/THCUNN.h', 'nn.yaml', 'native/native_functions.yaml']
        command = [aten + '/gen.py', '--source-path', aten] + to + [aten + '/' + name for name in known if os.path.exists(aten + '/' + name)]
    subprocess.run([sys.executable, '-c', RUN] + command, cwd=tree, check=True)


def main():
    tree, directory = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    write_atens(tree, directory)
    for template, root in TEMPLATES:
        if not os.path.exists('%s/%s' % (tree, template)):
            continue
        header = '%s/%s/%s' % (directory, root, os.path.relpath(template, root)[:-len('.in')])
        os.makedirs(os.path.dirname(header), exist_ok=True)
        with open('%s/%s' % (tree, template)) as source, open(header, 'w') as file:
            file.write(configure(source.read()))
    if not glob.glob(directory + '/aten/src/ATen/Functions.h'):
        sys.exit('headers: no ATen/Functions.h in %s' % directory)


if __name__ == '__main__':
    main()
