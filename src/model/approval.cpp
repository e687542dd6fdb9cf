// SPDX-License-Identifier: BSD-3-Clause
#include "model/approval.h"

namespace torchpatch {

void check_fields(ObjectReader& object, const Approval& approval) {
  if (approval.signature.empty()) object.report("signature", "is missing");
}

}  // namespace torchpatch
