// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <set>

#include "model/doctor.h"
#include "record/recipe/recipe.h"
#include "record/tree_scripts.h"
#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/program.h"
#include "support/text.h"
#include "trees/doctor/doctor.h"

namespace torchpatch::trees {

namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;  // MiB

/// A large machine that is otherwise what the tree is for. What is not set is as in the image.
HostFacts fitting_host(const Manifest& manifest) {
  HostFacts host;
  host.arch = manifest.target.at("arch");
  const std::string* const os = find_value(manifest.target, "os");
  if (os != nullptr) host.os = *os;
  host.processors = 1;
  host.memory_mib = host.disk_mib = kPlenty;
  return host;
}

/// Adds the versions at which a comparison with one of the range's may change: it, the next one, the end of its family.
void add_turns(const VersionRange& range, std::set<Version>& turns) {
  for (const std::string& part : split(range.text(), ' ')) {
    const std::size_t begin = part.find_first_of("0123456789");
    const auto bound = Version::parse(begin == std::string::npos ? "" : part.substr(begin));
    if (!bound) continue;
    turns.insert(*bound);
    std::vector<std::string> numbers = split(bound->text(), '.');
    if (const auto next = Version::parse(bound->text() + ".0.1")) turns.insert(*next);
    numbers.back() = std::to_string(bound->numbers().back() + 1);
    turns.insert(*Version::parse(join(numbers, ".")));
  }
}

void add_turns(const Condition& condition, const std::string& fact, std::set<Version>& turns) {
  for (const Clause& clause : condition) {
    const VersionRange* const range = std::get_if<VersionRange>(&clause.expected);
    if (clause.fact == fact && range != nullptr) add_turns(*range, turns);
  }
}

/// The versions of a tool at which doctor's answer may change.
std::set<Version> turns_of(const Catalog& catalog, const Version& release, const std::vector<HostCheck>& checks,
                           const std::string& name) {
  std::set<Version> turns = {*Version::parse("0")};
  for (const HostCheck& check : checks) {
    if (check.name != name) continue;
    for (const std::string& bound : split(check.bound, ','))
      if (const auto range = VersionRange::parse(trim(bound))) add_turns(*range, turns);
  }
  for (const auto& [id, issue] : catalog.issues) {
    if (!affects(issue, release)) continue;
    add_turns(issue.when, name, turns);
    for (const Fix& fix : issue.fixes) add_turns(fix.when, name, turns);
  }
  return turns;
}

bool is_applied(const Manifest& manifest, const std::string& issue) {
  return std::ranges::any_of(manifest.issues, [&](const IssueDecision& decision) {
    return decision.issue == issue && decision.status == IssueStatus::applied;
  });
}

/// "too new" of too_new.
std::string label(HostVerdict verdict) {
  std::string words = name_of(verdict);
  std::ranges::replace(words, '_', ' ');
  return words;
}

/// What is known of the system that builds.
const std::map<std::string, std::string>& build_system(const Manifest& manifest) {
  return manifest.host.empty() ? manifest.target : manifest.host;
}

/// What doctor says of one tool.
class ToolJudge {
 public:
  ToolJudge(const Catalog& catalog, const Manifest& manifest, const DoctorTarget& target)
      : catalog_(catalog), manifest_(manifest), target_(target), host_(fitting_host(manifest)) {}

  std::vector<HostStep> steps(const std::string& name, const std::vector<HostCheck>& checks) const {
    std::vector<HostStep> steps;
    for (const Version& version : turns_of(catalog_, catalog_.release(target_.release).version, checks, name)) {
      HostStep step = step_at(name, version);
      if (steps.empty() || !steps.back().says_the_same(step)) steps.push_back(std::move(step));
    }
    if (name == "gcc") name_series(steps, find_value(build_system(manifest_), name));
    return steps;
  }

 private:
  /// Names the image's series of gcc, or else the newest that is not refused, as the way out of each that is.
  static void name_series(std::vector<HostStep>& steps, const std::string* own) {
    int newest = 0;
    bool is_own = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto series = [&](std::size_t step) { return Version::parse(steps[step].from)->numbers().front(); };
      const int last = i + 1 < steps.size() ? series(i + 1) - 1 : series(i);
      if (steps[i].fails || last < series(i) || is_own) continue;
      const int image = own ? Version::parse(*own)->numbers().front() : 0;
      is_own = series(i) <= image && (image <= last || i + 1 == steps.size());
      newest = is_own ? image : std::max(newest, last);
    }
    for (HostStep& step : steps)
      if (step.fails && newest > 0) step.advice = gcc_advice(newest);
  }

