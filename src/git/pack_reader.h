// SPDX-License-Identifier: BSD-3-Clause
/// Reads packs as pack_writer.h makes them, and no others: bytes of strangers, read by our own bounded code. An index
/// is not needed and not believed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "git/object.h"
#include "git/pack_writer.h"

namespace torchpatch::git {

/// Calls `visit` with each object and the id that its content has, and returns where each stands. `name` is for
/// messages. Raises source: no pack of version 2, a delta, an entry that is damaged or says another size, an object
/// twice, bytes that are left over, another checksum; unsafe: an object over kMaxObjectBytes.
std::vector<PackPlace> read_pack(std::string_view bytes, const std::string& name,
                                 const std::function<void(const ObjectId&, const Object&)>& visit);

}  // namespace torchpatch::git
