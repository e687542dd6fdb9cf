// SPDX-License-Identifier: BSD-3-Clause
#include "trees/doctor/doctor.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "plan/facts.h"
#include "plan/image_choice.h"
#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::trees {

extern const std::string_view kLastReleases;  // last_releases.txt, as embedded by cmake/embed.cmake

namespace {

/// Returns the rank of `build` for that release; the smallest is used. Builds of another architecture or a newer
/// release rank lower.
std::tuple<bool, bool, VersionKey> rank_of(const BuildSize& build, const Version& release, const std::string& arch) {
  const bool is_newer = build.release > release;
  VersionKey distance = build.release.key();
  if (!is_newer)
    for (std::uint64_t& number : distance) number = kNumberEnd - number;
  return {build.arch != arch, is_newer, distance};
}

std::string arch_of(const Facts& facts) {
  const auto known = facts.find("arch");
  return known == facts.end() ? "" : std::get<std::string>(known->second);
}

/// Returns whether a build can use another version of a tool on the same system.
bool is_replaceable(const std::string& tool) { return tool == "gcc" || tool == "cmake" || tool == "ninja"; }

/// Returns the newest series of gcc in a range: 10 for ">=5 <11".
int newest_series(const VersionRange& range) {
  int newest = 0;
  for (const std::string& part : split(range.text(), ' ')) {
    const std::size_t begin = part.find_first_of("0123456789");
    const std::optional<Version> bound = begin == part.npos ? std::nullopt : Version::parse(part.substr(begin));
    if (!bound) continue;
    const int series = bound->numbers().front();
    if (starts_with(part, "<")) return starts_with(part, "<=") || bound->numbers().size() > 1 ? series : series - 1;
    newest = series;
  }
  return newest;
}

/// Packages imported by the front end, setup.py and the code generators: no build begins without them. Without numpy
/// torch is built without it, and pillow is only used at run time.
const std::set<std::string> kImported = {"pyyaml", "scikit-build-core", "setuptools"};
const std::set<std::string> kPackages = {"numpy", "pillow", "pyyaml", "scikit-build-core", "setuptools", "wheel"};

/// Returns on which side of a range a version is.
HostVerdict compare_version(const Version& version, const VersionRange& range) {
  for (const std::string& text : split(range.text(), ' ')) {
    const std::optional<VersionRange> part = VersionRange::parse(text);
    if (!part || part->contains(version)) continue;
    if (text[0] == '<') return HostVerdict::too_new;
    if (text[0] == '>') return HostVerdict::too_old;
    const std::optional<Version> wanted = Version::parse(text.substr(text.find_first_not_of('=')));
    return wanted && version < *wanted ? HostVerdict::too_old : HostVerdict::too_new;
  }
  return HostVerdict::ok;
}

std::string minor_of(const Version& version) {
  const std::vector<int>& numbers = version.numbers();
  return numbers.size() < 2 ? version.text() : concat(numbers[0], ".", numbers[1]);
}

/// Returns the cuDNN versions that load with this one installed: a library has the major version in its name, and torch
/// refuses a minor version older than the one it was compiled with.
VersionRange loadable_range(const Version& cudnn) {
  const std::vector<int>& numbers = cudnn.numbers();
  const int minor = numbers.size() < 2 ? 0 : numbers[1];
  return *VersionRange::parse(concat(">=", numbers[0], " <", numbers[0], ".", minor + 1));
}

std::string nvcc_compiler_advice(const Version& newest) {
  const std::string name = concat("g++-", newest.numbers().front());
  return concat("install ", name, ", then set CUDAHOSTCXX=/usr/bin/", name);
}

class Checker {
 public:
  Checker(const DoctorTarget& target, const Plan& plan, const HostFacts& host)
      : target_(target), plan_(plan), host_(host) {
    release_ = target.is_manifest ? "manifest" : concat("release ", plan.release->version.text());
    if (plan.image != nullptr) image_ = concat("image ", plan.image->id);
  }

  /// Returns the checks in report order, without their known issues.
  std::vector<HostCheck> run(int mib_per_job, std::int64_t disk) {
    compare_with_image();
    compare_python();
    compare_tools();
    compare_nvcc_compiler();
    compare_sizes(mib_per_job, disk);
    return std::move(checks_);
  }

