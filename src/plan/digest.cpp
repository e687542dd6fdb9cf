// SPDX-License-Identifier: BSD-3-Clause
#include "plan/digest.h"

#include "model/path_rule.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::plan {

std::string canonical_text(const Plan& plan) {
  std::string text = "torchpatch plan 1\n";
  for (const Component component : plan.components) {
    const ComponentPin* pin = plan.release->find(component);
    text += concat("component\t", component_name(component), '\t', pin->commit.hex(), '\n');
  }
  for (const PlannedOverride& planned : plan.overrides) {
    text += concat("override\t", planned.what->commit.hex(), '\t', planned.what->repository.text(), '\n');
  }
  for (const PlannedPatch& planned : plan.patches) {
    text += concat("patch\t", planned.patch->sha256.hex(), '\t', planned.patch->repository.text(), '\n');
  }
  std::map<std::pair<RepositoryPath, std::string>, std::string> files;
  for (const PlannedFile& planned : plan.files) {
    const AddedFile& file = *planned.file;
    const char* mode = file_mode_text(file.is_executable ? FileMode::executable : FileMode::regular);
    files[{file.repository, file.path}] =
        concat("file\t", mode, '\t', file.sha256.hex(), '\t', file.repository.text(), '\t', file.path, '\n');
  }
  for (const auto& [place, line] : files) {
    text += line;
  }
  return text;
}

Sha256 plan_digest(const Plan& plan) { return sha256(canonical_text(plan)); }

}  // namespace torchpatch::plan
