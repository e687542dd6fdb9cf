# SPDX-License-Identifier: BSD-3-Clause
"""run.py FILE: whether load_scalar of python_scalars.h, which tolist() and printing call, reads int8 values with their sign.

Its line for int8 is compiled as it stands in the tree, with a char as on ARM.
"""
import re
import subprocess
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    found = re.findall(r'case at::kChar: return THPUtils_packInt64\((.*)\);', file.read())
if len(found) != 1:
    sys.exit('python_scalars.h: %d lines for int8, not 1' % len(found))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write('''#include <cstdint>
#include <cstdio>
int main() {
  int count = 0;
  for (int wanted = -128; wanted < 128; ++wanted) {
    int8_t value = wanted;
    void* data = &value;
    const int64_t read = %s;
    if (read == wanted) continue;
    if (!count++) std::printf("%%d of int8 is read as %%d\\n", wanted, int(read));
  }
  return count != 0;
}
''' % found[0])
subprocess.run(['g++', '-std=c++11', '-funsigned-char', '-o', 'program', 'program.cpp'], check=True)
sys.exit(subprocess.run(['./program']).returncode)
