// SPDX-License-Identifier: BSD-3-Clause
/// print_patch(): a parsed patch as text again, for tests of what the parser keeps.
#pragma once

#include <string>
#include <string_view>

#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Returns `name` as git writes it: in quotes where it has control bytes, quotes, backslashes or bytes over 0x7f.
std::string quote_name(std::string_view name);

/// Returns `bytes` as lines of up to 52 bytes, each with its newline.
std::string encode_base85_lines(std::string_view bytes);

/// Returns the text of a binary change, from "GIT binary patch" on.
std::string print_binary(const BinaryChange& change);

/// Returns the text of `patch` as git diff writes it; parse_patch gives `patch` back.
std::string print_patch(const PatchFile& patch);

}  // namespace torchpatch::patch
