// SPDX-License-Identifier: BSD-3-Clause
#include "ops/wheel/judge_wheel.h"

#include <algorithm>
#include <optional>

#include "model/repository_path.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// Most findings of one rule that are told one by one: a library for another core has thousands.
constexpr std::size_t kMostOfARule = 20;

/// What glibc and gcc's run time bring: on every image, or a wheel's own platform would not be.
constexpr auto kSystemLibraries = std::to_array<std::string_view>(
    {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "libresolv.so.2",
     "libanl.so.1", "libnsl.so.1", "libmvec.so.1", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-aarch64.so.1",
     "ld-linux-armhf.so.3", "ld-linux-x86-64.so.2"});

/// NVIDIA's libraries by the CUDA that has them; the number behind ".so." is that of CUDA, up to 10.2 with its second part.
/// Those of 11 and later that count for themselves are not here.
constexpr auto kCudaLibraries = std::to_array<std::string_view>(
    {"libcudart.so.", "libnvrtc.so.", "libnvToolsExt.so.", "libcublas.so.", "libcufft.so.", "libcurand.so.", "libcusolver.so.",
     "libcusparse.so.", "libcupti.so."});

/// Where "GLIBCXX_3.4.21" is cut: the kind of symbols, and its version.
std::optional<std::pair<std::string, Version>> split_symbol_version(const std::string& text) {
  const std::size_t line = text.rfind('_');
  if (line == std::string::npos) return std::nullopt;
  const std::optional<Version> version = Version::parse(text.substr(line + 1));
  if (!version) return std::nullopt;
  return std::pair(text.substr(0, line), *version);
}

std::string listed(const std::vector<std::string>& parts) { return join(parts, ", "); }

std::string texts(const std::vector<Version>& versions) { return listed(collect(versions, &Version::text)); }

/// Returns the component that a wheel of this name is.
std::optional<Component> component_of(const std::string& name) {
  if (name == "torch") return Component::torch;
  if (name == "torchvision") return Component::vision;
  return name == "torchaudio" ? std::optional(Component::audio) : std::nullopt;
}

/// Judges one wheel.
class Judge {
 public:
  Judge(const OpenedWheel& wheel, const WheelTarget& target)
      : wheel_(wheel), contents_(wheel.contents), target_(target), name_(WheelName::parse(base_name(wheel.file))) {
    system_ = target.catalog.platforms.find_system(target.image.os);
  }

  std::vector<WheelFinding> run() {
    check_name();
    check_record();
    for (const WheelElf& file : contents_.elf_files) check_elf(file);
    tell_chosen();
    return std::move(findings_);
  }

  /// Returns the oldest platform whose rules all files keep, or empty text.
  std::string platform() const {
    std::set<std::string> allowed;
    const std::vector<Platform>& platforms = target_.catalog.platforms.platforms;
    for (const Platform& platform : platforms) {
      allowed.insert(platform.libraries.begin(), platform.libraries.end());
      if (std::ranges::all_of(contents_.elf_files, [&](const WheelElf& file) { return keeps(file, platform, allowed); }))
        return platform.id;
    }
    return "";
  }

 private:
  const std::string& image() const { return target_.image.id; }

  void add(WheelFinding finding) {
    if (!finding.issue.empty() && !target_.catalog.issues.contains(finding.issue)) finding.issue.clear();
    findings_.push_back(std::move(finding));
  }

  // Names and tags.

  void check_name() {
    if (!name_) {
      add({.rule = WheelRule::file_name, .verdict = WheelVerdict::will_not_import, .found = "its name is not that of a wheel",
           .wanted = "NAME-VERSION-PYTHON-ABI-PLATFORM.whl",
           .advice = "give it the name that bdist_wheel gave it: pip takes no other"});
      return;
    }
    if (contents_.tags.empty()) {
      add({.rule = WheelRule::file_name, .verdict = WheelVerdict::will_not_import,
           .found = "it has no WHEEL with tags in its .dist-info", .wanted = "a wheel (PEP 427)"});
    }
    const std::string tags = concat(name_->python, '-', name_->abi, '-', name_->platform);
    if (!contents_.tags.empty() && !says_the_same_tags(tags)) {
      add({.rule = WheelRule::file_name, .found = "WHEEL has the tags " + listed(contents_.tags),
           .wanted = "the name says " + tags});
    }
    check_python();
    check_platform();
  }

