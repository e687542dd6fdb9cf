// SPDX-License-Identifier: BSD-3-Clause
/// write_repositories(): the embedded upstream, real git repositories that stand in for PyTorch's if those are not
/// available; make_projects(): the same as values.
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
/// A patch that is rooted in another repository path adds a repository there. They hold what the catalog's patches
/// expect, at the lines that the patches state, and filler elsewhere. Their commits, certificates and results are
/// recorded in layers/sample, by tools/record-sample.
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

/// A file as the patches expect it: the lines that must stand somewhere, and filler for the rest.
struct FileDraft {
  FileMode mode = FileMode::regular;
  std::optional<std::string> content;          ///< all of it, where it is known
  std::map<std::uint32_t, std::string> lines;  ///< number, 1-based → bytes with the newline
  std::optional<std::uint32_t> last_line;      ///< number of the last line, where nothing may follow it
};

/// Path → file, of one repository.
using FileDrafts = std::map<std::string, FileDraft>;

/// Makes `files` hold exactly what `patch` expects, at the lines that it states. `name` is the patch's, for errors.
/// Raises data where another patch expects something else in the same place, and for what cannot be made up: the old
/// content of a binary change without its reverse, a gitlink.
void expect_patch(const patch::PatchFile& patch, const std::string& name, FileDrafts& files);

/// Lets line `number` of the file at `path` be `text`, unless a patch says what it is.
void suggest_line(const std::string& path, std::uint32_t number, const std::string& text, FileDrafts& files);

/// Returns the bytes of the file at `path`. Where nobody expects anything stand comments that say whose text it is, no
/// two of them equal, so that a hunk finds one place only.
std::string draft_content(const std::string& path, const FileDraft& draft);

struct SubmoduleDraft {
  std::string path;
  std::string url;      ///< as .gitmodules records it
  std::string project;  ///< key in Projects
};

/// One repository at one commit.
struct Project {
  std::string title;      ///< whose place it takes: "torch 1.1.0", "onnx"
  std::string tag;        ///< of a component, else empty
  std::int64_t time = 0;  ///< of its commit, seconds since 1970
  FileDrafts files;       ///< without .gitmodules
  std::vector<SubmoduleDraft> submodules;
};

/// By name: "torch", "vision", "audio" are the components, the others their submodules.
using Projects = std::map<std::string, Project>;

/// Returns the repositories for `release`: files for every patch of every variant of `catalog` that is made for this
/// release, and a line for every place where the release says that a variable is read. Only patchsets and the release's
/// version, tags and flags are looked at. Empty where no variant is made for it. Raises data as expect_patch.
Projects make_projects(const Catalog& catalog, const Release& release);

/// Returns an upstream URL that nobody serves: its host is in ".invalid" (RFC 2606).
std::string stand_in_url(const std::string& repository);

/// Release → the commit of each component.
using WrittenReleases = std::map<Version, std::map<Component, ObjectId>>;

/// Writes bare repositories "<release>/<name>.git" below `directory`, for every release of `shipped` that some variant
/// of a patchset is made for (of those in `only`, where any are named), and returns the commits to pin. Depends on
/// nothing but the patchsets and the releases' versions, tags and flags. Raises data where patches expect what cannot
/// stand in one tree; usage where none of `only` is held; environment.
WrittenReleases write_repositories(const Catalog& shipped, const std::string& directory,
                                   const std::vector<std::string>& only = {});

}  // namespace torchpatch::sample
