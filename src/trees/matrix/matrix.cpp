// SPDX-License-Identifier: BSD-3-Clause
#include "trees/matrix/matrix.h"

#include <algorithm>
#include <map>

#include "model/doctor.h"
#include "plan/make_plan.h"
#include "record/manifest_file.h"
#include "record/matrix/matrix_files.h"
#include "record/recipe/recipe.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "trees/doctor/doctor.h"
#include "trees/prepare/manifest.h"
#include "trees/prepare/prepare.h"

namespace torchpatch::trees {

namespace {

constexpr std::int64_t kMinutesStep = 30;

/// Returns a pair with the size of its job. Raises usage and patch if it cannot be planned.
MatrixPair plan_pair(const Catalog& catalog, const MatrixRequest& request, const Release& release, const Board& board,
                     const std::string& image) {
  Plan plan = plan::make_plan(catalog, release.version.text(), board.id, image, request.options);
  Manifest manifest = make_manifest(plan, catalog, {});
  RecipeKind recipe = RecipeKind::native;
  if (!builds_for_cuda(plan.facts)) {
    Plan crossed = plan_cross_build(catalog, plan);
    Manifest of_cross = make_manifest(crossed, catalog, {});
    if (record::can_cross_build(of_cross)) {
      recipe = RecipeKind::sysroot;
      plan = std::move(crossed);
      manifest = std::move(of_cross);
    }
  }
  require_certificates(plan, catalog, false);
  if (!foreign_layers(manifest).empty() && !manifest.stand_in)
    throw Error(ErrorKind::usage, "its plan uses your own catalog, which the jobs do not have");
  std::vector<std::string> words = prepare_words(manifest);
  if (request.allow_partial) words.emplace_back(kAllowPartial);
  return {concat(manifest.release, "-", manifest.board, "-", manifest.image),
          manifest.release,
          manifest.board,
          manifest.image,
          recipe,
          words,
          size_job(catalog.build_sizes, plan, recipe),
          sha256(concat(record::manifest_json(manifest), request.allow_partial ? kAllowPartial : ""))};
}

constexpr std::string_view kReportName = "pair.json";

/// The newest report of a pair, and where it lies.
struct FoundReport {
  record::PairReport report;
  std::string directory;  ///< below the results
  std::string problem;    ///< why it cannot be read, or empty
};

/// Returns whether a report is of another matrix than the one that has these pairs.
bool is_of_another(const record::PairReport& report, const std::vector<MatrixPair>& pairs) {
  const auto pair = std::ranges::find(pairs, report.pair, &MatrixPair::id);
  return pair == pairs.end() || (pair->digest && pair->digest != report.digest);
}

/// Returns the newest report of each of the pairs below `results`. A report lies in a directory with the name of its
/// pair, which identifies it if it cannot be read. Of reports of other matrices there are `warnings`.
std::map<std::string, FoundReport> read_reports(const std::string& results, const std::vector<MatrixPair>& pairs,
                                                std::vector<std::string>& warnings) {
  std::map<std::string, FoundReport> reports;
  if (!is_directory(results)) return reports;
  for (const std::string& path : list_files_below(results)) {
    if (base_name(path) != kReportName) continue;
    FoundReport found;
    found.directory = path.substr(0, path.size() - std::min(path.size(), kReportName.size() + 1));
    try {
      found.report = record::parse_pair_report(read_file(results + "/" + path), path);
    } catch (const Error& error) {
      found.report.pair = base_name(found.directory);
      found.problem = error.message();
    }
    if (found.problem.empty() && is_of_another(found.report, pairs)) {
      warnings.push_back(
          concat("'", found.directory, "' belongs to another matrix: its pairs, options, catalog or program differ"));
      continue;
    }
    const auto known = reports.find(found.report.pair);
    if (known == reports.end() || known->second.report.time <= found.report.time)
      reports[found.report.pair] = std::move(found);
  }
  return reports;
}

PairStatus status_of(const MatrixPair& pair, const FoundReport* found, const std::string& results, std::int64_t now) {
  PairStatus status = {pair.release, pair.board, pair.image, PairState::waiting, {}, {}, {}, {}, {}, {}};
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
  status.started = report.started;
  status.time = report.time;
  if (status.state == PairState::running && now - report.time > pair.size.minutes * 60) {
    status.state = PairState::failed;
    status.reason = concat("no report for longer than the ", pair.size.minutes, " minutes of its job");
  }
  const std::string below = concat(found->directory, found->directory.empty() ? "" : "/");
  const std::string log = concat(below, name_of(report.stage), ".log");
  if (file_exists(results + "/" + log)) status.log = log;
  if (status.state != PairState::done) return status;
  for (const std::string& name : list_directory(concat(results, "/", found->directory)))
    if (ends_with(name, ".whl")) status.wheels.push_back(below + name);
  return status;
}

Matrix read_matrix(const std::string& directory) {
  const std::string file = directory + "/matrix.json";
  if (!file_exists(file)) {
    throw Error(ErrorKind::environment, concat("reading the matrix in ", quote(directory), ": it has no matrix.json"),
                "pass a directory written by 'torchpatch matrix'");
  }
  return record::parse_matrix(read_file(file), file);
}

}  // namespace

JobSize size_job(const BuildSizes& sizes, const Plan& plan, RecipeKind recipe) {
  const std::optional<BuildGuide> guide = guide_to(sizes, plan, recipe);
  if (!guide) {
    throw Error(ErrorKind::data, concat("build_sizes.json has no build by the ", name_of(recipe), " recipe"),
                "overlay a catalog that has one with --catalog");
  }
  const BuildSize& build = *guide->build;
  std::int64_t memory = build.cpus * mib_per_job(plan.release->version, builds_for_cuda(plan.facts));
  // No board can give all its memory to a job.
  if (recipe == RecipeKind::native) memory = std::min(memory, plan.board->memory_mib * 3 / 4);
  const std::int64_t minutes = build.minutes * guide->margin();
  return {.cpus = build.cpus,
          .memory_mib = memory,
          .disk_mib = build.disk_mib * guide->margin(),
          .minutes = (minutes + kMinutesStep - 1) / kMinutesStep * kMinutesStep,
          .is_estimated = !guide->is_measured};
}

Matrix plan_matrix(const Catalog& catalog, const MatrixRequest& request) {
  for (const VersionRange& range : request.releases) {
    if (std::ranges::any_of(catalog.releases, [&](const auto& each) { return range.contains(each.first); })) continue;
    throw Error(ErrorKind::usage, concat("--versions: no release of the catalog is in ", quote(range.text())),
                "'torchpatch list releases' prints all");
  }
  std::vector<std::string> known;
  for (const std::string& name : request.boards)
    for (const Image& image : catalog.board(name).images) known.push_back(image.id);
  for (const std::string& image : request.images) {
    if (std::ranges::count(known, image) > 0) continue;
    throw Error(ErrorKind::usage, concat("--image: none of the boards has an image ", quote(image)),
                concat("they have ", join(known, ", ")));
  }

  Matrix matrix;
  matrix.engine = request.engine;
  matrix.cache = request.cache;
  for (const Component component : request.options.components) matrix.components.emplace_back(name_of(component));
  const auto leave_out = [&](const Release& release, const Board& board, const std::string& image,
                             const std::string& reason) {
    // A reason may be a list of them.
    matrix.left_out.push_back({release.version.text(), board.id, image, joined_lines(reason)});
  };
  const auto add = [&](const Release& release, const Board& board, const std::string& image) {
    try {
      matrix.pairs.push_back(plan_pair(catalog, request, release, board, image));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::patch) throw;
      leave_out(release, board, image, error.message());
    }
  };
  for (const auto& [version, release] : catalog.releases) {
    if (std::ranges::none_of(request.releases,
                             [&version = version](const VersionRange& each) { return each.contains(version); }))
      continue;
    for (const std::string& name : request.boards) {
      const Board& board = catalog.board(name);
      if (request.images.empty()) add(release, board, "");
      bool has_image = request.images.empty();
      for (const Image& image : board.images) {
        if (std::ranges::count(request.images, image.id) == 0) continue;
        add(release, board, image.id);
        has_image = true;
      }
      if (!has_image) leave_out(release, board, "", "the board has none of the images that are requested");
    }
  }
  return matrix;
}

