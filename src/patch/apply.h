// SPDX-License-Identifier: BSD-3-Clause
/// Applies parsed patches to files in memory, without fuzz and all or nothing: one (apply_patch), or a series of them
/// with their certificates (apply_series); each hunk at the place that HunkLocator finds.
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

/// A file as a tree holds it. For a gitlink `bytes` are the 40 hex digits of its commit.
struct TreeFile {
  FileMode mode = FileMode::regular;
  std::string bytes;
  bool operator==(const TreeFile&) const = default;
};
FIELDS(TreeFile, mode, bytes)

/// Returns a file's blob id, of a gitlink its commit; nothing where there is no file.
std::optional<ObjectId> file_id(const std::optional<TreeFile>& file);
/// Returns "blob <id>", or "no file".
std::string id_text(const std::optional<ObjectId>& id);

/// The files a patch is applied to.
class FileSource {
 public:
  virtual ~FileSource() = default;
  /// Returns the file, link or gitlink at `path`, or nothing (also where `path` is a directory).
  virtual std::optional<TreeFile> read(const std::string& path) = 0;
  /// True where some file lies below `path`.
  virtual bool is_directory(const std::string& path) = 0;
  /// True where some file that is not in `removed` lies below `path`. A patch that replaces a directory by a file needs
  /// to know; where a source cannot tell, such a patch is refused.
  virtual bool has_others_below(const std::string& path, const std::set<std::string>& /*removed*/) {
    return is_directory(path);
  }
};

/// Path → the file after the patch; nothing = deleted.
using Changes = std::map<std::string, std::optional<TreeFile>>;

/// Files with changes laid over them.
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

/// A hunk that did not fit at its stated line and was placed at the only other place where it fits.
struct MovedHunk {
  std::string path;
  int hunk = 0;     ///< 1-based in its file
  long offset = 0;  ///< lines, found minus stated
};

struct Applied {
  Changes changes;
  std::vector<MovedHunk> moved;
  /// Files whose mode is another one (of the same type) than the patch says they have; git apply warns of them. Taking
  /// the patch back would give them the stated mode.
  std::vector<std::string> other_modes;
};

/// Largest sum of the contents that one patch may make: 256 MiB, so that copies and deltas cannot fill the memory.
inline constexpr std::size_t kMaxResultBytes = 256u << 20;

/// Why a patch does not apply.
enum class Failure { already_applied, conflict, file_absent, file_exists, wrong_content };

/// A hunk that fits nowhere.
struct FailedHunk {
  std::string path;
  int number = 0;  ///< 1-based in its file
  std::string why;
};
/// After so many no further hunk of a patch is tried: of a hostile one each may take long.
inline constexpr std::size_t kMostFailedHunks = 20;

/// Error of kind patch: a patch that cannot be applied (ApplyError), or not be reversed.
class PatchError : public Error {
 public:
  explicit PatchError(std::string message, std::string hint = {})
      : Error(ErrorKind::patch, std::move(message), std::move(hint)) {}
};

/// PatchError with its class, file, hunk and first differing line in the message; of several hunks that fit
/// nowhere all are in it, and the first is the one of path() and hunk().
class ApplyError : public PatchError {
 public:
  /// `hunk` is 1-based in its file; 0 where the failure is not one of a hunk. The hint follows from the class.
  ApplyError(Failure failure, std::string path, const std::string& message, int hunk = 0);
  /// Hunks of one file or of several; there is at least one.
  explicit ApplyError(const std::vector<FailedHunk>& hunks);
  Failure failure() const { return failure_; }
  const std::string& path() const { return path_; }
  int hunk() const { return hunk_; }

 private:
  Failure failure_;
  std::string path_;
  int hunk_;
};

/// Applies `patch` to `files`, and gives the tree that git apply gives or refuses. A hunk at its stated line needs no
/// uniqueness; off its line the one place where it fits is taken and reported. Removals, renames and copies are about
/// the files as they were before the patch; only modifications may meet in one file.
/// Raises ApplyError; unsafe for paths or modes that the path-and-mode rule refuses, for paths below a symbolic link,
/// and over kMaxResultBytes.
Applied apply_patch(const PatchFile& patch, FileSource& files);

/// Returns the patch that takes `patch` back. Raises PatchError where it cannot be reversed: a binary change without
/// its reverse side, or a copy, whose reversal would remove a file without knowing its content.
PatchFile reverse_patch(const PatchFile& patch);

// Applies one file's change to its content.

/// Returns the file that `patch` makes of `old`, or nothing where it removes it; `old` is absent where it creates one.
/// Appends the hunks that were not at their stated lines to `moved`. Raises ApplyError.
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
  std::vector<std::vector<PatchEdge>> edges;  ///< of each step, sorted by path; none of a step for another repository
  Changes changes;                            ///< against the files before the series
  std::vector<MovedHunk> moved;
};

/// Applies those steps that are for `repository`, whose files are `files`, in order. Of a step with expected edges,
/// `before` must match before it is applied and `after` when it is, for exactly the paths that it changes, with the
/// modes that it states; a moved hunk is then fine. Raises as apply_patch, unsafe where a step makes a link that
/// link_problem() refuses, and ApplyError wrong_content with both blob ids if an edge does not match; each with the
/// step's name as context.
SeriesResult apply_series(const std::vector<PatchStep>& steps, const RepositoryPath& repository, FileSource& files);

/// Takes the patches of a series for `repository`, which are in the order of application, back out, last first. Returns
/// what changes against `files`; raises as apply_series.
Changes take_series_out(const std::vector<PatchStep>& steps, const RepositoryPath& repository, FileSource& files);

// The place of each hunk in a file, without fuzz.
//
// git apply's rules (git-apply(1), measured by the differential test): all lines of the old side must be there,
// byte for byte. A hunk that starts at line 1 fits only at the beginning, one without context behind its last change
// only at the end. No line may be used by two hunks. Off its stated line git takes the nearest fit; here there must be
// exactly one. Lines that are added without any context fit only at their stated line.

/// Returns the lines of `text`, each with its newline where it has one.
std::vector<std::string_view> split_lines(std::string_view text);

/// Where a hunk goes.
struct Place {
  std::size_t line = 0;   ///< 0-based, in the original file
  bool is_stated = true;  ///< both line numbers of the hunk say so, and it lies behind the hunks before it
  long offset = 0;        ///< lines from the stated place
};

/// A file's lines, and the hunks placed in it so far.
class HunkLocator {
 public:
  /// `text` is not copied.
  explicit HunkLocator(std::string_view text);

  /// Returns the place of `hunk` and takes it, or nothing where it does not fit or fits at several places.
  /// Hunks come in the order of the patch. `hunk` must outlive this.
  std::optional<Place> place(const Hunk& hunk);
  /// Continues after a hunk that place() could not place, as if its lines were there: the next hunks count on them.
  void pass_over(const Hunk& hunk);
  /// Says why place() found none: the first differing line, from shortly before its difference on, or the places where
  /// the hunk fits.
  std::string explain(const Hunk& hunk);
  /// Returns the text with all placed hunks applied.
  std::string result() const;

 private:
  /// The old side of a hunk and what its shape asks of its place.
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
  long shift_ = 0;                                                          ///< lines that the placed hunks add
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> index_;  ///< made when a hunk is first searched
};

}  // namespace torchpatch::patch
