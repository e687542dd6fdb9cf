// SPDX-License-Identifier: BSD-3-Clause
/// Headers of a canonical tar: ustar, and pax (POSIX.1-2017 §4.12, "pax Interchange Format") only for what ustar cannot
/// hold. Owner and group are 0 without names; modes 0644, and 0755 for executables and directories; one time for all.
///
/// Written here rather than by libarchive: its bytes depend on the locale (3.6.2 gives a name that is not ASCII a pax
/// header in the C locale and none in a UTF-8 one, though ustar holds its bytes), so two machines would not agree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace torchpatch::archive {

struct TarMember {
  enum class Type { file, executable, link, directory };
  std::string path;  ///< relative, without a slash at its end
  Type type = Type::file;
  std::uint64_t size = 0;  ///< of a file, bytes
  std::string target{};    ///< of a link
};

/// Returns the blocks that stand before the member's content; `mtime` in seconds since 1970, not negative. What does
/// not fit into ustar's fields (a path that cannot be split at a slash into 155 and 100 bytes, a target over 100 bytes,
/// 8 GiB or more, a time after 2242) goes into a pax header before it.
std::string tar_header(const TarMember& member, std::int64_t mtime);

/// What a block of 512 bytes says, as the header of a member.
struct TarBlock {
  std::string path;
  char type = '0';  ///< '0' a file, '1' and '2' links, '5' a directory, 'x' a pax header, …
  std::uint64_t size = 0;
  std::int64_t mtime = 0;
};

/// Returns what a header block says, or nothing where it has no ustar magic or its numbers are none. Nothing else is
/// checked: who wants to know whether tar_header() made it compares the bytes.
std::optional<TarBlock> parse_tar_block(std::string_view block);

/// Returns the zeros that stand after `size` bytes of content.
std::string tar_padding(std::uint64_t size);

/// Returns what ends an archive after `written` bytes of members: two blocks of zeros, filled up to a record of 20.
std::string tar_end(std::uint64_t written);

}  // namespace torchpatch::archive
