// SPDX-License-Identifier: BSD-3-Clause
// release remove, patch remove.
#include <map>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/text.h"
#include "support/toy_proof.h"

using namespace torchpatch;
using test::CliResult;

namespace {

/// The toy with release 1.2.0, which pins a later commit of torch; variant V2 of block-limit is for it, with V1's first
/// patch and a second one of its own. All of it is certified, proven where there is a proof, and its results are
/// recorded.
struct Removal : test::ToyWorkspace {
  Removal() {
    copy("releases/1.1.0.json", "releases/1.2.0.json");
    edit("releases/1.2.0.json", "1.1.0", "1.2.0");
    const std::string torch = upstream.mirror() + "/torch";
    const std::string later = test::git(
        torch, {"commit-tree", upstream.torch_commit() + "^{tree}", "-p", upstream.torch_commit(), "-m", "later"});
    test::git(torch, {"branch", "later", later});
    edit("releases/1.2.0.json", upstream.torch_commit(), later);
    copy("patchsets/block-limit/V1/0002-cap-more.patch", "patchsets/block-limit/V2/0002-cap-more.patch");
    edit("patchsets/block-limit/V2/0002-cap-more.patch", "Description: Cap the", "Description: Cap also the");
    const std::string first = digest("V1/0001-cap.patch"), second = digest("V2/0002-cap-more.patch");
    std::string described = read_file(path_of(kDescribed));
    described.insert(described.rfind("]}"),
                     concat(R"(, {"id": "V2", "releases": "==1.2.0", "patches": [
  {"file": "V1/0001-cap.patch", "repository": "torch", "sha256": ")",
                            first, R"("}, {"file": "V2/0002-cap-more.patch", "repository": "torch", "sha256": ")",
                            second, R"("}]})"));
    write_file_atomically(path_of(kDescribed), described);
    for (const char* page : {"known_issues/block-limit.md", "known_issues/quiet.md"}) edit(page, "<1.2.0", "<1.3.0");
    test::write_proof(upstream);
    edit("patchsets/block-limit/proof.json", "==1.1.0", ">=1.1.0");
    upstream.certify();
    REQUIRE(run({"prove", "--mirror", upstream.mirror(), "--record", catalog(), "--quiet"}).exit_code == 0);
  }

  std::string catalog() const { return upstream.catalog_directory(); }
  std::string path_of(const std::string& file) const { return concat(catalog(), "/", file); }
  std::string digest(const std::string& file) const {
    return sha256(read_file(path_of("patchsets/block-limit/" + file))).hex();
  }
  void copy(const std::string& from, const std::string& to) const {
    make_directories(parent_path(path_of(to)));
    write_file_atomically(path_of(to), read_file(path_of(from)));
  }
  void edit(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read_file(path_of(file));
    REQUIRE(text.find(from) != text.npos);
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
      text.replace(at, from.size(), to);
    write_file_atomically(path_of(file), text);
  }
  /// All files of the catalog with their bytes.
  std::map<std::string, std::string> state() const {
    std::map<std::string, std::string> files;
    for (const std::string& file : list_files_below(catalog())) files[file] = read_file(path_of(file));
    return files;
  }
  CliResult remove(std::vector<std::string> line) const {
    line.insert(line.begin() + 1, "remove");
    line.insert(line.end(), {"--into", catalog()});
    return run(line);
  }
  /// Is refused with this output, and changes nothing.
  void keeps(const std::vector<std::string>& line, const std::string& out) const {
    const std::map<std::string, std::string> before = state();
    const CliResult result = remove(line);
    CHECK(result.err.empty());
    CHECK(result.out == out);
    CHECK(result.exit_code == 1);
    CHECK(state() == before);
    CHECK(list_directory(catalog()) ==
          std::vector<std::string>{"boards", "known_issues", "patchsets", "releases", "results"});
  }
  CliResult check() const { return run({"check", "--mirror", upstream.mirror(), "--quiet"}); }

  static constexpr const char* kDescribed = "patchsets/block-limit/patchset.json";
};

const std::string kHangsOnRelease =
    "  patchsets/block-limit/certificates/1.2.0.json: the whole file\n"
    "  patchsets/block-limit/proofs/1.2.0.json: the whole file\n"
    "  results/1.2.0.json: the whole file\n";

}  // namespace

