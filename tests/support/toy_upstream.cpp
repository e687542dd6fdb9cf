// SPDX-License-Identifier: BSD-3-Clause
#include "support/toy_upstream.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "catalog/load_catalog.h"
#include "source/closure/object_source.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/program.h"
#include "support/text.h"
#include "upkeep/certify/certify.h"

namespace torchpatch::test {

namespace {

void write(const std::string& path, const std::string& bytes) {
  make_directories(parent_path(path));
  write_file_atomically(path, bytes);
}

std::string numbered_lines(const std::string& word, int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += concat(word, " ", i, "\n");
  return text;
}

void commit_all(const std::string& repository) {
  git(repository, {"add", "-A"});
  git(repository, {"commit", "-q", "-m", "content"});
}

void init(const std::string& repository) {
  make_directories(repository);
  git(repository, {"init", "-q", "-b", "main"});
}

void add_submodule(const std::string& repository, const std::string& url, const std::string& path,
                   const std::string& commit) {
  const std::string modules = repository + "/.gitmodules";
  const std::string known = file_exists(modules) ? read_file(modules) : "";
  write(modules, concat(known, "[submodule \"", path, "\"]\n\tpath = ", path, "\n\turl = ", url, "\n"));
  make_directories(repository + "/" + path);  // else the next `git add -A` takes the submodule for deleted
  git(repository, {"update-index", "--add", "--cacheinfo", "160000," + commit + "," + path});
  git(repository, {"add", ".gitmodules"});
}

std::string patch_header(const std::string& subject) {
  return concat("Description: ", subject,
                "\nOrigin: vendor, Example\nBug: https://example.org/1\nForwarded: no\nLast-Update: 2026-11-21\n",
                "SPDX-License-Identifier: BSD-3-Clause\n\n");
}

/// Commits a change in a repository and returns it as a patch.
std::string make_patch(const std::string& repository, const std::string& subject,
                       const std::vector<std::pair<std::string, std::string>>& files) {
  for (const auto& [path, bytes] : files) write(repository + "/" + path, bytes);
  git(repository, {"add", "-A"});
  const std::string diff = git(repository, {"diff", "--cached", "--full-index", "--binary"}) + "\n";
  git(repository, {"commit", "-q", "-m", "work"});
  return patch_header(subject) + diff;
}

std::string board(const std::string& id, const std::string& gpu) {
  return concat(R"({"schema": 1, "id": ")", id,
                R"(", "title": "Board", "arch": "aarch64", "cpu_flags": "-O1", "memory_mib": 1024,)", gpu, R"(
  "images": [{"id": "one", "title": "One", "os": "ubuntu-16.04", "glibc": "2.23", "gcc": "5.4", "python": ["3.5"], "cuda": "9.0"}],
  "default_images": [{"releases": "*", "image": "one"}],
  "sources": [{"keys": ["memory_mib", )",
                gpu.empty() ? "" : R"("gpu", )",
                R"("images", "arch", "cpu_flags"], "source": "made up", "verified": false}]})");
}

std::string issue(const std::string& id, const std::string& when, const std::string& fix) {
  return concat(
      "# Issue ", id, "\n\n```json\n{\"schema\": 1, \"id\": \"", id,
      "\", \"severity\": \"runtime-failure\", \"releases\": [\">=1.1.0 <1.2.0\"], \"when\": ", when,
      ", \"symptoms\": [\"too much\"], \"links\": [\"https://example.org/1\"], \"seeds\": [], \"fixes\": [", fix,
      "]}\n```\n\n## Symptom\n\nText.\n\n## Cause\n\nText.\n\n## Fix\n\nText.\n\n## How to verify\n\nText.\n");
}

}  // namespace

std::string git(const std::string& directory, const std::vector<std::string>& arguments) {
  ProgramRun run;
  run.argv = {"git"};
  run.argv.insert(run.argv.end(), arguments.begin(), arguments.end());
  const char* path = std::getenv("PATH");
  run.environment = {{"PATH", path ? path : "/usr/bin:/bin"},
                     {"HOME", directory},
                     {"GIT_CONFIG_NOSYSTEM", "1"},
                     {"GIT_CONFIG_GLOBAL", "/dev/null"},
                     {"LC_ALL", "C"},
                     {"TZ", "UTC"},
                     {"GIT_AUTHOR_NAME", "a"},
                     {"GIT_AUTHOR_EMAIL", "a@example.org"},
                     {"GIT_AUTHOR_DATE", "1500000000 +0000"},
                     {"GIT_COMMITTER_NAME", "a"},
                     {"GIT_COMMITTER_EMAIL", "a@example.org"},
                     {"GIT_COMMITTER_DATE", "1500000000 +0000"}};
  run.directory = directory;
  ProgramResult result = run_program(run);
  INFO("git " << join(arguments, " ") << ": " << result.err);
  REQUIRE(result.exit_code == 0);
  if (ends_with(result.out, "\n")) result.out.pop_back();
  return result.out;
}

ToyUpstream::ToyUpstream() {
  make_repositories();
  make_catalog();
}

void ToyUpstream::make_repositories() {
  const std::string six = mirror() + "/a-fork-of-six";
  init(six);
  write(six + "/six.py", "six = 6\n");
  commit_all(six);

  const std::string onnx = mirror() + "/nested/deeper/onnx";
  init(onnx);
  write(onnx + "/onnx.h", numbered_lines("// onnx", 40));
  add_submodule(onnx, "../../benjaminp/six.git", "deep/six", git(six, {"rev-parse", "HEAD"}));
  commit_all(onnx);

  const std::string torch = mirror() + "/torch";
  init(torch);
  const std::string part = numbered_lines("# part", 12);
  write(torch + "/setup.py", concat(numbered_lines("# setup", 60), part, part));
  write(torch + "/include/limits.h", numbered_lines("// limits", 60));
  write(torch + "/empty", "");
  write(torch + "/no_newline", "the end");
  write(torch + "/tools/run.sh", "#!/bin/sh\n");
  REQUIRE(chmod((torch + "/tools/run.sh").c_str(), 0755) == 0);
  REQUIRE(symlink("run.sh", (torch + "/tools/latest").c_str()) == 0);
  add_submodule(torch, "https://example.org/onnx/onnx.git", "third_party/onnx", git(onnx, {"rev-parse", "HEAD"}));
  commit_all(torch);
  torch_commit_ = git(torch, {"rev-parse", "HEAD"});

  const std::string vision = mirror() + "/vision";
  init(vision);
  write(vision + "/setup.py", "# vision\n");
  commit_all(vision);
  vision_commit_ = git(vision, {"rev-parse", "HEAD"});
}

void ToyUpstream::make_catalog() {
  const std::string root = catalog_directory();
  write(
      root + "/releases/1.1.0.json",
      concat(
          R"({"schema": 1, "version": "1.1.0", "date": "2019-04-30", "python": ["3.5"], "components": {
  "torch": {"url": "https://example.org/pytorch/pytorch.git", "tag": "v1.1.0", "version": "1.1.0", "commit": ")",
          torch_commit_,
          R"("}, "vision": {"url": "https://example.org/pytorch/vision.git", "tag": "v0.3.0", "version": "0.3.0", "commit": ")",
          vision_commit_,
          R"(", "environment": {"BUILD_VERSION": "0.3.0"}}}, "build_tools": {"cmake": "<4"}, "environment": {"PYTORCH_BUILD_VERSION": "1.1.0"},
  "sources": [{"keys": ["version", "date", "python", "components", "build_tools", "environment"], "source": "made up", "verified": false}]})"));
  write(root + "/boards/small.json",
        board("small", R"("gpu": {"compute_capability": "6.2", "registers_per_block": 32768},)"));
  write(root + "/boards/plain.json", board("plain", ""));
  write(root + "/known_issues/block-limit.md",
        issue("block-limit", R"({"registers_per_block": "<65536"})",
              R"({"id": "cap", "kind": "patch", "summary": "Cap", "patchset": "block-limit"})"));
  write(
      root + "/known_issues/quiet.md",
      issue(
          "quiet", R"({"arch": "aarch64"})",
          R"({"id": "be-quiet", "kind": "environment", "summary": "Set", "environment": {"QUIET": {"value": "1", "why": "it is loud"}}})"));

