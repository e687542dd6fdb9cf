// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/certificates.h"

#include <optional>

#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr std::uint64_t kMostBytes = 16u << 20;  ///< Mozilla's list has 0.2 MB

constexpr const char* kSystemPlaces[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/ssl/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
};

/// Returns the text of a file that has certificates; what is empty, no file or not ours to read counts as absent.
std::optional<std::string> certificates_in(const std::string& path) {
  try {
    std::string text = read_file(path, kMostBytes);
    if (text.find("-----BEGIN CERTIFICATE-----") != std::string::npos) return text;
  } catch (const Error&) {
  }
  return std::nullopt;
}

/// Returns the comment that the list begins with.
std::string title_of(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  return line.starts_with("# ") ? line.substr(2) : line;
}

}  // namespace

CertificateAuthorities find_certificate_authorities(const std::string& data, const std::string& root) {
  for (const char* place : kSystemPlaces)
    if (certificates_in(root + place)) return {root + place};
  const std::string list = data + "/ca-certificates.crt";
  if (const auto text = certificates_in(list)) return {list, title_of(*text)};
  return {};
}

CertificateAuthorities settle_certificate_authorities(std::map<std::string, std::string>& network,
                                                      const std::string& data, const std::string& root) {
  for (const char* name : {"GIT_SSL_CAINFO", "GIT_SSL_CAPATH"})
    if (const auto named = network.find(name); named != network.end()) return {named->second};
  CertificateAuthorities found = find_certificate_authorities(data, root);
  if (!found.path.empty()) network[found.title.empty() ? "SSL_CERT_FILE" : "GIT_SSL_CAINFO"] = found.path;
  return found;
}

}  // namespace torchpatch::source
