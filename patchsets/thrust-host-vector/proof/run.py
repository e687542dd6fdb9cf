# SPDX-License-Identifier: BSD-3-Clause
"""run.py MATH_GPU_CU: whether the file includes what its host vectors need, with the Thrust of CUDA 11.4.

The includes of Thrust and the lines with host vectors are compiled as they stand. The stand-ins for Thrust's headers include one
another as those of CUDA 11.4 do: device_vector.h does not bring host_vector.h.
"""
import re
import subprocess
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    text = file.read()
includes = re.findall(r'^#include <thrust/.*\n', text, re.MULTILINE)
lines = re.findall(r'^ *thrust::host_vector<.*\n', text, re.MULTILINE)
if len(lines) != 3:
    sys.exit('math_gpu.cu: %d host vectors, not 3' % len(lines))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write('%sstruct __half;\nint main() {\n  const int batch_size = 3;\n%s  return A_array.size() + B_array.size() + C_array.size() '
               '- 9;\n}\n' % (''.join(includes), ''.join(lines)))
subprocess.check_call(['g++', '-std=c++14', '-I' + sys.path[0], '-o', 'program', 'program.cpp'])
sys.exit(subprocess.call(['./program']))
