// SPDX-License-Identifier: BSD-3-Clause
// patch certify and results record.
#include <filesystem>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/text.h"
#include "support/toy_proof.h"

using namespace torchpatch;
using test::CliResult;
using test::ToyWorkspace;

TEST_CASE("patch certify, results record: write their files and name them") {
  const ToyWorkspace workspace;
  const std::string catalog = workspace.upstream.catalog_directory();
  const std::vector<std::string> source = {"--mirror", workspace.upstream.mirror(), "--into", catalog, "--quiet"};
  const auto run = [&](std::vector<std::string> args) {
    args.insert(args.end(), source.begin(), source.end());
    return workspace.run(args);
  };
  const CliResult certified = run({"patch", "certify", "--version", "1.1.0"});
  CHECK(certified.err.empty());
  CHECK(certified.exit_code == 0);
  CHECK(certified.out == "$TOY/catalog/patchsets/block-limit/certificates/1.1.0.json\n");
  const CliResult recorded = run({"results", "record"});
  CHECK(recorded.exit_code == 0);
  CHECK(recorded.out == "$TOY/catalog/results/1.1.0.json\n");
  CHECK_THAT(read_file(catalog + "/results/1.1.0.json"),
             Catch::Contains(concat("  \"submodules\": {\n    \"", workspace.upstream.torch_commit(), "\": [\n")) &&
                 Catch::Contains(" https://example.org/benjaminp/six.git\"") &&
                 Catch::Contains(" https://example.org/onnx/onnx.git\""));
}

TEST_CASE("patch certify --results: writes what results record writes afterwards") {
  const ToyWorkspace both, one;
  const auto run = [](const ToyWorkspace& workspace, std::vector<std::string> args) {
    args.insert(args.end(),
                {"--mirror", workspace.upstream.mirror(), "--into", workspace.upstream.catalog_directory(), "--quiet"});
    const CliResult result = workspace.run(args);
    CHECK(result.err.empty());
    CHECK(result.exit_code == 0);
    return result.out;
  };
  const std::string certified = run(both, {"patch", "certify"}), recorded = run(both, {"results", "record"});
  CHECK(run(one, {"patch", "certify", "--results"}) == certified + recorded);
  const std::string file = "/results/1.1.0.json";
  CHECK(read_file(one.upstream.catalog_directory() + file) == read_file(both.upstream.catalog_directory() + file));
}

TEST_CASE("patch certify: says where to write to") {
  const CliResult result = ToyWorkspace().run({"patch", "certify"});
  CHECK(result.exit_code == 2);
  CHECK(result.err == "torchpatch: error: missing: --into DIR\nhint: see 'torchpatch patch certify --help'\n");
}

TEST_CASE("patch certify: reads only what patches touch, so a submodule that is nowhere does not matter") {
  const ToyWorkspace workspace;
  const std::string catalog = workspace.upstream.catalog_directory();
  std::filesystem::remove_all(workspace.upstream.mirror() + "/nested");
  const std::vector<std::string> source = {"--mirror", workspace.upstream.mirror(), "--into", catalog, "--quiet"};
  const auto run = [&](std::vector<std::string> args) {
    args.insert(args.end(), source.begin(), source.end());
    return workspace.run(args);
  };
  const CliResult certified = run({"patch", "certify"});
  CHECK(certified.err.empty());
  CHECK(certified.exit_code == 0);
  CHECK(run({"results", "record"}).exit_code == 0);
}

TEST_CASE("patch certify: says which commits are nowhere") {
  const ToyWorkspace workspace;
  const std::string elsewhere = workspace.upstream.mirror() + "/vision";
  const CliResult result = workspace.run({"patch", "certify", "--mirror", elsewhere, "--into", "c", "--quiet"});
  CHECK(result.exit_code == 4);
  CHECK(result.err ==
        "torchpatch: error: reading what the patches touch from the mirror '$TOY/mirror/vision': 1 commit is not "
        "there\n  torch: commit " +
            workspace.upstream.torch_commit() + " of 'https://example.org/pytorch/pytorch.git': the commit " +
            workspace.upstream.torch_commit() +
            " was not found; not in any mirror\n"
            "hint: pass a directory that contains them with --mirror, or fetch them into one with git\n");
}

TEST_CASE("results record: a file that is nowhere counts by its id, a component with a missing submodule has no tree") {
  const ToyWorkspace workspace;
  const std::string catalog = workspace.upstream.catalog_directory();
  const auto record = [&] {
    const CliResult result = workspace.run(
        {"results", "record", "--version", "1.1.0", "--mirror", workspace.upstream.mirror(), "--into", catalog});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return result;
  };
  record();
  const std::string whole = read_file(catalog + "/results/1.1.0.json");
  std::filesystem::remove_all(workspace.upstream.mirror() + "/nested");
  const CliResult partial = record();
  CHECK_THAT(partial.err, Catch::Contains("was not found: no tree is recorded for its component"));
  CHECK(read_file(catalog + "/results/1.1.0.json").size() < whole.size());
}

