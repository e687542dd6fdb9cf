// SPDX-License-Identifier: BSD-3-Clause
#include "git/object.h"

#include "support/text.h"

namespace torchpatch::git {

const char* object_type_name(ObjectType type) {
  switch (type) {
    case ObjectType::commit:
      return "commit";
    case ObjectType::tree:
      return "tree";
    case ObjectType::blob:
      return "blob";
    case ObjectType::tag:
      return "tag";
  }
  return "";
}

Error object_too_large(const ObjectId& id, std::uint64_t size, const std::string& name) {
  return Error(ErrorKind::unsafe, concat("reading object ", id.hex(), " from ", quote(name), ": it has ", size,
                                         " bytes, more than the ", kMaxObjectBytes, " that torchpatch reads"));
}

}  // namespace torchpatch::git
