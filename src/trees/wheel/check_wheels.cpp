// SPDX-License-Identifier: BSD-3-Clause
#include "trees/wheel/wheel.h"

#include <algorithm>
#include <tuple>

#include "elf/instruction_sets.h"
#include "plan/image_choice.h"
#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/program.h"
#include "support/text.h"
#include "support/wire.h"

namespace torchpatch::trees {

namespace {

/// Limit of separately reported findings per rule: a library for another core has thousands.
constexpr std::size_t kMostOfARule = 20;
/// Prefix of the package pip among those to install.
constexpr std::string_view kPipBegin = "pip>=";
/// Subdirectories of a .data directory (PEP 427, pip's SCHEME_KEYS).
constexpr auto kSchemes = std::to_array<std::string_view>({"data", "headers", "platlib", "purelib", "scripts"});

/// Judges what is outside ELF files: names, tags, and what pip reads.
class WheelJudge {
 public:
  WheelJudge(const std::optional<WheelName>& name, const WheelSurroundings& around)
      : contents_(around.contents), name_(name), around_(around), target_(around.target) {}

  std::vector<WheelFinding> run() {
    if (name_) {
      check_tags();
      check_python();
      check_platform();
    } else {
      add(WheelRule::file_name, WheelVerdict::will_not_import, "its name is not a wheel's name",
          "NAME-VERSION-PYTHON-ABI-PLATFORM.whl", "", "rename it as bdist_wheel named it: pip refuses other names");
    }
    check_information();
    check_data();
    check_record();
    check_not_elf();
    check_packages();
    return std::move(findings_);
  }

 private:
  const std::string& image() const { return target_.image.id; }

  void add(WheelRule rule, WheelVerdict verdict, std::string found, std::string wanted = {}, std::string issue = {},
           std::string advice = {}, std::string path = {}) {
    if (!target_.catalog.issues.contains(issue)) issue.clear();
    findings_.push_back(
        {rule, verdict, std::move(path), std::move(found), std::move(wanted), std::move(issue), std::move(advice)});
  }

  /// Each combination of the name's tags must be in WHEEL, and vice versa. pip uses the name.
  void check_tags() {
    std::set<std::string> expanded;
    for (const std::string& python : split(name_->python, '.'))
      for (const std::string& abi : split(name_->abi, '.'))
        for (const std::string& platform : split(name_->platform, '.'))
          expanded.insert(concat(python, '-', abi, '-', platform));
    const std::set<std::string> told(contents_.tags.begin(), contents_.tags.end());
    if (told == expanded) return;
    add(WheelRule::file_name, WheelVerdict::works,
        told.empty() ? "WHEEL has no tags" : "WHEEL has the tags " + join(contents_.tags, ", "),
        concat("the name has ", name_->python, '-', name_->abi, '-', name_->platform));
  }

  void check_python() {
    const std::string there = concat(image(), " has Python ");
    const auto meets = [&](const Version& python) { return meets_specifiers(contents_.requires_python, python); };
    if (around_.pythons.empty() && !target_.image.python.empty()) {
      add(WheelRule::python, WheelVerdict::will_not_import, concat("is for ", name_->python, "-", name_->abi),
          there + join(collect(target_.image.python, &Version::text), ", "), "wheel-for-another-python",
          "build it for the image's Python");
    } else if (!around_.pythons.empty() && std::ranges::none_of(around_.pythons, meets)) {
      add(WheelRule::python, WheelVerdict::will_not_import, "requires Python " + contents_.requires_python,
          there + join(collect(around_.pythons, &Version::text), ", "), "wheel-for-another-python",
          "build it for the image's Python");
    }
  }

  void check_platform() {
    const PlatformFit fit = platform_fit(*name_, target_);
    if (!fit.is_installable) {
      add(WheelRule::platform, WheelVerdict::will_not_import, "is for " + name_->platform,
          concat(image(), " is linux_", target_.arch(),
                 target_.image.glibc ? " with glibc " + target_.image.glibc->text() : ""),
          "",
          fit.is_for_arch ? "build it in the image's system or an older one"
                          : "if its files are for that machine, 'torchpatch wheel fix-names' corrects the name");
    }
    const Version* const pip =
        around_.system ? find_value(around_.system->python_packages, std::string("pip")) : nullptr;
    if (fit.is_installable && pip && *pip < fit.pip) {
      add(WheelRule::platform, WheelVerdict::works_once_installed, "is for " + name_->platform,
          concat("which pip supports since ", fit.pip.text(), "; ", image(), " has pip ", pip->text()), "",
          concat("or, without a newer pip, give its platform the name linux_", target_.arch()));
      findings_.back().package = concat(kPipBegin, fit.pip.text(), ",<21");  // the last for Python 3.5
    }
    if (!fit.claim.empty()) check_claim(fit.claim);
  }

