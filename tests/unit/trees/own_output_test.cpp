// SPDX-License-Identifier: BSD-3-Clause
// What prepare writes, verify takes, whatever was asked for. Options come from a list, one at a time and in pairs.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>

#include "catalog/load_catalog.h"
#include "plan/make_plan.h"
#include "record/manifest_file.h"
#include "sample/write_repositories.h"
#include "source/closure/object_source.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/file.h"
#include "support/source_directory.h"
#include "trees/prepare/manifest.h"
#include "trees/prepare/prepare.h"
#include "trees/verify/verify.h"

namespace torchpatch::trees {

namespace {

/// What a user may ask for: nothing, each option that chooses a plan by itself, and any two of them, drawn with a seed.
class DrawnOptions {
 public:
  explicit DrawnOptions(const Catalog& catalog) {
    for (const Component component : kComponents) add([=](PlanOptions& o) { o.components.insert(component); });
    for (const auto& [id, issue] : catalog.issues)
      for (const Fix& fix : issue.fixes) {
        if (fix.is_optional) add([&](PlanOptions& o) { o.with_fixes.insert(fix.id); });
        add([&](PlanOptions& o) { o.without_fixes.insert(fix.id); });
      }
    for (const auto& entry : catalog.boards) {
      const Board& board = entry.second;
      add([&](PlanOptions& o) { o.host = board.id; });
      add([&](PlanOptions& o) { o.host = board.id + ":" + board.images.back().id; });
    }
    for (const char* core : {"generic", "native", "n1", "v1", "thunderx2", "cortex-a72"})
      add([=](PlanOptions& o) { o.build_target = core; });
    for (const auto& setting : std::vector<std::pair<std::string, std::string>>{{"gcc", "7.5"},
                                                                                {"gcc", "none"},
                                                                                {"python", "3.7"},
                                                                                {"distributed", "false"},
                                                                                {"cross", "true"},
                                                                                {"memory_mib", "1024"},
                                                                                {"cuda", "10.2"},
                                                                                {"CC", "gcc 'of mine'"},
                                                                                {"USE_OPENCV", "1"},
                                                                                {"MAX_JOBS", "3"}})
      add([=](PlanOptions& o) { o.settings.insert(setting); });
    add([](PlanOptions& o) { o.forced_settings.insert(o.settings.insert({"USE_OPENCV", "0"}).first->first); });
    add([](PlanOptions& o) { o.unpatched = true; });
    add([](PlanOptions& o) { o.force = true; });
  }

  PlanOptions next() {
    PlanOptions options;
    if (given_ > 0) (given_ <= choices_.size() ? choices_[given_ - 1] : drawn())(options);
    if (given_ > choices_.size()) drawn()(options);
    ++given_;
    return options;
  }

 private:
  using Choice = std::function<void(PlanOptions&)>;
  void add(Choice choice) { choices_.push_back(std::move(choice)); }
  const Choice& drawn() { return choices_[random_() % choices_.size()]; }

  std::vector<Choice> choices_;
  std::minstd_rand random_{40};
  std::size_t given_ = 0;
};

/// Returns the plan, with --force or without these options where the release does not go together with them.
std::optional<Plan> plan_of(const Catalog& catalog, const Release& release, const Board& board,
                            const std::string& image, PlanOptions options) {
  const auto plan = [&](const PlanOptions& chosen) -> std::optional<Plan> {
    try {
      return plan::make_plan(catalog, release.version.text(), board.id, image, chosen);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      return std::nullopt;
    }
  };
  if (auto made = plan(options)) return made;
  options.force = true;
  return plan(options);
}

std::vector<std::string> images_of(const Board& board) {
  std::vector<std::string> names = collect(board.images, &Image::id);
  names.emplace_back();  // none named
  return names;
}

/// Returns what prepare would know from sources alone, as far as verify compares it with a catalog.
Manifest known_of(const Plan& plan) {
  Manifest known;
  for (const auto& [component, pin] : plan.pins()) {
    known.repositories.push_back({{component, ""}, pin.url, pin.commit, "", {}, {}});
    known.trees[component] = {};
  }
  return known;
}

std::string text_of(const std::vector<Difference>& differences) {
  return join(collect(differences, [](const Difference& each) { return concat(each.path, ": ", each.detail); }), "\n");
}

}  // namespace

// One pair of eight, which is each release and each board several times; with TORCHPATCH_ALL_PAIRS all of them.
TEST_CASE("the shipped catalog: verify takes the record of a release for a board, whatever is asked for") {
  Catalog catalog = catalog::load_catalog({{"shipped", test::source_directory()}});
  catalog.results.clear();  // of trees, which are not made here
  DrawnOptions options(catalog);
  const std::size_t share = std::getenv("TORCHPATCH_ALL_PAIRS") == nullptr ? 8 : 1;
  std::size_t pairs = 0, compared = 0;
  for (const auto& [version, release] : catalog.releases)
    for (const auto& [id, board] : catalog.boards) {
      if (pairs++ % share != 0) continue;
      const std::vector<std::string> images = images_of(board);
      const std::string& image = images[compared % images.size()];
      const std::optional<Plan> plan = plan_of(catalog, release, board, image, options.next());
      if (!plan) continue;
      INFO("release " << version.text() << ", board " << id << ", image '" << image << "'");
      const TreeRecord record = make_record(make_manifest(*plan, catalog, known_of(*plan)), *plan, catalog);
      std::vector<Difference> differences;
      compare_with_catalog(record.manifest, record.bytes, catalog, differences);
      CHECK(text_of(differences).empty());
      ++compared;
    }
  CHECK(compared > pairs / share / 2);
}

TEST_CASE(
    "verify: finds nothing in what prepare wrote of the sample, whatever is asked for, and the options that it "
    "names give the same bytes") {
  const std::string data = test::source_directory();
  const Catalog catalog = catalog::load_catalog({{"shipped", data}, {"sample", data + "/layers/sample"}});
  const TempDir temp;
  NullConsole console;
  sample::write_repositories(catalog, temp.path() + "/upstream", {"1.1.0", "1.8.1"});
  source::MirrorSource source({temp.path() + "/upstream"}, console);
  PrepareOptions prepare_options;
  prepare_options.if_exists = tree::IfExists::replace;
  prepare_options.output = temp.path() + "/out";
  prepare_options.allow_uncertified = true;
  DrawnOptions options(catalog);
  std::size_t prepared = 0;
  for (const char* const version : {"1.1.0", "1.8.1"})
    for (const auto& [id, board] : catalog.boards) {
      const std::vector<std::string> images = images_of(board);
      const std::string& image = images[prepared % images.size()];
      const std::optional<Plan> plan = plan_of(catalog, catalog.release(version), board, image, options.next());
      if (!plan) continue;
      INFO("release " << version << ", board " << id << ", image '" << image << "'");
      const Prepared made = prepare(catalog, *plan, source, prepare_options, console);
      const ScannedTree tree = scan_prepared_tree(made.output, 1, console);
      CHECK(text_of(verify(tree, catalog, {}, console).differences).empty());
      CHECK(prepare(catalog, plan_again(tree.manifest, catalog), source, prepare_options, console).manifest_digest ==
            made.manifest_digest);
      ++prepared;
    }
  CHECK(prepared > catalog.boards.size());
}

}  // namespace torchpatch::trees