 private:
  /// What is compiled or linked here must run on the board.
  void compare_with_image() {
    if (plan_.image == nullptr) return;
    const Image image = plan::chosen_image(plan_);
    add_same("arch", host_.arch, *image.arch,
             "build in a container of the board's image, or pass --set cross=true if you use a cross compiler with the "
             "board's libraries",
             !is_cross());
    if (!image.os.empty())
      add_same("os", host_.os, image.os, "other libraries found by the build here may be missing on the board", false);
    if (image.glibc && !is_cross()) {
      add_range("glibc", *VersionRange::parse("<=" + image.glibc->text()), image_,
                "build in a container of the board's image: binaries linked against a newer glibc will not load on the "
                "board");
    }
    if (image.cuda && holds(plan_.facts, "gpu")) {
      add_range("cuda", *VersionRange::parse(image.cuda->text()), image_,
                concat("install CUDA ", image.cuda->text(), ", the board's"));
    }
    if (image.cudnn && holds(plan_.facts, "gpu")) {
      add_range("cudnn", loadable_range(*image.cudnn), image_,
                concat("install cuDNN ", minor_of(*image.cudnn),
                       ", the board's, with its headers, or prepare the tree again with --set USE_CUDNN=0"));
    }
  }

  /// nvcc itself reports which gcc is too new for it.
  void compare_nvcc_compiler() {
    const HostTool gcc = host_.tool("nvcc-gcc");
    if (!holds(plan_.facts, "gpu") || !gcc.version || is_cross()) return;
    const std::optional<Version>& newest = host_.newest_nvcc_gcc;
    const std::optional<Version> cuda = host_.tool("cuda").version;
    add({"nvcc-gcc", gcc.version->text(), newest ? concat("<=", newest->text()) : "a gcc that nvcc accepts",
         concat("CUDA ", cuda ? cuda->text() : "of unknown version"), newest ? HostVerdict::too_new : HostVerdict::ok,
         true},
        newest ? nvcc_compiler_advice(*newest) : "");
  }

  void compare_python() {
    const std::string advice = "use another one: PYTHON=python3.x, for doctor and for the build";
    add_python(plan_.release->python, concat("release ", plan_.release->version.text()), advice);
    if (!target_.python.empty())
      add_python({target_.python}, "manifest", advice);
    else if (plan_.image != nullptr)
      add_python(collect(plan_.image->python, &Version::text), image_, "a wheel works with one Python only; " + advice);
  }

  void compare_tools() {
    const auto& bounds = target_.is_manifest ? target_.tool_bounds : plan_.release->build_tools;
    for (const auto& [tool, range] : bounds) add_range(tool, range, release_, tool_advice(tool, range));
    if (plan_.release->cuda && holds(plan_.facts, "gpu")) {
      add_range("cuda", *plan_.release->cuda, concat("release ", plan_.release->version.text()),
                concat("build with CUDA ", plan_.release->cuda->text(), ", or without CUDA: USE_CUDA=0"));
    }
  }

  void compare_sizes(int mib_per_job, std::int64_t disk) {
    std::optional<std::int64_t> memory = host_.memory_mib;
    if (memory) *memory += host_.swap_mib.value_or(0);
    add_size("memory", memory, mib_per_job, "add swap; a single compile job may need this much", true);
    if (disk > 0) add_size("disk", host_.disk_mib, disk, "free disk space for the build", false);
  }

  bool is_cross() const { return holds(plan_.facts, "cross"); }

  void add(HostCheck check, const std::string& advice) {
    check.is_target = check.source == image_;
    if (check.verdict != HostVerdict::ok) check.advice = advice;
    if (check.verdict == HostVerdict::ok || check.verdict == HostVerdict::unknown) check.fails = false;
    checks_.push_back(std::move(check));
  }

  void add_same(const std::string& name, const std::string& found, const std::string& wanted, const std::string& advice,
                bool fails) {
    const HostVerdict verdict = found.empty()     ? HostVerdict::unknown
                                : found == wanted ? HostVerdict::ok
                                                  : HostVerdict::differs;
    add({name, found, wanted, image_, verdict, fails}, advice);
  }

