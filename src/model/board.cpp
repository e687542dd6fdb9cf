// SPDX-License-Identifier: BSD-3-Clause
#include "model/board.h"

namespace torchpatch {

const Image* Board::find_image(const std::string& image_id) const {
  for (const Image& image : images)
    if (image.id == image_id) return &image;
  return nullptr;
}

}  // namespace torchpatch
