// SPDX-License-Identifier: BSD-3-Clause
/// What the documentation is made of: the catalog, and what the plans say for every release, board and image.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/plan.h"

namespace torchpatch {

/// What a plan says of one issue.
struct Answer {
  IssueStatus status = IssueStatus::not_affected;
  std::string fix{};  ///< or empty
  FixKind kind = FixKind::advice;
  std::string variant{};  ///< or empty
  auto operator<=>(const Answer&) const = default;
};

/// An image of a board.
struct Target {
  const Board* board = nullptr;
  const Image* image = nullptr;
};

struct SiteData {
  static constexpr int kNoFit = -1;  ///< in answers: the release does not go with the image

  const Catalog* catalog = nullptr;
  std::vector<const Release*> releases;  ///< oldest first
  std::vector<Target> targets;           ///< by board id, then as in its file
  std::vector<Answer> answers;           ///< that occur
  /// Issue id → for each target, for each release, an index into `answers` or kNoFit.
  std::map<std::string, std::vector<std::vector<int>>> matrix;
  /// (release, board id) → what prepare does where no image is named. Decisions "not affected" are left out.
  std::map<std::pair<Version, std::string>, Plan> plans;
  /// (release, board id) → why they do not go together: one reason an image.
  std::map<std::pair<Version, std::string>, std::vector<std::string>> misfits;
};

/// A file of the documentation.
struct SiteFile {
  std::string path;  ///< relative, of harmless names
  std::string bytes;
};

}  // namespace torchpatch
