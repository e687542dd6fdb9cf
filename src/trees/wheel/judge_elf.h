// SPDX-License-Identifier: BSD-3-Clause
/// Whether an ELF file of a wheel works on a board: a function of data.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/wheel.h"
#include "trees/wheel/read_wheel.h"
#include "trees/wheel/wheel_tags.h"

namespace torchpatch::trees {

/// The wheel around the files, looked at once for all of them.
struct WheelSurroundings {
  const WheelContents& contents;
  const WheelTarget& target;
  const System* system = nullptr;                          ///< of the image, or null: not known
  std::vector<Version> pythons;                            ///< of the image that the wheel is for
  std::unordered_set<std::string> paths{};                 ///< where files are installed
  std::unordered_map<std::string, std::string> path_of{};  ///< base name → a path
};

WheelSurroundings look_around(const WheelContents& contents, const WheelTarget& target, std::vector<Version> pythons);

/// Returns why a file is not for the target's machine, or empty text.
std::string machine_problem(const elf::ElfFacts& facts, const std::string& arch);

/// Returns what is to say of a file; of instructions that are chosen at run time nothing (chosen_instructions()).
std::vector<WheelFinding> judge_elf(const WheelElf& file, const WheelSurroundings& around);

/// Returns a note for each extension whose instructions are chosen at run time: outline atomics are in every library.
std::vector<WheelFinding> chosen_instructions(const WheelSurroundings& around);

/// Returns the oldest platform whose rules all files of the wheel keep (PEP 600), or empty text.
std::string kept_platform(const WheelSurroundings& around);

}  // namespace torchpatch::trees
