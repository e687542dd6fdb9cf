// SPDX-License-Identifier: BSD-3-Clause
// release add, where commits are those of tags, and companions those of tables.
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/text.h"
#include "upkeep/release/add_release.h"

using namespace torchpatch;
using Catch::Contains;
using test::CliResult;

namespace {

constexpr const char* kUnknownTag =
    "torchpatch: error: adding release 1.2.0: torch: tag 'v1.2.0' of 'https://example.org/pytorch/pytorch.git' is not "
    "known: ";
constexpr const char* kTorchHint =
    "\nhint: --commit ID gives the commit; git ls-remote --tags lists those of upstream's tags\n";

/// The toy's repositories with a commit more, which is to be release 1.2.0 with torchvision 0.4.0.
struct TaggedWorkspace : test::ToyWorkspace {
  std::string torch = upstream.mirror() + "/torch", vision = upstream.mirror() + "/vision";
  std::string torch_commit = commit(torch, "setup.py", "# 1.2.0\n");

  std::string commit(const std::string& repository, const std::string& file, const std::string& text) const {
    write_file_atomically(repository + "/" + file, text);
    test::git(repository, {"add", "-A"});
    test::git(repository, {"commit", "-q", "-m", file});
    return test::git(repository, {"rev-parse", "HEAD"});
  }
  /// Commits a README with the rows of a table.
  std::string table(const std::string& rows) const {
    return commit(vision, "README.md", "| torch | torchvision | Python |\n|---|---|---|\n" + rows);
  }
  /// Makes a branch of torchvision at a commit of that time with what HEAD has.
  void branch_at(const std::string& name, std::int64_t time) const {
    const std::string person = concat("a <a@example.org> ", time, " +0000\n");
    write("commit", concat("tree ", test::git(vision, {"rev-parse", "HEAD^{tree}"}), "\nauthor ", person, "committer ",
                           person, "\n", name, "\n"));
    const std::string id = test::git(vision, {"hash-object", "-t", "commit", "-w", path("commit")});
    test::git(vision, {"branch", name, id});
  }
  CliResult add(std::vector<std::string> more = {}) const {
    more.insert(more.begin(),
                {"release", "add", "1.2.0", "--into", path(""), "--mirror", upstream.mirror(), "--quiet"});
    return run(more);
  }
  std::string file() const { return read_file(path("releases/1.2.0.json")); }
};

std::vector<std::string> rows_for(const std::string& torch, const std::string& text,
                                  Component component = Component::vision) {
  std::vector<std::string> rows;
  for (const upkeep::CompanionRow& row : upkeep::companion_rows(text, component, *Version::parse(torch)))
    rows.push_back(concat(row.torch, " ", row.companion, upkeep::is_exact(row) ? "" : " ?"));
  return rows;
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("companion_rows: reads tables of README") {
  const std::string old = R"(
+--------------------------+--------------------------+-----------------------+
| ``torch``                | ``torchvision``          | ``python``            |
+==========================+==========================+=======================+
| ``master`` / ``nightly`` | ``master`` / ``nightly`` | ``>=3.7``, ``<=3.10`` |
+--------------------------+--------------------------+-----------------------+
| ``1.11.0``               | ``0.12.0``               | ``>=3.7``, ``<=3.10`` |
+--------------------------+--------------------------+-----------------------+
| ``1.7.0``                | ``0.8.1``                | ``>=3.6``, ``<=3.8``  |
+--------------------------+--------------------------+-----------------------+
| ``1.7.0``                | ``0.8.0``                | ``>=3.6``, ``<=3.8``  |
+--------------------------+--------------------------+-----------------------+
| ``<=1.0.1``              | ``0.2.2``                | ``==2.7``             |
+--------------------------+--------------------------+-----------------------+
)";
  CHECK(rows_for("1.11.0", old) == Rows{"1.11.0 0.12.0"});
  CHECK(rows_for("1.11.1", old).empty());
  CHECK(rows_for("1.1.0", old).empty());
  CHECK(rows_for("1.7.0", old) == Rows{"1.7.0 0.8.1", "1.7.0 0.8.0"});
  CHECK(rows_for("1.0.0", old) == Rows{"<=1.0.1 0.2.2"});
  CHECK(rows_for("1.11.0", old, Component::audio).empty());

  const std::string now =
      "| `torch` | `torchvision` | Python |\n| --- | --- | --- |\n| `2.1` | `0.16` | `>=3.8` |\n\n"
      "<details>\n\n| `torch` | `torchvision` | Python |\n|---|---|---|\n| `1.3` | `0.4.2` / `0.4.3` |"
      " |\n| `<=1.0` | `0.2` | |\n</details>\n| 1.3.0 | 7.7.7 | of another table |\n";
  CHECK(rows_for("2.1.2", now) == Rows{"2.1 0.16 ?"});
  CHECK(rows_for("1.3.0", now) == Rows{"1.3 0.4.2 / 0.4.3 ?"});
  CHECK(rows_for("1.0.0", now) == Rows{"<=1.0 0.2 ?"});
  CHECK(rows_for("2.11.0", now).empty());
}

TEST_CASE("companion_rows: reads the list-table of torchaudio's documentation") {
  const std::string text =
      ".. list-table::\n   :header-rows: 1\n\n   * - ``PyTorch``\n     - ``TorchAudio``\n"
      "     - ``Python``\n   * - ``2.0.0``\n     - ``2.0.1``\n     - ``>=3.8``\n   * - ``1.4.0``";
  CHECK(rows_for("2.0.0", text, Component::audio) == Rows{"2.0.0 2.0.1"});
  CHECK(rows_for("1.4.0", text, Component::audio).empty());
  CHECK(rows_for("2.0.0", text).empty());
}

TEST_CASE("release add: takes the commits of tags, and says whose they are") {
  const TaggedWorkspace toy;
  test::git(toy.torch, {"tag", "-a", "-m", "annotated", "v1.2.0"});
  test::git(toy.vision, {"tag", "v0.4.0"});
  const std::string vision = test::git(toy.vision, {"rev-parse", "HEAD"});
  const CliResult result = toy.add({"--vision", "0.4.0"});
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Contains(concat("pins\n  torch 1.2.0: ", toy.torch_commit,
                                         ", by tag v1.2.0 of '$TOY/mirror/torch/.git'\n  vision 0.4.0: ", vision,
                                         ", by tag v0.4.0 of '$TOY/mirror/vision/.git'\n")) &&
                             !Contains("companions"));
  CHECK_THAT(toy.file(), Contains(concat("\"", toy.torch_commit, "\"")) && Contains(concat("\"", vision, "\"")) &&
                             Contains("\"tag v1.2.0 of https://example.org/pytorch/pytorch.git\"") &&
                             Contains("\"components.vision\"") && !Contains(toy.upstream.scratch()));
  CHECK(toy.run({"show", "release", "1.2.0", "--catalog", toy.path("")}).exit_code == 0);
}