  /// Whether each combination of the name's tags is in WHEEL, and the other way round.
  bool says_the_same_tags(const std::string& tags) const {
    std::set<std::string> expanded;
    const std::vector<std::string> parts = split(tags, '-');
    for (const std::string& python : split(parts[0], '.'))
      for (const std::string& abi : split(parts[1], '.'))
        for (const std::string& platform : split(parts[2], '.')) expanded.insert(concat(python, '-', abi, '-', platform));
    return expanded == std::set<std::string>(contents_.tags.begin(), contents_.tags.end());
  }

  bool takes(const Version& python) const {
    const std::string major = std::to_string(python.numbers().front());
    const std::string minor = python.numbers().size() > 1 ? std::to_string(python.numbers()[1]) : "";
    const std::string own = concat("cp", major, minor);
    for (const std::string& tag : split(name_->python, '.')) {
      if (tag == "py" + major || tag == own || tag == concat("py", major, minor)) return abi_fits(python, own);
      const bool is_stable = ("." + name_->abi + ".").find(".abi3.") != std::string::npos && starts_with(tag, "cp3");
      const std::optional<std::uint64_t> from = is_stable ? parse_decimal(std::string_view(tag).substr(3)) : std::nullopt;
      if (from && major == "3" && *from <= parse_decimal(minor).value_or(0)) return true;
    }
    return false;
  }

  /// cp37m, cp38, none, abi3; of Python 2.7 Debian's is cp27mu.
  bool abi_fits(const Version& python, const std::string& own) const {
    return std::ranges::any_of(split(name_->abi, '.'), [&](const std::string& abi) {
      const bool has_m = python < *Version::parse("3.8");
      if (abi == "none" || abi == "abi3") return true;
      return python < *Version::parse("3") ? abi == own + "mu" : abi == own + (has_m ? "m" : "");
    });
  }

  void check_python() {
    for (const Version& python : target_.image.python)
      if (takes(python)) pythons_.push_back(python);
    if (!pythons_.empty() || target_.image.python.empty()) return;
    add({.rule = WheelRule::python, .verdict = WheelVerdict::will_not_import,
         .found = concat("is for ", name_->python, "-", name_->abi),
         .wanted = concat(image(), " has Python ", texts(target_.image.python)),
         .issue = "wheel-for-another-python",
         .advice = "build it for the image's Python"});
  }

  void check_platform() {
    const std::string arch = target_.arch();
    bool is_installable = false;
    std::string claimed;
    for (const std::string& tag : split(name_->platform, '.')) {
      if (tag == "any" || tag == "linux_" + arch) is_installable = true;
      if (!ends_with(tag, "_" + arch)) continue;
      const std::string platform = tag.substr(0, tag.size() - arch.size() - 1);
      if (const std::optional<Version> glibc = glibc_of(platform)) {
        claimed = platform;
        is_installable = is_installable || !target_.image.glibc || *glibc <= *target_.image.glibc;
      }
    }
    if (!is_installable) {
      add({.rule = WheelRule::platform, .verdict = WheelVerdict::will_not_import, .found = "is for " + name_->platform,
           .wanted = concat(image(), " is linux_", arch,
                            target_.image.glibc ? " with glibc " + target_.image.glibc->text() : ""),
           .advice = "where its files are for that machine, 'torchpatch wheel fix-names' corrects the name"});
    }
    if (!claimed.empty()) check_claim(claimed);
  }

