# SPDX-License-Identifier: BSD-3-Clause
"""run.py FILE: whether 8-bit quantized embedding bags are computed without FBGEMM.

Both functions of qembeddingbag.cpp, and what stands before them, are compiled as they are in the tree, with a stand-in for
tensors whose new memory is no number.
"""
import re
import subprocess
import sys

PROGRAM = r'''#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>
#include <algorithm>

#define TORCH_CHECK(condition, ...) if (!(condition)) throw 1
namespace c10 {
template <typename T> struct optional {
  std::shared_ptr<T> held;
  optional() {}
  optional(const T& value) : held(new T(value)) {}
  bool has_value() const { return held != nullptr; }
  explicit operator bool() const { return has_value(); }
  const T& value() const { return *held; }
};
}
namespace at {
enum Type { kFloat, kByte };
struct Options { Options dtype(Type) const { return {}; } };
struct Tensor {
  std::shared_ptr<std::vector<char>> bytes;
  std::vector<int64_t> sizes;
  template <typename T> T* data_ptr() const { return reinterpret_cast<T*>(bytes->data()); }
  int64_t size(int i) const { return sizes[i]; }
  int64_t numel() const { int64_t n = 1; for (int64_t s : sizes) n *= s; return n; }
  int64_t ndimension() const { return sizes.size(); }
  Type scalar_type() const { return kByte; }
  Tensor contiguous() const { return *this; }
  Options options() const { return {}; }
};
template <typename T> Tensor make(std::vector<int64_t> sizes, const std::vector<T>& values) {
  Tensor made{std::make_shared<std::vector<char>>(values.size() * sizeof(T)), sizes};
  std::memcpy(made.bytes->data(), values.data(), values.size() * sizeof(T));
  return made;
}
Tensor empty(std::vector<int64_t> sizes, Options) {
  return make(sizes, std::vector<float>(sizes[0] * sizes[1], NAN));
}
template <typename F> void parallel_for(int64_t begin, int64_t end, int64_t, F f) { f(begin, end); }
}
struct PackedEmbeddingBagWeight {
  at::Tensor packed_w;
  at::Tensor embeddingbag_byte(const at::Tensor&, const c10::optional<at::Tensor>&, bool, const c10::optional<at::Tensor>&, bool);
};
using at::Tensor;
FUNCTIONS
int main() {
  const int width = 5, rows = 4;
  std::vector<uint8_t> table;
  const auto value = [](int row, int d) { return (row + 1) * 0.5f * (10 * row + d) - row; };
  for (int row = 0; row < rows; ++row) {
    for (int d = 0; d < width; ++d) table.push_back(10 * row + d);
    const float ends[] = {(row + 1) * 0.5f, float(-row)};
    table.insert(table.end(), (const uint8_t*)ends, (const uint8_t*)ends + 8);
  }
  const Tensor weight = at::make({rows, width + 8}, table);
  const std::vector<int64_t> picked = {3, 1, 0, 2, 3}, begins = {0, 2, 2, 5};
  const std::vector<float> factors = {1, -2, 0.5f, 3, 4};
  const Tensor indices = at::make({5}, picked), all = at::make({4}, begins), most = at::make({3}, begins), own = at::make({5}, factors);
  int wrong = 0;
  for (const bool includes_last : {false, true})
    for (const bool has_factors : {false, true})
      for (const bool is_packed : {false, true}) {
        c10::optional<Tensor> offsets(includes_last ? all : most), weights;
        if (has_factors) weights = c10::optional<Tensor>(own);
        const Tensor out = is_packed ? PackedEmbeddingBagWeight{weight}.embeddingbag_byte(indices, offsets, false, weights, includes_last)
                                     : embedding_bag_byte_rowwise_offsets(weight, indices, offsets, false, 0, false, weights, includes_last);
        for (int bag = 0; bag < 3; ++bag)
          for (int d = 0; d < width; ++d) {
            float wanted = 0;
            for (int64_t i = begins[bag]; i < begins[bag + 1]; ++i) wanted += (has_factors ? factors[i] : 1) * value(picked[i], d);
            const float have = out.data_ptr<float>()[bag * width + d];
            if (!(std::abs(have - wanted) < 1e-4f)) ++wrong;
          }
      }
  bool is_refused = false;
  try {
    PackedEmbeddingBagWeight{weight}.embeddingbag_byte(at::make<int64_t>({1}, {rows}), c10::optional<Tensor>(at::make<int64_t>({1}, {0})), false, {}, false);
  } catch (int) {
    is_refused = true;
  }
  if (wrong) std::printf("%d sums were not written, or are wrong\n", wrong);
  else if (!is_refused) std::printf("a row is read that is not there\n");
  return wrong || !is_refused;
}
'''

with open(sys.argv[1], encoding='utf-8') as file:
    text = file.read()
before = re.search(r'^#ifndef USE_FBGEMM\n.*?^#endif\n', text, re.MULTILINE | re.DOTALL)
functions = [found.group(0) for name in ('at::Tensor PackedEmbeddingBagWeight::embeddingbag_byte', 'Tensor embedding_bag_byte_rowwise_offsets')
             for found in [re.search(r'^%s\(.*?^\}\n' % name, text, re.MULTILINE | re.DOTALL)] if found]
if len(functions) != 2:
    sys.exit('qembeddingbag.cpp: %d functions, not 2' % len(functions))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('FUNCTIONS\n', (before.group(0) if before else '') + ''.join(functions)))
subprocess.run(['g++', '-std=c++14', '-o', 'program', 'program.cpp'], check=True)
sys.exit(subprocess.run(['./program']).returncode)
