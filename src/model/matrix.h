// SPDX-License-Identifier: BSD-3-Clause
/// Recipes, which build the wheels of a prepared tree, and the matrix of many pairs of release and board: how and where
/// each is built, and its status.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/release.h"
#include "model/text_rules.h"
#include "model/version.h"
#include "support/digest.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

/// Where the build runs: on this machine, in a chroot with the board's system, with a cross compiler, in a container.
enum class RecipeKind { native, chroot, sysroot, container };
NAMES(RecipeKind, native, chroot, sysroot, container)

/// The result of recipe: what it wrote or compared.
struct RecipeReport {
  std::string directory;  ///< as given
  std::size_t files = 0;
  bool is_written = false;             ///< false: compared
  std::vector<std::string> different;  ///< names of files that differ from what would be written
};
FIELDS(RecipeReport, ("schema", SchemaVersion{}), directory, files, ("written", self.is_written), different)

/// The measured or estimated size of a build. Data: build_sizes.json.
struct BuildSize {
  std::string id;
  Version release;
  RecipeKind recipe = RecipeKind::native;
  std::string arch;           ///< of the board: aarch64
  std::int64_t cpus = 1;      ///< processors that it had
  std::int64_t minutes = 0;   ///< wall time of all its steps
  std::int64_t disk_mib = 0;  ///< of its work directory
  bool is_measured = false;
};
FIELDS(BuildSize, ("id", self.id, kIdRule), ("release", self.release, kNoPreRelease), recipe,
       ("arch", self.arch, kNameRule), ("cpus", self.cpus, Range{1, 1024}),
       ("minutes", self.minutes, Range{1, 60 * 24 * 30}, "wall time of all steps"),
       ("disk_mib", self.disk_mib, Range{1, 1 << 24}, "of its work directory"),
       ("measured", self.is_measured, kOptional))

struct BuildSizes {
  std::vector<BuildSize> builds;
  std::vector<SourceNote> sources;
};
FIELDS(BuildSizes, ("schema", SchemaVersion{}), ("builds", self.builds, kNotEmpty),
       ("sources", self.sources, kNotEmpty))

/// How far one of our runs got; each level includes those before it.
enum class EvidenceLevel { configured, built, imported, numerics };
NAMES(EvidenceLevel, configured, built, imported, numerics)

/// Returns "built", or "numerics passed".
inline std::string level_words(EvidenceLevel level) {
  return concat(name_of(level), level == EvidenceLevel::numerics ? " passed" : "");
}

/// A run of a release for a board's image. Data: evidence.json.
struct BuildEvidence {
  std::string release, board, image;
  EvidenceLevel level = EvidenceLevel::configured;
  std::string date, source;
  std::string note;  ///< how the run differs from a build on the board; may be empty
};
FIELDS(BuildEvidence, ("release", self.release, kVersionRule), ("board", self.board, kIdRule),
       ("image", self.image, kIdRule), ("level", self.level, "includes those before it"),
       ("date", self.date, kDateRule), ("source", self.source, kLineRule, "a document and its section"),
       ("note", self.note, kOptional, kLineRule, "how the run differs from a build on the board"))

struct EvidenceTable {
  std::vector<BuildEvidence> evidence;
};
FIELDS(EvidenceTable, ("schema", SchemaVersion{}), ("evidence", self.evidence, kNotEmpty))

/// The resources that a job requests from its engine.
struct JobSize {
  std::int64_t cpus = 1, memory_mib = 0, disk_mib = 0;
  std::int64_t minutes = 0;   ///< time limit
  bool is_estimated = false;  ///< no measured build has this release, recipe and architecture
  auto operator<=>(const JobSize&) const = default;
};
FIELDS(JobSize, ("cpus", self.cpus, Range{1, 1024}), ("memory_mib", self.memory_mib, Range{1, 1 << 24}),
       ("disk_mib", self.disk_mib, Range{1, 1 << 24}), ("minutes", self.minutes, Range{1, 1 << 20}),
       ("estimated", self.is_estimated))

