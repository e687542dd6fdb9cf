# SPDX-License-Identifier: BSD-3-Clause
"""Whether kernels can be launched with the tree's limits, where a block has 32768 registers: blocks.py LIMITS NVCC PYTORCH ARCHITECTURE FILE…

LIMITS is the program that prints the limits of the tree (limits.cpp). Compiles each file of the tree as its build does, reads from
the code how many registers a thread of each kernel gets, and compares the largest block with the limit that its launch goes by.
Prints each kernel that cannot be launched, and exits with 1 where there is one, 2 where nothing could be said.
"""
import os
import re
import subprocess
import sys

from kernels import demangle, kernels, largest_block
from launches import HERE, compile_file

# File → the limit that its launches go by, and the kernels that are launched so.
FILES = {
    'SpatialUpSamplingBilinear': ('device property', 'caffe_gpu_interp2_kernel'),
    'SpatialAveragePooling': ('THCUNN/common.h', 'AvePool(Forward|Backward)<'),
    'SpatialDepthwiseConvolution': ('THCUNN/common.h', 'spatialDepthwiseConvolutionUpdate(Output|GradInput)<'),
    'AveragePool2d': ('device property', 'avg_pool2d_(backward_)?out_cuda_frame'),
    'DepthwiseConv2d': ('KernelUtils.h', 'conv_depthwise2d_(forward|backward)_kernel'),
}


def limits_of(program):
    """Limit → threads, of what the program prints: "device property 1024, KernelUtils.h 1024"."""
    said = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=False).stdout
    return {name.strip(): int(number) for name, number in re.findall(r'([^,\d][^,]*?) (\d+)\b', said)}


def main():
    program, nvcc, tree, architecture = sys.argv[1:5]
    limits = limits_of(program)
    subprocess.run([sys.executable, HERE + '/headers.py', tree, 'headers'], check=True)
    refused = looked_at = 0
    for file in sys.argv[5:]:
        limit, names = FILES[os.path.basename(file)[:-len('.cu')]]
        path = '%s/aten/src/%s' % (tree, file)
        found = kernels(compile_file(nvcc, tree, os.path.abspath('headers'), architecture, path))
        for name, (registers, bound) in zip(demangle(list(found)), found.values()):
            if not re.search(names, name):
                continue
            looked_at += 1
            if largest_block(registers, bound) < limits[limit]:
                refused += 1
                print('%s: %d registers: cannot be launched with %d threads' % (
                    name.replace('(anonymous namespace)::', '').split('(')[0], registers, limits[limit]))
    print('sm_%s: %d of %d kernels cannot be launched' % (architecture, refused, looked_at))
    return 2 if not looked_at else min(refused, 1)


if __name__ == '__main__':
    sys.exit(main())
