// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>

#include <chrono>
#include <filesystem>

#include "catalog/data_file.h"
#include "catalog/load_catalog.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::catalog {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

const std::string kBase = torchpatch::test::source_directory() + "/tests/data/invalid/base";

/// A copy of the valid catalog, to be changed.
class Workspace {
 public:
  Workspace() { fs::copy(kBase, base(), fs::copy_options::recursive); }
  std::string base() const { return temp_.path() + "/base"; }
  std::string layer() const { return temp_.path() + "/layer"; }

  /// Copies a file of the base into the layer, with `from` replaced by `to`.
  void overlay(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = read_file(base() + "/" + name);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    make_directories(parent_path(layer() + "/" + name));
    write_file_atomically(layer() + "/" + name, text);
  }
  Catalog load() const {
    std::vector<Layer> layers = {{"shipped", base()}};
    if (is_directory(layer())) layers.push_back({"mine", layer()});
    return load_catalog(layers);
  }
  std::string error() const {
    try {
      load();
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  }

 private:
  TempDir temp_;
};

std::string digest_of(const std::string& path) { return sha256(read_file(path)).hex(); }

TEST_CASE("load_catalog: reads every kind of file") {
  const Catalog catalog = load_catalog({{"shipped", kBase}});
  const Release& release = catalog.release("1.1.0");
  CHECK(release.date == "2019-04-30");
  CHECK(release.python == std::vector<std::string>{"2.7", "3.5"});
  CHECK(release.cuda->text() == ">=8.0");
  CHECK(release.components.at(Component::torch).commit.hex() == "142c973f4179e768164cd578951489e89021b29c");
  CHECK(release.build_tools.at("cmake").text() == "<4");
  CHECK(release.imports.at(Component::torch).at("yaml") == "aten/src/ATen/gen.py:4");
  CHECK(release.flags.begin()->second == "setup.py:9");
  CHECK_FALSE(release.stand_in);

  const Board& board = catalog.board("jetson-tx2");
  CHECK(board.id == "tx2");
  CHECK(board.gpu->registers_per_block == 32768);
  CHECK(board.images.at(0).python.at(1).text() == "2.7");
  CHECK(board.images.at(0).cuda->text() == "9.0");
  CHECK_FALSE(board.images.at(0).cudnn);
  CHECK(board.images.at(0).known_absent == std::set<std::string>{"cmake"});

  const Issue& issue = catalog.issue("threads");
  CHECK(issue.title == "Kernels ask for too many registers");
  CHECK(issue.when.at(0).text == "registers_per_block <65536");
  REQUIRE(issue.sections.size() == 4);
  CHECK(issue.sections[2] == std::pair<std::string, std::string>("Fix", "A cap of 512."));
  CHECK(issue.sections[3].first == "How to verify");
  CHECK(issue.fixes.at(0).environment.at(0).why == "because");

  const Patchset& patchset = catalog.patchset("threads");
  CHECK(starts_with(patchset.variants.at(0).patches.at(0).text, "Description: "));
  CHECK(patchset.certificates.at(0).path == "threads.h");
  CHECK(patchset.proof.proofs.at(0).commands.at(0).at(1) == "{proof}/limit.sh");
  CHECK(patchset.proof.proofs.at(0).memory_mib == 256);
  CHECK(patchset.proof.unproven.at(0).why == "its sources are not there");
  CHECK(starts_with(patchset.proof.files.at("limit.sh"), "# SPDX"));
  CHECK(patchset.proof.records.at(0).verdict == ProofVerdict::proven);
  CHECK(catalog.patchset("helper").variants.at(0).files.at(0).bytes == "print(\"helper\")\n");
  CHECK(catalog.results.begin()->second.layer == "shipped");
  CHECK(catalog.moved_repositories.at(0).to.at(0) == "https://example.org/new.git");
  CHECK(catalog.layers == std::vector<std::string>{"shipped"});
}

TEST_CASE("load_catalog: a layer judges an advisory anew, and its bytes count") {
  const Workspace work;
  const Catalog below = work.load();
  CHECK(below.advisories.at("CVE-2022-1").about.fixed_in->text() == "1.2.0");
  CHECK(below.origins.at(kAdvisoriesEntry).layer == "shipped");
  work.overlay("advisories.json", "\"<1.2.0\"", "\"<1.1.0\"");
  const Catalog catalog = work.load();
  REQUIRE(catalog.advisories.size() == 1);
  CHECK(catalog.advisories.at("CVE-2022-1").affected.at(0).text() == "<1.1.0");
  CHECK(catalog.origins.at(kAdvisoriesEntry).layer == "mine");
  CHECK(catalog.origins.at(kAdvisoriesEntry).digest ==
        sha256(digest_of(work.base() + "/advisories.json") + digest_of(work.layer() + "/advisories.json")));
}

TEST_CASE("load_catalog: a layer adds places for a moved repository, to be tried first") {
  const Workspace work;
  work.overlay("moved_repositories.json", "https://example.org/new.git", "git://mirror.example.org/new.git");
  const Catalog catalog = work.load();
  REQUIRE(catalog.moved_repositories.size() == 1);
  CHECK(catalog.moved_repositories.front().to ==
        std::vector<std::string>{"git://mirror.example.org/new.git", "https://example.org/new.git"});
}

TEST_CASE("load_catalog: reads the variables of one component's build, in the file's order") {
  const Workspace work;
  const std::string path = work.base() + "/releases/1.1.0.json", pin = "89021b29c\"";
  std::string text = read_file(path);
  text.insert(text.find(pin) + pin.size(), R"(, "environment": {"B": "2", "A": ""})");
  write_file_atomically(path, text);
  CHECK(work.load().release("1.1.0").components.at(Component::torch).environment ==
        std::vector<std::pair<std::string, std::string>>{{"B", "2"}, {"A", ""}});
}

TEST_CASE("load_catalog: an entry's origin is its layer and its file's digest") {
  const Catalog catalog = load_catalog({{"shipped", kBase}});
  CHECK(catalog.origins.size() == 6);
  CHECK(catalog.origins.at("release 1.1.0").digest.hex() == digest_of(kBase + "/releases/1.1.0.json"));
  CHECK(catalog.origins.at("board tx2").digest.hex() == digest_of(kBase + "/boards/tx2.json"));
  CHECK(catalog.origins.at("issue threads").digest.hex() == digest_of(kBase + "/known_issues/threads.md"));
  CHECK(catalog.origins.at("patchset helper").digest.hex() == digest_of(kBase + "/patchsets/helper/patchset.json"));
  CHECK(catalog.origins.at("patchset threads").layer == "shipped");
}

TEST_CASE("load_catalog: a layer replaces an entry by the digest of its file") {
  const Workspace work;
  const std::string digest = digest_of(work.base() + "/boards/tx2.json");
  work.overlay("boards/tx2.json", "\"NVIDIA Jetson TX2\"", "\"Mine\", \"replaces\": \"" + digest + '"');
  const Catalog catalog = work.load();
  CHECK(catalog.board("tx2").title == "Mine");
  CHECK(catalog.origins.at("board tx2").layer == "mine");
  CHECK(catalog.layers == std::vector<std::string>{"shipped", "mine"});
}

TEST_CASE("load_catalog: 'replaces' without anything below is a finding") {
  const Workspace work;
  work.overlay("boards/tx2.json", "\"aliases\"", "\"replaces\": \"" + std::string(64, 'a') + "\", \"aliases\"");
  fs::remove(work.base() + "/boards/tx2.json");
  CHECK_THAT(work.error(), Contains("replaces: no board tx2 in a lower layer to replace"));
}

TEST_CASE("load_catalog: a layer brings certificates without bringing the patchset") {
  const Workspace work;
  const std::string digest = digest_of(work.base() + "/releases/1.1.0.json");
  const std::string pinned = "142c973f4179e768164cd578951489e89021b29c", own(40, 'd');
  work.overlay("releases/1.1.0.json", pinned, own + "\", \"replaces\": \"" + digest);
  // "replaces" stands beside "commit" now, where it is unknown: the loader says so.
  CHECK_THAT(work.error(), Contains("components.torch.replaces: unknown key"));

  work.overlay("releases/1.1.0.json", "\"date\"", "\"replaces\": \"" + digest + "\", \"date\"");
  std::string text = read_file(work.layer() + "/releases/1.1.0.json");
  write_file_atomically(work.layer() + "/releases/1.1.0.json", text.replace(text.find(pinned), 40, own));
  work.overlay("patchsets/threads/certificates/1.1.0.json", pinned, own);
  const Catalog catalog = work.load();
  CHECK(catalog.patchset("threads").certificates.size() == 2);
  CHECK(catalog.patchset("threads").certificates.at(1).commit.hex() == own);
  CHECK(catalog.origins.at("patchset threads").layer == "shipped");
}

TEST_CASE("load_catalog: a replaced patchset keeps the certificates of the patches it still has") {
  const Workspace work;
  const std::string digest = digest_of(work.base() + "/patchsets/threads/patchset.json");
  const std::string replaces = "\"replaces\": \"" + digest + "\", \"after\"";
  work.overlay("patchsets/threads/patchset.json", "\"after\"", replaces);
  const std::string patch = "patchsets/threads/T2/0001-cap-threads.patch";
  SECTION("the same patch") {
    work.overlay(patch, "Description", "Description");
    CHECK(work.load().patchset("threads").certificates.size() == 1);
  }
  SECTION("another patch") {
    work.overlay(patch, "512;", "256;");
    std::string text = read_file(work.layer() + "/patchsets/threads/patchset.json");
    text.replace(text.find(digest_of(work.base() + "/" + patch)), 64, digest_of(work.layer() + "/" + patch));
    write_file_atomically(work.layer() + "/patchsets/threads/patchset.json", text);
    CHECK(work.load().patchset("threads").certificates.empty());
  }
}

TEST_CASE("load_catalog: equal certificates and results of two layers are one") {
  const Workspace work;
  work.overlay("patchsets/threads/certificates/1.1.0.json", "schema", "schema");
  work.overlay("results/1.1.0.json", "schema", "schema");
  const Catalog catalog = work.load();
  CHECK(catalog.patchset("threads").certificates.size() == 1);
  CHECK(catalog.results.size() == 1);
}

TEST_CASE("load_catalog: a layer brings outcomes of proofs without bringing the patchset, and they count") {
  const Workspace work;
  work.overlay("patchsets/threads/proofs/1.1.0.json", "2026-11-21", "2026-12-01");
  const Catalog catalog = work.load();
  REQUIRE(catalog.patchset("threads").proof.records.size() == 1);
  CHECK(catalog.patchset("threads").proof.records.at(0).date == "2026-12-01");
  CHECK(catalog.origins.at("patchset threads").layer == "shipped");
}

TEST_CASE("load_catalog: files of proofs without a proof.json are a finding") {
  const Workspace work;
  fs::remove(work.base() + "/patchsets/threads/proof.json");
  fs::remove_all(work.base() + "/patchsets/threads/proofs");
  CHECK_THAT(work.error(), Contains("patchsets/threads/proof: has no proof.json"));
}

TEST_CASE("load_catalog: two names for one version are a finding") {
  const Workspace work;
  work.overlay("releases/1.1.0.json", "\"version\": \"1.1.0\",\n  \"date\"", "\"version\": \"1.1\",\n  \"date\"");
  fs::rename(work.layer() + "/releases/1.1.0.json", work.layer() + "/releases/1.1.json");
  CHECK_THAT(work.error(), Contains("releases/1.1.json: version: is the same version as '1.1.0'"));
}

TEST_CASE("load_catalog: a patch that patchset.json does not name is a finding") {
  const Workspace work;
  write_file_atomically(work.base() + "/patchsets/threads/T2/0002-stray.patch", "x");
  write_file_atomically(work.base() + "/patchsets/helper/files/stray.py", "x");
  write_file_atomically(work.base() + "/patchsets/helper/README.md", "x");
  CHECK(work.error() == "loading the catalog: 2 findings\n  " + work.base() +
                            "/patchsets/helper/files/stray.py: is not listed in patchset.json\n  " + work.base() +
                            "/patchsets/threads/T2/0002-stray.patch: is not listed in patchset.json");
}

TEST_CASE("load_catalog: a patchset folder needs a patchset.json here or below") {
  const Workspace work;
  fs::remove(work.base() + "/patchsets/threads/patchset.json");
  const std::string error = work.error();
  CHECK_THAT(error, Contains("patchsets/threads: has no patchset.json, and no lower layer has this patchset"));
  CHECK_THAT(error, Contains("0001-cap-threads.patch: is not listed in a patchset.json"));
  CHECK_THAT(error, Contains("fixes[0].patchset: no patchset 'threads'"));
}

TEST_CASE("load_catalog: what refers to an unreadable file is not to blame") {
  const Workspace work;
  write_file_atomically(work.base() + "/patchsets/threads/patchset.json", "{");
  write_file_atomically(work.base() + "/releases/1.1.0.json", "{");
  const std::string error = work.error();
  CHECK_THAT(error, Contains("2 findings"));
  CHECK_THAT(error, !Contains("no patchset"));
  CHECK_THAT(error, !Contains("no release"));
}

TEST_CASE("load_catalog: refuses links and special files in every folder") {
  const Workspace work;
  const std::string board = work.base() + "/boards/tx2.json";
  SECTION("a link to a file") {
    fs::create_symlink(board, work.base() + "/boards/other.json");
    CHECK_THAT(work.error(), Contains("boards/other.json: must be a regular file, but is a symbolic link"));
  }
  SECTION("a linked folder") {
    fs::rename(work.base() + "/boards", work.base() + "/elsewhere");
    fs::create_directory_symlink("elsewhere", work.base() + "/boards");
    CHECK_THAT(work.error(), Contains("/boards: must be a directory, but is a symbolic link"));
  }
  SECTION("a linked patch") {
    const std::string patch = work.base() + "/patchsets/threads/T2/0001-cap-threads.patch";
    fs::rename(patch, work.base() + "/a.patch");
    fs::create_symlink("../../../a.patch", patch);
    CHECK_THAT(work.error(), Contains("0001-cap-threads.patch: must be a regular file, but is a symbolic link"));
  }
  SECTION("a linked folder of patches") {
    const std::string folder = work.base() + "/patchsets/threads/T2";
    fs::rename(folder, work.base() + "/elsewhere");
    fs::create_directory_symlink("../../elsewhere", folder);
    CHECK_THAT(work.error(), Contains("patchsets/threads/T2: must be a directory, but is a symbolic link"));
  }
  SECTION("a dangling link in the place of an optional file") {
    fs::remove(work.base() + "/moved_repositories.json");
    fs::create_symlink("nowhere", work.base() + "/moved_repositories.json");
    CHECK_THAT(work.error(), Contains("moved_repositories.json: must be a regular file, but is a symbolic link"));
  }
  SECTION("a linked patchset folder") {
    fs::create_directory_symlink("threads", work.base() + "/patchsets/linked");
    CHECK_THAT(work.error(), Contains("patchsets/linked: must be a directory, but is a symbolic link"));
  }
  SECTION("a pipe, which is not opened") {
    fs::remove(board);
    REQUIRE(mkfifo(board.c_str(), 0600) == 0);
    CHECK_THAT(work.error(), Contains("boards/tx2.json: must be a regular file, but is a special file"));
  }
  SECTION("a directory in the place of a file") {
    fs::create_directory(work.base() + "/known_issues/x.md");
    CHECK_THAT(work.error(), Contains("known_issues/x.md: must be a regular file, but is a directory"));
  }
}

TEST_CASE("load_catalog: a page over 256 KiB is a finding") {
  const Workspace work;
  const std::string page = work.base() + "/known_issues/threads.md";
  write_file_atomically(page, read_file(page) + std::string(kMaxPageBytes, 'x'));
  CHECK_THAT(work.error(), Contains("the limit is 262144"));
}

TEST_CASE("load_catalog: files of another kind are findings, hidden ones are passed over") {
  const Workspace work;
  write_file_atomically(work.base() + "/boards/.tx2.json.swp", "x");
  CHECK(work.error() == "no error");
  write_file_atomically(work.base() + "/boards/tx2.yaml", "x");
  CHECK_THAT(work.error(), Contains("boards/tx2.yaml: is not a .json file; nothing else is allowed here"));
}

TEST_CASE("load_catalog: a directory that is no catalog is a finding") {
  const TempDir empty;
  CHECK_THROWS_WITH(load_catalog({{"shipped", kBase}, {"mine", empty.path()}}), Contains("is not a catalog"));
}

namespace {

void write_patchset_after(const Workspace& work, const std::string& id, const std::string& after) {
  const std::string folder = work.base() + "/patchsets/" + id;
  make_directories(folder + "/files");
  write_file_atomically(folder + "/files/x", id);
  write_file_atomically(
      folder + "/patchset.json",
      concat(
          R"({"schema": 1, "id": ")", id, R"(", "summary": "s", "after": [")", after,
          R"("], "variants": [{"id": "v", "releases": "*", "files": [{"file": "files/x", "repository": "torch", "path": ")",
          id, R"(", "sha256": ")", sha256(id).hex(), R"("}]}]})"));
}

}  // namespace

