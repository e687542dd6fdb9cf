// SPDX-License-Identifier: BSD-3-Clause
/// Documents as manual pages.
#pragma once

#include <string>

#include "emit/document/document.h"

namespace torchpatch::emit {

/// Returns a page of section 7 in the macros of man(7). Links name the page that `around` gives for them, without its
/// suffix. `name`: its own, such as "torchpatch-issue-cmake-4".
std::string document_man(const Document& document, const Surroundings& around, const std::string& name);

}  // namespace torchpatch::emit
