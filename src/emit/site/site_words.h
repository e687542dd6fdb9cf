// SPDX-License-Identifier: BSD-3-Clause
/// How the pages name things (internal).
#pragma once

#include <string>
#include <vector>

#include "emit/document/document.h"
#include "emit/site/site_data.h"

namespace torchpatch::emit {

/// Returns "1.0.0 to 1.2.0, 1.4.0": runs of releases that follow each other in the catalog; "every release" for all.
/// `chosen` has a flag for each release.
std::string release_runs(const SiteData& data, const std::vector<bool>& chosen);

/// Returns "1.0.0 to 1.2.0" for the releases from index `first` to `last`.
std::string release_run(const SiteData& data, std::size_t first, std::size_t last);

/// Returns "patch T2", "environment", "advice", "not affected", ….
std::string answer_words(const Answer& answer);
Tone answer_tone(const Answer& answer);

/// Severities, the gravest first; each with the words for it and its tone.
struct Severity {
  std::string id;       ///< as in data files
  std::string words;    ///< of one issue: "build failure"
  std::string heading;  ///< of many
  Tone tone;
};
const std::vector<Severity>& severities();
Inline severity_tag(const Issue& issue);

Inline issue_link(const Issue& issue);  ///< by its title
Inline issue_id_link(const std::string& id);
Inline board_link(const std::string& id);
Inline release_link(const std::string& version);
Inline patchset_link(const std::string& id);

Cell cell(std::string words);
Cell cell(Line line, Tone tone = Tone::none);

}  // namespace torchpatch::emit
