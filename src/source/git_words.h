// SPDX-License-Identifier: BSD-3-Clause
/// What git and its helpers say on stderr when a fetch failed, made into a reason.
#pragma once

#include <string>
#include <string_view>

namespace torchpatch::source {

/// Returns the errors in what git wrote, joined; in place of user names and passwords of URLs stands "***". Bytes may
/// be the server's: quote() them. Empty where git named no error.
std::string errors_in(std::string_view err);

/// Returns whether such errors tell of a connection that was refused or broke, so that another attempt may work. What a
/// server says in its own words never does.
bool tells_of_connection(std::string_view errors);

/// Returns `text` with what stands between "//" and "@" in a URL replaced by "***".
std::string hide_logins(std::string_view text);

}  // namespace torchpatch::source