  HostStep step_at(const std::string& name, const Version& version) const {
    HostFacts host = host_;
    host.tools[name].version = version;
    const DoctorReport report = doctor(catalog_, target_, host);
    HostStep step{version.text(), "ok", false, {}, {}};
    for (const HostCheck& check : report.checks) {
      if (check.name != name || check.verdict == HostVerdict::ok || step.fails) continue;
      step = {version.text(), label(check.verdict), check.fails && name != "pillow", check.issue, check.advice};
    }
    if (name == "python") name_python(step);
    for (const HostIssue& each : report.issues) {
      const Issue& issue = catalog_.issue(each.id);
      if (step.fails || is_decided_elsewhere(issue, name, report.checks)) continue;
      if (std::ranges::count(issue.when, name, &Clause::fact) > 0) add_issue(each, name, step);
    }
    return step;
  }

  /// A wheel is for one Python alone; of another one only what breaks the build is worth a name.
  void name_python(HostStep& step) const {
    if (step.verdict == "ok") return;
    step.advice = concat("set PYTHON to a Python ", manifest_.python);
    if (!step.issue.empty() && catalog_.issue(step.issue).severity != "build-failure") step.issue.clear();
  }

  void add_issue(const HostIssue& issue, const std::string& name, HostStep& step) const {
    const std::string words = step.verdict == "ok" ? "has a known issue" : step.verdict;
    const bool is_handled = issue.outcome == IssueOutcome::handled;
    const bool is_grave = issue.severity == "build-failure" || issue.severity == "silent-wrong-results";
    if (is_handled && is_grave && !is_applied(manifest_, issue.id)) {
      step = {step.from, words, true, issue.id,
              concat(step.advice, step.advice.empty() ? "" : ", or ", "prepare the tree for it: --set ", name,
                     "=VERSION or an image with it")};
    } else if (issue.outcome == IssueOutcome::fails) {
      step = {step.from, words, true, issue.id, issue.summary.empty() ? "read KNOWN_ISSUES.md" : issue.summary};
    }
  }

  const Catalog& catalog_;
  const Manifest& manifest_;
  const DoctorTarget& target_;
  HostFacts host_;
};

/// What pip calls the packages of modules that have another name.
const std::map<std::string, std::string> kDistributions = {{"yaml", "pyyaml"},
                                                           {"pkg_resources", "setuptools"},
                                                           {"scikit_build_core", "scikit-build-core"},
                                                           {"typing_extensions", "typing-extensions"}};

/// What Debian calls packages that pip calls otherwise.
const std::map<std::string, std::string> kDebianNames = {{"pillow", "pil"}, {"pyyaml", "yaml"}};

/// Collects the requirements of a tree.
class Requirements {
 public:
  Requirements(const Catalog& catalog, const Manifest& manifest, const Plan& plan)
      : catalog_(catalog),
        manifest_(manifest),
        plan_(plan),
        release_(concat("release ", manifest.release)),
        image_(concat("image ", manifest.image)) {}

  std::vector<HostRequirement> list() {
    add_sources();
    add_machine();
    add_doctor_checks();
    add_python();
    add_cpu();
    add_nvcc_compiler();
    add_libraries();
    return std::move(requirements_);
  }

 private:
  /// Adds a requirement, without an issue that the catalog does not have.
  void add(HostRequirement requirement) {
    if (!catalog_.issues.contains(requirement.issue)) requirement.issue.clear();
    requirements_.push_back(std::move(requirement));
  }

  /// What a partial tree lacks, for each component: without a submodule its build fails, without some files it may not.
  void add_sources() {
    for (const Component component : manifest_.components) {
      std::vector<std::string> submodules, files;
      const std::string directory = component_directory(component), folder = directory + "/";
      for (const std::string& path : record::missing_sources(manifest_))
        if (starts_with(path, folder)) (path.back() == '/' ? submodules : files).push_back(path.substr(folder.size()));
      add_missing(component, directory + "-submodules", std::move(submodules), true);
      add_missing(component, directory + "-files", std::move(files), false);
    }
  }