  /// Adds a check of a tool; a missing or unknown tool determines its own verdict.
  void add_tool(HostCheck check, const std::string& name, HostVerdict verdict, const std::string& advice) {
    const HostTool tool = host_.tool(name);
    if (tool.version) {
      check.found = tool.version->text();
      check.verdict = verdict;
      return add(check, advice);
    }
    check.verdict = tool.is_missing ? HostVerdict::missing : HostVerdict::unknown;
    check.fails = known_facts().count(name) > 0 || kImported.count(name) > 0;
    add(check, tool.is_missing ? advice : tool.origin);
  }

  void add_range(const std::string& name, const VersionRange& range, const std::string& source,
                 const std::string& advice) {
    const HostTool tool = host_.tool(name);
    add_tool({name, {}, range.text(), source, HostVerdict::ok, true}, name,
             tool.version ? compare_version(*tool.version, range) : HostVerdict::unknown, advice);
  }

  /// `minors` are in the order of the data, which may differ from version order.
  void add_python(const std::vector<std::string>& minors, const std::string& source, const std::string& advice) {
    const HostTool python = host_.tool("python");
    if (minors.empty()) return;
    const std::vector<Version> wanted =
        collect(minors, [](const std::string& minor) { return *Version::parse(minor); });
    HostVerdict verdict = HostVerdict::differs;
    if (python.version) {
      const auto is_it = [&](const Version& minor) { return python.version->is_in_family(minor); };
      const auto [least, most] = std::ranges::minmax(wanted);
      if (std::ranges::any_of(wanted, is_it))
        verdict = HostVerdict::ok;
      else if (*python.version < least)
        verdict = HostVerdict::too_old;
      else if (*python.version > most)
        verdict = HostVerdict::too_new;
    }
    add_tool({"python", {}, join(minors, ", "), source, verdict, true}, "python", verdict, advice);
  }

  void add_size(const std::string& name, const std::optional<std::int64_t>& mib, std::int64_t wanted,
                const std::string& advice, bool fails) {
    const HostVerdict verdict = !mib ? HostVerdict::unknown : *mib < wanted ? HostVerdict::too_little : HostVerdict::ok;
    add({name, mib ? concat(*mib, " MiB") : "", concat(">=", wanted, " MiB"), "rule of thumb", verdict, fails}, advice);
  }

  /// Python packages are tools without a fact; pip also has CMake and ninja.
  std::string tool_advice(const std::string& tool, const VersionRange& range) const {
    if (tool == "gcc") {  // the image's own, if that fits: its system packages it under that name
      const Version* const own =
          plan_.image && plan_.image->gcc && range.contains(*plan_.image->gcc) ? &*plan_.image->gcc : nullptr;
      return gcc_advice(own ? own->numbers().front() : newest_series(range));
    }
    if (known_facts().count(tool) > 0 && !is_replaceable(tool))
      return concat("install ", tool, " that is ", range.text());
    const std::optional<Version> python = host_.tool("python").version;
    return concat(is_managed_python(host_.os) ? "in a virtual environment: " : "", "python3 -m pip install ",
                  shell_quote(pip_requirement(tool, &range, python ? minor_of(*python) : plan_.python)));
  }

