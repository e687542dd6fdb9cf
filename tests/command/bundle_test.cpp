// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include "archive/write_archive.h"
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"

using namespace torchpatch;
using Catch::Contains;
using test::CliResult;

namespace {

struct BundleWorkspace : test::ToyWorkspace {
  BundleWorkspace() {
    upstream.certify();
    const CliResult created = create(upstream.mirror(), "a.tar");
    INFO(created.err);
    REQUIRE(created.exit_code == 0);
  }
  CliResult create(const std::string& mirror, const std::string& output, std::vector<std::string> more = {}) const {
    more.insert(more.begin(),
                {"mirror", "--version", "1.1.0", "--mirror", mirror, "--bundle", path(output), "--quiet"});
    return run(more);
  }
  CliResult verify(const std::string& file) const { return run({"mirror", "verify", path(file), "--quiet"}); }
  CliResult unpack(const std::string& file, const std::string& output) const {
    return run({"mirror", "unpack", path(file), "--output", path(output), "--quiet"});
  }
  std::string manifest_from(const std::string& mirror, const std::string& output) const {
    const CliResult result = run(
        {"prepare", "--version", "1.1.0", "--board", "small", "--mirror", mirror, "--output", path(output), "--quiet"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return read_file(path(output + "/torchpatch/manifest.json"));
  }
};

/// Asserts that both commands find what is wrong, and that nothing is unpacked.
void require_refused(const BundleWorkspace& workspace, const std::string& bytes, const std::string& why) {
  workspace.write("bad.tar", bytes);
  const CliResult verified = workspace.verify("bad.tar");
  CAPTURE(verified.out, verified.err);
  CHECK(verified.exit_code == 1);
  CHECK(verified.err.empty());
  CHECK_THAT(verified.out, Contains(why));
  const CliResult unpacked = workspace.unpack("bad.tar", "never");
  CHECK(unpacked.exit_code == 3);
  CHECK_THAT(unpacked.err, Contains(why));
  CHECK_FALSE(file_exists(workspace.path("never")));
}

}  // namespace

TEST_CASE("mirror --bundle: equal pins give equal bytes, and what is unpacked prepares the same tree") {
  const BundleWorkspace workspace;
  const std::string bytes = read_file(workspace.path("a.tar"));
  const CliResult unpacked = workspace.unpack("a.tar", "m");
  CHECK(unpacked.exit_code == 0);
  CHECK_THAT(unpacked.out, Catch::StartsWith("unpacked 1.1.0 to $TMP/m\n  4 repositories, 4 commits, "));
  CHECK(workspace.manifest_from(workspace.path("m"), "x") == workspace.manifest_from(workspace.upstream.mirror(), "y"));
  const CliResult again = workspace.create(workspace.path("m"), "b.tar", {"--jobs", "5"});
  CHECK_THAT(again.out, Contains(concat("  ", bytes.size(), " bytes, sha256 ", sha256(bytes).hex(), "\n")));
  CHECK(read_file(workspace.path("b.tar")) == bytes);
}

TEST_CASE("mirror verify: a whole bundle, for people and as JSON") {
  const BundleWorkspace workspace;
  const std::string digest = sha256(read_file(workspace.path("a.tar"))).hex();
  const CliResult result = workspace.verify("a.tar");
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::StartsWith("'$TMP/a.tar': whole\n  1.1.0: 4 repositories, 4 commits, ") &&
                             Contains("sha256 " + digest));
  const CliResult json = workspace.run({"mirror", "verify", workspace.path("a.tar"), "--json", "--quiet"});
  CHECK_THAT(json.out, Contains("\"ok\": true") && Contains("\"sha256\": \"" + digest + "\""));
}

TEST_CASE("mirror verify: pins that are not the catalog's are found") {
  const BundleWorkspace workspace;
  const std::string file = workspace.upstream.catalog_directory() + "/releases/1.1.0.json";
  std::string release = read_file(file);
  const std::string pin = workspace.upstream.torch_commit();
  release.replace(release.find(pin), pin.size(), std::string(40, 'a'));
  write_file_atomically(file, release);
  for (const std::string& name : list_directory(workspace.upstream.catalog_directory() + "/patchsets"))
    remove_tree(workspace.upstream.catalog_directory() + "/patchsets/" + name + "/certificates");
  const CliResult result = workspace.verify("a.tar");
  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Contains("release 1.1.0: torch is commit " + pin) && Contains(std::string(40, 'a')));
}

TEST_CASE("mirror --bundle: a bit that is flipped anywhere is found") {
  const BundleWorkspace workspace;
  const std::string good = read_file(workspace.path("a.tar"));
  for (std::size_t at = 0; at < good.size(); at += 509) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    workspace.write("bad.tar", bad);
    CAPTURE(at);
    CHECK(workspace.verify("bad.tar").exit_code == 1);
  }
}