/// The system that runs the job files.
enum class MatrixEngine { github_actions, gitlab_ci, slurm, kubernetes };
NAMES(MatrixEngine, (github_actions, "github-actions"), (gitlab_ci, "gitlab-ci"), slurm, kubernetes)

/// A program that caches or distributes compilation.
enum class BuildCache { none, ccache, sccache, distcc };
NAMES(BuildCache, none, ccache, sccache, distcc)

/// The option of prepare and mirror by which they continue without files that no source has.
inline constexpr std::string_view kAllowPartial = "--allow-partial";

struct MatrixPair {
  std::string id;  ///< "1.8.1-rpi4-debian-11", usable as a file name
  std::string release, board, image;
  RecipeKind recipe = RecipeKind::native;  ///< on a machine with the board's label; sysroot: on any PC
  std::vector<std::string> options;        ///< of prepare
  JobSize size;
  /// SHA-256 of the manifest that the plan determines by options, catalog and program. Work and results with a
  /// different digest are not this pair's. Absent in a matrix of an older program.
  std::optional<Sha256> digest;

  bool is_on_board() const { return recipe == RecipeKind::native; }
  bool is_partial() const { return std::ranges::count(options, kAllowPartial) > 0; }
};
FIELDS(MatrixPair, id, release, board, image, recipe, options, size,
       ("digest", self.digest, kOptional, "of the manifest as the plan determines it; says whose work and results are"))

/// A pair that is not built, with the reason.
struct LeftOutPair {
  std::string release, board, image;  ///< the image may be empty: none is suitable
  std::string reason;
};
FIELDS(LeftOutPair, release, board, ("image", self.image, kOptional), reason)

struct Matrix {
  MatrixEngine engine = MatrixEngine::slurm;
  BuildCache cache = BuildCache::none;
  std::vector<std::string> components;  ///< names; empty: all
  std::vector<MatrixPair> pairs;        ///< by release and board; a pair's number is its 1-based index
  std::vector<LeftOutPair> left_out;
};
FIELDS(Matrix, ("schema", SchemaVersion{}), engine, cache, components, pairs, left_out)

/// The state of a pair, and the stage it is in.
enum class PairState { left_out, waiting, running, failed, done };
NAMES(PairState, left_out, waiting, running, failed, done)
enum class PairStage { prepare, verify, recipe, build, check, keep };
NAMES(PairStage, prepare, verify, recipe, build, check, keep)

struct PairStatus {
  std::string release, board, image;
  PairState state = PairState::waiting;
  std::optional<PairStage> stage;
  std::string reason;                         ///< why it was left out or failed
  std::string log;                            ///< path of the stage's log, relative to the directory, or empty
  std::optional<std::int64_t> started, time;  ///< of the run and of its last report; seconds since 1970
  std::vector<std::string> wheels;            ///< paths relative to the directory
};
FIELDS(PairStatus, release, board, ("image", self.image, kNullIfNothing), state, stage,
       ("reason", self.reason, kNullIfNothing), ("log", self.log, kNullIfNothing),
       ("started", self.started, kNullIfNothing), ("time", self.time, kNullIfNothing), wheels)

struct MatrixStatus {
  std::int64_t time = 0;  ///< when the reports were read, in seconds since 1970
  PairStatus sources;     ///< of the job that fetches them; no board, image or stage
  std::vector<PairStatus> pairs;
  std::vector<std::string> warnings;
};
/// Returns whether a pair's state may still change without intervention.
inline bool is_open(const PairStatus& pair) {
  return pair.state == PairState::waiting || pair.state == PairState::running;
}
inline bool has_failed(const MatrixStatus& status) {
  return status.sources.state == PairState::failed ||
         std::ranges::count(status.pairs, PairState::failed, &PairStatus::state) > 0;
}
FIELDS(MatrixStatus, ("schema", SchemaVersion{}), ("ok", derived([&] { return !has_failed(self); })), time,
       ("sources", group([&](auto& g) {
          g("state", self.sources.state);
          g("reason", self.sources.reason, kNullIfNothing);
          g("log", self.sources.log, kNullIfNothing);
        })),
       pairs)

}  // namespace torchpatch
