// SPDX-License-Identifier: BSD-3-Clause
/// Reads release archives that nobody vouches for: tar (plain, gzip, xz, bzip2, zstd) and zip, with libarchive. Members
/// come as values, in the archive's order; nothing is ever extracted. Only ever used inside a worker process
/// (support/worker_pool.h), for it trusts a library with foreign bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace torchpatch::archive {

enum class MemberType { file, executable, link, directory, hard_link };

struct Member {
  std::string path;  ///< passes output_path_problem; without "./" in front and "/" at its end
  MemberType type = MemberType::file;
  std::string bytes{};  ///< content of a file; target of a link; of a hard link the path of an earlier member
};

struct ReadLimits {
  std::uint64_t members = 1'000'000;          ///< directories included
  std::uint64_t path_bytes = 64ull << 20;     ///< of all paths and targets together
  std::uint64_t member_bytes = 256ull << 20;  ///< git::kMaxObjectBytes
  std::uint64_t total_bytes = 8ull << 30;     ///< of all contents together, a block of 512 counted for each member
  std::uint64_t ratio = 200;                  ///< contents to compressed bytes, once `ratio_from` bytes have come
  std::uint64_t ratio_from = 64ull << 20;
};

struct ArchiveFacts {
  std::string format;  ///< "tar", "tar.gz", "tar.xz", "tar.bz2", "tar.zst" or "zip"
  std::string commit;  ///< that `git archive` says it was made of: 40 hex digits, or empty. Nothing is decided by it
};

using MemberSink = std::function<void(Member&& member)>;

/// Reads all members of an open regular file. Raises source where it is no archive, damaged, encrypted or has no
/// member; unsafe where the path-and-mode rule refuses a member (its path, a hard link to anything but an earlier path
/// by that rule, a device, a FIFO), where a path stands twice (unless as a directory), or a limit is exceeded. `name`
/// is for messages. Members cut off at the end of a tar are not noticed here: that is what ids are for.
ArchiveFacts read_archive(int file, const std::string& name, const ReadLimits& limits, const MemberSink& sink);
/// The same for bytes.
ArchiveFacts read_archive(std::string_view bytes, const std::string& name, const ReadLimits& limits,
                          const MemberSink& sink);

}  // namespace torchpatch::archive
