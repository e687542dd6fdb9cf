// SPDX-License-Identifier: BSD-3-Clause
#include "trees/wheel/wheel.h"

#include <algorithm>

#include "support/file.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

/// Libraries of glibc and gcc's runtime, on every image.
constexpr auto kSystemLibraries = std::to_array<std::string_view>(
    {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "libresolv.so.2",
     "libanl.so.1", "libnsl.so.1", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-aarch64.so.1", "ld-linux-armhf.so.3"});

/// Loaded before a companion's modules.
constexpr auto kTorchLibraries = std::to_array<std::string_view>(
    {"libc10.so", "libtorch.so", "libtorch_cpu.so", "libtorch_python.so", "libtorch_cuda.so", "libc10_cuda.so",
     "libcaffe2.so", "libshm.so", "libtorch_global_deps.so"});

const Version kGlibcWithRelr = *Version::parse("2.36");        ///< has the version GLIBC_ABI_DT_RELR
const Version kGlibcOfAnyAlignment = *Version::parse("2.35");  ///< accepts segments aligned only to pages
const Version kPythonOfNumpy2 = *Version::parse("3.9");
const Version kGlibcOfNoStack = *Version::parse("2.41");  ///< refuses libraries with an executable stack

/// glibc's reserve for the static thread-local data of all libraries loaded later (TLS_STATIC_SURPLUS, 1664 bytes up to
/// 2.31; by default as much since), plus alignment.
constexpr std::uint64_t kStaticTlsSurplus = 2048;

/// Splits "GLIBCXX_3.4.21" into the kind of symbols and the version.
std::optional<std::pair<std::string, Version>> split_symbol_version(const std::string& text) {
  if (text == "GLIBC_ABI_DT_RELR") return std::pair(std::string("GLIBC"), kGlibcWithRelr);
  const std::size_t line = text.rfind('_');
  const std::optional<Version> version = line == text.npos ? std::nullopt : Version::parse(text.substr(line + 1));
  if (!version) return std::nullopt;
  return std::pair(text.substr(0, line), *version);
}

/// Returns the name of a C++ function without parameters: "at::native::dot_impl" for _ZN2at6native8dot_implIfEE; for
/// others the symbol.
std::string plain_name(const std::string& symbol) {
  std::string name;
  std::size_t place = starts_with(symbol, "_ZNK")  ? 4
                      : starts_with(symbol, "_ZN") ? 3
                      : starts_with(symbol, "_Z")  ? 2
                                                   : 0;
  while (place > 0 && place < symbol.size() && symbol[place] >= '1' && symbol[place] <= '9') {
    std::size_t length = 0;
    for (; place < symbol.size() && symbol[place] >= '0' && symbol[place] <= '9'; ++place)
      length = std::min<std::size_t>(10 * length + static_cast<std::size_t>(symbol[place] - '0'), symbol.size());
    name += (name.empty() ? "" : "::") + symbol.substr(place, length);
    place += length;
    if (!starts_with(symbol, "_ZN")) break;
  }
  return name.empty() ? symbol : name;
}

/// Returns where the part of a library's name that identifies cores begins: "-armv8.2_1.so" of
/// libggml-cpu-armv8.2_1.so; or the size.
std::size_t core_in_name(const std::string& base) {
  for (std::size_t at = base.find_first_of("-_."); at != base.npos; at = base.find_first_of("-_.", at + 1))
    for (const char* const core :
         {"armv8", "armv9", "sve", "neon", "asimd", "dotprod", "i8mm", "fp16", "cortex", "neoverse"})
      if (starts_with(lower_case(base.substr(at + 1)), core)) return at;
  return base.size();
}

/// Returns whether a file is one of several libraries for different cores, of which a program opens one: another name
/// differs only by the core, and no file needs it.
bool is_variant(const std::string& path, const WheelSurroundings& around) {
  const std::string own = installed_path(path), base = base_name(own);
  const std::string stem = base.substr(0, core_in_name(base));
  if (stem == base || around.needed.contains(base)) return false;
  return std::ranges::any_of(around.paths, [&](const std::string& each) {
    const std::string other = base_name(each);
    return other != base && parent_path(each) == parent_path(own) && starts_with(other, stem) &&
           other.substr(0, core_in_name(other)).substr(0, other.find(".so")) == stem;
  });
}

class ElfJudge {
 public:
  ElfJudge(const WheelElf& file, const WheelSurroundings& around)
      : file_(file), around_(around), target_(around.target), role_(role_of(file)) {}

  std::vector<WheelFinding> run() {
    if (!file_.damage.empty()) {
      if (role_ != Role::loaded) role_ = Role::program;  // its kind is unknown
      add(WheelRule::damaged, WheelVerdict::will_not_import, file_.damage, "", "", "build or fetch the wheel again");
      return std::move(findings_);
    }
    if (!file_.part_damage.empty()) add(WheelRule::damaged, WheelVerdict::unknown, file_.part_damage);
    if (const std::string problem = machine_problem(file_.facts, target_.arch()); !problem.empty()) {
      const bool is_of_kernel = target_.arch() == "armv7l" && file_.facts.machine == "aarch64";
      add(WheelRule::machine, WheelVerdict::will_not_import, problem, concat(image(), " is ", target_.arch()),
          is_of_kernel ? "uname-of-32bit-userland" : "",
          role_ == Role::bystander ? "" : "build it for the board's machine");
      return std::move(findings_);
    }
    if (role_ == Role::bystander) return std::move(findings_);
    check_loader();
    check_pages();
    check_relative_relocations();
    check_suffix();
    check_versions();
    check_own_versions();
    check_libraries();
    check_run_path();
    check_instructions();
    check_gpu();
    check_kernels();
    check_python_names();
    check_numpy();
    check_how_it_loads();
    return std::move(findings_);
  }

 private:
  const std::string& image() const { return target_.image.id; }

  /// How a file is opened.
  enum class Role {
    loaded,    ///< by Python, or by the loader for another file: import depends on it
    program,   ///< started by a person or a program
    bystander  ///< not at all: an object file, GPU code, a file below share/, a module for another Python
  };

  /// By its name and by what needs it: libraries that code opens itself are named like libraries.
  Role role_of(const WheelElf& file) const {
    const std::string path = installed_path(file.path), base = base_name(path);
    if (around_.needed.contains(base)) return Role::loaded;
    if (starts_with(path, "share/") || path.find("/share/") != path.npos) return Role::bystander;
    if (is_for_another_python(path)) return Role::bystander;
    if (is_named_as_library(file.path) || !module_suffix(file.path).empty()) return Role::loaded;
    for (const char* const end : {".o", ".cubin", ".fatbin", ".hsaco", ".bc"})
      if (ends_with(base, end)) return Role::bystander;
    return Role::program;
  }

  /// Returns whether it is a module that the image's Python ignores, next to one that it imports.
  bool is_for_another_python(const std::string& path) const {
    const std::string suffix = module_suffix(path);
    if (suffix.empty()) return false;
    std::vector<std::string> taken;
    for (const Version& python : around_.pythons)
      for (std::string& each : extension_suffixes(python, target_.arch())) taken.push_back(std::move(each));
    if (std::ranges::count(taken, suffix) > 0) return false;
    const std::string module = path.substr(0, path.size() - suffix.size());
    return std::ranges::any_of(taken, [&](const std::string& each) { return around_.paths.contains(module + each); });
  }

  /// Only loaded files can break a wheel.
  WheelVerdict bounded(WheelVerdict verdict) const {
    if (role_ == Role::bystander) return WheelVerdict::works;
    if (role_ == Role::program && verdict == WheelVerdict::will_not_import) return WheelVerdict::unknown;
    return verdict;
  }

  void add(WheelRule rule, WheelVerdict verdict, std::string found, std::string wanted = {}, std::string issue = {},
           std::string advice = {}) {
    verdict = bounded(verdict);
    if (!target_.catalog.issues.contains(issue)) issue.clear();
    findings_.push_back(
        {rule, verdict, file_.path, std::move(found), std::move(wanted), std::move(issue), std::move(advice)});
  }

  /// Files that only other files need, or that are not loaded, do not have names of libraries.
  void check_loader() {
    const std::optional<Version>& glibc = target_.image.glibc;
    const bool is_too_old = file_.facts.is_misaligned && (!glibc || *glibc < kGlibcOfAnyAlignment);
    const bool is_library = is_named_as_library(file_.path);
    std::string problem = file_.facts.refusal;
    if (problem.empty() && file_.facts.is_program && is_library) problem = "it is a program, not a library";
    if (problem.empty() && is_too_old) problem = "its segments are not aligned as declared";
    if (problem.empty()) return;
    add(WheelRule::damaged, is_library ? WheelVerdict::will_not_import : WheelVerdict::unknown, problem,
        is_too_old && problem != file_.facts.refusal
            ? concat("glibc before ", kGlibcOfAnyAlignment.text(), " refuses it")
            : "glibc's loader refuses it",
        "", "build or fetch the wheel again");
  }

  /// Each segment must begin at its offset in a page of the kernel (glibc's elf/dl-map-segments.h and dl-load.c).
  void check_pages() {
    const std::int64_t page = target_.image.page_kib.value_or(4);
    if (static_cast<std::int64_t>(file_.facts.largest_page >> 10) >= page) return;
    add(WheelRule::damaged, WheelVerdict::will_not_import,
        concat("is linked for pages of at most ", file_.facts.largest_page >> 10, " KiB"),
        concat("the kernel of ", image(), " has pages of ", page, " KiB"), "page-size",
        "link it with -Wl,-z,max-page-size=65536, or boot a kernel with pages of 4 KiB");
  }

  /// glibc 2.36 and later refuse them in a library that needs symbol versions but not GLIBC_ABI_DT_RELR
  /// (_dl_check_map_versions in elf/dl-version.c); older ones ignore them, and each pointer in the library's data is
  /// wrong.
  void check_relative_relocations() {
    if (!file_.facts.has_relative_relocations) return;
    const std::vector<elf::VersionNeed>& versions = file_.facts.versions;
    if (std::ranges::count(versions, "GLIBC_ABI_DT_RELR", &elf::VersionNeed::version) > 0) return;  // check_versions()
    const std::optional<Version>& glibc = target_.image.glibc;
    const bool is_applied = versions.empty() && glibc && *glibc >= kGlibcWithRelr;
    if (is_applied) return;
    add(WheelRule::symbol_version, WheelVerdict::will_not_import,
        "has packed relative relocations (DT_RELR) and does not need GLIBC_ABI_DT_RELR",
        versions.empty() ? concat("glibc before ", kGlibcWithRelr.text(), " does not apply them")
                         : "no glibc loads such a library",
        "", "link it with -Wl,-z,nopack-relative-relocs (lld: --pack-dyn-relocs=none)");
  }

  void check_suffix() {
    const std::string suffix = module_suffix(file_.path);
    if (suffix.empty() || around_.pythons.empty()) return;
    std::vector<std::string> taken;
    for (const Version& python : around_.pythons) {
      const std::vector<std::string> suffixes = extension_suffixes(python, target_.arch());
      if (std::ranges::count(suffixes, suffix) > 0) return;
      taken.insert(taken.end(), suffixes.begin(), suffixes.end());
    }
    const std::string base = base_name(file_.path);
    const bool is_needed = starts_with(base, "_C.") || starts_with(base, "_dl.");
    const bool is_of_other_machine =
        suffix.find("-linux-gnu") != suffix.npos && suffix.find(debian_triplet(target_.arch())) == suffix.npos;
    add(WheelRule::extension_suffix, is_needed ? WheelVerdict::will_not_import : WheelVerdict::unknown,
        "its name ends with " + suffix,
        concat("Python ", join(collect(around_.pythons, &Version::text), ", "), " accepts ", join(taken, ", ")),
        is_of_other_machine ? "extension-names-cross" : "extension-not-found",
        "'torchpatch wheel fix-names' renames it if it is for that Python");
  }

  const Version* limit_of(const std::string& kind) const {
    if (kind == "GLIBC") return target_.image.glibc ? &*target_.image.glibc : nullptr;
    return around_.system ? find_value(around_.system->limits, kind) : nullptr;
  }

  /// Reports the newest missing version of each kind of symbols.
  void check_versions() {
    std::map<std::string, std::pair<Version, std::string>> newest;
    for (const elf::VersionNeed& need : file_.facts.versions) {
      const auto cut = split_symbol_version(need.version);
      const Version* const limit = cut ? limit_of(cut->first) : nullptr;
      if (!limit || cut->second <= *limit || around_.libraries.contains(need.library)) continue;
      const auto [known, is_new] = newest.try_emplace(cut->first, cut->second, need.library);
      if (!is_new && known->second.first < cut->second) known->second = {cut->second, need.library};
    }
    for (const auto& [kind, need] : newest) {
      add(WheelRule::symbol_version, WheelVerdict::will_not_import,
          concat("needs ", kind, "_", need.first.text(), " of ", need.second),
          concat(image(), " has ", limit_of(kind)->text()), "glibc-too-new",
          "build it with the image's own libraries, or in a root of its system: torchpatch recipe");
    }
  }

  /// The wheel's own libraries must define the versions required of them, if they define any.
  void check_own_versions() {
    for (const elf::VersionNeed& need : file_.facts.versions) {
      const auto* const found = find_value(around_.libraries, need.library);
      if (!found || (*found)->facts.defined.empty()) continue;
      const WheelElf& library = **found;
      if (std::ranges::count(library.facts.defined, need.version) > 0) continue;
      add(WheelRule::symbol_version, WheelVerdict::will_not_import,
          concat("needs ", need.version, " of ", need.library),
          concat("which is ", installed_path(library.path), ", and has ", join(library.facts.defined, ", ")), "",
          "install the library that it was linked with");
    }
  }

  void check_libraries() {
    for (const std::string& library : file_.facts.needed) {
      const bool is_loaded_before =
          around_.contents.name != "torch" && std::ranges::count(kTorchLibraries, library) > 0;
      if (std::ranges::count(kSystemLibraries, library) > 0 || is_loaded_before) continue;
      if (library == "libc.so" || starts_with(library, "libc.musl-") || starts_with(library, "ld-musl-")) {
        add(WheelRule::library, WheelVerdict::will_not_import, "needs " + library,
            concat("which belongs to musl; ", image(), " has glibc"), "", "build it with a compiler for glibc");
        continue;
      }
      if (const auto* const own = find_value(around_.libraries, library)) {
        const auto* const lost = find_value(around_.lost, file_.path);
        if (!lost || !lost->contains(library)) continue;
        add(WheelRule::library, WheelVerdict::unknown, "needs " + library,
            concat("which is ", installed_path((*own)->path), ", but the run path of this file does not lead there"),
            "", concat("it loads if ", library, " was loaded before; otherwise build it with -Wl,-rpath,'$ORIGIN'"));
      } else if (!check_cuda(library)) {
        check_package(library);
      }
    }
  }

  void check_package(const std::string& library) {
    std::string package;
    const System* const system = around_.system;
    const auto package_of = [&](const std::string& id) {
      return target_.catalog.platforms.find_package(library, id, target_.arch());
    };
    if (const std::string* const known = system ? find_value(system->packages, library) : nullptr) package = *known;
    if (system && package.empty()) package = package_of(system->id);
    for (const Version& python : around_.pythons)
      if (starts_with(library, "libpython" + python.text())) package = "libpython" + python.text();
    if (package.empty()) {
      const std::string like = system && !system->stand_in.empty() ? package_of(system->stand_in) : "";
      add(WheelRule::library, WheelVerdict::unknown, "needs " + library,
          concat("which is neither in the wheel nor known to be in ", image(),
                 like.empty() ? "" : concat("; ", system->stand_in, " has it in the package ", like)),
          "",
          "install the package that has it ('apt-file search NAME' finds it; the lists here have only what Python "
          "modules of Debian load), or build without it");
      return;
    }
    const bool is_there = is_always_there(library);
    add(WheelRule::library, is_there ? WheelVerdict::works : WheelVerdict::works_once_installed, "needs " + library,
        concat(image(), " has it in the package ", package));
    if (!is_there) findings_.back().package = package;
  }

  /// dpkg depends on zlib1g; Debian's libgcc-N-dev, required by gcc, on the others (debian/control of dpkg and gcc-12).
  bool is_always_there(const std::string& library) const {
    const bool is_of_gcc = starts_with(library, "libgomp.so.") || starts_with(library, "libatomic.so.");
    return library == "libz.so.1" || (is_of_gcc && target_.image.gcc);
  }

  /// Returns whether it is one of NVIDIA's, and if so judges it by the image's CUDA and cuDNN.
  bool check_cuda(const std::string& library) {
    if (starts_with(library, "libcuda.so.")) return target_.board.gpu.has_value();  // the driver's
    if (starts_with(library, "libcudnn")) {
      check_cudnn(library);
      return true;
    }
    const CudaLibraries* const there =
        target_.image.cuda ? target_.catalog.platforms.find_cuda(*target_.image.cuda) : nullptr;
    if (there && std::ranges::count(there->libraries, library) > 0) return true;
    const std::string begin = library.substr(0, library.find(".so") + 3);
    const bool is_of_cuda = std::ranges::any_of(target_.catalog.platforms.cuda, [&](const CudaLibraries& cuda) {
      return std::ranges::any_of(cuda.libraries,
                                 [&](const std::string& each) { return starts_with(each, begin + "."); });
    });
    if (!is_of_cuda) return false;
    const bool is_sure = there || target_.image.known_absent.contains("cuda") || !target_.board.gpu;
    add(WheelRule::library, is_sure ? WheelVerdict::will_not_import : WheelVerdict::unknown, "needs " + library,
        target_.image.cuda ? concat(image(), " has CUDA ", target_.image.cuda->text())
                           : concat(image(), " has no CUDA"),
        "", "build it with the CUDA of the image");
    return true;
  }

  void check_cudnn(const std::string& library) {
    const std::size_t at = library.find(".so.");
    const std::optional<Version> asked = at == library.npos ? std::nullopt : Version::parse(library.substr(at + 4));
    const std::optional<Version>& there = target_.image.cudnn;
    if (there && asked && there->numbers().front() == asked->numbers().front()) return;
    add(WheelRule::library, WheelVerdict::will_not_import, "needs " + library,
        there ? concat(image(), " has cuDNN ", there->text()) : concat(image(), " is not known to have cuDNN"),
        asked && asked->numbers().front() == 8 && there && there->numbers().front() == 9 ? "cudnn-9" : "",
        "build it with the cuDNN of the image");
  }

  void check_run_path() {
    std::vector<std::string> outside, inside;
    for (const std::string& entry : file_.facts.run_path)
      (inside_wheel(installed_path(file_.path), entry) ? inside : outside)
          .push_back(entry.empty() ? "the current directory" : entry);
    if (outside.empty()) return;
    add(WheelRule::run_path, WheelVerdict::works, "looks for libraries in " + join(outside, ", "),
        "which is outside of the wheel", "",
        concat("libraries there can be loaded instead of the wheel's; patchelf ",
               inside.empty() ? "--remove-rpath" : "--set-rpath " + shell_quote(join(inside, ":")), " removes it"));
  }

  void check_instructions() {
    if (is_variant(file_.path, around_)) return;
    const WheelContents& wheel = around_.contents;
    const Release* const release = release_of_wheel(target_.catalog, wheel.name, wheel.version);
    for (const elf::ExtensionUse& use : file_.uses) {
      if (use.reach == elf::Reach::chosen) continue;
      const bool is_known = !may_have(use.extension);
      const Issue* const issue = issue_of_release(release, use.extension);
      const std::string root = use.root == use.function ? "" : plain_name(use.root);
      std::string reached = root.empty() ? "" : " (called by " + root + ")";
      if (use.reach == elf::Reach::at_import)
        reached = concat(" (runs at import", root.empty() ? "" : ", called by " + root, ")");
      add(WheelRule::instruction, is_known ? WheelVerdict::may_crash : WheelVerdict::unknown,
          concat("has ", use.count, use.count == 1 ? " instruction of " : " instructions of ",
                 torchpatch::name_of(use.extension), " in ", plain_name(use.function),
                 use.functions > 1 ? concat(" and in ", use.functions - 1, " more functions") : "", reached),
          concat(target_.board.id, " (", target_.cpu_flags(),
                 is_known ? ") lacks them" : ") is not known to have them"),
          is_known ? (issue ? issue->id : "illegal-instruction") : "", other_wheel_or_build(issue, release));
    }
  }

  /// Returns the issue that a release's torch uses instructions of an extension on cores without them, or null.
  const Issue* issue_of_release(const Release* release, elf::Extension extension) const {
    if (!release || around_.contents.name != "torch") return nullptr;
    for (const auto& [id, issue] : target_.catalog.issues)
      if (std::ranges::count(issue.instructions, torchpatch::name_of(extension)) > 0 &&
          affects(issue, release->version))
        return &issue;
    return nullptr;
  }

  std::string other_wheel_or_build(const Issue* issue, const Release* release) const {
    const std::string other = issue ? issue->with_a_wheel : "install another release or build of it";
    if (!release) return concat(other, ", or compile it with ", target_.cpu_flags());
    std::string command =
        concat("torchpatch prepare --version ", release->version.text(), " --board ", target_.board.id);
    if (target_.arch() == "aarch64") command += " --build-target generic";
    if (issue)
      for (const Fix& fix : issue->fixes)
        if (fix.is_optional) command += " --with " + fix.id;
    return concat(other, "; or build it: ", command);
  }

  /// Returns whether the board's core may have more than its compiler flags: cryptography is the chip maker's choice,
  /// and so is everything optional if the flags only have an architecture.
  bool may_have(elf::Extension extension) const {
    using elf::Extension;
    static const std::set<Extension> kOfAnyCore = {Extension::aes, Extension::sha2};
    static const std::set<Extension> kOfNewer = {Extension::fp16, Extension::fp16fml, Extension::dotprod,
                                                 Extension::rcpc, Extension::sha3,    Extension::sm4};
    if (kOfAnyCore.contains(extension)) return true;
    const std::string& flags = target_.cpu_flags();
    return kOfNewer.contains(extension) && flags.find("-mcpu=") == flags.npos &&
           flags.find("-march=armv8.") != flags.npos;
  }

  /// Machine code for a Tegra runs on no other GPU, not even on cards with the same number (CUDA C++ Programming Guide,
  /// "Binary Compatibility"); the driver compiles PTX for newer GPUs, unless it is for one architecture ("90a") or its
  /// family, the later minor numbers ("100f"; "Family-Specific Features").
  void check_gpu() {
    if (file_.gpu.empty() || !target_.board.gpu) return;
    const std::uint32_t wanted = *target_.gpu_architecture();
    std::vector<std::string> found;
    for (const elf::GpuCode& code : file_.gpu) {
      const bool is_newer = code.is_ptx && code.architecture <= wanted && code.target != "a" &&
                            (code.target != "f" || code.architecture / 10 == wanted / 10);
      if (is_newer || code.architecture == wanted) return;
      found.push_back(concat(code.is_ptx ? "compute_" : "sm_", code.architecture, code.target));
    }
    const std::string capability = target_.board.gpu->compute_capability.text();
    add(WheelRule::gpu, WheelVerdict::may_crash, "has code for " + join(found, ", "),
        concat(target_.board.id, " has compute capability ", capability), "",
        concat("build it with TORCH_CUDA_ARCH_LIST=", capability));
  }

  void check_kernels() {
    std::size_t limited = 0;
    std::map<std::pair<std::string, std::string>, std::int64_t> failing;  // issue, operation → threads
    for (const Kernel& kernel : judge_kernels(file_, around_.contents, target_)) {
      if (kernel.verdict == KernelVerdict::limited) ++limited;
      if (kernel.verdict == KernelVerdict::fails) failing[{kernel.issue, kernel.operation}] = kernel.threads;
      if (kernel.verdict != KernelVerdict::cannot_launch) continue;
      add(WheelRule::gpu, WheelVerdict::may_crash,
          concat("has the kernel ", kernel.name, " for blocks of ", kernel.bound, " threads with ", kernel.registers,
                 " registers each"),
          registers_text(), "cuda-threads-per-block", "");
    }
    for (const auto& [launch, threads] : failing)
      add(WheelRule::gpu, WheelVerdict::works,
          concat("PyTorch as released launches ", launch.second, " with ", threads,
                 " threads, more than its kernel can have"),
          registers_text(), launch.first, "");
    if (limited == 0) return;
    add(WheelRule::gpu, WheelVerdict::works,
        concat("has ", limited, limited == 1 ? " kernel" : " kernels", " that cannot be launched with 1024 threads"),
        registers_text(), "cuda-threads-per-block",
        concat("'torchpatch kernels FILE --board ", target_.board.id, "' lists them, with the most threads of each"));
  }

  std::string registers_text() const {
    return concat(target_.board.id, " has ", *target_.board.gpu->registers_per_block, " registers for a block");
  }

  /// An abi3 module runs on each later Python if it only uses names of the stable ABI (PEP 384).
  void check_python_names() {
    if (file_.python_names.empty() || around_.pythons.empty()) return;
    const Version& python = *std::ranges::min_element(around_.pythons);
    std::vector<std::string> others;
    for (const std::string& name : file_.python_names) {
      const std::optional<Version> since = target_.catalog.platforms.find_stable(name);
      if (!since || *since > python) others.push_back(name);
    }
    if (others.empty()) return;
    add(WheelRule::python_api, WheelVerdict::unknown,
        concat("takes ", others.front(), others.size() > 1 ? concat(" and ", others.size() - 1, " more names") : "",
               " of Python"),
        concat("which the stable ABI of Python ", python.text(), " does not have"), "",
        "compile it with Py_LIMITED_API, or give it the name of a module for one Python");
  }

  /// NumPy 2 has different structures, and does not give its function table to modules that only know NumPy 1
  /// (numpy/core/_multiarray_umath.py). It requires Python 3.9.
  void check_numpy() {
    const auto takes_numpy_2 = [](const Version& python) { return python >= kPythonOfNumpy2; };
    if (!file_.is_for_numpy_1 || std::ranges::none_of(around_.pythons, takes_numpy_2)) return;
    const auto may_be = [&](const char* version) {
      return meets_specifiers(around_.contents.requires_numpy, *Version::parse(version));
    };
    if (!may_be("2.0.2") && !may_be("2.99.0")) return;
    const Version* const there =
        around_.system ? find_value(around_.system->python_packages, std::string("numpy")) : nullptr;
    std::string why;
    if (!may_be("1.26.4"))
      why = "which its METADATA requires";
    else if (there && there->numbers().front() >= 2)
      why = concat(image(), " has NumPy ", there->text());
    add(WheelRule::python_api, why.empty() ? WheelVerdict::works : WheelVerdict::may_crash,
        "is compiled for NumPy 1, and does not support NumPy 2",
        why.empty() ? "which the wheel does not rule out" : why, "numpy-2",
        "python3 -m pip install 'numpy<2', or compile it with NumPy 2, which serves both");
  }

  void check_how_it_loads() {
    if (file_.facts.wants_executable_stack) {
      const bool is_refused = target_.image.glibc && *target_.image.glibc >= kGlibcOfNoStack;
      add(WheelRule::executable_stack, is_refused ? WheelVerdict::will_not_import : WheelVerdict::works,
          "needs an executable stack", concat("glibc ", kGlibcOfNoStack.text(), " and later load no such library"), "",
          "add .section .note.GNU-stack to its assembler code, or clear the flag with patchelf --clear-execstack");
    }
    if (file_.facts.static_tls > kStaticTlsSurplus) {
      add(WheelRule::damaged, WheelVerdict::will_not_import,
          concat("has ", file_.facts.static_tls, " bytes of static thread-local data"),
          concat("glibc reserves ", kStaticTlsSurplus, " at most for libraries loaded later"), "static-tls-block",
          "compile it without -ftls-model=initial-exec, or load it first with LD_PRELOAD");
    }
    if (file_.facts.has_text_relocations) {
      add(WheelRule::text_relocation, WheelVerdict::works, "has text relocations",
          "which hardened systems refuse to load", "", "compile all of it with -fPIC");
    }
    if (!file_.build_paths.empty()) {
      add(WheelRule::build_path, WheelVerdict::works, "names " + join(file_.build_paths, ", "),
          "the path of the sources on the build machine", "build-path-in-binaries");
    }
  }

  const WheelElf& file_;
  const WheelSurroundings& around_;
  const WheelTarget& target_;
  Role role_;
  std::vector<WheelFinding> findings_;
};

bool keeps_rules(const WheelElf& file, const WheelSurroundings& around, const Platform& platform,
                 const std::set<std::string>& allowed) {
  if (!file.damage.empty()) return false;
  if (!platform.machines.empty() && std::ranges::count(platform.machines, file.facts.machine) == 0) return false;
  for (const elf::VersionNeed& need : file.facts.versions) {
    const auto cut = split_symbol_version(need.version);
    const Version* const limit = cut ? find_value(platform.limits, cut->first) : nullptr;
    if (limit && cut->second > *limit) return false;
  }
  return std::ranges::all_of(file.facts.needed, [&](const std::string& library) {
    return allowed.contains(library) || starts_with(library, "ld-linux") || around.libraries.contains(library);
  });
}

}  // namespace

std::vector<WheelFinding> judge_elf(const WheelElf& file, const WheelSurroundings& around) {
  return ElfJudge(file, around).run();
}

std::vector<WheelFinding> chosen_instructions(const WheelSurroundings& around) {
  std::map<elf::Extension, std::map<std::string, std::uint64_t>> chosen;
  for (const WheelElf& file : around.contents.elf_files)
    for (const elf::ExtensionUse& use : file.uses)
      if (use.reach == elf::Reach::chosen || is_variant(file.path, around))
        chosen[use.extension][file.path] += use.functions;
  std::vector<WheelFinding> notes;
  for (const auto& [extension, files] : chosen) {
    std::uint64_t functions = 0;
    for (const auto& [path, count] : files) functions += count;
    notes.push_back(
        {.rule = WheelRule::instruction,
         .path = files.begin()->first,
         .found = concat("has instructions of ", torchpatch::name_of(extension), " in ", functions,
                         functions == 1 ? " function" : " functions", " of ", files.size(),
                         files.size() == 1 ? " file" : " files", ", selected at run time"),
         .wanted = concat(around.target.board.id, " is not known to have them: ", around.target.cpu_flags())});
  }
  return notes;
}

std::string kept_platform(const WheelSurroundings& around) {
  std::set<std::string> allowed;
  for (const Platform& platform : around.target.catalog.platforms.platforms) {
    allowed.insert(platform.libraries.begin(), platform.libraries.end());
    const bool is_kept = std::ranges::all_of(
        around.contents.elf_files, [&](const WheelElf& file) { return keeps_rules(file, around, platform, allowed); });
    if (is_kept) return platform.id;
  }
  return "";
}

}  // namespace torchpatch::trees
