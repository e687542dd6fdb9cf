// SPDX-License-Identifier: BSD-3-Clause
#include "record/sbom.h"

#include <set>

#include "examples.h"
#include "golden.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/text.h"

using namespace torchpatch;
using namespace torchpatch::record;
using test::example_manifest;

namespace {

CompanionInput input_of(const Manifest& manifest) {
  return {&manifest, sha256("manifest"), {{"a patch", "backport, https://example.org/1"}}, {"limits"}};
}

std::string patch_type_of(const std::string& origin) {
  const Manifest manifest = example_manifest();
  CompanionInput input = input_of(manifest);
  input.patches[0].origin = origin;
  const std::string document = cyclonedx_document(input);
  for (const char* type : {"cherry-pick", "backport", "unofficial"})
    if (document.find(concat("\"type\": \"", type, "\"")) != std::string::npos) return type;
  return "none";
}

}  // namespace

TEST_CASE("companions: every one as it should be, by name") {
  const Manifest manifest = example_manifest();
  std::vector<std::string> names;
  for (const GeneratedFile& companion : companions(input_of(manifest))) {
    names.push_back(companion.name);
    test::check_golden(companion.name, companion.bytes);
  }
  CHECK(names == companion_names());
}

TEST_CASE("companions: another manifest has other names") {
  const Manifest manifest = example_manifest();
  CompanionInput other = input_of(manifest);
  other.manifest_digest = sha256("another");
  CHECK(document_uuid(other.manifest_digest) != document_uuid(sha256("manifest")));
  for (std::size_t i = 0; i < companion_names().size(); ++i)
    CHECK(companions(other)[i].bytes != companions(input_of(manifest))[i].bytes);
}

TEST_CASE("cyclonedx_document: the type of a patch follows its DEP-3 origin") {
  CHECK(patch_type_of("upstream, commit:123") == "cherry-pick");
  CHECK(patch_type_of("upstream") == "cherry-pick");
  CHECK(patch_type_of("backport, https://example.org") == "backport");
  CHECK(patch_type_of("other, torchpatch") == "unofficial");
  CHECK(patch_type_of("") == "unofficial");
}

TEST_CASE("package_url: GitHub's in lower case, others generic with their place") {
  const ObjectId commit = git_blob_id("x");
  const std::string at = "@" + commit.hex();
  const auto of = [&](const char* url) { return ManifestRepository{{}, url, commit, {}, {}, {}}; };
  CHECK(package_url(of("https://github.com/Maratyszcza/FP16.git")) == "pkg:github/maratyszcza/fp16" + at);
  CHECK(package_url(of("https://github.com/pytorch/fbgemm/")) == "pkg:github/pytorch/fbgemm" + at);
  CHECK(package_url(of("https://stand-in.invalid/a/six+.git")) ==
        concat("pkg:generic/six%2B", at, "?vcs_url=git%2Bhttps://stand-in.invalid/a/six%2B.git%40", commit.hex()));
  CHECK(package_url(of("https://github.com.evil.example/a/b")).starts_with("pkg:generic/b@"));
  CHECK(source_location(of("git://example.org/x")) == "git://example.org/x" + at);
}

TEST_CASE("document_uuid: is version 5 of the RFC") {
  std::set<char> variants;
  for (int i = 0; i < 64; ++i) {
    const std::string uuid = document_uuid(sha256(concat(i)));
    REQUIRE(uuid.size() == 36);
    CHECK(uuid[14] == '5');
    variants.insert(uuid[19]);
  }
  CHECK(variants == std::set<char>{'8', '9', 'a', 'b'});
}

TEST_CASE("utc_time: is ISO 8601 with a Z") {
  CHECK(utc_time(0) == "1970-01-01T00:00:00Z");
  CHECK(utc_time(1556653113) == "2019-04-30T19:38:33Z");
  CHECK(utc_time(253402300799) == "9999-12-31T23:59:59Z");
}
