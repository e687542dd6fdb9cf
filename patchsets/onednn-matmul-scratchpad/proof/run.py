# SPDX-License-Identifier: BSD-3-Clause
"""run.py GEMM_BASED_COMMON_HPP: whether oneDNN's buffer for a matrix product has room for what one thread writes.

A thread that is alone, as in a parallel region of the caller's, sums one matrix of the batch after the other at the beginning of
the buffer: M times N elements, or all of the batch where one call computes it. The functions are compiled as they stand.
"""
import re
import subprocess
import sys

PROGRAM = '''#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
using dim_t = int64_t;
namespace nstl {
template <typename T> const T& min(const T& a, const T& b) { return a < b ? a : b; }
template <typename T> const T& max(const T& a, const T& b) { return a > b ? a : b; }
}
namespace utils {
template <typename T, typename U> T div_up(T a, U b) { return (a + b - 1) / b; }
template <typename T, typename U> T rnd_up(T a, U b) { return div_up(a, b) * b; }
template <typename T, typename U> T rnd_dn(T a, U b) { return a / b * b; }
}
FUNCTIONS
int main() {
  for (const dim_t batch : {1, 2, 3, 8})
    for (dim_t M = 1; M < 40; ++M)
      for (dim_t N = 1; N < 200; ++N)
        for (const int threads : {1, 2, 3, 4, 6, 8, 12, 16, 64})
          for (const bool at_once : {false, true}) {
            const size_t room = get_scratchpad_num_elements(batch, M, N, at_once, threads);
            const size_t written = at_once ? batch * M * N : M * N;
            const size_t parts = at_once ? 1 : threads;
            const size_t of_all = parts * get_scratchpad_block_elements(batch, M, N, at_once, threads);
            if (room >= written && room >= of_all) continue;
            std::printf("the buffer is too small: %zu elements for %zu (batch %d, %d x %d, %d threads)\\n", room,
                        std::max(written, of_all), int(batch), int(M), int(N), threads);
            return 1;
          }
}
'''

with open(sys.argv[1], encoding='utf-8') as file:
    found = re.findall(r'^inline size_t get_scratchpad_\w+_elements\(.*?^\}\n', file.read(), re.MULTILINE | re.DOTALL)
if len(found) != 2:
    sys.exit('gemm_based_common.hpp: %d functions, not 2' % len(found))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('FUNCTIONS', '\n'.join(found)))
subprocess.check_call(['g++', '-std=c++14', '-O1', '-w', '-o', 'program', 'program.cpp'])
sys.exit(subprocess.call(['./program']))
