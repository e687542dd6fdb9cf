// SPDX-License-Identifier: BSD-3-Clause
/// mirror, bundle create, bundle unpack: what was brought where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/keep.h"
#include "model/manifest.h"
#include "report/show.h"
#include "support/object_id.h"

namespace torchpatch::report {

/// JSON: {"schema": 1, "output", "releases", "repositories": [{url, path, commits, objects, added, bytes}], …}.
std::string mirror_report(const MirrorReport& report, Format format);

// bundle verify: what is wrong with a bundle.

/// JSON: {"schema": 1, "ok", "file", "size", "sha256", "releases", "totals", "problems", "notes"}.
std::string bundle_report(const BundleReport& report, Format format);

// cache list, verify, gc.

/// JSON: {"schema": 1, "directory", "bytes", "repositories": [{name, path, bytes, commits: [{commit, last_use,
/// releases}], left_over}], "archives": [{path, bytes, last_use}], "damage"}.
std::string cache_report(const CacheReport& report, Format format);

/// JSON: {"schema": 1, "ok", "directory", "repositories", "objects", "bytes", "problems": [{repository, problem}]}.
std::string cache_check(const CacheCheck& check, Format format);

/// JSON: {"schema": 1, "directory", "dry_run", "freed", "commits": [{repository, commit, why}], "repositories",
/// "archives", "left_over"}.
std::string collect_report(const CollectReport& report, Format format);

// export: what went into an archive.

/// JSON: {"schema": 1, "output": …, "sha256": …, "tar_sha256": …}.
std::string export_report(const ExportReport& report, Format format);

}  // namespace torchpatch::report
