// SPDX-License-Identifier: BSD-3-Clause
/// Reads zip archives that nobody vouches for by their central directory, as Python's zipfile does, with which pip
/// installs wheels. Other readers go by the header before each member, or find another directory; so a zip is refused
/// if any two of them could get different members, names or contents from it.
#pragma once

#include "archive/member.h"

namespace torchpatch::archive {

/// Reads all members of a zip, in the order of their bytes. Raises source if it is no zip, damaged, encrypted,
/// compressed by anything but deflate or has no files; unsafe if a limit is exceeded, or for
/// * bytes that belong to no member (before, between or after them) or to two, a second end record;
/// * a member whose own header differs from its entry in the directory, or that is a directory by its name or by its
///   attributes alone;
/// * a name that output_path_problem refuses, that has a backslash, or that is neither ASCII nor marked as UTF-8; two
///   members of one path (unless directories), or one below a file.
/// A link is a member whose content is the target; Python writes it as a file.
ArchiveFacts read_zip(const Input& input, const ReadLimits& limits, const MemberSink& sink);

}  // namespace torchpatch::archive