TEST_CASE("release remove: says what depends on the release, and removes it too when told to") {
  const Removal toy;
  std::map<std::string, std::string> expected = toy.state();
  toy.keeps({"release", "1.2.0"},
            "release 1.2.0 was not removed; nothing was changed\n\nfiles to remove or change with it\n  "
            "releases/1.2.0.json\n\n"
            "what depends on it (--cascade removes it too)\n" +
                kHangsOnRelease);
  const CliResult removed = toy.remove({"release", "1.2.0", "--cascade"});
  CHECK(removed.err.empty());
  CHECK(removed.exit_code == 0);
  CHECK(removed.out ==
        "release 1.2.0 was removed\n\nremoved or changed files\n  releases/1.2.0.json\n\n"
        "also removed, since it depended on it\n" +
            kHangsOnRelease);
  for (const char* file : {"releases/1.2.0.json", "results/1.2.0.json", "patchsets/block-limit/proofs/1.2.0.json",
                           "patchsets/block-limit/certificates/1.2.0.json"})
    CHECK(expected.erase(file) == 1);
  CHECK(toy.state() == expected);
  CHECK(toy.check().exit_code == 0);
}

TEST_CASE("release remove: a release on which nothing hangs goes without --cascade") {
  const Removal toy;
  toy.copy("releases/1.2.0.json", "releases/1.3.0.json");
  toy.edit("releases/1.3.0.json", "1.2.0", "1.3.0");
  const CliResult removed = toy.remove({"release", "1.3.0", "--json"});
  CHECK(removed.err.empty());
  CHECK(removed.exit_code == 0);
  CHECK_THAT(removed.out, Catch::Contains("\"removed\": true"));
  CHECK(!file_exists(toy.path_of("releases/1.3.0.json")));
  CHECK(toy.check().exit_code == 0);
}

TEST_CASE("release remove: what cites the release, or lies in another catalog, is for a person to edit first") {
  const Removal toy;
  toy.edit("known_issues/quiet.md", "\"seeds\": []",
           R"("seeds": [], "citations": {"1.2.0": {"setup.py:1": "setup", "setup.py:2": "setup"}})");
  const std::string above = toy.path("mine/patchsets/block-limit/certificates/1.2.0.json");
  make_directories(parent_path(above));
  write_file_atomically(above, read_file(toy.path_of("patchsets/block-limit/certificates/1.2.0.json")));
  toy.keeps({"release", "1.2.0", "--cascade", "--catalog", toy.path("mine")},
            "release 1.2.0 was not removed; nothing was changed\n\nfiles to remove or change with it\n  "
            "releases/1.2.0.json\n\n"
            "what depends on it\n" +
                kHangsOnRelease +
                "\nwould be wrong without it: edit these first\n"
                "  $TOY/catalog/known_issues/quiet.md:4: citations.1.2.0: no release '1.2.0'\n"
                "  $TMP/mine/patchsets/block-limit/certificates/1.2.0.json: depends on the release 1.2.0, in another "
                "catalog\n");
  const CliResult json = toy.remove({"release", "1.2.0", "--cascade", "--json"});
  CHECK(json.exit_code == 1);
  CHECK_THAT(json.out, Catch::Contains("\"removed\": false") && Catch::Contains("\"key\": \"citations.1.2.0\""));
}

TEST_CASE("patch remove: a variant goes with its own patches, and with what is recorded of them") {
  const Removal toy;
  const std::string hanging =
      "  patchsets/block-limit/certificates/1.2.0.json: part of the file\n"
      "  patchsets/block-limit/proofs/1.2.0.json: the whole file\n"
      "  results/1.2.0.json: part of the file\n";
  const std::string afterwards =
      "\nto review afterwards\n  patchsets/block-limit/patchset.json: variants[0].releases: variant 'V1' "
      "is for 1.1.0 and none for 1.2.0, although issue 'block-limit' affects it: add a variant for it ('torchpatch "
      "port 1.2.0'), or explain in 'ends' why there is none\n";
  toy.keeps({"patch", "block-limit", "V2"},
            "variant V2 of block-limit was not removed; nothing was changed\n\nfiles to remove or change with it\n"
            "  patchsets/block-limit/V2/0002-cap-more.patch\n  patchsets/block-limit/patchset.json\n\n"
            "what depends on it (--cascade removes it too)\n" +
                hanging + afterwards);
  std::map<std::string, std::string> expected = toy.state();
  const CliResult removed = toy.remove({"patch", "block-limit", "V2", "--cascade"});
  CHECK(removed.err.empty());
  CHECK(removed.exit_code == 0);
  CHECK_THAT(removed.out, Catch::StartsWith("variant V2 of block-limit was removed\n"));
  std::map<std::string, std::string> now = toy.state();
  CHECK(expected.erase("patchsets/block-limit/V2/0002-cap-more.patch") == 1);
  CHECK(expected.erase("patchsets/block-limit/proofs/1.2.0.json") == 1);
  for (const char* file :
       {"patchsets/block-limit/patchset.json", "patchsets/block-limit/certificates/1.2.0.json", "results/1.2.0.json"})
    CHECK(now.at(file).size() < std::exchange(expected.at(file), now.at(file)).size());
  CHECK(now == expected);
  CHECK(!file_exists(toy.path_of("patchsets/block-limit/V2")));
  CHECK_THAT(now.at("patchsets/block-limit/certificates/1.2.0.json"),
             Catch::Contains(toy.digest("V1/0001-cap.patch")) && !Catch::Contains("follows"));
  // What it says is to be looked at is all that check has against it.
  CHECK_THAT(toy.check().out, Catch::Contains("is for 1.1.0 and none for 1.2.0"));
  toy.edit("patchsets/block-limit/patchset.json", "\"releases\": \"==1.1.0\"",
           "\"releases\": \"==1.1.0\", \"ends\": \"1.2.0 cannot be patched\"");
  CHECK_THAT(toy.check().out, !Catch::Contains("none for 1.2.0"));
}

