# SPDX-License-Identifier: BSD-3-Clause
"""run.py FILE: whether a dynamic quantized layer with a ReLU returns no negative numbers with QNNPACK.

What follows QNNPACK's kernel in apply_dynamic_impl() (1.5: qnnpack_linear()) is compiled as it stands in the tree.
"""
import re
import subprocess
import sys

END = re.compile(r'TORCH_INTERNAL_ASSERT\(\s*runStatus == pytorch_qnnp_status_success,\s*'
                 r'"failed to run QNNPACK Linear operator"\);\n(.*?return [^;]*;\n)', re.DOTALL)

PROGRAM = '''#include <cstdio>

struct Tensor {
  float number;
  Tensor& relu_() {
    if (number < 0) number = 0;
    return *this;
  }
};

template <bool ReluFused>
Tensor end_of_call(Tensor output) {
END
}

int main() {
  const float with = end_of_call<true>({-2}).number, without = end_of_call<false>({-2}).number;
  if (with != 0) std::printf("linear_relu_dynamic returns %g, wanted 0\\n", with);
  if (without != -2) std::printf("linear_dynamic returns %g, wanted -2\\n", without);
  return with != 0 || without != -2;
}
'''

with open(sys.argv[1], encoding='utf-8') as file:
    found = END.findall(file.read())
if len(found) != 1:
    sys.exit('qlinear_dynamic.cpp: %d calls of QNNPACK, not 1' % len(found))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('END\n', found[0]))
subprocess.run(['g++', '-std=c++14', '-o', 'program', 'program.cpp'], check=True)
sys.exit(subprocess.run(['./program']).returncode)
