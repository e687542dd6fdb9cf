// SPDX-License-Identifier: BSD-3-Clause
#include <map>

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

/// What has come so far.
class Sink {
 public:
  void take(const Member& member) {
    require(!output_path_problem(member.path), "each path passes the rule");
    require(may_be_in_output(member.path), "and the obvious rule");
    const auto [place, is_new] = seen_.try_emplace(member.path, member.type);
    require(is_new || place->second == MemberType::directory, "no path stands twice");
    require(++members_ <= kLimits.members, "there are no more members than allowed");
    require(member.bytes.size() <= kLimits.member_bytes, "no member is larger than allowed");
    require((bytes_ += member.bytes.size()) <= kLimits.total_bytes, "all together are no larger than allowed");
    if (member.type == MemberType::hard_link) check_hard_link(member);
  }

 private:
  void check_hard_link(const Member& member) const {
    const auto earlier = seen_.find(member.bytes);
    require(earlier != seen_.end() && member.bytes != member.path, "a hard link names an earlier member");
    require(earlier->second == MemberType::file || earlier->second == MemberType::executable, "which is a file");
  }

  std::map<std::string, MemberType> seen_;
  std::uint64_t members_ = 0, bytes_ = 0;
};

}  // namespace

void check_archive(std::string_view bytes) {
  Sink sink;
  attempt([&] {
    const archive::ArchiveFacts facts =
        archive::read_archive(bytes, "fuzz", kLimits, [&](Member&& member) { sink.take(member); });
    require(!facts.format.empty(), "an archive that is read has a format");
    return 0;
  });
}

}  // namespace torchpatch::fuzz
