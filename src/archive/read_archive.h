// SPDX-License-Identifier: BSD-3-Clause
/// Reads release archives that nobody vouches for: tar (plain, gzip, xz, bzip2, zstd) with libarchive, and zip
/// (read_zip.h). Members come as values, in the archive's order; nothing is ever extracted. Only ever used inside a
/// worker process (support/worker_pool.h), for it trusts a library with foreign bytes.
#pragma once

#include "archive/member.h"

namespace torchpatch::archive {

/// Reads all members. Raises source if it is no archive, damaged, encrypted or has no files; unsafe if the
/// path-and-mode rule refuses a member (its path, a hard link to anything but an earlier path by that rule, a device, a
/// FIFO), a path stands twice (unless as a directory), a limit is exceeded, or read_zip() refuses it. Members cut off
/// at the end of a tar are not noticed here: that is what ids are for.
ArchiveFacts read_archive(const Input& input, const ReadLimits& limits, const MemberSink& sink);

}  // namespace torchpatch::archive
