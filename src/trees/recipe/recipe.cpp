// SPDX-License-Identifier: BSD-3-Clause
#include "trees/recipe/recipe.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "plan/make_plan.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "tree/scan.h"
#include "tree/write_files.h"
#include "trees/doctor/doctor.h"

namespace torchpatch::trees {

namespace {

/// Raises environment if a file's directory is a link or something else.
void require_own_directory(const std::string& path) {
  make_directories(path);
  if (real_path(path) != path)
    throw Error(ErrorKind::environment, concat("writing to ", quote(path), ": a link leads elsewhere"),
                "remove it, or choose another directory");
}

void write_below(const std::string& root, const std::vector<record::GeneratedFile>& files) {
  std::vector<tree::FileToWrite> to_write;
  for (const record::GeneratedFile& file : files) {
    const FileMode mode = file.is_executable ? FileMode::executable : FileMode::regular;
    to_write.push_back({file.name, mode, git_blob_id(file.bytes), -1, file.bytes});
  }
  NullConsole quiet;
  tree::write_files(root, to_write, {}, quiet);
}

/// Writes all files before the first replaces an old one.
void replace_generated(const std::string& directory, const std::vector<record::GeneratedFile>& files,
                       const GeneratedOutput& output) {
  const UniqueFd lock = tree::lock_directory(directory);
  const std::vector<std::string> earlier = output.earlier();
  const std::string fresh = directory + "/.torchpatch-staging";
  remove_tree(fresh);  // left by a killed run
  try {
    make_directories(fresh);
    write_below(fresh, files);
    for (const record::GeneratedFile& file : files) require_own_directory(parent_path(directory + "/" + file.name));
    for (const std::string& name : earlier) require_own_directory(parent_path(directory + "/" + name));
  } catch (...) {
    remove_tree(fresh);
    throw;
  }
  const auto put = [&](const std::string& name) {
    std::filesystem::rename(fresh + "/" + name, directory + "/" + name);
  };
  for (const record::GeneratedFile& file : files)
    if (file.name != output.record.path) put(file.name);
  for (const std::string& name : earlier) {
    const std::string path = directory + "/" + name;
    if (std::ranges::count(files, name, &record::GeneratedFile::name) == 0 && type_at(path) == S_IFREG)
      std::filesystem::remove(path);
    std::error_code is_in_use;
    if (parent_path(path) != directory) std::filesystem::remove(parent_path(path), is_in_use);
  }
  put(output.record.path);
  remove_tree(fresh);
}

}  // namespace

void write_generated(const std::vector<record::GeneratedFile>& files, const GeneratedOutput& output, Console& console) {
  const std::string directory = tree::output_path(output.directory);
  if (output.earlier && tree::output_state(directory, output.record) == tree::OutputState::prepared)
    return replace_generated(directory, files, output);
  tree::Staging staging(directory, tree::IfExists::refuse, console, output.record);
  write_below(staging.path(), files);
  staging.commit(false);
}

std::vector<std::string> compare_recipe(const std::vector<record::GeneratedFile>& files, const std::string& directory) {
  std::map<std::string, const record::GeneratedFile*> wanted;
  for (const record::GeneratedFile& file : files) wanted[file.name] = &file;
  std::set<std::string> different;
  for (const tree::ScannedEntry& entry : tree::list_tree(directory)) {
    if (entry.type == tree::EntryType::directory) continue;
    const auto found = wanted.find(entry.path);
    if (found == wanted.end()) {
      different.insert(entry.path);
      continue;
    }
    const record::GeneratedFile& file = *found->second;
    wanted.erase(found);
    const bool is_executable = (entry.mode & 0100) != 0;
    if (entry.type != tree::EntryType::regular || is_executable != file.is_executable ||
        read_file(directory + "/" + entry.path) != file.bytes)
      different.insert(entry.path);
  }
  for (const auto& [name, file] : wanted) different.insert(name);
  return {different.begin(), different.end()};
}

GeneratedOutput recipe_output(const std::string& directory, bool replace) {
  GeneratedOutput output = {directory, {.path = "recipe.json", .what = "a recipe"}, {}};
  if (!replace) return output;
  output.earlier = [directory] {
    record::RecipeInput earlier;
    take_over(directory, earlier);
    return record::recipe_names(earlier.kind);
  };
  return output;
}

record::RecipeInput recipe_for(const ScannedTree& tree, const Catalog& catalog) {
  return {{}, {}, {}, &tree.manifest, tree.digest, tree.sums_digest, disk_for(catalog, tree.manifest)};
}

Plan plan_cross_build(const Catalog& catalog, const Plan& plan) {
  PlanOptions options = plan.options;
  options.settings.try_emplace("cross", "true");
  return plan::make_plan(catalog, plan.release->version.text(), plan.board->id, plan.image->id, options);
}

std::string system_of(const std::string& root) {
  if (root.find('/') == std::string::npos) return root;
  const std::string system = read_os(root);
  if (!system.empty()) return system;
  throw Error(ErrorKind::environment, concat("--root: ", quote(root), " has no etc/os-release with ID and VERSION_ID"),
              "pass an unpacked root, or a system such as debian-11");
}

void take_over(const std::string& directory, record::RecipeInput& input) {
  const std::string file = directory + "/recipe.json";
  const record::RecipeRecord recipe = record::parse_recipe(read_file(file), file);
  input.kind = recipe.kind;
  input.system = recipe.system;
  input.cuda = recipe.cuda;
}

}  // namespace torchpatch::trees