TEST_CASE("release add: another tag, a commit with a tag, and a release without a companion") {
  const TaggedWorkspace toy;
  test::git(toy.torch, {"tag", "special"});
  const CliResult other = toy.add({"--tag", "special", "--vision", "none", "--json"});
  CHECK(other.exit_code == 0);
  CHECK_THAT(other.out, Contains("\"tag\": \"special\"") && Contains("\"origin\": \"tag\"") &&
                            Contains("\"open\": []") && !Contains("\"component\": \"vision\""));
  CHECK_THAT(toy.file(), !Contains("\"vision\"") && !Contains("omitted"));
  remove_tree(toy.path("releases"));
  const CliResult given = toy.add({"--tag", "v1.2.0", "--commit", toy.torch_commit, "--vision", "none"});
  CHECK_THAT(given.out, Contains(concat("torch 1.2.0: ", toy.torch_commit, ", as given\n")));
  CHECK_THAT(toy.file(), Contains("\"given to release add\""));
}

TEST_CASE("release add: a tag that is nowhere, or not the same everywhere, is an error that names --commit") {
  const TaggedWorkspace toy;
  const auto refuses = [&](const std::string& reason, std::vector<std::string> line = {}) {
    const CliResult result = toy.add(std::move(line));
    CHECK(result.exit_code == 4);
    CHECK(result.err == concat(kUnknownTag, reason, kTorchHint));
    CHECK(!is_directory(toy.path("releases")));
  };
  refuses("no copy of it has tags");
  test::git(toy.torch, {"tag", "v1.1.0"});
  refuses("not found in '$TOY/mirror/torch/.git'");
  test::git(toy.torch, {"tag", "v1.2.0"});
  test::git(toy.upstream.mirror(), {"clone", "-q", "--bare", toy.torch, toy.upstream.mirror() + "/copy.git"});
  test::git(toy.upstream.mirror() + "/copy.git", {"tag", "-f", "v1.2.0", toy.upstream.torch_commit()});
  refuses(concat("it is ", toy.upstream.torch_commit(), " in '$TOY/mirror/copy.git', but ", toy.torch_commit,
                 " in '$TOY/mirror/torch/.git'"));

  const CliResult vision = toy.add({"--commit", toy.torch_commit, "--vision", "0.4.0"});
  CHECK(vision.exit_code == 4);
  CHECK_THAT(vision.err,
             Contains("vision: tag 'v0.4.0' of 'https://example.org/pytorch/vision.git' is not known: no copy "
                      "of it has tags\nhint: --vision VERSION=ID gives the commit; "));
}

