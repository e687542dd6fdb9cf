// SPDX-License-Identifier: BSD-3-Clause
#include "source/object_source.h"

#include "git/library.h"

namespace torchpatch::source {

ObjectSource::ObjectSource() { git::initialize_library(); }

std::vector<std::string> ObjectSource::bring(const std::vector<WantedCommit>& wanted, Console&) {
  return std::vector<std::string>(wanted.size(), "not in any mirror");
}

void ObjectSource::note_use(int, const ObjectId&) {}

}  // namespace torchpatch::source
