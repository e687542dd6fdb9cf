// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/prove/prove.h"

#include "source/closure/object_source.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/text.h"
#include "support/toy_proof.h"

using namespace torchpatch;
using namespace torchpatch::upkeep;
using test::ToyProof;
using test::ToyUpstream;

namespace {

ProveReport prove_toy(const ToyUpstream& upstream, ProveOptions options = {}) {
  NullConsole console;
  source::MirrorSource source({upstream.mirror()}, console);
  return prove(upstream.load(), source, options, console);
}

/// Returns the outcome of the only proof there is.
ProofOutcome prove_one(const ToyProof& proof) {
  const ToyUpstream upstream;
  test::write_proof(upstream, proof);
  const ProveReport report = prove_toy(upstream);
  REQUIRE(report.proofs.size() == 1);
  return report.proofs.front();
}

}  // namespace

TEST_CASE("prove: a proof fails without the patches and passes with them") {
  const ProofOutcome outcome = prove_one({});
  CHECK(outcome.patchset == "block-limit");
  CHECK(outcome.proof == "limit");
  CHECK(outcome.release.text() == "1.1.0");
  CHECK(outcome.variant == "V1");
  CHECK(outcome.verdict == ProofVerdict::proven);
  CHECK(outcome.before_exit == 3);
  CHECK(outcome.before_output == "the limit is not 512\n");
  CHECK(outcome.after_exit == 0);
  CHECK(outcome.after_output.empty());
}

TEST_CASE("prove: a patch that does something else is not green") {
  const ToyUpstream upstream;
  test::write_proof(upstream);
  test::mutate_patch(upstream);
  const ProveReport report = prove_toy(upstream);
  REQUIRE(report.proofs.size() == 1);
  CHECK(report.proofs[0].verdict == ProofVerdict::not_green);
  CHECK(report.proofs[0].after_exit == 3);
}

TEST_CASE("prove: a side that passes, or fails for another reason, is not red") {
  CHECK(prove_one({.commands = R"([["sh", "-c", "true"]])"}).verdict == ProofVerdict::not_red);
  CHECK(prove_one({.red = "operand mismatch"}).verdict == ProofVerdict::not_red);
  CHECK(prove_one({.commands = R"([["sh", "-c", "exit 1"]])"}).verdict == ProofVerdict::not_red);
}

TEST_CASE("prove: commands run one after the other, up to the first that fails") {
  const ProofOutcome outcome = prove_one({.commands = R"([["sh", "-c", "echo one >> {work}/log"],
                       ["sh", "{proof}/limit.sh", "{tree}/pytorch/include/limits.h"],
                       ["sh", "-c", "echo two >> {work}/log; cat {work}/log"]])"});
  CHECK(outcome.verdict == ProofVerdict::proven);
  CHECK(outcome.before_output == "the limit is not 512\n");
  CHECK(outcome.after_output == "one\ntwo\n");
}

TEST_CASE("prove: the sides hold the parts that the proof names and what the patches touch, and differ in the latter") {
  const ProofOutcome outcome = prove_one(
      {.commands = R"([["sh", "-c", "cd {tree}; find . -type f | sort; test -x pytorch/tools/run.sh && exit 1"]])"});
  CHECK(outcome.before_output == "./pytorch/include/limits.h\n./pytorch/tools/run.sh\n");
  CHECK(outcome.after_output == "./pytorch/include/added.h\n./pytorch/include/limits.h\n./pytorch/tools/run.sh\n");
}

TEST_CASE("prove: commands see nothing of our environment, and paths are told as placeholders") {
  const ProofOutcome outcome = prove_one({.commands = R"([["sh", "-c", "env | grep -v PWD | sort; pwd; exit 1"]])"});
  CHECK(outcome.before_output ==
        "HOME={work}\nLC_ALL=C\nPATH=/usr/local/bin:/usr/bin:/bin\nPYTHONDONTWRITEBYTECODE=1\nTMPDIR={work}\n{work}\n");
}

TEST_CASE("prove: a command that takes too long is stopped") {
  const ProofOutcome outcome =
      prove_one({.commands = R"([["sh", "-c", "sleep 60"]])", .more = R"(, "limits": {"seconds": 1})"});
  CHECK(outcome.verdict == ProofVerdict::not_red);
  CHECK(outcome.before_exit == 137);
  CHECK(outcome.before_output == "stopped after 1 seconds\n");
}

