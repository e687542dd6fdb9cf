// SPDX-License-Identifier: BSD-3-Clause
#include "trees/matrix/plan_matrix.h"

#include <algorithm>
#include <tuple>

#include "model/doctor.h"
#include "plan/make_plan.h"
#include "record/recipe/recipe.h"
#include "support/error.h"
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

/// A cross compiler is a fact of the plan, which the user may have decided.
PlanOptions cross_options(PlanOptions options) {
  options.settings.try_emplace("cross", "true");
  return options;
}

/// Returns whether a cross compiler can build the plan.
bool can_cross_build(const Manifest& manifest) {
  try {
    record::recipe_files({RecipeKind::sysroot, {}, &manifest, {}, {}});
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return false;
  }
}

class MatrixPlanner {
 public:
  MatrixPlanner(const Catalog& catalog, const MatrixRequest& request) : catalog_(catalog), request_(request) {
    matrix_.engine = request.engine;
    matrix_.cache = request.cache;
    for (const Component component : request.options.components)
      matrix_.components.emplace_back(component_name(component));
  }

  Matrix plan() && {
    for (const auto& [version, release] : catalog_.releases) {
      if (!request_.releases.contains(version)) continue;
      for (const std::string& board : request_.boards) add_board(release, catalog_.board(board));
    }
    return std::move(matrix_);
  }

 private:
  void add_board(const Release& release, const Board& board) {
    if (request_.images.empty()) return add_pair(release, board, "");
    bool has_image = false;
    for (const Image& image : board.images) {
      if (std::ranges::count(request_.images, image.id) == 0) continue;
      add_pair(release, board, image.id);
      has_image = true;
    }
    if (!has_image) leave_out(release, board, "", "the board has none of the images that are asked for");
  }

  void leave_out(const Release& release, const Board& board, const std::string& image, const std::string& reason) {
    // A reason may be a list of them.
    matrix_.left_out.push_back({release.version.text(), board.id, image, joined_lines(reason)});
  }

  /// A pair that cannot be planned is left out.
  void add_pair(const Release& release, const Board& board, const std::string& image) {
    try {
      matrix_.pairs.push_back(make_pair(release, board, image));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::patch) throw;
      leave_out(release, board, image, error.message());
    }
  }

  MatrixPair make_pair(const Release& release, const Board& board, const std::string& image) const {
    const auto plan_with = [&](const PlanOptions& options) {
      return plan::make_plan(catalog_, release.version.text(), board.id, image, options);
    };
    Plan plan = plan_with(request_.options);
    Manifest manifest = make_manifest(plan, catalog_, {});
    RecipeKind recipe = RecipeKind::native;
    if (!builds_for_cuda(plan.facts)) {
      Plan crossed = plan_with(cross_options(request_.options));
      Manifest of_cross = make_manifest(crossed, catalog_, {});
      if (can_cross_build(of_cross)) {
        recipe = RecipeKind::sysroot;
        plan = std::move(crossed);
        manifest = std::move(of_cross);
      }
    }
    require_certificates(plan, catalog_, false);
    if (!foreign_layers(manifest).empty() && !manifest.stand_in)
      throw Error(ErrorKind::usage, "its plan takes from a catalog of one's own, which the jobs would not have");
    return {concat(manifest.release, "-", manifest.board, "-", manifest.image),
            manifest.release,
            manifest.board,
            manifest.image,
            recipe,
            prepare_words(manifest),
            size_job(catalog_.build_sizes, plan, recipe)};
  }

  const Catalog& catalog_;
  const MatrixRequest& request_;
  Matrix matrix_;
};

void check_request(const Catalog& catalog, const MatrixRequest& request) {
  if (std::ranges::none_of(catalog.releases, [&](const auto& each) { return request.releases.contains(each.first); })) {
    throw Error(ErrorKind::usage,
                concat("--versions: no release of the catalog is in ", quote(request.releases.text())));
  }
  std::vector<std::string> known;
  for (const std::string& name : request.boards)
    for (const Image& image : catalog.board(name).images) known.push_back(image.id);
  for (const std::string& image : request.images)
    if (std::ranges::count(known, image) == 0) {
      throw Error(ErrorKind::usage, concat("--image: none of the boards has an image ", quote(image)),
                  concat("they have ", join(known, ", ")));
    }
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
  check_request(catalog, request);
  return MatrixPlanner(catalog, request).plan();
}

}  // namespace torchpatch::trees
