// SPDX-License-Identifier: BSD-3-Clause
/// What prepare does for a release and a board, in words (internal).
#pragma once

#include "emit/document/document.h"
#include "emit/site/site_data.h"

namespace torchpatch::emit {

/// Returns facts: what changes in the tree, what the build is given, what to keep in mind, each as links to the issues;
/// nothing that differs from release to release alone, so that releases can be grouped by it.
Facts plan_facts(const Plan& plan);

/// Returns the issues whose patches or added files change the tree, as links with their variants.
std::vector<Line> tree_changes(const Plan& plan);

/// Returns all words of facts, to compare them by.
std::string facts_key(const Facts& facts);

/// Returns a reason why release and image do not go together, without the release's name.
std::string misfit_words(const std::string& reason, const Release& release);

}  // namespace torchpatch::emit
