// SPDX-License-Identifier: BSD-3-Clause
/// The version of this program.
#pragma once

namespace torchpatch {

/// Such as "0.1.0"; CMake's project version.
inline constexpr const char* kToolVersion = TORCHPATCH_VERSION;

}  // namespace torchpatch
