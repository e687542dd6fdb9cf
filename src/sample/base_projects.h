// SPDX-License-Identifier: BSD-3-Clause
/// The repositories and files that are there whatever the patches are.
#pragma once

#include <string>

#include "sample/project.h"

namespace torchpatch::sample {

/// Returns an upstream URL that nobody serves: its host is in ".invalid" (RFC 2606).
std::string stand_in_url(const std::string& repository);

/// Returns a repository that holds nothing but a page which says what it is.
Project make_submodule_project(const std::string& name);

/// Returns the components of `release`, and the submodules of torch.
Projects make_base_projects(const Release& release);

}  // namespace torchpatch::sample
