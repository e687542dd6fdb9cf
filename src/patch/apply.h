// SPDX-License-Identifier: BSD-3-Clause
/// Applies parsed patches to files in memory, without fuzz and all or nothing: one (apply_patch), or a series with
/// certificates (apply_series). HunkLocator places each hunk.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/patchset.h"
#include "model/path_rule.h"
#include "model/repository_path.h"
#include "patch/patch_file.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/fields.h"

namespace torchpatch::patch {

/// A file of a tree. For a gitlink, `bytes` are the 40 hex digits of its commit.
struct TreeFile {
  FileMode mode = FileMode::regular;
  std::string bytes;
  bool operator==(const TreeFile&) const = default;
};
FIELDS(TreeFile, mode, bytes)

/// Returns a file's blob id (for a gitlink, its commit), or nothing if there is no file.
std::optional<ObjectId> file_id(const std::optional<TreeFile>& file);
/// Returns "blob <id>", or "no file".
std::string id_text(const std::optional<ObjectId>& id);

/// The files that a patch is applied to.
class FileSource {
 public:
  virtual ~FileSource() = default;
  /// Returns the file, link or gitlink at `path`, or nothing (also if `path` is a directory).
  virtual std::optional<TreeFile> read(const std::string& path) = 0;
  /// Returns whether there is a file below `path`.
  virtual bool is_directory(const std::string& path) = 0;
  /// Returns whether there is a file below `path` that is not in `removed`. Needed for patches that replace a directory
  /// by a file; a source that cannot tell refuses them.
  virtual bool has_others_below(const std::string& path, const std::set<std::string>& /*removed*/) {
    return is_directory(path);
  }
};

/// Path → the file after the patch; nothing = removed.
using Changes = std::map<std::string, std::optional<TreeFile>>;

/// Files with changes applied on top.
class OverlayFiles : public FileSource {
 public:
  /// Both must outlive this; `changes` may grow.
  OverlayFiles(FileSource& base, const Changes& changes) : base_(base), changes_(changes) {}

  std::optional<TreeFile> read(const std::string& path) override;
  bool is_directory(const std::string& path) override;
  bool has_others_below(const std::string& path, const std::set<std::string>& removed) override;

 private:
  FileSource& base_;
  const Changes& changes_;
};

/// A hunk that did not fit at its stated line and was placed at the only other line where it fits.
struct MovedHunk {
  std::string path;
  int hunk = 0;     ///< 1-based in its file
  long offset = 0;  ///< lines, found minus stated
};

struct Applied {
  Changes changes;
  std::vector<MovedHunk> moved;
  /// Files whose mode differs from the one stated in the patch, within the same type; git apply warns about them.
  /// Reversing the patch would give them the stated mode.
  std::vector<std::string> other_modes;
};

/// Limit of the total size of the files that one patch produces: 256 MiB, so that copies and deltas cannot fill memory.
inline constexpr std::size_t kMaxResultBytes = 256u << 20;

/// Why a patch does not apply.
enum class Failure { already_applied, conflict, file_absent, file_exists, wrong_content };

/// A hunk that does not fit anywhere.
struct FailedHunk {
  std::string path;
  int number = 0;  ///< 1-based in its file
  std::string why;
};
/// After this many, no more hunks of a patch are tried: each of a hostile patch may take long.
inline constexpr std::size_t kMostFailedHunks = 20;

/// Error of kind patch: a patch that cannot be applied (ApplyError), or cannot be reversed.
class PatchError : public Error {
 public:
  explicit PatchError(std::string message, std::string hint = {})
      : Error(ErrorKind::patch, std::move(message), std::move(hint)) {}
};

/// PatchError with its class, file, hunk and first differing line in the message. If several hunks do not fit, the
/// message lists all; path() and hunk() are those of the first.
class ApplyError : public PatchError {
 public:
  /// `hunk` is 1-based in its file; 0 if the failure is not about a hunk. The hint depends on the class.
  ApplyError(Failure failure, std::string path, const std::string& message, int hunk = 0);
  /// Hunks of one or more files; not empty.
  explicit ApplyError(const std::vector<FailedHunk>& hunks);
  Failure failure() const { return failure_; }
  const std::string& path() const { return path_; }
  int hunk() const { return hunk_; }

