// SPDX-License-Identifier: BSD-3-Clause
/// Where OUT is to stand, and what stands there now.
#pragma once

#include <string>

namespace torchpatch::tree {

/// Returns the absolute path of OUT as the user gave it, without trailing slashes, a last component "." or ".."
/// resolved. Raises environment for an empty path, for "/", and where there is no parent directory.
std::string output_path(const std::string& out);

/// Returns the path of the staging directory beside `path`: ".<name>.torchpatch-staging", or, where that would be
/// longer than a name may be, ".<SHA-256 of the name>.torchpatch-staging".
std::string staging_path(const std::string& path);

/// What tells that torchpatch wrote a directory, and what it is called.
struct OutputRecord {
  std::string path = "torchpatch/manifest.json";  ///< a regular file in it; no link on the way
  std::string what = "a prepared tree";
  std::string refusal = "it holds files that torchpatch did not write";  ///< of a directory without the record
};

enum class OutputState { absent, empty, prepared };

/// Returns what stands at OUT: nothing, an empty directory, or what torchpatch wrote (it has the record). Raises
/// environment for everything else: a file, a link, a mount point, a directory that holds the working directory or
/// files of someone else.
OutputState output_state(const std::string& path, const OutputRecord& record = {});

}  // namespace torchpatch::tree
