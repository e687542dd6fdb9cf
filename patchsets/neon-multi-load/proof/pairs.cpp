// SPDX-License-Identifier: BSD-3-Clause
// Stores and loads eight numbers through the tree's replacements, in ways that an optimising compiler thinks about: what
// it believes of memory must be what is there. The compiler's own functions have the same names, hence the namespace.
#include <arm_neon.h>

#include <cstdio>

namespace replaced {
#include MISSING_VLD1
}
namespace stored {
#include MISSING_VST1
}

namespace {

/// Stores over numbers that the compiler knows, and adds up what it reads back.
template <typename Store>
float stored_sum(Store store, float each) {
  float numbers[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  store(numbers, float32x4x2_t{vdupq_n_f32(each), vdupq_n_f32(each)});
  float sum = 0;
  for (const float number : numbers) sum += number;
  return sum;
}

/// Loads numbers that were just written, and that nothing else reads.
float loaded_sum(float each) {
  float numbers[8];
  for (float& number : numbers) number = each;
  const float32x4x2_t loaded = replaced::vld1q_f32_x2(numbers);
  return vaddvq_f32(vaddq_f32(loaded.val[0], loaded.val[1]));
}

}  // namespace

int main(int count, char**) {
  const float each = static_cast<float>(count);  // 1, which the compiler does not know
  const float first = stored_sum([](float* a, float32x4x2_t b) { replaced::vst1q_f32_x2(a, b); }, each);
  const float second = stored_sum([](float* a, float32x4x2_t b) { stored::vst1q_f32_x2(a, b); }, each);
  const float third = loaded_sum(each);
  std::printf("sums of eight ones: stored %g and %g, loaded %g\n", first, second, third);
  if (first == 8 && second == 8 && third == 8) return 0;
  std::puts("the compiler believes other numbers than are there");
  return 1;
}
