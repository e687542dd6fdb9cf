// SPDX-License-Identifier: BSD-3-Clause
// Targets without libFuzzer: fuzz_replay TARGET [--cut] FILE|DIR… checks each input, and with --cut each of its
// beginnings as well. Ends with 1 where a property does not hold.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "fuzz/properties.h"
#include "support/file.h"

namespace torchpatch::fuzz {
namespace {

struct Target {
  std::string_view name;
  void (*check)(std::string_view bytes);
};

constexpr Target kTargets[] = {
#include "fuzz_targets.inc"
};

/// Inputs up to this size are cut at every byte, longer ones at as many places: the time is the square of the size.
constexpr std::size_t kMostCuts = 1024;

std::vector<std::string> inputs(const std::string& path) {
  if (!is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const std::string& name : list_directory(path)) files.push_back(path + "/" + name);
  return files;
}

bool holds(const Target& target, const std::string& file, std::string_view bytes) {
  try {
    target.check(bytes);
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: its first %zu bytes: %s\n", file.c_str(), bytes.size(), error.what());
    return false;
  }
}

bool replay(const Target& target, const std::string& file, bool is_cut) {
  const std::string bytes = read_file(file);
  bool all_hold = holds(target, file, bytes);
  const std::size_t step = bytes.size() / kMostCuts + 1;
  for (std::size_t size = 0; is_cut && size < bytes.size(); size += step) {
    // The copy has no byte more, so that a sanitizer sees one that is read behind the end.
    all_hold = holds(target, file, std::string(bytes, 0, size)) && all_hold;
  }
  return all_hold;
}

const Target& find_target(const std::vector<std::string>& arguments) {
  for (const Target& target : kTargets)
    if (!arguments.empty() && target.name == arguments.front()) return target;
  throw std::invalid_argument("there is no such target");
}

int run(const std::vector<std::string>& arguments) {
  const Target& target = find_target(arguments);
  const bool is_cut = arguments.size() > 1 && arguments[1] == "--cut";
  std::size_t count = 0;
  bool all_hold = true;
  for (std::size_t i = is_cut ? 2 : 1; i < arguments.size(); ++i) {
    for (const std::string& file : inputs(arguments[i])) {
      all_hold = replay(target, file, is_cut) && all_hold;
      ++count;
    }
  }
  if (count == 0) std::fputs("there is no input\n", stderr);
  return all_hold && count > 0 ? 0 : 1;
}

}  // namespace
}  // namespace torchpatch::fuzz

int main(int argc, char** argv) {
  try {
    return torchpatch::fuzz::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
