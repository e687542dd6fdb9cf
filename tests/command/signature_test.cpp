// SPDX-License-Identifier: BSD-3-Clause
// Signed manifests and audits, with the real ssh-keygen and minisign.
#include <unistd.h>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/signing_keys.h"
#include "support/text.h"
#include "trees/sign/signature.h"

using namespace torchpatch;
using test::CliResult;
using test::edit;

namespace {

struct Signing : test::ToyWorkspace {
  Signing() {
    upstream.certify();
    replace_in_output(keys.path(""), "$KEYS/");
  }

  /// Prepares `out`, signed with a key.
  CliResult prepare(const std::string& out, const std::string& key) const {
    return run({"prepare", "--version", "1.1.0", "--board", "small", "--mirror", upstream.mirror(), "--output",
                path(out), "--quiet", "--sign", keys.path(key)});
  }
  CliResult verify(const std::string& out, const std::string& signers, const std::string& more = "--quiet") const {
    return run({"verify", path(out), "--signature", keys.path(signers), more});
  }
  /// Writes an audit; `form` is "json", or one of --format.
  std::string audit(const std::string& form) const {
    const std::string file = path("audit." + form);
    std::vector<std::string> args = {"audit", "--version", "1.1.0", "--board", "small", "--quiet", "--output", file};
    if (form == "json")
      args.push_back("--json");
    else
      args.insert(args.end(), {"--format", form});
    const CliResult result = run(args);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return file;
  }
  test::SigningKeys keys;
};

}  // namespace

TEST_CASE("prepare --sign: verify says by whom, and nothing else changes") {
  const Signing workspace;
  const CliResult prepared = workspace.prepare("ssh", "alice");
  INFO(prepared.err);
  REQUIRE(prepared.exit_code == 0);
  CHECK_THAT(prepared.out,
             Catch::Contains("  signed    $TMP/ssh/torchpatch/manifest.json.sig, ED25519 key SHA256:") &&
                 Catch::Contains("\n            to check: torchpatch verify $TMP/ssh --signature $KEYS/alice.pub\n"));
  const CliResult good = workspace.verify("ssh", "allowed");
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.out, Catch::StartsWith("signed by alice@example.org with ED25519 key SHA256:"));
  CHECK_THAT(workspace.verify("ssh", "alice.pub", "--json").out, Catch::Contains("\"signer\": \"$KEYS/alice.pub\""));
  CHECK(workspace.run({"verify", workspace.path("ssh")}).exit_code == 0);
  CHECK(workspace.keys.run({"sh", workspace.path("ssh/torchpatch/check.sh"), "--tree"}).exit_code == 0);
  CHECK(read_file(workspace.path("ssh/torchpatch/SHA256SUMS")).find("manifest.json.sig") == std::string::npos);

  const CliResult by_minisign = workspace.prepare("mini", "mini.key");
  REQUIRE(by_minisign.exit_code == 0);
  CHECK_THAT(by_minisign.out,
             Catch::Contains(concat("  signed    $TMP/mini/torchpatch/manifest.json.minisig, minisign key ",
                                    trees::minisign_key_id(read_file(workspace.keys.path("mini.pub"))),
                                    "\n            to check: torchpatch verify $TMP/mini --signature KEY.pub\n")));
  CHECK_THAT(workspace.verify("mini", "mini.pub").out,
             Catch::StartsWith("signed by $KEYS/mini.pub with minisign key "));
  CHECK(read_file(workspace.path("mini/torchpatch/manifest.json")) ==
        read_file(workspace.path("ssh/torchpatch/manifest.json")));
}

