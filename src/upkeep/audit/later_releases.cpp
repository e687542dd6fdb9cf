// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>

#include "patch/patch_file.h"
#include "patch/review.h"
#include "source/closure/pinned_lookup.h"
#include "support/wire.h"
#include "upkeep/audit/audit.h"

namespace torchpatch::upkeep {

namespace {

/// Whether a release has a patch's change: files that show it; none: it does not; nothing: unknown.
using UpstreamMatch = std::optional<std::vector<AuditUpstreamFile>>;

/// Returns whether the change of this file can be reversed in files read before.
bool holds_change(const patch::PatchFile& change, MemoryFiles files) {
  try {
    patch::apply_patch(patch::reverse_patch(change), files);
    return true;
  } catch (const Error&) {  // it does not apply, or is refused
    return false;
  }
}

/// Returns the longest run of lines that a hunk adds: [first, count) of the resulting lines.
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

/// Returns the differences around a change that both have: from the hunk's resulting lines to those of `upstream`,
/// aligned at the hunk's longest addition; nothing if the hunk adds nothing, or its addition occurs more than once.
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
std::optional<AuditUpstreamFile> match_file(const patch::FilePatch& file, const AuditFile& ours,
                                            const source::LocatedRepository& repository, source::PinnedLookup& lookup) {
  const auto entry = lookup.find(repository, file.path());
  const bool is_file = entry && entry->mode != FileMode::directory;
  if (file.new_path.empty()) {
    if (entry) return std::nullopt;
    return AuditUpstreamFile{file.path(), {}, false};
  }
  if (!is_file) return std::nullopt;
  if (ours.after && entry->id == *ours.after) return AuditUpstreamFile{file.path(), entry->id, true};
  if (file.hunks.empty()) return std::nullopt;
  const patch::PatchFile change{"", {file}};
  MemoryFiles files = read_paths(patch::touched_paths(change), repository, lookup);
  if (!holds_change(change, files)) return std::nullopt;
  return AuditUpstreamFile{file.path(), entry->id, false, difference_to(ours, files.read(file.path()))};
}

UpstreamMatch match_release(const AuditStep& step, const AuditPatch& entry, const Release& release,
                            source::PinnedLookup& lookup) {
  std::vector<AuditUpstreamFile> files;
  try {
    const source::LocatedRepository* repository = lookup.find_repository(release, step.repository);
    for (std::size_t i = 0; repository && i < step.parsed.files.size(); ++i) {
      auto seen = match_file(step.parsed.files[i], entry.files[i], *repository, lookup);
      if (!seen) return UpstreamMatch(std::in_place);
      files.push_back(std::move(*seen));
    }
  } catch (const source::MissingObject&) {
    return std::nullopt;
  }
  const bool is_there = std::ranges::any_of(files, [](const AuditUpstreamFile& each) { return each.blob.has_value(); });
  if (!is_there) files.clear();  // a removed file proves nothing
  return files;
}

/// Adds the result for the next release, oldest first.
void add_match(const std::string& release, UpstreamMatch match, AuditUpstream& upstream) {
  if (!match) return upstream.not_looked_at.push_back(release);
  ++upstream.looked_at;
  const bool is_there = !match->empty(), has_been = !upstream.since.empty();
  const bool has_gone = has_been && !upstream.is_newest;
  if (!has_been && is_there) {
    upstream.since = release;
    upstream.files = std::move(*match);
  }
  upstream.is_newest = is_there && !has_gone;
  if (upstream.is_newest) upstream.until = release;
}

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
      if (is_later(*later[item], i)) writer.put(match_release(steps[i], entries[i], *later[item], lookup));
    return writer.take();
  };
  const auto looked = source::run_lookups(later.size(), task, catalog.moved_repositories, source, jobs, console);
  std::vector<AuditUpstream> upstream(steps.size());
  for (std::size_t item = 0; item < later.size(); ++item) {
    WireReader reader(looked[item].bytes);
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (is_later(*later[item], i)) add_match(later[item]->version.text(), reader.get<UpstreamMatch>(), upstream[i]);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_looked_for = std::ranges::any_of(later, [&](const Release* each) { return is_later(*each, i); });
    if (is_looked_for) entries[i].upstream = std::move(upstream[i]);
  }
}

}  // namespace torchpatch::upkeep