GeneratedOutput matrix_output(const std::string& directory, bool replace) {
  GeneratedOutput output = {directory, {.path = "matrix.json", .what = "a matrix"}, {}};
  if (replace) {
    output.earlier = [directory] {
      return collect(record::matrix_files(read_matrix(directory)), &record::GeneratedFile::name);
    };
  }
  return output;
}

MatrixStatus matrix_status(const std::string& directory, const std::string& results, std::int64_t now) {
  const Matrix matrix = read_matrix(directory);
  MatrixStatus status;
  status.time = now;
  std::vector<MatrixPair> jobs = matrix.pairs;
  jobs.push_back(record::sources_job(matrix));
  const std::map<std::string, FoundReport> reports = read_reports(results, jobs, status.warnings);
  for (const MatrixPair& job : jobs) status.pairs.push_back(status_of(job, find_value(reports, job.id), results, now));
  status.sources = std::move(status.pairs.back());
  status.sources.stage.reset();
  status.pairs.pop_back();
  for (PairStatus& pair : status.pairs) {
    if (pair.state != PairState::waiting || status.sources.state != PairState::failed) continue;
    pair.state = PairState::failed;
    pair.reason = "not started: the job 'sources' failed";
  }
  for (const LeftOutPair& pair : matrix.left_out)
    status.pairs.push_back(
        {pair.release, pair.board, pair.image, PairState::left_out, {}, pair.reason, {}, {}, {}, {}});
  return status;
}

}  // namespace torchpatch::trees
