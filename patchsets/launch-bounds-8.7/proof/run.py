# SPDX-License-Identifier: BSD-3-Clause
"""run.py MACROS_H: whether launch bounds for each GPU ask for no more threads than its multiprocessors hold.

The limits and macros of the file are compiled for the compute capabilities of Jetsons and of two other GPUs.
"""
import re
import subprocess
import sys

THREADS = {530: 2048, 620: 2048, 720: 2048, 750: 1024, 800: 2048, 860: 1536, 870: 1536}      # CUDA's table of technical specifications

with open(sys.argv[1], encoding='utf-8') as file:
    found = re.search(r'^#if __CUDA_ARCH__ == 750\n.*?^#endif\n.*?(?=^// C10_LAUNCH_BOUNDS is)', file.read(), re.MULTILINE | re.DOTALL)
wrong = 0
for arch, threads in THREADS.items():
    with open('bounds.cpp', 'w', encoding='utf-8') as file:
        file.write('#include <cstdint>\n#include <cstdio>\n%s\nint main() { std::printf("%%d %%d\\n", int(CUDA_MAX_THREADS_PER_SM), '
                   'int(512 * C10_MIN_BLOCKS_PER_SM(512, 4))); }\n' % found.group(0))
    subprocess.check_call(['g++', '-std=c++14', '-w', '-D__CUDA_ARCH__=%d' % arch, '-o', 'bounds', 'bounds.cpp'])
    limit, resident = map(int, subprocess.check_output(['./bounds']).split())
    if limit != threads or resident > threads:
        print('for %d, %d threads are asked for where %d have room' % (arch, resident, threads))
        wrong += 1
sys.exit(wrong != 0)
