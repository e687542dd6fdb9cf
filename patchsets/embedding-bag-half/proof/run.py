# SPDX-License-Identifier: BSD-3-Clause
"""run.py TORCH: whether the EmbeddingBag kernels for halves, without FBGEMM, write only the bags of their own thread.

The two functions of aten/src/ATen/native/EmbeddingBag.cpp are compiled as they are, with stand-ins for tensors. Two threads sum
one bag each: one of them runs as a whole at some moment at which the other has read a sum and has not yet stored it. Real
threads can interleave so; here each order and each moment is tried.
"""
import re
import subprocess
import sys

FUNCTION = re.compile(r'^template<typename data_t, typename index_t>\ntypename std::enable_if<std::is_same<data_t, at::Half>::value, '
                      r'void>::type\nindex_select_(?:scale_)?add\(.*?^\}\n', re.MULTILINE | re.DOTALL)

PROGRAM = '''#include <c10/util/irange.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#define TORCH_CHECK(condition, ...) if (!(condition)) std::abort()
#define AT_ASSERT(condition) TORCH_CHECK(condition)

std::function<void()> other_thread;
int conversions, moment, first;
const int kColumns = 4;

namespace at {
struct Half {
  Half() : value(0) {}
  explicit Half(float number) : value(number) {
    if (++conversions != moment || !other_thread) return;
    const auto run = std::move(other_thread);
    other_thread = nullptr;
    run();
  }
  explicit operator float() const { return value; }
  float value;
};
enum Type { kFloat };
struct Options { Options dtype(Type) const { return {}; } };
struct Tensor {
  std::vector<int64_t> shape;
  std::shared_ptr<std::vector<char>> bytes;
  Tensor(std::vector<int64_t> sizes, size_t width) : shape(sizes) {
    size_t count = width;
    for (int64_t size : sizes) count *= size;
    bytes = std::make_shared<std::vector<char>>(count);
  }
  int64_t size(int dimension) const { return shape[dimension]; }
  std::vector<int64_t> sizes() const { return shape; }
  std::vector<int64_t> strides() const { return {shape.size() > 1 ? shape[1] : 1, 1}; }
  int64_t numel() const { return shape[0] * (shape.size() > 1 ? shape[1] : 1); }
  Tensor contiguous() const { return *this; }
  Options options() const { return {}; }
  bool defined() const { return true; }
  template <typename T> T* data_ptr() const { return reinterpret_cast<T*>(bytes->data()); }
};
Tensor zeros(std::vector<int64_t> sizes, Options) { return {sizes, sizeof(float)}; }
Tensor empty(std::vector<int64_t> sizes, Options) { return {sizes, sizeof(float)}; }
template <typename F> void parallel_for(int64_t, int64_t, int64_t, const F& work) {
  other_thread = [&] { work(1 - first, 2 - first); };
  work(first, first + 1);
  if (!other_thread) return;
  const auto run = std::move(other_thread);
  other_thread = nullptr;
  run();
}
namespace native { namespace cpublas {
template <typename T> void axpy(int64_t, T, T*, int64_t, T*, int64_t) { std::abort(); }
}}
}
namespace caffe2 {
template <typename I> void EmbeddingLookupIdx(int64_t columns, int64_t bags, int64_t, int64_t, const at::Half* input,
                                              const I* indices, const I* offsets, const float* weights, const float*, bool,
                                              float* out) {
  for (int64_t bag = 0; bag < bags; ++bag)
    for (I at = offsets[bag]; at < offsets[bag + 1]; ++at)
      for (int64_t column = 0; column < columns; ++column)
        out[bag * columns + column] += input[indices[at - offsets[0]] * columns + column].value *
                                       (weights ? weights[at - offsets[0]] : 1);
}
}
using namespace at;
struct _EmbeddingBagKernelCache;
template <typename I> bool is_fast_path_index_select(const Tensor&, Tensor&, I) { return true; }
template <typename I> bool is_fast_path_index_select_scale(const Tensor&, const Tensor&, Tensor&, I) { return true; }

FUNCTIONS
template <typename I, typename Sum> int wrong(const char* name, const Sum& sum) {
  Tensor weights({2, kColumns}, sizeof(Half)), output({2, kColumns}, sizeof(Half)), numbers({2}, sizeof(I));
  for (I i : {0, 1}) numbers.template data_ptr<I>()[i] = i;
  for (int i = 0; i < 2 * kColumns; ++i) weights.data_ptr<Half>()[i].value = i + 1;
  Tensor scale({2}, sizeof(Half));
  for (int i : {0, 1}) scale.data_ptr<Half>()[i].value = 1;
  conversions = 0;
  sum(numbers, scale, weights, output);
  for (int i = 0; i < 2 * kColumns; ++i) {
    if (output.data_ptr<Half>()[i].value == i + 1) continue;
    std::printf("%s: a thread overwrites another's bag: %g, wanted %d\\n", name, output.data_ptr<Half>()[i].value, i + 1);
    return 1;
  }
  return 0;
}

template <typename I> int wrong() {
  Tensor bag_size({2}, sizeof(I));
  int count = 0;
  for (first = 0; first < 2; ++first)
    for (moment = 1; moment <= 2 * kColumns; ++moment)
      count += wrong<I>("sum", [&](Tensor& numbers, Tensor&, Tensor& weights, Tensor& output) {
        index_select_add<Half, I>(numbers, numbers, weights, output, numbers, false, bag_size, -1, nullptr);
      }) + wrong<I>("weighted sum", [&](Tensor& numbers, Tensor& scale, Tensor& weights, Tensor& output) {
        index_select_scale_add<Half, I>(numbers, numbers, scale, weights, output, numbers, false, bag_size, -1, nullptr);
      });
  return count;
}

int main() { return wrong<int32_t>() + wrong<int64_t>() != 0; }
'''

with open(sys.argv[1] + '/aten/src/ATen/native/EmbeddingBag.cpp', encoding='utf-8') as file:
    found = FUNCTION.findall(file.read())
if len(found) != 2:
    sys.exit('EmbeddingBag.cpp: %d functions for halves, not 2' % len(found))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('FUNCTIONS', '\n'.join(found)))
subprocess.check_call(['g++', '-std=c++14', '-w', '-I' + sys.path[0], '-I' + sys.argv[1], '-o', 'program', 'program.cpp'])
sys.exit(subprocess.call(['./program']))
