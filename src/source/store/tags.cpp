// SPDX-License-Identifier: BSD-3-Clause
#include "source/store/tags.h"

#include "git/git_program.h"
#include "git/object.h"
#include "git/object_store.h"
#include "model/url.h"
#include "source/fetch/fetch_program.h"
#include "source/store/cache.h"
#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"

namespace torchpatch::source {

namespace {

constexpr std::string_view kTagReferences = "refs/tags/";
constexpr std::string_view kPeeled = "^{}";
constexpr std::uint64_t kMaxReferenceBytes = 1024;
/// Limit of tags that point to tags.
constexpr int kMostTagsInARow = 8;

/// Returns the tag with the commit that `id` peels to, or nothing. A missing object is assumed to be a commit: a copy
/// may have tags without their objects.
std::optional<CommitTag> follow(const std::string& name, ObjectId id, git::ObjectStore& store) {
  for (int i = 0; i < kMostTagsInARow; ++i) {
    const std::optional<git::Object> object = store.read(id);
    if (!object) return CommitTag{name, id};
    if (object->type == git::ObjectType::commit) return CommitTag{name, id, git::parse_commit(object->bytes).time};
    if (object->type != git::ObjectType::tag) return std::nullopt;
    id = git::parse_tag(object->bytes);
  }
  return std::nullopt;
}

TaggedCopy read_copy(const std::string& object_folder, const std::vector<ObjectId>& commits,
                     const ReferenceFilter& is_wanted) {
  git::ObjectStore store({object_folder});
  TaggedCopy copy;
  for (const ObjectId& commit : commits)
    if (store.find(commit) >= 0) copy.held.push_back(commit);
  if (copy.held.empty()) return copy;
  for (const auto& [name, id] : read_references(parent_path(object_folder), std::string(kTagReferences), is_wanted))
    if (auto tag = follow(name, id, store)) copy.tags.push_back(std::move(*tag));
  return copy;
}

void require_git() {
  if (!git::has_git())
    throw Error(ErrorKind::environment, "listing tags: the git program is not installed", "install git");
}

CommandLine ls_remote_line(const std::string& repository, const std::vector<std::string>& patterns) {
  return [repository, patterns](const std::string& url) {
    std::vector<std::string> line = git_line(repository, "ls-remote");
    line.insert(line.end(), {"--tags", "--", url});
    for (const std::string& pattern : patterns) {
      line.push_back(concat(kTagReferences, pattern));
      line.push_back(concat(kTagReferences, pattern, kPeeled));
    }
    return line;
  };
}

/// Runs each program until it succeeds, fails permanently, or has used its attempts.
std::vector<FetchOutcome> run_patiently(std::vector<FetchProgram> programs, const FetchOptions& options,
                                        Console& console) {
  std::vector<FetchOutcome> outcomes = run_fetch_programs(programs, options);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    FetchProgram& program = programs[i];
    for (int failures = 1; outcomes[i].may_pass && failures <= options.retries; ++failures) {
      const std::chrono::milliseconds time = wait_after(outcomes[i], failures);
      program.spent += outcomes[i].took + time;
      if (program.spent >= options.timeouts.total) break;
      console.status(concat("querying ", redact_url(program.url), " again in ", (time.count() + 999) / 1000,
                            " s: ", outcomes[i].reason));
      wait(time);
      outcomes[i] = run_fetch_programs({program}, options).front();
    }
  }
  return outcomes;
}

/// Parses lines "ID<tab>refs/tags/NAME"; "NAME^{}" is the peeled object of an annotated tag.
RemoteTags parse_tags(const FetchOutcome& outcome) {
  if (!outcome.reason.empty()) return {outcome.reason};
  if (!outcome.output.empty() && !ends_with(outcome.output, "\n")) return {"its list of tags exceeds 1 MiB"};
  std::map<std::string, CommitTag> tags;
  for (const std::string& line : split(outcome.output, '\n')) {
    const std::size_t tab = line.find('\t');
    const auto id = ObjectId::parse(line.substr(0, tab));
    if (!id || tab == std::string::npos || !starts_with(line.substr(tab + 1), kTagReferences)) continue;
    std::string name = line.substr(tab + 1 + kTagReferences.size());
    const bool is_peeled = ends_with(name, kPeeled);
    if (is_peeled) name.resize(name.size() - kPeeled.size());
    CommitTag& tag = tags[name];
    if (tag.name.empty() || is_peeled) tag = {name, *id};
  }
  RemoteTags found;
  for (auto& [name, tag] : tags) found.tags.push_back(std::move(tag));
  return found;
}

}  // namespace

