// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/json.h"
#include "support/text.h"

using namespace torchpatch;
using Catch::Contains;
using test::CliResult;
using test::git;

namespace {

constexpr std::int64_t kNewYear2026 = 1'767'225'600;

/// The toy's repositories as a server has them, with the tags that its catalog pins.
struct OutdatedWorkspace : test::ToyWorkspace {
  OutdatedWorkspace() {
    for (const char* name : {"torch", "vision"}) {
      git(upstream.mirror(), {"clone", "--quiet", "--bare", upstream.mirror() + "/" + name, served(name)});
      git(served(name), {"config", "uploadpack.allowFilter", "true"});
    }
    tag("torch", "v1.1.0", torch());
    git(served("vision"), {"tag", "-a", "-m", "annotated", "v0.3.0", vision()});
  }

  std::string served(const std::string& name) const {
    return concat(upstream.scratch(), "/served/pytorch/", name == "torch" ? "pytorch" : name, ".git");
  }
  std::string torch() const { return upstream.torch_commit(); }
  std::string vision() const { return git(served("vision"), {"rev-parse", "main"}); }
  void tag(const std::string& name, const std::string& tag_name, const std::string& commit) const {
    git(served(name), {"tag", "--force", tag_name, commit});
  }
  /// Makes a commit of that time in torch, and the tag of it.
  std::string tag_at(const std::string& tag_name, std::int64_t time) const {
    const std::string person = concat("a <a@example.org> ", time, " +0000\n");
    write("commit", concat("tree ", git(served("torch"), {"rev-parse", "main^{tree}"}), "\nauthor ", person,
                           "committer ", person, "\n", tag_name, "\n"));
    const std::string commit = git(served("torch"), {"hash-object", "-t", "commit", "-w", path("commit")});
    tag("torch", tag_name, commit);
    return commit;
  }

  CliResult ask(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"outdated", "--quiet", "--retries", "0", "--url-map",
                               concat("https://example.org/=file://", upstream.scratch(), "/served/")});
    return run(more);
  }
  CliResult look(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"outdated", "--quiet", "--mirror", upstream.scratch() + "/served"});
    return run(more);
  }
};

std::string canonical(const std::string& text) {
  Findings findings;
  return canonical_json(parse_json(text, "json", 1, findings).value(), "json");
}

const std::string kTorchUrl = "torch: https://example.org/pytorch/pytorch.git";
const std::string kVisionUrl = "vision: https://example.org/pytorch/vision.git";

}  // namespace

TEST_CASE("outdated: no news where upstream has the tags that are pinned, and no other") {
  const OutdatedWorkspace workspace;
  workspace.tag("torch", "v1.0.1", workspace.torch());  // older than what the catalog begins with
  workspace.tag("torch", "v1.2", workspace.torch() + "^{tree}");
  workspace.tag("torch", "ciflow/trunk/v1.3.0", workspace.torch());
  workspace.tag("torch", "v1.3.0-beta", workspace.torch());
  const CliResult result = workspace.look();
  CHECK(result.err.empty());
  CHECK(result.out == concat(kTorchUrl, ", by $TOY/served/pytorch/pytorch.git\n  nothing new\n\n", kVisionUrl,
                             ", by $TOY/served/pytorch/vision.git\n  nothing new\n"));
  CHECK(result.exit_code == 0);
}

