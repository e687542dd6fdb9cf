// SPDX-License-Identifier: BSD-3-Clause
#include "source/closure/repository_tree.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "git/gitmodules.h"
#include "git/object.h"
#include "model/url.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::unsafe, concat("reading the tree entry ", quote(path), ": ", reason));
}

class Walker {
 public:
  /// `result.store` is the folder of the commit.
  Walker(git::ObjectStore& store, const std::string& directory, std::uint64_t max_entries, RepositoryTree& result)
      : store_(store), near_(result.store), directory_(directory), max_entries_(max_entries), result_(result) {}

  /// Reads a commit's tree.
  void read_root(const ObjectId& tree) {
    count_entries(tree, "", 0);
    walk(tree, "");
  }

 private:
  /// Returns the number of entries in and below a directory. Counts each object once, so that 20^12 files in a few
  /// kilobytes are refused immediately.
  std::uint64_t count_entries(const ObjectId& tree, const std::string& prefix, int depth) {
    if (depth > kMaxTreeDepth) refuse(prefix, concat("nested deeper than ", kMaxTreeDepth, " directories"));
    const auto known = counts_.find(tree);
    if (known != counts_.end()) return known->second;
    std::uint64_t count = 0;
    for (const git::TreeEntry& entry : read_tree(tree, prefix)) {
      const bool is_directory = parse_file_mode(entry.mode) == FileMode::directory;
      count += 1 + (is_directory ? count_entries(entry.id, prefix + entry.name + "/", depth + 1) : 0);
      if (count > max_entries_)
        refuse(prefix + entry.name, concat("the tree has more than ", max_entries_, " entries"));
    }
    return counts_[tree] = count;
  }

  void walk(const ObjectId& tree, const std::string& prefix) {
    const std::vector<git::TreeEntry>& entries = read_tree(tree, prefix);
    // verify could not detect it, as nothing on disk represents it.
    if (entries.empty() && !prefix.empty())
      refuse(prefix, "it is a directory without entries, which git never creates");
    for (const git::TreeEntry& entry : entries) {
      const std::string path = prefix + entry.name;
      const FileMode mode = check(entry, path);
      check_gitmodules(entry, mode, prefix);
      if (mode == FileMode::directory) {
        walk(entry.id, path + "/");
        continue;
      }
      result_.entries.push_back({path, mode, entry.id});
      if (mode == FileMode::gitlink) continue;
      if (const auto size = store_.size_of(entry.id, near_))
        result_.bytes += std::min(*size, git::kMaxObjectBytes);
      else if (store_.find(entry.id, near_) < 0)
        result_.missing_files.push_back(result_.entries.back());
    }
  }

  std::string read(const ObjectId& id, git::ObjectType type, const std::string& path) {
    git::Object object =
        read_or_miss(store_, id, near_, concat(git::object_type_name(type), " ", id.hex(), " (", quote(path), ")"));
    if (object.type != type) {
      throw Error(ErrorKind::source,
                  concat("reading ", quote(path), ": ", id.hex(), " is a ", git::object_type_name(object.type),
                         ", not a ", git::object_type_name(type)));
    }
    return std::move(object.bytes);
  }

  const std::vector<git::TreeEntry>& read_tree(const ObjectId& id, const std::string& path) {
    const auto known = trees_.find(id);
    if (known != trees_.end()) return known->second;
    try {
      return trees_.emplace(id, git::parse_tree(read(id, git::ObjectType::tree, path))).first->second;
    } catch (Error& error) {
      error.add_context(concat("in ", path.empty() ? "its root directory" : quote(path), ", tree ", id.hex()));
      throw;
    }
  }

  FileMode check(const git::TreeEntry& entry, const std::string& path) {
    // The name alone first: with a slash it would pass as a path.
    if (const auto problem = component_problem(entry.name)) refuse(path, *problem);
    if (const auto problem = output_path_problem(concat(directory_, "/", path))) refuse(path, *problem);
    const auto mode = parse_file_mode(entry.mode);
    // Only git's own spelling of a mode: verify must compute the same tree from the files alone.
    if (!mode || entry.mode != name_of(*mode)) refuse(path, concat("mode ", entry.mode, " is not supported"));
    return *mode;
  }