  void add_missing(Component component, const std::string& name, std::vector<std::string> paths, bool fails) {
    constexpr std::size_t kShown = 40;
    if (paths.empty()) return;
    const std::size_t shown = std::min(paths.size(), kShown), more = paths.size() - shown;
    paths.resize(shown);
    if (more > 0) paths.push_back(concat(more, " more"));
    add({.name = name,
         .wanted = join(paths, ", "),
         .source = release_,
         .fails = fails,
         .component = component,
         .issue = fails ? "submodules-missing" : "",
         .advice = "prepare the tree again from sources that have them"});
  }

  void add_machine() {
    const std::string& arch = manifest_.target.at("arch");
    add({.probe = HostProbe::same,
         .name = "arch",
         .wanted = arch,
         .source = image_,
         .advice = concat("build on an ", arch,
                          " machine or in a root of the image, or set CC and CXX to a cross compiler and "
                          "CMAKE_TOOLCHAIN_FILE to its toolchain file")});
    const std::string* const cross = find_value(manifest_.settings, std::string("cross"));
    if (cross && *cross == "true") return;
    const bool is_arm32 = arch == "armv7l";
    add({.probe = HostProbe::same,
         .name = "kernel",
         .wanted = arch,
         .source = image_,
         .issue = is_arm32 ? "uname-of-32bit-userland" : "",
         .advice = is_arm32 ? "setarch linux32 sh torchpatch/build.sh"
                            : "set CMAKE_TOOLCHAIN_FILE: CMake gets the machine from the kernel"});
    if (manifest_.python == "none") return;
    const bool is_64 = arch == "aarch64" || arch == "x86_64";
    add({.probe = HostProbe::same,
         .name = "python-abi",
         .wanted = concat(is_64 ? "64-bit " : "32-bit ", arch),
         .source = image_,
         .advice = "set PYTHON to a Python of the target machine"});
  }

  /// One requirement for each name that doctor checks.
  void add_doctor_checks() {
    DoctorTarget target = target_of(manifest_);
    target.is_manifest = false;  // the release has the same bounds, and names the source of each
    // Every check is needed with its advice, so the host is one where all tools are missing.
    HostFacts host = fitting_host(manifest_);
    for (const HostCheck& check : doctor(catalog_, target, host).checks) host.tools[check.name].is_missing = true;
    const std::vector<HostCheck> checks = doctor(catalog_, target, host).checks;
    const ToolJudge judge(catalog_, manifest_, target);
    std::set<std::string> added = {"arch"};
    for (const HostCheck& check : checks)
      if (added.insert(check.name).second) add_check(check, checks, judge);
  }

  void add_check(const HostCheck& check, const std::vector<HostCheck>& checks, const ToolJudge& judge) {
    HostRequirement requirement{
        .probe = HostProbe::version, .name = check.name, .wanted = {}, .source = check.source, .advice = check.advice};
    if (check.name == "memory" || check.name == "disk") {
      const bool is_memory = check.name == "memory";
      requirement.probe = HostProbe::size;
      requirement.wanted = check.bound.substr(2, check.bound.find(' ') - 2);  // ">=10240 MiB"
      requirement.fails = is_memory;
      requirement.issue = is_memory ? "out-of-memory" : "";
      requirement.advice = is_memory ? "sudo torchpatch/build.sh --swap 4096 adds swap during the build"
                                     : "free disk space for the build";
    } else if (check.name == "os") {
      requirement.probe = HostProbe::same;
      requirement.wanted = check.bound;
      requirement.fails = false;
      requirement.advice = "libraries found by the build here may be missing on the board";
    } else {
      std::vector<std::string> bounds;
      for (const HostCheck& each : checks)
        if (each.name == check.name) bounds.push_back(concat(each.bound, " (", each.source, ")"));
      requirement.source = join(bounds, "; ");
      requirement.steps = judge.steps(check.name, checks);
      if (!known_facts().contains(check.name)) {
        requirement.probe = HostProbe::package;
        requirement.install = package_words(check.name);
      }
      if (check.name == "cmake") {
        const std::string newer = newer_cmake(manifest_, build_system(manifest_));
        requirement.install = newer.empty() ? "apt:cmake" : concat("pip:", newer);
      }
      if (check.name == "python" && manifest_.python != "none")
        requirement.advice = concat("set PYTHON to an installed Python ", manifest_.python);
      if (check.name == "gcc") requirement.install = "apt:gcc apt:g++";
      if (check.name == "pillow") requirement.component = Component::vision;
    }
    add(std::move(requirement));
  }

