// SPDX-License-Identifier: BSD-3-Clause
/// What fetching programs see of the user's environment: GitHome, an empty home with a configuration of ssh; proxies
/// and credentials; and the certificate authorities that https goes by.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "source/fetch/fetch_program.h"
#include "support/file.h"

namespace torchpatch::source {

class GitHome {
 public:
  /// Makes the home, with the configuration of ssh in it. Raises environment.
  explicit GitHome(const FetchOptions& options);

  const std::string& path() const { return directory_.path(); }
  /// Returns the whole environment for a fetch from `url` that writes its trace of HTTP to `trace`.
  std::vector<std::pair<std::string, std::string>> environment(const std::string& url, const std::string& trace) const;

 private:
  TempDir directory_;
  const FetchOptions& options_;
};

/// Returns the configuration for ssh. Hosts are known by the user's known_hosts and the machine's, and by nothing else:
/// an unknown one is refused, and nothing is added. Without `options.credentials` no key and no agent is used and
/// nobody's configuration is read; with them the user's and the machine's are, for these say which key is for which
/// host.
std::string ssh_configuration(const FetchOptions& options);

// What of the user's environment reaches git, by name; everything else stays outside.

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

/// A file of certificate authorities, in PEM, or a directory that the user names.
struct CertificateAuthorities {
  std::string path;     ///< empty: there is none
  std::string title{};  ///< of a list that a release archive brings: whose it is, and of when
};

/// Returns the system's, from the first of the places where Debian, Fedora, SUSE, OpenELEC, CentOS and Alpine keep it
/// (those that Go's crypto/x509 looks into, https://go.dev/src/crypto/x509/root_linux.go), below `root`; else the list
/// in `data`, the directory of the shipped catalog, where a release archive has it (tools/release).
CertificateAuthorities find_certificate_authorities(const std::string& data, const std::string& root = {});

/// Returns what https goes by: what `network` names (network_variables(), git_home.h), else what is found, which is
/// added to it: git knows the system's by itself, and libgit2 goes by SSL_CERT_FILE.
CertificateAuthorities settle_certificate_authorities(std::map<std::string, std::string>& network,
                                                      const std::string& data, const std::string& root = {});

}  // namespace torchpatch::source
