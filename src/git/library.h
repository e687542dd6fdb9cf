// SPDX-License-Identifier: BSD-3-Clause
/// Starts libgit2 the way torchpatch uses it: no configuration of the machine or the user, little memory.
#pragma once

namespace torchpatch::git {

/// Initialises libgit2 once in this process; later calls do nothing. Raises internal where that fails. It takes some
/// ten milliseconds, since libgit2 reads every certificate of the machine.
void initialize_library();

}  // namespace torchpatch::git
