# SPDX-License-Identifier: BSD-3-Clause
"""run.py FILE: whether the lookup of quantized embeddings without FBGEMM reads the first offset where there is none.

The lines that make lengths of offsets are compiled as they stand in the tree. The stand-in for a tensor counts what is read
beyond its end instead of being killed for it.
"""
import re
import subprocess
import sys

LENGTHS = re.compile(r'^  auto accessor = offsets\.accessor<.*?^  if \(!include_last_offset\) \{\n.*?^  \}\n',
                     re.MULTILINE | re.DOTALL)

PROGRAM = '''#include <cstdint>
#include <cstdio>
#include <vector>

namespace c10 {
struct irange {
  int64_t first, last;
  irange(int64_t from, int64_t to) : first(from), last(to < from ? from : to) {}
  struct iterator {
    int64_t at;
    int64_t operator*() const { return at; }
    iterator& operator++() { ++at; return *this; }
    bool operator!=(const iterator& other) const { return at != other.at; }
  };
  iterator begin() const { return {first}; }
  iterator end() const { return {last}; }
};
}
using OffsetType = int64_t;
int beyond = 0;
struct Tensor {
  std::vector<int64_t> numbers;
  int64_t numel() const { return numbers.size(); }
  template <typename T, int N> const Tensor& accessor() const { return *this; }
  int64_t operator[](int64_t i) const {
    if (i < numel()) return numbers[i];
    ++beyond;
    return 7;
  }
};

template <typename Length>
std::vector<Length> lengths_of(const Tensor& offsets, const Tensor& indices, bool include_last_offset) {
LENGTHS
  return std::vector<Length>(lengths_data.begin(), lengths_data.end());
}

int main() {
  const Tensor none{{}}, indices{{5, 6, 7, 8}};
  lengths_of<int64_t>(none, none, false);
  if (beyond) std::printf("the first offset is read, and there is none\\n");
  const bool is_right = lengths_of<int64_t>(Tensor{{0, 1}}, indices, false) == std::vector<int64_t>{1, 3} &&
                        lengths_of<int64_t>(Tensor{{0, 1, 4}}, indices, true) == std::vector<int64_t>{1, 3} &&
                        lengths_of<int64_t>(Tensor{{2}}, indices, false) == std::vector<int64_t>{2};
  if (!is_right) std::printf("the lengths are wrong\\n");
  return beyond || !is_right;
}
'''

with open(sys.argv[1], encoding='utf-8') as file:
    found = LENGTHS.findall(file.read())
if len(found) != 1:
    sys.exit('qembeddingbag.cpp: %d places that make lengths of offsets, not 1' % len(found))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('LENGTHS\n', found[0]))
subprocess.run(['g++', '-std=c++14', '-o', 'program', 'program.cpp'], check=True)
sys.exit(subprocess.run(['./program']).returncode)
