// SPDX-License-Identifier: BSD-3-Clause
#include "record/manifest_file.h"

#include <algorithm>
#include <functional>

#include "support/catch.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "unit/report/examples.h"
#include "unit/report/golden.h"

namespace torchpatch::report {

using namespace record;
namespace {

using test::example_manifest;

/// Returns "data: <message>", "unsafe: <message>" or "none".
std::string refusal(const std::string& bytes) {
  try {
    parse_manifest(bytes, "m.json");
  } catch (const Error& error) {
    return (error.kind() == ErrorKind::data ? "data: " : "unsafe: ") + error.message();
  }
  return "none";
}

/// Returns the example's bytes with the first `from` replaced; `from` must occur.
std::string edited(const std::string& from, const std::string& to) {
  std::string bytes = manifest_json(example_manifest());
  const std::size_t at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  return bytes.replace(at, from.size(), to);
}

/// One change to each field, so that a field that is not written or not read back is found.
const std::vector<std::pair<const char*, std::function<void(Manifest&)>>> kChanges = {
    {"tool_version", [](Manifest& m) { m.tool_version = "x"; }},
    {"release", [](Manifest& m) { m.release = "1.2"; }},
    {"stand_in", [](Manifest& m) { m.stand_in = "not PyTorch"; }},
    {"empty stand_in", [](Manifest& m) { m.stand_in = ""; }},
    {"board", [](Manifest& m) { m.board = "x"; }},
    {"image", [](Manifest& m) { m.image = "x"; }},
    {"python", [](Manifest& m) { m.python = "none"; }},
    {"target", [](Manifest& m) { m.target["cudnn"] = "7"; }},
    {"versions", [](Manifest& m) { m.versions[Component::torch] = "x"; }},
    {"with_fixes", [](Manifest& m) { m.with_fixes = {"x"}; }},
    {"without_fixes", [](Manifest& m) { m.without_fixes = {}; }},
    {"settings", [](Manifest& m) { m.settings["X"] = ""; }},
    {"forced_settings", [](Manifest& m) { m.forced_settings = {"distributed"}; }},
    {"build_target", [](Manifest& m) { m.build_target = "generic"; }},
    {"forced", [](Manifest& m) { m.forced = true; }},
    {"unpatched", [](Manifest& m) { m.unpatched = true; }},
    {"allow_uncertified", [](Manifest& m) { m.allow_uncertified = true; }},
    {"plan", [](Manifest& m) { m.plan = {}; }},
    {"trees", [](Manifest& m) { m.trees[Component::torch] = {}; }},
    {"tree", [](Manifest& m) { m.tree = {}; }},
    {"timestamp", [](Manifest& m) { m.timestamp = 0; }},
    {"file_count", [](Manifest& m) { m.file_count = 1ull << 40; }},
    {"link_count", [](Manifest& m) { m.link_count = 0; }},
    {"byte_count", [](Manifest& m) { m.byte_count = 0; }},
    {"url", [](Manifest& m) { m.repositories[0].url = "x"; }},
    {"commit", [](Manifest& m) { m.repositories[0].commit = {}; }},
    {"raw_commit", [](Manifest& m) { m.repositories[0].raw_commit = std::string("\0\n", 2); }},
    {"base_tree", [](Manifest& m) { m.repositories[0].base_tree = {}; }},
    {"patched_tree", [](Manifest& m) { m.repositories[0].patched_tree = {}; }},
    {"repositories",
     [](Manifest& m) {
       m.repositories[1].path.path = "third_party/x";
       m.added_files.clear();
     }},
    {"licence file", [](Manifest& m) { m.repositories[0].licences[0].name = "COPYING"; }},
    {"licence id", [](Manifest& m) { m.repositories[0].licences[0].id = ""; }},
    {"licences", [](Manifest& m) { m.repositories[1].licences.clear(); }},
    {"override", [](Manifest& m) { m.repositories[1].overridden.reset(); }},
    {"override replaces", [](Manifest& m) { m.repositories[1].overridden->replaces = {}; }},
    {"override patchset", [](Manifest& m) { m.repositories[1].overridden->patchset = "x"; }},
    {"override variant", [](Manifest& m) { m.repositories[1].overridden->variant = "x"; }},
    {"override issues", [](Manifest& m) { m.repositories[1].overridden->issues = {}; }},
    {"host",
     [](Manifest& m) {
       m.host = {{"board", "a1"}, {"image", "one"}, {"glibc", "2.27"}};
     }},
    {"patchset", [](Manifest& m) { m.patches[0].patchset = "x"; }},
    {"variant", [](Manifest& m) { m.patches[0].variant = "x"; }},
    {"file", [](Manifest& m) { m.patches[0].file = "patches/x"; }},
    {"patch sha256", [](Manifest& m) { m.patches[0].sha256 = {}; }},
    {"patch repository",
     [](Manifest& m) {
       m.patches[0].repository = {Component::vision, ""};
     }},
    {"patch issues", [](Manifest& m) { m.patches[0].issues = {}; }},
    {"is_certified", [](Manifest& m) { m.patches[0].is_certified = false; }},
    {"edge path", [](Manifest& m) { m.patches[0].edges[0].path = "x"; }},
    {"edge before", [](Manifest& m) { m.patches[0].edges[0].before.reset(); }},
    {"edge after", [](Manifest& m) { m.patches[0].edges[0].after.reset(); }},
    {"patches", [](Manifest& m) { m.patches.clear(); }},
    {"added patchset", [](Manifest& m) { m.added_files[0].patchset = "x"; }},
    {"added variant", [](Manifest& m) { m.added_files[0].variant = "x"; }},
    {"added repository", [](Manifest& m) { m.added_files[0].repository = {}; }},
    {"added path", [](Manifest& m) { m.added_files[0].path = "x"; }},
    {"added mode", [](Manifest& m) { m.added_files[0].mode = FileMode::regular; }},
    {"added blob", [](Manifest& m) { m.added_files[0].blob = {}; }},
    {"added sha256", [](Manifest& m) { m.added_files[0].sha256 = {}; }},
    {"added issues", [](Manifest& m) { m.added_files[0].issues = {}; }},
    {"issue", [](Manifest& m) { m.issues[0].issue = "a"; }},
    {"status", [](Manifest& m) { m.issues[0].status = IssueStatus::declined; }},
    {"reason", [](Manifest& m) { m.issues[0].reason = "x"; }},
    {"fix", [](Manifest& m) { m.issues[0].fix = "x"; }},
    {"kind", [](Manifest& m) { m.issues[0].kind = FixKind::files; }},
    {"issue variant", [](Manifest& m) { m.issues[0].variant = ""; }},
    {"answered issue", [](Manifest& m) { m.answered_issues[0].id = "x"; }},
    {"answered title", [](Manifest& m) { m.answered_issues[0].title = "x"; }},
    {"answered severity", [](Manifest& m) { m.answered_issues[0].severity = "x"; }},
    {"answered links", [](Manifest& m) { m.answered_issues[0].links = {}; }},
    {"advisory", [](Manifest& m) { m.advisories[0].about.id = "CVE-2021-1"; }},
    {"advisory aliases", [](Manifest& m) { m.advisories[0].about.aliases.clear(); }},
    {"advisory repository", [](Manifest& m) { m.advisories[0].about.repository.path = "x"; }},
    {"advisory fix", [](Manifest& m) { m.advisories[0].about.fix.reset(); }},
    {"advisory status", [](Manifest& m) { m.advisories[0].status = AdvisoryStatus::fixed; }},
    {"advisory note", [](Manifest& m) { m.advisories[2].note.clear(); }},
    {"advisory verified", [](Manifest& m) { m.advisories[2].is_verified = false; }},
    {"setting name", [](Manifest& m) { m.environment[0].name = "X"; }},
    {"setting value", [](Manifest& m) { m.environment[0].value = "a\nb"; }},
    {"setting origin", [](Manifest& m) { m.environment[0].origin = "x"; }},
    {"setting why", [](Manifest& m) { m.environment[0].why = "x"; }},
    {"setting read_at", [](Manifest& m) { m.environment[0].read_at = "x"; }},
    {"setting component", [](Manifest& m) { m.environment[4].component.reset(); }},
    {"setting unread", [](Manifest& m) { m.environment[0].unread = "x"; }},
    {"tool", [](Manifest& m) { m.tool_bounds[0].tool = "x"; }},
    {"range", [](Manifest& m) { m.tool_bounds[0].range = "*"; }},
    {"warnings", [](Manifest& m) { m.warnings = {}; }},
    {"executables", [](Manifest& m) { m.executables.pop_back(); }},
    {"link", [](Manifest& m) { m.links[0].path = "pytorch/x"; }},
    {"target of a link", [](Manifest& m) { m.links[0].target = "x"; }},
    {"side file", [](Manifest& m) { m.side_files[0].name = "a"; }},
    {"side file sha256", [](Manifest& m) { m.side_files[0].sha256 = {}; }},
    {"side file mode", [](Manifest& m) { m.side_files[0].is_executable = false; }},
    {"origin", [](Manifest& m) { m.origins[0].entry = "a"; }},
    {"layer", [](Manifest& m) { m.origins[0].layer = "x"; }},
    {"digest", [](Manifest& m) { m.origins[0].digest = {}; }},
};

TEST_CASE("manifest_json: has the documented form") {
  test::check_golden("manifest.json", manifest_json(example_manifest()));
}

TEST_CASE("manifest_json: writes every field, and parse_manifest reads it back") {
  const std::string original = manifest_json(example_manifest());
  CHECK(manifest_json(parse_manifest(original, "m.json")) == original);
  for (const auto& [field, change] : kChanges) {
    INFO(field);
    Manifest manifest = example_manifest();
    change(manifest);
    const std::string bytes = manifest_json(manifest);
    CHECK(bytes != original);
    CHECK(manifest_json(parse_manifest(bytes, "m.json")) == bytes);
  }
}

TEST_CASE("parse_manifest: gives the values that were written") {
  const Manifest expected = example_manifest();
  const Manifest manifest = parse_manifest(manifest_json(expected), "m.json");
  CHECK(manifest.repositories[0].raw_commit == expected.repositories[0].raw_commit);
  CHECK(manifest.repositories[1].path.text() == "torch:third_party/onnx");
  CHECK(manifest.patches[0].edges[1].before == std::nullopt);
  CHECK(manifest.added_files[0].mode == FileMode::executable);
  CHECK(manifest.issues[3].status == IssueStatus::undecided);
  CHECK(manifest.environment[3].value == "-mcpu=cortex-a57 -DNAME='it'");
  CHECK(manifest.timestamp == 1556653113);
  CHECK_FALSE(manifest.stand_in.has_value());
}

TEST_CASE("manifest_json: sorts the lists whose order means nothing") {
  Manifest manifest = example_manifest();
  std::reverse(manifest.repositories.begin(), manifest.repositories.end());
  std::reverse(manifest.executables.begin(), manifest.executables.end());
  std::reverse(manifest.side_files.begin(), manifest.side_files.end());
  std::reverse(manifest.origins.begin(), manifest.origins.end());
  CHECK(manifest_json(manifest) == manifest_json(example_manifest()));
}

TEST_CASE("manifest_json: refuses text that JSON cannot carry") {
  Manifest manifest = example_manifest();
  manifest.links[0].target = "caf\xE9";
  CHECK_THROWS_AS(manifest_json(manifest), Error);
}

/// A manifest of one component, without patches.
Manifest small_manifest() {
  Manifest manifest;
  manifest.release = "1.1.0";
  manifest.python = "3.5";
  manifest.components = {Component::torch};
  manifest.trees[Component::torch] = {};
  manifest.versions = {{Component::torch, "1.1.0"}};
  manifest.repositories.resize(1);
  return manifest;
}

TEST_CASE("parse_manifest: no part of a manifest is a manifest") {
  const std::string bytes = manifest_json(small_manifest());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    if (refusal(bytes.substr(0, size)) == "none") FAIL("parsed the first " << size << " bytes");
  CHECK(refusal(bytes) == "none");
  CHECK(refusal(bytes + "{}\n") != "none");
}

TEST_CASE("parse_manifest: reports all findings, with their lines") {
  std::string bytes = edited("\"board\": \"tx2\"", "\"bord\": \"tx2\"");
  bytes.replace(bytes.find("\"forced\": false"), 15, "\"forced\": 0    ");
  CHECK(refusal(bytes) ==
        "data: reading the manifest: 3 findings\n"
        "  m.json:1: board: is missing\n"
        "  m.json:6: bord: unknown key; did you mean 'board'?\n"
        "  m.json:31: forced: must be true or false, not an integer");
}

TEST_CASE("parse_manifest: refuses values out of their set") {
  const auto has = [](const std::string& from, const std::string& to, const std::string& message) {
    INFO(message);
    CHECK_THAT(refusal(edited(from, to)), Catch::StartsWith("data: ") && Catch::Contains(message));
  };
  has("\"schema\": 1", "\"schema\": 2", "schema: is 2; this torchpatch reads schema 1");
  has("\"release\": \"1.1.0\"", "\"release\": \"nightly\"",
      "m.json:4: release: 'nightly' is not a version such as 1.10.2");
  has("\"release\": \"1.1.0\"", "\"release\": \"1.1.0.post1\"", "release: '1.1.0.post1' is not a version");
  has("\"release\": \"1.1.0\"", "\"release\": \"\"", "release: '' is not a version");
  has("\"release\": \"1.1.0\"", "\"release\": \"none\"", "release: 'none' is not a version");
  has("\"python\": \"3.5\"", "\"python\": \"x\"", "m.json:8: python: 'x' is not a version such as 1.10.2");
  has("\"genuine\": true", "\"genuine\": false", "genuine: must be true without 'stand_in', and false with it");
  has("\"applied\"", "\"aplied\"", "issues[0].status: must be one of applied, not_affected");
  has("\"kind\": \"patch\"", "\"kind\": \"hope\"", "issues[0].kind: must be one of");
  has("\"mode\": \"100755\"", "\"mode\": \"104755\"",
      "added_files[0].mode: must be one of 100644, 100755, not '104755'");
  has("\"timestamp\": 1556653113", "\"timestamp\": -1", "timestamp: must be from 0");
  has("\"tree\": \"", "\"tree\": \"A", "is not an object id of 40 lower-case hex digits");
  has("\"torch\",\n    \"vision\"", "\"vision\",\n    \"torch\"",
      "components: entry 2 is listed twice or out of order");
  has("\"torch\",\n    \"vision\"", "\"torch\"",
      "repositories: 'vision' does not belong to a component of this manifest");
  has("\"torch\",\n    \"vision\"", "\"torch\",\n    \"vision\",\n    \"audio\"",
      "the repository of 'audio' itself is missing");
  has("\"raw_commit\": \"", "\"raw_commit\": \"=", "repositories[0].raw_commit: must be base64");
  has("\"LICENSE\"", "\"setup.py\"", "repositories[0].licences[0].file: 'setup.py' is not the name of a licence file");
  has("\"COPYING\"", "\"LICENSE.txt\"", "repositories[1].licences: entry 2 is listed twice or out of order");
  has("\"repository\": \"torch\"", "\"repository\": \"audio\"",
      "patches[0].repository: 'audio' is not in 'repositories'");
  has("\"vision:gone\"", "\"audio:gone\"", "advisories[4].repository: 'audio:gone' does not belong to a component");
  has("\"name\": \"USE_NCCL\"", "\"name\": \"A;rm\"", "environment[1].name: 'A;rm' is not the name of a variable");
  has("\"component\": \"vision\"", "\"component\": \"\"",
      "environment[4].component: must be one of torch, vision, audio, not ''");
  has("\"<4\"", "\"< 4\"", "tool_bounds[0].range: '< 4' is not a range of versions");
  has("\"pytorch/setup.py\"", "\"pytorch/zetup.py\"", "executables: entry 2 is listed twice or out of order");
  has("\"target\": {", "\"host\": {\"board\": \"a1\"},\n  \"target\": {", "host: must have a board and an image");
  has("\"before\": null", "\"befor\": null", "before: is missing");
}

TEST_CASE("parse_manifest: refuses what stands twice") {
  Manifest manifest = example_manifest();
  manifest.added_files.push_back(manifest.added_files[0]);
  CHECK_THAT(refusal(manifest_json(manifest)),
             Catch::Contains("added_files[1].path: 'tools/limits.py' is added twice"));
  manifest = example_manifest();
  manifest.patches.push_back(manifest.patches[0]);
  CHECK_THAT(refusal(manifest_json(manifest)),
             Catch::Contains("patches[1].file: 'patches/0001-cuda-threads.patch' is listed twice"));
  manifest = example_manifest();
  manifest.side_files.push_back(manifest.side_files[0]);
  CHECK_THAT(refusal(manifest_json(manifest)), Catch::Contains("side_files: entry 2 is listed twice or out of order"));
}

TEST_CASE("parse_manifest: refuses paths that leave the tree") {
  const auto unsafe = [](const std::string& from, const std::string& to, const std::string& message) {
    INFO(message);
    CHECK_THAT(refusal(edited(from, to)), Catch::StartsWith("unsafe: ") && Catch::Contains(message));
  };
  unsafe("\"pytorch/setup.py\"", "\"/pytorch/setup.py\"", "executables[0]: '/pytorch/setup.py' is absolute");
  unsafe("\"aten/common.h\"", "\"../common.h\"", "edges[0].path: '../common.h' has a component that is '..'");
  unsafe("\"tools/limits.py\"", "\".git/hooks/x\"",
         "added_files[0].path: '.git/hooks/x' has a component that can be read as '.git'");
  unsafe("\"patches/0001", "\"/0001", "patches[0].file: '/0001-cuda-threads.patch' is absolute");
  unsafe("\"name\": \"build.sh\"", "\"name\": \"../build.sh\"",
         "side_files[0].name: '../build.sh' has a component that is '..'");
  unsafe("torch:third_party/onnx", "torch:../onnx",
         "repositories[1].path: 'torch:../onnx' is not the path of a repository");
  unsafe("\"target\": \"run it.sh\"", "\"target\": \"/etc/passwd\"",
         "link 'pytorch/tools/latest' has an absolute target");
  unsafe("\"path\": \"pytorch/tools/latest\"", "\"path\": \"pytorch/../x\"",
         "link 'pytorch/../x' has a component that is '..'");
}

}  // namespace
}  // namespace torchpatch::report