  /// PEP 600: manylinux_2_17 says its glibc itself; the names before it stand in the table.
  std::optional<Version> glibc_of(const std::string& platform) const {
    constexpr std::string_view kBegin = "manylinux_";
    if (starts_with(platform, kBegin)) {
      std::string version = platform.substr(kBegin.size());
      std::ranges::replace(version, '_', '.');
      return Version::parse(version);
    }
    const Platform* known = target_.catalog.platforms.find_platform(platform);
    return known ? std::optional(known->limits.at("GLIBC")) : std::nullopt;
  }

  void check_claim(const std::string& claimed) {
    const std::string kept = platform();
    const std::optional<Version> wanted = glibc_of(claimed), found = kept.empty() ? std::nullopt : glibc_of(kept);
    if (!wanted || (found && *found <= *wanted)) return;
    add({.rule = WheelRule::platform, .verdict = WheelVerdict::unknown,
         .found = kept.empty() ? "keeps the rules of no manylinux platform" : "keeps the rules of " + kept,
         .wanted = concat("its name claims ", claimed)});
  }

  // RECORD.

  void check_record() {
    if (!contents_.has_record) {
      add({.rule = WheelRule::record, .verdict = WheelVerdict::will_not_import, .found = "it has no RECORD",
           .wanted = "a wheel (PEP 427)"});
    }
    for (const RecordProblem& wrong : contents_.record_problems) {
      add({.rule = WheelRule::record, .verdict = WheelVerdict::unknown, .path = wrong.path, .found = wrong.problem,
           .wanted = "every file with its digest (PEP 427)",
           .advice = "the wheel was changed after it was made, or is damaged: build or fetch it again"});
    }
  }

  // ELF files.

  void check_elf(const WheelElf& file) {
    if (!file.damage.empty()) {
      add({.rule = WheelRule::damaged, .verdict = WheelVerdict::unknown, .path = file.path, .found = file.damage});
      return;
    }
    if (!check_machine(file)) return;
    check_suffix(file);
    check_versions(file);
    check_libraries(file);
    check_run_path(file);
    check_instructions(file);
    check_gpu(file);
    if (file.facts.has_text_relocations) {
      add({.rule = WheelRule::text_relocation, .path = file.path, .found = "has text relocations",
           .wanted = "code that stays as it is: hardened systems refuse to load it",
           .advice = "compile all of it with -fPIC"});
    }
    if (!file.build_paths.empty()) {
      add({.rule = WheelRule::build_path, .path = file.path, .found = "names " + listed(file.build_paths),
           .wanted = "nothing of the machine that built it", .issue = "build-path-in-binaries"});
    }
  }

  bool check_machine(const WheelElf& file) {
    const elf::ElfFacts& facts = file.facts;
    const std::string arch = target_.arch();
    const bool is_hard = arch != "armv7l" || facts.float_abi != elf::FloatAbi::soft;
    if (facts.machine == arch && !facts.is_big_endian && is_hard) return true;
    add({.rule = WheelRule::machine, .verdict = WheelVerdict::will_not_import, .path = file.path,
         .found = concat("is for ", facts.machine, facts.is_big_endian ? ", big-endian" : "",
                         facts.machine == arch && !is_hard ? " with soft floating point" : ""),
         .wanted = concat(image(), " is ", arch, arch == "armv7l" ? " with hard floating point" : ""),
         .issue = arch == "armv7l" && facts.machine == "aarch64" ? "uname-of-32bit-userland" : "",
         .advice = "build it for the board's machine"});
    return false;
  }

