// SPDX-License-Identifier: BSD-3-Clause
/// The URLs that torchpatch accepts: our own allow-list, before git or a library sees one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace torchpatch {

/// Returns the scheme of "scheme://…", in lower case, or empty text.
std::string url_scheme(std::string_view url);

/// Returns scheme, host and port of a URL (without url_problem), with the user that ssh may have: "https://host:8443",
/// in lower case. What its scheme takes for granted ("https://host:443") stays as it is.
std::string url_origin(std::string_view url);

/// Returns why a URL is refused, or nothing where it is fine: a scheme out of {https, http, git, ssh, file}, a plain
/// host (none for file), a port from 1 to 65535, a path that is not empty, has no "." or ".." component, no query and
/// no fragment; at most 4096 bytes, and 240 in its host and in each component, which become names of files; no control
/// bytes, spaces or backslashes, no leading '-', no user name (ssh may have one, without a password), no transport
/// helper ("ext::…"), not the short form of ssh ("host:path"), no local path.
std::optional<std::string> url_problem(std::string_view url);

/// Returns `url` as git resolves it in a .gitmodules file: unchanged, or where it begins with "./" or "../" relative to
/// the recorded URL of the parent (never to where the parent was found). Raises unsafe where it climbs above the host.
std::string resolve_url(const std::string& parent, const std::string& url);

/// Returns `url`, accepted or not, for messages: quoted, with user name and password left out; where it has no scheme,
/// all up to the last "@".
std::string redact_url(std::string_view url);

/// Returns what stays of a URL when spellings of one repository are taken for one: no ".git" and no slash at the end,
/// scheme and host in lower case.
std::string canonical_url(std::string_view url);

/// Returns the host and the path of a URL (without url_problem) as a relative file path: "github.com/pytorch/pytorch".
/// Another scheme than https and a port are part of the host: "git+127.0.0.1+9418/x". No directory in it ends in
/// ".git".
std::string url_file_path(std::string_view url);

// Where a page written by others may link: one rule for the catalog, which refuses the rest, and for what shows it.

/// Returns whether `href` is a link to follow: http or https with a host, mailto with an address, or a #fragment;
/// without blanks and control bytes (docs/formats.md).
bool is_safe_link(std::string_view href);

}  // namespace torchpatch
