// SPDX-License-Identifier: BSD-3-Clause
/// Paths and modes allowed in a tree, a patch, an archive or a manifest (path_problem, link_problem, FileMode).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/fields.h"

namespace torchpatch {

// Names that some file system treats as git's own: by case, NTFS short names, streams and trailing dots, or code points
// that HFS+ ignores. The rules are those of git's verify_path with core.protectNTFS and core.protectHFS on (path.c,
// utf8.c): a tree prepared on Linux may be copied anywhere.

/// Returns whether a path component, or the part after a backslash in it, can refer to ".git".
bool reads_as_dot_git(std::string_view component);

/// Returns whether a path component can refer to ".gitmodules".
bool reads_as_gitmodules(std::string_view component);

// The rule for paths and modes in trees, patches, archives and manifests.

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

/// Parses git's octal mode: 40000 (or 040000), 100644, 100664 (returned as 100644), 100755, 120000 or 160000. Returns
/// nothing for any other (setuid bits and invented types are refused).
std::optional<FileMode> parse_file_mode(std::string_view octal);

/// Returns why a path must not be written or looked up, as the end of a sentence that begins with the path ("is
/// absolute"), or nothing if it is allowed. Refused: empty and absolute paths; empty, "." and ".." components;
/// components over 255 bytes, paths over 4096 bytes or 512 components; NUL and CR (CVE-2025-48384); and whatever git,
/// NTFS or HFS+ read as ".git" (CVE-2014-9390, CVE-2019-1352, CVE-2019-1353).
std::optional<std::string> path_problem(std::string_view path);
/// The same for a single component, in which a slash is refused too.
std::optional<std::string> component_problem(std::string_view name);

/// The stricter rule for what is written into OUT: as path_problem, but also no control bytes and only valid UTF-8,
/// since SHA256SUMS and JSON contain every path.
std::optional<std::string> output_path_problem(std::string_view path);

/// Returns why a symbolic link must not have this name, or nothing. As in git, links that can be read as .gitmodules or
/// .gitattributes are refused (CVE-2018-11235; t7450).
std::optional<std::string> link_name_problem(std::string_view path);

/// Returns why a symbolic link at `path` (relative to OUT, in a component's directory) with `target` is refused, or
/// nothing. Besides link_name_problem: the target must be relative, not empty, at most 4095 bytes of UTF-8 without
/// control bytes, stay inside the component's directory, have ".." only at the start, and not lead into a ".git".
std::optional<std::string> link_problem(std::string_view path, std::string_view target);
/// The same, with the path judged by output_path_problem.
std::optional<std::string> output_link_problem(std::string_view path, std::string_view target);

}  // namespace torchpatch