namespace {

/// A workspace whose patchsets, with a proof, are certified and proven, and then change.
struct CertifiedWorkspace : ToyWorkspace {
  CertifiedWorkspace() {
    upstream.add_override();
    test::write_proof(upstream);
    upstream.certify();
    CHECK(run({"prove", "--mirror", upstream.mirror(), "--record", catalog, "--quiet"}).exit_code == 0);
  }

  CliResult certify(std::vector<std::string> more) const {
    std::vector<std::string> args = {"patch", "certify", "--mirror", upstream.mirror(), "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return run(args);
  }
  /// A patchset that changes line 30 of a file which block-limit changes too.
  void add_neighbour(const std::string& id, const std::string& after) const;
  /// Release 1.2.0, which pins a commit that is nowhere and which block-limit is for as well.
  void add_release_without_sources() const;
  /// Takes `from` out of a file of the catalog and puts `to` there.
  void edit(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read_file(catalog + "/" + file);
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    write_file_atomically(catalog + "/" + file, text);
  }

  std::string catalog = upstream.catalog_directory();
  std::string certificates = catalog + "/patchsets/block-limit/certificates/1.1.0.json";
  std::string outcomes = catalog + "/patchsets/block-limit/proofs/1.1.0.json";
};

void CertifiedWorkspace::add_neighbour(const std::string& id, const std::string& after) const {
  const std::string torch = upstream.mirror() + "/torch", file = torch + "/include/limits.h";
  const std::string pinned = read_file(file);
  std::string changed = pinned;
  changed.replace(changed.find("// limits 30\n"), 13, "// thirty\n");
  write_file_atomically(file, changed);
  const std::string patch =
      "Description: thirty\nOrigin: other\nForwarded: no\nLast-Update: 2026-11-25\n"
      "SPDX-License-Identifier: BSD-3-Clause\n\n" +
      test::git(torch, {"diff", "--full-index", "HEAD", "--", "include/limits.h"}) + "\n";
  write_file_atomically(file, pinned);
  const std::string folder = catalog + "/patchsets/" + id;
  make_directories(folder);
  make_directories(catalog + "/known_issues");
  write_file_atomically(folder + "/0001.patch", patch);
  write_file_atomically(folder + "/patchset.json",
                        concat(R"({"schema": 1, "id": ")", id, R"(", "summary": "Thirty", "after": [)", after,
                               R"(], "variants": [{"id": "V", "releases": "==1.1.0", "patches": [
  {"file": "0001.patch", "repository": "torch", "sha256": ")",
                               sha256(patch).hex(), R"("}]}]})"));
  std::string issue = read_file(catalog + "/known_issues/block-limit.md");
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"block-limit", id}, {"\"cap\"", concat('"', id, "-fix\"")}})
    for (std::size_t at = issue.find(from); at != issue.npos; at = issue.find(from, at + to.size()))
      issue.replace(at, from.size(), to);
  write_file_atomically(catalog + "/known_issues/" + id + ".md", issue);
}

void CertifiedWorkspace::add_release_without_sources() const {
  write_file_atomically(catalog + "/releases/1.2.0.json", read_file(catalog + "/releases/1.1.0.json"));
  edit("releases/1.2.0.json", "1.1.0", "1.2.0");
  edit("releases/1.2.0.json", upstream.torch_commit(), std::string(40, '7'));
  edit("patchsets/block-limit/patchset.json", "==1.1.0", ">=1.1.0 <1.3.0");
}

}  // namespace

TEST_CASE("patch certify: certifies a changed patch of a named patchset anew, and drops just what is stale") {
  const CertifiedWorkspace workspace;
  const std::string other = workspace.catalog + "/patchsets/new-onnx/certificates/1.1.0.json";
  const std::string before = read_file(workspace.certificates), of_other = read_file(other);
  REQUIRE(file_exists(workspace.outcomes));
  test::mutate_patch(workspace.upstream);

  const CliResult strict = workspace.certify({"--into", workspace.catalog});
  CHECK(strict.exit_code == 3);
  CHECK_THAT(strict.err, Catch::Contains("patchset 'block-limit' has no patch "));
  CHECK(workspace.certify({"new-onnx", "--into", workspace.catalog}).exit_code == 3);
  CHECK(read_file(workspace.certificates) == before);

  const CliResult certified = workspace.certify({"block-limit", "--into", workspace.catalog});
  INFO(certified.err);
  CHECK(certified.exit_code == 0);
  CHECK(certified.out == "$TOY/catalog/patchsets/block-limit/certificates/1.1.0.json\n");
  CHECK(read_file(workspace.certificates) != before);
  CHECK_FALSE(file_exists(workspace.outcomes));
  CHECK(read_file(other) == of_other);
  CHECK(workspace.run({"check", "--mirror", workspace.upstream.mirror()}).exit_code == 0);
}

