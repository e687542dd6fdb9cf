// SPDX-License-Identifier: BSD-3-Clause
#include "source/closure/tag_check.h"

#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

/// Returns the commit that packed-refs gives for a ref: the peeled line ("^id") where the tag is annotated.
std::optional<ObjectId> find_packed_ref(const std::string& packed_refs, const std::string& ref) {
  std::optional<ObjectId> found;
  for (const std::string& line : split(packed_refs, '\n')) {
    if (found && starts_with(line, "^")) return ObjectId::parse(line.substr(1));
    if (found) return found;
    if (line.size() == 41 + ref.size() && line.compare(41, ref.size(), ref) == 0)
      found = ObjectId::parse(line.substr(0, 40));
  }
  return found;
}

/// Returns what a tag names in the repository of an objects folder. A loose annotated tag object is not peeled: nothing
/// is said of it. Raises environment where the list of refs cannot be read.
std::optional<ObjectId> find_tag(const std::string& objects_folder, const std::string& tag) {
  const std::string packed = parent_path(objects_folder) + "/packed-refs";
  if (!file_exists(packed)) return std::nullopt;
  return find_packed_ref(read_file(packed), "refs/tags/" + tag);
}

/// Returns what is wrong with a component's tag where its commit was read from, or empty text.
std::string tag_problem(const ClosureRepository& repository, const ComponentPin& pin, const std::string& folder) {
  try {
    const std::optional<ObjectId> named = find_tag(folder, pin.tag);
    if (!named || *named == pin.commit) return {};
    return concat("tag ", quote(pin.tag), " of ", repository.path.text(), " names ", named->hex(), " in ",
                  quote(folder), ", not the pinned ", pin.commit.hex());
  } catch (const Error& error) {
    return concat("tag ", quote(pin.tag), " of ", repository.path.text(), " cannot be looked up: ", error.message());
  }
}

}  // namespace

std::vector<std::string> check_tags(const Release& release, const Closure& closure, const ObjectSource& source,
                                    bool strict) {
  std::vector<std::string> warnings;
  for (const ClosureRepository& repository : closure.repositories) {
    const ComponentPin* pin = repository.path.path.empty() ? release.find(repository.path.component) : nullptr;
    if (!pin || pin->tag.empty() || repository.store < 0) continue;
    const std::string& folder = source.object_folders()[static_cast<std::size_t>(repository.store)];
    std::string problem = tag_problem(repository, *pin, folder);
    if (!problem.empty()) warnings.push_back(std::move(problem));
  }
  if (strict && !warnings.empty()) {
    throw Error(ErrorKind::source, join(warnings, "; "),
                "the pin decides content; without --strict-tags this is a warning");
  }
  return warnings;
}

}  // namespace torchpatch::source
