// SPDX-License-Identifier: BSD-3-Clause
#include "trees/matrix/matrix_status.h"

#include <algorithm>
#include <map>

#include "record/matrix/matrix_files.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

constexpr std::string_view kReportName = "pair.json";

/// The newest report of a pair, and where it lies.
struct FoundReport {
  record::PairReport report;
  std::string directory;  ///< below the results
  std::string problem;    ///< why it cannot be read, or empty
};

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// A report lies in a directory with the name of its pair, which tells whose it is where it cannot be read.
FoundReport read_report(const std::string& results, const std::string& path) {
  FoundReport found;
  found.directory = path.substr(0, path.size() - std::min(path.size(), kReportName.size() + 1));
  try {
    found.report = record::parse_pair_report(read_file(results + "/" + path), path);
  } catch (const Error& error) {
    found.report.pair = last_part(found.directory);
    found.problem = error.message();
  }
  return found;
}

std::map<std::string, FoundReport> read_reports(const std::string& results) {
  std::map<std::string, FoundReport> reports;
  if (!is_directory(results)) return reports;
  for (const std::string& path : list_files_below(results)) {
    if (last_part(path) != kReportName) continue;
    FoundReport found = read_report(results, path);
    const auto known = reports.find(found.report.pair);
    if (known == reports.end() || known->second.report.time <= found.report.time)
      reports[found.report.pair] = std::move(found);
  }
  return reports;
}

PairStatus status_of(const MatrixPair& pair, const FoundReport* found, const std::string& results, std::int64_t now) {
  PairStatus status = {pair.release, pair.board, pair.image, PairState::waiting, {}, {}, {}};
  if (!found) return status;
  if (!found->problem.empty()) {
    status.state = PairState::failed;
    status.reason = concat("its report cannot be read: ", joined_lines(found->problem));
    return status;
  }
  const record::PairReport& report = found->report;
  status.state = report.state;
  status.stage = report.stage;
  status.reason = report.reason;
  if (status.state == PairState::running && now - report.time > pair.size.minutes * 60) {
    status.state = PairState::failed;
    status.reason = concat("nothing was heard of it for longer than the ", pair.size.minutes, " minutes of its job");
  }
  const std::string log = concat(found->directory, found->directory.empty() ? "" : "/", name_of(report.stage), ".log");
  if (file_exists(results + "/" + log)) status.log = log;
  return status;
}

}  // namespace

MatrixStatus matrix_status(const std::string& directory, const std::string& results, std::int64_t now) {
  const std::string file = directory + "/matrix.json";
  if (!file_exists(file)) {
    throw Error(ErrorKind::environment, concat("reading the matrix in ", quote(directory), ": it has no matrix.json"),
                "name a directory that 'torchpatch matrix' wrote");
  }
  const Matrix matrix = record::parse_matrix(read_file(file), file);
  std::map<std::string, FoundReport> reports = read_reports(results);
  MatrixStatus status;
  for (const MatrixPair& pair : matrix.pairs) {
    const auto found = reports.find(pair.id);
    status.pairs.push_back(status_of(pair, found == reports.end() ? nullptr : &found->second, results, now));
    if (found != reports.end()) reports.erase(found);
  }
  for (const LeftOutPair& pair : matrix.left_out)
    status.pairs.push_back({pair.release, pair.board, pair.image, PairState::left_out, {}, pair.reason, {}});
  for (const auto& [id, found] : reports)
    status.warnings.push_back(concat("'", found.directory, "' is of no pair of this matrix"));
  return status;
}

}  // namespace torchpatch::trees