  void check_claim(const std::string& claim) {
    const std::string kept = kept_platform(around_);
    const PlatformTable& table = target_.catalog.platforms;
    const std::optional<Version> wanted = glibc_of_platform(table, claim);
    const std::optional<Version> found = kept.empty() ? std::nullopt : glibc_of_platform(table, kept);
    if (!wanted || (found && *found <= *wanted)) return;
    add(WheelRule::platform, WheelVerdict::unknown, kept.empty() ? "meets no manylinux platform" : "meets " + kept,
        concat("its name claims ", claim));
  }

  void check_information() {
    const std::size_t count = contents_.information.size();
    for (const std::string& refused : contents_.refusals)
      add(WheelRule::file_name, WheelVerdict::will_not_import, refused, "which pip refuses", "",
          "build or fetch the wheel again");
    const std::string project = count == 1 ? contents_.information.front() : "";
    if (name_ && count == 1 &&
        canonical_project(split(project.substr(0, project.rfind('.')), '-').front()) != canonical_project(name_->name))
      add(WheelRule::file_name, WheelVerdict::will_not_import, "has " + project, "its name has " + name_->name, "",
          "build or fetch the wheel again");
    const bool is_whole = count == 1 && !contents_.name.empty() && !contents_.version.empty() && contents_.has_record;
    if (is_whole) return;
    add(WheelRule::file_name, WheelVerdict::will_not_import,
        count == 1
            ? concat("its .dist-info lacks ", contents_.has_record ? "a METADATA with Name and Version" : "RECORD")
            : concat("it has ", count, " .dist-info directories"),
        "pip needs exactly one, with METADATA, WHEEL and RECORD", "", "build or fetch the wheel again");
  }

  /// Checks files that pip installs into other directories.
  void check_data() {
    for (const std::string& path : contents_.paths) {
      const std::vector<std::string> parts = split(path, '/');
      const bool is_known = parts.size() > 2 && std::ranges::count(kSchemes, parts[1]) > 0;
      if (is_known || !ends_with(parts.front(), ".data")) continue;
      add(WheelRule::file_name, WheelVerdict::will_not_import, "is not allowed in the .data directory",
          concat("pip accepts ", join({kSchemes.begin(), kSchemes.end()}, ", "), " in it"), "",
          "build or fetch the wheel again", path);
    }
  }

  void check_record() {
    for (const RecordProblem& wrong : contents_.record_problems) {
      add(WheelRule::record, wrong.is_unchecked ? WheelVerdict::works : WheelVerdict::may_crash, wrong.problem,
          "every file with its digest (PEP 427)", "",
          wrong.is_unchecked ? "" : "the wheel was changed after it was made, or is damaged: build or fetch it again",
          wrong.path);
    }
  }

  void check_not_elf() {
    for (const std::string& path : contents_.not_elf) {
      add(WheelRule::damaged, WheelVerdict::will_not_import, "is not an ELF file", "though it is named as one", "",
          "build or fetch the wheel again", path);
    }
  }

  /// Python imports the directory of a package, never the module of the same name next to it.
  void check_packages() {
    for (const std::string& path : contents_.paths) {
      const std::string suffix = module_suffix(path), module = path.substr(0, path.size() - suffix.size());
      if (suffix.empty() || !around_.paths.contains(installed_path(module) + "/__init__.py")) continue;
      const bool is_needed = base_name(module) == "_C" || base_name(module) == "_dl";
      add(WheelRule::extension_suffix, is_needed ? WheelVerdict::will_not_import : WheelVerdict::unknown,
          concat("is next to the package ", base_name(module), "/"), "which Python imports instead", "",
          "build the wheel again in a clean tree", path);
    }
  }

