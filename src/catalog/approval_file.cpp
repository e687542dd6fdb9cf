// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/approval_file.h"

#include <algorithm>

#include "catalog/fields.h"
#include "support/json_fields.h"

namespace torchpatch::catalog {

Approval read_approval(const DataFile& file, Findings& findings) {
  Approval approval;
  JsonReader::read({file.json, file.path, "", findings}, approval);
  approval.file = file.path;
  const auto refuse = [&](const std::string& key, const std::string& message) {
    findings.add(file.path, line_of(file.json, key), key, message);
  };
  if (!kDate.holds(approval.date)) refuse("date", concat("must be ", kDate.description));
  if (approval.approved.empty()) refuse("approved", "must not be empty");
  if (!std::ranges::all_of(approval.approved, kLine.holds, &Approvable::name))
    refuse("approved", concat("each name must be ", kLine.description));
  if (approval.signature.empty()) refuse("signature", "must not be empty");
  return approval;
}

}  // namespace torchpatch::catalog
