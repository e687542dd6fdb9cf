// SPDX-License-Identifier: BSD-3-Clause
#include "trees/wheel/check_wheels.h"

#include <algorithm>

#include "elf/instruction_sets.h"
#include "plan/image_choice.h"
#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"
#include "trees/wheel/judge_wheel.h"
#include "trees/wheel/read_wheel.h"

namespace torchpatch::trees {

namespace {

/// A library of a gigabyte, what was compressed of it, and libelf's own copies of its tables.
constexpr std::uint64_t kMostMemory = 8ull << 30;

std::set<elf::Extension> extensions_of(const WheelTarget& target) {
  const std::optional<std::set<elf::Extension>> known = elf::extensions_of_flags(target.cpu_flags());
  if (known) return *known;
  throw Error(
      ErrorKind::data,
      concat("board ", quote(target.board.id), ": what its core can do is not known of ", quote(target.cpu_flags())),
      "name an architecture or a core in cpu_flags: -march=armv8-a");
}

std::vector<OpenedWheel> open_wheels(const std::vector<std::string>& files, const WheelQuestions& questions, int jobs) {
  std::vector<UniqueFd> opened;
  for (const std::string& file : files) opened.push_back(open_regular_file(file, "the wheel "));
  std::vector<OpenedWheel> wheels(files.size());
  WorkerJob job;
  job.items = files.size();
  job.workers = jobs;
  job.limits = wheel_limits();
  job.start = [&] {
    return [&](std::size_t item) { return to_wire(read_wheel(opened[item].get(), files[item], questions)); };
  };
  job.on_result = [&](std::size_t item, std::string_view result) {
    wheels[item] = {files[item], from_wire<WheelContents>(result)};
  };
  job.describe = [&](std::size_t item) { return "reading the wheel " + quote(files[item]); };
  run_workers(job);
  return wheels;
}

}  // namespace

const Image& image_of_wheels(const Catalog& catalog, const Board& board, const std::string& image,
                             const std::vector<std::string>& files) {
  if (!image.empty()) return plan::named_image(board, image);
  for (const std::string& file : files) {
    const std::optional<WheelName> name = WheelName::parse(base_name(file));
    const Release* const release = name ? release_of_wheel(catalog, name->name, name->version) : nullptr;
    if (!release) continue;
    const auto* const chosen = find_where(
        board.default_images, [&](const DefaultImage& each) { return each.releases.contains(release->version); });
    if (chosen) return plan::named_image(board, chosen->image);
  }
  return board.images.front();
}

WorkerLimits wheel_limits() {
  WorkerLimits limits;
  limits.address_space = 2 * kMostMemory;
  limits.data = kMostMemory;
  return limits;
}

WheelReport check_wheels(const Catalog& catalog, const Board& board, const std::string& image,
                         const std::vector<std::string>& files, int jobs) {
  const WheelTarget target{catalog, board, image_of_wheels(catalog, board, image, files)};
  const WheelQuestions questions{extensions_of(target), files.size() > 1};
  return {board.id, target.image.id, judge_wheels(open_wheels(files, questions, jobs), target)};
}

}  // namespace torchpatch::trees
