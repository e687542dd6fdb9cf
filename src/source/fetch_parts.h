// SPDX-License-Identifier: BSD-3-Clause
/// Fetches a commit in parts where it did not come in one piece: its trees first, then its files, some at a time. What
/// has come is kept, so that each attempt has less to do. Needs a server that takes filters and gives any object by its
/// id, as those with protocol 2 do; one without filters sends everything at once.
#pragma once

#include "source/fetch.h"

namespace torchpatch::source {

/// Brings the commits of `fetch`, `fetch.files_at_once` files at a time, with the git program; returns what came of it.
/// A commit is referenced when nothing of it is missing. Raises environment.
FetchOutcome fetch_in_parts(const Fetch& fetch, const FetchOptions& options);

}  // namespace torchpatch::source
