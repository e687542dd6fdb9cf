// SPDX-License-Identifier: BSD-3-Clause
/// reading_of(): whether a release reads a variable; suggestions for variables that it does not read.
#pragma once

#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// What is known of a variable in a release; both empty: unknown.
struct Reading {
  std::string read_at;  ///< file:line
  std::string unread;   ///< that it is not read, and which releases read it
};

/// Returns what is known of a variable in the plan's patched release: if a patch adds a mention of it, that patch reads
/// it.
///
/// A variable is read if it is in the release's `flags`. It is known not to be read if it is not, the `flags` were
/// verified against the sources, and the name is in those of another release or in the list of never-read ones; except
/// what tools read, and what only companions read if a companion's file was not checked.
Reading reading_of(const Catalog& catalog, const Plan& plan, const std::string& name);
Reading reading_of(const Catalog& catalog, const Release& release, const std::string& name);

/// Returns which releases read a variable: "1.0.0 to 1.4.1 and 2.0.0", or empty text.
std::string releases_reading(const Catalog& catalog, const std::string& name);

/// Returns this release's names for what `name` means in other releases: USE_X for NO_X and WITH_X, NO_X for USE_X, or
/// those in variables.json for a never-read name.
std::vector<std::string> other_names(const Catalog& catalog, const Release& release, const std::string& name);

/// Returns what an unknown name may be a misspelling of, nearest first: names at most one letter away, or two for names
/// of nine letters or more. Empty for a variable of a release or tool, even if it is close to another.
std::vector<std::string> misspelt_names(const Catalog& catalog, const std::string& name);

/// Returns whether the release's `flags` were checked against its sources, so that other variables are not read.
bool knows_every_variable(const Release& release);

/// Returns whether a release, a tool, or the build files of upstream or its submodules read this name.
bool is_known_variable(const Catalog& catalog, const std::string& name);

/// Returns whether only torchvision or torchaudio read it, in every release.
bool is_read_by_companions_alone(const Catalog& catalog, const std::string& name);

/// Raises usage if the plan's release is known not to read NAME in --set NAME=VALUE, or NAME is misspelt.
void check_variable_is_read(const Catalog& catalog, const Plan& plan, const std::string& name,
                            const std::string& value);

}  // namespace torchpatch::plan
