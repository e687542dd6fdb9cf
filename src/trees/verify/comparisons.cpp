// SPDX-License-Identifier: BSD-3-Clause
#include "trees/verify/verify.h"

#include <algorithm>
#include <optional>

#include "model/repository_path.h"
#include "model/url.h"
#include "plan/image_choice.h"
#include "plan/make_plan.h"
#include "record/manifest_file.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/find.h"
#include "support/program.h"
#include "support/text.h"
#include "trees/prepare/manifest.h"
#include "trees/prepare/patched_tree.h"

namespace torchpatch::trees {

namespace {

/// What a path of OUT has to be.
struct Expected {
  std::string_view path;
  tree::EntryType type = tree::EntryType::regular;
  const Sha256* sha256 = nullptr;
  const std::string* target = nullptr;
  bool is_executable = false;
};

constexpr std::string_view kSums = "torchpatch/SHA256SUMS";

/// A signature of the manifest is in no list: it may be added later. Whether it is good, verify --signature says.
bool is_signature(const std::string& path) {
  return path == "torchpatch/manifest.json.sig" || path == "torchpatch/manifest.json.minisig";
}

/// Returns the directories that `paths` lie in.
std::set<std::string_view> directories_of(const std::vector<Expected>& paths) {
  std::set<std::string_view> directories;
  std::string_view previous;
  for (const Expected& expected : paths) {
    std::string_view rest = expected.path;
    for (std::size_t slash = rest.rfind('/'); slash != rest.npos; slash = rest.rfind('/')) {
      rest = rest.substr(0, slash);
      if (rest == previous || !directories.insert(rest).second) break;  // and all above it
    }
    previous = expected.path.substr(0, expected.path.rfind('/'));
  }
  return directories;
}

/// Returns what is expected, by path. Where lists name a path twice, it has to be a link rather than a file, and a file
/// rather than a directory.
std::vector<Expected> expected_paths(const Manifest& manifest, const record::Sums& sums, const Sha256& sums_digest) {
  std::vector<Expected> expected;
  for (const auto& [path, target] : manifest.links) expected.push_back({path, tree::EntryType::link, nullptr, &target});
  for (const auto& [path, digest] : sums) expected.push_back({path, tree::EntryType::regular, &digest});
  expected.push_back({kSums, tree::EntryType::regular, &sums_digest});
  for (const std::string_view directory : directories_of(expected))
    expected.push_back({directory, tree::EntryType::directory});
  std::ranges::stable_sort(expected, {}, &Expected::path);
  const auto is_same = [](const Expected& a, const Expected& b) { return a.path == b.path; };
  expected.erase(std::unique(expected.begin(), expected.end(), is_same), expected.end());

  const auto find = [&](std::string_view path) {
    const auto found = std::ranges::lower_bound(expected, path, {}, &Expected::path);
    return found != expected.end() && found->path == path ? &*found : nullptr;
  };
  for (const std::string& path : manifest.executables)
    if (Expected* file = find(path)) file->is_executable = true;
  for (const ManifestSideFile& side : manifest.side_files)
    if (Expected* file = find("torchpatch/" + side.name)) file->is_executable = side.is_executable;
  return expected;
}

const char* type_name(tree::EntryType type) {
  switch (type) {
    case tree::EntryType::regular:
      return "a file";
    case tree::EntryType::link:
      return "a symbolic link";
    case tree::EntryType::directory:
      return "a directory";
    case tree::EntryType::other:
      break;
  }
  return "a special file";
}

std::string octal(std::uint32_t mode) {
  std::ostringstream out;
  out << '0' << std::oct << mode;
  return out.str();
}

/// Type and executable bit count, other bits only when asked: a tree unpacked under another umask is the same tree.
std::optional<std::string> mode_problem(const tree::ScannedEntry& entry, const Expected& expected, bool strict) {
  const std::uint32_t wanted = expected.is_executable || expected.type == tree::EntryType::directory ? 0755 : 0644;
  if (strict && entry.mode != wanted) return concat("found ", octal(entry.mode), ", need ", octal(wanted));
  if (expected.type == tree::EntryType::directory) return std::nullopt;
  if (((entry.mode & 0100) != 0) == expected.is_executable) return std::nullopt;
  return concat("found ", octal(entry.mode),
                expected.is_executable ? ", must be executable" : ", must not be executable");
}

void compare_entry(const tree::ScannedEntry& entry, const Expected& expected, bool strict_modes,
                   std::vector<Difference>& differences) {
  const bool has_other_type = entry.type != expected.type;
  const bool has_known_type = entry.type != tree::EntryType::other || entry.error.empty();
  if (has_other_type && has_known_type) {
    differences.push_back(
        {entry.path, "type", concat("found ", type_name(entry.type), ", need ", type_name(expected.type))});
    return;
  }
  if (!entry.error.empty()) {
    differences.push_back({entry.path, "unreadable", entry.error});
    return;
  }
  if (expected.type == tree::EntryType::link) {
    if (entry.link_target != *expected.target) {
      differences.push_back(
          {entry.path, "link", concat("found ", quote(entry.link_target), ", need ", quote(*expected.target))});
    }
    return;
  }
  if (expected.sha256 && entry.sha256 != *expected.sha256) {
    differences.push_back(
        {entry.path, "changed", concat("found sha256 ", entry.sha256.hex(), ", need ", expected.sha256->hex())});
  }
  if (auto problem = mode_problem(entry, expected, strict_modes)) differences.push_back({entry.path, "mode", *problem});
}

void compare_pins(const Manifest& manifest, const Catalog& catalog, std::vector<Difference>& differences) {
  const std::optional<Version> version = Version::parse(manifest.release);
  const auto release = version ? catalog.releases.find(*version) : catalog.releases.end();
  if (release == catalog.releases.end()) {
    differences.push_back({"", "pin-not-in-catalog", concat("the catalog has no release ", quote(manifest.release))});
    return;
  }
  for (const Component component : manifest.components) {
    const ComponentPin* pin = release->second.find(component);
    const auto used =
        std::ranges::find(manifest.repositories, RepositoryPath{component, ""}, &ManifestRepository::path);
    if (used == manifest.repositories.end()) {
      differences.push_back({name_of(component), "manifest", "the manifest has no repository for this component"});
    } else if (!pin || pin->commit != used->commit || pin->url != used->url) {
      differences.push_back(
          {name_of(component), "pin-not-in-catalog",
           concat("commit ", used->commit.hex(), " of ", redact_url(used->url), ", but the catalog pins ",
                  pin ? concat(pin->commit.hex(), " of ", redact_url(pin->url)) : "none")});
    }
  }
  if (release->second.stand_in != manifest.stand_in)
    differences.push_back({"", "manifest", "'stand_in' differs from the catalog"});
}

/// True where some variant of a patchset has, in the list `of`, what `is_it` looks for.
template <typename Item, typename Test>
bool knows(const Catalog& catalog, std::vector<Item> Variant::*of, Test is_it) {
  return std::ranges::any_of(catalog.patchsets, [&](const auto& patchset) {
    return std::ranges::any_of(patchset.second.variants,
                               [&](const Variant& variant) { return std::ranges::any_of(variant.*of, is_it); });
  });
}

void compare_patches(const Manifest& manifest, const Catalog& catalog, std::vector<Difference>& differences) {
  for (const ManifestPatch& entry : manifest.patches) {
    const bool is_known = knows(catalog, &Variant::patches, [&](const Patch& patch) {
      return patch.sha256 == entry.sha256 && patch.repository == entry.repository;
    });
    if (is_known) continue;
    differences.push_back(
        {"torchpatch/" + entry.file, "patch-not-in-catalog",
         concat("sha256 ", entry.sha256.hex(), " changes ", join(collect(entry.edges, &PatchEdge::path), ", "), " of ",
                entry.repository.text())});
  }
  for (const ManifestAddedFile& entry : manifest.added_files) {
    const bool is_known = knows(catalog, &Variant::files, [&](const AddedFile& file) {
      return file.sha256 == entry.sha256 && file.repository == entry.repository && file.path == entry.path &&
             file.mode() == entry.mode;
    });
    if (is_known) continue;
    differences.push_back({repository_directory(entry.repository) + "/" + entry.path, "patch-not-in-catalog",
                           "an added file that is not in the catalog"});
  }
}

void compare_overrides(const Manifest& manifest, const Catalog& catalog, std::vector<Difference>& differences) {
  for (const ManifestRepository& repository : manifest.repositories) {
    if (!repository.overridden) continue;
    const bool is_known = knows(catalog, &Variant::overrides, [&](const SubmoduleOverride& what) {
      return what.repository == repository.path && what.replaces == repository.gitlink() &&
             what.commit == repository.commit && what.url == repository.url;
    });
    if (is_known) continue;
    differences.push_back(
        {repository.path.text(), "override-not-in-catalog",
         concat("commit ", repository.commit.hex(), " replaces the pinned ", repository.gitlink().hex())});
  }
}

void compare_result(const Manifest& manifest, const Catalog& catalog, std::vector<Difference>& differences) {
  const auto recorded = catalog.results.find(manifest.plan);
  if (recorded == catalog.results.end() || !manifest.gaps.empty()) return;  // only whole trees are recorded
  for (const auto& [component, tree] : recorded->second.trees) {
    const auto found = manifest.trees.find(component);
    if (found != manifest.trees.end() && found->second == tree) continue;
    differences.push_back(
        {component_directory(component), "result", concat("the catalog records tree ", tree.hex(), " for this plan")});
  }
}

/// True where the catalog holds every entry in the version that the manifest names.
bool has_same_entries(const Manifest& manifest, const Catalog& catalog) {
  return !manifest.origins.empty() && std::ranges::all_of(manifest.origins, [&](const EntryOrigin& origin) {
    const auto found = catalog.origins.find(origin.entry);
    return found != catalog.origins.end() && found->second.digest == origin.digest;
  });
}

PlanOptions options_of(const Manifest& manifest) {
  PlanOptions options;
  options.components.insert(manifest.components.begin(), manifest.components.end());
  options.with_fixes.insert(manifest.with_fixes.begin(), manifest.with_fixes.end());
  options.without_fixes.insert(manifest.without_fixes.begin(), manifest.without_fixes.end());
  options.settings = manifest.settings;
  options.forced_settings = {manifest.forced_settings.begin(), manifest.forced_settings.end()};
  if (!manifest.host.empty()) options.host = concat(manifest.host.at("board"), ":", manifest.host.at("image"));
  options.build_target = manifest.build_target;
  options.force = manifest.forced;
  options.unpatched = manifest.unpatched;
  return options;
}

/// Returns why this program with this catalog may write other files than those that came with the tree, or empty text.
std::string other_maker(const Manifest& manifest, const Catalog& catalog) {
  if (std::string version = other_version(manifest); !version.empty()) return version;
  return has_same_entries(manifest, catalog) ? "" : "this tree was made with another catalog";
}

/// Writes again, from the catalog, what follows from the plan, and compares.
void compare_generated(const Manifest& manifest, const std::string& bytes, const Catalog& catalog,
                       std::vector<Difference>& differences) {
  const std::string other = other_maker(manifest, catalog);
  const auto add = [&](const std::string& name, const char* reason, const std::string& detail) {
    const std::string path = "torchpatch/" + name;
    differences.push_back(other.empty() ? Difference{path, reason, detail} : unvouched(path, other));
  };
  try {
    const Plan plan = plan_again(manifest, catalog);
    Manifest again = make_manifest(plan, catalog, manifest);
    for (std::size_t i = 0; i < again.origins.size() && i < manifest.origins.size(); ++i)
      again.origins[i].layer = manifest.origins[i].layer;
    if (record::manifest_json(again) != bytes)
      add("manifest.json", "manifest", "differs from the catalog's plan for these options");
    for (const SideFile& file : generated_files(again, plan, catalog)) {
      const auto listed = std::ranges::find(manifest.side_files, file.name, &ManifestSideFile::name);
      if (listed != manifest.side_files.end() && listed->sha256 == sha256(file.bytes)) continue;
      add(file.name, "changed", "differs from what this plan generates");
    }
  } catch (const Error& error) {
    add("manifest.json", "manifest", concat("no plan has these options: ", error.message()));
    if (other.empty()) return;
    for (const auto& [name, file] : known_side_files(manifest))
      if (!file.sha256) differences.push_back(unvouched("torchpatch/" + name, other));
  }
}

constexpr const char* kNotPinned = "differs from the pinned sources with the plan's patches";

PatchedTree make_again(const Plan& plan, const Manifest& manifest, const Catalog& catalog, source::ObjectSource& source,
                       int jobs, Console& console) {
  const source::Gaps gaps = manifest.gaps.empty() ? source::Gaps::never : source::Gaps::allowed;
  PinnedTree pinned(source::read_closure(*plan.release, plan.components, overrides_of(plan), catalog.moved_repositories,
                                         source, jobs, console, gaps),
                    source);
  return make_patched_tree(pinned, patch_steps(plan.patches), files_to_add(plan.files), console);
}

/// Returns why an entry is not the file, or nothing.
std::optional<Difference> compare_file(const tree::ScannedEntry& entry, const tree::FileToWrite& file) {
  const auto type = file.mode == FileMode::link ? tree::EntryType::link : tree::EntryType::regular;
  if (entry.type != type) return Difference{entry.path, "type", kNotPinned};
  if (!entry.error.empty()) return std::nullopt;  // told already
  if (entry.blob != file.blob) return Difference{entry.path, "changed", kNotPinned};
  const bool is_executable = type == tree::EntryType::regular && (entry.mode & 0100) != 0;
  if (is_executable != (file.mode == FileMode::executable)) return Difference{entry.path, "mode", kNotPinned};
  return std::nullopt;
}

}  // namespace

TreeComparison compare_listing(const std::vector<tree::ScannedEntry>& scanned, const Manifest& manifest,
                               const record::Sums& sums, const Sha256& sums_digest, bool strict_modes) {
  const std::vector<Expected> expected = expected_paths(manifest, sums, sums_digest);
  TreeComparison result;
  std::string extra_directory;  // the last one, with a slash
  auto next = expected.begin();
  const auto skip_to = [&](const std::string* path) {
    for (; next != expected.end() && (path == nullptr || next->path < *path); ++next) {
      if (next->type == tree::EntryType::directory) continue;
      result.differences.push_back({std::string(next->path), "missing", concat("must be ", type_name(next->type))});
    }
  };
  for (const tree::ScannedEntry& entry : scanned) {
    skip_to(&entry.path);
    if (is_signature(entry.path)) {
      compare_entry(entry, {}, strict_modes, result.differences);
    } else if (next != expected.end() && next->path == entry.path) {
      compare_entry(entry, *next, strict_modes, result.differences);
      if (next->sha256 || next->target) result.listed.push_back(&entry);
      ++next;
    } else if (extra_directory.empty() || !starts_with(entry.path, extra_directory)) {
      result.extras.push_back(entry.path);
      if (entry.type == tree::EntryType::directory) extra_directory = entry.path + "/";
    }
  }
  skip_to(nullptr);
  return result;
}

void compare_with_catalog(const Manifest& manifest, const std::string& bytes, const Catalog& catalog,
                          std::vector<Difference>& differences) {
  compare_pins(manifest, catalog, differences);
  compare_overrides(manifest, catalog, differences);
  compare_patches(manifest, catalog, differences);
  compare_result(manifest, catalog, differences);
  compare_generated(manifest, bytes, catalog, differences);
}

Plan plan_again(const Manifest& manifest, const Catalog& catalog) {
  return plan::make_plan(catalog, manifest.release, manifest.board, manifest.image, options_of(manifest));
}

std::vector<std::string> chosen_parts(const Manifest& manifest, const Catalog& catalog) {
  std::vector<std::string> chosen;
  try {
    const Release& release = catalog.release(manifest.release);
    if (manifest.components.size() != release.components.size())
      for (const Component component : manifest.components)
        chosen.push_back(concat("--component ", name_of(component)));
    const plan::ImageChoice image =
        plan::choose_image(release, catalog.board(manifest.board), "", options_of(manifest), manifest.components);
    if (image.image->id != manifest.image) chosen.push_back("--image " + manifest.image);
  } catch (const Error&) {
    // Nothing goes with such a release, board or option, which is a difference by itself.
  }
  return chosen;
}

std::string other_version(const Manifest& manifest) {
  if (manifest.tool_version == kToolVersion) return {};
  return concat("torchpatch ", quote(manifest.tool_version), " wrote it, this is ", kToolVersion);
}

Difference unvouched(const std::string& path, const std::string& why) {
  return {
      path, "unvouched",
      concat(
          "cannot be verified: ", why,
          "; use '--expect DIGEST' with the SHA-256 of the manifest from whoever prepared it, or '--signature FILE'")};
}

void compare_with_sources(const ScannedTree& tree, const Catalog& catalog, source::ObjectSource& source, int jobs,
                          Console& console, std::vector<Difference>& differences) {
  std::optional<Plan> plan;
  try {
    plan = plan_again(tree.manifest, catalog);
  } catch (const Error&) {
    return;  // compare_with_catalog() told why
  }
  const PatchedTree made = make_again(*plan, tree.manifest, catalog, source, jobs, console);
  std::map<std::string_view, const tree::FileToWrite*> missing;
  for (const tree::FileToWrite& file : made.files) missing.emplace(file.path, &file);
  std::vector<Difference> found;
  for (const tree::ScannedEntry& entry : tree.scanned) {
    if (entry.type == tree::EntryType::directory || starts_with(entry.path, "torchpatch/")) continue;
    const auto expected = missing.find(entry.path);
    if (expected != missing.end()) {
      if (auto difference = compare_file(entry, *expected->second)) found.push_back(std::move(*difference));
      missing.erase(expected);
    } else if (tree.sums.contains(entry.path) || entry.type == tree::EntryType::link) {
      found.push_back({entry.path, "extra", "not in the pinned commits, and not added by a fix"});
    }
  }
  std::set<std::string> gaps;
  for (const ManifestGap& gap : tree.manifest.gaps) gaps.insert(gap.out_path());
  for (const auto& [path, file] : missing)
    if (!gaps.contains(std::string(path))) found.push_back({std::string(path), "missing", "in the pinned sources"});
  std::set<std::string> told;
  for (const Difference& each : differences)
    if (is_about_path(each)) told.insert(each.path);
  for (Difference& each : found)
    if (!told.contains(each.path)) differences.push_back(std::move(each));
}

}  // namespace torchpatch::trees
