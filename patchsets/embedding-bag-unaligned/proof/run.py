# SPDX-License-Identifier: BSD-3-Clause
"""run.py DIRECTORY: whether embedding bags read and store a row's scale and offset where they lie, at any address.

The lines that do so without FBGEMM are compiled for 32-bit ARM as they stand in the tree's DIRECTORY, and run by qemu, which
checks the alignment that VLDR and VSTR need, as cores do: with 5 columns, scales and offsets are at odd addresses. The second
program checks each address that the compiler may use such an instruction for: which one it uses is its choice.
"""
import re
import signal
import subprocess
import sys

ROWS, COLUMNS = 3, 5
# The file, and a pattern whose group is compiled.
PARTS = {
    'byte_prepack': ('qembeddingbag_prepack.cpp', r'^(  constexpr float kEpsilon = 1e-8f;\n.*?)^#endif'),
    'prepack': ('qembeddingbag_prepack.cpp', r'^ +if \(bit_width == 8\) \{\n( +at::parallel_for\(.*?^ +\}\);\n)|^(  at::parallel_for\(.*?^ +\}\);\n)'),
    'byte_unpack': ('qembeddingbag_unpack.cpp', r'^#else\n(  for \([^\n]* row[^\n]*\{\n.*?)^#endif'),
    'lookup': ('qembeddingbag.cpp', r'^( +float scale, bias;\n +if \(BIT_RATE == 8\) \{\n.*?^      \}\n)'),
}

PROGRAM = '''#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace c10 {
struct irange {
  int64_t first, last;
  explicit irange(int64_t count) : first(0), last(count) {}
  irange(int64_t from, int64_t to) : first(from), last(to) {}
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
namespace at {
struct Half {
  uint16_t bits;
  operator float() const { return bits; }
};
template <typename F> void parallel_for(int64_t from, int64_t to, int64_t, const F& body) { body(from, to); }
}

const int64_t kRows = ROWS, kColumns = COLUMNS, kWidth = kColumns + 8;

__attribute__((noinline)) void byte_prepack(const float* weight_data, uint8_t* output_data, int64_t embedding_rows, int64_t embedding_cols,
                                            size_t output_columns) {
<byte_prepack>}

__attribute__((noinline)) void prepack(const uint8_t* weight_data, uint8_t* output_data, int64_t embedding_rows, int64_t embedding_cols,
                                       int64_t output_columns, const std::vector<float>& weight_scales, const std::vector<float>& weight_bias) {
<prepack>}

__attribute__((noinline)) void byte_unpack(const uint8_t* input, float* output_data, int64_t input_rows, int64_t input_columns,
                                           int64_t output_columns) {
  const uint8_t* input_data = input;
<byte_unpack>}

template <int BIT_RATE>
__attribute__((noinline)) void lookup(const uint8_t* weight_data, int64_t idx, int64_t weight_size, float weight_val, float* found) {
<lookup>  found[0] = scale;
  found[1] = bias;
}

bool has(const uint8_t* rows, int64_t row, float scale, float bias) {
  float found[2];
  std::memcpy(found, rows + row * kWidth + kColumns, sizeof(found));
  return found[0] == scale && found[1] == bias;
}

int main(int, char** arguments) {
  alignas(16) static uint8_t rows[kRows * kWidth];
  const char* part = arguments[1];
  bool is_right = true;
  if (!std::strcmp(part, "byte_prepack")) {
    float weight[kRows * kColumns];
    for (int i = 0; i < kRows * kColumns; ++i) weight[i] = i;
    byte_prepack(weight, rows, kRows, kColumns, kWidth);
    for (int row = 0; row < kRows; ++row) {
      is_right = is_right && has(rows, row, (kColumns - 1) / 255.0f, row * kColumns) && rows[row * kWidth] == 0 && rows[row * kWidth + 4] == 255;
    }
  } else if (!std::strcmp(part, "prepack")) {
    uint8_t weight[kRows * kColumns];
    for (int i = 0; i < kRows * kColumns; ++i) weight[i] = i;
    prepack(weight, rows, kRows, kColumns, kWidth, {0.5f, 1.5f, 2.5f}, {-1.0f, -2.0f, -3.0f});
    for (int row = 0; row < kRows; ++row) {
      is_right = is_right && has(rows, row, row + 0.5f, -1.0f - row) && rows[row * kWidth + 4] == row * kColumns + 4;
    }
  } else {
    for (int i = 0; i < kRows * kWidth; ++i) rows[i] = i;
    for (int row = 0; row < kRows; ++row) {
      const float scale_and_bias[] = {row + 0.5f, row - 8.0f};
      std::memcpy(rows + row * kWidth + kColumns, scale_and_bias, sizeof(scale_and_bias));
    }
    float found[kRows * kColumns];
    if (!std::strcmp(part, "byte_unpack")) {
      byte_unpack(rows, found, kRows, kWidth, kColumns);
      for (int i = 0; i < kRows * kColumns; ++i) {
        const int row = i / kColumns;
        is_right = is_right && found[i] == rows[row * kWidth + i % kColumns] * (row + 0.5f) + (row - 8.0f);
      }
    } else {
      for (int row = 0; row < kRows; ++row) {
        lookup<8>(rows, row, kWidth, 2.0f, found);
        is_right = is_right && found[0] == 2 * row + 1.0f && found[1] == 2 * row - 16.0f;
      }
    }
  }
  if (!is_right) std::printf("%s: the numbers are wrong\\n", part);
  return !is_right;
}
'''

program = PROGRAM.replace('ROWS', str(ROWS)).replace('COLUMNS', str(COLUMNS))
for name, (path, pattern) in PARTS.items():
    with open(sys.argv[1] + '/' + path, encoding='utf-8') as file:
        found = re.search(pattern, file.read(), re.MULTILINE | re.DOTALL)
    # 1.7 has no lookup of its own.
    if not found and name != 'lookup':
        sys.exit('%s: no lines for %s' % (path, name))
    lines = next(filter(None, found.groups())) if found else '  float scale = 2 * idx + 1.0f, bias = 2 * idx - 16.0f;\n'
    program = program.replace('<%s>' % name, lines)
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(program)
is_wrong = False
for verdict, flags in ('bus error', []), ('not aligned', ['-fsanitize=alignment', '-fsanitize-undefined-trap-on-error']):
    subprocess.run(['arm-linux-gnueabihf-g++', '-std=c++14', '-O3', '-mfpu=neon', '-w', '-static', *flags, '-o', 'program', 'program.cpp'], check=True)
    for name in PARTS:
        status = subprocess.run(['qemu-arm', '-cpu', 'cortex-a15', './program', name]).returncode
        if -status == (signal.SIGILL if flags else signal.SIGBUS):
            print('%s: %s' % (name, verdict))
        is_wrong = is_wrong or status != 0
sys.exit(is_wrong)