  const DoctorTarget& target_;
  const Plan& plan_;
  const HostFacts& host_;
  std::string release_, image_;
  std::vector<HostCheck> checks_;
};

using plan::FixChoice;

/// Facts that can make a build fail on one host but not on another of the same architecture.
const std::set<std::string> kTools = {"cmake", "cuda", "cudnn", "gcc", "glibc", "memory_mib", "python"};
const std::set<std::string> kRead = {"arch",  "bits",       "cmake", "cuda",   "cudnn", "gcc",
                                     "glibc", "memory_mib", "os",    "python", "gpu"};

bool is_about(const Issue& issue, const std::set<std::string>& facts) {
  return std::ranges::any_of(issue.when, [&](const Clause& clause) { return facts.contains(clause.fact); });
}

/// Python packages have no fact; the id of their issue begins with their name: numpy-2 (docs/formats.md).
bool is_named_after(const Issue& issue, const std::string& tool) {
  return starts_with(issue.id, tool) && issue.id[tool.size()] == '-';
}

bool is_package(const HostCheck& check) {
  return known_facts().count(check.name) == 0 && check.name != "memory" && check.name != "disk";
}

/// Returns the check that alone decides an issue, or null: how much memory is enough depends on swap and jobs;
/// conditions do not include packages.
const HostCheck* deciding_check(const Issue& issue, const std::vector<HostCheck>& checks) {
  return find_where(checks, [&](const HostCheck& check) {
    return (check.name == "memory" && is_about(issue, {"memory_mib"})) ||
           (is_named_after(issue, check.name) && is_package(check));
  });
}

IssueOutcome outcome_of(const FixChoice& choice) {
  const IssueDecision& decision = choice.decision;
  if (decision.status == IssueStatus::undecided) return IssueOutcome::undecided;
  if (decision.status == IssueStatus::applied && decision.kind != FixKind::advice) return IssueOutcome::handled;
  const std::string& severity = choice.issue->severity;
  const bool is_grave = severity == "build-failure" || severity == "silent-wrong-results";
  return is_grave && is_about(*choice.issue, kTools) ? IssueOutcome::fails : IssueOutcome::by_hand;
}

HostIssue host_issue(const FixChoice& choice) {
  const Issue& issue = *choice.issue;
  HostIssue out{issue.id, issue.title, issue.severity, outcome_of(choice), choice.decision.reason, {}, {}, {}, {}};
  if (!issue.symptoms.empty()) out.shows = issue.symptoms.front();
  out.fix = choice.decision.fix;
  out.kind = choice.decision.kind;
  const auto is_it = [&](const Fix& fix) { return fix.id == out.fix; };
  if (const Fix* fix = find_where(issue.fixes, is_it)) out.summary = fix->summary;
  return out;
}

bool concerns_host(const FixChoice& choice, const std::vector<HostCheck>& checks) {
  if (choice.decision.status == IssueStatus::not_affected) return false;
  if (const HostCheck* check = deciding_check(*choice.issue, checks)) {
    return check->verdict == HostVerdict::too_new || check->verdict == HostVerdict::too_little ||
           check->verdict == HostVerdict::unknown;
  }
  return choice.decision.status == IssueStatus::undecided || is_about(*choice.issue, kRead);
}

/// Returns the most severe applying issue with a clause on the checked fact that no other check decides, or null.
const HostIssue* applying_issue(const HostCheck& check, const std::vector<HostCheck>& checks,
                                const std::vector<FixChoice>& choices, const std::vector<HostIssue>& issues) {
  const bool is_of_nvcc = check.name == "nvcc-gcc";  // its issues are about both
  const std::string fact = check.name == "memory" ? "memory_mib" : is_of_nvcc ? "gcc" : check.name;
  return find_where(issues, [&](const HostIssue& issue) {  // by outcome
    const auto is_it = [&](const FixChoice& choice) { return choice.issue->id == issue.id; };
    const Issue& known = *find_where(choices, is_it)->issue;
    if (is_of_nvcc && !is_about(known, {"cuda"})) return false;
    return issue.outcome != IssueOutcome::undecided && is_about(known, {fact}) &&
           !is_decided_elsewhere(known, check.name, checks);
  });
}

/// Returns the issue named after a package that is too new, or after the glibc that a board lacks: it is then an issue
/// of differing machines.
const Issue* namesake(const HostCheck& check, const std::vector<FixChoice>& choices, const Version& release) {
  const bool is_glibc = check.is_target && check.name == "glibc";
  if (check.verdict != HostVerdict::too_new || !(is_package(check) || is_glibc)) return nullptr;
  const FixChoice* const found = find_where(choices, [&](const FixChoice& choice) {
    return is_named_after(*choice.issue, check.name) && affects(*choice.issue, release) &&
           (!is_glibc || is_about(*choice.issue, {"cross"}));
  });
  return found ? found->issue : nullptr;
}

/// Sets the issue of a check that is not `ok`, its symptom, and what to do. A tool newer than its bound is not a
/// failure if the prepared tree handles every issue of it that applies.
void name_issue(const std::vector<FixChoice>& choices, const std::vector<HostIssue>& issues, const Version& release,
                const std::vector<HostCheck>& checks, HostCheck& check) {
  if (const Issue* issue = namesake(check, choices, release)) {
    check.issue = issue->id;
    check.shows = issue->symptoms.front();
    return;
  }
  const HostIssue* issue = check.is_target ? nullptr : applying_issue(check, checks, choices, issues);
  if (issue == nullptr) return;
  check.issue = issue->id;
  check.shows = issue->shows;
  const bool is_handled = issue->outcome == IssueOutcome::handled;  // and so is every other: this is the most severe
  if (is_handled && check.verdict == HostVerdict::too_new && check.name != "python")
    check.fails = false;
  else if (issue->kind == FixKind::advice && !issue->summary.empty() && !is_replaceable(check.name))
    check.advice = issue->summary;
}

/// The same formula as in build.env.
std::optional<std::int64_t> max_jobs(const HostFacts& host, int mib_per_job) {
  if (!host.memory_mib || !host.processors) return std::nullopt;
  const std::int64_t by_memory = (*host.memory_mib + host.swap_mib.value_or(0)) / mib_per_job;
  return std::max<std::int64_t>(1, std::min(*host.processors, by_memory));
}

std::vector<std::string> host_notes(const Plan& plan, const HostFacts& host) {
  std::vector<std::string> notes;
  if (plan.board != nullptr) return notes;
  notes.emplace_back("without --board this host is the target; its GPU and available libraries are unknown");
  if (host.tool("cuda").is_missing)
    notes.emplace_back("CUDA not found: a build here is CPU only");
  else if (host.tool("cuda").version && host.tool("cudnn").is_missing)
    notes.emplace_back("cuDNN not found: a build here is without it");
  return notes;
}

std::vector<Component> chosen_components(const Release& release, const PlanOptions& options) {
  std::vector<Component> components;
  for (const auto& [component, pin] : release.components)
    if (options.components.empty() || options.components.count(component) > 0) components.push_back(component);
  return components;
}

/// Chooses the target's image as a plan would, ignoring the host's tools.
void choose_target(const Catalog& catalog, const DoctorTarget& target, Plan& plan) {
  if (target.board.empty()) return;
  plan.board = &catalog.board(target.board);
  PlanOptions options = plan.options;
  options.force = true;  // mismatches are reported by the checks
  const plan::ImageChoice choice =
      plan::choose_image(*plan.release, *plan.board, target.image, options, plan.components);
  plan.image = choice.image;
  plan.python = choice.python;
}

void lay_over(std::optional<Version>& fact, Image& image, const std::string& name, const HostFacts& host,
              bool is_target) {
  const HostTool tool = host.tool(name);
  if (tool.version)
    fact = tool.version;
  else if (is_target && tool.is_missing)
    image.known_absent.insert(name);
}

Image image_on_host(const Plan& plan, const HostFacts& host, bool is_cross) {
  const bool is_target = plan.board == nullptr;
  Image image = is_target ? Image{} : *plan.image;
  if (is_target) image.os = host.os;
  lay_over(image.gcc, image, "gcc", host, is_target);
  lay_over(image.cmake, image, "cmake", host, is_target);
  lay_over(image.cuda, image, "cuda", host, is_target);
  lay_over(image.cudnn, image, "cudnn", host, is_target);
  // A cross compiler includes the board's own libraries.
  if (!is_cross) lay_over(image.glibc, image, "glibc", host, is_target);
  return image;
}

Board board_on_host(const Plan& plan, const HostFacts& host) {
  Board board = plan.board != nullptr ? *plan.board : Board{};
  if (plan.board == nullptr) board.arch = host.arch;
  board.memory_mib = host.memory_mib.value_or(board.memory_mib);
  return board;
}

/// Removes facts of a target that is the host if they were neither read nor set.
void forget_unknown(const HostFacts& host, const std::map<std::string, std::string>& settings, Facts& facts) {
  std::vector<std::string> unknown = {"has", "lacks"};
  if (host.arch.empty()) unknown.insert(unknown.end(), {"arch", "bits"});
  if (host.os.empty()) unknown.emplace_back("os");
  if (!host.memory_mib) unknown.emplace_back("memory_mib");
  const HostTool cuda = host.tool("cuda");
  if (!cuda.version && !cuda.is_missing)
    unknown.insert(unknown.end(), {"gpu", "compute_capability", "registers_per_block"});
  for (const std::string& name : unknown)
    if (settings.count(name) == 0) facts.erase(name);
}

Facts facts_on_host(const Plan& plan, const HostFacts& host) {
  std::map<std::string, std::string> settings = plan.options.settings;
  const bool is_target = plan.board == nullptr;
  // A machine with nvcc builds for some GPU, of which nothing is known.
  if (is_target && host.tool("cuda").version) settings.emplace("gpu", "true");
  const auto cross = settings.find("cross");
  const bool is_cross = cross != settings.end() && cross->second == "true";
  const std::optional<Version> python = host.tool("python").version;
  Facts facts = plan::make_facts(*plan.release, board_on_host(plan, host), image_on_host(plan, host, is_cross),
                                 python ? minor_of(*python) : plan.python, plan.components, settings);
  if (is_target) forget_unknown(host, plan.options.settings, facts);
  return facts;
}

}  // namespace

