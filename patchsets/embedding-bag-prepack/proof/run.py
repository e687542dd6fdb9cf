# SPDX-License-Identifier: BSD-3-Clause
"""run.py TORCH: whether qembeddingbag_byte_prepack_out() reads the float copy of a half-precision weight while it is there.

The function is compiled as it stands in the tree, without FBGEMM and with a stand-in for tensors whose memory is overwritten,
not given back, when the last reference is gone: reading it then is a wrong result every time, and not only where something
else has taken the memory.
"""
import re
import subprocess
import sys

FUNCTION = re.compile(r'^Tensor& qembeddingbag_byte_prepack_out\(.*?^\}\n', re.MULTILINE | re.DOTALL)

PROGRAM = '''#include <c10/util/irange.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#define TORCH_CHECK(condition, ...) if (!(condition)) std::abort()

namespace c10 {
enum Nothing { nullopt };
template <typename Sizes> int64_t size_to_dim_(size_t last, const Sizes& sizes) {
  int64_t count = 1;
  for (size_t i = 0; i < last; ++i) count *= sizes[i];
  return count;
}
}
namespace at {
enum class ScalarType { Byte, Half, Float };
struct Sizes : std::vector<int64_t> {
  using std::vector<int64_t>::vector;
  std::vector<int64_t> vec() const { return *this; }
};
using Numbers = std::vector<float>;
/// What no tensor owns any more is overwritten, and stays where it was.
void bury(Numbers* numbers) { std::fill(numbers->begin(), numbers->end(), -1e6f); }
struct Tensor {
  Sizes shape;
  ScalarType type;
  std::shared_ptr<Numbers> numbers;
  Tensor(Sizes sizes, ScalarType t) : shape(sizes), type(t), numbers(new Numbers(64), bury) {}
  ScalarType scalar_type() const { return type; }
  Sizes sizes() const { return shape; }
  int suggest_memory_format() const { return 0; }
  std::shared_ptr<const Tensor> expect_contiguous(int) const { return std::make_shared<Tensor>(*this); }
  Tensor to(ScalarType wanted) const {
    if (wanted == type) return *this;
    Tensor copy(shape, wanted);
    *copy.numbers = *numbers;
    return copy;
  }
  template <typename T> T* data_ptr() const { return reinterpret_cast<T*>(numbers->data()); }
};
namespace native {
void resize_(Tensor& tensor, const std::vector<int64_t>& sizes, c10::Nothing) { tensor.shape.assign(sizes.begin(), sizes.end()); }
}
}
using at::Tensor;

FUNCTION
int wrong(at::ScalarType type) {
  const int columns = 4;
  Tensor weight({2, columns}, type), output({0}, at::ScalarType::Byte);
  for (int i = 0; i < 2 * columns; ++i) (*weight.numbers)[i] = i;
  qembeddingbag_byte_prepack_out(output, weight);
  const uint8_t* bytes = output.data_ptr<uint8_t>();
  for (int row = 0; row < 2; ++row) {
    const float* scale_and_minimum = reinterpret_cast<const float*>(bytes + row * (columns + 8) + columns);
    if (bytes[row * (columns + 8) + 1] == 85 && scale_and_minimum[0] == 3 / 255.0f && scale_and_minimum[1] == row * columns) continue;
    std::printf("the float copy of the weight is gone when row %d is read: minimum %g, wanted %d\\n", row,
                scale_and_minimum[1], row * columns);
    return 1;
  }
  return 0;
}

int main() { return wrong(at::ScalarType::Float) + wrong(at::ScalarType::Half) != 0; }
'''

with open(sys.argv[1] + '/aten/src/ATen/native/quantized/cpu/qembeddingbag_prepack.cpp', encoding='utf-8') as file:
    found = FUNCTION.findall(file.read())
if len(found) != 1:
    sys.exit('qembeddingbag_prepack.cpp: %d functions qembeddingbag_byte_prepack_out, not 1' % len(found))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('FUNCTION', found[0]))
subprocess.check_call(['g++', '-std=c++14', '-w', '-I' + sys.path[0], '-I' + sys.argv[1], '-o', 'program', 'program.cpp'])
sys.exit(subprocess.call(['./program']))
