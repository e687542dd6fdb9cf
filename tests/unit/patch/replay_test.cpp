// SPDX-License-Identifier: BSD-3-Clause
// The seeds of the fuzz targets, through the same entry points.
#include <catch2/catch.hpp>

#include "fuzz/memory_files.h"
#include "fuzz/patch_properties.h"
#include "patch/apply.h"
#include "patch/parse_patch.h"
#include "support/file.h"
#include "support/source_directory.h"

namespace torchpatch::patch {
namespace {

std::vector<std::string> seeds(const std::string& target) {
  const std::string directory = test::source_directory() + "/tests/fuzz/seeds/" + target;
  std::vector<std::string> texts;
  for (const std::string& name : list_directory(directory)) texts.push_back(read_file(directory + "/" + name));
  return texts;
}

}  // namespace

TEST_CASE("fuzz seeds: what parses prints back", "[patch][fuzz]") {
  const std::vector<std::string> texts = seeds("parse_patch");
  REQUIRE(texts.size() >= 15);
  for (const std::string& text : texts) {
    INFO(text);
    CHECK_NOTHROW(check_parse_properties(text));
  }
}

TEST_CASE("fuzz seeds: what applies is taken back", "[patch][fuzz]") {
  const std::vector<std::string> inputs = seeds("apply_patch");
  REQUIRE(inputs.size() >= 15);
  for (const std::string& input : inputs) {
    INFO(input);
    CHECK_NOTHROW(check_apply_properties(input));
  }
}

TEST_CASE("fuzz seeds: shortened at every byte", "[patch][fuzz]") {
  for (const std::string& input : seeds("apply_patch")) {
    for (std::size_t length = 0; length < input.size(); ++length) check_apply_properties(input.substr(0, length));
  }
}

}  // namespace torchpatch::patch