TEST_CASE("outdated: asks upstream for new releases, and for pre-releases where they are wanted") {
  const OutdatedWorkspace workspace;
  const std::string commit = workspace.tag_at("v1.2.0", kNewYear2026);
  workspace.tag("torch", "v1.2.0-rc1", workspace.torch());
  workspace.tag("torch", "v1.3.0-rc10", workspace.torch());
  workspace.tag("torch", "v1.3.0-rc9", workspace.torch());
  workspace.tag("torch", "v1.1.0-rc1", workspace.torch());
  workspace.tag("torch", "v1.4.0-rc1", workspace.torch());  // 1.4.0 never came
  workspace.tag("torch", "v1.4.1", workspace.torch());
  const CliResult result = workspace.ask();
  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK(result.out == concat(kTorchUrl, ", by file://$TOY/served/pytorch/pytorch.git\n  new: v1.2.0 at ", commit,
                             "\n  new: v1.4.1 at ", workspace.torch(), "\n\n", kVisionUrl,
                             ", by file://$TOY/served/pytorch/vision.git\n  nothing new\n"));

  const CliResult pre = workspace.ask({"--pre", "torch", "--json"});
  CHECK(pre.exit_code == 1);
  const auto entry = [&](const std::string& version, const std::string& id, const std::string& is_pre) {
    return concat(R"({"version": ")", version, R"(", "tag": "v)", version, R"(", "commit": ")", id, R"(", "pre": )",
                  is_pre, R"(, "date": null})");
  };
  const std::string expected = concat(
      R"({"schema": 1, "components": [{"component": "torch", "url": "https://example.org/pytorch/pytorch.git", "asked": )",
      R"(["file://$TOY/served/pytorch/pytorch.git"], "problem": null, "new": [)", entry("1.2.0", commit, "false"), ", ",
      entry("1.3.0-rc9", workspace.torch(), "true"), ", ", entry("1.3.0-rc10", workspace.torch(), "true"), ", ",
      entry("1.4.1", workspace.torch(), "false"), R"(], "moved": [], "missing_tags": []}]})");
  CHECK(canonical(pre.out) == canonical(expected));
}

TEST_CASE("outdated: a release that a pinned one of its series mended is no news") {
  const OutdatedWorkspace workspace;
  const std::string releases = workspace.upstream.catalog_directory() + "/releases/";
  std::string later = read_file(releases + "1.1.0.json");
  for (std::size_t at = later.find("1.1.0"); at != later.npos; at = later.find("1.1.0", at))
    later.replace(at, 5, "1.2.1");
  write_file_atomically(releases + "1.2.1.json", later);
  for (const char* tag : {"v1.1.1", "v1.2.0", "v1.2.0-rc1", "v1.2.1", "v1.2.2"})
    workspace.tag("torch", tag, workspace.torch());
  const CliResult result = workspace.ask({"--pre"});
  CHECK(result.exit_code == 1);
  for (const char* tag : {"new: v1.1.1 at", "new: v1.2.2 at"}) CHECK_THAT(result.out, Contains(tag));
  CHECK_THAT(result.out, !Contains("new: v1.2.0"));
}

TEST_CASE("outdated: names pins whose tag moved or is gone, and of copies it says nothing of missing tags") {
  const OutdatedWorkspace workspace;
  const std::string moved = workspace.tag_at("v1.1.0", kNewYear2026);
  git(workspace.served("vision"), {"tag", "-d", "v0.3.0"});
  const std::string line = concat("moved: v1.1.0 is at ", moved, ", pinned: ", workspace.torch(), "\n");
  const CliResult asked = workspace.ask({"--since", "2030-01-01"});  // hides new tags alone
  INFO(asked.err);
  CHECK(asked.exit_code == 1);
  CHECK_THAT(asked.out, Contains(line) && Contains(concat("gone: v0.3.0, pinned: ", workspace.vision(), "\n")));

  workspace.tag("vision", "v0.3.1", workspace.vision());
  const CliResult looked = workspace.look();
  CHECK(looked.exit_code == 1);
  CHECK_THAT(looked.out, Contains(line) && Contains("new: v0.3.1 at ") && !Contains("gone"));
}