  /// What builds with Python need besides its version.
  void add_python() {
    const auto add_probe = [&](const char* name, const std::string& wanted, const std::string& source,
                               const std::string& install, const std::string& issue = {}) {
      add({.name = name,
           .wanted = wanted,
           .source = source,
           .issue = issue,
           .advice = "apt-get install " + install.substr(install.rfind(':') + 1),
           .install = install});
    };
    add_probe("make", "ninja or make", release_, "apt:ninja-build");
    if (manifest_.python == "none") return;
    const std::string python = starts_with(manifest_.python, "2") ? "python" : "python3";
    add_probe("python-headers", "Python.h", release_, concat("apt:", python, "-dev"));
    add_probe("python-specs", "the files of its compiler flags", release_, "apt:dpkg-dev", "python-specs-missing");
    const std::set<Component> scikit_built = built_by(*plan_.release, FrontEndKind::scikit_build_core);
    if (!std::ranges::all_of(manifest_.components, [&](Component each) { return scikit_built.contains(each); }))
      add_probe("wheel", "bdist_wheel", "setup.py of each component", package_words("wheel"));
    for (const Component component : manifest_.components) {
      if (scikit_built.contains(component))
        for (const char* module : {"build", "scikit_build_core"}) add_import(component, module, release_);
      const auto imports = plan_.release->imports.find(component);
      if (imports == plan_.release->imports.end()) continue;
      for (const auto& [module, place] : imports->second) add_import(component, module, place);
    }
  }

  void add_import(Component component, const std::string& module, const std::string& source) {
    const std::string* const renamed = find_value(kDistributions, module);
    const std::string package = renamed ? *renamed : module;
    const char* const python = starts_with(manifest_.python, "2") ? "python" : "python3";
    add({.probe = HostProbe::import,
         .name = concat("import-", module),
         .wanted = module,
         .source = source,
         .component = component,
         .advice = concat(python, " -m pip install ", shell_quote(pip_name(package))),
         .install = package_words(package)});
  }

  std::string pip_name(const std::string& package) const {
    return pip_requirement(package, find_value(plan_.release->build_tools, package), manifest_.python);
  }

  /// The words of HostRequirement::install for a package of Python.
  std::string package_words(const std::string& package) const {
    // No Debian packages a version that is new enough for torch (sid, November 2026: 0.12.2).
    if (package == "scikit-build-core") return concat("pip:", pip_name(package));
    const std::string python = starts_with(manifest_.python, "2") ? "python-" : "python3-";
    const std::string* const renamed = find_value(kDebianNames, package);
    return concat("pip:", pip_name(package), " deb:", python, renamed ? *renamed : package);
  }

  void add_cpu() {
    add({.name = "flags",
         .wanted = "a compiler that accepts CFLAGS and CXXFLAGS",
         .source = "build.env",
         .advice = "use flags that this compiler accepts, or another compiler"});
    const std::string* const flags = find_value(manifest_.target, std::string("cpu_flags"));
    if (!flags || flags->empty()) return;
    add({.probe = HostProbe::cpu,
         .name = "cpu",
         .wanted = *flags,
         .source = concat("board ", manifest_.board),
         .issue = "illegal-instruction",
         .advice = "change -march and -mcpu in CFLAGS and CXXFLAGS to the board's"});
  }

  /// The limit is that of the CUDA which build.sh finds: nvcc itself says it.
  void add_nvcc_compiler() {
    if (!plan_.release->cuda || !holds(plan_.facts, "gpu")) return;
    const Version* const cuda = version_of(plan_.facts, "cuda");
    const auto is_it = [&](const auto& entry) {
      const auto clause = std::ranges::find(entry.second.when, "cuda", &Clause::fact);
      const auto& when = entry.second.when;
      return cuda && clause != when.end() && std::ranges::count(when, "gcc", &Clause::fact) > 0 &&
             affects(entry.second, plan_.release->version) && std::get<VersionRange>(clause->expected).contains(*cuda);
    };
    const auto known = std::ranges::find_if(catalog_.issues, is_it);
    add({.probe = HostProbe::nvcc,
         .name = "nvcc-gcc",
         .wanted = nvcc_compiler_variable(*plan_.release),
         .source = "CUDA",
         .issue = known == catalog_.issues.end() ? "" : known->first,
         .advice = "install the compiler that nvcc is to use, or name another one: CUDAHOSTCXX=/usr/bin/g++-N"});
  }

