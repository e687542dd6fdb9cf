// SPDX-License-Identifier: BSD-3-Clause
/// Style and script of the audit's page, as embedded by cmake/embed.cmake (internal).
#pragma once

#include <string_view>

namespace torchpatch::emit {

extern const std::string_view kAuditCss;
extern const std::string_view kAuditScript;  ///< keys only: everything can be read and used without it

}  // namespace torchpatch::emit