TEST_CASE("release add: takes the companion that its table names, of the newest commit that has the row") {
  const TaggedWorkspace toy;
  test::git(toy.torch, {"tag", "v1.2.0"});
  test::git(toy.vision, {"tag", "v0.4.0"});
  const std::string vision = test::git(toy.vision, {"rev-parse", "HEAD"});
  test::git(toy.vision, {"checkout", "-q", "-b", "release/0.4"});
  const std::string table = toy.table("| 1.2.0 | 0.4.0 | |\n");
  test::git(toy.vision, {"checkout", "-q", "-"});
  toy.table("| 1.1.0 | 0.3.0 | |\n");  // HEAD knows nothing of it
  const CliResult result = toy.add({"--json"});
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Contains(concat("\"table\": {\n        \"repository\": \"$TOY/mirror/vision/.git\",\n        "
                                         "\"commit\": \"",
                                         table, "\",\n        \"file\": \"README.md\"")) &&
                             Contains("\"open\": []"));
  CHECK_THAT(toy.file(),
             Contains(concat("\"", vision, "\"")) && Contains("\"components.vision.version\"") &&
                 Contains(concat("README.md of commit ", table, " of https://example.org/pytorch/vision.git")));
  remove_tree(toy.path("releases"));
  CHECK_THAT(toy.add().out, Contains(concat("vision 0.4.0, by README.md of commit ", table,
                                            " in '$TOY/mirror/vision/.git': ", vision, ", by tag v0.4.0 of ")));
}

TEST_CASE("release add: of tables that differ the newest commit's counts, in branches that are released from") {
  const TaggedWorkspace toy;
  constexpr std::int64_t kLate = 4'000'000'000;
  test::git(toy.torch, {"tag", "v1.2.0"});
  for (const char* tag : {"v0.3.1", "v0.4.0", "v0.4.1"}) test::git(toy.vision, {"tag", tag});
  const std::string bare = test::git(toy.vision, {"rev-parse", "HEAD"});
  const auto table_at = [&](const std::string& branch, std::int64_t time, const std::string& row) {
    toy.table(row);
    toy.branch_at(branch, time);
    test::git(toy.vision, {"reset", "-q", "--hard", bare});
  };
  table_at("release/0.4", kLate + 1, "| 1.2.0 | 0.4.0 | |\n");
  table_at("release/0.3", kLate, "| 1.2.0 | 0.3.1 | |\n");
  table_at("release/0.5", kLate + 2, "| 1.2 | 0.4 | |\n");
  table_at("topic", kLate + 3, "| 1.2.0 | 0.4.1 | |\n");
  CHECK_THAT(toy.add().out, Contains("  vision 0.4.0, by README.md of commit "));
}

