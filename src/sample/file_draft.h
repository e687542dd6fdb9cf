// SPDX-License-Identifier: BSD-3-Clause
/// Files as the patches expect them: the lines that must stand somewhere, and filler for the rest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/path_rule.h"
#include "patch/patch_file.h"

namespace torchpatch::sample {

struct FileDraft {
  FileMode mode = FileMode::regular;
  std::optional<std::string> content;          ///< all of it, where it is known
  std::map<std::uint32_t, std::string> lines;  ///< number, 1-based → bytes with the newline
  std::optional<std::uint32_t> last_line;      ///< number of the last line, where nothing may follow it
};

/// Path → file, of one repository.
using FileDrafts = std::map<std::string, FileDraft>;

/// Makes `files` hold exactly what `patch` expects, at the lines that it states. `name` is the patch's, for errors.
/// Raises data where another patch expects something else in the same place, and for what cannot be made up: the old
/// content of a binary change without its reverse, a gitlink.
void expect_patch(const patch::PatchFile& patch, const std::string& name, FileDrafts& files);

/// Lets line `number` of the file at `path` be `text`, unless a patch says what it is.
void suggest_line(const std::string& path, std::uint32_t number, const std::string& text, FileDrafts& files);

/// Returns the bytes of the file at `path`.
std::string draft_content(const std::string& path, const FileDraft& draft);

}  // namespace torchpatch::sample