TEST_CASE("patch remove: an issue whose fix is the patchset is for a person to edit first, then all of it goes") {
  const Removal toy;
  const std::string own = "\n\nfiles to remove or change with it\n  patchsets/block-limit/\n\n",
                    hanging =
                        "  patchsets/block-limit/certificates/1.1.0.json: the whole file\n"
                        "  patchsets/block-limit/certificates/1.2.0.json: the whole file\n"
                        "  patchsets/block-limit/proofs/1.1.0.json: the whole file\n"
                        "  patchsets/block-limit/proofs/1.2.0.json: the whole file\n";
  toy.keeps({"patch", "block-limit", "--cascade"},
            "patchset block-limit was not removed; nothing was changed" + own + "what depends on it\n" + hanging +
                "\nwould be wrong without it: edit these first\n  $TOY/catalog/known_issues/block-limit.md:4: "
                "fixes[0].patchset: no patchset 'block-limit'\n");
  toy.edit("known_issues/block-limit.md", R"("kind": "patch", "summary": "Cap", "patchset": "block-limit")",
           R"("kind": "advice", "summary": "Cap")");
  // No plan has the patches any more, so the results of those that had them are outdated already.
  toy.keeps({"patch", "block-limit"}, "patchset block-limit was not removed; nothing was changed" + own +
                                          "what depends on it (--cascade removes it too)\n" + hanging);
  const std::string notes = toy.path_of("patchsets/block-limit/notes.txt");
  write_file_atomically(notes, "of somebody");
  const CliResult refused = toy.remove({"patch", "block-limit", "--cascade"});
  CHECK(refused.exit_code == 7);
  CHECK_THAT(refused.err, Catch::Contains("removing the patchset 'block-limit': '") &&
                              Catch::Contains("/catalog/patchsets/block-limit/notes.txt' is not part of it\n"
                                              "hint: move that away or remove it\n"));
  CHECK(std::remove(notes.c_str()) == 0);
  const CliResult removed = toy.remove({"patch", "block-limit", "--cascade"});
  CHECK(removed.err.empty());
  CHECK(removed.exit_code == 0);
  CHECK(list_files_below(toy.catalog() + "/patchsets").empty());
  CHECK(toy.run({"results", "record", "--mirror", toy.upstream.mirror(), "--into", toy.catalog()}).exit_code == 0);
  CHECK(toy.check().exit_code == 0);
}

TEST_CASE("release remove, patch remove: what the directory does not have is a usage error") {
  const Removal toy;
  const auto refused = [&](const std::vector<std::string>& line, const std::string& error) {
    const CliResult result = toy.run(line);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Catch::StartsWith("torchpatch: error: " + error));
  };
  const std::string mine = toy.path("mine");
  make_directories(mine + "/patchsets");
  refused({"release", "remove", "9.9.9", "--into", toy.catalog()}, "unknown release '9.9.9'\n");
  refused({"release", "remove", "1.2.0", "--into", mine},
          "the release 1.2.0 is not in '$TMP/mine'\nhint: no 'releases/1.2.0.json' there: pass the catalog "
          "directory that contains it\n");
  refused({"patch", "remove", "block-limit", "--into", mine}, "the patchset block-limit is not in '$TMP/mine'\n");
  refused({"patch", "remove", "block-limits", "--into", toy.catalog()}, "unknown patchset 'block-limits'\n");
  refused({"patch", "remove", "block-limit", "V3", "--into", toy.catalog()},
          "patchset 'block-limit' has no variant 'V3'\nhint: it has V1, V2\n");
}
