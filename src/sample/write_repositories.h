// SPDX-License-Identifier: BSD-3-Clause
/// write_repositories(): writes the embedded upstream, git repositories that stand in for PyTorch's if those are not
/// available; make_projects(): returns them as values.
///
///   torch                                   files that patches expect, and one of each kind that a tree can hold
///     third_party/onnx
///       third_party/pybind11                the same repository and commit as below
///         tools/clang                       relative URL; three levels deep
///     third_party/protobuf                  URL that has moved
///       third_party/googletest
///     third_party/pybind11
///       tools/clang
///   vision, audio
///
/// A patch for another repository path adds a repository there. The files contain what the catalog's patches expect, at
/// their stated lines, and filler elsewhere. Commits, certificates and results are recorded in layers/sample, by
/// tools/record-sample.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/path_rule.h"
#include "patch/patch_file.h"

namespace torchpatch::sample {

/// A file that patches expect: required lines, with filler for the rest.
struct FileDraft {
  FileMode mode = FileMode::regular;
  std::optional<std::string> content;          ///< the whole content, if known
  std::map<std::uint32_t, std::string> lines;  ///< number, 1-based → bytes with the newline
  std::optional<std::uint32_t> last_line;      ///< number of the last line, if nothing may follow it
};

/// Path → file, of one repository.
using FileDrafts = std::map<std::string, FileDraft>;

/// Makes `files` contain exactly what `patch` expects, at its stated lines. `name` is the patch's, for errors. Raises
/// data if another patch expects something else in the same place, and for what cannot be invented: the old content of
/// a binary change without its reverse, a gitlink.
void expect_patch(const patch::PatchFile& patch, const std::string& name, FileDrafts& files);

/// Sets line `number` of the file at `path` to `text`, unless a patch determines it.
void suggest_line(const std::string& path, std::uint32_t number, const std::string& text, FileDrafts& files);

/// Returns the bytes of the file at `path`. Unspecified lines are numbered stand-in comments, all different, so that a
/// hunk matches in one place only.
std::string draft_content(const std::string& path, const FileDraft& draft);

struct SubmoduleDraft {
  std::string path;
  std::string url;      ///< as in .gitmodules
  std::string project;  ///< key in Projects
};

/// One repository at one commit.
struct Project {
  std::string title;      ///< what it stands in for: "torch 1.1.0", "onnx"
  std::string tag;        ///< of a component, or empty
  std::int64_t time = 0;  ///< of its commit, seconds since 1970
  FileDrafts files;       ///< without .gitmodules
  std::vector<SubmoduleDraft> submodules;
};

/// By name: "torch", "vision" and "audio" are the components, the others are submodules.
using Projects = std::map<std::string, Project>;

/// Returns the repositories for `release`: files for every patch of every variant of `catalog` made for this release,
/// and a line for every place where the release records that a variable is read. Uses only patchsets and the release's
/// version, tags and flags. Empty if no variant is made for it. Raises data as expect_patch.
Projects make_projects(const Catalog& catalog, const Release& release);

/// Returns a reserved upstream URL: its host is in ".invalid" (RFC 2606).
std::string stand_in_url(const std::string& repository);

/// Release → the commit of each component.
using WrittenReleases = std::map<Version, std::map<Component, ObjectId>>;

/// Writes bare repositories "<release>/<name>.git" below `directory`, for every release of `shipped` with a variant of
/// a patchset (or only those in `only`, if not empty), and returns the commits to pin. Depends only on the patchsets
/// and the releases' versions, tags and flags. Raises data if patches expect contents that cannot be in one tree; usage
/// if there is none of `only`; environment.
WrittenReleases write_repositories(const Catalog& shipped, const std::string& directory,
                                   const std::vector<std::string>& only = {});

}  // namespace torchpatch::sample
