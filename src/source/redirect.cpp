// SPDX-License-Identifier: BSD-3-Clause
#include "source/redirect.h"

#include "model/url.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

/// What git asks first, below the URL of a repository (gitprotocol-http).
constexpr std::string_view kFirstRequest = "/info/refs?service=git-upload-pack";

Redirect refuse(std::string_view location, std::string_view why) {
  return {"", concat("the server sends on to ", redact_url(location), ", which is refused: ", why)};
}

}  // namespace

Redirect find_redirect(const std::string& url, const HttpTrace& trace) {
  if (trace.status() < 300 || trace.status() > 399) return {};
  std::string target = trace.location();
  if (starts_with(target, "/") && !starts_with(target, "//")) target = url_origin(url) + target;
  if (!ends_with(target, kFirstRequest)) return refuse(target, "it is no place of a repository");
  target.resize(target.size() - kFirstRequest.size());
  if (const auto problem = url_problem(target)) return refuse(target, *problem);
  if (url_origin(target) != url_origin(url)) return refuse(target, "it is another server (--url-map may name it)");
  return {target, ""};
}

}  // namespace torchpatch::source