TEST_CASE("verify --signature: missing, altered, by someone else or for something else is a difference") {
  const Signing workspace;
  REQUIRE(workspace.prepare("out", "alice").exit_code == 0);
  const std::string manifest = workspace.path("out/torchpatch/manifest.json");
  const auto expect = [&](const std::string& signers, const std::string& message) {
    const CliResult result = workspace.verify("out", signers);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.out, Catch::Contains("signature 'torchpatch/manifest.json." + message));
    const bool is_other_kind = signers == "mini.pub";  // the one that is there was not asked about
    CHECK((result.out.find("manifest.json.sig' was not checked") != std::string::npos) == is_other_kind);
  };
  expect("mini.pub", "minisig': is missing");
  const CliResult unknown = workspace.verify("out", "mallory.pub");
  CHECK_THAT(unknown.out, Catch::Contains("sig': the signer is not allowed: signed with ED25519 key SHA256:") &&
                              Catch::Contains("; to list the keys that are: ssh-keygen -l -f $KEYS/mallory.pub\n") &&
                              !Catch::Contains("to restore the tree"));
  SECTION("a byte of the manifest") {
    edit(manifest, "\"unpatched\": false", "\"unpatched\": true");
    expect("allowed", "sig': ");
  }
  SECTION("a byte of the signature") {
    std::string signature = read_file(manifest + ".sig");
    signature[signature.size() / 2] = signature[signature.size() / 2] == 'A' ? 'B' : 'A';
    write_file_atomically(manifest + ".sig", signature);
    expect("allowed", "sig': ");
  }
  SECTION("something behind the signature") {
    write_file_atomically(manifest + ".sig", read_file(manifest + ".sig") + "anything\n");
    expect("allowed", "sig': there is text after the signature");
  }
  SECTION("another name space") {
    REQUIRE(unlink((manifest + ".sig").c_str()) == 0);
    REQUIRE(workspace.keys.run({"ssh-keygen", "-Y", "sign", "-n", "file", "-f", workspace.keys.path("alice"), manifest})
                .exit_code == 0);
    expect("allowed", "sig': ");
  }
  SECTION("other names stay extra") {
    workspace.write("out/torchpatch/manifest.json.asc", "x");
    CHECK_THAT(workspace.verify("out", "allowed").out, Catch::StartsWith("extra 'torchpatch/manifest.json.asc'"));
    CHECK_THAT(workspace.keys.run({"sh", workspace.path("out/torchpatch/check.sh")}).out,
               Catch::StartsWith("extra: torchpatch/manifest.json.asc\n"));
  }
}

TEST_CASE("prepare --sign: a file that is no key is refused before anything is read") {
  const Signing workspace;
  const CliResult result = workspace.prepare("out", "allowed");
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::Contains("'$KEYS/allowed' is neither an OpenSSH nor a minisign key"));
  CHECK_FALSE(file_exists(workspace.path("out")));
}

TEST_CASE("audit: the command lines in its sign-off sign a report, and one changed byte is found") {
  const Signing workspace;
  const std::string home = workspace.keys.path("");  // of the keys, whose names in the sign-off are others
  const auto shell = [&](std::string line) {
    if (const std::size_t name = line.find("NAME"); name != std::string::npos)
      line.replace(name, 4, "alice@example.org");
    return workspace.keys.run({"sh", "-c", concat("cd ", home, " && ", line)});
  };
  const std::string text = read_file(workspace.audit("text")), file = home + "REPORT";
  write_file_atomically(file, text);
  REQUIRE(shell("mkdir .ssh && cp alice .ssh/id_ed25519 && cp allowed allowed_signers && cp mini.key minisign.key && "
                "cp mini.pub minisign.pub")
              .exit_code == 0);
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n'))
    if (starts_with(trim(line), "ssh-keygen") || starts_with(trim(line), "minisign")) lines.emplace_back(trim(line));
  REQUIRE(lines.size() == 4);
  for (const std::string& line : lines) {
    const ProgramResult result = shell(line);
    INFO(line << result.err);
    CHECK(result.exit_code == 0);
  }
  CHECK_THAT(shell(lines[3]).out, Catch::Contains("Trusted comment: torchpatch-audit"));
  write_file_atomically(file, text + " ");
  CHECK(shell(lines[1]).exit_code != 0);
  CHECK(shell(lines[3]).exit_code != 0);
}

TEST_CASE("audit sign, audit verify-signature: are gone, and the hint has the command line") {
  const test::TestWorkspace workspace;
  CHECK(workspace.run({"audit", "sign", "audit.html", "--key", "k"}).err ==
        "torchpatch: error: the command 'audit sign' was removed\n"
        "hint: use 'ssh-keygen -Y sign -n torchpatch-audit -f KEY FILE'\n");
  const CliResult check = workspace.run({"audit", "verify-signature", "audit.html", "--signer", "k"});
  CHECK(check.exit_code == 2);
  CHECK_THAT(check.err, Catch::EndsWith("-I NAME -s FILE.sig <FILE'\n"));
}