  void add_libraries() {
    const std::string tag = record::acl_tag(plan_.release->version), at = tag.empty() ? "" : " at " + tag;
    for (const Library& library : kLibraries) {
      const std::string variable(library.variable), packages(library.packages);
      const std::string* const place = find_value(plan_.release->flags, variable);
      if (place == nullptr) continue;
      add({.probe = HostProbe::library,
           .name = variable,
           .wanted = packages.empty() ? "its library, built beforehand" : packages,
           .source = *place,
           .issue = std::string(library.issue),
           .advice = concat(packages.empty() ? concat("build it", at, ": torchpatch show issue ", library.issue)
                                             : "apt-get install " + packages,
                            ", or drop ", variable),
           .install = packages.empty() ? "" : "apt:" + join(split(packages, ' '), " apt:")});
    }
    const Issue* const sox = find_value(catalog_.issues, std::string("torchaudio-sox"));
    const bool has_audio = std::ranges::count(manifest_.components, Component::audio) > 0;
    if (!has_audio || !sox || !affects(*sox, plan_.release->version)) return;
    add({.probe = HostProbe::library,
         .name = "sox",
         .wanted = "libsox-dev",
         .source = release_,
         .component = Component::audio,
         .issue = sox->id,
         .advice = "apt-get install libsox-dev",
         .install = "apt:libsox-dev"});
  }

  const Catalog& catalog_;
  const Manifest& manifest_;
  const Plan& plan_;
  const std::string release_, image_;
  std::vector<HostRequirement> requirements_;
};

constexpr std::chrono::seconds kPatience{300};  // imports and some twenty small programs, on a slow board

std::string probe_script(const Manifest& manifest, const std::vector<HostRequirement>& requirements,
                         const std::string& directory) {
  return concat(record::build_environment(manifest), record::host_functions(manifest, requirements),
                "selected=$components swap_mib=0 skipped='' probes=", shell_quote(directory),
                "\nfindings=$(host_findings)\nprintf '%s\\n' \"$findings\"\ninstall_commands\n");
}

HostVerdict verdict_of(const std::string& words) {
  if (words == "not found" || words == "does not compile and link") return HostVerdict::missing;
  for (const HostVerdict verdict :
       {HostVerdict::ok, HostVerdict::too_old, HostVerdict::too_new, HostVerdict::too_little, HostVerdict::unknown})
    if (words == label(verdict)) return verdict;
  return HostVerdict::differs;
}

/// A line of host_findings.
HostCheck check_of(const std::vector<std::string>& fields) {
  const auto text = [&](std::size_t i) { return fields[i] == "-" ? std::string() : fields[i]; };
  HostCheck check{
      .name = fields[1], .found = text(2), .bound = fields[4], .source = {}, .verdict = verdict_of(fields[3])};
  // ">=5 <11 (release 1.5.1)": the last parentheses have the source.
  const std::size_t begin = check.bound.rfind(" (");
  if (begin != std::string::npos && check.bound.back() == ')') {
    check.source = check.bound.substr(begin + 2, check.bound.size() - begin - 3);
    check.bound.resize(begin);
  }
  if (check.verdict == HostVerdict::ok) return check;
  check.fails = fields[0] == "FAIL";
  check.issue = text(5);
  check.advice = text(6);
  return check;
}

HostProbes read_probes(const std::string& out) {
  HostProbes probes;
  for (const std::string& line : split(out, '\n')) {
    if (line.empty()) continue;
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() == 8)
      probes.checks.push_back(check_of(fields));
    else if (fields.size() == 2)
      probes.install.push_back({fields[0], fields[1]});
    else
      throw Error(ErrorKind::environment, concat("probing this host: the shell printed ", quote(line)));
  }
  return probes;
}

}  // namespace

std::vector<HostRequirement> host_requirements(const Catalog& catalog, const Manifest& manifest, const Plan& plan) {
  return Requirements(catalog, manifest, plan).list();
}

HostProbes probe_host(const Manifest& manifest, const std::vector<HostRequirement>& requirements,
                      const std::string& place, const std::map<std::string, std::string>& variables) {
  const TempDir directory;
  const std::string file = directory.path() + "/probe.sh";
  write_file_atomically(file, probe_script(manifest, requirements, directory.path()));
  ProgramRun run{{"/bin/sh", file}, {variables.begin(), variables.end()}, place, kPatience};
  const ProgramResult result = run_program(run);
  if (result.exit_code != 0 || result.timed_out) {
    throw Error(ErrorKind::environment,
                concat("probing this host: /bin/sh ", result.timed_out ? "took too long" : "failed", ": ",
                       printable(trim(result.err))));
  }
  return read_probes(result.out);
}

}  // namespace torchpatch::trees
