// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/certificates.h"

#include "support/file.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr const char* kSystemPlaces[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/ssl/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
};

/// Returns the comment that the list begins with.
std::string title_of(const std::string& path) {
  const std::string text = read_file(path);
  const std::string line = text.substr(0, text.find('\n'));
  return line.starts_with("# ") ? line.substr(2) : line;
}

}  // namespace

CertificateAuthorities find_certificate_authorities(const std::string& data, const std::string& root) {
  for (const char* place : kSystemPlaces)
    if (file_exists(root + place)) return {root + place};
  const std::string list = data + "/ca-certificates.crt";
  if (file_exists(list)) return {list, title_of(list)};
  return {};
}

}  // namespace torchpatch::source