  /// Files that Python imports are those that are no library: libtorch.so is none, torch/_C.so is one.
  void check_suffix(const WheelElf& file) {
    const std::string base = base_name(file.path);
    const std::size_t dot = base.find('.');
    if (starts_with(base, "lib") || dot == std::string::npos || !ends_with(base, ".so") || pythons_.empty()) return;
    const std::string suffix = base.substr(dot);
    std::vector<std::string> taken;
    for (const Version& python : pythons_) {
      const std::vector<std::string> suffixes = target_.extension_suffixes(python);
      if (std::ranges::count(suffixes, suffix) > 0) return;
      taken.insert(taken.end(), suffixes.begin(), suffixes.end());
    }
    const bool is_needed = starts_with(base, "_C.") || starts_with(base, "_dl.");
    const std::string triplet = debian_triplet(target_.arch());
    const bool is_of_other_machine = suffix.find("-linux-gnu") != std::string::npos && suffix.find(triplet) == std::string::npos;
    add({.rule = WheelRule::extension_suffix,
         .verdict = is_needed ? WheelVerdict::will_not_import : WheelVerdict::unknown, .path = file.path,
         .found = "its name ends with " + suffix, .wanted = concat("Python ", texts(pythons_), " takes ", listed(taken)),
         .issue = is_of_other_machine ? "extension-names-cross" : "extension-not-found",
         .advice = "'torchpatch wheel fix-names' renames it where it is for that Python"});
  }

  const Version* limit_of(const std::string& kind) const {
    if (kind == "GLIBC") return target_.image.glibc ? &*target_.image.glibc : nullptr;
    return system_ ? find_value(system_->limits, kind) : nullptr;
  }

  /// Of each kind of symbols the newest that the image lacks.
  void check_versions(const WheelElf& file) {
    std::map<std::string, std::pair<Version, std::string>> newest;
    for (const elf::VersionNeed& need : file.facts.versions) {
      if (need.version == "GLIBC_ABI_DT_RELR" && target_.image.glibc && *target_.image.glibc < *Version::parse("2.36"))
        newest["GLIBC"] = {*Version::parse("2.36"), need.library};
      const auto cut = split_symbol_version(need.version);
      if (!cut || is_in_wheel(need.library)) continue;
      const Version* const limit = limit_of(cut->first);
      if (!limit || cut->second <= *limit) continue;
      const auto known = newest.find(cut->first);
      if (known == newest.end() || known->second.first < cut->second) newest[cut->first] = {cut->second, need.library};
    }
    for (const auto& [kind, need] : newest) {
      add({.rule = WheelRule::symbol_version, .verdict = WheelVerdict::will_not_import, .path = file.path,
           .found = concat("needs ", kind, "_", need.first.text(), " of ", need.second),
           .wanted = concat(image(), " has ", limit_of(kind)->text()), .issue = "glibc-too-new",
           .advice = "build it with the image's own libraries, or in a root of its system: torchpatch recipe"});
    }
  }

  bool is_in_wheel(const std::string& library) const {
    return std::ranges::any_of(contents_.paths, [&](const std::string& path) { return base_name(path) == library; });
  }

  /// Returns the path of a library of this wheel where the loader would find it from `file`, or null.
  const std::string* found_from(const WheelElf& file, const std::string& library) const {
    for (const std::string& directory : file.facts.run_path) {
      const std::optional<std::string> inside = inside_wheel(file, directory);
      if (!inside) continue;
      const auto at = std::ranges::find(contents_.paths, join_path(*inside, library));
      if (at != contents_.paths.end()) return &*at;
    }
    return nullptr;
  }

  /// Returns the directory of the wheel that an entry of a run path is, or nothing where it points outside.
  static std::optional<std::string> inside_wheel(const WheelElf& file, const std::string& directory) {
    std::string rest = directory;
    for (const std::string_view origin : {"$ORIGIN", "${ORIGIN}"})
      if (starts_with(rest, origin)) rest = parent_path(file.path) + rest.substr(origin.size());
    if (rest == directory) return std::nullopt;
    std::vector<std::string> parts;
    for (const std::string& part : split(rest, '/')) {
      if (part.empty() || part == ".") continue;
      if (part != "..") {
        parts.push_back(part);
        continue;
      }
      if (parts.empty()) return std::nullopt;
      parts.pop_back();
    }
    return join(parts, "/");
  }