TEST_CASE("outdated --mirror: reads loose and packed tags, with dates, and another repository's are none") {
  const OutdatedWorkspace workspace;
  workspace.tag_at("v1.2.0", kNewYear2026 - 1);
  git(workspace.served("torch"), {"tag", "-a", "-m", "annotated", "v1.4.0", "v1.2.0"});
  git(workspace.served("torch"), {"pack-refs", "--all"});
  const std::string loose = workspace.tag_at("v1.5.0", kNewYear2026);
  const std::string stranger = workspace.upstream.scratch() + "/served/stranger";
  make_directories(stranger);
  git(stranger, {"init", "-q"});
  git(stranger, {"commit", "-q", "--allow-empty", "-m", "other"});
  git(stranger, {"tag", "v9.9.9"});
  const CliResult all = workspace.look({"torch"});
  INFO(all.err);
  const std::string packed = git(workspace.served("torch"), {"rev-parse", "v1.2.0"});
  CHECK(all.out == concat(kTorchUrl, ", by $TOY/served/pytorch/pytorch.git\n  new: v1.2.0 at ", packed,
                          ", 2025-12-31\n  new: v1.4.0 at ", packed, ", 2025-12-31\n  new: v1.5.0 at ", loose,
                          ", 2026-01-01\n"));
  const std::vector<std::string> line = {"outdated", "torch", "--offline", "--mirror",
                                         workspace.upstream.scratch() + "/served"};
  CHECK(workspace.run(line).out == all.out);
  const CliResult later = workspace.look({"torch", "--since", "2026-01-01"});
  CHECK(later.exit_code == 1);
  CHECK_THAT(later.out, Contains("new: v1.5.0") && !Contains("v1.2.0") && !Contains("v1.4.0"));
  CHECK(workspace.look({"torch", "--since", "2026-01-02"}).exit_code == 0);
}

TEST_CASE("outdated --since: fetches the dates of new tags from a server") {
  const OutdatedWorkspace workspace;
  workspace.tag_at("v1.2.0", kNewYear2026 - 1);
  workspace.tag_at("v1.3.0", kNewYear2026);
  const CliResult result = workspace.ask({"torch", "--since", "2026-01-01"});
  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Contains("new: v1.3.0 at ") && Contains(", 2026-01-01\n") && !Contains("v1.2.0"));
  CHECK(workspace.ask({"torch", "--since", "2026-01-02"}).exit_code == 0);
}

TEST_CASE("outdated: what cannot be asked is exit code 4, and the others are still heard") {
  const OutdatedWorkspace workspace;
  workspace.tag("vision", "v0.4.0", workspace.vision());
  remove_tree(workspace.served("torch"));
  const CliResult result = workspace.ask();
  CHECK(result.exit_code == 4);
  CHECK_THAT(result.out, Contains("  unknown: git reports ") && Contains("new: v0.4.0 at "));
  CHECK_THAT(result.err, Catch::StartsWith("torchpatch: error: looking for new tags: torch: git reports ") &&
                             Contains("\nhint: pass a server that has it with --url-map, or copies with --mirror\n"));
  const CliResult json = workspace.ask({"--json"});
  CHECK(json.exit_code == 4);
  CHECK_THAT(json.out, Contains("\"problem\": \"git reports "));
}

TEST_CASE("outdated: copies that tell nothing are exit code 4") {
  const OutdatedWorkspace workspace;
  const CliResult cache = workspace.run({"outdated", "torch", "--offline"});
  CHECK(cache.exit_code == 4);
  CHECK_THAT(cache.err, Contains("torch: no repository has a commit that the catalog pins\nhint: pass a directory "
                                 "of clones with --mirror ("));
  const CliResult tagless = workspace.run({"outdated", "torch", "--mirror", workspace.upstream.mirror()});
  CHECK(tagless.exit_code == 4);
  CHECK_THAT(tagless.err, Contains("torch: no copy of it has tags\n"));
}

TEST_CASE("outdated: refuses what is no date, no component and no upstream") {
  const OutdatedWorkspace workspace;
  for (const std::string day : {"yesterday", "2026-1-1", "2026-02-30", "0000-00-00"}) {
    const CliResult result = workspace.look({"--since", day});
    CHECK(result.exit_code == 2);
    CHECK(result.err == concat("torchpatch: error: --since '", day,
                               "' is not a date such as 2019-04-30\nhint: tags since that day are shown\n"));
  }
  CHECK(workspace.look({"text"}).exit_code == 2);
  const CliResult source = workspace.run({"outdated", "--source", "sample"});
  CHECK(source.exit_code == 2);
  CHECK_THAT(source.err, Contains("--source: an embedded source has no upstream with tags\n"));
}
