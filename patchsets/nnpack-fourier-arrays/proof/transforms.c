// SPDX-License-Identifier: BSD-3-Clause
// The transform of a part of a tile is that of the whole tile with zeros around the part, and the inverse brings the part back.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef void Transform(const float*, float*, size_t, size_t, uint32_t, uint32_t, uint32_t, uint32_t);
Transform nnp_fft8x8_with_offset__psimd, nnp_ifft8x8_with_offset__psimd;
Transform nnp_fft16x16_with_offset__psimd, nnp_ifft16x16_with_offset__psimd;

static int wrong(uint32_t size, Transform* forward, Transform* inverse, uint32_t rows, uint32_t columns, uint32_t top, uint32_t left) {
  float part[256 + 16], whole[256] = {0}, of_part[256], of_whole[256], back[256];
  for (uint32_t i = 0; i < rows * columns; ++i) part[i] = i % 17 - 8.0f;
  for (uint32_t i = 0; i < rows * columns; ++i) whole[(top + i / columns) * size + left + i % columns] = part[i];
  forward(part, of_part, columns, 8 * sizeof(float), rows, columns, top, left);
  forward(whole, of_whole, size, 8 * sizeof(float), size, size, 0, 0);
  inverse(of_part, back, 8 * sizeof(float), columns, rows, columns, top, left);
  for (uint32_t i = 0; i < size * size; ++i)
    if (!(fabsf(of_part[i] - of_whole[i]) < 1e-3f)) return 1;
  for (uint32_t i = 0; i < rows * columns; ++i)
    if (!(fabsf(back[i] - part[i]) < 1e-3f)) return 1;
  return 0;
}

int main() {
  int count = 0;
  for (uint32_t size = 8; size <= 16; size += 8)
    for (uint32_t top = 0; top < size; ++top)
      for (uint32_t rows = 1; top + rows <= size; ++rows)
        for (uint32_t left = 0; left < size; ++left)
          for (uint32_t columns = 1; left + columns <= size; ++columns)
            count += size == 8 ? wrong(8, nnp_fft8x8_with_offset__psimd, nnp_ifft8x8_with_offset__psimd, rows, columns, top, left)
                               : wrong(16, nnp_fft16x16_with_offset__psimd, nnp_ifft16x16_with_offset__psimd, rows, columns, top, left);
  printf("%d parts of tiles are transformed wrongly\n", count);
  return count != 0;
}
