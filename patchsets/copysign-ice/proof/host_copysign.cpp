// SPDX-License-Identifier: BSD-3-Clause
// Runs the host's copysign of the tree's CUDAMathCompat.h, and tells whether it comes to the C library's, at whose inlining
// gcc 7 and 8 crash. Compiled with -fno-builtin, so that a call stays a call to what stands here.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

// What CUDA adds to the C library, of which nothing is called here.
float rsqrtf(float);
double rsqrt(double);
float normcdff(float);
double normcdf(double);

#include "c10/cuda/CUDAMathCompat.h"

namespace {

int calls = 0;

template <typename Bits, typename Number>
Bits bits_of(Number number) {
  Bits bits;
  static_assert(sizeof bits == sizeof number, "");
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

/// Counts the pairs for which the result is not the first number with the sign of the second.
template <typename Bits, typename Number>
int wrong_pairs() {
  const Number infinity = std::numeric_limits<Number>::infinity(), nan = std::numeric_limits<Number>::quiet_NaN();
  const Number numbers[] = {0, Number(-0.0), 1, -1, Number(0.1), infinity, -infinity, nan, -nan};
  const Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  int wrong = 0;
  for (const Number a : numbers) {
    for (const Number b : numbers) {
      const Bits expected = (bits_of<Bits>(a) & ~sign) | (bits_of<Bits>(b) & sign);
      wrong += bits_of<Bits>(c10::cuda::compat::copysign(a, b)) != expected;
    }
  }
  return wrong;
}

}  // namespace

extern "C" float copysignf(float a, float b) noexcept {
  ++calls;
  return __builtin_signbit(a) == __builtin_signbit(b) ? a : -a;
}
extern "C" double copysign(double a, double b) noexcept {
  ++calls;
  return __builtin_signbit(a) == __builtin_signbit(b) ? a : -a;
}

int main() {
  const int wrong = wrong_pairs<std::uint32_t, float>() + wrong_pairs<std::uint64_t, double>();
  std::printf("%d calls of the C library's copysign, %d wrong results\n", calls, wrong);
  return calls == 0 && wrong == 0 ? 0 : 1;
}
