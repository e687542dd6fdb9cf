// SPDX-License-Identifier: BSD-3-Clause
// What grid_sample's kernel does with the coordinates of samples: those that lie between the borders keep a gradient of 2.
#ifdef VEC256
#include <ATen/cpu/vec256/vec256_base.h>
namespace vectors = at::vec256;
using Doubles = vectors::Vec256<double>;
#else
#include <ATen/cpu/vec/vec_base.h>
namespace vectors = at::vec;
using Doubles = vectors::Vectorized<double>;
#endif
#include <cstdio>

__attribute__((noinline)) Doubles gradients(const Doubles& in, double last) {
  const Doubles above = vectors::maximum(in, Doubles(0));
  const Doubles is_above = vectors::cast<double>(vectors::cast<int64_t>(above) != vectors::cast<int64_t>(Doubles(0)));
  const Doubles within = vectors::minimum(above, Doubles(last));
  const Doubles is_below = vectors::cast<double>(vectors::cast<int64_t>(within) != vectors::cast<int64_t>(Doubles(last)));
  return (is_above & is_below) & Doubles(2.0);
}

int main() {
  const double places[Doubles::size()] = {3.6, 4.0, 0.4, 0.0}, wanted[] = {2, 0, 2, 0};
  double found[Doubles::size()];
  gradients(Doubles::loadu(places), 4.0).store(found);
  for (int i = 0; i < 4; ++i) {
    if (found[i] == wanted[i]) continue;
    std::printf("the mask of a double is lost: %g at %g, wanted %g\n", found[i], places[i], wanted[i]);
    return 1;
  }
}
