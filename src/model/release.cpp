// SPDX-License-Identifier: BSD-3-Clause
#include "model/release.h"

#include <algorithm>

#include "model/url.h"
#include "support/text.h"

namespace torchpatch {

bool is_variable_name(std::string_view name) {
  if (name.starts_with('_')) name.remove_prefix(1);
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return !name.empty() && is_capital(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_capital(c) || (c >= '0' && c <= '9') || c == '_'; });
}

bool lies_in(const RepositoryPath& inner, const RepositoryPath& outer) {
  return inner == outer || (inner.component == outer.component && starts_with(inner.path, outer.path + "/"));
}

const SubmoduleOverride* find_override(const std::vector<SubmoduleOverride>& overrides,
                                       const RepositoryPath& repository) {
  const SubmoduleOverride* deepest = nullptr;
  for (const SubmoduleOverride& each : overrides) {
    if (!lies_in(repository, each.repository)) continue;
    if (!deepest || each.repository.path.size() > deepest->repository.path.size()) deepest = &each;
  }
  return deepest;
}

std::optional<SubmodulePin> SubmodulePin::parse(std::string_view text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  const auto commit = ObjectId::parse(text.substr(0, space));
  const std::string url(text.substr(std::min(space + 1, text.size())));
  if (!commit || url_problem(url)) return std::nullopt;
  return SubmodulePin{*commit, url};
}

std::string SubmodulePin::text() const { return concat(commit.hex(), " ", url); }

std::string ContentPin::raw_commit() const {
  // 1980: the earliest time that a zip can store.
  constexpr const char* kWho = " torchpatch <content> 315532800 +0000\n";
  return concat("tree ", tree.hex(), "\nauthor", kWho, "committer", kWho, "\nContent of ", archive, ", SHA-256 ",
                sha256.hex(), "\n");
}

std::string ContentPin::text() const {
  return concat("content of ", archive, ", SHA-256 ", sha256.hex(),
                claims ? concat("; upstream's commit ", claims->hex(), " is claimed, not proven") : "");
}

void check_fields(ObjectReader& object, const ContentPin& content) {
  const ObjectId made = git_object_id("commit", content.raw_commit());
  if (content.commit != made)
    object.report("commit", concat("is not the one that tree, archive and sha256 make: ", made.hex()));
  for (const auto& [path, submodule] : content.gitlinks) {
    const std::string other = path_of_same_commit(content.gitlinks, path);
    if (!other.empty() && other < path)
      object.report("gitlinks." + path, concat("has the commit of ", quote(other), " in line ",
                                               object.line_of("gitlinks." + other), ", which has another URL"));
  }
}

std::string path_of_same_commit(const std::map<std::string, SubmodulePin>& gitlinks, const std::string& path) {
  const SubmodulePin& here = gitlinks.at(path);
  const auto is_same = [&](const auto& other) {
    return other.second.commit == here.commit && canonical_url(other.second.url) != canonical_url(here.url);
  };
  const auto found = std::ranges::find_if(gitlinks, is_same);
  return found == gitlinks.end() ? "" : found->first;
}

std::optional<ObjectId> ComponentPin::other_commit() const {
  if (!content) return std::nullopt;
  return is_content() ? content->claims : content->commit;
}

void ComponentPin::take_content() {
  if (!is_content()) content->claims = commit;
  commit = content->commit;
}

const ComponentPin* Release::find(Component component) const {
  const auto found = components.find(component);
  return found == components.end() ? nullptr : &found->second;
}

std::set<Component> built_by(const Release& release, FrontEndKind kind) {
  std::set<Component> found;
  for (const auto& [component, pin] : release.components)
    if (pin.front_end.value_or(FrontEnd()).kind == kind) found.insert(component);
  return found;
}

void check_fields(ObjectReader& object, const Release& release) {
  if (!object.is_reported("components") && !release.find(Component::torch))
    object.report("components.torch", "is missing");
}

}  // namespace torchpatch