  void check_libraries(const WheelElf& file) {
    for (const std::string& library : file.facts.needed) {
      if (std::ranges::count(kSystemLibraries, library) > 0 || found_from(file, library)) continue;
      if (is_in_wheel(library) || is_of_torch(library) || is_of_python(library)) continue;
      if (check_cuda(file, library)) continue;
      const std::string* const package = system_ ? find_value(system_->packages, library) : nullptr;
      add({.rule = WheelRule::library, .verdict = package ? WheelVerdict::works : WheelVerdict::unknown, .path = file.path,
           .found = "needs " + library,
           .wanted = package ? concat(image(), " has it in the package ", *package)
                             : concat("neither in the wheel nor known of ", image()),
           .advice = package ? "install it there: apt-get install " + *package
                             : "find the package that has it, or build without it"});
    }
  }

  /// torch's libraries are loaded before its companions are.
  bool is_of_torch(const std::string& library) const {
    if (contents_.name == "torch") return false;
    static const std::set<std::string> kTorchLibraries = {"libc10.so",         "libtorch.so",        "libtorch_cpu.so",
                                                     "libtorch_python.so", "libtorch_cuda.so",  "libc10_cuda.so",
                                                     "libcaffe2.so",       "libshm.so",         "libtorch_global_deps.so"};
    return kTorchLibraries.contains(library);
  }

  bool is_of_python(const std::string& library) const {
    return std::ranges::any_of(pythons_, [&](const Version& python) {
      return starts_with(library, concat("libpython", python.text(), ".so")) ||
             starts_with(library, concat("libpython", python.text(), "m.so"));
    });
  }

  /// Returns whether it is one of NVIDIA's, and judges it by the CUDA and cuDNN of the image.
  bool check_cuda(const WheelElf& file, const std::string& library) {
    const bool is_cudnn = starts_with(library, "libcudnn");
    const auto* const name =
        find_where(kCudaLibraries, [&](std::string_view begin) { return starts_with(library, begin); });
    if (!is_cudnn && !name && !starts_with(library, "libcuda.so.")) return false;
    if (!is_cudnn && !name) return target_.board.gpu.has_value();  // the driver's
    const std::optional<Version>& there = is_cudnn ? target_.image.cudnn : target_.image.cuda;
    const std::optional<Version> asked = Version::parse(library.substr(library.find(".so.") + 4));
    if (there && asked && there->is_in_family(*asked)) return true;
    // From CUDA 10.1 on cuBLAS and others of its family count by the major version alone, and from 11 on some count for
    // themselves: libcufft.so.10 is CUDA 11's. Only what names CUDA's own version is judged.
    const bool is_sure = is_cudnn || starts_with(library, "libcudart.so.");
    add({.rule = WheelRule::library,
         .verdict = is_sure || !there ? WheelVerdict::will_not_import : WheelVerdict::unknown, .path = file.path,
         .found = "needs " + library,
         .wanted = there ? concat(image(), " has ", is_cudnn ? "cuDNN " : "CUDA ", there->text())
                         : concat(image(), " is not known to have ", is_cudnn ? "cuDNN" : "CUDA"),
         .issue = is_cudnn ? "cudnn-9" : "", .advice = "build it with the CUDA of the image"});
    return true;
  }

  void check_run_path(const WheelElf& file) {
    std::vector<std::string> outside;
    for (const std::string& directory : file.facts.run_path)
      if (!directory.empty() && !inside_wheel(file, directory)) outside.push_back(directory);
    if (outside.empty()) return;
    add({.rule = WheelRule::run_path, .path = file.path, .found = "looks for libraries in " + listed(outside),
         .wanted = "which is outside of the wheel",
         .advice = "what lies there on the board is loaded first; patchelf --set-rpath '$ORIGIN' takes it out"});
  }

  void check_instructions(const WheelElf& file) {
    std::map<elf::Extension, std::vector<const elf::ExtensionUse*>> open;
    for (const elf::ExtensionUse& use : file.uses) {
      if (use.reach == elf::Reach::open)
        open[use.extension].push_back(&use);
      else
        ++chosen_[use.extension][file.path];
    }
    for (const auto& [extension, uses] : open) {
      const elf::ExtensionUse& first = *uses.front();
      add({.rule = WheelRule::instruction, .verdict = WheelVerdict::may_crash, .path = file.path,
           .found = concat("has ", first.count, first.count == 1 ? " instruction of " : " instructions of ",
                           torchpatch::name_of(extension), " in ", first.function,
                           uses.size() > 1 ? concat(" and in ", uses.size() - 1, " more functions") : "", " (", first.why,
                           ")"),
           .wanted = lacks(), .issue = "illegal-instruction",
           .advice = "build it for the board's core: --host, or --build-target generic"});
    }
  }

