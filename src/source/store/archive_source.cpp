// SPDX-License-Identifier: BSD-3-Clause
#include "source/store/archive_source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <span>

#include "archive/read_archive.h"
#include "git/object_store.h"
#include "git/pack_writer.h"
#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"

namespace torchpatch::source {

namespace {

constexpr std::string_view kKind = "torchpatch archive 1";

/// Sorts the entries, and strips the top directory if they all share one.
void arrange(ArchiveContents& contents) {
  std::vector<ArchiveEntry>& entries = contents.entries;
  std::ranges::sort(entries, {}, &ArchiveEntry::path);
  if (entries.empty()) return;
  const std::string prefix = entries.front().path.substr(0, entries.front().path.find('/') + 1);
  if (prefix.empty() || !starts_with(entries.back().path, prefix)) return;  // then the entries in between share it too
  contents.top = prefix.substr(0, prefix.size() - 1);
  for (ArchiveEntry& entry : entries) entry.path.erase(0, prefix.size());
}

constexpr std::uint64_t kMaxContentsBytes = 512ull << 20;
/// A new pack is started above this size.
constexpr std::uint64_t kFullPack = 1ull << 30;
constexpr std::chrono::minutes kLongestRead{5};

UniqueFd open_archive(const std::string& path) {
  if (is_regular_file(path)) return open_regular_file(path, "the archive ");
  throw Error(
      ErrorKind::environment,
      concat("opening the archive ", quote(path), ": it is not ", file_exists(path) ? "a regular file" : "there"),
      "use --archive REPOSITORY=FILE, where FILE is a release archive");
}

/// Returns a text with CR LF converted to LF; nothing if it has none or is binary by git's test (a NUL near its start).
/// With `*.bat text eol=crlf` in .gitattributes, `git archive` writes CR LF for a blob with LF.
std::optional<std::string> with_unix_line_ends(std::string_view bytes) {
  constexpr std::size_t kLookedAt = 8000;
  if (bytes.find("\r\n") == std::string_view::npos) return std::nullopt;
  if (bytes.substr(0, kLookedAt).find('\0') != std::string_view::npos) return std::nullopt;
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != '\r' || i + 1 == bytes.size() || bytes[i + 1] != '\n') text += bytes[i];
  return text;
}

/// The worker's part: writes members into packs and a list.
class Ingest {
 public:
  Ingest(const RepositoryPath& repository, std::string file, std::string pack_folder)
      : repository_(repository), file_(std::move(file)), pack_folder_(std::move(pack_folder)) {}

  ArchiveContents run(int fd) {
    const archive::ArchiveFacts facts =
        archive::read_archive({fd, file_}, {}, [&](archive::Member&& member) { take(member); });
    pack_->finish();
    contents_.format = facts.format;
    contents_.commit = facts.commit;
    arrange(contents_);
    check_links();
    return std::move(contents_);
  }

 private:
  void take(const archive::Member& member) {
    if (member.type == archive::MemberType::directory) return;
    ArchiveEntry entry{member.path, FileMode::regular, {}};
    if (member.type == archive::MemberType::hard_link) {
      entry = contents_.entries[places_.at(member.bytes)];
      entry.path = member.path;
    } else {
      entry.blob = store(member.bytes);
      if (member.type == archive::MemberType::executable) entry.mode = FileMode::executable;
      if (member.type == archive::MemberType::link) {
        entry.mode = FileMode::link;
        targets_[member.path] = member.bytes;
      } else if (const auto text = with_unix_line_ends(member.bytes)) {
        entry.unix_blob = store(*text);
      }
    }
    places_[member.path] = contents_.entries.size();
    contents_.entries.push_back(std::move(entry));
  }

  ObjectId store(std::string_view bytes) {
    if (pack_ && pack_->size() > kFullPack) {
      pack_->finish();
      pack_.reset();
    }
    if (!pack_) pack_ = std::make_unique<git::GrowingPack>(pack_folder_);
    return pack_->write(git::ObjectType::blob, bytes);
  }

