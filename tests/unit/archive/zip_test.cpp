// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <string>

#include "archive/read_archive.h"
#include "archive/write_archive.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/error.h"
#include "unit/git/raises.h"

using namespace torchpatch;
using namespace torchpatch::archive;

namespace {

std::string zip_of(const std::map<std::string, std::string>& files) {
  std::string bytes;
  ZipWriter zip([&](std::string_view more) { bytes += more; }, "test.zip");
  for (const auto& [path, content] : files) zip.add(path, content, path == "run");
  zip.finish();
  return bytes;
}

}  // namespace

TEST_CASE("ZipWriter: what it writes is read to the same") {
  const std::map<std::string, std::string> files = {{"a/empty", ""},
                                                    {"a/text", "hello"},
                                                    {"b", std::string(100'000, 'x') + "y"},
                                                    {"run", "#!/bin/sh\n"},
                                                    {"\xC3\xA9", "named in UTF-8"}};
  const std::string bytes = zip_of(files);
  std::map<std::string, std::string> read;
  std::map<std::string, MemberType> types;
  const ArchiveFacts facts = read_zip({bytes, "test.zip"}, {}, [&](Member&& member) {
    types[member.path] = member.type;
    read[member.path] = member.bytes;
  });
  CHECK(facts.format == "zip");
  CHECK(read == files);
  CHECK(types["run"] == MemberType::executable);
  CHECK(types["b"] == MemberType::file);
}

TEST_CASE("read_zip: gives the commit that git archive wrote, and nothing for another comment") {
  const std::string commit(40, 'a'), bytes = zip_of({{"a", "x"}});
  const auto commit_of = [&](const std::string& comment) {
    const std::string size(1, static_cast<char>(comment.size()));
    const std::string commented = bytes.substr(0, bytes.size() - 2) + size + std::string(1, '\0') + comment;
    return read_zip({commented, "test.zip"}, {}, [](Member&&) {}).commit;
  };
  CHECK(commit_of(commit) == commit);
  CHECK(commit_of(std::string(40, 'x')).empty());
}

// What it refuses of the format is in tests/wheels/zips.py.
TEST_CASE("read_zip: keeps its limits") {
  const std::string bytes = zip_of({{"a", std::string(1000, 'a')}, {"b", std::string(1000, 'b')}});
  const auto refusal = [&](auto change) {
    ReadLimits limits;
    change(limits);
    return test::message_of(ErrorKind::unsafe, [&] { read_zip({bytes, "test.zip"}, limits, [](Member&&) {}); });
  };
  CHECK(refusal([](ReadLimits& limits) { limits.members = 1; }) ==
        "reading the archive 'test.zip': it has more than 1 members");
  CHECK(refusal([](ReadLimits& limits) { limits.path_bytes = 1; }) ==
        "reading the archive 'test.zip': its paths have more than 1 bytes");
  CHECK(refusal([](ReadLimits& limits) { limits.member_bytes = 999; }) ==
        "reading the archive 'test.zip': the member 'a' is larger than 0 MiB");
  CHECK(refusal([](ReadLimits& limits) { limits.total_bytes = 2500; }) ==
        "reading the archive 'test.zip': it contains more than 0 GiB");
  CHECK(refusal([](ReadLimits& limits) {
          limits.ratio_from = 2000;
          limits.ratio = 5;
        }) == "reading the archive 'test.zip': it expands to more than 5 times its size");
}

TEST_CASE("ZipWriter: writes no time and nothing of the run") {
  // Deflate of nothing is 03 00 in every zlib.
  CHECK(sha256(zip_of({{"a", ""}})).hex() == "a32855a76ecf410f4e5f629aaaa63993cf8fcacff952b970af2e46ea1858cd44");
}

TEST_CASE("ZipWriter: refuses more members than the format counts") {
  ZipWriter zip([](std::string_view) {}, "test.zip");
  const auto add_many = [&] {
    for (int i = 0; i < 65'535; ++i) zip.add(std::to_string(i), "", false);
  };
  CHECK_THROWS_WITH(add_many(), "writing 'test.zip': '65534' is too large, or there are too many files");
}
