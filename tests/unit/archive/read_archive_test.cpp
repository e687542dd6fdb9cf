// SPDX-License-Identifier: BSD-3-Clause
#include "archive/read_archive.h"

#include <map>

#include "archive/write_archive.h"
#include "support/catch.h"
#include "support/text.h"
#include "unit/git/raises.h"

using namespace torchpatch;
using namespace torchpatch::archive;

namespace {

using Type = TarMember::Type;

std::string member(const std::string& path, const std::string& bytes, Type type = Type::file) {
  return tar_header({path, type, bytes.size()}, 0) + bytes + tar_padding(bytes.size());
}

std::string link(const std::string& path, const std::string& target) {
  return tar_header({path, Type::link, 0, target}, 0);
}

/// A tar of three kinds of members.
std::string sound_tar() {
  const std::string members = tar_header({"h", Type::directory}, 0) + member("h/a", "fine\n") +
                              member("h/run", "#!\n", Type::executable) + link("h/l", "a");
  return members + tar_end(members.size());
}

std::string gzip(const std::string& bytes) {
  std::string out;
  const auto compressor = make_compressor(
      Compression::gzip, [&](std::string_view part) { out += part; }, 1);
  compressor->write(bytes);
  compressor->finish();
  return out;
}

struct Read {
  ArchiveFacts facts;
  std::map<std::string, Member> members;
};

Read read(std::string_view bytes, const ReadLimits& limits = {}) {
  Read result;
  result.facts = read_archive({bytes, "h.tar"}, limits, [&](Member&& each) { result.members[each.path] = each; });
  return result;
}

std::string refusal(std::string_view bytes, ErrorKind kind, const ReadLimits& limits = {}) {
  return test::message_of(kind, [&] { read(bytes, limits); });
}

}  // namespace

TEST_CASE("read_archive: gives members as values, and what they are", "[archive]") {
  for (const std::string& bytes : {sound_tar(), gzip(sound_tar())}) {
    const Read result = read(bytes);
    CHECK(result.facts.format == (bytes == sound_tar() ? "tar" : "tar.gz"));
    CHECK(result.facts.commit.empty());
    REQUIRE(result.members.size() == 4);
    CHECK(result.members.at("h").type == MemberType::directory);
    CHECK(result.members.at("h/a").type == MemberType::file);
    CHECK(result.members.at("h/a").bytes == "fine\n");
    CHECK(result.members.at("h/run").type == MemberType::executable);
    CHECK(result.members.at("h/l").type == MemberType::link);
    CHECK(result.members.at("h/l").bytes == "a");
  }
}

TEST_CASE("read_archive: takes './' off names", "[archive]") {
  CHECK(read(tar_header({".", Type::directory}, 0) + member("./h/a", "x")).members.count("h/a") == 1);
}

TEST_CASE("read_archive: a tar that is cut anywhere is damaged, or gives members it had", "[archive]") {
  const std::string whole = sound_tar();
  const auto expected = read(whole).members;
  for (std::size_t size = 0; size < whole.size(); size += 64) {
    CAPTURE(size);
    try {
      for (const auto& [path, got] : read(std::string_view(whole).substr(0, size)).members)
        CHECK(got.bytes == expected.at(path).bytes);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::source);
      CHECK(starts_with(error.message(), "reading the archive 'h.tar': "));
    }
  }
}

TEST_CASE("read_archive: refuses what the path rule refuses, without a path of its own", "[archive]") {
  CHECK(refusal(member("../x", "x"), ErrorKind::unsafe) ==
        "reading the archive 'h.tar': the member '../x' has a component that is '..'");
  CHECK(refusal(member("/x", "x"), ErrorKind::unsafe) == "reading the archive 'h.tar': the member '/x' is absolute");
  CHECK(refusal(member("h/.git/config", "x"), ErrorKind::unsafe) ==
        "reading the archive 'h.tar': the member 'h/.git/config' has a component that can be read as '.git'");
  CHECK(refusal(member("h/a", "x") + member("h/a", "y"), ErrorKind::unsafe) ==
        "reading the archive 'h.tar': the member 'h/a' occurs twice");
}

TEST_CASE("read_archive: says what is no archive", "[archive]") {
  CHECK(starts_with(refusal("hello", ErrorKind::source), "reading the archive 'h.tar': it is neither a tar nor a zip"));
  CHECK(refusal(tar_header({"h", Type::directory}, 0), ErrorKind::source) ==
        "reading the archive 'h.tar': it has no files");
  CHECK(refusal(gzip(gzip(sound_tar())), ErrorKind::unsafe) ==
        "reading the archive 'h.tar': it is compressed more than once");
}

TEST_CASE("read_archive: keeps its limits", "[archive]") {
  const std::string tar = member("h/a", std::string(1000, 'a')) + member("h/b", std::string(1000, 'b'));
  const auto with = [](auto change) {
    ReadLimits limits;
    change(limits);
    return limits;
  };
  const auto refused = [&](auto change) { return refusal(tar, ErrorKind::unsafe, with(change)); };
  CHECK(read(tar, with([](ReadLimits& limits) { limits.members = 2; })).members.size() == 2);
  CHECK(refused([](ReadLimits& limits) { limits.members = 1; }) ==
        "reading the archive 'h.tar': it has more than 1 members");
  CHECK(refused([](ReadLimits& limits) { limits.path_bytes = 5; }) ==
        "reading the archive 'h.tar': its paths have more than 5 bytes");
  CHECK(refused([](ReadLimits& limits) { limits.member_bytes = 999; }) ==
        "reading the archive 'h.tar': the member 'h/a' is larger than 0 MiB");
  CHECK(refused([](ReadLimits& limits) { limits.total_bytes = 2500; }) ==
        "reading the archive 'h.tar': it contains more than 0 GiB");
  ReadLimits tight;
  tight.ratio_from = 64 << 10;
  CHECK(refusal(gzip(member("h/a", std::string(1 << 20, '\0'))), ErrorKind::unsafe, tight) ==
        "reading the archive 'h.tar': it expands to more than 200 times its size");
}
