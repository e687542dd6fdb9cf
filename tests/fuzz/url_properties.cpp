// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "fuzz/harmless_text.h"
#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "fuzz/slow_path_rule.h"
#include "model/url.h"
#include "support/text.h"

namespace torchpatch::fuzz {
namespace {

/// scheme://authority/path, cut by hand.
struct Cut {
  std::string scheme, authority, path;
};

Cut cut(std::string_view url) {
  const std::size_t colon = url.find("://");
  if (colon == std::string_view::npos) return {};
  const std::string_view rest = url.substr(colon + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  return {std::string(url.substr(0, colon)), std::string(rest.substr(0, slash)), std::string(rest.substr(slash))};
}

void check_accepted(const std::string& url) {
  const std::set<std::string> schemes = {"https", "http", "git", "ssh", "file"};
  const auto [scheme, authority, path] = cut(url);
  require(schemes.contains(url_scheme(url)), "an accepted scheme is on the list");
  require(url.size() <= 4096 && url.find_first_of("\\?#") == url.npos, "an accepted URL is short and plain");
  require(std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' || c < 0; }) && url.find('\x7f') == url.npos,
          "an accepted URL has no control bytes");
  const std::size_t at = authority.find('@');
  require(at == authority.npos || (url_scheme(url) == "ssh" && authority.find(':') > at && authority[0] != '-'),
          "only ssh has a user, and no one a password");
  const std::string host = authority.substr(at == authority.npos ? 0 : at + 1);
  require((url_scheme(url) == "file") == host.empty() && (host.empty() || (host[0] != '-' && host[0] != ':')),
          "an accepted URL has a host that is no option");
  for (const std::string& part : parts_of(path, '/')) require(part != "." && part != "..", "an accepted path is plain");
}

/// The file path lies below the folder it is relative to, and in no other repository's.
void check_file_path(const std::string& url) {
  const std::vector<std::string> parts = parts_of(url_file_path(url), '/');
  for (const std::string& part : parts) {
    require(!part.empty() || url.starts_with("file"), "a file path has no empty component");
    require(part != "." && part != ".." && part.size() <= 255, "a file path has plain components");
    require(&part == &parts.back() || !ends_with(part, ".git"), "no repository lies in another");
  }
}

void check_redacted(std::string_view url) {
  const std::string shown = redact_url(url);
  require(is_harmless(shown), "a URL is shown harmlessly");
  const std::string authority = cut(url).authority;
  const std::size_t at = authority.rfind('@');
  if (at == std::string::npos) return;
  std::string without(url);
  without.erase(url.find("://") + 3, at + 1);
  require(shown == quote(without), "a URL is shown without user and password");
}

void check_resolved(const std::string& parent, const std::string& url) {
  const auto resolved = attempt([&] { return resolve_url(parent, url); });
  const bool is_relative = starts_with(url, "./") || starts_with(url, "../");
  require(is_relative || resolved == url, "an absolute URL stays as it is");
  if (!is_relative || !resolved) return;
  const Cut from = cut(parent), to = cut(*resolved);
  require(from.scheme == to.scheme && from.authority == to.authority, "a relative URL stays on its parent's host");
}

}  // namespace

void check_url(std::string_view input) {
  const std::vector<std::string> lines = parts_of(input, '\n');
  const std::string& url = lines[0];
  check_redacted(url);
  if (url_problem(url)) return;
  check_accepted(url);
  check_file_path(url);
  const std::string canonical = canonical_url(url);
  require(!canonical.empty() && canonical.size() <= url.size(), "a canonical URL is no longer");
  if (lines.size() > 1) check_resolved(url, lines[1]);
}

}  // namespace torchpatch::fuzz
