# SPDX-License-Identifier: BSD-3-Clause
"""Whether kernels can be launched as the tree launches them, where a block has 32768 registers: launches.py NVCC PYTORCH ARCHITECTURE FILE…

Compiles each file of the tree as its build does, reads from the code how many registers a thread of each kernel gets and how
many threads its bound allows, and from the source how many it is launched with. Prints each kernel that cannot be launched, and
exits with 1 where there is one, 2 where nothing could be said.
"""
import os
import re
import subprocess
import sys

from kernels import demangle, kernels, largest_block

HERE = os.path.dirname(os.path.abspath(__file__))

# File → a line with its number of threads (for doubles a second one, where there is one), and what is launched with as many.
LAUNCHES = {
    'LossCTC': (r'max_threads = std::is_same<scalar_t, float>::value \? (\d+) : (\d+);',
                r'ctc_loss_(log_alpha|backward_log_beta|backward_collect|backward_collect_nonblank)_gpu_kernel<'),
    'EmbeddingBag': (r'const int threads_per_block = (\d+);', '_embedding_bag_per_sample_weights_backward_kernel<'),
    'SoftMax': (r'const int max_threads = (\d+);', 'cunn_SoftMaxForward<'),
    'MultiLabelMarginCriterion': (r'MULTILABELMARGIN_THREADS (\d+)', 'cunn_MultiLabelMarginCriterion_update'),
    'SpatialUpSamplingBicubic': ('', 'bicubic_interp2d_'),
}
CAP = 512  # what the patchset cuda-threads makes of the number that the device reports


def compile_file(nvcc, tree, headers, architecture, path):
    """Returns the code of a file's kernels."""
    command = [nvcc, '-cubin', '-arch=sm_' + architecture, '-std=c++14', '-O3', '-DNDEBUG', '-w', '--expt-relaxed-constexpr',
               '--expt-extended-lambda', '-DCUDA_HAS_FP16=1', '-D_THP_CORE']
    command += ['-D__CUDA_NO_%s__' % name for name in ('HALF_OPERATORS', 'HALF_CONVERSIONS', 'HALF2_OPERATORS')]
    for folder in ('aten/src', '.', 'aten/src/TH', 'aten/src/THC'):
        command += ['-I%s/%s' % (headers, folder), '-I%s/%s' % (tree, folder)]
    done = subprocess.run(command + ['-I%s/aten/src/THCUNN' % tree, path, '-o', 'code.cubin'], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        print(done.stdout)
        sys.exit(2)
    with open('code.cubin', 'rb') as file:
        return file.read()


def refused(code, path):
    """Prints the kernels that cannot be launched; returns how many those are, and how many were looked at."""
    line, names = LAUNCHES[os.path.basename(path)[:-len('.cu')]]
    with open(path) as file:
        numbers = [int(number) for number in re.search(line, file.read()).groups()] if line else [CAP]
    found = kernels(code)
    count = looked_at = 0
    for name, (registers, bound) in zip(demangle(list(found)), found.values()):
        if not re.search(names, name):
            continue
        threads = numbers[-1 if re.search(r'<(\d+, )?double', name) else 0]
        looked_at += 1
        if largest_block(registers, bound) < threads:
            name = name.replace('(anonymous namespace)::', '').split('(')[0]
            print('%s: %d registers, %s: cannot be launched with %d threads' % (
                name, registers, 'bound to %d' % bound if bound else 'no bound', threads))
            count += 1
    return count, looked_at


def main():
    nvcc, tree, architecture = sys.argv[1:4]
    subprocess.run([sys.executable, HERE + '/headers.py', tree, 'headers'], check=True)
    count = looked_at = 0
    for file in sys.argv[4:]:
        path = '%s/aten/src/%s' % (tree, file)
        more, looked = refused(compile_file(nvcc, tree, os.path.abspath('headers'), architecture, path), path)
        count, looked_at = count + more, looked_at + looked
    print('sm_%s: %d of %d kernels cannot be launched' % (architecture, count, looked_at))
    return 2 if not looked_at else min(count, 1)


if __name__ == '__main__':
    sys.exit(main())
