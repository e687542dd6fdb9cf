// SPDX-License-Identifier: BSD-3-Clause
// A target without libFuzzer: NAME_replay FILE|DIR… checks each input, and with --cut each of its beginnings as well.
// TORCHPATCH_FUZZ_CHECK names the target. Ends with 1 where a property does not hold.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "fuzz/properties.h"
#include "support/file.h"

namespace torchpatch::fuzz {
namespace {

/// Inputs up to this size are cut at every byte.
constexpr std::size_t kMostCuts = 4096;

std::vector<std::string> inputs(const std::string& path) {
  if (!is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const std::string& name : list_directory(path)) files.push_back(path + "/" + name);
  return files;
}

bool holds(const std::string& file, std::string_view bytes) {
  try {
    TORCHPATCH_FUZZ_CHECK(bytes);
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: its first %zu bytes: %s\n", file.c_str(), bytes.size(), error.what());
    return false;
  }
}

bool replay(const std::string& file, bool is_cut) {
  const std::string bytes = read_file(file);
  bool all_hold = holds(file, bytes);
  for (std::size_t size = 0; is_cut && size < bytes.size() && size < kMostCuts; ++size) {
    // The copy has no byte more, so that a sanitizer sees one that is read behind the end.
    all_hold = holds(file, std::string(bytes, 0, size)) && all_hold;
  }
  return all_hold;
}

int run(const std::vector<std::string>& arguments) {
  const bool is_cut = !arguments.empty() && arguments.front() == "--cut";
  std::size_t count = 0;
  bool all_hold = true;
  for (std::size_t i = is_cut ? 1 : 0; i < arguments.size(); ++i) {
    for (const std::string& file : inputs(arguments[i])) {
      all_hold = replay(file, is_cut) && all_hold;
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