  /// Checks each link at its path in OUT.
  void check_links() const {
    const std::string below = repository_directory(repository_);
    const std::size_t top = contents_.top.empty() ? 0 : contents_.top.size() + 1;
    for (const auto& [path, target] : targets_) {
      if (const auto problem = link_problem(concat(below, "/", path.substr(top)), target)) {
        throw Error(ErrorKind::unsafe,
                    concat("reading the archive ", quote(file_), ": the link ", quote(path), " ", *problem));
      }
    }
  }

  const RepositoryPath& repository_;
  std::string file_, pack_folder_;
  std::unique_ptr<git::GrowingPack> pack_;
  ArchiveContents contents_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, std::string> targets_;
};

/// An archive being read into the cache.
struct Reading {
  std::size_t archive;  ///< index of what the user named
  UniqueFd file;
  std::string repository;
};

std::string contents_path(const std::string& repository) { return repository + "/contents"; }

/// Returns the contents recorded when the archive was read; nothing if it was not, or not completely, or if its packs
/// are damaged: then it is read again.
std::optional<ArchiveContents> noted_contents(const std::string& repository) {
  if (type_at(repository) != S_IFDIR || type_at(contents_path(repository)) != S_IFREG) return std::nullopt;
  if (!git::are_packs_intact(repository + "/objects/pack")) return std::nullopt;
  ::utimensat(AT_FDCWD, contents_path(repository).c_str(), nullptr, 0);  // in use, for `cache gc`
  const std::string bytes = read_file(contents_path(repository), kMaxContentsBytes);
  try {
    return decode_archive_contents(bytes);
  } catch (const Error&) {
    return std::nullopt;  // of another version of torchpatch, or damaged
  }
}

/// Waits for the repositories of `readings` and empties them, except those another process has read in the meantime;
/// returns their locks.
std::vector<UniqueFd> lock_all(std::vector<Reading>& readings, std::vector<OpenArchive>& opened, const Cache& cache) {
  if (readings.empty()) return {};
  cache.make();
  std::vector<UniqueFd> locks = make_bare_repositories(cache.directory(), collect(readings, &Reading::repository));
  std::erase_if(readings, [&](const Reading& reading) {
    auto contents = noted_contents(reading.repository);
    if (contents) opened[reading.archive].contents = std::move(*contents);
    return contents.has_value();
  });
  for (const Reading& reading : readings) Cache::empty_repository(reading.repository);
  return locks;
}

/// Reads the archives of `readings` in worker processes and records their contents.
void read_all(const std::vector<Reading>& readings, std::vector<OpenArchive>& opened, int jobs) {
  const auto read = [&](std::size_t item) {
    const NamedArchive& name = opened[readings[item].archive].name;
    return Ingest(name.repository, name.file, readings[item].repository + "/objects/pack")
        .run(readings[item].file.get());
  };
  const auto take = [&](std::size_t item, ArchiveContents& contents) {
    // Last: without it the archive counts as unread.
    write_file_atomically(contents_path(readings[item].repository), encode_archive_contents(contents));
    opened[readings[item].archive].contents = std::move(contents);
  };
  const auto describe = [&](std::size_t item) {
    return concat("reading the archive ", quote(opened[readings[item].archive].name.file));
  };
  WorkerLimits limits;
  limits.cpu = kLongestRead;
  limits.stall = kLongestRead;
  map_in_workers(readings.size(), jobs, read, describe, take, limits);
}

constexpr std::size_t kShownLines = 10;
constexpr std::size_t kShownNames = 3;

/// Returns the directory of an archive that contains a repository; nothing if the archive is for another one.
std::optional<std::string> place_in(const OpenArchive& archive, const RepositoryPath& repository) {
  const RepositoryPath& top = archive.name.repository;
  if (top.component != repository.component) return std::nullopt;
  if (top.path == repository.path) return "";
  if (top.path.empty()) return repository.path;
  if (!starts_with(repository.path, top.path + "/")) return std::nullopt;
  return repository.path.substr(top.path.size() + 1);
}

ArchiveComparison compare_archive(const Closure& closure, const OpenArchive& archive) {
  const std::vector<ArchiveEntry>& entries = archive.contents.entries;
  ArchiveComparison result;
  result.repository = archive.name.repository.text();
  result.file = archive.name.file;
  result.format = archive.contents.format;
  result.digest = archive.digest;
  result.commit = archive.contents.commit;
  std::vector<bool> is_pinned(entries.size());
  const auto compare = [&](const std::string& path, FileMode mode, const ObjectId& blob) {
    ++result.pinned_files;
    const ArchiveEntry* entry = archive.contents.find(path);
    if (!entry) return result.absent.push_back(path);
    is_pinned[static_cast<std::size_t>(entry - entries.data())] = true;
    if (entry->blob != blob)
      (entry->unix_blob == blob ? result.converted : result.differing).push_back(path);
    else if (entry->mode != mode)
      result.modes.push_back(path);
  };
  // A submodule without files there comes from elsewhere: hosts' archives have empty directories.
  const auto place_with_files = [&](const RepositoryPath& repository) {
    const auto place = place_in(archive, repository);
    return place && archive.contents.has_below(*place) ? place : std::nullopt;
  };
  std::vector<std::optional<std::string>> places;
  for (const ClosureRepository& repository : closure.repositories) {
    if (repository.path == archive.name.repository) result.pinned = repository.commit.hex();
    places.push_back(place_with_files(repository.path));
  }
  for (const ClosureFile& file : closure.files) {
    const auto& place = places[static_cast<std::size_t>(file.repository)];
    if (place) compare(join_path(*place, file.path), file.mode, file.blob);
  }
  for (const ClosureGap& gap : closure.gaps) {
    const auto place = gap.entry.mode == FileMode::gitlink ? std::nullopt : place_with_files(gap.repository);
    if (place) compare(join_path(*place, gap.entry.path), gap.entry.mode, gap.entry.id);
  }
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (!is_pinned[i]) result.extra.push_back(entries[i].path);
  for (auto* paths : {&result.converted, &result.differing, &result.modes, &result.absent}) std::ranges::sort(*paths);
  return result;
}

/// Writes the tree of sorted entries that share the first `skipped` bytes of their paths; returns its id.
ObjectId write_tree(std::span<const ArchiveEntry> entries, std::size_t skipped, git::GrowingPack& pack) {
  std::vector<git::TreeEntry> made;
  while (!entries.empty()) {
    const std::string& path = entries.front().path;
    const std::size_t slash = path.find('/', skipped);
    const std::string name = path.substr(skipped, slash - skipped);
    if (slash == std::string::npos) {
      made.push_back({name_of(entries.front().mode), name, entries.front().blob});
      entries = entries.subspan(1);
      continue;
    }
    const std::string prefix = path.substr(0, slash + 1);
    const auto is_below = [&](const ArchiveEntry& entry) { return starts_with(entry.path, prefix); };
    const auto count = static_cast<std::size_t>(std::ranges::find_if_not(entries, is_below) - entries.begin());
    made.push_back({name_of(FileMode::directory), name, write_tree(entries.first(count), slash + 1, pack)});
    entries = entries.subspan(count);
  }
  return pack.write(git::ObjectType::tree, git::format_tree(std::move(made)));
}

/// Returns "3 files ('a', 'b', 'c')", or with "…" if there are more.
std::string named(const std::vector<std::string>& paths, const std::string& adjective = {}) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(paths.size(), kShownNames); ++i) names.push_back(quote(paths[i]));
  if (paths.size() > kShownNames) names.push_back("…");
  return concat(paths.size(), adjective, paths.size() == 1 ? " file (" : " files (", join(names, ", "), ")");
}

}  // namespace

