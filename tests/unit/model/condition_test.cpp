// SPDX-License-Identifier: BSD-3-Clause
#include "model/issue.h"

#include <fstream>
#include <sstream>

#include "support/catch.h"
#include "support/error.h"
#include "support/file.h"
#include "support/source_directory.h"

using namespace torchpatch;

using Names = std::vector<std::string>;

namespace {

Clause range_clause(const std::string& fact, const std::string& range) {
  return {fact, *VersionRange::parse(range), fact + " " + range};
}

Clause names_clause(const std::string& fact, const Names& names, const std::string& text) {
  return {fact, names, fact + " " + text};
}

Clause flag_clause(const std::string& fact, bool flag) { return {fact, flag, fact + (flag ? " true" : " false")}; }

Verdict evaluate_one(const Clause& clause, const Facts& facts) { return evaluate({clause}, facts); }

void expect(const Clause& clause, const FactValue& value, Truth truth, const std::string& reason) {
  const Verdict verdict = evaluate_one(clause, {{clause.fact, value}});
  CHECK(verdict.truth == truth);
  CHECK(verdict.reasons == Names{reason});
}

Version version_of(const std::string& text) { return *Version::parse(text); }

}  // namespace

TEST_CASE("evaluate: each kind of clause") {
  const Clause registers = range_clause("registers_per_block", "<65536");
  expect(registers, std::int64_t{32768}, Truth::yes, "registers_per_block is 32768 (<65536)");
  expect(registers, std::int64_t{65536}, Truth::no, "registers_per_block is 65536, not <65536");
  expect(registers, std::int64_t{-1}, Truth::no, "registers_per_block is -1, not <65536");
  expect(registers, std::monostate{}, Truth::no, "registers_per_block is absent, not <65536");
  expect(range_clause("gcc", ">=7"), version_of("7.5"), Truth::yes, "gcc is 7.5 (>=7)");
  expect(range_clause("python", "3.5"), version_of("3.5"), Truth::yes, "python is 3.5");
  expect(range_clause("gcc", ">=7"), version_of("5.4"), Truth::no, "gcc is 5.4, not >=7");
  expect(flag_clause("gpu", true), true, Truth::yes, "gpu is true");
  expect(flag_clause("gpu", false), true, Truth::no, "gpu is true, not false");
  const Clause arch = names_clause("arch", {"aarch64", "armv7l"}, "aarch64 or armv7l");
  expect(arch, std::string("armv7l"), Truth::yes, "arch is armv7l (aarch64 or armv7l)");
  expect(arch, std::string("x86_64"), Truth::no, "arch is x86_64, not aarch64 or armv7l");
  const Clause lacks = names_clause("lacks", {"nccl", "magma"}, "nccl and magma");
  expect(lacks, Names{"magma", "mkl", "nccl"}, Truth::yes, "lacks is magma, mkl, nccl (nccl and magma)");
  expect(lacks, Names{"nccl"}, Truth::no, "lacks is nccl, not nccl and magma");
  expect(lacks, Names{}, Truth::no, "lacks is empty, not nccl and magma");
}

TEST_CASE("evaluate: a fact that nobody knows leaves it undecided") {
  const Verdict verdict = evaluate_one(range_clause("gcc", ">=7"), {});
  CHECK(verdict.truth == Truth::unknown);
  CHECK(verdict.reasons == Names{"gcc is not known"});
}

TEST_CASE("evaluate: a false clause wins over an unknown one") {
  const Clause no = flag_clause("gpu", true);
  const Clause unknown = range_clause("gcc", ">=7");
  const Clause yes = flag_clause("distributed", true);
  const Facts facts = {{"gpu", false}, {"distributed", true}};
  for (const Condition& condition : {Condition{no, unknown, yes}, Condition{unknown, yes, no}}) {
    const Verdict verdict = evaluate(condition, facts);
    CHECK(verdict.truth == Truth::no);
    CHECK(verdict.reasons == Names{"gpu is false, not true"});
  }
  const Verdict undecided = evaluate({yes, unknown}, facts);
  CHECK(undecided.truth == Truth::unknown);
  CHECK(undecided.reasons == Names{"gcc is not known"});
}

TEST_CASE("evaluate: no clauses hold always") {
  CHECK(evaluate({}, {}).truth == Truth::yes);
  CHECK(evaluate({}, {}).reasons.empty());
}

TEST_CASE("evaluate: a fact of another kind is a bug") {
  CHECK_THROWS_AS(evaluate_one(flag_clause("gpu", true), {{"gpu", std::string("yes")}}), Error);
  CHECK_THROWS_AS(evaluate_one(range_clause("gcc", ">=7"), {{"gcc", true}}), Error);
}

TEST_CASE("holds, version_of: an unknown or absent fact is neither true nor a version") {
  const Facts facts = {{"gpu", true}, {"cross", false}, {"cuda", version_of("10.2")}, {"gcc", std::monostate{}}};
  CHECK(holds(facts, "gpu"));
  CHECK_FALSE(holds(facts, "cross"));
  CHECK_FALSE(holds(facts, "cuda"));
  CHECK_FALSE(holds(facts, "distributed"));
  REQUIRE(version_of(facts, "cuda") != nullptr);
  CHECK(*version_of(facts, "cuda") == version_of("10.2"));
  CHECK(version_of(facts, "gcc") == nullptr);
  CHECK(version_of(facts, "gpu") == nullptr);
  CHECK(version_of(facts, "glibc") == nullptr);
}

TEST_CASE("known_facts: are those that docs/formats.md lists, with their kinds") {
  const std::map<std::string, FactKind> kinds = {{"text", FactKind::text},
                                                 {"number", FactKind::integer},
                                                 {"flag", FactKind::boolean},
                                                 {"version", FactKind::version},
                                                 {"list", FactKind::list}};
  std::istringstream text(read_file(test::source_directory() + "/docs/formats.md"));
  std::map<std::string, FactKind> documented;
  bool in_table = false;
  for (std::string line; std::getline(text, line);) {
    in_table = line.starts_with("| fact |") || (in_table && line.starts_with("|"));
    if (!in_table || !line.starts_with("| `")) continue;
    const std::size_t end = line.find(" | ", 2);
    const std::string kind = line.substr(end + 3, line.find(" | ", end + 3) - end - 3);
    REQUIRE(kinds.count(kind) == 1);
    // The first cell holds names in backquotes: every other piece is a name.
    bool is_name = false;
    std::istringstream names(line.substr(2, end - 2));
    for (std::string name; std::getline(names, name, '`'); is_name = !is_name)
      if (is_name) documented[name] = kinds.at(kind);
  }
  CHECK(documented == known_facts());
}