  std::string limits = numbered_lines("// limits", 60);
  limits.replace(limits.find("// limits 10\n"), 13, "// limit of 512\n");
  const std::string torch = mirror() + "/torch";
  const std::string first = make_patch(torch, "Cap the limit", {{"include/limits.h", limits}});
  limits.replace(limits.find("// limits 50\n"), 13, "// another limit\n");
  const std::string second =
      make_patch(torch, "Cap the other limit", {{"include/limits.h", limits}, {"include/added.h", "// added\n"}});
  const std::string patchset = root + "/patchsets/block-limit";
  write(patchset + "/V1/0001-cap.patch", first);
  write(patchset + "/V1/0002-cap-more.patch", second);
  write(
      patchset + "/patchset.json",
      concat(
          R"({"schema": 1, "id": "block-limit", "summary": "Cap", "variants": [{"id": "V1", "releases": "==1.1.0", "patches": [
  {"file": "V1/0001-cap.patch", "sha256": ")",
          sha256(first).hex(), R"(", "repository": "torch"},
  {"file": "V1/0002-cap-more.patch", "sha256": ")",
          sha256(second).hex(), R"(", "repository": "torch"}]}]})"));
}

SubmoduleOverride ToyUpstream::add_override() const {
  const std::string six = mirror() + "/a-fork-of-six";
  const std::string onnx = mirror() + "/nested/deeper/onnx";
  SubmoduleOverride what{{Component::torch, "third_party/onnx"},
                         *ObjectId::parse(git(onnx, {"rev-parse", "HEAD"})),
                         {},
                         "https://example.org/fork/onnx.git"};
  write(six + "/six.py", "six = 7\n");
  commit_all(six);
  git(onnx, {"update-index", "--cacheinfo", concat("160000,", git(six, {"rev-parse", "HEAD"}), ",deep/six")});
  write(onnx + "/onnx.h", "// another onnx\n");
  commit_all(onnx);
  what.commit = *ObjectId::parse(git(onnx, {"rev-parse", "HEAD"}));

  const std::string patch = make_patch(six, "Count on", {{"six.py", "six = 8\n"}});
  const std::string patchset = catalog_directory() + "/patchsets/new-onnx";
  write(patchset + "/0001-count-on.patch", patch);
  write(patchset + "/patchset.json",
        concat(R"({"schema": 1, "id": "new-onnx", "summary": "New", "variants": [{"id": "N1", "releases": "==1.1.0",
  "overrides": [{"repository": "torch:third_party/onnx", "replaces": ")",
               what.replaces.hex(), R"(", "url": ")", what.url, R"(", "commit": ")", what.commit.hex(), R"("}],
  "patches": [{"file": "0001-count-on.patch", "repository": "torch:third_party/onnx/deep/six", "sha256": ")",
               sha256(patch).hex(), R"("}]}]})"));
  write(catalog_directory() + "/known_issues/new-onnx.md",
        issue("new-onnx", "{}",
              R"({"id": "take-new-onnx", "kind": "patch", "summary": "Take it", "patchset": "new-onnx"})"));
  return what;
}

Catalog ToyUpstream::load() const { return catalog::load_catalog({{"shipped", catalog_directory()}}); }

void ToyUpstream::certify() const {
  NullConsole console;
  source::MirrorSource source({mirror()}, console);
  const upkeep::CertifyOptions options{catalog_directory(), {}, 2};
  upkeep::certify_patches({load(), {}}, source, options, console);
  upkeep::record_results(load(), source, options, console);
}

}  // namespace torchpatch::test
