// SPDX-License-Identifier: BSD-3-Clause
#include "trees/recipe/recipe.h"

#include <map>
#include <set>

#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "tree/scan.h"
#include "tree/staging.h"
#include "tree/write_files.h"
#include "trees/doctor/doctor.h"

namespace torchpatch::trees {

void write_generated(const std::vector<record::GeneratedFile>& files, const std::string& output, Console& console) {
  tree::Staging staging(tree::output_path(output), tree::IfExists::refuse, console);
  std::vector<tree::FileToWrite> to_write;
  for (const record::GeneratedFile& file : files) {
    const FileMode mode = file.is_executable ? FileMode::executable : FileMode::regular;
    to_write.push_back({file.name, mode, git_blob_id(file.bytes), -1, file.bytes});
  }
  NullConsole quiet;
  tree::write_files(staging.path(), to_write, {}, quiet);
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

record::RecipeInput recipe_for(const ScannedTree& tree) {
  return {{}, {}, &tree.manifest, tree.digest, tree.sums_digest};
}

std::string system_of(const std::string& root) {
  if (root.find('/') == std::string::npos) return root;
  const std::string system = read_os(root);
  if (!system.empty()) return system;
  throw Error(ErrorKind::environment, concat("--root: ", quote(root), " has no etc/os-release that names a system"),
              "name an unpacked root, or a system such as debian-11");
}

void take_over(const std::string& directory, record::RecipeInput& input) {
  const std::string file = directory + "/recipe.json";
  const record::RecipeRecord recipe = record::parse_recipe(read_file(file), file);
  input.kind = recipe.kind;
  input.system = recipe.system;
}

}  // namespace torchpatch::trees
