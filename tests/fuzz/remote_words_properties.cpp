// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "model/url.h"
#include "source/fetch/fetch_program.h"

namespace torchpatch::fuzz {
namespace {

constexpr const char* kUrl = "https://host.example.org:8443/some/repository.git";

void check_errors(std::string_view err) {
  const std::string errors = source::errors_in(err);
  require(errors.size() <= 8192, "an error is short");
  require(errors.find('\n') == std::string::npos && errors.find('\r') == std::string::npos, "an error is one line");
  require(source::hide_logins(errors) == errors, "an error has no login in it");
}

void check_same(const source::HttpTrace& whole, const source::HttpTrace& pieces) {
  require(whole.status() == pieces.status() && whole.location() == pieces.location() &&
              whole.retry_after() == pieces.retry_after() && whole.has_connected() == pieces.has_connected(),
          "where a trace is cut makes no difference");
}

void check_redirect(const source::HttpTrace& trace) {
  const source::Redirect redirect = source::find_redirect(kUrl, trace);
  require(redirect.url.empty() || redirect.refusal.empty(), "a redirect is followed or refused");
  if (redirect.url.empty()) return;
  require(!url_problem(redirect.url), "a redirect leads to a URL that is accepted");
  require(url_origin(redirect.url) == url_origin(kUrl), "a redirect stays on its server");
}

}  // namespace

void check_remote_words(std::string_view bytes) {
  check_errors(bytes);
  source::HttpTrace whole, pieces;
  whole.feed(bytes);
  for (const char& byte : bytes) pieces.feed(std::string_view(&byte, 1));
  check_same(whole, pieces);
  require(whole.status() >= 0 && whole.retry_after() >= 0, "a trace has no negative numbers");
  check_redirect(whole);
}

}  // namespace torchpatch::fuzz
