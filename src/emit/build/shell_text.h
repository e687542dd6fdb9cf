// SPDX-License-Identifier: BSD-3-Clause
/// Text that becomes part of a POSIX sh script (internal).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/manifest.h"

namespace torchpatch::emit {

/// Returns `text` as the rest of one comment line: control bytes, which could end the comment, become spaces.
std::string comment_text(std::string_view text);

/// Returns whether `name` can be assigned to in sh: letters, digits and underscores, no digit in front.
bool is_variable_name(std::string_view name);

/// Returns "PyTorch 1.1.0 for tx2 (jetpack-3.3)", or what stands in for it, as comment text.
std::string subject(const Manifest& manifest);
/// Returns "image jetpack-3.3", or "host graviton1 (ubuntu-18.04)" where another machine builds, as comment text.
std::string builder(const Manifest& manifest);

/// Returns the command that exports the variable `name` with `value` as it is.
std::string export_command(const std::string& name, const std::string& value);

/// Returns the lines of a shell function `name` that prints `lines`, each as it is. Lines hold no newline.
std::string list_function(std::string_view name, const std::vector<std::string>& lines);

/// Returns why a link cannot stand in OUT, as a predicate ("is absolute"), or nothing.
std::optional<std::string> output_link_problem(std::string_view path, std::string_view target);

}  // namespace torchpatch::emit
