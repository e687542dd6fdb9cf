// SPDX-License-Identifier: BSD-3-Clause
#include "record/manifest_contents.h"

#include <algorithm>
#include <set>

#include "record/out_files.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

using Kind = Json::Kind;

/// Returns the value whose name, by `name_of`, the member `key` has; reports the nearest names.
template <typename Enum, std::size_t N>
Enum named_value(ObjectReader& object, const std::string& key, const Enum (&values)[N], const char* (*name_of)(Enum)) {
  const Json* const member = object.required(key, Kind::string);
  if (member == nullptr) return values[0];
  std::vector<std::string> names;
  for (const Enum value : values) {
    if (member->string == name_of(value)) return value;
    names.emplace_back(name_of(value));
  }
  object.report(key, concat("must be one of ", join(names, ", "), ", not ", quote(member->string)));
  return values[0];
}

IssueStatus read_status(ObjectReader& object) {
  constexpr IssueStatus kAll[] = {IssueStatus::applied, IssueStatus::not_affected, IssueStatus::undecided,
                                  IssueStatus::declined, IssueStatus::uncertified};
  return named_value(object, "status", kAll, issue_status_name);
}

FixKind read_kind(ObjectReader& object) {
  constexpr FixKind kAll[] = {FixKind::patch, FixKind::environment, FixKind::files, FixKind::post_build,
                              FixKind::advice};
  return named_value(object, "kind", kAll, fix_kind_name);
}

FileMode read_file_mode(ObjectReader& object) {
  constexpr FileMode kAll[] = {FileMode::regular, FileMode::executable};
  return named_value(object, "mode", kAll, file_mode_text);
}

FileMode read_gap_mode(ObjectReader& object) {
  constexpr FileMode kAll[] = {FileMode::regular, FileMode::executable, FileMode::link, FileMode::gitlink};
  return named_value(object, "mode", kAll, file_mode_text);
}

/// Every component has its own repository, and every repository belongs to a component.
void check_repositories(ObjectReader& root, const Manifest& manifest) {
  std::set<Component> with_root;
  for (const ManifestRepository& repository : manifest.repositories) {
    const Component component = repository.path.component;
    if (repository.path.path.empty()) with_root.insert(component);
    if (std::find(manifest.components.begin(), manifest.components.end(), component) == manifest.components.end()) {
      root.report("repositories", concat(quote(repository.path.text()), " belongs to no component of this manifest"));
    }
  }
  for (const Component component : manifest.components) {
    if (with_root.count(component) == 0) {
      root.report("repositories", concat("the repository of ", quote(component_name(component)), " itself is missing"));
    }
  }
}

std::optional<ManifestOverride> read_override(ManifestReader& reader, ObjectReader& repository) {
  const Json* const member = repository.optional("override", Kind::object);
  if (member == nullptr) return std::nullopt;
  ObjectReader item(*member, reader.file(), repository.key_path("override"), reader.findings());
  ManifestOverride overridden;
  overridden.replaces = reader.object_id(item, "replaces");
  overridden.patchset = item.required_string("patchset");
  overridden.variant = item.required_string("variant");
  overridden.issues = item.required_strings("issues");
  item.finish();
  return overridden;
}

std::vector<LicenceFile> read_licences(ManifestReader& reader, ObjectReader& repository) {
  std::vector<LicenceFile> files;
  reader.each_object(repository, "licences", [&](ObjectReader& item) {
    LicenceFile file;
    file.name = reader.path(item, "file");
    file.id = reader.text_or_null(item, "id");
    if (!is_licence_file_name(file.name) || file.name.find('/') != std::string::npos) {
      item.report("file", concat(quote(file.name), " is not the name of a licence file"));
    }
    files.push_back(std::move(file));
  });
  require_sorted(repository, "licences", files, [](const auto& file) { return file.name; });
  return files;
}

void read_repositories(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  reader.each_object(root, "repositories", [&](ObjectReader& item) {
    ManifestRepository repository;
    repository.path = reader.repository(item, "path");
    repository.url = item.required_string("url");
    repository.commit = reader.object_id(item, "commit");
    repository.overridden = read_override(reader, item);
    if (repository.overridden && repository.path.path.empty()) {
      item.report("override", "is of a component itself, which only the release pins");
    }
    repository.base_tree = reader.object_id(item, "base_tree");
    repository.patched_tree = reader.object_id(item, "patched_tree");
    repository.licences = read_licences(reader, item);
    repository.raw_commit = reader.base64(item, "raw_commit");
    manifest.repositories.push_back(std::move(repository));
  });
  require_sorted(root, "repositories", manifest.repositories, [](const auto& row) { return row.path; });
  check_repositories(root, manifest);
}

/// Reads a repository that must be listed in `repositories`.
RepositoryPath read_known_repository(ManifestReader& reader, ObjectReader& item, const Manifest& manifest) {
  RepositoryPath path = reader.repository(item, "repository");
  const bool is_listed = std::any_of(manifest.repositories.begin(), manifest.repositories.end(),
                                     [&path](const auto& repository) { return repository.path == path; });
  if (!is_listed) item.report("repository", concat(quote(path.text()), " does not stand in 'repositories'"));
  return path;
}

