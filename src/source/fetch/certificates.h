// SPDX-License-Identifier: BSD-3-Clause
/// Whom https:// servers are believed by.
#pragma once

#include <map>
#include <string>

namespace torchpatch::source {

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
