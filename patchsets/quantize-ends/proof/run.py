# SPDX-License-Identifier: BSD-3-Clause
"""run.py FILE: whether quantize_val_arm() saturates values far out of range to the end on their side.

The function that is compiled without FBGEMM, the last of its name in the file, is run as it stands in the tree.
"""
import re
import subprocess
import sys

FUNCTION = re.compile(r'^(?:template <typename T>\nT|(?:inline )?uint8_t) quantize_val_arm\([^;{]*\{.*?^\}\n',
                      re.MULTILINE | re.DOTALL)

PROGRAM = '''#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

template <class T>
inline T Round(const T x) { return std::nearbyint(x); }

FUNCTION
int wrong = 0;
void expect(const char* type, int found, int wanted, int zero_point, float value) {
  if (found == wanted) return;
  std::printf("%g becomes %d of %s with zero point %d, wanted %d\\n", value, found, type, zero_point, wanted);
  ++wrong;
}

int main() {
  const float inf = std::numeric_limits<float>::infinity();
  for (const float value : {3e9f, 1e12f, inf}) {
    expect("uint8", UINT8(1.0f, 10, value), 255, 10, value);
    expect("uint8", UINT8(1.0f, 0, value), 255, 0, value);
    expect("uint8", UINT8(1.0f, 10, -value), 0, 10, -value);
    INT8
  }
  for (const int zero_point : {0, 10, 255})
    for (int i = -300; i <= 300; ++i)
      expect("uint8", UINT8(0.5f, zero_point, i / 2.0f), std::min(std::max(i + zero_point, 0), 255), zero_point, i / 2.0f);
  return wrong != 0;
}
'''

INT8 = '''for (const int zero_point : {-10, 0, 10}) {
      expect("int8", quantize_val_arm<int8_t>(1.0f, zero_point, value), 127, zero_point, value);
      expect("int8", quantize_val_arm<int8_t>(1.0f, zero_point, -value), -128, zero_point, -value);
    }'''

with open(sys.argv[1], encoding='utf-8') as file:
    found = FUNCTION.findall(file.read())
if not found:
    sys.exit('%s: no function quantize_val_arm' % sys.argv[1])
is_template = found[-1].startswith('template')
program = PROGRAM.replace('UINT8(', 'quantize_val_arm<uint8_t>(' if is_template else 'quantize_val_arm(')
# The sum of two int32 wraps around where the tree lets it overflow.
program = program.replace('    INT8\n', '    %s\n' % INT8 if is_template else '').replace('FUNCTION\n', found[-1] + '\n')
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(program)
subprocess.run(['g++', '-std=c++14', '-fwrapv', '-o', 'program', 'program.cpp'], check=True)
sys.exit(subprocess.run(['./program']).returncode)
