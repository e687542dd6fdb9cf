// SPDX-License-Identifier: BSD-3-Clause
/// What of the user's environment reaches git, by name; everything else stays outside.
#pragma once

#include <map>
#include <string>

#include "source/fetch.h"

namespace torchpatch::source {

using Variables = std::map<std::string, std::string>;

/// Returns the proxies and certificate authorities of `environment` under the names that git reads:
///   http_proxy, https_proxy, all_proxy, no_proxy, or in upper case; HTTP_PROXY not where REQUEST_METHOD is set, for
///   there a stranger may have written it (CVE-2016-5385);
///   GIT_SSL_CAINFO, else CURL_CA_BUNDLE, else SSL_CERT_FILE; GIT_SSL_CAPATH, else SSL_CERT_DIR;
///   GIT_PROXY_SSL_CAINFO.
/// Relative paths are made absolute, for git runs elsewhere.
Variables network_variables(const Variables& environment);

/// Returns what lets git log in as the user: credential.* of his own configuration (of no repository's and not the
/// machine's), and the variables that credential helpers, ssh and agents go by. Raises environment where there is no
/// HOME, or where git cannot read his configuration.
Credentials read_credentials(const Variables& environment);

}  // namespace torchpatch::source
