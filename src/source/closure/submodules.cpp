// SPDX-License-Identifier: BSD-3-Clause
#include "source/closure/submodules.h"

#include <algorithm>
#include <map>

#include "git/gitmodules.h"
#include "model/url.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

std::map<std::string, git::Submodule> read_gitmodules(const PinnedRepository& parent, const RepositoryTree& tree) {
  std::map<std::string, git::Submodule> by_path;
  try {
    for (git::Submodule& submodule : git::parse_gitmodules(tree.gitmodules)) by_path[submodule.path] = submodule;
  } catch (const Error& error) {
    throw Error(error.kind(), concat("reading .gitmodules of ", parent.path.text(), " at ", parent.commit.hex(), ", ",
                                     error.message()));
  }
  return by_path;
}

/// Returns the URL that an entry records. One that could not come from a repository elsewhere is refused even where
/// nothing is fetched: it goes into the manifest.
std::string recorded_url(const PinnedRepository& parent, const git::Submodule& submodule) {
  const std::string url = resolve_url(parent.url, submodule.url);
  auto problem = url_problem(url);
  if (!problem && url_scheme(url) == "file" && url_scheme(parent.url) != "file") problem = "it names a local directory";
  if (problem) {
    throw Error(ErrorKind::unsafe,
                concat("reading .gitmodules of ", parent.path.text(), " at ", parent.commit.hex(), ", line ",
                       submodule.line, ": the URL ", redact_url(url), " is refused: ", *problem));
  }
  return url;
}

PinnedRepository make_submodule(const PinnedRepository& parent, const PinnedEntry& gitlink,
                                const git::Submodule& submodule, const std::vector<MovedRepository>& moved) {
  PinnedRepository repository;
  repository.path = parent.path;
  repository.path.path = parent.path.path.empty() ? gitlink.path : concat(parent.path.path, "/", gitlink.path);
  repository.commit = gitlink.id;
  repository.gitlink = gitlink.id;
  repository.url = recorded_url(parent, submodule);
  repository.may_fetch_recorded =
      url_scheme(repository.url) == "https" || url_origin(repository.url) == url_origin(parent.url);
  repository.moved_urls = find_moved_urls(repository.url, moved);
  return repository;
}

}  // namespace

std::string missing_text(const MissingPin& missing) {
  const PinnedRepository& repository = missing.repository;
  std::string text = concat(repository.path.text(), ": commit ", repository.commit.hex(), " of ",
                            redact_url(repository.url), ": ", missing.reason);
  if (!repository.may_fetch_recorded)
    text += " (of the URLs in .gitmodules only https ones and those of the parent's server are fetched from)";
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
  if (!pin) {
    throw Error(ErrorKind::internal,
                concat("the release ", release.version.text(), " pins no ", component_name(component)));
  }
  if (const auto problem = url_problem(pin->url)) {
    throw Error(ErrorKind::unsafe, concat("reading the pin of ", component_name(component), ": the URL ",
                                          redact_url(pin->url), " is refused: ", *problem));
  }
  return {{component, ""}, pin->url, pin->commit, pin->commit, true, find_moved_urls(pin->url, moved)};
}

WantedCommit wanted_commit(const PinnedRepository& repository) {
  WantedCommit wanted{repository.path.text(), repository.commit, repository.moved_urls};
  if (repository.may_fetch_recorded)
    wanted.urls.insert(wanted.urls.begin(), repository.url);
  else
    wanted.barred_url = repository.url;
  return wanted;
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
                                              std::vector<std::string>& notes, std::vector<RefusedSubmodule>* refused) {
  std::map<std::string, git::Submodule> known = read_gitmodules(parent, tree);
  std::vector<PinnedRepository> submodules;
  for (const PinnedEntry& entry : tree.entries) {
    if (entry.mode != FileMode::gitlink) continue;
    const auto found = known.find(entry.path);
    if (found == known.end()) {
      throw Error(ErrorKind::unsafe,
                  concat("reading ", parent.path.text(), " at ", parent.commit.hex(), ": the submodule ",
                         quote(entry.path), " has no entry in .gitmodules, so nothing says which repository it is"));
    }
    try {
      submodules.push_back(make_submodule(parent, entry, found->second, moved));
    } catch (const Error& error) {
      if (!refused || error.kind() != ErrorKind::unsafe) throw;
      refused->push_back({entry, error.message()});
    }
    known.erase(found);
  }
  for (const auto& [path, submodule] : known) {
    notes.push_back(concat(parent.path.text(), ": .gitmodules has an entry for ", quote(path), " (line ",
                           submodule.line, "), but the commit has no submodule there"));
  }
  return submodules;
}

std::string name_of(const PinnedRepository& repository) {
  return concat(repository.path.text(), " at ", repository.commit.hex());
}

}  // namespace torchpatch::source
