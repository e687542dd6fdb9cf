// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>

#include "patch/context.h"
#include "source/closure/pinned_lookup.h"
#include "support/fields.h"
#include "support/wire.h"
#include "trees/prepare/patch_chains.h"
#include "upkeep/audit/audit_patch.h"

namespace torchpatch::upkeep {

namespace {

/// What one release says of one patch.
struct Sighting {
  bool is_looked_at = true, is_there = false;
  std::vector<AuditUpstreamFile> files;
};
FIELDS(Sighting, is_looked_at, is_there, files)

/// True where the change of this file can be taken back out of it.
bool holds_change(const patch::FilePatch& file, patch::FileSource& files) {
  try {
    patch::apply_patch(patch::reverse_patch({"", {file}}), files);
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::patch && error.kind() != ErrorKind::unsafe) throw;
    return false;
  }
}

/// The longest run of lines that a hunk adds: [first, count) of the lines that it leaves.
std::pair<std::ptrdiff_t, std::ptrdiff_t> longest_addition(const AuditHunk& hunk) {
  std::pair<std::ptrdiff_t, std::ptrdiff_t> longest{0, 0};
  std::ptrdiff_t place = 0, run = 0;
  for (const AuditLine& line : hunk) {
    if (line.kind == '-') continue;
    run = line.kind == '+' ? run + 1 : 0;
    ++place;
    if (run > longest.second) longest = {place - run, run};
  }
  return longest;
}

/// Returns what differs around a change that is in both: from the lines that a hunk leaves to those of `upstream`,
/// which are looked at where it has the hunk's longest addition; nothing where the hunk adds nothing, or another place
/// has it as well.
std::vector<AuditHunk> difference_around(const AuditHunk& hunk, const std::vector<std::string>& upstream) {
  std::vector<std::string> ours;
  for (const AuditLine& line : hunk)
    if (line.kind != '-') ours.push_back(line.text);
  const auto [first, count] = longest_addition(hunk);
  const auto needle = ours.begin() + first, end = needle + count;
  const auto found = std::search(upstream.begin(), upstream.end(), needle, end);
  if (count == 0 || found == upstream.end() || std::search(found + 1, upstream.end(), needle, end) != upstream.end())
    return {};
  const auto before = std::min(first, found - upstream.begin());
  const auto after = std::min(std::ssize(ours) - first, upstream.end() - found);
  return audit_hunks(patch::diff_lines(ours, {found - before, found + after}, 3));
}

std::vector<AuditHunk> difference_to(const AuditFile& ours, const std::optional<patch::TreeFile>& there) {
  const std::vector<std::string> upstream = text_lines(there ? there->bytes : "");
  std::vector<AuditHunk> all;
  for (const AuditHunk& hunk : ours.hunks)
    std::ranges::move(difference_around(hunk, upstream), std::back_inserter(all));
  return all;
}

/// Returns how a file of the release shows the change, or nothing.
std::optional<AuditUpstreamFile> sight_file(const patch::FilePatch& file, const AuditFile& ours,
                                            const source::LocatedRepository& repository, source::PinnedLookup& lookup) {
  const auto entry = lookup.find(repository, file.path());
  const bool is_file = entry && entry->mode != FileMode::directory;
  if (file.new_path.empty()) {
    if (entry) return std::nullopt;
    return AuditUpstreamFile{file.path(), {}, false};
  }
  if (!is_file) return std::nullopt;
  if (ours.after && entry->id == *ours.after) return AuditUpstreamFile{file.path(), entry->id, true};
  trees::LookupFiles files(lookup, repository);
  if (file.hunks.empty() || !holds_change(file, files)) return std::nullopt;
  return AuditUpstreamFile{file.path(), entry->id, false, difference_to(ours, files.read(file.path()))};
}

Sighting sight(const AuditStep& step, const AuditPatch& entry, const Release& release, source::PinnedLookup& lookup) {
  try {
    Sighting sighting;
    const source::LocatedRepository* repository = lookup.find_repository(release, step.repository);
    if (!repository) return {};
    for (std::size_t i = 0; i < step.parsed.files.size(); ++i) {
      auto seen = sight_file(step.parsed.files[i], entry.files[i], *repository, lookup);
      if (!seen) return {};
      if (seen->blob) sighting.is_there = true;  // a file that is gone proves nothing
      sighting.files.push_back(std::move(*seen));
    }
    return sighting;
  } catch (const source::MissingObject&) {
    return {false, false, {}};
  }
}

/// Sums up the sightings of one patch, oldest release first.
class Summary {
 public:
  void add(const std::string& release, Sighting sighting) {
    if (!sighting.is_looked_at) return upstream_.not_looked_at.push_back(release);
    ++upstream_.looked_at;
    const bool is_there = sighting.is_there;
    if (upstream_.since.empty() && is_there) {
      upstream_.since = release;
      upstream_.files = std::move(sighting.files);
    }
    upstream_.is_newest = is_there && !has_gone_;
    if (upstream_.since.empty() || has_gone_) return;
    if (is_there) upstream_.until = release;
    has_gone_ = !is_there;
  }
  AuditUpstream take() { return std::move(upstream_); }

 private:
  AuditUpstream upstream_;
  bool has_gone_ = false;  ///< after it was there
};

}  // namespace

void look_in_later_releases(const std::vector<std::string>& releases, const std::vector<AuditStep>& steps,
                            const Catalog& catalog, source::ObjectSource& source, int jobs, Console& console,
                            std::vector<AuditPatch>& entries) {
  const auto is_later = [&](const Release& release, std::size_t step) {
    const auto own = Version::parse(releases[step]);
    return own && *own < release.version && !release.stand_in;
  };
  std::vector<const Release*> later;
  for (const auto& [version, release] : catalog.releases) {
    bool is_wanted = false;
    for (std::size_t i = 0; i < steps.size(); ++i) is_wanted = is_wanted || is_later(release, i);
    if (is_wanted) later.push_back(&release);
  }
  const source::LookupTask task = [&](source::PinnedLookup& lookup, std::size_t item) {
    WireWriter writer;
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (is_later(*later[item], i)) writer.put(sight(steps[i], entries[i], *later[item], lookup));
    return writer.take();
  };
  const auto looked = source::run_lookups(later.size(), task, catalog.moved_repositories, source, jobs, console);
  std::vector<Summary> summaries(steps.size());
  for (std::size_t item = 0; item < later.size(); ++item) {
    WireReader reader(looked[item].bytes);
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (is_later(*later[item], i)) summaries[i].add(later[item]->version.text(), reader.get<Sighting>());
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_looked_for = std::ranges::any_of(later, [&](const Release* each) { return is_later(*each, i); });
    if (is_looked_for) entries[i].upstream = summaries[i].take();
  }
}

}  // namespace torchpatch::upkeep
