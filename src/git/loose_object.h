// SPDX-License-Identifier: BSD-3-Clause
/// Loose objects, read by our own bounded code: libgit2 1.5 overflows its heap on one that declares fewer bytes than it
/// holds, loops for ever on a truncated one and blocks on a FIFO (reliability §3.2 13, 14, 16).
#pragma once

#include <optional>
#include <string>

#include "git/object.h"
#include "support/object_id.h"

namespace torchpatch::git {

/// Returns where a folder of objects has a loose one: ".../objects/ab/cdef…".
std::string loose_object_path(const std::string& object_folder, const ObjectId& id);

/// True where the folder has a regular file for this object.
bool has_loose_object(const std::string& object_folder, const ObjectId& id);

/// Returns the object, its declared size checked but not its id; nothing where the folder has no such file. Raises
/// source where it is damaged, unsafe where it is over kMaxObjectBytes.
std::optional<Object> read_loose_object(const std::string& object_folder, const ObjectId& id);

/// Returns the object that these bytes of a loose object's file mean; `name` is for messages. Raises like the above.
Object inflate_loose_object(std::string_view compressed, const ObjectId& id, const std::string& name);

}  // namespace torchpatch::git
