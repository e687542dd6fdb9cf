// SPDX-License-Identifier: BSD-3-Clause
#include "source/store/archive_match.h"

#include <algorithm>
#include <optional>

#include "support/file.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr std::size_t kShownLines = 10;
constexpr std::size_t kShownNames = 3;

/// Returns the directory of an archive in which a repository lies; nothing where the archive is not for it.
std::optional<std::string> place_in(const OpenArchive& archive, const RepositoryPath& repository) {
  const RepositoryPath& top = archive.name.repository;
  if (top.component != repository.component) return std::nullopt;
  if (top.path == repository.path) return "";
  if (top.path.empty()) return repository.path;
  if (!starts_with(repository.path, top.path + "/")) return std::nullopt;
  return repository.path.substr(top.path.size() + 1);
}

/// Compares pinned files with one archive, and remembers which of its entries were asked for.
class Comparer {
 public:
  Comparer(const OpenArchive& archive, ArchiveComparison& result)
      : entries_(archive.contents.entries), archive_(archive), result_(result), is_pinned_(entries_.size()) {}

  void compare(const std::string& path, FileMode mode, const ObjectId& blob) {
    ++result_.pinned_files;
    const ArchiveEntry* entry = archive_.contents.find(path);
    if (!entry) {
      result_.absent.push_back(path);
      return;
    }
    is_pinned_[static_cast<std::size_t>(entry - entries_.data())] = true;
    if (entry->blob != blob)
      (entry->unix_blob == blob ? result_.converted : result_.differing).push_back(path);
    else if (entry->mode != mode)
      result_.modes.push_back(path);
  }

  void finish() {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (!is_pinned_[i]) result_.extra.push_back(entries_[i].path);
    for (auto* paths : {&result_.converted, &result_.differing, &result_.modes, &result_.absent})
      std::ranges::sort(*paths);
  }

 private:
  const std::vector<ArchiveEntry>& entries_;
  const OpenArchive& archive_;
  ArchiveComparison& result_;
  std::vector<bool> is_pinned_;
};

ArchiveComparison compare_archive(const Closure& closure, const OpenArchive& archive) {
  ArchiveComparison result;
  result.repository = archive.name.repository.text();
  result.file = archive.name.file;
  result.format = archive.contents.format;
  result.digest = archive.digest;
  result.commit = archive.contents.commit;
  std::vector<std::optional<std::string>> places;
  for (const ClosureRepository& repository : closure.repositories) {
    auto place = place_in(archive, repository.path);
    if (repository.path == archive.name.repository) result.pinned = repository.commit.hex();
    // A submodule that has nothing there is meant to come from elsewhere: archives of hosts have empty directories.
    if (place && !archive.contents.has_below(*place)) place.reset();
    places.push_back(std::move(place));
  }
  Comparer comparer(archive, result);
  for (const ClosureFile& file : closure.files) {
    const auto& place = places[static_cast<std::size_t>(file.repository)];
    if (place) comparer.compare(join_path(*place, file.path), file.mode, file.blob);
  }
  for (const ClosureGap& gap : closure.gaps) {
    const auto place = place_in(archive, gap.repository);
    if (!place || gap.entry.mode == FileMode::gitlink || !archive.contents.has_below(*place)) continue;
    comparer.compare(join_path(*place, gap.entry.path), gap.entry.mode, gap.entry.id);
  }
  comparer.finish();
  return result;
}

/// Returns "3 files ('a', 'b', 'c')", or with "…" for more.
std::string named(const std::vector<std::string>& paths, const std::string& adjective = {}) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(paths.size(), kShownNames); ++i) names.push_back(quote(paths[i]));
  if (paths.size() > kShownNames) names.push_back("…");
  return concat(paths.size(), adjective, paths.size() == 1 ? " file (" : " files (", join(names, ", "), ")");
}

}  // namespace

std::vector<ArchiveComparison> compare_archives(const Closure& closure, const std::vector<OpenArchive>& archives) {
  std::vector<ArchiveComparison> comparisons;
  for (const OpenArchive& archive : archives) comparisons.push_back(compare_archive(closure, archive));
  return comparisons;
}

std::vector<std::string> archive_warnings(const ArchiveComparison& comparison) {
  std::vector<std::string> lines;
  const auto tell = [&](const std::string& text) {
    lines.push_back(concat("the archive ", quote(comparison.file), " of ", comparison.repository, ": ", text));
  };
  if (comparison.pinned.empty()) tell("the release has no such repository; only its contents were used");
  if (!comparison.commit.empty() && !comparison.pinned.empty() && comparison.commit != comparison.pinned) {
    tell(concat("it was made of commit ", comparison.commit, ", not of the pinned ", comparison.pinned,
                "; only pinned contents were taken"));
  }
  if (!comparison.converted.empty()) {
    tell(concat("line ends were converted to CR LF in ", named(comparison.converted),
                "; the pinned contents were restored"));
  }
  if (!comparison.differing.empty()) {
    tell(concat("other contents than the pinned ones, and hence not taken, are in ", named(comparison.differing),
                "; a packager changed them, or attributes of git (export-subst, eol) did"));
  }
  if (!comparison.absent.empty()) tell(concat("it lacks ", named(comparison.absent, " pinned")));
  if (!comparison.extra.empty()) tell(concat("left out, since they are not pinned: ", named(comparison.extra)));
  return lines;
}

std::vector<std::string> explain_missing(const RepositoryPath& repository, const std::vector<PinnedEntry>& files,
                                         const std::vector<OpenArchive>& archives) {
  std::vector<std::string> lines;
  if (archives.empty()) return lines;
  for (const PinnedEntry& file : files) {
    if (lines.size() == kShownLines) {
      lines.push_back(concat("and ", files.size() - kShownLines, " more"));
      break;
    }
    std::string line = quote(file.path);
    for (const OpenArchive& archive : archives) {
      const auto place = place_in(archive, repository);
      if (!place) continue;
      const ArchiveEntry* entry = archive.contents.find(join_path(*place, file.path));
      const std::string name = quote(archive.name.file);
      line += entry == nullptr   ? concat(" is not in ", name)
              : entry->unix_blob ? concat(" differs in ", name, ", with LF for its CR LF as well")
                                 : concat(" differs in ", name);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace torchpatch::source
