// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "catalog/load_catalog.h"
#include "plan/make_plan.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/source_directory.h"
#include "support/text.h"
#include "trees/flags/flags.h"

namespace torchpatch::trees {
namespace {

/// A script of tests/flags/shapes.txt, whose head says the form.
struct Shape {
  std::string title, file, release, board, script;
  std::set<std::string> expected;  ///< "3 USE_NCCL lost"
};

std::vector<Shape> shapes() {
  std::vector<Shape> out;
  std::string* text = nullptr;
  for (const std::string& line : split(read_file(test::source_directory() + "/tests/flags/shapes.txt"), '\n')) {
    if (starts_with(line, "=== ")) {
      const std::vector<std::string> words = split(line.substr(4), '|');
      REQUIRE(words.size() >= 3);
      const auto word = [&](std::size_t i) { return i < words.size() ? std::string(trim(words[i])) : std::string(); };
      out.push_back({word(0), word(1), word(2), word(3), {}, {}});
      text = &out.back().script;
    } else if (starts_with(line, "--- ")) {
      REQUIRE(text != nullptr);
      out.back().expected.insert(line.substr(4));
    } else if (text != nullptr) {
      *text += line + "\n";
    }
  }
  return out;
}

const Catalog& shapes_catalog() {
  static const Catalog catalog = catalog::load_catalog({{"shipped", torchpatch::test::source_directory()}});
  return catalog;
}

std::set<std::string> found_in(const Shape& shape) {
  const Release& release = shapes_catalog().release(shape.release);
  std::optional<Plan> plan;
  if (!shape.board.empty()) plan = plan::make_plan(shapes_catalog(), shape.release, shape.board, "", {});
  std::set<std::string> found;
  for (const FlagFinding& each :
       check_flags(shapes_catalog(), release, plan ? &*plan : nullptr, shape.file, shape.script).findings)
    found.insert(concat(each.line, " ", each.name, " ", name_of(each.problem)));
  return found;
}

TEST_CASE("check_flags: finds what is wrong in scripts of many shapes, and nothing else") {
  std::set<std::string> titles;
  for (const Shape& shape : shapes()) {
    INFO(shape.title << "\n" << shape.script);
    CHECK(titles.insert(shape.title).second);
    CHECK(found_in(shape) == shape.expected);
  }
  CHECK(titles.size() >= 40);
}

}  // namespace
}  // namespace torchpatch::trees