  const WheelContents& contents_;
  const std::optional<WheelName>& name_;
  const WheelSurroundings& around_;
  const WheelTarget& target_;
  std::vector<WheelFinding> findings_;
};

/// Returns what a companion requires of torch: its version, and names from its libraries.
std::vector<WheelFinding> judge_companion(const WheelContents& companion, const WheelContents& torch,
                                          const WheelTarget& target) {
  const std::string issue = target.catalog.issues.contains("torchvision-pairing") ? "torchvision-pairing" : "";
  std::vector<WheelFinding> findings;
  std::set<std::string> exports;
  for (const WheelContents* const wheel : {&torch, &companion})
    for (const WheelElf& file : wheel->elf_files) exports.insert(file.exports.begin(), file.exports.end());
  for (const WheelElf& file : companion.elf_files) {
    std::vector<std::string> missing;
    for (const std::string& name : file.imports)
      if (!exports.contains(name)) missing.push_back(name);
    check_interrupted();
    if (missing.empty()) continue;
    findings.push_back({WheelRule::companion, WheelVerdict::will_not_import, file.path,
                        concat("uses ", missing.size(), " symbols of torch, such as ", missing.front()),
                        concat(base_name(torch.file), " does not have them"), issue,
                        "build both from one prepared tree: build.sh builds against the torch that it just built"});
  }
  const auto release_of = [&](const WheelContents& contents) {
    return release_of_wheel(target.catalog, contents.name, contents.version);
  };
  const Release* const made_for = release_of(companion);
  const Release* const there = release_of(torch);
  if (made_for && there && made_for != there) {
    const auto line = [](const Release& release) {
      return release.version.text().substr(0, release.version.text().rfind('.'));
    };
    const bool is_patch = findings.empty() && line(*made_for) == line(*there);
    findings.push_back({WheelRule::companion, is_patch ? WheelVerdict::works : WheelVerdict::unknown, "",
                        concat("needs torch ", made_for->version.text()),
                        concat(base_name(torch.file), " is ", there->version.text()), issue, ""});
  }
  return findings;
}

/// If a rule has too many findings, keeps the first ones and adds their number.
void limit_findings(std::vector<WheelFinding>& findings) {
  using Kind = std::pair<WheelRule, WheelVerdict>;
  std::map<Kind, std::size_t> counts;
  std::erase_if(findings, [&](const WheelFinding& finding) {
    return ++counts[{finding.rule, finding.verdict}] > kMostOfARule;
  });
  for (const auto& [kind, count] : counts) {
    if (count <= kMostOfARule) continue;
    findings.push_back(
        {kind.first, kind.second, "", concat("and ", count - kMostOfARule, " more of this kind"), "", "", ""});
  }
}

/// Returns whether it is a torch that does not use the board's GPU.
bool is_cpu_only(const WheelContents& wheel, const WheelTarget& target) {
  return wheel.name == "torch" && target.board.gpu && !wheel.elf_files.empty() &&
         std::ranges::all_of(wheel.elf_files, [](const WheelElf& file) { return file.gpu.empty(); });
}

/// Judges each wheel, and what torchvision and torchaudio among them require of the torch among them.
std::vector<CheckedWheel> judge_wheels(const std::vector<WheelContents>& wheels, const WheelTarget& target) {
  const WheelContents* const torch =
      find_where(wheels, [](const WheelContents& wheel) { return wheel.name == "torch"; });
  std::vector<CheckedWheel> checked;
  for (const WheelContents& wheel : wheels) {
    const std::optional<WheelName> name = WheelName::parse(base_name(wheel.file));
    const WheelSurroundings around =
        look_around(wheel, target, name ? pythons_for(*name, target.image) : std::vector<Version>());
    std::vector<WheelFinding> findings = WheelJudge(name, around).run();
    const auto add = [&](std::vector<WheelFinding> more) {
      findings.insert(findings.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    for (const WheelElf& file : wheel.elf_files) {
      check_interrupted();
      add(judge_elf(file, around));
    }
    add(chosen_instructions(around));
    if (is_cpu_only(wheel, target)) {
      const std::string issue = target.catalog.issues.contains("wheel-without-cuda") ? "wheel-without-cuda" : "";
      add({{.rule = WheelRule::gpu,
            .found = "has no code for a GPU",
            .wanted =
                concat(target.board.id, " has one of compute capability ", target.board.gpu->compute_capability.text()),
            .issue = issue,
            .advice = "for the GPU, build it with the CUDA of the image: torchpatch prepare"}});
    }
    if (torch && component_of_wheel(wheel.name).value_or(Component::torch) != Component::torch)
      add(judge_companion(wheel, *torch, target));
    std::set<std::string> packages;
    for (const WheelFinding& finding : findings)
      if (!finding.package.empty()) packages.insert(finding.package);
    limit_findings(findings);
    std::ranges::stable_sort(findings, std::greater(), &WheelFinding::verdict);
    const WheelVerdict verdict = findings.empty() ? WheelVerdict::works : findings.front().verdict;
    checked.push_back({wheel.file,
                       verdict,
                       is_cpu_only(wheel, target),
                       std::move(findings),
                       {packages.begin(), packages.end()},
                       kept_platform(around)});
  }
  return checked;
}

/// Returns a command that installs the packages of all wheels on a system, or empty text.
std::string install_command(const std::vector<CheckedWheel>& wheels, const std::string& os) {
  std::set<std::string> packages, pip;
  for (const CheckedWheel& wheel : wheels)
    for (const std::string& package : wheel.packages)
      (starts_with(package, kPipBegin) ? pip : packages).insert(package);
  std::vector<std::string> commands;
  if (!packages.empty())
    commands.push_back(concat(starts_with(os, "amazon-") ? "yum install -y " : "apt-get install --yes ",
                              join({packages.begin(), packages.end()}, " ")));
  const bool is_managed = is_managed_python(os);
  if (!pip.empty() && is_managed) commands.emplace_back("python3 -m venv --system-site-packages ~/torch");
  if (!pip.empty())
    commands.push_back(
        concat(is_managed ? "~/torch/bin/python" : "python3", " -m pip install ", shell_quote(*pip.rbegin())));
  return join(commands, " && ");
}

/// For a library of a gigabyte, its compressed data, and libelf's copies of its tables.
constexpr std::uint64_t kMostMemory = 8ull << 30;

std::set<elf::Extension> extensions_of(const WheelTarget& target) {
  const std::optional<std::set<elf::Extension>> known = elf::extensions_of_flags(target.cpu_flags());
  if (known) return *known;
  throw Error(
      ErrorKind::data,
      concat("board ", quote(target.board.id), ": the features of its core are unknown: ", quote(target.cpu_flags())),
      "give an architecture or core in cpu_flags: -march=armv8-a");
}

std::vector<WheelContents> open_wheels(const std::vector<std::string>& files, const WheelQuestions& questions,
                                       int jobs) {
  std::vector<UniqueFd> opened;
  for (const std::string& file : files) opened.push_back(open_regular_file(file, "the wheel "));
  return map_in_workers(
      files.size(), jobs, [&](std::size_t item) { return read_wheel(opened[item].get(), files[item], questions); },
      [&](std::size_t item) { return "reading the wheel " + quote(files[item]); },
      [&](std::size_t item, WheelContents& wheel) { wheel.file = files[item]; }, wheel_limits());
}

/// The same, including libraries outside wheels.
std::vector<WheelContents> open_libraries(const std::vector<std::string>& files, const WheelQuestions& questions,
                                          int jobs) {
  std::vector<std::string> wheels, libraries;
  for (const std::string& file : files) (ends_with(file, ".whl") ? wheels : libraries).push_back(file);
  std::vector<WheelContents> read = open_wheels(wheels, questions, jobs);
  for (const std::string& library : libraries) open_regular_file(library, "the library ");
  const std::vector<WheelContents> more = map_in_workers(
      libraries.size(), jobs, [&](std::size_t item) { return read_library(libraries[item], questions); },
      [&](std::size_t item) { return "reading the library " + quote(libraries[item]); },
      [&](std::size_t item, WheelContents& library) { library.file = libraries[item]; }, wheel_limits());
  read.insert(read.end(), more.begin(), more.end());
  return read;
}

bool fits_tags(const Catalog& catalog, const Board& board, const Image& image, const std::string& file) {
  const std::optional<WheelName> name = WheelName::parse(base_name(file));
  return name && (image.python.empty() || !pythons_for(*name, image).empty()) &&
         platform_fit(*name, {catalog, board, image}).is_installable;
}

/// Returns whether the system's own Python, an image's first, can use a wheel, not only another of its packages.
bool fits_own_python(const Image& image, const std::string& file) {
  const std::optional<WheelName> name = WheelName::parse(base_name(file));
  return name && !image.python.empty() && std::ranges::count(pythons_for(*name, image), image.python.front()) > 0;
}

/// Returns the image with the newest glibc, then CUDA, among those that match all wheels' tags, or null. Among equal
/// ones, those whose own Python matches are preferred, then the last: boards list images from the oldest.
const Image* newest_fitting_image(const Catalog& catalog, const Board& board, const std::vector<std::string>& files) {
  const Image* newest = nullptr;
  bool is_own = false;
  for (const Image& image : board.images) {
    const auto fits = [&](const std::string& file) { return fits_tags(catalog, board, image, file); };
    if (!std::ranges::all_of(files, fits)) continue;
    const bool fits_own =
        std::ranges::all_of(files, [&](const std::string& file) { return fits_own_python(image, file); });
    const bool is_older =
        newest && std::tie(image.glibc, image.cuda, fits_own) < std::tie(newest->glibc, newest->cuda, is_own);
    if (is_older) continue;
    newest = &image;
    is_own = fits_own;
  }
  return newest;
}

}  // namespace

ImageOfWheels image_of_wheels(const Catalog& catalog, const Board& board, const std::string& image,
                              const std::vector<std::string>& files) {
  if (!image.empty()) return {plan::named_image(board, image), ""};
  for (const std::string& file : files) {
    const std::optional<WheelName> name = WheelName::parse(base_name(file));
    const Release* const release = name ? release_of_wheel(catalog, name->name, name->version) : nullptr;
    if (!release) continue;
    const auto* const chosen = find_where(
        board.default_images, [&](const DefaultImage& each) { return each.releases.contains(release->version); });
    if (chosen)
      return {plan::named_image(board, chosen->image), "the board's default for release " + release->version.text()};
  }
  if (const Image* const newest = newest_fitting_image(catalog, board, files))
    return {*newest, files.size() == 1 ? "the newest image that the wheel's tags fit"
                                       : "the newest image that the wheels' tags fit"};
  return {board.images.front(), "the board's first image: no image fits the tags"};
}

WorkerLimits wheel_limits() {
  WorkerLimits limits;
  limits.address_space = 2 * kMostMemory;
  limits.data = kMostMemory;
  return limits;
}

WheelReport check_wheels(const Catalog& catalog, const Board& board, const std::string& image, bool requires_gpu,
                         const std::vector<std::string>& files, int jobs) {
  const ImageOfWheels chosen = image_of_wheels(catalog, board, image, files);
  const WheelTarget target{catalog, board, chosen.image};
  const WheelQuestions questions{
      .extensions = extensions_of(target), .with_exports = files.size() > 1, .kernels_for = target.gpu_architecture()};
  WheelReport report{board.id, target.image.id, chosen.reason,
                     judge_wheels(open_wheels(files, questions, jobs), target), requires_gpu};
  report.install = install_command(report.wheels, target.image.os);
  return report;
}

KernelReport find_kernels(const Catalog& catalog, const Board& board, const std::vector<std::string>& files, int jobs) {
  const WheelTarget target{catalog, board, board.images.front()};
  if (!board.gpu || !board.gpu->registers_per_block) {
    throw Error(ErrorKind::usage, concat("board ", quote(board.id), " has no GPU with a known number of registers"),
                "'torchpatch list boards' names all, 'torchpatch show board " + board.id + "' what this one has");
  }
  const WheelQuestions questions{.with_code = false, .kernels_for = target.gpu_architecture()};
  KernelReport report{board.id, *target.gpu_architecture(), *board.gpu->registers_per_block, {}};
  for (const WheelContents& wheel : open_libraries(files, questions, jobs)) {
    for (const WheelElf& file : wheel.elf_files) {
      const std::string damage = file.damage.empty() ? file.part_damage : file.damage;
      if (!damage.empty()) throw Error(ErrorKind::source, damage);
      if (file.kernels.empty()) continue;
      std::vector<Kernel> kernels = judge_kernels(file, wheel, target);
      report.files.push_back({wheel.file, file.path == wheel.file ? "" : file.path, std::move(kernels)});
    }
  }
  return report;
}

}  // namespace torchpatch::trees
