// SPDX-License-Identifier: BSD-3-Clause
#include "ops/author/work_state.h"

#include "catalog/data_file.h"
#include "ops/certify/certify.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/json_fields.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

std::string state_file(const std::string& work) { return concat(work, "/.git/torchpatch.json"); }

}  // namespace

std::string work_path(const WorkFile& file) { return concat(repository_directory(file.repository), "/", file.path); }

std::string patchset_folder(const std::string& directory, const std::string& id) {
  return concat(directory, "/", patchset_path(id));
}

const Variant& variant_named(const Patchset& patchset, const std::string& id) {
  std::vector<std::string> ids;
  for (const Variant& variant : patchset.variants) {
    if (variant.id == id) return variant;
    ids.push_back(variant.id);
  }
  throw Error(ErrorKind::usage, concat("patchset ", quote(patchset.id), " has no variant ", quote(id)),
              "it has " + join(ids, ", "));
}

std::string file_digest(const std::string& file) { return sha256(read_file(file)).hex(); }

void write_patch_work(const std::string& work, const PatchWork& state) {
  const std::string path = state_file(work);
  write_file_atomically(path, canonical_json(to_json(state), path));
}

std::map<std::string, std::string> pins_of_work(const Release& release, const PatchWork& state) {
  std::map<std::string, std::string> pins;
  for (const WorkFile& file : state.files)
    if (const ComponentPin* const pin = release.find(file.repository.component))
      pins[component_name(file.repository.component)] = pin->commit.hex();
  return pins;
}

void refuse_work(const std::string& message, const std::string& hint) { throw Error(ErrorKind::patch, message, hint); }

PatchWork read_patch_work(const std::string& work) {
  require_directory(work, concat("the work ", quote(work)), "name a directory that 'patch new' or 'patch edit' wrote");
  const std::string path = state_file(work);
  if (!catalog::is_present(path)) {
    throw Error(ErrorKind::environment, concat(quote(work), " was not written by 'patch new' or 'patch edit'"),
                concat("there is no ", quote(path)));
  }
  Findings findings;
  PatchWork state = read_json<PatchWork>(read_file(path), path, findings);
  findings.raise_if_any("reading the state of the work");
  return state;
}

}  // namespace torchpatch::ops