  std::string lacks() const { return concat(target_.board.id, " lacks them: ", target_.cpu_flags()); }

  /// One note for each extension: outline atomics are in every library.
  void tell_chosen() {
    for (const auto& [extension, files] : chosen_) {
      std::size_t functions = 0;
      for (const auto& [path, count] : files) functions += count;
      add({.rule = WheelRule::instruction, .path = files.begin()->first,
           .found = concat("has instructions of ", torchpatch::name_of(extension), " in ", functions,
                           functions == 1 ? " function" : " functions", " of ", files.size(),
                           files.size() == 1 ? " file" : " files", ", which are chosen at run time"),
           .wanted = lacks()});
    }
  }

  /// Machine code of one Tegra runs on no other, and not on cards of the same number (CUDA C++ Programming Guide,
  /// "Binary Compatibility"); PTX is compiled by the driver for what is newer.
  void check_gpu(const WheelElf& file) {
    if (file.gpu.empty() || !target_.board.gpu) return;
    const std::vector<int> numbers = target_.board.gpu->compute_capability.numbers();
    const auto wanted = static_cast<std::uint32_t>(10 * numbers.front() + (numbers.size() > 1 ? numbers[1] : 0));
    std::vector<std::string> found;
    for (const elf::GpuCode& code : file.gpu) {
      if (code.is_ptx ? code.architecture <= wanted : code.architecture == wanted) return;
      found.push_back(concat(code.is_ptx ? "compute_" : "sm_", code.architecture));
    }
    add({.rule = WheelRule::gpu, .verdict = WheelVerdict::may_crash, .path = file.path,
         .found = "has code for " + listed(found),
         .wanted = concat(target_.board.id, " has compute capability ", target_.board.gpu->compute_capability.text()),
         .advice = concat("build it with TORCH_CUDA_ARCH_LIST=", target_.board.gpu->compute_capability.text())});
  }

  // Platforms (PEP 600).

  bool keeps(const WheelElf& file, const Platform& platform, const std::set<std::string>& allowed) const {
    if (!file.damage.empty()) return false;
    for (const elf::VersionNeed& need : file.facts.versions) {
      const auto cut = split_symbol_version(need.version);
      const Version* const limit = cut ? find_value(platform.limits, cut->first) : nullptr;
      if (limit && cut->second > *limit) return false;
    }
    return std::ranges::all_of(file.facts.needed, [&](const std::string& library) {
      return allowed.contains(library) || starts_with(library, "ld-linux") || is_in_wheel(library);
    });
  }

  const OpenedWheel& wheel_;
  const WheelContents& contents_;
  const WheelTarget& target_;
  const std::optional<WheelName> name_;
  const System* system_ = nullptr;
  std::vector<Version> pythons_;  ///< of the image that the tags are for
  /// Extensions whose code is chosen → files with such → number of functions.
  std::map<elf::Extension, std::map<std::string, std::size_t>> chosen_;
  std::vector<WheelFinding> findings_;
};

