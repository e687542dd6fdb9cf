// SPDX-License-Identifier: BSD-3-Clause
// With the real ssh-keygen, ssh-agent and minisign.
#include "trees/sign/signature.h"
#include "support/catch.h"

#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/signing_keys.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

constexpr const char* kData = "what is signed\n";

/// Keys of both kinds, and the checks of this file.
struct Keys : test::SigningKeys {
  SigningKey key(const std::string& name) const { return {path(name), environment()}; }
  SignatureCheck check(const std::string& signature, const std::string& signers, const std::string& data = kData,
                       const std::string& purpose = kManifestPurpose) const {
    return check_signature(data, signature, path(signers), purpose);
  }
};

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "none";
}

/// PATH as it is during a test.
struct PathIs {
  explicit PathIs(const std::string& path) : before(getenv("PATH")) { setenv("PATH", path.c_str(), 1); }
  ~PathIs() { setenv("PATH", before.c_str(), 1); }
  std::string before;
};

}  // namespace

TEST_CASE("sign: what an SSH key signs, its owner's file verifies", "[trees]") {
  const Keys keys;
  const Signature signature = sign(kData, keys.key("alice"), kManifestPurpose);
  CHECK(signature.kind == SignatureKind::ssh);
  CHECK(starts_with(signature.bytes, "-----BEGIN SSH SIGNATURE-----\n"));
  for (const char* signers : {"allowed", "alice.pub"}) {
    const SignatureCheck check = keys.check(signature.bytes, signers);
    INFO(check.why);
    CHECK(check.is_good);
    CHECK(starts_with(check.key, "ED25519 key SHA256:"));
    CHECK(check.signer == (signers == std::string("allowed") ? "alice@example.org" : keys.path("alice.pub")));
    CHECK_FALSE(keys.check(signature.bytes, signers, "what is Signed\n").is_good);
    CHECK_FALSE(keys.check(signature.bytes, signers, kData, kApprovalPurpose).is_good);
  }
  CHECK_FALSE(keys.check(signature.bytes, "mallory.pub").is_good);
  CHECK_FALSE(keys.check(sign(kData, keys.key("mallory"), kManifestPurpose).bytes, "allowed").is_good);
  std::string altered = signature.bytes;
  altered[altered.size() / 2] = altered[altered.size() / 2] == 'A' ? 'B' : 'A';
  CHECK_FALSE(keys.check(altered, "allowed").is_good);
  CHECK_FALSE(keys.check("", "allowed").is_good);
}

TEST_CASE("sign: what a minisign key signs, its public key verifies", "[trees]") {
  const Keys keys;
  const Signature signature = sign(kData, keys.key("mini.key"), kManifestPurpose);
  CHECK(signature.kind == SignatureKind::minisign);
  const SignatureCheck check = keys.check(signature.bytes, "mini.pub");
  INFO(check.why);
  CHECK(check.is_good);
  CHECK(check.signer == keys.path("mini.pub"));
  const std::string comment = read_file(keys.path("mini.pub"));
  const std::string id = comment.substr(0, comment.find('\n'));
  CHECK(check.key == "minisign key " + id.substr(id.rfind(' ') + 1));
  CHECK_FALSE(keys.check(signature.bytes, "mini.pub", "what is Signed\n").is_good);
  const SignatureCheck other = keys.check(signature.bytes, "other.pub");
  CHECK_FALSE(other.is_good);
  CHECK(other.why == keys.check(signature.bytes, "other.pub").why);  // no name of a temporary file is in it
  CHECK(keys.check(signature.bytes, "mini.pub", kData, kApprovalPurpose).why ==
        "it is for 'torchpatch-manifest', not for 'torchpatch-approval'");
  std::string altered = signature.bytes;
  altered.replace(altered.find("torchpatch-manifest\n", 60), 10, "Torchpatch");
  CHECK_FALSE(keys.check(altered, "mini.pub").is_good);
}

TEST_CASE("sign: ssh-agent's keys go by their public key", "[trees]") {
  const Keys keys;
  const std::string socket = keys.path("agent");
  // The shell's script is what runs below the agent: its end is the agent's.
  const ProgramResult result =
      keys.run({"ssh-agent", "-a", socket, "sh", "-c",
                concat("ssh-add -q ", keys.path("alice"), " && mv ", keys.path("alice"), " ", keys.path("hidden"),
                       " && ssh-keygen -q -Y sign -n torchpatch-manifest -f ", keys.path("alice.pub"), " ",
                       keys.path("allowed"))});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(keys.check(read_file(keys.path("allowed.sig")), "allowed", read_file(keys.path("allowed"))).is_good);
  CHECK(signing_key_kind(keys.path("alice.pub")) == SignatureKind::ssh);
}

TEST_CASE("signing_key_kind and signers_kind: say what a file is not", "[trees]") {
  const Keys keys;
  write_file_atomically(keys.path("text"), "hello\n");
  CHECK(signers_kind(keys.path("allowed")) == SignersKind::allowed_signers);
  CHECK(signers_kind(keys.path("alice.pub")) == SignersKind::ssh_public_key);
  CHECK(signers_kind(keys.path("mini.pub")) == SignersKind::minisign_public_key);
  CHECK(error_of([&] { signing_key_kind(keys.path("text")); }) ==
        concat(quote(keys.path("text")), " is neither an OpenSSH nor a minisign key"));
  CHECK(error_of([&] { signing_key_kind(keys.path("mini.pub")); }) ==
        concat(quote(keys.path("mini.pub")), " is a minisign public key; signing needs the secret key"));
  CHECK(error_of([&] { signers_kind(keys.path("text")); }) == concat(quote(keys.path("text")), " lists no signers"));
  for (const char* name : {"alice", "mini.key"}) {
    CHECK(error_of([&] { signers_kind(keys.path(name)); }) ==
          concat(quote(keys.path(name)), " is a secret key; checking a signature needs the public key"));
  }
}

TEST_CASE("sign: says what is missing", "[trees]") {
  const Keys keys;
  CHECK_THAT(error_of([&] { sign(kData, keys.key("nobody"), kManifestPurpose); }), Catch::Contains("nobody"));
  const PathIs nowhere(keys.path("bin"));
  CHECK(error_of([&] { sign(kData, keys.key("alice"), kManifestPurpose); }) ==
        "the program 'ssh-keygen' was not found");
  CHECK(error_of([&] { keys.check("", "mini.pub"); }) == "the program 'minisign' was not found");
}

}  // namespace torchpatch::trees
