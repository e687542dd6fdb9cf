// SPDX-License-Identifier: BSD-3-Clause
// A vector of integers that a function returns is copied from the stack, wherever the stack lies: at each of 4 depths.
#ifdef VEC256
#include <ATen/cpu/vec256/vec256_base.h>
using Integers = at::vec256::Vec256<int64_t>;
#else
#include <ATen/cpu/vec/vec_base.h>
using Integers = at::vec::Vectorized<int64_t>;
#endif
#include <alloca.h>
#include <csignal>
#include <cstdio>
#include <unistd.h>

// Not inlined: the kernels of grid_sample have so many of these that gcc calls them.
__attribute__((noinline)) Integers both(const Integers& a, const Integers& b) { return a & b; }

__attribute__((noinline)) void keep(const Integers& a, const Integers& b, Integers* found) { *found = both(a, b); }

__attribute__((noinline)) bool is_right(int depth) {
  volatile char* room = static_cast<volatile char*>(alloca(8 * depth + 8));
  room[0] = 0;
  const int64_t a[] = {-1, 0, -1, 6}, b[] = {-1, -1, 0, 3};
  int64_t numbers[4];
  Integers found;
  keep(Integers::loadu(a), Integers::loadu(b), &found);
  found.store(numbers);
  return numbers[0] == -1 && numbers[1] == 0 && numbers[2] == 0 && numbers[3] == 2 && !room[0];
}

void report(int) {
  const char text[] = "bus error: the vector on the stack is not aligned\n";
  _exit(write(1, text, sizeof(text) - 1) < 0 ? 2 : 1);
}

int main() {
  std::signal(SIGBUS, report);
  for (int depth = 0; depth < 4; ++depth) {
    if (is_right(depth)) continue;
    std::printf("the numbers are wrong\n");
    return 1;
  }
}
