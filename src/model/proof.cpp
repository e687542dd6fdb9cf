// SPDX-License-Identifier: BSD-3-Clause
#include "model/proof.h"

#include <array>
#include <utility>

#include "model/patchset.h"
#include "model/release.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch {

namespace {

/// Texts behind each other, each with its length in front: no two lists of texts give the same bytes.
class Record {
 public:
  void add(const std::vector<std::string>& texts) {
    bytes_ += concat(texts.size(), ":");
    for (const std::string& text : texts) bytes_ += concat(text.size(), ":", text);
  }
  Sha256 digest() const { return sha256(bytes_); }

 private:
  std::string bytes_;
};

void add_pins(const Release& release, const Proof& proof, Record& record) {
  for (const ProofPart& part : proof.tree) {
    const ComponentPin* pin = release.find(part.repository.component);
    record.add({component_name(part.repository.component), pin ? pin->commit.hex() : ""});
  }
}

void add_variant(const Variant& variant, Record& record) {
  for (const Patch& patch : variant.patches) record.add({"patch", patch.sha256.hex(), patch.repository.text()});
  for (const AddedFile& file : variant.files)
    record.add({"file", file.sha256.hex(), file.repository.text(), file.path, file.is_executable ? "x" : ""});
  for (const SubmoduleOverride& each : variant.overrides)
    record.add({"override", each.repository.text(), each.commit.hex()});
}

void add_proof(const Proof& proof, const ProofSet& set, Record& record) {
  for (const ProofPart& part : proof.tree) {
    record.add({part.repository.text()});
    record.add(part.paths);
  }
  for (const std::vector<std::string>& command : proof.commands) record.add(command);
  record.add({proof.red});
  for (const auto& [path, bytes] : set.files) record.add({path, sha256(bytes).hex()});
}

}  // namespace

Sha256 proof_subject(const Release& release, const Variant& variant, const Proof& proof, const ProofSet& set) {
  Record record;
  record.add({"torchpatch proof 1"});
  add_pins(release, proof, record);
  add_variant(variant, record);
  add_proof(proof, set, record);
  return record.digest();
}

}  // namespace torchpatch