 private:
  Failure failure_;
  std::string path_;
  int hunk_;
};

/// Applies `patch` to `files`; gives the same tree as git apply, or refuses. At its stated line a hunk may match
/// elsewhere too; otherwise it is placed at the only line where it fits, and reported. Removals, renames and copies
/// refer to the files before the patch; only modifications may be combined in one file. Raises ApplyError; unsafe for
/// paths or modes that the path-and-mode rule refuses, for paths below a symbolic link, and over kMaxResultBytes.
Applied apply_patch(const PatchFile& patch, FileSource& files);

/// Returns the reverse of `patch`. Raises PatchError if it cannot be reversed: a binary change without its reverse, or
/// a copy, whose reverse would remove a file of unknown content.
PatchFile reverse_patch(const PatchFile& patch);

// Applies one file's change.

/// Returns the result of applying `patch` to `old` (absent if the file is created), or nothing if it removes the file.
/// Appends hunks that were not at their stated lines to `moved`. Raises ApplyError.
std::optional<TreeFile> apply_content(const FilePatch& patch, const std::optional<TreeFile>& old,
                                      std::vector<MovedHunk>& moved);

/// A patch of a series.
struct PatchStep {
  std::string name;  ///< for messages: "cuda-threads/T2/0001-cap-threads.patch"
  RepositoryPath repository{};
  PatchFile patch{};
  std::vector<PatchEdge> expected{};  ///< one for every path that the patch changes; empty = not certified
};

struct SeriesResult {
  std::vector<std::vector<PatchEdge>> edges;  ///< per step, sorted by path; empty for steps of other repositories
  Changes changes;                            ///< relative to the files before the series
  std::vector<MovedHunk> moved;
};

/// Applies the steps for `repository`, whose files are `files`, in order. If a step has expected edges, they must be
/// for exactly the paths that it changes, `before` must match before it is applied and `after` afterwards, with the
/// modes that it states; moved hunks are then allowed. Raises as apply_patch, unsafe if a step creates a link that
/// link_problem() refuses, and ApplyError wrong_content with both blob ids if an edge does not match; each with the
/// step's name as context.
SeriesResult apply_series(const std::vector<PatchStep>& steps, const RepositoryPath& repository, FileSource& files);

/// Reverses the patches of a series for `repository`, given in order of application, last first. Returns the changes
/// relative to `files`; raises as apply_series.
Changes take_series_out(const std::vector<PatchStep>& steps, const RepositoryPath& repository, FileSource& files);

// Placement of hunks in a file, without fuzz.
//
// git apply's rules (git-apply(1), measured by the differential test): all lines of the old side must match byte for
// byte. A hunk that starts at line 1 fits only at the beginning, one without context after its last change only at the
// end. Hunks must not overlap. Off its stated line git uses the nearest match; here there must be exactly one. Lines
// added without any context fit only at their stated line.

/// Returns the lines of `text`, each with its newline, if any.
std::vector<std::string_view> split_lines(std::string_view text);

/// The position of a hunk.
struct Place {
  std::size_t line = 0;   ///< 0-based, in the original file
  bool is_stated = true;  ///< it matches both line numbers of the hunk and is after the previous hunks
  long offset = 0;        ///< lines from the stated place
};

/// A file's lines, and the hunks placed in it so far.
class HunkLocator {
 public:
  /// `text` must outlive this.
  explicit HunkLocator(std::string_view text);

  /// Returns the place of `hunk` and reserves it, or nothing if it fits nowhere or at several places. Hunks must be
  /// given in the order of the patch; `hunk` must outlive this.
  std::optional<Place> place(const Hunk& hunk);
  /// Continues after a hunk that place() could not place, as if its lines existed: later hunks' numbers include them.
  void pass_over(const Hunk& hunk);
  /// Returns why place() failed: the first differing line, from shortly before the difference, or the places where the
  /// hunk fits.
  std::string explain(const Hunk& hunk);
  /// Returns the text with all placed hunks applied.
  std::string result() const;

 private:
  /// The old side of a hunk, and the constraints on its place.
  struct Pattern {
    std::vector<std::string_view> lines;
    bool at_begin = false;
    bool at_end = false;
    bool has_context = false;
  };
  struct Placed {
    std::size_t line = 0;
    std::size_t count = 0;  ///< old lines
    const Hunk* hunk = nullptr;
    std::size_t end() const { return line + count; }
  };

  static Pattern make_pattern(const Hunk& hunk);
  bool fits(const Pattern& pattern, std::size_t line) const;
  std::vector<std::size_t> find_elsewhere(Pattern pattern);
  const std::vector<std::uint32_t>& occurrences(std::string_view line);
  long shift_before(std::size_t line) const;
  void take(const Hunk& hunk, std::size_t line, std::size_t count);
  std::string first_difference(const Hunk& hunk, const Pattern& pattern) const;

  std::vector<std::string_view> lines_;
  std::vector<bool> is_taken_;
  std::vector<Placed> placed_;                                              ///< sorted by line
  long shift_ = 0;                                                          ///< lines added by the placed hunks
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> index_;  ///< built when a hunk is first searched
};

}  // namespace torchpatch::patch
