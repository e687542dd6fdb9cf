// SPDX-License-Identifier: BSD-3-Clause
// Signed manifests and audits, with the real ssh-keygen and minisign.
#include <unistd.h>

#include <tuple>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/signing_keys.h"
#include "support/text.h"

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
  CliResult check_audit(const std::string& file, const std::string& signers) const {
    return run({"audit", "verify-signature", file, "--signer", keys.path(signers)});
  }

  test::SigningKeys keys;
};

}  // namespace

TEST_CASE("prepare --sign: verify says by whom, and nothing else changes") {
  const Signing workspace;
  const CliResult prepared = workspace.prepare("ssh", "alice");
  INFO(prepared.err);
  REQUIRE(prepared.exit_code == 0);
  const CliResult good = workspace.verify("ssh", "allowed");
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.out, Catch::StartsWith("signed by alice@example.org with ED25519 key SHA256:"));
  CHECK_THAT(workspace.verify("ssh", "alice.pub", "--json").out, Catch::Contains("\"signer\": \"$KEYS/alice.pub\""));
  CHECK(workspace.run({"verify", workspace.path("ssh")}).exit_code == 0);
  CHECK(workspace.keys.run({"sh", workspace.path("ssh/torchpatch/check.sh")}).exit_code == 0);
  CHECK(read_file(workspace.path("ssh/torchpatch/SHA256SUMS")).find("manifest.json.sig") == std::string::npos);

  REQUIRE(workspace.prepare("mini", "mini.key").exit_code == 0);
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
    CHECK((result.out.find("manifest.json.sig' was not looked at") != std::string::npos) == is_other_kind);
  };
  expect("mini.pub", "minisig': is missing");
  expect("mallory.pub", "sig': it is by none of those who may sign");
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
  CHECK_THAT(result.err, Catch::Contains("'$KEYS/allowed' is neither a key of OpenSSH nor one of minisign"));
  CHECK_FALSE(file_exists(workspace.path("out")));
}

TEST_CASE("audit sign: what is signed verifies, and one changed byte does not") {
  const Signing workspace;
  for (const std::string form : {"html", "markdown", "json", "sarif", "text"}) {
    for (const auto& [key, signers, ending] :
         {std::tuple("alice", "allowed", ".sig"), std::tuple("mini.key", "mini.pub", ".minisig")}) {
      INFO(form << " " << key);
      const std::string file = workspace.audit(form), text = read_file(file);
      CHECK_THAT(workspace.check_audit(file, signers).out, Catch::Contains("no good signature: it is not signed"));
      const CliResult result = workspace.run({"audit", "sign", file, "--key", workspace.keys.path(key)});
      INFO(result.err);
      REQUIRE(result.exit_code == 0);
      CHECK(result.out ==
            concat("signed '$TMP/audit.", form, "'; the signature is in '$TMP/audit.", form, ending, "'\n"));
      CHECK(read_file(file) == text);
      const CliResult good = workspace.check_audit(file, signers);
      CHECK(good.exit_code == 0);
      CHECK_THAT(good.out, Catch::Contains(": signed by "));
      CHECK_THAT(good.out, Catch::Contains("\n  sha256 " + sha256(text).hex() + "\n"));
      CHECK(workspace.check_audit(file, "mallory.pub").exit_code == 1);

      edit(file, "small", "smell");
      const CliResult bad = workspace.check_audit(file, signers);
      CHECK(bad.exit_code == 1);
      CHECK_THAT(bad.out, Catch::Contains("no good signature: "));
      write_file_atomically(file, text);
      CHECK(workspace.check_audit(file, signers).exit_code == 0);
      unlink((file + ending).c_str());
    }
  }
}

TEST_CASE("audit verify-signature: a signature for something else is not one of an audit") {
  const Signing workspace;
  const std::string file = workspace.audit("html");
  REQUIRE(workspace.keys
              .run({"ssh-keygen", "-Y", "sign", "-n", "torchpatch-manifest", "-f", workspace.keys.path("alice"), file})
              .exit_code == 0);
  const CliResult result = workspace.check_audit(file, "allowed");
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("no good signature: "));
  const CliResult json =
      workspace.run({"audit", "verify-signature", file, "--signer", workspace.keys.path("allowed"), "--json"});
  CHECK_THAT(json.out, Catch::Contains("\"ok\": false,\n  \"file\": \"$TMP/audit.html\",\n  \"sha256\": \""));
}
