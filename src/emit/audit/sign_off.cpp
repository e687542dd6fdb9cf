// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/sign_off.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emit/audit/audit_words.h"
#include "emit/format/json_text.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

/// What stands around a signature in its place, and in that place without one.
struct Place {
  std::string_view open, close, empty;
};
constexpr Place kMarkdownPlace{"\n\n```text\n", "\n```\n\n", "\n\nNot signed yet.\n\n"};
constexpr Place kHtmlPlace{"\n<pre tabindex=\"0\"><code>", "</code></pre>\n", "\n<p>Not signed yet.</p>\n"};

const Place& place_of(AuditForm form) { return form == AuditForm::html ? kHtmlPlace : kMarkdownPlace; }

Error not_a_report(const std::string& file, const std::string& why) {
  return {ErrorKind::data, concat(quote(file), " is not a report of 'torchpatch audit': ", why),
          "give the file that 'torchpatch audit --format html --output FILE' (or markdown, or --json) wrote"};
}

bool is_signature_line(std::string_view line) {
  for (const char* known : {"-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----",
                            "untrusted comment: signature for torchpatch-audit", "trusted comment: torchpatch-audit"}) {
    if (line == known) return true;
  }
  constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  return !line.empty() && line.find_first_not_of(kBase64) == std::string_view::npos;
}

/// Only lines of a signature: what stands in its place is not signed, and must not say anything.
bool is_signature(std::string_view text) {
  const std::vector<std::string> lines = split(text, '\n');
  return std::all_of(lines.begin(), lines.end(), is_signature_line);
}

/// The text between `open` and `close`, or nothing where it is not so framed.
std::optional<std::string_view> between(std::string_view text, std::string_view open, std::string_view close) {
  if (text.size() < open.size() + close.size() || !starts_with(text, open) || !ends_with(text, close)) return {};
  return text.substr(open.size(), text.size() - open.size() - close.size());
}

/// The digest behind the last `mark`: the sign-off is the end of the page.
Sha256 stated_digest(std::string_view text, std::string_view mark, const std::string& file) {
  const std::size_t found = text.rfind(mark);
  const auto digest =
      found == std::string_view::npos ? std::nullopt : Sha256::parse(text.substr(found + mark.size(), 64));
  if (!digest) throw not_a_report(file, "it states no digest");
  return *digest;
}

SignedReport read_page(std::string_view bytes, AuditForm form, const std::string& file) {
  const std::size_t begin = bytes.rfind(kSignatureBegin);
  const std::size_t end = bytes.rfind(kSignatureEnd);
  if (begin == std::string_view::npos || end == std::string_view::npos || begin > end) {
    throw not_a_report(file, "it has no place for a signature");
  }
  const std::size_t inner = begin + std::string_view(kSignatureBegin).size();
  const std::string_view content = bytes.substr(inner, end - inner);
  const Place& place = place_of(form);
  SignedReport report;
  report.form = form;
  report.unsigned_text = concat(bytes.substr(0, inner), place.empty, bytes.substr(end));
  report.digest = stated_digest(
      report.unsigned_text, form == AuditForm::html ? "<p class=\"digest\"><code>" : "Digest of this audit: `", file);
  if (content == place.empty) return report;
  const auto signature = between(content, place.open, place.close);
  if (!signature || !is_signature(*signature)) {
    throw not_a_report(file, "what stands in the place for the signature is none");
  }
  report.signature = concat(*signature, "\n");
  return report;
}

SignedReport read_json(std::string_view bytes, const std::string& file) {
  Json object = Json::parse(bytes, nullptr, false);
  // Printed again it must be the same: no second key of a name, nothing that the digest does not cover.
  if (!object.is_object() || !object.contains("digest") || report_json(object) != bytes) {
    throw not_a_report(file, "it is not JSON as 'audit --json' prints it");
  }
  const Json stated = object["digest"];
  object.erase("digest");
  const Sha256 digest = sha256(report_json(object));
  SignedReport report{AuditForm::json, std::string(bytes), digest};
  if (stated != digest.hex()) report.why_changed = "it was changed: it states another digest than it has";
  return report;
}

}  // namespace

SignedReport read_signed_report(std::string_view bytes, const std::string& file) {
  if (starts_with(bytes, "{")) return read_json(bytes, file);
  if (starts_with(bytes, "# Audit of ")) return read_page(bytes, AuditForm::markdown, file);
  if (starts_with(bytes, "<!")) return read_page(bytes, AuditForm::html, file);
  throw not_a_report(file, "it is neither JSON nor Markdown nor HTML of an audit");
}

std::string sign_off_statement(const SignedReport& report) {
  std::string statement = report.digest.hex() + "\n";
  if (report.form != AuditForm::json) statement += sha256(report.unsigned_text).hex() + "\n";
  return statement;
}

std::string with_signature(const SignedReport& report, const std::string& signature) {
  if (report.form == AuditForm::json) throw Error(ErrorKind::internal, "a JSON report has no place for a signature");
  const Place& place = place_of(report.form);
  const std::string_view mark = kSignatureBegin;
  const std::size_t inner = report.unsigned_text.rfind(mark) + mark.size();
  std::string text = report.unsigned_text;
  return text.replace(inner, place.empty.size(), concat(place.open, trim(signature), place.close));
}

}  // namespace torchpatch::emit
