# SPDX-License-Identifier: BSD-3-Clause
"""run.py FILE: whether vectors of floats give what each number gives by itself.

The functions of vec256_float_neon.h are compiled for aarch64 as they stand in the tree, and run by qemu.
"""
import re
import subprocess
import sys

PROGRAM = r'''#include <arm_neon.h>
#include <cmath>
#include <cstdio>

template <typename T> struct Vec256 {
  float32x4x2_t values;
  Vec256(float32x4_t low, float32x4_t high) : values{low, high} {}
FUNCTIONS
};

int count = 0;
template <typename F, typename G> void compare(const char* name, F vector, G number) {
  const float numbers[] = {0, -0.0f, 1, -2.5f, 3, 5e-39f, 1e-39f, 1e-30f, 3e38f, 1e10f, -1e10f, INFINITY, -INFINITY, NAN};
  for (const float x : numbers) {
    volatile float input = x;  // the compiler must not compute it
    const Vec256<float> out = vector(Vec256<float>(vdupq_n_f32(input), vdupq_n_f32(input)));
    const float wanted = number(x);
    const float both[] = {vgetq_lane_f32(out.values.val[0], 0), vgetq_lane_f32(out.values.val[1], 3)};
    for (const float have : both)
      if (have != wanted && !(std::isnan(have) && std::isnan(wanted)))
        ++count, std::printf("%s(%g) is %g in a vector, and %g alone\n", name, x, have, wanted);
  }
}

int main() {
  using Floats = Vec256<float>;
  compare("trunc", [](Floats x) { return x.trunc(); }, [](float x) { return std::trunc(x); });
  compare("reciprocal", [](Floats x) { return x.reciprocal(); }, [](float x) { return 1 / x; });
  compare("rsqrt", [](Floats x) { return x.rsqrt(); }, [](float x) { return 1 / std::sqrt(x); });
  if (count) std::printf("vectors of floats are wrong\n");
  return count != 0;
}
'''

with open(sys.argv[1], encoding='utf-8') as file:
    found = re.findall(r'^  Vec256<float> (?:trunc|sqrt|reciprocal|rsqrt)\(\) const \{\n.*?^  \}\n', file.read(), re.MULTILINE | re.DOTALL)
if len(found) != 4:
    sys.exit('vec256_float_neon.h: %d functions, not 4' % len(found))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('FUNCTIONS\n', ''.join(found)))
subprocess.run(['aarch64-linux-gnu-g++', '-std=c++14', '-O2', '-static', '-o', 'program', 'program.cpp'], check=True)
sys.exit(subprocess.run(['qemu-aarch64', './program']).returncode)