TEST_CASE("load_catalog: a circle of patchsets is reported once, with its way") {
  const Workspace work;
  write_patchset_after(work, "a", "c");
  write_patchset_after(work, "b", "a");
  write_patchset_after(work, "c", "b");
  write_patchset_after(work, "d", "a");  // leads into the circle, and is not part of it
  CHECK(work.error() == "loading the catalog: 1 finding\n  " + work.base() +
                            "/patchsets/a/patchset.json:1: after: forms a cycle: a after c after b after a");
}

TEST_CASE("load_catalog: a circle of a thousand patchsets is found in a second") {
  const Workspace work;
  constexpr int kCount = 1000;
  for (int i = 0; i < kCount; ++i) write_patchset_after(work, concat("p", i), concat("p", (i + 1) % kCount));
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THAT(work.error(), Contains("p0 after p1 after p2"));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));  // the cube of their number: 25 s
}

TEST_CASE("load_catalog: every truncation of a file is a finding, never a crash") {
  const Workspace work;
  const std::string path = work.base() + "/patchsets/threads/patchset.json";
  const std::string text = read_file(path);
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    write_file_atomically(path, text.substr(0, size));
    CHECK_THROWS_AS(work.load(), Error);
  }
}

}  // namespace
}  // namespace torchpatch::catalog