TEST_CASE("mirror --bundle: members that do not belong there are refused") {
  const BundleWorkspace workspace;
  const std::string good = read_file(workspace.path("a.tar"));
  const std::size_t first_pack = good.find("packs/", good.find("index.json.sha256"));
  const auto member = [&](const std::string& name, archive::TarMember::Type type) {
    return archive::tar_header({name, type, 0, "/etc/passwd"}, 0);
  };
  using Type = archive::TarMember::Type;
  const auto with = [&](const std::string& header) { return std::string(good).insert(first_pack, header); };
  require_refused(workspace, with(member("../x", Type::file)), ", found '../x', a file of 0 bytes");
  require_refused(workspace, with(member("packs/x", Type::link)), ", found 'packs/x', a symbolic link of 0 bytes");
  require_refused(workspace, good + std::string(512, '\0'), "bytes follow its end");
  require_refused(workspace, good.substr(0, first_pack), "it is truncated");
  require_refused(workspace, member("x", Type::file) + good, "it begins with 'x', a file of 0 bytes");
  require_refused(workspace, "", "it begins with the end of the file");
}

TEST_CASE("mirror verify: what is no bundle is not read to its end") {
  const BundleWorkspace workspace;
  workspace.write("bad.tar", "");
  std::filesystem::resize_file(workspace.path("bad.tar"), std::uintmax_t{1} << 42);
  const CliResult result = workspace.verify("bad.tar");
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Contains("it is not a torchpatch bundle: it begins with ") &&
                             Catch::EndsWith("\n  4398046511104 bytes\n"));
  const CliResult json = workspace.run({"mirror", "verify", workspace.path("bad.tar"), "--json", "--quiet"});
  CHECK_THAT(json.out, Contains("\"size\": 4398046511104,\n  \"releases\": [],\n"));
}

TEST_CASE("mirror --bundle: a file that is there stays, unless it is to be replaced") {
  const BundleWorkspace workspace;
  workspace.write("mine", "mine");
  const CliResult refused = workspace.create(workspace.upstream.mirror(), "mine");
  CHECK(refused.exit_code == 7);
  CHECK(refused.err ==
        "torchpatch: error: writing '$TMP/mine': it already exists\nhint: choose another file, or use --replace\n");
  CHECK(workspace.create(workspace.upstream.mirror(), "mine", {"--replace"}).exit_code == 0);
  CHECK(read_file(workspace.path("mine")) == read_file(workspace.path("a.tar")));
  CHECK(workspace.create(workspace.upstream.mirror(), "nowhere/a").err ==
        "torchpatch: error: writing '$TMP/nowhere/a': its directory was not found\nhint: create it first\n");
  CHECK(workspace.unpack("a.tar", "mine").exit_code == 7);
}

TEST_CASE("bundle create, verify, unpack: run as mirror --bundle, verify and unpack, with a warning") {
  const BundleWorkspace workspace;
  const auto former = [&](const std::vector<std::string>& args, const std::string& now) {
    const CliResult result = workspace.run(args);
    CHECK(result.err == concat("warning: '", args[0], " ", args[1], "' is now '", now, "'\n"));
    return result;
  };
  const std::string mirror = workspace.upstream.mirror();
  for (const std::vector<std::string>& output :
       std::vector<std::vector<std::string>>{{"--output", workspace.path("b.tar")},
                                             {"--output=" + workspace.path("b.tar")},
                                             {"-o", workspace.path("b.tar")},
                                             {"-o" + workspace.path("b.tar")}}) {
    CAPTURE(output);
    std::vector<std::string> args = {"bundle",   "create", "--version", "1.1.0",
                                     "--mirror", mirror,   "--quiet",   "--replace"};
    args.insert(args.end(), output.begin(), output.end());
    const CliResult created = former(args, "mirror --bundle FILE");
    CHECK(created.exit_code == 0);
    CHECK(created.out == workspace.create(mirror, "b.tar", {"--replace"}).out);
    CHECK(read_file(workspace.path("b.tar")) == read_file(workspace.path("a.tar")));
    std::filesystem::remove(workspace.path("b.tar"));
  }
  const CliResult verified = former({"bundle", "verify", workspace.path("a.tar"), "--quiet"}, "mirror verify FILE");
  CHECK(verified.exit_code == 0);
  CHECK(verified.out == workspace.verify("a.tar").out);
  workspace.write("bad.tar", "bad");
  CHECK(former({"bundle", "verify", workspace.path("bad.tar"), "--quiet"}, "mirror verify FILE").exit_code == 1);
  const CliResult unpacked =
      former({"bundle", "unpack", workspace.path("a.tar"), "--output", workspace.path("m"), "--quiet"},
             "mirror unpack FILE --output DIR");
  CHECK(unpacked.exit_code == 0);
  CHECK(unpacked.out == "unpacked 1.1.0 to $TMP/m\n" + workspace.unpack("a.tar", "n").out.substr(25));
}

TEST_CASE("mirror: a folder or a bundle, and what goes with which") {
  const BundleWorkspace workspace;
  const auto refusal = [&](std::vector<std::string> args) {
    args.insert(args.begin(), {"mirror", "--version", "1.1.0"});
    const CliResult result = workspace.run(args);
    CHECK(result.exit_code == 2);
    return result.err.substr(0, result.err.find('\n'));
  };
  CHECK(refusal({}) == "torchpatch: error: missing: --output DIR (or --bundle FILE)");
  CHECK(refusal({"--output", "m", "--bundle", "b"}) ==
        "torchpatch: error: --output and --bundle cannot be used together");
  CHECK(refusal({"--full", "--bundle", "b"}) == "torchpatch: error: --full and --bundle cannot be used together");
  CHECK(refusal({"--replace", "--output", "m"}) == "torchpatch: error: --replace needs --bundle");
}
