// SPDX-License-Identifier: BSD-3-Clause
#include "sample/write_repositories.h"

#include <sys/stat.h>

#include <ctime>

#include "catalog/load_catalog.h"
#include "git/gitmodules.h"
#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/source_directory.h"
#include "support/text.h"
#include "unit/git/git_sandbox.h"
#include "unit/git/raises.h"
#include "unit/sample/draft_files.h"

namespace torchpatch::sample {

namespace {

Catalog shipped() { return catalog::load_catalog({{"shipped", test::source_directory()}}); }

const Version kVersion = *Version::parse("1.1.0");

/// A catalog with release 1.1.0 of torch alone, and one patch.
Catalog tiny_catalog(const std::string& repository, const std::string& text) {
  Catalog catalog;
  Release release;
  release.version = kVersion;
  release.components[Component::torch] = {"https://example.org/t.git", "v1.1.0", "1.1.0", {}};
  catalog.releases[kVersion] = release;
  Variant variant{"v", *VersionRange::parse(">=1.1.0 <1.2"), {}, {}};
  variant.patches.push_back({"v/1.patch", sha256(text), *RepositoryPath::parse(repository), text});
  Patchset patchset;
  patchset.id = "p";
  patchset.variants.push_back(variant);
  catalog.patchsets["p"] = patchset;
  return catalog;
}

const std::string kPatch =
    "diff --git a/x.cmake b/x.cmake\n--- a/x.cmake\n+++ b/x.cmake\n@@ -7,2 +7,2 @@\n-old\n+new\n last\n";

/// Returns the submodules of HEAD, as torchpatch reads them.
std::vector<git::Submodule> submodules_of(const test::GitSandbox& sandbox, const std::string& repository) {
  return git::parse_gitmodules(sandbox.git(repository, {"show", "main:.gitmodules"}) + "\n");
}

}  // namespace

TEST_CASE("make_projects: every shipped patch applies at its stated lines") {
  const Catalog catalog = shipped();
  for (const auto& [version, release] : catalog.releases) {
    const Projects projects = make_projects(catalog, release);
    for (const auto& [id, patchset] : catalog.patchsets) {
      for (const Variant& variant : patchset.variants) {
        if (!variant.releases.contains(version)) continue;
        for (const Patch& patch : variant.patches) {
          INFO(id << "/" << patch.file);
          if (!patch.repository.path.empty()) continue;  // its files are a submodule's; recorded_test.cpp sees to those
          test::DraftFiles files(projects.at(name_of(patch.repository.component)).files);
          CHECK(patch::apply_patch(patch::parse_patch(patch.text, patch.file), files).moved.empty());
        }
      }
    }
  }
}

TEST_CASE("write_repositories: what it makes for the shipped catalog is sound to git, and git applies every patch") {
  const test::GitSandbox sandbox;
  const Catalog catalog = shipped();
  const WrittenReleases written = write_repositories(catalog, sandbox.path());
  REQUIRE(written.contains(kVersion));
  for (const std::string& name : list_directory(sandbox.path() + "/1.1.0")) {
    INFO(name);
    CHECK(sandbox.git("1.1.0/" + name, {"fsck", "--strict", "--no-dangling"}).empty());
  }
  CHECK(written.at(kVersion).at(Component::torch) == sandbox.id("1.1.0/torch.git", "v1.1.0"));

  sandbox.git(".", {"clone", "--quiet", "1.1.0/torch.git", "work"});
  std::size_t applied = 0;
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      if (!variant.releases.contains(kVersion)) continue;
      for (const Patch& patch : variant.patches) {
        if (patch.repository.text() != "torch") continue;
        sandbox.write("one.patch", patch.text);
        sandbox.git("work", {"apply", "--check", "../one.patch"});
        ++applied;
      }
    }
  }
  CHECK(applied >= 4);
}

TEST_CASE("write_repositories: torch holds one of each kind of file, and submodules three levels deep") {
  const test::GitSandbox sandbox;
  write_repositories(tiny_catalog("torch", kPatch), sandbox.path());
  const std::string torch = "1.1.0/torch.git";
  const auto mode_of = [&](const std::string& path) {
    return sandbox.git(torch, {"ls-tree", "main", path}).substr(0, 6);
  };
  CHECK(mode_of("stand_in/run.sh") == "100755");
  CHECK(mode_of("stand_in/latest") == "120000");
  CHECK(sandbox.id(torch, "main:stand_in/empty") == git_blob_id(""));
  CHECK(sandbox.git(torch, {"cat-file", "-s", "main:stand_in/every_byte.bin"}) == "256");
  CHECK_FALSE(ends_with(sandbox.git(torch, {"show", "main:stand_in/no_newline.txt"}), "\n"));
  CHECK_THAT(sandbox.git(torch, {"show", "main:README.md"}),
             Catch::Contains("torchpatch wrote this repository itself"));

  CHECK(mode_of("third_party/onnx") == "160000");
  CHECK(sandbox.id(torch, "main:third_party/onnx") == sandbox.id("1.1.0/onnx.git", "main"));
  CHECK(sandbox.id("1.1.0/onnx.git", "main:third_party/pybind11") == sandbox.id("1.1.0/pybind11.git", "main"));
  CHECK(sandbox.id("1.1.0/pybind11.git", "main:tools/clang") == sandbox.id("1.1.0/clang-cindex-python3.git", "main"));
  CHECK(submodules_of(sandbox, "1.1.0/pybind11.git")[0].url == "../../wjakob/clang-cindex-python3");
  CHECK(submodules_of(sandbox, torch).size() == 3);
}

