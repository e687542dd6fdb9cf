// SPDX-License-Identifier: BSD-3-Clause
/// Which paths and modes may stand in a tree, a patch, an archive or a manifest (path_problem, link_problem, FileMode).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/fields.h"

namespace torchpatch {

// Which names some file system takes for git's own: letter case, NTFS short names, streams and trailing dots, HFS+ code
// points without meaning. As git's verify_path does with core.protectNTFS and core.protectHFS both on (its path.c and
// utf8.c); a tree that is prepared on Linux may be copied anywhere.

/// Returns whether a path component, or what follows a backslash in it, can name ".git".
bool reads_as_dot_git(std::string_view component);

/// Returns whether a path component can name ".gitmodules".
bool reads_as_gitmodules(std::string_view component);

// The one path-and-mode rule: what may stand in a tree, a patch, an archive or a manifest.

/// The five modes that git knows and torchpatch writes.
enum class FileMode : std::uint32_t {
  directory = 0040000,
  regular = 0100644,
  executable = 0100755,
  link = 0120000,
  gitlink = 0160000,
};

NAMES(FileMode, (directory, "40000"), (regular, "100644"), (executable, "100755"), (link, "120000"),
      (gitlink, "160000"))

/// Returns the mode that git's octal text means: exactly 40000 (or 040000), 100644, 100664 (kept as 100644), 100755,
/// 120000, 160000. Nothing for any other (setuid bits and made-up types are refused).
std::optional<FileMode> parse_file_mode(std::string_view octal);

/// Returns why a path must not be written or looked up, as the end of a sentence that begins with the path ("is
/// absolute"), or nothing where it is fine. Refused are: empty and absolute paths; empty, "." and ".." components;
/// components over 255 bytes, paths over 4096 and deeper than 512 components; NUL and CR (CVE-2025-48384); and whatever
/// git, NTFS or HFS+ read as ".git" (CVE-2014-9390, CVE-2019-1352, CVE-2019-1353).
std::optional<std::string> path_problem(std::string_view path);
/// The same for one component of a path, in which a slash is refused too.
std::optional<std::string> component_problem(std::string_view name);

/// The stricter rule for what is written into OUT: path_problem, and no control bytes, and valid UTF-8
/// (SHA256SUMS and JSON carry every path).
std::optional<std::string> output_path_problem(std::string_view path);

/// Returns why no symbolic link may be called so, or nothing: git refuses links that it can read as .gitmodules or
/// .gitattributes (CVE-2018-11235; t7450).
std::optional<std::string> link_name_problem(std::string_view path);

/// Returns why a symbolic link at `path` (relative to the root of OUT, below a component's directory) with `target` is
/// refused, or nothing. link_name_problem; and the target must be relative, not empty, at most 4095 bytes of UTF-8
/// without control bytes, stay inside the component's directory, have ".." only in front, and not reach into a ".git".
std::optional<std::string> link_problem(std::string_view path, std::string_view target);
/// The same, and for the path what output_path_problem says.
std::optional<std::string> output_link_problem(std::string_view path, std::string_view target);

}  // namespace torchpatch