const ArchiveEntry* ArchiveContents::find(std::string_view path) const {
  const auto found = std::ranges::lower_bound(entries, path, {}, &ArchiveEntry::path);
  return found != entries.end() && found->path == path ? &*found : nullptr;
}

bool ArchiveContents::has_below(std::string_view directory) const {
  if (directory.empty()) return !entries.empty();
  const std::string prefix = concat(directory, "/");
  const auto found = std::ranges::lower_bound(entries, prefix, {}, &ArchiveEntry::path);
  return found != entries.end() && starts_with(found->path, prefix);
}

ContentPin write_content(const OpenArchive& archive, ContentPin pin) {
  const std::string repository = parent_path(archive.object_folder);
  const UniqueFd lock = make_bare_repository(parent_path(repository), repository);
  git::GrowingPack pack(archive.object_folder + "/pack");
  std::vector<ArchiveEntry> entries = archive.contents.entries;
  std::string gitmodules;
  for (const auto& [path, submodule] : pin.gitlinks) {
    if (archive.contents.find(path) || archive.contents.has_below(path))
      throw Error(ErrorKind::data, concat("the archive ", quote(archive.name.file), " has files at ", quote(path)),
                  "they are its content: pin no submodule there");
    entries.push_back({path, FileMode::gitlink, submodule.commit});
    gitmodules += concat("[submodule \"", path, "\"]\n\tpath = ", path, "\n\turl = ", submodule.url, "\n");
  }
  if (!gitmodules.empty() && !archive.contents.find(".gitmodules"))
    entries.push_back({".gitmodules", FileMode::regular, pack.write(git::ObjectType::blob, gitmodules)});
  std::ranges::sort(entries, {}, &ArchiveEntry::path);
  pin.tree = write_tree(entries, 0, pack);
  pin.commit = pack.write(git::ObjectType::commit, pin.raw_commit());
  pack.finish();
  return pin;
}