TEST_CASE("release add: says which companion is missing, and guesses none") {
  const TaggedWorkspace toy;
  test::git(toy.torch, {"tag", "v1.2.0"});
  const auto leaves_out = [&](const std::string& reason) {
    const CliResult result = toy.add();
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Contains(concat("versions of companions not found: pass each, or none\n  vision: ", reason,
                                           ". --vision VERSION[=ID] sets it, --vision none omits it\n")));
    CHECK_THAT(toy.file(), !Contains("\"vision\"") && Contains("torchvision is omitted: "));
    remove_tree(toy.path("releases"));
  };
  leaves_out("no version table of its copies has a row for torch 1.2.0");
  const std::string family = toy.table("| 1.2 | 0.4 | |\n");
  const auto undecided = [](const std::string& row, const std::string& commit, const std::string& versions) {
    return concat("for torch ", row, " README.md of commit ", commit, " in '$TOY/mirror/vision/.git' has ", versions,
                  ", which is not a single release");
  };
  leaves_out(undecided("1.2", family, "'0.4'"));
  const std::string two = toy.table("| 1.2 | 0.4 | |\n| 1.2.0 | 0.4.1 | |\n| 1.2.0 | 0.4.0 | |\n");
  leaves_out(undecided("1.2.0", two, "'0.4.1' and '0.4.0'"));
  test::git(toy.vision, {"checkout", "-q", "-B", "main", "HEAD~2"});
  toy.table("| 1.2.0 | 0.4.0 | |\n");
  leaves_out(
      "0.4.0 belongs to it, but tag 'v0.4.0' of 'https://example.org/pytorch/vision.git' is not known: no copy of it "
      "has "
      "tags");
}

TEST_CASE("release add: asks upstream for tags where the network may be used") {
  const TaggedWorkspace toy;
  const auto serve = [&](const std::string& from, const std::string& to) {
    test::git(toy.upstream.mirror(), {"clone", "-q", "--bare", toy.upstream.mirror() + "/" + from,
                                      concat(toy.upstream.scratch(), "/served/", to, ".git")});
  };
  test::git(toy.torch, {"tag", "v1.2.0"});
  serve("torch", "pytorch/pytorch");
  serve("vision", "pytorch/vision");
  const auto ask = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"release", "add", "1.2.0", "--into", toy.path(""), "--quiet", "--retries", "0", "--url-map",
                 concat("https://example.org/=file://", toy.upstream.scratch(), "/served/")});
    return toy.run(more);
  };
  const CliResult result = ask({"--vision", "none"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out,
             Contains(concat("torch 1.2.0: ", toy.torch_commit, ", by tag v1.2.0 of 'file://$TOY/served/")));
  remove_tree(toy.path("releases"));

  const CliResult vision = ask({"--vision", "0.4.0"});
  CHECK(vision.exit_code == 4);
  CHECK_THAT(vision.err, Contains("not found in 'file://$TOY/served/pytorch/vision.git'\nhint: --vision "));
  const CliResult offline = ask({"--offline", "--vision", "none"});
  CHECK(offline.exit_code == 4);
  CHECK_THAT(offline.err, Contains(concat(kUnknownTag, "no copy of it has tags", kTorchHint)));
  remove_tree(concat(toy.upstream.scratch(), "/served/pytorch/pytorch.git"));
  CHECK_THAT(ask({"--vision", "none"}).err, Contains(concat(kUnknownTag, "git reports ")));
}