std::string gcc_advice(int series) {
  return concat("install gcc-", series, " and g++-", series, ", then set CC=gcc-", series, " CXX=g++-", series);
}

std::string nvcc_compiler_variable(const Release& release) {
  return release.flags.contains("CMAKE_CUDA_HOST_COMPILER") ? "-" : "CC";
}

std::string pip_requirement(const std::string& package, const VersionRange* bound, const std::string& python) {
  std::vector<std::string> bounds;
  if (bound != nullptr) bounds = split(bound->text(), ' ');
  std::optional<Version> last;  // the first release that is too new
  for (const std::string& line : split(kLastReleases, '\n'))
    if (const std::string begin = concat(package, " ", python, " "); starts_with(line, begin))
      last = Version::parse(line.substr(begin.size()));
  const auto admits = [&](const std::string& part) {  // allows a newer one than this Python supports
    return starts_with(part, "<") && *last <= *Version::parse(part.substr(part.find_first_not_of("<=")));
  };
  if (last) {
    std::erase_if(bounds, admits);
    const bool has_upper = std::ranges::any_of(bounds, [](const std::string& part) { return starts_with(part, "<"); });
    if (!has_upper) bounds.push_back(concat("<", last->text()));
  }
  return concat(package, join(bounds, ","));
}

void leave_out_packages_of_wrong_python(DoctorReport& report) {
  const auto is_wrong = [](const HostCheck& check) { return check.name == "python" && check.fails; };
  if (std::ranges::none_of(report.checks, is_wrong)) return;
  std::erase_if(report.checks, [](const HostCheck& check) {
    return kPackages.contains(check.name) || starts_with(check.name, "import-") || starts_with(check.name, "python-");
  });
}

