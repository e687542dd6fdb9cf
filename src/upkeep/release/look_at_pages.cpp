// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/release/look_at_pages.h"

#include <algorithm>

#include "support/text.h"
#include "upkeep/check/citations.h"

namespace torchpatch::upkeep {

namespace {

/// Returns the newest release before `version` that a page cites, as it names it; or empty text.
std::string nearest_cited(const Citations& citations, const Version& version) {
  std::optional<Version> nearest;
  for (const auto* list : {&citations.present, &citations.absent}) {
    for (const Citation& each : *list) {
      const auto cited = Version::parse(each.release);
      if (cited && *cited < version && (!nearest || *nearest < *cited)) nearest = cited;
    }
  }
  return nearest ? nearest->text() : "";
}

class PageReader {
 public:
  PageReader(const Release& release, source::PinnedLookup& lookup) : release_(release), lookup_(lookup) {}

  void read(const Issue& issue) {
    ++pages_.affecting;
    const std::string cited = nearest_cited(issue.citations, release_.version);
    if (cited.empty()) return;
    ++pages_.cited;
    for (const Citation& each : issue.citations.present)
      if (each.release == cited) note(issue, each, [&] { return presence_doubt(each); });
    for (const Citation& each : issue.citations.absent)
      if (each.release == cited) note(issue, each, [&] { return absence_doubt(each); });
  }
  PagesAtRelease take() { return std::move(pages_); }

 private:
  std::string presence_doubt(const Citation& citation) {
    const std::string* text = find_cited_file(release_, parse_cited_place(citation.place).file, lookup_);
    if (!text) return "there is no such file";
    return text->find(citation.words) != std::string::npos ? "" : "no line has it";
  }

  std::string absence_doubt(const Citation& citation) {
    return absence_problem(find_cited_file(release_, parse_cited_file(citation.place), lookup_), citation.words);
  }

  template <typename Doubt>
  void note(const Issue& issue, const Citation& citation, Doubt doubt) {
    try {
      const std::string found = doubt();
      if (!found.empty()) pages_.doubts.push_back({issue.id, citation.release, citation.place, citation.words, found});
    } catch (const source::MissingObject&) {
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unsafe) throw;  // of a submodule whose URL is refused, which the draft names
    }
  }

  const Release& release_;
  source::PinnedLookup& lookup_;
  PagesAtRelease pages_;
};

}  // namespace

PagesAtRelease look_at_pages(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup) {
  PageReader reader(release, lookup);
  for (const auto& [id, issue] : catalog.issues)
    if (affects(issue, release.version)) reader.read(issue);
  return reader.take();
}

}  // namespace torchpatch::upkeep
