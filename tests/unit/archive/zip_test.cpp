// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <string>

#include "archive/read_archive.h"
#include "archive/write_zip.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/error.h"

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

TEST_CASE("ZipWriter: what it writes is read to the same by libarchive") {
  const std::map<std::string, std::string> files = {{"a/empty", ""},
                                                    {"a/text", "hello"},
                                                    {"b", std::string(100'000, 'x') + "y"},
                                                    {"run", "#!/bin/sh\n"},
                                                    {"\xC3\xA9", "named in UTF-8"}};
  std::map<std::string, std::string> read;
  std::map<std::string, MemberType> types;
  const ArchiveFacts facts = read_archive(zip_of(files), "test.zip", {}, [&](Member&& member) {
    types[member.path] = member.type;
    read[member.path] = member.bytes;
  });
  CHECK(facts.format == "zip");
  CHECK(read == files);
  CHECK(types["run"] == MemberType::executable);
  CHECK(types["b"] == MemberType::file);
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
  CHECK_THROWS_WITH(add_many(), "writing 'test.zip': '65534' is too large, or one too many");
}
