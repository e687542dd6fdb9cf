// SPDX-License-Identifier: BSD-3-Clause
/// The URLs that torchpatch accepts (url_problem): an allow-list, applied before git or a library sees one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace torchpatch {

/// Returns the scheme of "scheme://…", in lower case, or empty text.
std::string url_scheme(std::string_view url);

/// Returns scheme, user (ssh only), host and port of a URL that url_problem accepts, in lower case:
/// "https://host:8443". A default port ("https://host:443") is kept.
std::string url_origin(std::string_view url);

/// Returns why a URL is refused, or nothing if it is accepted: scheme https, http, git, ssh or file; a plain host (none
/// for file); a port from 1 to 65535; a path that is not empty and has no "." or ".." component; no query or fragment;
/// at most 4096 bytes, and 240 in the host and in each component, which become file names; no control bytes, spaces or
/// backslashes; no leading '-'; no user name (ssh may have one, without password); no transport helper ("ext::…"); not
/// the short form of ssh ("host:path"); not a local path.
std::optional<std::string> url_problem(std::string_view url);

/// Resolves a URL of .gitmodules as git does: unchanged, or if it begins with "./" or "../", relative to the parent's
/// recorded URL (never to where the parent was found). Raises unsafe if it climbs above the host.
std::string resolve_url(const std::string& parent, const std::string& url);

/// Returns any URL quoted for messages, without user name and password; if it has no scheme, without everything up to
/// the last "@".
std::string redact_url(std::string_view url);

/// Returns the common form of different spellings of a URL: without a trailing ".git" or slash, scheme and host in
/// lower case.
std::string canonical_url(std::string_view url);

/// Returns host and path of a URL that url_problem accepts as a relative file path: "github.com/pytorch/pytorch". A
/// scheme other than https and a port become part of the host: "git+127.0.0.1+9418/x". No directory in it ends in
/// ".git".
std::string url_file_path(std::string_view url);

// Where a page written by others may link: one rule for the catalog, which refuses other links, and for their display.

/// Returns whether `href` may be a link: http or https with a host, mailto with an address, or a #fragment; without
/// blanks and control bytes (docs/formats.md).
bool is_safe_link(std::string_view href);

}  // namespace torchpatch
