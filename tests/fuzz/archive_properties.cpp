// SPDX-License-Identifier: BSD-3-Clause
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "archive/read_archive.h"
#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "fuzz/slow_path_rule.h"
#include "model/path_rule.h"

namespace torchpatch::fuzz {
namespace {

using archive::Member;
using archive::MemberType;

constexpr archive::ReadLimits kLimits{.members = 500,
                                      .path_bytes = 64 << 10,
                                      .member_bytes = 1 << 20,
                                      .total_bytes = 4 << 20,
                                      .ratio = 200,
                                      .ratio_from = 2 << 20};

using Contents = std::vector<std::pair<std::string, std::string>>;  ///< paths and bytes, in order

/// What has come so far.
class Sink {
 public:
  const Contents& contents() const { return contents_; }

  void take(const Member& member) {
    require(!output_path_problem(member.path), "each path passes the rule");
    require(may_be_in_output(member.path), "and the obvious rule");
    const auto [place, is_new] = seen_.try_emplace(member.path, member.type);
    require(is_new || place->second == MemberType::directory, "no path stands twice");
    require(++members_ <= kLimits.members, "there are no more members than allowed");
    require(member.bytes.size() <= kLimits.member_bytes, "no member is larger than allowed");
    require((bytes_ += member.bytes.size()) <= kLimits.total_bytes, "all together are no larger than allowed");
    contents_.emplace_back(member.path, member.bytes);
    if (member.type == MemberType::hard_link) check_hard_link(member);
  }

 private:
  void check_hard_link(const Member& member) const {
    const auto earlier = seen_.find(member.bytes);
    require(earlier != seen_.end() && member.bytes != member.path, "a hard link names an earlier member");
    require(earlier->second == MemberType::file || earlier->second == MemberType::executable, "which is a file");
  }

  std::map<std::string, MemberType> seen_;
  Contents contents_;
  std::uint64_t members_ = 0, bytes_ = 0;
};

/// What a program reads that goes by the headers before the members of a zip alone: libarchive of a stream. It leaves
/// out names that it cannot convert.
Contents contents_by_headers(std::string_view bytes) {
  const std::unique_ptr<::archive, int (*)(::archive*)> reader(archive_read_new(), archive_read_free);
  archive_read_support_format_zip_streamable(reader.get());
  require(archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) == ARCHIVE_OK, "it is opened");
  Contents contents;
  archive_entry* entry = nullptr;
  std::string buffer(kLimits.member_bytes, '\0');
  while (archive_read_next_header(reader.get(), &entry) != ARCHIVE_EOF) {
    const char* const name = archive_entry_pathname(entry);
    std::string path = name ? name : "";
    if (path.size() > 1 && path.back() == '/') path.pop_back();
    const la_ssize_t size = archive_read_data(reader.get(), buffer.data(), buffer.size());
    require(size >= 0, "a member can be read by its header");
    contents.emplace_back(path, buffer.substr(0, static_cast<std::size_t>(size)));
  }
  return contents;
}

void check_zip(std::string_view bytes, const Contents& contents) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  Contents by_headers = contents_by_headers(bytes);
  require(contents.size() == by_headers.size(), "headers and central directory have as many members");
  for (std::size_t i = 0; i < contents.size(); ++i) {
    if (!std::ranges::all_of(contents[i].first, is_ascii)) by_headers[i].first = contents[i].first;
    require(contents[i] == by_headers[i], "a member is the same by its header");
  }
}

}  // namespace

void check_archive(std::string_view bytes) {
  Sink sink;
  attempt([&] {
    const archive::ArchiveFacts facts =
        archive::read_archive({bytes, "fuzz"}, kLimits, [&](Member&& member) { sink.take(member); });
    require(!facts.format.empty(), "an archive that is read has a format");
    if (facts.format == "zip") check_zip(bytes, sink.contents());
    return 0;
  });
}

}  // namespace torchpatch::fuzz