std::optional<ObjectId> tree_of_commit(const ObjectSource& source, const ObjectId& commit) {
  const auto look_up = [&](std::size_t) -> std::optional<ObjectId> {
    git::ObjectStore store(source.object_folders());
    const std::optional<git::Object> object = store.read(commit);
    if (!object || object->type != git::ObjectType::commit) return std::nullopt;
    return git::parse_commit(object->bytes).tree;
  };
  return map_in_workers(1, 1, look_up, [&](std::size_t) { return "reading commit " + commit.hex(); }).front();
}

std::string describe_content(const ContentPin& content, const ObjectSource& source) {
  const auto tree = content.claims ? tree_of_commit(source, *content.claims) : std::nullopt;
  if (!tree) return content.text();
  ContentPin known = content;
  known.claims.reset();
  return concat(known.text(), "; upstream's commit ", content.claims->hex(),
                *tree == content.tree ? " has the same tree" : " has another tree, " + tree->hex());
}

std::string encode_archive_contents(const ArchiveContents& contents) {
  WireWriter writer;
  writer.put(kKind);
  writer.put(contents);
  return writer.take();
}

ArchiveContents decode_archive_contents(std::string_view bytes) {
  WireReader reader(bytes);
  if (reader.get<std::string>() != kKind) throw Error(ErrorKind::source, "these are not the contents of an archive");
  auto contents = reader.get<ArchiveContents>();
  reader.finish();
  return contents;
}

NamedArchive NamedArchive::parse(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto repository = RepositoryPath::parse(std::string_view(text).substr(0, std::min(equals, text.size())));
  if (equals == std::string::npos || equals + 1 == text.size() || !repository) {
    throw Error(ErrorKind::usage, concat("--archive ", quote(text), ": it is not REPOSITORY=FILE"),
                "such as torch=pytorch-1.1.0.tar.gz or torch:third_party/onnx=onnx.zip");
  }
  return {*repository, text.substr(equals + 1)};
}

Sha256 digest_of_archive(const NamedArchive& archive) {
  return digest_of_file(open_archive(archive.file), archive.file).sha256;
}

std::vector<OpenArchive> open_archives(const std::vector<NamedArchive>& archives, const Cache& cache, int jobs,
                                       Console& console) {
  std::vector<OpenArchive> opened;
  std::vector<Reading> readings;
  std::map<Sha256, std::size_t> seen;
  for (const NamedArchive& name : archives) {
    UniqueFd file = open_archive(name.file);
    const Sha256 digest = digest_of_file(file, name.file).sha256;
    const std::string repository = cache.archive_repository(digest);
    opened.push_back({name, digest, repository + "/objects", {}});
    const bool is_first = seen.try_emplace(digest, opened.size() - 1).second;
    if (!is_first) continue;
    if (auto contents = noted_contents(repository)) {
      opened.back().contents = std::move(*contents);
      continue;
    }
    readings.push_back({opened.size() - 1, std::move(file), repository});
  }
  const std::vector<UniqueFd> locks = lock_all(readings, opened, cache);
  for (const Reading& reading : readings)
    console.status(concat("reading the archive ", quote(opened[reading.archive].name.file)));
  read_all(readings, opened, jobs);
  for (OpenArchive& archive : opened) archive.contents = opened[seen.at(archive.digest)].contents;
  return opened;
}