TEST_CASE("prove: a command that wants too much memory is refused it") {
  const ProofOutcome outcome = prove_one(
      {.commands = R"([["sh", "-c", "x=$(head -c 90000000 /dev/zero | tr '\\0' x) && echo ${#x} && exit 1"]])",
       .red = "90000000",
       .more = R"(, "limits": {"memory_mib": 64})"});
  CHECK(outcome.verdict == ProofVerdict::not_red);
}

TEST_CASE("prove: a proof whose tool is not there is not run") {
  const ProofOutcome outcome = prove_one({.tools = R"(["no-such-tool", "sh"])", .commands = R"([["no-such-tool"]])"});
  CHECK(outcome.verdict == ProofVerdict::no_tool);
  CHECK(outcome.missing_tools == std::vector<std::string>{"no-such-tool"});
}

TEST_CASE("prove: tells what has no proof") {
  const ToyUpstream upstream;
  const ProveReport report = prove_toy(upstream, {.patchsets = {"block-limit"}, .releases = {"1.1.0"}});
  CHECK(report.proofs.empty());
  REQUIRE(report.unproven.size() == 1);
  CHECK(report.unproven[0].patchset == "block-limit");
  CHECK(report.unproven[0].release == "1.1.0");
  CHECK(report.unproven[0].why == "no proof has been written");
}

TEST_CASE("prove: a release whose sources are not there is told, and is an error where it was named") {
  const ToyUpstream upstream;
  test::write_proof(upstream);
  NullConsole console;
  source::MirrorSource source({upstream.mirror() + "/nested"}, console);  // without torch
  const ProveReport report = prove(upstream.load(), source, {}, console);
  CHECK(report.proofs.empty());
  REQUIRE(report.unproven.size() == 1);
  CHECK(report.unproven[0].patchset.empty());
  CHECK_THAT(report.unproven[0].why, Catch::Contains("torch: commit " + upstream.torch_commit()));
  CHECK_THROWS_WITH(prove(upstream.load(), source, {.releases = {"1.1.0"}}, console),
                    Catch::StartsWith("reading the tree for proof 'limit' of block-limit at 1.1.0 from "));
}

TEST_CASE("prove: a path that the pinned tree does not have is an error") {
  const ToyUpstream upstream;
  test::write_proof(upstream);
  const std::string path = upstream.catalog_directory() + "/patchsets/block-limit/proof.json";
  std::string text = read_file(path);
  write_file_atomically(path, text.replace(text.find("\"include\""), 9, "\"exclude\""));
  CHECK_THROWS_WITH(prove_toy(upstream),
                    "reading the tree for proof 'limit' of block-limit at 1.1.0: torch has nothing at 'exclude'");
}

TEST_CASE("prove: leaves the trees behind where it is told to") {
  const ToyUpstream upstream;
  test::write_proof(upstream);
  const std::string keep = upstream.scratch() + "/kept";
  prove_toy(upstream, {.keep = keep});
  const std::string place = keep + "/1.1.0/block-limit/limit";
  CHECK(read_file(place + "/before/tree/pytorch/include/limits.h").find("512") == std::string::npos);
  CHECK(read_file(place + "/after/tree/pytorch/include/limits.h").find("512") != std::string::npos);
  CHECK(file_exists(place + "/after/proof/limit.sh"));
  CHECK_THROWS_WITH(prove_toy(upstream, {.keep = keep}), "keeping the trees in '" + keep + "': it is not empty");
}

TEST_CASE("record_proofs: an outcome that has not changed keeps its date") {
  const ToyUpstream upstream;
  test::write_proof(upstream);
  NullConsole console;
  const std::string directory = upstream.catalog_directory();
  const std::string file = directory + "/patchsets/block-limit/proofs/1.1.0.json";
  CHECK(record_proofs(upstream.load(), prove_toy(upstream), directory, "2026-11-21", console) ==
        std::vector<std::string>{file});
  const std::string first = read_file(file);
  const ProofRecord record = upstream.load().patchset("block-limit").proof.records.at(0);
  CHECK(record.verdict == ProofVerdict::proven);
  CHECK(record.date == "2026-11-21");

  record_proofs(upstream.load(), prove_toy(upstream), directory, "2026-11-22", console);
  CHECK(read_file(file) == first);
  test::mutate_patch(upstream);
  record_proofs(upstream.load(), prove_toy(upstream), directory, "2026-11-23", console);
  const ProofRecord changed = upstream.load().patchset("block-limit").proof.records.at(0);
  CHECK(changed.verdict == ProofVerdict::not_green);
  CHECK(changed.date == "2026-11-23");
  CHECK(changed.subject != record.subject);
}

TEST_CASE("record_proofs: a proof whose tool is not there leaves its record alone") {
  const ToyUpstream upstream;
  NullConsole console;
  test::write_proof(upstream);
  record_proofs(upstream.load(), prove_toy(upstream), upstream.catalog_directory(), "2026-11-21", console);
  test::write_proof(upstream, {.tools = R"(["no-such-tool", "sh"])"});
  CHECK(
      record_proofs(upstream.load(), prove_toy(upstream), upstream.catalog_directory(), "2026-11-22", console).empty());
  CHECK(upstream.load().patchset("block-limit").proof.records.size() == 1);
}