bool is_decided_elsewhere(const Issue& issue, const std::string& name, const std::vector<HostCheck>& checks) {
  const HostCheck* const decides = deciding_check(issue, checks);
  return decides != nullptr && decides->name != name;
}

bool builds_for_cuda(const Facts& facts) { return holds(facts, "gpu") && version_of(facts, "cuda") != nullptr; }

DoctorTarget target_of(const Manifest& manifest) {
  DoctorTarget target{manifest.release, manifest.board, manifest.image, {}, {}, {}, true};
  if (manifest.python != "none") target.python = manifest.python;  // with --set python=none it is unknown
  target.options.components = {manifest.components.begin(), manifest.components.end()};
  target.options.with_fixes = {manifest.with_fixes.begin(), manifest.with_fixes.end()};
  target.options.without_fixes = {manifest.without_fixes.begin(), manifest.without_fixes.end()};
  target.options.settings = manifest.settings;
  target.options.unpatched = manifest.unpatched;
  for (const auto& [tool, text] : manifest.tool_bounds) {
    const std::optional<VersionRange> range = VersionRange::parse(text);
    if (!range)
      throw Error(ErrorKind::data,
                  concat("manifest: the bound ", quote(text), " of ", quote(tool), " is not a version range"));
    target.tool_bounds.emplace(tool, *range);
  }
  return target;
}

