// SPDX-License-Identifier: BSD-3-Clause
#include "trees/matrix/matrix.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/doctor.h"
#include "plan/make_plan.h"
#include "record/matrix/matrix_files.h"
#include "record/recipe/recipe.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "trees/doctor/doctor.h"
#include "trees/prepare/manifest.h"
#include "trees/prepare/prepare.h"

namespace torchpatch::trees {

namespace {

/// Twice the time and disk of a build that was measured, for machines differ; of an estimate three times.
constexpr std::int64_t kMeasuredMargin = 2, kEstimateMargin = 3;
constexpr std::int64_t kMinutesStep = 30;

/// Returns a rank of `build` for that release; the smallest is taken. A build of another architecture, or of a newer
/// release, is a poorer guide.
std::tuple<bool, bool, VersionKey> rank_of(const BuildSize& build, const Version& release, const std::string& arch) {
  const bool is_newer = build.release > release;
  VersionKey distance = build.release.key();
  if (!is_newer)
    for (std::uint64_t& number : distance) number = kNumberEnd - number;
  return {build.arch != arch, is_newer, distance};
}

/// Returns a pair with the size of its job. Raises usage and patch if it cannot be planned.
MatrixPair plan_pair(const Catalog& catalog, const PlanOptions& options, const Release& release, const Board& board,
                     const std::string& image) {
  Plan plan = plan::make_plan(catalog, release.version.text(), board.id, image, options);
  Manifest manifest = make_manifest(plan, catalog, {});
  RecipeKind recipe = RecipeKind::native;
  if (!builds_for_cuda(plan.facts)) {
    PlanOptions crossed_options = options;
    crossed_options.settings.try_emplace("cross", "true");  // a fact of the plan, which the user may have decided
    Plan crossed = plan::make_plan(catalog, release.version.text(), board.id, image, crossed_options);
    Manifest of_cross = make_manifest(crossed, catalog, {});
    if (record::can_cross_build(of_cross)) {
      recipe = RecipeKind::sysroot;
      plan = std::move(crossed);
      manifest = std::move(of_cross);
    }
  }
  require_certificates(plan, catalog, false);
  if (!foreign_layers(manifest).empty() && !manifest.stand_in)
    throw Error(ErrorKind::usage, "its plan takes from a catalog of one's own, which the jobs would not have");
  return {concat(manifest.release, "-", manifest.board, "-", manifest.image),
          manifest.release,
          manifest.board,
          manifest.image,
          recipe,
          prepare_words(manifest),
          size_job(catalog.build_sizes, plan, recipe)};
}

constexpr std::string_view kReportName = "pair.json";

/// The newest report of a pair, and where it lies.
struct FoundReport {
  record::PairReport report;
  std::string directory;  ///< below the results
  std::string problem;    ///< why it cannot be read, or empty
};

/// Returns the newest report of each pair below `results`. A report lies in a directory with the name of its pair,
/// which identifies it if it cannot be read.
std::map<std::string, FoundReport> read_reports(const std::string& results) {
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

JobSize size_job(const BuildSizes& sizes, const Plan& plan, RecipeKind recipe) {
  const Version& release = plan.release->version;
  const std::string& arch = plan.image->arch ? *plan.image->arch : plan.board->arch;
  const BuildSize* best = nullptr;
  for (const BuildSize& build : sizes.builds) {
    if (build.recipe != recipe) continue;
    if (!best || rank_of(build, release, arch) < rank_of(*best, release, arch)) best = &build;
  }
  if (!best) {
    throw Error(ErrorKind::data, concat("build_sizes.json has no build by the ", name_of(recipe), " recipe"),
                "lay a catalog over this one that has, with --catalog");
  }
  const bool is_measured = best->is_measured && best->release == release && best->arch == arch;
  std::int64_t memory = best->cpus * mib_per_job(release, builds_for_cuda(plan.facts));
  // No board can give all its memory to a job.
  if (recipe == RecipeKind::native) memory = std::min(memory, plan.board->memory_mib * 3 / 4);
  const std::int64_t margin = is_measured ? kMeasuredMargin : kEstimateMargin;
  const std::int64_t minutes = best->minutes * margin;
  return {.cpus = best->cpus,
          .memory_mib = memory,
          .disk_mib = best->disk_mib * margin,
          .minutes = (minutes + kMinutesStep - 1) / kMinutesStep * kMinutesStep,
          .is_estimated = !is_measured};
}

Matrix plan_matrix(const Catalog& catalog, const MatrixRequest& request) {
  if (std::ranges::none_of(catalog.releases, [&](const auto& each) { return request.releases.contains(each.first); })) {
    throw Error(ErrorKind::usage,
                concat("--versions: no release of the catalog is in ", quote(request.releases.text())));
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
      matrix.pairs.push_back(plan_pair(catalog, request.options, release, board, image));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::patch) throw;
      leave_out(release, board, image, error.message());
    }
  };
  for (const auto& [version, release] : catalog.releases) {
    if (!request.releases.contains(version)) continue;
    for (const std::string& name : request.boards) {
      const Board& board = catalog.board(name);
      if (request.images.empty()) add(release, board, "");
      bool has_image = request.images.empty();
      for (const Image& image : board.images) {
        if (std::ranges::count(request.images, image.id) == 0) continue;
        add(release, board, image.id);
        has_image = true;
      }
      if (!has_image) leave_out(release, board, "", "the board has none of the images that are asked for");
    }
  }
  return matrix;
}

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