  void check_gitmodules(const git::TreeEntry& entry, FileMode mode, const std::string& prefix) {
    // A link with such a name can lead git to a file that was not reviewed (CVE-2018-11235).
    if (!prefix.empty() || !reads_as_gitmodules(entry.name)) return;
    if (mode != FileMode::regular && mode != FileMode::executable) refuse(entry.name, "it is not a regular file");
    if (entry.name != ".gitmodules") return;
    result_.has_gitmodules = true;
    result_.gitmodules = read(entry.id, git::ObjectType::blob, entry.name);
    if (result_.gitmodules.size() > kMaxGitmodulesBytes) refuse(entry.name, "it is larger than 1 MiB");
  }

  git::ObjectStore& store_;
  int near_;
  const std::string& directory_;
  std::uint64_t max_entries_;
  RepositoryTree& result_;
  std::unordered_map<ObjectId, std::uint64_t, DigestHash> counts_;
  /// Directories that occur at many paths are read once: reading a small one a million times would take minutes.
  std::unordered_map<ObjectId, std::vector<git::TreeEntry>, DigestHash> trees_;
};

/// Returns which files are missing, or empty text.
std::string missing_text(const std::vector<PinnedEntry>& files) {
  if (files.empty()) return {};
  const std::string first = concat("the blob ", files.front().id.hex(), " (", quote(files.front().path), ")");
  if (files.size() == 1) return first + " was not found";
  return concat(first, " and those of ", files.size() - 1, files.size() == 2 ? " other file" : " other files",
                " were not found");
}

std::map<std::string, git::Submodule> read_gitmodules(const PinnedRepository& parent, const RepositoryTree& tree) {
  std::map<std::string, git::Submodule> by_path;
  try {
    for (git::Submodule& submodule : git::parse_gitmodules(tree.gitmodules)) by_path[submodule.path] = submodule;
  } catch (const Error& error) {
    throw Error(ErrorKind::unsafe, concat("reading .gitmodules of ", parent.path.text(), " at ", parent.commit.hex(),
                                          ", ", error.message()));
  }
  return by_path;
}

/// Returns why the URL recorded in an entry is refused, if it is. A URL with a problem is refused even if nothing is
/// fetched from it, because it goes into the manifest.
std::optional<std::string> refusal_of(const PinnedRepository& parent, const git::Submodule& submodule,
                                      const std::string& url) {
  auto problem = url_problem(url);
  if (!problem && url_scheme(url) == "file" && url_scheme(parent.url) != "file") problem = "it is a local directory";
  if (!problem) return std::nullopt;
  return concat("reading .gitmodules of ", parent.path.text(), " at ", parent.commit.hex(), ", line ", submodule.line,
                ": the URL ", redact_url(url), " is refused: ", *problem);
}

PinnedRepository make_submodule(const PinnedRepository& parent, const PinnedEntry& gitlink, std::string url,
                                const std::vector<MovedRepository>& moved) {
  PinnedRepository repository;
  repository.path = parent.path;
  repository.path.path = parent.path.path.empty() ? gitlink.path : concat(parent.path.path, "/", gitlink.path);
  repository.commit = gitlink.id;
  repository.gitlink = gitlink.id;
  repository.url = std::move(url);
  repository.may_fetch_recorded =
      url_scheme(repository.url) == "https" || url_origin(repository.url) == url_origin(parent.url);
  repository.moved_urls = find_moved_urls(repository.url, moved);
  return repository;
}

}  // namespace

git::Object read_or_miss(git::ObjectStore& store, const ObjectId& id, int near, const std::string& what) {
  try {
    if (auto object = store.read(id, near)) return std::move(*object);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::source) throw;  // refused, or a failure of this machine: not absent
    throw AbsentObject{error.message()};
  }
  throw AbsentObject{concat("the ", what, " was not found")};
}

RepositoryTree read_repository_tree(git::ObjectStore& store, const ObjectId& commit, const std::string& directory,
                                    std::uint64_t max_entries) {
  RepositoryTree result;
  result.store = store.find(commit);
  try {
    const git::Object object = read_or_miss(store, commit, result.store, "commit");
    if (object.type != git::ObjectType::commit) {
      throw Error(ErrorKind::source,
                  concat("reading ", commit.hex(), ": it is a ", git::object_type_name(object.type), ", not a commit"));
    }
    result.raw_commit = object.bytes;
    Walker(store, directory, max_entries, result).read_root(git::parse_commit(object.bytes).tree);
    result.missing = missing_text(result.missing_files);
    std::ranges::sort(result.entries, {}, &PinnedEntry::path);
    std::ranges::sort(result.missing_files, {}, &PinnedEntry::path);
  } catch (const AbsentObject& missing) {
    result = {};
    result.missing = missing.reason;
  }
  result.damage = store.warnings();
  return result;
}

