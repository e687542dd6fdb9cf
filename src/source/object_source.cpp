// SPDX-License-Identifier: BSD-3-Clause
#include "source/object_source.h"

#include "git/library.h"
#include "source/archive_store.h"

namespace torchpatch::source {

ObjectSource::ObjectSource() { git::initialize_library(); }

std::vector<std::string> ObjectSource::bring(const std::vector<WantedCommit>& wanted, Console&) {
  return std::vector<std::string>(wanted.size(), "not in any mirror");
}

void ObjectSource::note_use(int, const ObjectId&) {}

std::string ObjectSource::hint() const {
  return "name a folder that holds them with --mirror, or bring them into one with git";
}

const std::vector<OpenArchive>& ObjectSource::archives() const {
  static const std::vector<OpenArchive> kNone;
  return kNone;
}

}  // namespace torchpatch::source
