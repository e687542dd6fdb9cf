# SPDX-License-Identifier: BSD-3-Clause
"""run.py FOLDER: whether a QNNPACK layer uses the scale that a call asks for, where the input's scale is that of the call before.

What such a call runs between the block for a new scale of the input and the check of the packed weights is compiled as it
stands in the tree, together with generate_requantization_scales(). In the linear layer lines about shapes and limits, which
come first, are left out.
"""
import os
import re
import subprocess
import sys

SCALES = re.compile(r'std::vector<float> generate_requantization_scales\(.*?^\}\n', re.MULTILINE | re.DOTALL)
LINEAR = re.compile(r': std::numeric_limits<uint8_t>::max\(\);\n((?:(?!numeric_limits).)*?)'
                    r'  TORCH_INTERNAL_ASSERT\(packB != nullptr, "Packed Weights are NULL"\);\n', re.DOTALL)
CONVOLUTION = re.compile(r'^  if \(!input_scale\.has_value\(\) \|\| input_scale\.value\(\) != act_input_scale\) \{\n.*?^  \}\n'
                         r'(.*?)  TORCH_INTERNAL_ASSERT\(pack_w != nullptr, "Packed Weights are NULL"\);\n',
                         re.MULTILINE | re.DOTALL)

PROGRAM = '''#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#define TORCH_CHECK(condition, ...) if (!(condition)) std::abort()
namespace c10 {
struct irange {
  int64_t last;
  explicit irange(int64_t to) : last(to) {}
  struct iterator {
    int64_t at;
    int64_t operator*() const { return at; }
    iterator& operator++() { ++at; return *this; }
    bool operator!=(const iterator& other) const { return at != other.at; }
  };
  iterator begin() const { return {0}; }
  iterator end() const { return {last}; }
};
}
namespace at {
struct Tensor {
  mutable std::vector<float> numbers;
  int zero_point;
  int64_t numel() const { return numbers.size(); }
  template <typename T> T* data_ptr() const { return numbers.data(); }
  int64_t q_zero_point() const { return zero_point; }
};
}

SCALES
struct Operator { uint8_t zero_buffer[8]; };

int wrong = 0;
void expect(const char* layer, const char* what, float found, float wanted) {
  if (std::abs(found - wanted) < 1e-6) return;
  std::printf("%s: %s is %g, wanted %g\\n", layer, what, found, wanted);
  ++wrong;
}

int main() {
  const at::Tensor w_scales{{0.5f, 0.25f}, 0}, act_nhwc{{}, 9}, act_ndhwc{{}, 9};
  const double input_scale = 0.1, act_input_scale = 0.1, output_scale = 0.4;
  const size_t zero_buffer_size = 8;
  const auto convolution_op = std::make_shared<Operator>();
  std::memset(convolution_op->zero_buffer, 3, 8);
  {
    std::vector<float> requantization_scales = {0.5f * 0.1f / 0.2f, 0.25f * 0.1f / 0.2f};
LINEAR
    expect("linear", "the first factor", requantization_scales[0], 0.125f);
    expect("linear", "the second factor", requantization_scales[1], 0.0625f);
  }
  {
    std::vector<float> requantization_scales = {0.5f * 0.1f / 0.2f, 0.25f * 0.1f / 0.2f};
CONVOLUTION
    expect("convolution", "the first factor", requantization_scales[0], 0.125f);
    expect("convolution", "the second factor", requantization_scales[1], 0.0625f);
    if (HAS_BUFFER) expect("convolution", "the zero point of the padding", convolution_op->zero_buffer[7], 9);
  }
  return wrong != 0;
}
'''


def text_of(*names):
    for name in names:
        path = os.path.join(sys.argv[1], name)
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                return file.read()
    sys.exit('none of the files %s' % ', '.join(names))


def only(pattern, text, what):
    found = pattern.findall(text)
    if len(found) != 1:
        sys.exit('%s: %d places, not 1' % (what, len(found)))
    return found[0]


convolution = text_of('qconv.cpp')
program = PROGRAM.replace('SCALES\n', only(SCALES, text_of('qnnpack_utils.h', 'QnnpackUtils.h'), 'scales'))
program = program.replace('LINEAR\n', only(LINEAR, text_of('qlinear.cpp'), 'qlinear.cpp'))
program = program.replace('CONVOLUTION\n', only(CONVOLUTION, convolution, 'qconv.cpp'))
program = program.replace('HAS_BUFFER', 'true' if 'zero_buffer_size' in convolution else 'false')
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(program)
subprocess.run(['g++', '-std=c++14', '-o', 'program', 'program.cpp'], check=True)
sys.exit(subprocess.run(['./program']).returncode)
