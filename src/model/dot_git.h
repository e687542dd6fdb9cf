// SPDX-License-Identifier: BSD-3-Clause
/// Which names some file system takes for git's own: letter case, NTFS short names, streams and trailing dots, HFS+
/// code points without meaning. As git's verify_path does with core.protectNTFS and core.protectHFS both on (its
/// path.c and utf8.c); a tree that is prepared on Linux may be copied anywhere.
#pragma once

#include <string_view>

namespace torchpatch {

/// Returns whether a path component, or what follows a backslash in it, can name ".git".
bool reads_as_dot_git(std::string_view component);

/// The files that git reads its settings from; as symbolic links they are refused.
enum class SettingsFile { gitmodules, gitattributes };

/// Returns whether a path component can name that file.
bool reads_as_settings_file(std::string_view component, SettingsFile file);

}  // namespace torchpatch
