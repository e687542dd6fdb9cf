# SPDX-License-Identifier: BSD-3-Clause
"""Links device code of NCCL as its makefiles do: device_link.py NVCC NCCL ARCHITECTURE [REGISTERS|- [PYTORCH]].

Compiles two of the objects (sums of bytes for all-reduce, largest doubles for reduce-scatter) and the table of their functions.
REGISTERS: instead of the limit that makefiles/common.mk has (-). PYTORCH: just where this tree builds NCCL without being asked.
Prints what nvlink says, and exits with 0, 1 where it does not link, 2 for anything else.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def write_header(nccl):
    """Makes nccl.h in the current directory, as src/Makefile does; returns what makefiles/version.mk says."""
    with open(nccl + '/makefiles/version.mk') as file:
        version = dict(re.findall(r'^NCCL_(\w+)\s*:=[ \t]*(\S*)', file.read(), re.MULTILINE))
    major, minor, patch = (int(version[name]) for name in ('MAJOR', 'MINOR', 'PATCH'))
    code = major * 1000 + minor * 100 + patch if (major, minor) < (2, 9) else major * 10000 + minor * 100 + patch
    values = {'Major': major, 'Minor': minor, 'Patch': patch, 'Suffix': '', 'Version': code}
    with open(nccl + '/src/nccl.h.in') as file:
        text = file.read()
    with open('nccl.h', 'w') as file:
        file.write(re.sub(r'\$\{nccl:(\w+)\}', lambda found: str(values[found[1]]), text))


def is_built_by_default(pytorch):
    """Whether the tree builds NCCL where it finds CUDA: by its setup helpers (1.1), else by CMake's option."""
    helpers = pytorch + '/tools/setup_helpers/nccl.py'
    with open(pytorch + '/CMakeLists.txt') as file:
        option = re.search(r'USE_NCCL "Use NCCL" (ON|OFF)', file.read())[1] == 'ON'
    if not os.path.exists(helpers) or os.path.exists(pytorch + '/tools/build_pytorch_libs.sh'):
        return option
    os.environ['CUDA_HOME'] = HERE + '/cuda-9.0'
    sys.path.insert(0, pytorch)
    from tools.setup_helpers import cuda, nccl  # a module of the tree's
    assert cuda.USE_CUDA, 'the helpers have not found CUDA'
    return nccl.USE_NCCL


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def main():
    nvcc, nccl, architecture = sys.argv[1:4]
    with open(nccl + '/makefiles/common.mk') as file:
        makefile = file.read()
    registers = sys.argv[4] if len(sys.argv) > 4 else '-'
    if registers == '-':
        registers = re.search(r'-maxrregcount=(\d+)', makefile)[1]
    if len(sys.argv) > 5 and not is_built_by_default(sys.argv[5]):
        print('the tree does not build NCCL without being asked')
        return 0
    write_header(nccl)
    flags = ['-gencode=arch=compute_%s,code=sm_%s' % (architecture, architecture), '-std=c++11', '-O3', '-w', '-Xptxas', '-maxrregcount=' + registers]
    flags += ['--expt-extended-lambda', '-DCUDA_MAJOR=11', '-DCUDA_MINOR=2', '-I.']
    flags += ['-I%s/src%s' % (nccl, folder) for folder in ('/include', '', '/collectives', '/collectives/device')]
    device = nccl + '/src/collectives/device'
    objects = [([device + '/all_reduce.cu', '-DNCCL_OP=0', '-DNCCL_TYPE=1'], 'all_reduce.o'),
               ([device + '/reduce_scatter.cu', '-DNCCL_OP=3', '-DNCCL_TYPE=8'], 'reduce_scatter.o'),
               ([HERE + '/device_table.cu'], 'table.o')]
    for source, name in objects:
        code, text = run([nvcc] + flags + ['-dc'] + source + ['-o', name])
        if code:
            print(text)
            return 2
    code, text = run([nvcc] + flags + ['-dlink'] + [name for _, name in objects] + ['-o', 'devlink.o'])
    print(text)
    print('sm_%s, %s registers: %s' % (architecture, registers, 'does not link' if code else 'links'))
    return 1 if code else 0


if __name__ == '__main__':
    sys.exit(main())
