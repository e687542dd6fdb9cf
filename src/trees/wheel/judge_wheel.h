// SPDX-License-Identifier: BSD-3-Clause
/// Whether what is in wheels works on a board: a function of data.
#pragma once

#include <string>
#include <vector>

#include "model/wheel.h"
#include "trees/wheel/read_wheel.h"
#include "trees/wheel/wheel_tags.h"

namespace torchpatch::trees {

/// A wheel, its name, and what is in it.
struct OpenedWheel {
  std::string file;
  WheelContents contents;
};

/// Judges each of the wheels, and what torchvision and torchaudio among them need of the torch among them.
std::vector<CheckedWheel> judge_wheels(const std::vector<OpenedWheel>& wheels, const WheelTarget& target);

}  // namespace torchpatch::trees
