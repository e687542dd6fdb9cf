// SPDX-License-Identifier: BSD-3-Clause
/// What is known of a build (the table of facts in docs/formats.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// Returns the facts of a build, those of --set over the others. Raises usage for a lower-case setting that is no fact,
/// with the nearest names, and for a value that its fact cannot have.
Facts make_facts(const Release& release, const Board& board, const Image& image, const std::string& python,
                 const std::vector<Component>& components, const std::map<std::string, std::string>& settings);

/// Returns the image that the plan is for, with its architecture, and what --set says of it over the rest; its os is
/// empty with --set os=none.
Image chosen_image(const Plan& plan);

/// Returns true for the name of a variable of the build: it begins with a capital letter, perhaps
/// behind one '_'; facts do not.
bool is_variable(const std::string& setting);

}  // namespace torchpatch::plan