std::string missing_text(const MissingPin& missing) {
  const PinnedRepository& repository = missing.repository;
  if (repository.content) {
    const std::string name = repository.path.text();
    return concat(name, ": ", repository.content->text(), ": ", missing.reason, "; pass that file with --archive ",
                  name, "=FILE");
  }
  std::string text = concat(repository.path.text(), ": commit ", repository.commit.hex(), " of ",
                            redact_url(repository.url), ": ", missing.reason);
  if (!repository.may_fetch_recorded)
    text += " (from .gitmodules, only https URLs and URLs on the parent's server are fetched)";
  for (const std::string& url : repository.moved_urls) text += concat("; also known at ", redact_url(url));
  return text;
}

void raise_missing(const std::string& action, const std::vector<std::string>& lines, const ObjectSource& source,
                   const std::string& hint, const MissingFiles& of) {
  const std::size_t commits = lines.size() - of.partial;
  std::vector<std::string> counts;
  if (commits > 0) counts.push_back(concat(commits, commits == 1 ? " commit" : " commits"));
  if (of.files > 0) counts.push_back(concat(of.files, of.files == 1 ? " file" : " files"));
  throw Error(ErrorKind::source,
              concat(action, " from ", source.describe(), ": ", join(counts, " and "),
                     commits + of.files == 1 ? " is" : " are", " not there\n  ", join(lines, "\n  ")),
              hint);
}

PinnedRepository component_pin(const Release& release, Component component, const std::vector<MovedRepository>& moved) {
  const ComponentPin* pin = release.find(component);
  if (!pin)
    throw Error(ErrorKind::internal, concat("the release ", release.version.text(), " pins no ", name_of(component)));
  if (const auto problem = url_problem(pin->url)) {
    throw Error(ErrorKind::unsafe, concat("reading the pin of ", name_of(component), ": the URL ", redact_url(pin->url),
                                          " is refused: ", *problem));
  }
  PinnedRepository pinned{{component, ""}, pin->url, pin->commit, pin->commit, true, find_moved_urls(pin->url, moved)};
  if (pin->is_content()) pinned.content = pin->content;
  return pinned;
}

std::vector<std::string> find_moved_urls(const std::string& url, const std::vector<MovedRepository>& moved) {
  std::vector<std::string> urls;
  for (const MovedRepository& repository : moved) {
    if (canonical_url(repository.from) != canonical_url(url)) continue;
    for (const std::string& to : repository.to)
      if (!url_problem(to) && std::find(urls.begin(), urls.end(), to) == urls.end()) urls.push_back(to);
  }
  return urls;
}

std::vector<PinnedRepository> find_submodules(const PinnedRepository& parent, const RepositoryTree& tree,
                                              const std::vector<MovedRepository>& moved,
                                              std::vector<std::string>& notes, std::vector<ClosureGap>* refused) {
  std::map<std::string, git::Submodule> known = read_gitmodules(parent, tree);
  std::vector<PinnedRepository> submodules;
  for (const PinnedEntry& entry : tree.entries) {
    if (entry.mode != FileMode::gitlink) continue;
    const auto found = known.find(entry.path);
    if (found == known.end()) {
      throw Error(ErrorKind::unsafe,
                  concat("reading ", parent.path.text(), " at ", parent.commit.hex(), ": the submodule ",
                         quote(entry.path), " has no entry in .gitmodules, so its repository is unknown"));
    }
    std::string url = resolve_url(parent.url, found->second.url);
    if (const auto why = refusal_of(parent, found->second, url); !why)
      submodules.push_back(make_submodule(parent, entry, std::move(url), moved));
    else if (refused)
      refused->push_back({parent.path, entry, *why});
    else
      throw RefusedUrl(*why);
    known.erase(found);
  }
  for (const auto& [path, submodule] : known) {
    notes.push_back(concat(parent.path.text(), ": .gitmodules has an entry for ", quote(path), " (line ",
                           submodule.line, "), but the commit has no submodule at this path"));
  }
  return submodules;
}

std::string name_of(const PinnedRepository& repository) {
  return concat(repository.path.text(), " at ", repository.commit.hex());
}

}  // namespace torchpatch::source
