// SPDX-License-Identifier: BSD-3-Clause
/// The directory that `matrix` writes: job files of an engine, the scripts that its jobs run, and matrix.json, by which
/// `matrix status` knows what to look for. The same bytes for the same matrix.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/matrix.h"
#include "record/tree_scripts.h"
#include "support/json.h"
#include "support/json_fields.h"

namespace torchpatch::record {

/// Returns matrix.json.
Json matrix_record(const Matrix& matrix);

/// Returns the files of a matrix, by name. Raises usage where the engine cannot run so many jobs.
std::vector<GeneratedFile> matrix_files(const Matrix& matrix);

/// Returns the job that fetches the sources, which reports as a pair does; its digest is of what it runs.
MatrixPair sources_job(const Matrix& matrix);

/// Returns what matrix.json with these bytes says. Raises data where it is malformed.
Matrix parse_matrix(std::string_view bytes, const std::string& file);

/// pair.json: what the job of a pair, or sources.sh, says of itself, anew at each stage.
struct PairReport {
  std::string pair;  ///< id
  PairState state = PairState::running;
  PairStage stage = PairStage::prepare;
  std::int64_t time = 0;                  ///< seconds since 1970 at which the stage began, or the pair ended
  std::string reason;                     ///< of a failure
  std::optional<Sha256> digest;           ///< of the pair; absent: by a matrix of an older program
  std::optional<std::int64_t> started{};  ///< when this run of the pair began; absent as well
};
FIELDS(PairReport, ("schema", SchemaVersion{}), pair, state, stage,
       ("time", self.time, Range{0, std::int64_t{1} << 40}), reason, ("digest", self.digest, kOptional),
       ("started", self.started, kOptional, Range{0, std::int64_t{1} << 40}))

/// Returns what a pair.json says. Raises data where it is malformed.
PairReport parse_pair_report(std::string_view bytes, const std::string& file);

}  // namespace torchpatch::record