/// What a companion needs of torch: the version that it is made for, and the names that it takes from its libraries.
void judge_companion(const OpenedWheel& companion, const OpenedWheel& torch, const WheelTarget& target,
                     std::vector<WheelFinding>& findings) {
  const std::string issue = target.catalog.issues.contains("torchvision-pairing") ? "torchvision-pairing" : "";
  std::set<std::string> exports;
  for (const WheelElf& file : torch.contents.elf_files) exports.insert(file.exports.begin(), file.exports.end());
  for (const WheelElf& file : companion.contents.elf_files) {
    std::vector<std::string> missing;
    for (const std::string& name : file.imports)
      if (!exports.contains(name)) missing.push_back(name);
    if (missing.empty()) continue;
    findings.push_back({.rule = WheelRule::companion, .verdict = WheelVerdict::will_not_import, .path = file.path,
                        .found = concat("takes ", missing.size(), " names from torch, such as ", missing.front()),
                        .wanted = concat(base_name(torch.file), " does not have them"), .issue = issue,
                        .advice = "build both from one prepared tree: build.sh builds it against the torch just built"});
  }
  const auto release_of = [&](const WheelContents& contents) {
    return release_of_wheel(target.catalog, contents.name, contents.version);
  };
  const Release* const made_for = release_of(companion.contents);
  const Release* const there = release_of(torch.contents);
  if (!made_for || !there || made_for == there) return;
  findings.push_back({.rule = WheelRule::companion, .verdict = WheelVerdict::unknown,
                      .found = concat("goes with torch ", made_for->version.text()),
                      .wanted = concat(base_name(torch.file), " is ", there->version.text()), .issue = issue});
}

/// Of a rule with very many findings the first are told, and how many there are.
void limit_findings(std::vector<WheelFinding>& findings) {
  std::map<std::pair<WheelRule, WheelVerdict>, std::size_t> counts;
  for (const WheelFinding& finding : findings) ++counts[{finding.rule, finding.verdict}];
  std::map<std::pair<WheelRule, WheelVerdict>, std::size_t> kept;
  std::erase_if(findings, [&](const WheelFinding& finding) {
    return ++kept[{finding.rule, finding.verdict}] > kMostOfARule;
  });
  for (const auto& [which, count] : counts) {
    if (count <= kMostOfARule) continue;
    findings.push_back({.rule = which.first, .verdict = which.second,
                        .found = concat("and ", count - kMostOfARule, " more of this kind")});
  }
}

}  // namespace

const Release* release_of_wheel(const Catalog& catalog, const std::string& name, const std::string& version) {
  const std::optional<Component> component = component_of(name);
  const std::string plain = version.substr(0, version.find('+'));
  for (const auto& [key, release] : catalog.releases) {
    const ComponentPin* const pin = component ? find_value(release.components, *component) : nullptr;
    if (pin && pin->version == plain) return &release;
  }
  return nullptr;
}

std::string debian_triplet(const std::string& arch) {
  return arch == "armv7l" ? "arm-linux-gnueabihf" : arch + "-linux-gnu";
}

std::vector<std::string> WheelTarget::extension_suffixes(const Version& python) const {
  const std::string triplet = debian_triplet(arch());
  const std::vector<int>& numbers = python.numbers();
  const std::string minor = numbers.size() > 1 ? std::to_string(numbers[1]) : "";
  if (numbers.front() == 2) return {concat(".", triplet, ".so"), ".so"};
  const std::string abi = concat("cpython-3", minor, python < *Version::parse("3.8") ? "m" : "");
  return {concat(".", abi, "-", triplet, ".so"), ".abi3.so", ".so"};
}

std::vector<CheckedWheel> judge_wheels(const std::vector<OpenedWheel>& wheels, const WheelTarget& target) {
  const OpenedWheel* const torch =
      find_where(wheels, [](const OpenedWheel& wheel) { return wheel.contents.name == "torch"; });
  std::vector<CheckedWheel> checked;
  for (const OpenedWheel& wheel : wheels) {
    Judge judge(wheel, target);
    CheckedWheel& result = checked.emplace_back();
    result.file = wheel.file;
    result.findings = judge.run();
    result.platform = judge.platform();
    if (torch && component_of(wheel.contents.name).value_or(Component::torch) != Component::torch)
      judge_companion(wheel, *torch, target, result.findings);
    limit_findings(result.findings);
    std::ranges::stable_sort(result.findings, std::greater(), &WheelFinding::verdict);
    if (!result.findings.empty()) result.verdict = result.findings.front().verdict;
  }
  return checked;
}

}  // namespace torchpatch::ops
