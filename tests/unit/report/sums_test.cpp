// SPDX-License-Identifier: BSD-3-Clause
#include "record/manifest_file.h"

#include "support/catch.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/program.h"

namespace torchpatch::report {

using namespace record;
namespace {

const std::string kHash = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";  // of "x"

/// Returns "data: <message>" or "unsafe: <message>".
std::string sums_refusal(const std::string& bytes) {
  try {
    parse_sums(bytes, "SUMS");
  } catch (const Error& error) {
    return (error.kind() == ErrorKind::data ? "data: " : "unsafe: ") + error.message();
  }
  return "none";
}

TEST_CASE("sums_text: writes what parse_sums reads, in bytewise order") {
  const Sums sums = {{"pytorch/b", sha256("b")}, {"pytorch/a b", sha256("x")}, {"pytorch/Z\\n", sha256("")}};
  const std::string text = sums_text(sums);
  CHECK(text == "\\e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  pytorch/Z\\\\n\n" + kHash +
                    "  pytorch/a b\n3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d  pytorch/b\n");
  CHECK(parse_sums(text, "SUMS") == sums);
  CHECK(parse_sums("", "SUMS").empty());
}

TEST_CASE("sums_text: sha256sum -c accepts it, whatever the names") {
  const TempDir temp;
  Sums sums;
  for (const std::string name : {"a b", "-c", "*star", "back\\slash", "\\lead", "quote'\"", "$HOME `x`", "\xC3\xA9"}) {
    write_file_atomically(temp.path() + "/" + name, name);
    sums[name] = sha256(name);
  }
  write_file_atomically(temp.path() + "/SUMS", sums_text(sums));
  const ProgramResult result = run_program({{"sha256sum", "-c", "--strict", "SUMS"}, {}, temp.path(), {}});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
}

TEST_CASE("sums_text: refuses a path that would break its line") {
  CHECK_THROWS_AS(sums_text({{"pytorch/a\nb", sha256("x")}}), Error);
  CHECK_THROWS_AS(sums_text({{"../a", sha256("x")}}), Error);
}

TEST_CASE("parse_sums: refuses every other form, with the line") {
  const std::string form = "not '<64 lower-case hex digits>  <path>'";
  CHECK(sums_refusal(kHash + "  a") == "data: SUMS:1: the file is truncated: no newline at the end");
  CHECK(sums_refusal(kHash + "  a\n\n") == "data: SUMS:2: " + form);
  CHECK(sums_refusal(kHash + " *a\n") == "data: SUMS:1: " + form);
  CHECK(sums_refusal(kHash + "  \n") == "data: SUMS:1: " + form);
  CHECK(sums_refusal("A" + kHash.substr(1) + "  a\n") == "data: SUMS:1: " + form);
  CHECK(sums_refusal(kHash + "  a\\\\b\n") == "data: SUMS:1: " + form);
  CHECK(sums_refusal("\\" + kHash + "  a\\b\n") == "data: SUMS:1: " + form);
  CHECK(sums_refusal("\\" + kHash + "  ab\n") == "data: SUMS:1: " + form);
  CHECK(sums_refusal(kHash + "  b\n" + kHash + "  a\n") ==
        "data: SUMS:2: 'a' is listed twice or out of bytewise order");
  CHECK(sums_refusal(kHash + "  a\n" + kHash + "  a\n") ==
        "data: SUMS:2: 'a' is listed twice or out of bytewise order");
}

TEST_CASE("parse_sums: refuses paths that leave the tree") {
  CHECK(sums_refusal(kHash + "  /etc/passwd\n") == "unsafe: SUMS:1: path '/etc/passwd' is absolute");
  CHECK(sums_refusal(kHash + "  a/../../b\n") == "unsafe: SUMS:1: path 'a/../../b' has a component that is '..'");
  CHECK(sums_refusal(kHash + "  a\rb\n").substr(0, 7) == "unsafe:");
}

}  // namespace
}  // namespace torchpatch::report
