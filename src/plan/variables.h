// SPDX-License-Identifier: BSD-3-Clause
/// reading_of(): whether a release reads a variable; and what whoever set one that it does not read may have meant.
#pragma once

#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// What is known of a variable in a release. Both empty: nobody knows.
struct Reading {
  std::string read_at;  ///< file:line
  std::string unread;   ///< that it does not, and which releases do
};

/// Returns what is known of a variable in the release as the plan's patches make it: one that a patch adds a mention of
/// is read by that patch.
///
/// A variable is read where the release's `flags` have it. It is known not to be read where they do not, they were
/// verified against the sources, and the name is one of another release or one that no release reads; but not what
/// tools read, nor what only companions read where a companion's own file was not looked at.
Reading reading_of(const Catalog& catalog, const Plan& plan, const std::string& name);
Reading reading_of(const Catalog& catalog, const Release& release, const std::string& name);

/// Returns which releases read a variable: "1.0.0 to 1.4.1 and 2.0.0", or empty text.
std::string releases_reading(const Catalog& catalog, const std::string& name);

/// Returns the other names under which this release reads what `name` says in others: USE_X for NO_X and WITH_X, NO_X
/// for USE_X, or what variables.json has for a name that no release reads.
std::vector<std::string> other_names(const Catalog& catalog, const Release& release, const std::string& name);

/// Returns what a name that nobody knows may be a misspelling of, nearest first: names at most one letter away, of nine
/// letters or more two. Empty for a name of a release or of a tool, however near it is to another.
std::vector<std::string> misspelt_names(const Catalog& catalog, const std::string& name);

/// Whether the release's list of variables was compared with its own sources: then what is not in it is not read.
bool knows_every_variable(const Release& release);

/// Whether a name is one of a release, of a tool, or one that the build files of upstream or its submodules read.
bool is_known_variable(const Catalog& catalog, const std::string& name);

/// Whether torchvision or torchaudio alone read it in every release.
bool is_read_by_companions_alone(const Catalog& catalog, const std::string& name);

/// Raises usage where the plan's release is known not to read what --set NAME=VALUE sets, or NAME is misspelt.
void check_variable_is_read(const Catalog& catalog, const Plan& plan, const std::string& name,
                            const std::string& value);

}  // namespace torchpatch::plan
