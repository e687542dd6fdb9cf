// SPDX-License-Identifier: BSD-3-Clause
/// A project as a real repository.
#pragma once

#include <map>
#include <string>

#include "sample/project.h"

namespace torchpatch::sample {

/// Project name → its commit.
using Commits = std::map<std::string, ObjectId>;

/// Writes every project below `directory`, as "<name>.git", and returns their commits. Authors, dates and order are
/// fixed: equal projects give equal commits. Raises environment.
Commits write_projects(const Projects& projects, const std::string& directory);

}  // namespace torchpatch::sample
