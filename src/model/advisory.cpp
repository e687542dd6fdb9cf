// SPDX-License-Identifier: BSD-3-Clause
#include "model/advisory.h"

#include <algorithm>
#include <set>

#include "support/text.h"

namespace torchpatch {

void check_fields(ObjectReader& object, const Advisory& advisory) {
  if (advisory.about.fixed_in && affects(advisory, *advisory.about.fixed_in))
    object.report("fixed_in", concat(advisory.about.fixed_in->text(), " is one of the affected releases"));
}

void check_fields(ObjectReader& object, const AdvisoryTable& table) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < table.advisories.size(); ++i) {
    const AdvisoryRecord& about = table.advisories[i].about;
    std::vector<std::string> own = about.aliases;
    own.push_back(about.id);
    for (const std::string& name : own)
      if (!names.insert(name).second)
        object.report(concat("advisories[", i, "].id"), concat(quote(name), " is listed twice"));
  }
}

const char* status_words(AdvisoryStatus status) {
  static constexpr const char* kWords[] = {"affected", "fixed by a patch", "not affected", "not built", "not judged"};
  return entry_of(kWords, status);
}

std::string AdvisoryDecision::names() const {
  return about.aliases.empty() ? about.id : concat(about.id, " (", join(about.aliases, ", "), ")");
}

std::string AdvisoryDecision::text() const {
  std::vector<std::string> parts = {concat(status_words(status), ": ", reason)};
  if (!note.empty()) parts.push_back(note);
  if (!is_verified) parts.emplace_back("unverified: the sources of this release were not read");
  if (!about.disputed.empty()) parts.push_back("disputed: " + about.disputed);
  return join(parts, "; ");
}

bool affects(const Advisory& advisory, const Version& release) {
  return std::ranges::any_of(advisory.affected, [&](const VersionRange& range) { return range.contains(release); });
}

std::vector<std::string> advisories_with(const std::vector<AdvisoryDecision>& decisions, AdvisoryStatus status) {
  std::vector<std::string> ids;
  for (const AdvisoryDecision& each : decisions)
    if (each.status == status) ids.push_back(each.about.id);
  return ids;
}

}  // namespace torchpatch