TEST_CASE("patch certify: an outcome that is still of what is there stays, beside one that is not") {
  const CertifiedWorkspace workspace;
  const std::string before = read_file(workspace.outcomes);
  CHECK(workspace.certify({"block-limit", "--into", workspace.catalog}).exit_code == 0);
  CHECK(read_file(workspace.outcomes) == before);
  std::string of_gone = before;
  const std::size_t begin = of_gone.find("    {"), end = of_gone.find("\n    }") + 6;
  of_gone.insert(end, ",\n" + of_gone.substr(begin, end - begin));
  of_gone.replace(of_gone.find("\"limit\"", end), 7, "\"gone\"");
  write_file_atomically(workspace.outcomes, of_gone);
  CHECK(workspace.certify({"--into", workspace.catalog}).exit_code == 3);
  CHECK(workspace.certify({"block-limit", "--into", workspace.catalog}).out ==
        "$TOY/catalog/patchsets/block-limit/certificates/1.1.0.json\n"
        "$TOY/catalog/patchsets/block-limit/proofs/1.1.0.json\n");
  CHECK(read_file(workspace.outcomes) == before);
}

TEST_CASE("patch certify: a layer gets the certificates that were asked for and no others") {
  const CertifiedWorkspace workspace;
  const std::string layer = workspace.upstream.scratch() + "/mine";
  const CliResult certified = workspace.certify({"new-onnx", "--into", layer});
  CHECK(certified.exit_code == 0);
  CHECK(list_files_below(layer) == std::vector<std::string>{"patchsets/new-onnx/certificates/1.1.0.json"});
}

TEST_CASE("patch certify: a patchset that meets a named one in a file is certified where that gives new edges") {
  const CertifiedWorkspace workspace;
  workspace.add_neighbour("a-neighbour", "");
  CHECK(workspace.certify({"a-neighbour", "--into", workspace.catalog}).out ==
        "$TOY/catalog/patchsets/a-neighbour/certificates/1.1.0.json\n"
        "$TOY/catalog/patchsets/block-limit/certificates/1.1.0.json\n");
  CHECK(workspace.certify({"a-neighbour", "--into", workspace.catalog}).out ==
        "$TOY/catalog/patchsets/a-neighbour/certificates/1.1.0.json\n");
}

TEST_CASE("patch certify: a release whose sources are nowhere is left out, which is exit code 5") {
  const CertifiedWorkspace workspace;
  workspace.add_release_without_sources();
  const CliResult certified = workspace.certify({"block-limit", "--into", workspace.catalog});
  CHECK(certified.exit_code == 5);
  CHECK(certified.out == "$TOY/catalog/patchsets/block-limit/certificates/1.1.0.json\n");
  CHECK(certified.err ==
        concat("torchpatch: error: not certified, since their sources were not found; everything else was written:\n"
               "  torch: commit 7777777777777777777777777777777777777777 of 'https://example.org/pytorch/pytorch.git': "
               "the commit 7777777777777777777777777777777777777777 was not found; not in any mirror\n"
               "hint: pass a directory that contains them with --mirror, or select releases with --version\n"));
  // of a patchset that is not for this release nothing is missing
  CHECK(workspace.certify({"new-onnx", "--into", workspace.catalog}).exit_code == 0);
}

TEST_CASE("patch certify: what is stale elsewhere than below the directory stays, and is told") {
  const CertifiedWorkspace workspace;
  test::mutate_patch(workspace.upstream);
  const CliResult certified = workspace.certify({"block-limit", "--into", workspace.upstream.scratch() + "/mine"});
  CHECK(certified.exit_code == 0);
  CHECK(certified.err ==
        "warning: '$TOY/catalog/patchsets/block-limit/certificates/1.1.0.json' is stale, but is not under '$TOY/mine': "
        "it is kept\n");
  CHECK(file_exists(workspace.outcomes));
}

TEST_CASE("patch certify: names the patchsets that are near one that is not there") {
  const CertifiedWorkspace workspace;
  const CliResult result = workspace.certify({"block-limits", "--into", workspace.catalog});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::Contains("did you mean 'block-limit'?"));
}