ArchiveSource::ArchiveSource(const std::vector<NamedArchive>& archives, std::unique_ptr<ObjectSource> rest,
                             const Cache& cache, int jobs, Console& console)
    : rest_(std::move(rest)) {
  cache.check_layout();
  cache.make();
  in_use_ = cache.enter();
  archives_ = open_archives(archives, cache, jobs, console);
}

void ArchiveSource::note_use(int folder, const ObjectId& commit) {
  const int of_rest = folder - static_cast<int>(archives_.size());
  if (of_rest >= 0) rest_->note_use(of_rest, commit);
}

const std::vector<std::string>& ArchiveSource::object_folders() const {
  folders_.clear();
  for (const OpenArchive& archive : archives_) folders_.push_back(archive.object_folder);
  const std::vector<std::string>& more = rest_->object_folders();
  folders_.insert(folders_.end(), more.begin(), more.end());
  return folders_;
}

std::vector<std::string> ArchiveSource::bring(const std::vector<PinnedRepository>& wanted, Console& console) {
  std::vector<std::string> reasons = rest_->bring(wanted, console);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i].content) continue;
    const ContentPin& content = *wanted[i].content;
    const auto archive = std::ranges::find(archives_, content.sha256, &OpenArchive::digest);
    if (archive == archives_.end()) continue;
    const ContentPin made = write_content(*archive, content);
    if (made.commit != content.commit) {
      throw Error(ErrorKind::data,
                  concat("reading ", wanted[i].path.text(), ": the files of ", quote(archive->name.file), " make tree ",
                         made.tree.hex(), ", but ", content.tree.hex(), " is pinned"),
                  "the release was created from a different list of submodules: do not use it");
    }
    reasons[i].clear();
  }
  return reasons;
}

std::string ArchiveSource::describe() const {
  std::vector<std::string> names;
  for (const OpenArchive& archive : archives_) names.push_back(quote(archive.name.file));
  return concat(names.size() == 1 ? "the archive " : "the archives ", join(names, ", "), " and ", rest_->describe());
}

std::string ArchiveSource::hint() const {
  return "an archive contains only files: the pinned commits and trees must come from a repository. Pass one with "
         "--mirror (a clone with --depth 1 --filter=blob:none is enough), or let torchpatch fetch it once";
}

std::vector<ArchiveComparison> compare_archives(const Closure& closure, const std::vector<OpenArchive>& archives) {
  return collect(archives, [&](const OpenArchive& archive) { return compare_archive(closure, archive); });
}

std::vector<std::string> archive_warnings(const ArchiveComparison& comparison) {
  std::vector<std::string> lines;
  const auto tell = [&](const std::string& text) {
    lines.push_back(concat("the archive ", quote(comparison.file), " of ", comparison.repository, ": ", text));
  };
  if (comparison.pinned.empty()) tell("the release has no such repository; only its contents were used");
  if (!comparison.commit.empty() && !comparison.pinned.empty() && comparison.commit != comparison.pinned) {
    tell(concat("it was made from commit ", comparison.commit, ", not from the pinned ", comparison.pinned,
                "; only pinned contents were used"));
  }
  if (!comparison.converted.empty()) {
    tell(concat("line endings were converted to CR LF in ", named(comparison.converted),
                "; the pinned contents were restored"));
  }
  if (!comparison.differing.empty()) {
    tell(concat("contents differ from the pinned ones, and were not used, in ", named(comparison.differing),
                "; a packager or git attributes (export-subst, eol) changed them"));
  }
  if (!comparison.absent.empty()) tell(concat("it lacks ", named(comparison.absent, " pinned")));
  if (!comparison.extra.empty()) tell(concat("ignored, since they are not pinned: ", named(comparison.extra)));
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
