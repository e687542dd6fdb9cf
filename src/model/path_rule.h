// SPDX-License-Identifier: BSD-3-Clause
/// The one path-and-mode rule: what may stand in a tree, a patch, an archive or a manifest (design §8, reliability A, C).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace torchpatch {

/// The five modes that git knows and torchpatch writes.
enum class FileMode : std::uint32_t {
  directory = 0040000,
  regular = 0100644,
  executable = 0100755,
  link = 0120000,
  gitlink = 0160000,
};

/// Returns the mode that git's octal text means: exactly 40000 (or 040000), 100644, 100664 (kept as 100644), 100755,
/// 120000, 160000. Nothing for any other (setuid bits and made-up types are refused).
std::optional<FileMode> parse_file_mode(std::string_view octal);
/// Returns git's text in a tree object: "40000", "100644", "100755", "120000", "160000".
const char* file_mode_text(FileMode mode);

/// Returns why a path must not be written or looked up, or nothing where it is fine: empty, absolute, empty or "." or
/// ".." component, component over 255 bytes or path over 4096, NUL or CR, anything that git, NTFS or HFS+ reads as ".git" (CVE-2014-9390,
/// CVE-2019-1352, CVE-2019-1353, HFS+ ignorables), deeper than 512 components.
std::optional<std::string> path_problem(std::string_view path);
/// The same for one component of a path.
std::optional<std::string> component_problem(std::string_view name);

/// The stricter rule for what is written into OUT: path_problem, and no control bytes, and valid UTF-8
/// (SHA256SUMS and JSON carry every path).
std::optional<std::string> output_path_problem(std::string_view path);

/// Returns why a symbolic link at `path` (relative to the root of the output) with `target` is refused, or nothing: the target must be
/// relative, not empty, free of NUL, at most 4095 bytes, stay inside the component directory (the first component of `path`), and not reach
/// into a ".git".
std::optional<std::string> link_problem(std::string_view path, std::string_view target);

}  // namespace torchpatch