std::vector<std::string> packages_to_read(const Catalog& catalog, const DoctorTarget& target) {
  std::vector<std::string> packages;
  const auto& bounds = target.is_manifest ? target.tool_bounds : catalog.release(target.release).build_tools;
  for (const auto& [tool, range] : bounds)
    if (known_facts().count(tool) == 0 && tool != "ninja") packages.push_back(tool);
  return packages;
}

std::int64_t disk_for(const BuildSizes& sizes, const Version& release, const std::string& arch) {
  const BuildSize* best = nullptr;
  const auto rank = [&](const BuildSize& build) {
    const auto [is_other, is_newer, distance] = rank_of(build, release, arch);
    return std::tuple(is_newer, distance, is_other, !build.is_measured);
  };
  for (const BuildSize& build : sizes.builds)
    if (!best || rank(build) < rank(*best)) best = &build;
  return best ? best->disk_mib : 0;
}

std::int64_t disk_for(const Catalog& catalog, const Manifest& manifest) {
  return disk_for(catalog.build_sizes, Version::parse(manifest.release).value(), manifest.target.at("arch"));
}

std::optional<BuildGuide> guide_to(const BuildSizes& sizes, const Plan& plan, RecipeKind recipe) {
  const Version& release = plan.release->version;
  const std::string arch = arch_of(plan.facts);
  const BuildSize* best = nullptr;
  for (const BuildSize& build : sizes.builds) {
    if (build.recipe != recipe) continue;
    if (!best || rank_of(build, release, arch) < rank_of(*best, release, arch)) best = &build;
  }
  if (!best) return std::nullopt;
  return BuildGuide{best, best->is_measured && best->release == release && best->arch == arch};
}

DoctorReport doctor(const Catalog& catalog, const DoctorTarget& target, const HostFacts& host) {
  const HostPlan on_host = plan_on_host(catalog, target, host);
  const Plan& plan = on_host.plan;
  DoctorReport report;
  report.release = plan.release->version.text();
  report.stand_in = plan.release->stand_in;
  if (plan.board != nullptr) report.board = plan.board->id;
  if (plan.image != nullptr) report.image = plan.image->id;
  report.host = host;
  report.mib_per_job = mib_per_job(plan.release->version, builds_for_cuda(plan.facts));
  report.max_jobs = max_jobs(host, report.mib_per_job);
  report.checks =
      Checker(target, plan, host)
          .run(report.mib_per_job, disk_for(catalog.build_sizes, plan.release->version, arch_of(plan.facts)));
  for (const FixChoice& choice : on_host.choices)
    if (concerns_host(choice, report.checks)) report.issues.push_back(host_issue(choice));
  std::ranges::stable_sort(report.issues, {}, &HostIssue::outcome);
  for (HostCheck& check : report.checks) {
    const bool is_bound_missed = check.verdict == HostVerdict::too_old || check.verdict == HostVerdict::too_new ||
                                 check.verdict == HostVerdict::too_little;
    if (is_bound_missed) name_issue(on_host.choices, report.issues, plan.release->version, report.checks, check);
  }
  report.notes = host_notes(plan, host);
  return report;
}

HostPlan plan_on_host(const Catalog& catalog, const DoctorTarget& target, const HostFacts& host) {
  HostPlan on_host;
  Plan& plan = on_host.plan;
  plan.release = &catalog.release(target.release);
  plan.options = target.options;
  plan.components = chosen_components(*plan.release, plan.options);
  choose_target(catalog, target, plan);
  plan.facts = facts_on_host(plan, host);
  on_host.choices = plan::choose_fixes(catalog, *plan.release, plan.facts, plan.options);
  plan::plan_patches(catalog, on_host.choices, plan);
  return on_host;
}

}  // namespace torchpatch::trees
