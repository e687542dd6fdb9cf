// SPDX-License-Identifier: BSD-3-Clause
#include "plan/facts.h"
#include "support/catch.h"
#include "support/error.h"
#include "unit/plan/plan_fixture.h"

namespace torchpatch::plan {
namespace {

using Catch::Contains;
using namespace test;
using Settings = std::map<std::string, std::string>;

Facts facts_of(const std::string& board_id, const Settings& settings = {}) {
  const Catalog catalog = make_catalog();
  const Board& board = catalog.board(board_id);
  return make_facts(catalog.release("1.1.0"), board, board.images.front(), "3.5", {Component::torch}, settings);
}

TEST_CASE("make_facts: what board and image say") {
  const Facts facts = facts_of("duo");
  CHECK(facts.at("release") == FactValue(version("1.1.0")));
  CHECK(facts.at("arch") == FactValue(std::string("aarch64")));
  CHECK(facts.at("bits") == FactValue(std::int64_t{64}));
  CHECK(facts.at("gpu") == FactValue(true));
  CHECK(facts.at("compute_capability") == FactValue(version("6.2")));
  CHECK(facts.at("registers_per_block") == FactValue(std::int64_t{32768}));
  CHECK(facts.at("memory_mib") == FactValue(std::int64_t{8192}));
  CHECK(facts.at("has") == FactValue(std::vector<std::string>{"programmable-logic"}));
  CHECK(facts.at("lacks") == FactValue(std::vector<std::string>{"nccl", "magma"}));
  CHECK(facts.at("os") == FactValue(std::string("ubuntu-16.04")));
  CHECK(facts.at("gcc") == FactValue(version("5.4")));
  CHECK(facts.at("python") == FactValue(version("3.5")));
  CHECK(facts.at("distributed") == FactValue(true));
  CHECK(facts.at("cross") == FactValue(false));
  CHECK(facts.at("components") == FactValue(std::vector<std::string>{"torch"}));
}

TEST_CASE("make_facts: a fact that nobody knows is not there, one known to be absent is") {
  const Facts duo = facts_of("duo"), bare = facts_of("bare");
  CHECK(duo.count("glibc") == 0);
  CHECK(duo.count("cudnn") == 0);
  CHECK(bare.at("cuda") == FactValue(std::monostate{}));
  CHECK(bare.at("compute_capability") == FactValue(std::monostate{}));
  CHECK(bare.at("registers_per_block") == FactValue(std::monostate{}));
  CHECK(bare.at("bits") == FactValue(std::int64_t{32}));
}

TEST_CASE("make_facts: every fact of a fully described board is one that conditions know") {
  Facts facts = facts_of("duo", {{"glibc", "2.23"}, {"cmake", "3.5"}, {"cudnn", "7.1"}});
  for (const auto& [name, kind] : known_facts()) CHECK(facts.erase(name) == 1);
  CHECK(facts.empty());
}

TEST_CASE("make_facts: --set lays its facts over the others") {
  const Facts facts = facts_of("duo", {{"gcc", "8.4"},
                                       {"distributed", "false"},
                                       {"registers_per_block", "65536"},
                                       {"lacks", "mpi,gloo"},
                                       {"cuda", "none"},
                                       {"USE_NCCL", "0"}});
  CHECK(facts.at("gcc") == FactValue(version("8.4")));
  CHECK(facts.at("distributed") == FactValue(false));
  CHECK(facts.at("registers_per_block") == FactValue(std::int64_t{65536}));
  CHECK(facts.at("lacks") == FactValue(std::vector<std::string>{"mpi", "gloo"}));
  CHECK(facts.at("cuda") == FactValue(std::monostate{}));
  CHECK(facts.count("USE_NCCL") == 0);
  CHECK(facts_of("duo", {{"lacks", "none"}}).at("lacks") == FactValue(std::vector<std::string>{}));
}

TEST_CASE("make_facts: facts that follow from others follow those of --set") {
  CHECK(facts_of("duo", {{"arch", "armv7l"}}).at("bits") == FactValue(std::int64_t{32}));
  CHECK(facts_of("duo", {{"arch", "armv7l"}, {"bits", "64"}}).at("bits") == FactValue(std::int64_t{64}));
  CHECK(facts_of("duo", {{"arch", "mips"}}).count("bits") == 0);
  CHECK(facts_of("duo", {{"gpu", "false"}}).at("compute_capability") == FactValue(std::monostate{}));
  CHECK(facts_of("bare", {{"gpu", "true"}}).count("compute_capability") == 0);
  CHECK(facts_of("bare", {{"gpu", "true"}, {"compute_capability", "6.2"}}).at("compute_capability") ==
        FactValue(version("6.2")));
}

TEST_CASE("make_facts: refuses settings that are no facts, and values a fact cannot have") {
  const auto error_of = [](const Settings& settings) {
    try {
      facts_of("duo", settings);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      return error.message() + " / " + error.hint();
    }
    return std::string("no error");
  };
  CHECK(error_of({{"gc", "8"}}) == "--set 'gc' is not a fact / did you mean 'gcc'?");
  CHECK_THAT(error_of({{"colour", "8"}}), Contains("the facts are arch, bits, cmake, compute_capability"));
  CHECK_THAT(error_of({{"components", "torch"}}), Contains("use --component"));
  CHECK_THAT(error_of({{"release", "1.2"}}), Contains("use --version"));
  CHECK(error_of({{"gcc", "new"}}) == "--set gcc: 'new' is not a version such as 7.5 or none / ");
  CHECK(error_of({{"cross", "yes"}}) == "--set cross: 'yes' is not true or false / ");
  CHECK(error_of({{"memory_mib", "-1"}}) == "--set memory_mib: '-1' is not a number or none / ");
  CHECK_THAT(error_of({{"memory_mib", "99999999999999999999"}}), Contains("is not a number"));
}

}  // namespace
}  // namespace torchpatch::plan
