// SPDX-License-Identifier: BSD-3-Clause
#include "archive/write_archive.h"

#include "support/catch.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::archive {
namespace {

constexpr std::int64_t kTime = 1556653215;
using Type = TarMember::Type;

std::string archive_of(const std::vector<TarMember>& members, std::int64_t time = kTime) {
  std::string bytes;
  for (const TarMember& member : members)
    bytes += tar_header(member, time) + std::string(member.size, 'x') + tar_padding(member.size);
  return bytes + tar_end(bytes.size());
}

/// What a program says of an archive that lies in its working directory as "a.tar"; empty text where it is not there.
std::string listing(const std::string& bytes, std::vector<std::string> argv) {
  const TempDir directory;
  write_file_atomically(directory.path() + "/a.tar", bytes);
  if (find_program(argv[0]).empty()) return {};
  ProgramRun run;
  run.argv = std::move(argv);
  run.environment = {{"LC_ALL", "C.UTF-8"}, {"TZ", "UTC"}, {"HOME", directory.path()}, {"PATH", "/usr/bin:/bin"}};
  run.directory = directory.path();
  const ProgramResult result = run_program(run);
  CHECK(result.err == "");
  CHECK(result.exit_code == 0);
  return result.out;
}

std::string gnu_listing(const std::string& bytes) {
  return listing(bytes, {"tar", "tvf", "a.tar", "--full-time", "--numeric-owner", "--quoting-style=literal"});
}

}  // namespace

TEST_CASE("tar_header: a file, byte by byte") {
  const std::string header = tar_header({"top/a", Type::file, 5}, kTime);
  REQUIRE(header.size() == 512);
  std::string wanted(512, '\0');
  wanted.replace(0, 5, "top/a");
  wanted.replace(100, 24,
                 std::string("0000644\0"
                             "0000000\0"
                             "0000000\0",
                             24));
  wanted.replace(124, 24,
                 std::string("00000000005\0"
                             "13462122237\0",
                             24));
  wanted[156] = '0';
  wanted.replace(257, 8,
                 std::string("ustar\0"
                             "00",
                             8));
  wanted.replace(329, 16,
                 std::string("0000000\0"
                             "0000000\0",
                             16));
  // The sum is checked by every tar that reads it.
  wanted.replace(148, 8, header.substr(148, 8));
  CHECK(header == wanted);
}

TEST_CASE("tar_header: what other programs read is what was written") {
  const std::string bytes = archive_of({{"top", Type::directory},
                                        {"top/a b", Type::file, 513},
                                        {"top/run.sh", Type::executable, 512},
                                        {"top/l", Type::link, 0, "a b"},
                                        {"top/\xc3\xbc", Type::file, 0}});
  CHECK(bytes.size() % 10240 == 0);
  CHECK(gnu_listing(bytes) ==
        "drwxr-xr-x 0/0               0 2019-04-30 19:40:15 top/\n"
        "-rw-r--r-- 0/0             513 2019-04-30 19:40:15 top/a b\n"
        "-rwxr-xr-x 0/0             512 2019-04-30 19:40:15 top/run.sh\n"
        "lrwxrwxrwx 0/0               0 2019-04-30 19:40:15 top/l -> a b\n"
        "-rw-r--r-- 0/0               0 2019-04-30 19:40:15 top/\xc3\xbc\n");
}

TEST_CASE("tar_header: paths of every length come out as they went in, in ustar alone as far as that goes") {
  std::vector<TarMember> members;
  std::string names;
  for (std::size_t size = 1; size <= 300; ++size) {
    // One component, two, and many.
    for (const std::size_t component : {300u, 120u, 20u}) {
      std::string path;
      while (path.size() < size) path += (path.size() + 1) % component == 0 && path.size() + 1 < size ? '/' : 'n';
      for (const Type type : {Type::file, Type::directory}) {
        members.push_back({path, type});
        names += path + (type == Type::directory ? "/\n" : "\n");
        const bool is_ustar = tar_header(members.back(), kTime).size() == 512;
        if (size <= 99) CHECK(is_ustar);
        if (size > 256) CHECK_FALSE(is_ustar);
      }
    }
  }
  const std::string bytes = archive_of(members);
  for (const std::vector<std::string>& argv :
       std::vector<std::vector<std::string>>{{"tar", "tf", "a.tar"},
                                             {"bsdtar", "tf", "a.tar"},
                                             {"python3", "-c",
                                              "import tarfile\nfor m in tarfile.open('a.tar'):\n"
                                              "  print(m.name + ('/' if m.isdir() else ''))"}}) {
    CAPTURE(argv[0]);
    const std::string listed = listing(bytes, argv);
    CHECK((listed == names || listed.empty()));
  }
}

TEST_CASE("tar_header: pax only for what ustar cannot hold") {
  const std::string target(101, 't');
  CHECK(tar_header({"l", Type::link, 0, target.substr(1)}, kTime).size() == 512);
  CHECK(tar_header({"l", Type::link, 0, target}, kTime).substr(512, 115) == "115 linkpath=" + target + "\n");
  CHECK(gnu_listing(archive_of({{"l", Type::link, 0, target}})) ==
        "lrwxrwxrwx 0/0               0 2019-04-30 19:40:15 l -> " + target + "\n");

  CHECK(tar_header({"f", Type::file, (8ull << 30) - 1}, kTime).size() == 512);
  CHECK(tar_header({"f", Type::file, 8ull << 30}, kTime).substr(512, 19) == "19 size=8589934592\n");
  CHECK(tar_header({"f"}, 8589934591).size() == 512);
  CHECK(tar_header({"f"}, 8589934592).substr(512, 20) == "20 mtime=8589934592\n");
  CHECK(gnu_listing(archive_of({{"f"}}, 8589934592)) == "-rw-r--r-- 0/0               0 2242-03-16 12:56:32 f\n");
}

TEST_CASE("tar_end: two blocks of zeros, and whole records") {
  CHECK(tar_end(0).size() == 10240);
  CHECK(tar_end(10240 - 1024).size() == 1024);
  CHECK(tar_end(10240 - 512).size() == 512 + 10240);
  CHECK(tar_padding(0).empty());
  CHECK(tar_padding(1).size() == 511);
  CHECK(tar_padding(512).empty());
}

}  // namespace torchpatch::archive
