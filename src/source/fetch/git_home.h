// SPDX-License-Identifier: BSD-3-Clause
/// GitHome: what fetching programs see of the user's environment, an empty home with a configuration for ssh; proxies
/// and credentials; and the certificate authorities for https.
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
  /// Creates the home, with the configuration for ssh. Raises environment.
  explicit GitHome(const FetchOptions& options);

  const std::string& path() const { return directory_.path(); }
  /// Returns the complete environment for a fetch from `url` that writes its HTTP trace to `trace`.
  std::vector<std::pair<std::string, std::string>> environment(const std::string& url, const std::string& trace) const;

 private:
  TempDir directory_;
  const FetchOptions& options_;
};

/// Returns the configuration for ssh. Only hosts in the user's and the machine's known_hosts are accepted; others are
/// refused, and none are added. Without `options.credentials`, no keys, agents or other configuration are used; with
/// them, the user's and the machine's configuration are read, as they assign keys to hosts.
std::string ssh_configuration(const FetchOptions& options);

// The parts of the user's environment that reach git, by name; everything else is dropped.

using Variables = std::map<std::string, std::string>;

/// Returns the proxies and certificate authorities of `environment` under the names that git reads:
///   http_proxy, https_proxy, all_proxy, no_proxy, or in upper case; HTTP_PROXY not if REQUEST_METHOD is set, when it
///   may come from a stranger (CVE-2016-5385);
///   GIT_SSL_CAINFO, else CURL_CA_BUNDLE, else SSL_CERT_FILE; GIT_SSL_CAPATH, else SSL_CERT_DIR;
///   GIT_PROXY_SSL_CAINFO.
/// Relative paths are made absolute, since git runs in another directory.
Variables network_variables(const Variables& environment);

/// Returns what lets git log in as the user: credential.* of the user's configuration (not of a repository or the
/// machine), and the variables for credential helpers, ssh and agents. Raises environment if HOME is not set, or git
/// cannot read that configuration.
Credentials read_credentials(const Variables& environment);

/// A PEM file of certificate authorities, or a directory given by the user.
struct CertificateAuthorities {
  std::string path;     ///< empty: none
  std::string title{};  ///< of a list in a release archive: publisher and date
};

/// Returns the system's list, below `root`, from the first place where Debian, Fedora, SUSE, OpenELEC, CentOS and
/// Alpine keep it (those in Go's crypto/x509, https://go.dev/src/crypto/x509/root_linux.go); else the list in `data`,
/// the shipped catalog's directory, if the release archive includes one (tools/release).
CertificateAuthorities find_certificate_authorities(const std::string& data, const std::string& root = {});

/// Returns the authorities to use for https: those in `network` (network_variables()), else those found. Adds them to
/// `network` if needed: git finds the system's by itself, but libgit2 uses SSL_CERT_FILE.
CertificateAuthorities settle_certificate_authorities(std::map<std::string, std::string>& network,
                                                      const std::string& data, const std::string& root = {});

}  // namespace torchpatch::source
