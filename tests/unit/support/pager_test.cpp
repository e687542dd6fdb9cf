// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.h"
#include "support/file.h"
#include "support/program.h"

using namespace torchpatch;

namespace {

using Variables = std::map<std::string, std::string>;

std::vector<std::string> words(const Variables& variables) {
  const auto pager = find_pager(variables);
  return pager ? pager->argv : std::vector<std::string>{};
}

std::string variable(const Pager& pager, const std::string& name) {
  for (const auto& [each, value] : pager.environment)
    if (each == name) return value;
  return {};
}

}  // namespace

TEST_CASE("find_pager: PAGER in words, without a shell where none is needed") {
  const std::string path = "/usr/bin:/bin";
  CHECK(words({{"PATH", path}, {"PAGER", "sort  -r"}}) == std::vector<std::string>{find_program("sort", path), "-r"});
  CHECK(words({{"PATH", path}, {"PAGER", "sort | head"}}) == std::vector<std::string>{"/bin/sh", "-c", "sort | head"});
  CHECK(words({{"PATH", path}, {"PAGER", ""}}).empty());
  CHECK(words({{"PATH", path}, {"PAGER", "cat"}}).empty());
  CHECK(words({{"PATH", path}, {"PAGER", "there-is-no-such-pager"}}).empty());
  CHECK(words({{"PATH", "/nowhere"}}).empty());  // less is not there
}

TEST_CASE("find_pager: what less needs, unless the user said otherwise") {
  const Pager plain = *find_pager({{"PATH", "/usr/bin:/bin"}, {"PAGER", "sort"}});
  CHECK(variable(plain, "LESS") == "FRX");
  CHECK(variable(plain, "LV") == "-c");
  const Pager own = *find_pager({{"PATH", "/usr/bin:/bin"}, {"PAGER", "sort"}, {"LESS", "S"}});
  CHECK(variable(own, "LESS") == "S");
}

TEST_CASE("run_pager: gives it the text, and does not mind where it quits early") {
  const TempDir temp;
  const std::string file = temp.path() + "/shown";
  const auto pager = [&](const std::string& command) {
    return *find_pager({{"PATH", "/usr/bin:/bin"}, {"PAGER", command}});
  };
  CHECK(run_pager(pager("cat >" + file), "one\ntwo\n"));
  CHECK(read_file(file) == "one\ntwo\n");
  const std::string much(8 << 20, 'x');
  CHECK(run_pager(pager("head -c 1 >" + file), much));
  CHECK(read_file(file) == "x");
  CHECK(run_pager(pager("exit 3;"), much));
  CHECK_FALSE(run_pager(Pager{{"/nowhere/pager"}, {}}, "text"));
}
