// SPDX-License-Identifier: BSD-3-Clause
#include "model/url.h"

#include <algorithm>
#include <array>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch {

namespace {

constexpr std::size_t kMaxUrlBytes = 4096;
/// Hosts and path components become file names, with a few bytes added (url_file_path).
constexpr std::size_t kMaxComponentBytes = 240;
constexpr std::array<std::string_view, 5> kSchemes = {"https", "http", "git", "ssh", "file"};

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool all_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z') || others.find(c) != std::string_view::npos;
  });
}

/// scheme://user@host:port/path
struct UrlParts {
  std::string scheme;
  std::optional<std::string_view> user;
  std::string_view host;
  std::optional<std::string_view> port;
  std::string_view path;  ///< with its leading slash
};

std::optional<UrlParts> split_url(std::string_view url) {
  UrlParts parts;
  parts.scheme = url_scheme(url);
  if (parts.scheme.empty()) return std::nullopt;
  const std::string_view rest = url.substr(parts.scheme.size() + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, slash);
  parts.path = rest.substr(slash);
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    parts.user = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  const std::size_t colon = authority.rfind(':');
  if (colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos) {
    parts.port = authority.substr(colon + 1);
    authority = authority.substr(0, colon);
  }
  parts.host = authority;
  return parts;
}

std::optional<std::string> form_problem(std::string_view url) {
  if (url.empty()) return "it is empty";
  if (url.size() > kMaxUrlBytes) return "it is longer than 4096 bytes";
  if (url.front() == '-') return "it begins with '-'";
  for (const char c : url) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f) return "it has a control byte or a space";
    if (c == '\\') return "it has a backslash";
  }
  return std::nullopt;
}

std::optional<std::string> user_problem(const UrlParts& parts) {
  if (!parts.user) return std::nullopt;
  if (parts.scheme != "ssh" || parts.user->find(':') != std::string_view::npos) return "it has a user name or password";
  if (parts.user->empty() || parts.user->front() == '-' || !all_of(*parts.user, "._-"))
    return "its user name is not plain";
  return std::nullopt;
}

std::optional<std::string> host_problem(const UrlParts& parts) {
  if (parts.scheme == "file") {
    if (!parts.host.empty() || parts.port) return "a file URL has no host";
    return std::nullopt;
  }
  const bool is_ipv6 = parts.host.size() > 2 && parts.host.front() == '[' && parts.host.back() == ']';
  const std::string_view name = is_ipv6 ? parts.host.substr(1, parts.host.size() - 2) : parts.host;
  if (name.empty()) return "it has no host";
  if (name.front() == '-' || name.front() == '.' || !all_of(name, is_ipv6 ? ":." : "._-"))
    return "its host is not plain";
  if (name.size() > kMaxComponentBytes) return concat("its host is longer than ", kMaxComponentBytes, " bytes");
  if (parts.port) {
    const auto port = parse_decimal(*parts.port);
    if (!port || *port == 0 || *port > 65535) return "its port is out of range";
  }
  return std::nullopt;
}

std::optional<std::string> path_part_problem(std::string_view path) {
  if (path.find_first_not_of('/') == std::string_view::npos) return "it has no repository path";
  if (path.find_first_of("?#") != std::string_view::npos) return "it has a query or a fragment";
  for (const std::string& component : split(path, '/')) {
    // Without the ending that canonical_url removes: "..git" would become ".".
    const std::string name = ends_with(component, ".git") ? component.substr(0, component.size() - 4) : component;
    if (name == "." || name == "..") return "its path has a component '.' or '..'";
    if (component.size() > kMaxComponentBytes)
      return concat("its path has a component longer than ", kMaxComponentBytes, " bytes");
  }
  return std::nullopt;
}

}  // namespace

std::string url_scheme(std::string_view url) {
  const std::size_t end = url.find("://");
  if (end == std::string_view::npos || end == 0 || !all_of(url.substr(0, end), "+.-")) return {};
  return lower_case(url.substr(0, end));
}

