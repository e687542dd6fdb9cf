// SPDX-License-Identifier: BSD-3-Clause
// The engine against the git program, on trees and patches made here: the same verdict and the same tree, save where a
// hunk off its line fits at several places (git takes the nearest).

#include "fuzz/memory_files.h"
#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/text.h"
#include "unit/patch/git_oracle.h"
#include "unit/patch/patch_mutations.h"

namespace torchpatch::patch {
namespace {

TreeFile file(const std::string& bytes, FileMode mode = FileMode::regular) { return {mode, bytes}; }

/// A source file with lines that occur once and lines that occur often.
std::string source_text(int functions) {
  std::string text = "#include <one.h>\n\n";
  for (int i = 0; i < functions; ++i)
    text += concat("int function_", i, "(int x) {\n  if (x > ", i, ") {\n    return x;\n  }\n  return 0;\n}\n\n");
  return text;
}

std::string with_replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t found = text.find(from);
  REQUIRE(found != std::string::npos);
  return text.replace(found, from.size(), to);
}

struct Scenario {
  std::string name;
  Tree before;
  Tree after;
  std::vector<std::string> options;
};

std::vector<Scenario> text_scenarios() {
  const std::string text = source_text(8);
  const std::string edited =
      with_replaced(with_replaced(with_replaced(text, "x > 1", "x >= 1"), "function_4(int x) {\n",
                                  "function_4(int x) {\n  log(x);\n"),
                    "    return x;\n  }\n  return 0;\n}\n\nint function_7", "  }\n  return 0;\n}\n\nint function_7");
  const std::string last =
      with_replaced(text, "int function_7(int x) {\n  if (x > 7) {\n    return x;\n  }\n  return 0;\n}\n\n", "// end");
  const auto crlf = [](const std::string& lines) { return join(split(lines, '\n'), "\r\n"); };
  return {
      {"edit", {{"a.cpp", file(text)}}, {{"a.cpp", file(edited)}}, {}},
      {"edit with one line of context", {{"a.cpp", file(text)}}, {{"a.cpp", file(edited)}}, {"-U1"}},
      {"edit with much context", {{"a.cpp", file(text)}}, {{"a.cpp", file(edited)}}, {"-U9"}},
      {"edit and mode", {{"a.cpp", file(text)}}, {{"a.cpp", file(edited, FileMode::executable)}}, {}},
      {"end without newline", {{"a.cpp", file(text)}}, {{"a.cpp", file(last)}}, {}},
      {"end with newline", {{"a.cpp", file(last)}}, {{"a.cpp", file(text)}}, {}},
      {"CRLF", {{"a.cpp", file(crlf(text))}}, {{"a.cpp", file(crlf(edited))}}, {}},
      {"rename with edit", {{"a.cpp", file(text)}}, {{"d/b.cpp", file(edited)}}, {"-M"}},
      {"copy with edit",
       {{"a.cpp", file(text)}},
       {{"a.cpp", file(text)}, {"b.cpp", file(edited)}},
       {"-C", "--find-copies-harder"}},
      {"two files", {{"a", file(text)}, {"b/c", file(edited)}}, {{"a", file(edited)}, {"b/c", file(text)}}, {}},
      {"repeated lines",
       {{"a", file(source_text(1) + std::string(40, '\n') + "x\n" + std::string(40, '\n'))}},
       {{"a", file(source_text(1) + std::string(40, '\n') + "y\n" + std::string(44, '\n'))}},
       {}},
      {"all lines", {{"a", file("a\nb\nc\n")}}, {{"a", file("d\ne\n")}}, {}},
  };
}

std::vector<Scenario> tree_scenarios() {
  const std::string one(40, '1');
  const std::string two(40, '2');
  const std::string binary = std::string("\0\1\2", 3) + source_text(3);
  const std::string text = source_text(3);
  return {
      {"create", {{"k", file("k\n")}}, {{"k", file("k\n")}, {"d/n", file(text)}, {"d/e", file("")}}, {}},
      {"remove", {{"k", file("k\n")}, {"d/n", file(text)}, {"d/e", file("")}}, {{"k", file("k\n")}}, {}},
      {"mode", {{"a", file(text)}}, {{"a", file(text, FileMode::executable)}}, {}},
      {"empty file gets lines", {{"a", file("")}}, {{"a", file(text)}}, {}},
      {"file loses all lines", {{"a", file(text)}}, {{"a", file("")}}, {}},
      {"link",
       {{"l", file("one", FileMode::link)}},
       {{"l", file("two", FileMode::link)}, {"m", file("l", FileMode::link)}},
       {}},
      {"file becomes link", {{"a", file(text)}}, {{"a", file("b", FileMode::link)}}, {}},
      {"file becomes directory", {{"a", file(text)}}, {{"a/b", file("b\n")}}, {"--no-renames"}},
      {"directory becomes file", {{"a/b", file(text)}, {"a/c/d", file("d\n")}}, {{"a", file("b\n")}}, {"--no-renames"}},
      {"submodule",
       {{"s", file(one, FileMode::gitlink)}},
       {{"s", file(two, FileMode::gitlink)}, {"t", file(one, FileMode::gitlink)}},
       {}},
      {"submodule gone", {{"k", file("k\n")}, {"s", file(one, FileMode::gitlink)}}, {{"k", file("k\n")}}, {}},
      {"pure rename", {{"a/f", file(text)}}, {{"b/g", file(text, FileMode::executable)}}, {"-M"}},
      {"swap", {{"a", file(text)}, {"b", file("b\n")}}, {{"a", file("b\n")}, {"b", file(text)}}, {"-M", "-B"}},
      {"binary",
       {{"b", file(binary)}, {"c", file(binary)}},
       {{"b", file(binary + "x")}, {"d", file("\0" + binary)}},
       {"--no-renames"}},
      {"names",
       {{"with space", file("a\n")},
        {"tab\there", file("a\n")},
        {"new\nline", file("a\n")},
        {"q\"\\", file("a\n")},
        {"caf\xC3\xA9", file("a\n")}},
       {{"with space", file("b\n")},
        {"tab\there", file("b\n")},
        {"new\nline", file("b\n")},
        {"q\"\\", file("b\n")},
        {"caf\xC3\xA9", file("a\n", FileMode::executable)}},
       {}},
  };
}

/// The engine's verdict in git's terms.
struct OurVerdict {
  bool accepts = false;
  bool is_ambiguous = false;
  Listing listing;
  std::string message;
};

OurVerdict apply_here(const Tree& before, const std::string& patch) {
  OurVerdict verdict;
  MemoryFiles files(before);
  try {
    const Applied applied = apply_patch(parse_patch(patch, "test"), files);
    verdict.accepts = true;
    verdict.listing = listing_of(files.with(applied.changes).files());
  } catch (const Error& error) {
    verdict.message = error.message();
    verdict.is_ambiguous = verdict.message.find("several other lines") != std::string::npos;
  }
  return verdict;
}

struct Counts {
  int accepted = 0;
  int refused = 0;
};

void compare(GitOracle& git, const Tree& before, const std::string& patch, Agreement agreement, Counts& counts) {
  const GitOracle::Verdict theirs = git.apply(before, patch);
  const OurVerdict ours = apply_here(before, patch);
  INFO(patch);
  INFO("git: " << theirs.message);
  INFO("torchpatch: " << ours.message);
  if (ours.accepts) {
    REQUIRE(theirs.accepts);
    REQUIRE(ours.listing == theirs.listing);
    ++counts.accepted;
  } else {
    const bool may_refuse = agreement == Agreement::strict || (theirs.moved && ours.is_ambiguous);
    REQUIRE((!theirs.accepts || may_refuse));
    ++counts.refused;
  }
}

/// All mutations and drifts of one scenario, in both directions.
void compare_scenario(GitOracle& git, const Scenario& scenario, std::mt19937& random, Counts& counts) {
  INFO(scenario.name);
  const std::string patch = git.diff(scenario.before, scenario.after, scenario.options);
  const OurVerdict plain = apply_here(scenario.before, patch);
  INFO(plain.message);
  REQUIRE(plain.listing == listing_of(scenario.after));
  compare(git, scenario.before, patch, Agreement::same, counts);
  compare(git, scenario.after, patch, Agreement::same, counts);
  for (const Mutation& mutation : mutate_patch(patch, random)) {
    INFO(mutation.name);
    compare(git, scenario.before, mutation.patch, mutation.agreement, counts);
  }
  for (const Drift& drift : drift_tree(scenario.before, random)) {
    INFO(drift.name);
    compare(git, drift.tree, patch, Agreement::same, counts);
  }
}

}  // namespace

TEST_CASE("apply_patch: agrees with git apply on text, mutated and drifted", "[patch][git]") {
  GitOracle git;
  std::mt19937 random(20260101);
  Counts counts;
  for (const Scenario& scenario : text_scenarios()) compare_scenario(git, scenario, random, counts);
  // Neither verdict is rare, or the test would not tell much.
  CHECK(counts.accepted > 60);
  CHECK(counts.refused > 100);
}

TEST_CASE("apply_patch: agrees with git apply on every kind of change", "[patch][git]") {
  GitOracle git;
  std::mt19937 random(20260102);
  Counts counts;
  for (const Scenario& scenario : tree_scenarios()) compare_scenario(git, scenario, random, counts);
  CHECK(counts.accepted > 60);
  CHECK(counts.refused > 100);
}

}  // namespace torchpatch::patch
