// SPDX-License-Identifier: BSD-3-Clause
/// Wording and plain-text layout shared by reports (internal).
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/document.h"
#include "model/board.h"
#include "model/issue.h"
#include "model/release.h"
#include "support/find.h"

namespace torchpatch::report {

using Rows = std::vector<std::vector<std::string>>;

/// Returns rows as a table without heads, only for text.
Table plain_table(const Rows& rows);
/// Returns each text as an item.
Items plain_items(const std::vector<std::string>& texts);
/// Returns a line with this text; if it is empty, nothing, which Terms omit.
Line said(const std::string& words);
/// Adds blocks at the end.
void add_blocks(std::vector<Block>& blocks, std::vector<Block> more);
/// Adds a section of plain rows, or of items, unless there are none.
void add_rows(std::vector<Block>& blocks, std::string heading, const Rows& rows);
void add_items(std::vector<Block>& blocks, std::string heading, const std::vector<std::string>& texts);
inline constexpr std::size_t kAllOfThem = std::numeric_limits<std::size_t>::max() - 1;
/// Adds a section of the first `most` items, and the number of others, which --all shows.
void add_some(std::vector<Block>& blocks, std::string heading, std::vector<std::string> texts, std::size_t most);

/// Returns "1.1.0 for tx2 (jetpack-3.3)".
std::string target_text(const std::string& release, const std::string& board, const std::string& image);
/// Returns "this is not PyTorch: …".
std::string stand_in_text(const std::string& stand_in);
/// Returns "signed by me@example.org with ED25519 key SHA256:…".
std::string signature_text(const std::string& signer, const std::string& key);
/// Returns "certified" or "NOT CERTIFIED".
std::string certificate_text(bool is_certified);
/// Returns "for block-limit, quiet": the issues that something fixes.
std::string issues_text(const std::vector<std::string>& issues);
/// Returns a line for each component with a content pin: that this is the pin, or that it may replace the commit.
std::vector<std::string> content_lines(const std::map<Component, ComponentPin>& pins);
/// Returns "jetpack-3.3 assumed; --image takes another".
std::string image_assumed_text(const std::string& image);
/// Returns "fix cap-threads (patch, variant T2)"; for a fix without variants "fix swap (advice)".
std::string fix_text(FixKind kind, const std::string& fix, const std::string& variant);
/// Returns the clauses: "arch is 'aarch64'; registers_per_block <65536"; "always" if there are none.
std::string condition_text(const Condition& condition);
/// The facts of an image that may be unknown, by name.
std::vector<std::pair<const char*, const std::optional<Version>*>> versions_of(const Image& image);
/// Returns the known facts of an image: "ubuntu-16.04, Python 3.5, gcc 5.4.0, no cuda".
std::string image_text(const Image& image);
/// Returns the same in words, without clauses on releases: "aarch64, gcc below 9"; nothing if there are no others.
std::string condition_words(const Condition& condition);
/// Returns "compute capability 6.2, 32768 registers per block" or "none".
std::string gpu_text(const Board& board);
/// Returns "setup.py", or "torch by scikit-build-core, the others by setup.py".
std::string front_ends_text(const Release& release);
/// Returns enough leading digits of an id to recognise it.
std::string short_id(const ObjectId& id);

/// Returns the text for an option of a prepared tree (chosen_options()).
std::string chosen_text(const std::string& option);

}  // namespace torchpatch::report