void read_gaps(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  if (root.optional("missing", Kind::array) == nullptr) return;
  reader.each_object(root, "missing", [&](ObjectReader& item) {
    ManifestGap gap;
    gap.repository = read_known_repository(reader, item, manifest);
    gap.path = reader.path(item, "path");
    gap.mode = read_gap_mode(item);
    gap.id = reader.object_id(item, "id");
    manifest.gaps.push_back(std::move(gap));
  });
  if (manifest.gaps.empty()) root.report("missing", "is empty; leave it out");
  require_sorted(root, "missing", manifest.gaps, [](const auto& gap) { return std::pair(gap.repository, gap.path); });
}

std::vector<ManifestEdge> read_edges(ManifestReader& reader, ObjectReader& patch) {
  std::vector<ManifestEdge> edges;
  reader.each_object(patch, "edges", [&](ObjectReader& item) {
    ManifestEdge edge;
    edge.path = reader.path(item, "path");
    edge.before = reader.object_id_or_null(item, "before");
    edge.after = reader.object_id_or_null(item, "after");
    edges.push_back(std::move(edge));
  });
  return edges;
}

void read_patches(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  std::set<std::string> files;
  reader.each_object(root, "patches", [&](ObjectReader& item) {
    ManifestPatch patch;
    patch.patchset = item.required_string("patchset");
    patch.variant = item.required_string("variant");
    patch.file = reader.path(item, "file");
    patch.sha256 = reader.sha256(item, "sha256");
    patch.repository = read_known_repository(reader, item, manifest);
    patch.issues = item.required_strings("issues");
    patch.is_certified = reader.boolean(item, "is_certified");
    patch.edges = read_edges(reader, item);
    if (!files.insert(patch.file).second) item.report("file", concat(quote(patch.file), " stands twice"));
    manifest.patches.push_back(std::move(patch));
  });
}

void read_added_files(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  std::set<std::pair<RepositoryPath, std::string>> places;
  reader.each_object(root, "added_files", [&](ObjectReader& item) {
    ManifestAddedFile file;
    file.patchset = item.required_string("patchset");
    file.variant = item.required_string("variant");
    file.repository = read_known_repository(reader, item, manifest);
    file.path = reader.path(item, "path");
    file.mode = read_file_mode(item);
    file.blob = reader.object_id(item, "blob");
    file.sha256 = reader.sha256(item, "sha256");
    file.issues = item.required_strings("issues");
    if (!places.emplace(file.repository, file.path).second) {
      item.report("path", concat(quote(file.path), " is added twice"));
    }
    manifest.added_files.push_back(std::move(file));
  });
}

void read_issues(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  reader.each_object(root, "issues", [&](ObjectReader& item) {
    IssueDecision decision;
    decision.issue = item.required_string("id");
    decision.status = read_status(item);
    decision.reason = item.required_string("reason");
    decision.fix = item.optional_string("fix");
    if (!decision.fix.empty()) {
      decision.kind = read_kind(item);
      decision.variant = item.required_string("variant");
    }
    manifest.issues.push_back(std::move(decision));
  });
  require_sorted(root, "issues", manifest.issues, [](const auto& row) { return row.issue; });
}

void read_answered_issues(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  reader.each_object(root, "answered_issues", [&](ObjectReader& item) {
    ManifestIssue issue;
    issue.id = item.required_string("id");
    issue.title = item.required_string("title");
    issue.severity = item.required_string("severity");
    issue.links = item.required_strings("links");
    manifest.answered_issues.push_back(std::move(issue));
  });
  require_sorted(root, "answered_issues", manifest.answered_issues, [](const auto& row) { return row.id; });
}

void read_environment(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  reader.each_object(root, "environment", [&](ObjectReader& item) {
    PlannedSetting setting;
    setting.name = item.required_string("name");
    setting.value = item.required_string("value");
    setting.origin = item.required_string("origin");
    setting.why = item.required_string("why");
    setting.read_at = item.required_string("read_at");
    if (!is_variable_name(setting.name)) {
      item.report("name", concat(quote(setting.name), " is not the name of a variable"));
    }
    if (const Json* const component = item.optional("component", Kind::string)) {
      setting.component = reader.component(item, "component", component->string);
    }
    manifest.environment.push_back(std::move(setting));
  });
}

void read_tool_bounds(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  reader.each_object(root, "tool_bounds", [&](ObjectReader& item) {
    const std::string tool = item.required_string("tool");
    const std::string range = item.required_string("range");
    if (!VersionRange::parse(range)) item.report("range", concat(quote(range), " is not a range of versions"));
    manifest.tool_bounds.emplace_back(tool, range);
  });
}

}  // namespace

void read_contents(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  read_repositories(reader, root, manifest);
  read_gaps(reader, root, manifest);
  read_patches(reader, root, manifest);
  read_added_files(reader, root, manifest);
  read_issues(reader, root, manifest);
  read_answered_issues(reader, root, manifest);
  read_environment(reader, root, manifest);
  read_tool_bounds(reader, root, manifest);
}

}  // namespace torchpatch::record