TEST_CASE("write_repositories: the commits depend on nothing but the patches") {
  const Catalog catalog = shipped();
  const std::vector<std::string> only = {kVersion.text()};
  const TempDir one;
  const TempDir other;
  const WrittenReleases first = write_repositories(catalog, one.path(), only);
  const mode_t old_mask = ::umask(0077);
  REQUIRE(::setenv("TZ", "Asia/Kathmandu", 1) == 0);
  const WrittenReleases second = write_repositories(catalog, other.path(), only);
  ::umask(old_mask);
  ::unsetenv("TZ");
  CHECK(first == second);
  CHECK(list_files_below(one.path()) == list_files_below(other.path()));

  Catalog fewer = catalog;
  fewer.patchsets.erase("cuda-threads");
  const TempDir third;
  CHECK(write_repositories(fewer, third.path(), only).at(kVersion) != first.at(kVersion));
}

TEST_CASE("write_repositories: a patch rooted in a submodule finds its file there, or gets a repository of its own") {
  const test::GitSandbox sandbox;
  SECTION("a submodule that is there") {
    write_repositories(tiny_catalog("torch:third_party/onnx/third_party/pybind11", kPatch), sandbox.path());
    CHECK_THAT(sandbox.git("1.1.0/pybind11.git", {"show", "main:x.cmake"}), Catch::Contains("old\nlast\n#"));
  }
  SECTION("a new one below a submodule") {
    write_repositories(tiny_catalog("torch:third_party/onnx/deep/er", kPatch), sandbox.path());
    const std::string name = "1.1.0/torch+third_party+onnx+deep+er.git";
    CHECK(sandbox.id("1.1.0/onnx.git", "main:deep/er") == sandbox.id(name, "main"));
    CHECK_THAT(sandbox.git(name, {"show", "main:x.cmake"}), Catch::Contains("old\nlast\n#"));
  }
}

TEST_CASE("write_repositories: a line for every place where the release reads a variable") {
  const test::GitSandbox sandbox;
  Catalog catalog = tiny_catalog("torch", kPatch);
  catalog.releases[kVersion].flags = {{"USE_A", "tools/env.py:3"}, {"USE_B", "tools/env.py:3"}, {"USE_C", "x.cmake:7"}};
  write_repositories(catalog, sandbox.path());
  const std::vector<std::string> lines = split(sandbox.git("1.1.0/torch.git", {"show", "main:tools/env.py"}), '\n');
  CHECK(lines[2] == "# torchpatch stand-in, line 3: upstream reads USE_A, USE_B");
  CHECK_THAT(sandbox.git("1.1.0/torch.git", {"show", "main:x.cmake"}), !Catch::Contains("USE_C"));
}

TEST_CASE("write_repositories: writes nothing for a release that no patch is made for") {
  const TempDir temp;
  Catalog catalog = tiny_catalog("torch", kPatch);
  catalog.patchsets.at("p").variants[0].releases = *VersionRange::parse(">=2");
  CHECK(write_repositories(catalog, temp.path()).empty());
  CHECK(list_directory(temp.path()).empty());
}

TEST_CASE("write_repositories: does not write over what is there") {
  const Catalog catalog = tiny_catalog("torch", kPatch);
  const TempDir temp;
  write_repositories(catalog, temp.path());
  CHECK(test::message_of(ErrorKind::environment, [&] { write_repositories(catalog, temp.path()); }) ==
        concat("creating repository '", temp.path(), "/1.1.0/clang-cindex-python3.git': File exists"));
}

TEST_CASE("write_repositories: is quick") {
  const Catalog catalog = shipped();
  const TempDir temp;
  const std::clock_t start = std::clock();
  write_repositories(catalog, temp.path(), {"1.1.0"});
  CHECK(std::clock() - start < CLOCKS_PER_SEC);  // of CPU time: the machine may be busy
}

}  // namespace torchpatch::sample
