// SPDX-License-Identifier: BSD-3-Clause
#include "source/url_map.h"

#include "model/url.h"
#include "source/git_words.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr const char* kHint = "for example --url-map https://github.com/=https://mirror.example.org/github/";

}  // namespace

UrlMap::UrlMap(const std::vector<std::string>& rules) {
  for (const std::string& rule : rules) add(rule);
}

void UrlMap::add(const std::string& rule) {
  const auto refuse = [&](std::string_view why) {
    return Error(ErrorKind::usage, concat("'--url-map' ", quote(hide_logins(rule)), ": ", why), kHint);
  };
  // A URL may have "=" in it: the one that counts stands before a scheme.
  std::size_t equals = rule.find('=');
  while (equals != std::string::npos && url_scheme(rule.substr(equals + 1)).empty())
    equals = rule.find('=', equals + 1);
  if (equals == std::string::npos) throw refuse("it is not OLD=NEW with two beginnings of URLs");
  const std::string from = rule.substr(0, equals);
  const std::string to = rule.substr(equals + 1);
  if (url_scheme(from).empty()) throw refuse("what is to be replaced does not begin like a URL");
  // With a repository after it, for "https://host/" alone names none; "https://host:1" waits for a slash.
  const auto problem = url_problem(to + "x/x");
  if (problem && url_problem(to + "/x")) throw refuse("what replaces it is refused: " + *problem);
  if (!rules_.emplace(from, to).second) throw refuse("what is to be replaced was given before");
}

std::optional<std::string> UrlMap::find(std::string_view url) const {
  const std::pair<const std::string, std::string>* longest = nullptr;
  for (const auto& rule : rules_) {
    if (starts_with(url, rule.first) && (!longest || rule.first.size() > longest->first.size())) longest = &rule;
  }
  if (!longest) return std::nullopt;
  std::string mapped = concat(longest->second, url.substr(longest->first.size()));
  if (const auto problem = url_problem(mapped)) {
    throw Error(
        ErrorKind::usage,
        concat("'--url-map' makes ", redact_url(mapped), " of ", redact_url(url), ", which is refused: ", *problem),
        kHint);
  }
  return mapped;
}

}  // namespace torchpatch::source