References read_references(const std::string& repository, const std::string& prefix, const ReferenceFilter& is_wanted) {
  References references;
  if (const std::string path = repository + "/packed-refs"; file_exists(path)) {
    constexpr std::size_t kHex = 2 * sizeof ObjectId::bytes;
    for (const std::string& line : split(read_file(path), '\n')) {  // "ID PREFIXname"
      if (line.size() <= kHex || !starts_with(line.substr(kHex), concat(" ", prefix))) continue;
      const std::string name = line.substr(kHex + 1 + prefix.size());
      const auto id = ObjectId::parse(line.substr(0, kHex));
      if (id && is_wanted(name)) references[name] = *id;
    }
  }
  // A loose reference takes precedence over a packed one.
  const std::string root = concat(repository, "/", prefix);
  for (const std::string& name : is_directory(root) ? list_files_below(root) : std::vector<std::string>{}) {
    if (!is_wanted(name)) continue;
    if (const auto id = ObjectId::parse(trim(read_file(root + name, kMaxReferenceBytes)))) references[name] = *id;
  }
  return references;
}

std::optional<ObjectId> read_head(const std::string& repository) {
  constexpr std::string_view kBranch = "ref: refs/";
  const std::string file = repository + "/HEAD";
  if (!file_exists(file)) return std::nullopt;
  const std::string head(trim(read_file(file, kMaxReferenceBytes)));
  if (!starts_with(head, kBranch)) return ObjectId::parse(head);
  const std::string branch = head.substr(kBranch.size());
  const References found = read_references(repository, "refs/", [&](std::string_view name) { return name == branch; });
  return found.empty() ? std::nullopt : std::optional(found.begin()->second);
}

std::vector<TaggedCopy> read_tagged_copies(const std::vector<std::string>& object_folders,
                                           const std::vector<ObjectId>& commits, const ReferenceFilter& is_wanted,
                                           int jobs) {
  return map_in_workers(
      object_folders.size(), jobs,
      [&](std::size_t item) { return read_copy(object_folders[item], commits, is_wanted); },
      [&](std::size_t item) { return "reading the tags of " + quote(parent_path(object_folders[item])); });
}

void read_tag_times(const std::string& object_folder, std::vector<CommitTag>& tags) {
  const auto follow_all = [&](std::size_t) {
    git::ObjectStore store({object_folder});
    return collect(tags, [&](const CommitTag& tag) { return follow(tag.name, tag.commit, store).value_or(tag); });
  };
  tags = map_in_workers(1, 1, follow_all, [&](std::size_t) {
           return "reading commits in " + quote(object_folder);
         }).front();
}

std::vector<RemoteTags> list_remote_tags(const std::vector<TagQuery>& queries, const FetchOptions& options,
                                         Console& console) {
  require_git();
  const TempDir scratch;
  const std::string repository = scratch.path() + "/none.git";
  make_bare_repository(scratch.path(), repository);
  std::vector<FetchProgram> programs;
  for (const TagQuery& query : queries)
    programs.push_back({.url = query.url, .line = ls_remote_line(repository, query.patterns)});
  console.status(concat("querying ", queries.size(), queries.size() == 1 ? " repository" : " repositories",
                        queries.size() == 1 ? " for its tags" : " for their tags"));
  return collect(run_patiently(std::move(programs), options, console),
                 [&](const FetchOutcome& outcome) { return parse_tags(outcome); });
}

std::string fetch_tag_times(const std::string& url, std::vector<CommitTag>& tags, const FetchOptions& options,
                            Console& console) {
  require_git();
  const TempDir scratch;
  const std::string repository = scratch.path() + "/commits.git";
  make_bare_repository(scratch.path(), repository);
  std::vector<std::string> refspecs;
  for (const CommitTag& tag : tags)
    refspecs.push_back(concat("+", tag.commit.hex(), ":", kFetchedReferences, tag.commit.hex()));
  console.status(concat("querying ", redact_url(url), " for the dates of ", tags.size(),
                        tags.size() == 1 ? " commit" : " commits"));
  const FetchProgram program{.url = url,
                             .line = git_fetch_line(repository, {"--depth=1", "--filter=tree:0"}, refspecs)};
  const FetchOutcome outcome = run_patiently({program}, options, console).front();
  if (outcome.reason.empty()) read_tag_times(repository + "/objects", tags);
  return outcome.reason;
}

}  // namespace torchpatch::source
