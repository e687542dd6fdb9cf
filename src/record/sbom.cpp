// SPDX-License-Identifier: BSD-3-Clause
#include "record/sbom.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

using std::literals::operator""sv;

/// RFC 9562 §6.6: the namespace of URLs.
constexpr std::string_view kUrlNameSpace = "6ba7b8119dad11d180b400c04fd430c8";

std::string without_ending(std::string url) {
  while (ends_with(url, "/")) url.pop_back();
  if (ends_with(url, ".git")) url.resize(url.size() - 4);
  return url;
}

bool is_github(const std::string& url) {
  const std::string lower = lower_case(url);
  for (const char* scheme : {"https://", "http://", "git://"})
    if (starts_with(lower, concat(scheme, "github.com/"))) return true;
  return false;
}

/// Percent-encodes everything that is not literal in a package URL.
std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view("-._~:/").find(c) != std::string_view::npos;
    if (is_plain) {
      out += c;
    } else {
      char code[4];
      std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += code;
    }
  }
  return out;
}

}  // namespace

std::vector<GeneratedFile> companions(const CompanionInput& input) {
  return {{"openvex.json", openvex_document(input)},
          {"provenance.intoto.json", provenance_document(input)},
          {"sbom.cdx.json", cyclonedx_document(input)},
          {"sbom.spdx.json", spdx_document(input)}};
}

const std::vector<std::string>& companion_names() {
  static const std::vector<std::string> kNames = {"openvex.json", "provenance.intoto.json", "sbom.cdx.json",
                                                  "sbom.spdx.json"};
  return kNames;
}

std::string tree_name(const Manifest& manifest) { return concat("pytorch-", manifest.release, "-", manifest.board); }

bool is_changed(const ManifestRepository& repository) { return repository.patched_tree != repository.base_tree; }

std::string version_of(const Manifest& manifest, const ManifestRepository& repository) {
  const auto version = manifest.versions.find(repository.path.component);
  if (!repository.path.path.empty() || version == manifest.versions.end()) return repository.commit.hex();
  return version->second;
}

const ManifestRepository& repository_of(const Manifest& manifest, const AdvisoryDecision& advisory) {
  RepositoryPath path = advisory.about.repository;
  auto found = std::ranges::find(manifest.repositories, path, &ManifestRepository::path);
  path.path.clear();
  if (found == manifest.repositories.end())
    found = std::ranges::find(manifest.repositories, path, &ManifestRepository::path);
  return manifest.repositories.at(static_cast<std::size_t>(found - manifest.repositories.begin()));
}

std::string advisory_url(const std::string& id) {
  const char* const place = starts_with(id, "CVE-")    ? "https://nvd.nist.gov/vuln/detail/"
                            : starts_with(id, "GHSA-") ? "https://github.com/advisories/"
                                                       : "https://osv.dev/vulnerability/";
  return concat(place, id);
}

std::string fix_url(const AdvisoryRecord& about) {
  for (const std::string& source : about.sources)
    if (about.fix && source.find(about.fix->hex()) != std::string::npos) return source;
  return {};
}

std::string action_text(const AdvisoryRecord& about) {
  return about.fixed_in ? concat(about.advice, ". Fixed in ", about.fixed_in->text()) : about.advice;
}

std::string override_text(const ManifestOverride& overridden) {
  return concat("taken at this commit instead of ", overridden.replaces.hex(),
                ", pinned by its parent repository, for ", join(overridden.issues, ", "));
}

std::string licence_text(const LicenceFile& file) {
  return concat(file.name, ": ", file.id.empty() ? "not recognised" : file.id);
}

RepositoryName repository_name(const std::string& url) {
  const std::string path = without_ending(url);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0) return {"", path};
  const std::size_t before = path.rfind('/', slash - 1);
  const std::string owner = before == std::string::npos ? "" : path.substr(before + 1, slash - before - 1);
  return {owner, path.substr(slash + 1)};
}

std::string package_url(const ManifestRepository& repository) {
  const RepositoryName name = repository_name(repository.url);
  if (repository.content) {
    return concat("pkg:generic/", percent_encoded(name.name), "?checksum=sha256:", repository.content->sha256.hex(),
                  "&file_name=", percent_encoded(repository.content->archive));
  }
  if (is_github(repository.url)) {
    return concat("pkg:github/", percent_encoded(lower_case(name.owner)), "/", percent_encoded(lower_case(name.name)),
                  "@", repository.commit.hex());
  }
  return concat("pkg:generic/", percent_encoded(name.name), "@", repository.commit.hex(),
                "?vcs_url=", percent_encoded(source_location(repository)));
}

std::string source_location(const ManifestRepository& repository) {
  return concat(starts_with(repository.url, "git:") ? "" : "git+", repository.url, "@", repository.commit.hex());
}

std::string swhid(const char* type, const ObjectId& id) { return concat("swh:1:", type, ":", id.hex()); }

std::string gitoid(const char* type, const ObjectId& id) { return concat("gitoid:", type, ":sha1:", id.hex()); }

std::string document_uuid(const Sha256& manifest_digest) {
  const std::string name = concat("torchpatch:manifest:sha256:", manifest_digest.hex());
  std::string hex = sha1(from_hex(kUrlNameSpace).value() + name).hex().substr(0, 32);
  hex[12] = '5';                                             // version
  hex[16] = "89ab"["0123456789abcdef"sv.find(hex[16]) % 4];  // variant
  return concat(hex.substr(0, 8), "-", hex.substr(8, 4), "-", hex.substr(12, 4), "-", hex.substr(16, 4), "-",
                hex.substr(20));
}

std::string utc_time(std::int64_t seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds{seconds}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

}  // namespace torchpatch::record
