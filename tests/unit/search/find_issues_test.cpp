// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "catalog/load_catalog.h"
#include "search/symptom_index.h"
#include "support/catch.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::search {
namespace {

const Catalog& shipped() {
  static const Catalog catalog = catalog::load_catalog({{"shipped", test::source_directory()}});
  return catalog;
}

std::vector<std::string> found_in(std::string_view log) {
  static const SymptomIndex index = make_index(shipped());
  std::vector<std::string> ids;
  for (const Match& match : find_issues(index, log)) ids.push_back(match.issue->id);
  return ids;
}

TEST_CASE("search: every issue is found by one of its symptoms") {
  for (const auto& entry : shipped().issues) {
    const std::string& wanted = entry.first;
    INFO(wanted);
    CHECK(std::ranges::any_of(entry.second.symptoms, [&](const std::string& symptom) {
      const std::vector<std::string> ids = found_in(symptom);
      return std::ranges::find(ids, wanted) != ids.end();
    }));
  }
}

TEST_CASE("search: the telling word must be there") {
  CHECK(found_in("ImportError: libcufft.so.10: cannot open shared object file: No such file or directory") ==
        std::vector<std::string>{"wheel-of-another-jetpack"});
  CHECK(found_in("ImportError: libfoo.so.10: cannot open shared object file: No such file or directory").empty());
}

TEST_CASE("search: a message that a tool wraps is one") {
  CHECK(found_in("nvlink error : entry function 'a' with max regcount of 80\ncalls function 'b' with regcount of 96") ==
        std::vector<std::string>{"nccl-device-link"});
}

TEST_CASE("search: of equal lines the last counts") {
  static const SymptomIndex index = make_index(shipped());
  const std::string line = "Compatibility with CMake < 3.5 has been removed from CMake.\n";
  CHECK(find_issues(index, concat(line, "x\n", line)).at(0).number == 3);
}

}  // namespace
}  // namespace torchpatch::search
