// SPDX-License-Identifier: BSD-3-Clause
#include "trees/diagnose/diagnose.h"

#include <algorithm>
#include <set>
#include <utility>

#include "plan/facts.h"
#include "plan/make_plan.h"
#include "search/find_issues.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

/// Facts of the board; the others are assumptions of a plan, not properties of the machine.
const std::set<std::string> kHardware = {"arch", "bits", "compute_capability", "gpu", "registers_per_block"};

/// Returns the facts that cannot change on the machine, and those given by the user.
Facts sure_facts(const Facts& facts, const std::map<std::string, std::string>& settings) {
  Facts sure;
  for (const auto& [name, value] : facts)
    if (kHardware.contains(name) || settings.contains(name)) sure.emplace(name, value);
  return sure;
}

/// Returns why an issue is impossible with a release and a board, or empty text.
std::string refutation_of(const Issue& issue, const Release* release, const Facts& sure) {
  if (release && !affects(issue, release->version))
    return concat("release ", release->version.text(), " is not in ",
                  join(collect(issue.releases, &VersionRange::text), " or "));
  const Verdict verdict = evaluate(issue.when, sure);
  return verdict.truth == Truth::no ? join(verdict.reasons, "; ") : "";
}

/// Returns the fix in use; else those that may help a default build, or all.
std::vector<const Fix*> remedies_of(const Match& match) {
  static const Facts kUnasked = {{"distributed", true}};
  const bool is_used = match.decision && !match.decision->fix.empty();
  std::vector<const Fix*> all, fitting;
  for (const Fix& fix : match.issue->fixes) {
    if (is_used && match.decision->fix != fix.id) continue;
    all.push_back(&fix);
    if (is_used || evaluate(fix.when, kUnasked).truth != Truth::no) fitting.push_back(&fix);
  }
  return fitting.empty() ? all : fitting;
}

/// Moves issues impossible with the release and board to the end. Among equal matches, the most specific come first if
/// the plan confirms their conditions.
void put_in_order(Diagnosis& diagnosis, bool is_planned) {
  for (Match& match : diagnosis.matches)
    if (match.is_refuted) match.confidence = Confidence::possible;
  // Not by std::ranges, whose partition clang 14 cannot compile.
  const auto others = std::stable_partition(diagnosis.matches.begin(), diagnosis.matches.end(),
                                            [](const Match& match) { return !match.is_refuted; });
  const auto rank = [](const Match& match) {
    const bool is_assumed_away = match.decision && match.decision->status == IssueStatus::not_affected;
    return std::pair(match.score, is_assumed_away ? -1 : static_cast<int>(search::conditions_of(*match.issue)));
  };
  if (is_planned)
    std::stable_sort(diagnosis.matches.begin(), others,
                     [&](const Match& a, const Match& b) { return rank(a) > rank(b); });
}

/// Sets the plan's decision for each match.
void look_at_plan(const Plan& plan, Diagnosis& diagnosis) {
  diagnosis.release = plan.release->version.text();
  diagnosis.board = plan.board->id;
  diagnosis.image = plan.image->id;
  const Facts sure = sure_facts(plan.facts, plan.options.settings);
  for (Match& match : diagnosis.matches) {
    const auto decision = std::ranges::find(plan.issues, match.issue->id, &IssueDecision::issue);
    if (decision != plan.issues.end()) match.decision = *decision;
    match.is_refuted = !refutation_of(*match.issue, plan.release, sure).empty();
  }
  put_in_order(diagnosis, true);
}

/// Returns the plan with the facts proven by the text, unless the user set others.
std::optional<Plan> proven_plan(const Catalog& catalog, const Plan& plan, const Facts& proven) {
  PlanOptions options = plan.options;
  for (const auto& entry : proven) options.settings.emplace(entry.first, "true");
  if (options.settings == plan.options.settings) return std::nullopt;
  return plan::make_plan(catalog, plan.release->version.text(), plan.board->id, plan.image->id, options);
}

/// Returns the facts of a board common to all releases and, unless one is given, all images.
Facts board_facts(const Catalog& catalog, const KnownTarget& target) {
  if (!target.board) return {};
  Facts facts;
  bool is_first = true;
  for (const Image& image : target.board->images) {
    if (target.image && target.image != &image) continue;
    const Facts these =
        sure_facts(plan::make_facts(catalog.releases.begin()->second, *target.board, image, "", {}, target.settings),
                   target.settings);
    if (is_first) facts = these;
    std::erase_if(facts, [&](const auto& fact) {
      const auto other = these.find(fact.first);
      return other == these.end() || other->second != fact.second;
    });
    is_first = false;
  }
  return facts;
}

/// Returns the packages with the library that a line reports missing: for the image, else for each known system.
std::string package_for(const Catalog& catalog, std::string_view line, const Board* board, const Image* image) {
  const std::size_t end = line.find(": cannot open shared object file");
  if (end == line.npos) return "";
  const std::size_t begin = line.find_last_of(" /'\":", end - 1) + 1;
  const std::string library(line.substr(begin, end - begin));
  const PlatformTable& platforms = catalog.platforms;
  const std::string arch = image && image->arch ? *image->arch : board ? board->arch : "aarch64";
  const System* const own = image ? platforms.find_system(image->os) : nullptr;
  std::set<std::string> packages;
  for (const System& system : platforms.systems) {
    if (own && own != &system) continue;
    const std::string* const known = find_value(system.packages, library);
    const std::string package = known ? *known : platforms.find_package(library, system.id, arch);
    if (!package.empty()) packages.insert(package);
  }
  return join({packages.begin(), packages.end()}, " or ");
}

void add_remedies(const Catalog& catalog, const Board* board, const Image* image, Diagnosis& diagnosis) {
  for (Match& match : diagnosis.matches) {
    match.remedies = remedies_of(match);
    match.package = package_for(catalog, match.line, board, image);
  }
}

}  // namespace

Diagnosis diagnose(const Catalog& catalog, const std::function<std::string_view()>& next_piece, const Plan& plan) {
  Diagnosis diagnosis = search::find_issues(search::make_index(catalog), next_piece);
  const std::optional<Plan> proven = proven_plan(catalog, plan, diagnosis.proven);
  look_at_plan(proven ? *proven : plan, diagnosis);
  add_remedies(catalog, plan.board, plan.image, diagnosis);
  return diagnosis;
}

Diagnosis diagnose(const Catalog& catalog, const std::function<std::string_view()>& next_piece,
                   const KnownTarget& target) {
  Diagnosis diagnosis = search::find_issues(search::make_index(catalog), next_piece);
  if (target.release) diagnosis.release = target.release->version.text();
  if (target.board) diagnosis.board = target.board->id;
  if (target.image) diagnosis.image = target.image->id;
  const Facts sure = board_facts(catalog, target);
  for (Match& match : diagnosis.matches) {
    const std::string reason = refutation_of(*match.issue, target.release, sure);
    match.is_refuted = !reason.empty();
    if (!match.is_refuted) continue;
    match.decision = IssueDecision();
    match.decision->issue = match.issue->id;
    match.decision->reason = reason;
  }
  put_in_order(diagnosis, false);
  add_remedies(catalog, target.board, target.image, diagnosis);
  return diagnosis;
}

}  // namespace torchpatch::trees