std::string url_origin(std::string_view url) {
  const auto parts = split_url(url);
  return parts ? lower_case(url.substr(0, url.size() - parts->path.size())) : std::string();
}

std::optional<std::string> url_problem(std::string_view url) {
  if (auto problem = form_problem(url)) return problem;
  const auto parts = split_url(url);
  if (!parts) return "it is not of the form scheme://host/path";
  if (std::find(kSchemes.begin(), kSchemes.end(), parts->scheme) == kSchemes.end())
    return concat("the scheme ", quote(parts->scheme), " is not accepted");
  if (auto problem = user_problem(*parts)) return problem;
  if (auto problem = host_problem(*parts)) return problem;
  return path_part_problem(parts->path);
}

std::string resolve_url(const std::string& parent, const std::string& url) {
  if (!starts_with(url, "./") && !starts_with(url, "../")) return url;
  const auto parts = split_url(parent);
  if (!parts) throw Error(ErrorKind::unsafe, concat("resolving the URL ", redact_url(url), ": its parent has none"));
  const std::string origin = parent.substr(0, parent.size() - parts->path.size());
  std::string path(parts->path);
  while (ends_with(path, "/")) path.pop_back();

  std::string_view rest = url;
  while (true) {
    if (starts_with(rest, "./")) {
      rest.remove_prefix(2);
    } else if (starts_with(rest, "../")) {
      if (path.empty()) {
        throw Error(ErrorKind::unsafe, concat("resolving the URL ", redact_url(url), " against ", redact_url(parent),
                                              ": it goes above the host"));
      }
      path.erase(path.rfind('/'));
      rest.remove_prefix(3);
    } else {
      break;
    }
  }
  std::string resolved = concat(origin, path, "/", rest);
  while (resolved.size() > origin.size() && ends_with(resolved, "/")) resolved.pop_back();
  return resolved;
}

std::string redact_url(std::string_view url) {
  constexpr std::size_t kShown = 300;
  // Not by split_url(): URLs refused for their scheme may contain a password too.
  const std::size_t scheme_end = url.find("://");
  const bool has_scheme = scheme_end != std::string_view::npos;
  const std::size_t start = has_scheme ? scheme_end + 3 : 0;
  // Not a URL, but the part before an "@" may still be a secret.
  const std::size_t at = (has_scheme ? url.substr(start, url.find('/', start) - start) : url).rfind('@');
  std::string shown(url);
  if (at != std::string_view::npos)
    shown = has_scheme ? concat(url.substr(0, start), url.substr(start + at + 1)) : concat("***", url.substr(at));
  if (shown.size() <= kShown) return quote(shown);
  return concat(quote(shown.substr(0, kShown)), "… (", shown.size(), " bytes)");
}

std::string canonical_url(std::string_view url) {
  while (ends_with(url, "/")) url.remove_suffix(1);
  if (ends_with(url, ".git")) url.remove_suffix(4);
  const auto parts = split_url(url);
  if (!parts) return std::string(url);
  return url_origin(url) + std::string(parts->path);
}

std::string url_file_path(std::string_view url) {
  const std::string canonical = canonical_url(url);
  const auto parts = split_url(canonical);
  std::string name(parts->scheme == "https" ? "" : parts->scheme + "+");
  name += parts->host;
  if (parts->port) name += concat("+", *parts->port);
  for (const std::string& component : split(parts->path, '/')) {
    if (component.empty()) continue;
    if (ends_with(name, ".git")) name += "_";
    name += "/" + component;
  }
  return name;
}

bool is_safe_link(std::string_view href) {
  if (!std::all_of(href.begin(), href.end(), [](char c) { return static_cast<unsigned char>(c) > 0x20; })) return false;
  for (const std::string_view start : {"https://", "http://", "mailto:", "#"})
    if (starts_with(href, start)) return href.size() > start.size() && href[start.size()] != '/';
  return false;
}

}  // namespace torchpatch
