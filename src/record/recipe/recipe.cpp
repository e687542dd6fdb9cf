// SPDX-License-Identifier: BSD-3-Clause
#include "record/recipe/recipe.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/doctor.h"
#include "record/recipe/parts.h"
#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

// The suites of Debian and Ubuntu, and what packages are called there, as packages.debian.org and packages.ubuntu.com
// list them. Raspberry Pi OS in 32 bits is built for ARMv6, Debian's armhf for ARMv7, which every board of the catalog
// has.
constexpr System kSystems[] = {
    {"debian-10", "debian", "buster", "3.7", "libopenblas-base", "libpng16-16", "libsox3", true},
    {"debian-11", "debian", "bullseye", "3.9", "libopenblas0", "libpng16-16", "libsox3", true},
    {"debian-12", "debian", "bookworm", "3.11", "libopenblas0", "libpng16-16", "libsox3", true},
    {"debian-13", "debian", "trixie", "3.13", "libopenblas0", "libpng16-16t64", "libsox3", true},
    {"raspios-9", "debian", "stretch", "3.5", "libopenblas-base", "libpng16-16", "libsox2", false},
    {"raspios-10", "debian", "buster", "3.7", "libopenblas-base", "libpng16-16", "libsox3", true},
    {"raspios-11", "debian", "bullseye", "3.9", "libopenblas0", "libpng16-16", "libsox3", true},
    {"raspios-12", "debian", "bookworm", "3.11", "libopenblas0", "libpng16-16", "libsox3", true},
    {"raspios-13", "debian", "trixie", "3.13", "libopenblas0", "libpng16-16t64", "libsox3", true},
    {"ubuntu-16.04", "ubuntu", "xenial", "3.5", "libopenblas-base", "libpng12-0", "libsox2", false},
    {"ubuntu-18.04", "ubuntu", "bionic", "3.6", "libopenblas-base", "libpng16-16", "libsox3", false},
    {"ubuntu-20.04", "ubuntu", "focal", "3.8", "libopenblas0", "libpng16-16", "libsox3", true},
    {"ubuntu-22.04", "ubuntu", "jammy", "3.10", "libopenblas0", "libpng16-16", "libsox3", true},
    {"ubuntu-24.04", "ubuntu", "noble", "3.12", "libopenblas0", "libpng16-16t64", "libsox3", true},
};

/// Returns the system, or null where nothing is known of its packages.
const System* find_system(std::string_view os) {
  const auto found = std::ranges::find(kSystems, os, &System::os);
  return found == std::end(kSystems) ? nullptr : found;
}

const std::map<std::string, ArchitectureNames> kArchitectures = {
    {"aarch64", {"arm64", "aarch64-linux-gnu", "aarch64"}},
    {"armv7l", {"armhf", "arm-linux-gnueabihf", "arm"}},
    {"x86_64", {"amd64", "x86_64-linux-gnu", "x86_64"}},
};

using Words = std::vector<std::string>;

[[noreturn]] void refuse_system(const std::string& name) {
  Words known;
  for (const System& each : kSystems) known.emplace_back(each.os);
  const std::string near = did_you_mean(name, known);
  throw Error(ErrorKind::usage, concat("--root: unknown system ", quote(name)),
              near.empty() ? concat("known: ", join(known, ", ")) : near);
}

Parts make_parts(const RecipeInput& from) {
  const std::string& arch = from.manifest->target.at("arch");
  const ArchitectureNames* const names = find_value(kArchitectures, arch);
  if (!names)
    throw Error(ErrorKind::usage, concat("there is no recipe for ", quote(arch), ", the board's architecture"));
  const std::string* const own = find_value(from.manifest->target, "os");
  const CudaToolkit* const cuda = find_cuda(from);
  const std::string default_system = cuda ? std::string(cuda->os) : own ? *own : "";
  const std::string system = from.system.empty() ? default_system : from.system;
  const System* const packages = find_system(system);
  if (!from.system.empty() && !packages) refuse_system(system);
  return {from, *from.manifest, arch, system, packages, *names, cuda};
}

void refuse_cross_build(const Parts& parts) {
  if (!parts.packages) {
    throw Error(ErrorKind::usage,
                concat("no cross compiler is known for ", quote(parts.system), ", the system of image ",
                       quote(parts.manifest.image)),
                "pass a system of the same age with --root, or use --kind chroot with an unpacked root");
  }
  if (parts.manifest.settings.count("cross") == 0) {
    throw Error(ErrorKind::usage, "the tree is not prepared for a cross compiler",
                "prepare it with --set cross=true, or use --kind chroot");
  }
}

/// What is built with a root's Python is a wheel for that one.
void refuse_other_python(const Parts& parts) {
  const std::string_view python = parts.packages ? parts.packages->python : parts.manifest.python;
  if (python == parts.manifest.python || parts.from.kind == RecipeKind::native) return;
  if (parts.manifest.python == "none" && parts.from.kind != RecipeKind::sysroot) return;
  throw Error(ErrorKind::usage,
              concat("the tree is for Python ", parts.manifest.python, ", ", quote(parts.system), " has ", python),
              concat("use a --root with Python ", parts.manifest.python, "; if the board has Python ", python,
                     ", prepare the tree with --set python=", python));
}

/// Whether scikit-build-core builds it, which no system packages in a version that is new enough for torch.
bool needs_scikit_build(const Manifest& manifest) {
  return std::ranges::count(manifest.tool_bounds, "scikit-build-core", &ToolBound::tool) > 0;
}

/// A root has nothing but its system's packages.
void refuse_unpackaged_tools(const Parts& parts) {
  if (parts.from.kind == RecipeKind::native || !needs_scikit_build(parts.manifest)) return;
  throw Error(ErrorKind::usage,
              concat("release ", parts.manifest.release, " is built by scikit-build-core, and ", parts.system,
                     " does not package a version that is new enough"),
              "use --kind native, and install scikit-build-core with pip");
}

bool is_on(const PlannedSetting& setting) {
  const std::set<std::string> on = {"1", "ON", "on", "On", "YES", "yes", "TRUE", "true", "True", "Y", "y"};
  return setting.unread.empty() && on.contains(setting.value);
}

/// Asks for a Fortran compiler that runs on the board, which cannot lie beside this machine's.
constexpr std::string_view kOpenMpi = "libopenmpi-dev";

/// Libraries whose headers the build finds, as packages.
Words library_packages(const Parts& parts) {
  Words packages = {"libopenblas-dev"};
  if (parts.has(Component::vision)) packages.insert(packages.end(), {"libjpeg-dev", "libpng-dev"});
  if (parts.has(Component::audio)) packages.emplace_back("libsox-dev");
  for (const PlannedSetting& setting : parts.manifest.environment) {
    const auto is_it = [&](const Library& library) { return library.variable == setting.name; };
    const Library* const library = find_where(kLibraries, is_it);
    if (library == nullptr || !is_on(setting)) continue;
    for (const std::string& package : split(library->packages, ' '))
      if (!package.empty()) packages.push_back(package);
  }
  return packages;
}

/// Whether oneDNN takes the kernels of the Arm Compute Library.
const char* acl_text(const Parts& parts) {
  const auto has_acl = [](const PlannedSetting& each) { return each.name == "USE_MKLDNN_ACL" && is_on(each); };
  return std::ranges::any_of(parts.manifest.environment, has_acl) ? "yes" : "no";
}

/// The table of known_issues/onednn-acl.md, each tag from a release on; empty: not known.
constexpr std::pair<std::string_view, std::string_view> kAclTags[] = {
    {"1.9", "v21.02"},   {"1.11", "v21.11"}, {"1.13", ""},      {"2.0", "v22.11"},
    {"2.1", "v23.05.1"}, {"2.2", "v23.08"},  {"2.4", "v24.04"}, {"2.6", "v24.09"},
};

bool has_openmpi(const Parts& parts) { return std::ranges::count(library_packages(parts), kOpenMpi) > 0; }

/// What compiles.
Words compiler_packages(const Parts& parts) {
  Words words = {"ca-certificates", "gcc", "g++", "make", "ninja-build"};
  if (newer_cmake(parts).empty()) words.emplace_back("cmake");
  return words;
}

/// From 2.1 on `import torch` needs it (torch/_prims_common/__init__.py:23 of 2.1.0), and thereby a companion's
/// setup.py.
bool needs_sympy(const Parts& parts) { return *Version::parse(parts.manifest.release) >= *Version::parse("2.1"); }

/// Python, what setup.py imports, and dpkg-dev, whose files the compiler flags of older Pythons name.
Words python_packages(const Parts& parts) {
  Words words = {"python3",       "python3-dev",  "dpkg-dev",     "python3-pip", "python3-venv", "python3-setuptools",
                 "python3-wheel", "python3-yaml", "python3-numpy"};
  if (!parts.packages || parts.packages->has_typing_extensions) words.emplace_back("python3-typing-extensions");
  if (needs_sympy(parts)) words.emplace_back("python3-sympy");
  return words;
}

Words root_packages(const Parts& parts) {
  Words words = compiler_packages(parts);
  const Words libraries = parts.from.kind == RecipeKind::sysroot ? Words{} : library_packages(parts);
  for (const Words& more : {python_packages(parts), libraries}) words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words cross_packages(const Parts& parts) {
  Words words = {concat("g++-", parts.names.triplet), "qemu-user-static",
                 concat("libpython3-dev:", parts.names.debian)};
  for (const std::string& library : library_packages(parts))
    if (library != kOpenMpi) words.push_back(concat(library, ":", parts.names.debian));
  // What CMake's checks link and run loads these.
  for (const std::string library : {"libstdc++6:", "libgomp1:"}) words.push_back(library + parts.names.debian);
  if (parts.arch == "armv7l") words.push_back(concat("libatomic1:", parts.names.debian));
  if (parts.cuda) {
    words.emplace_back("nvidia-cuda-toolkit");
    for (const std::string& library : split(parts.cuda->libraries, ' '))
      words.push_back(concat(library, ":", parts.names.debian));
    if (!parts.cuda->compiler.empty()) words.push_back(concat("g++", parts.cuda->compiler, "-", parts.names.triplet));
  }
  return words;
}

std::string assignment(std::string_view name, std::string_view value) {
  return concat(name, "=", shell_quote(value), "\n");
}

/// Returns the image that the stages begin with, as all engines find it: "ubuntu:focal".
std::string base_image(const Parts& parts) {
  const System* const system = parts.packages;
  return system ? concat(system->distribution, ":", system->suite) : "";
}

/// Where the tree comes from: OUT, or this recipe.
std::string tree_assignments(const Parts& parts) {
  const RecipeInput& from = parts.from;
  if (from.manifest_digest) {
    return concat(assignment("manifest_digest", from.manifest_digest->hex()),
                  assignment("sums_digest", from.sums_digest->hex()), assignment("places", "OUT WORK"),
                  assignment("tree_text", "OUT is the prepared tree, which is not changed."),
                  assignment("tree_options", ""));
  }
  return concat(assignment("manifest_digest", ""), assignment("sums_digest", ""), assignment("places", "WORK"),
                assignment("tree_text", "The tree is prepared first, from --mirror DIR or the network."),
                assignment("tree_options", "--mirror"));
}

/// The command that prepares the tree.
std::string prepare_function(const Parts& parts) {
  std::string words;
  for (const std::string& word : prepare_words(parts.manifest)) words += concat(" ", shell_quote(word));
  return concat("\nprepare() {\n  torchpatch prepare", words, " \"$@\"\n}\n");
}

std::string assignments(const Parts& parts) {
  const System* const system = parts.packages;
  return concat(
      assignment("recipe", name_of(parts.from.kind)), assignment("subject", subject(parts.manifest)),
      assignment("plan_digest", parts.manifest.plan.hex()), tree_assignments(parts), assignment("system", parts.system),
      assignment("distribution", system ? system->distribution : ""), assignment("suite", system ? system->suite : ""),
      assignment("arch", parts.arch), assignment("debian_arch", parts.names.debian),
      assignment("triplet", parts.names.triplet), assignment("qemu", parts.names.qemu),
      assignment("python", parts.manifest.python), assignment("packages", join(root_packages(parts), " ")),
      assignment("newer_cmake", newer_cmake(parts)),
      parts.from.kind == RecipeKind::sysroot ? concat(assignment("cross_packages", join(cross_packages(parts), " ")),
                                                      assignment("openmpi", has_openmpi(parts) ? kOpenMpi : ""),
                                                      assignment("cuda", parts.cuda ? parts.cuda->name : ""))
                                             : "",
      parts.from.kind == RecipeKind::container
          ? concat(assignment("base_image", base_image(parts)), assignment("acl", acl_text(parts)),
                   assignment("acl_tag", acl_tag(*Version::parse(parts.manifest.release))),
                   assignment("image_name", concat("torchpatch-", parts.manifest.release, "-", parts.manifest.board)))
          : "");
}

std::string script(const Parts& parts, std::string_view title, std::initializer_list<std::string_view> texts) {
  // What one kind needs, another may not.
  std::string out =
      concat("#!/bin/sh\n# SPDX-License-Identifier: BSD-3-Clause\n# ", title, " ", subject(parts.manifest),
             ". Written by torchpatch.\n# shellcheck disable=SC2034\nset -eu\nCDPATH=''\n\n", kOwnVariablesScript, "\n",
             assignments(parts), parts.from.manifest_digest ? "" : prepare_function(parts), "\n");
  for (const std::string_view text : texts) out += text;
  return out;
}

std::string containerfile(const Parts& parts) {
  if (!parts.has(Component::torch))
    throw Error(ErrorKind::usage, "a container recipe builds torch first, but this tree does not contain it",
                "also prepare --component torch, or use another --kind");
  Words modules = {"torch"};
  if (parts.has(Component::vision)) modules.emplace_back("torchvision");
  if (parts.has(Component::audio)) modules.emplace_back("torchaudio");
  const std::string cmake = newer_cmake(parts);
  const std::string cmake_stage =
      cmake.empty() ? ""
                    : concat(
                          " && \\\n    python3 -m venv /tools && /tools/bin/pip install --upgrade pip && "
                          "/tools/bin/pip install ",
                          shell_quote(cmake));
  return fill_template(kContainerfile, {{"SUBJECT", subject(parts.manifest)},
                                        {"BASE", base_image(parts)},
                                        {"ACL", acl_text(parts)},
                                        {"COMPILERS", join(compiler_packages(parts), " ")},
                                        {"NEWER", cmake_stage},
                                        {"LIBRARIES", join(library_packages(parts), " ")},
                                        {"TOOLS", join(python_packages(parts), " ")},
                                        {"RUNTIME", join(runtime_packages(parts), " ")},
                                        {"MODULES", join(modules, " ")}});
}

std::string cuda_toolchain(const Parts& parts) {
  std::string architecture = parts.manifest.target.at("compute_capability");
  std::erase(architecture, '.');
  return fill_template(kCudaToolchain,
                       {{"COMPILER", std::string(parts.cuda->compiler)}, {"ARCHITECTURE", architecture}});
}

std::string toolchain(const Parts& parts) {
  return fill_template(kToolchain, {{"SUBJECT", subject(parts.manifest)},
                                    {"ARCH", parts.arch},
                                    {"TRIPLET", parts.names.triplet},
                                    {"QEMU", parts.names.qemu},
                                    {"CUDA", parts.cuda ? cuda_toolchain(parts) : ""}});
}

}  // namespace

std::string newer_cmake(const Parts& parts) {
  const Manifest& manifest = parts.manifest;
  const bool is_on_host = parts.from.kind == RecipeKind::native && !manifest.host.empty();
  return torchpatch::newer_cmake(manifest, is_on_host ? manifest.host : manifest.target);
}

std::string acl_tag(const Version& release) {
  std::string tag;
  for (const auto& [from, name] : kAclTags)
    if (release >= *Version::parse(from)) tag = name;
  return tag;
}

std::vector<std::string> runtime_packages(const Parts& parts) {
  Words words = {"python3", "python3-numpy", "libgomp1"};
  words.emplace_back(parts.packages ? parts.packages->openblas : "libopenblas0");
  if (!parts.packages || parts.packages->has_typing_extensions) words.emplace_back("python3-typing-extensions");
  if (needs_sympy(parts)) words.emplace_back("python3-sympy");
  if (parts.has(Component::vision)) {
    words.insert(words.end(), {"python3-pil", "python3-six"});  // six up to torchvision 0.5
    words.emplace_back(parts.packages ? parts.packages->png : "libpng16-16");
  }
  if (parts.has(Component::audio)) words.emplace_back(parts.packages ? parts.packages->sox : "libsox3");
  if (parts.arch == "armv7l") words.emplace_back("libatomic1");
  if (has_openmpi(parts)) words.emplace_back("openmpi-bin");
  if (parts.cuda)
    for (const std::string& library : split(parts.cuda->libraries, ' ')) words.push_back(library);
  return words;
}

RecipeRecord parse_recipe(std::string_view bytes, const std::string& file) {
  Findings findings;
  auto recipe = read_json<RecipeRecord>(bytes, file, findings);
  findings.raise_if_any("reading a recipe");
  return recipe;
}

bool needs_native(const Manifest& manifest) { return plans_cuda(manifest) || needs_scikit_build(manifest); }

bool can_cross_build(const Manifest& manifest) {
  const std::string* const os = find_value(manifest.target, "os");
  const System* const system = os ? find_system(*os) : nullptr;
  return system && system->python == manifest.python && manifest.settings.contains("cross") &&
         !needs_native(manifest) && find_value(kArchitectures, manifest.target.at("arch"));
}

std::vector<std::string> recipe_facts(const RecipeInput& input) {
  Words lines = split(assignments(make_parts(input)), '\n');
  lines.pop_back();  // behind the last line's end
  return lines;
}

std::vector<std::string> recipe_names(RecipeKind kind) {
  std::vector<std::string> names = {"README.md", "recipe.json", "run.sh"};
  if (kind == RecipeKind::container) names.emplace_back("Containerfile");
  if (kind == RecipeKind::sysroot)
    names.insert(names.end(), {"answers", "bin/cmake", "bin/mpicxx", "bin/nvcc", "cross.sh", "python/sitecustomize.py",
                               "toolchain.cmake"});
  return names;
}

std::vector<GeneratedFile> recipe_files(const RecipeInput& input) {
  const Parts parts = make_parts(input);
  refuse_unpackaged_tools(parts);
  if (input.kind == RecipeKind::sysroot) refuse_cross_build(parts);
  refuse_other_python(parts);
  const Manifest& manifest = parts.manifest;
  const RecipeRecord record = {input.kind,   manifest.release, manifest.board, manifest.image,
                               parts.system, input.cuda,       manifest.plan,  input.manifest_digest};
  std::vector<GeneratedFile> files = {{"README.md", readme(parts)},
                                      {"recipe.json", canonical_json(to_json(record), "a recipe")}};
  switch (input.kind) {
    case RecipeKind::native:
      files.push_back(
          {"run.sh", script(parts, "Builds", {kLockScript, kQuotedScript, kCommonScript, kNativeScript}), true});
      break;
    case RecipeKind::container:
      files.push_back({"Containerfile", containerfile(parts)});
      files.push_back(
          {"run.sh", script(parts, "Builds", {kLockScript, kQuotedScript, kCommonScript, kContainerScript}), true});
      break;
    case RecipeKind::chroot:
      files.push_back({"run.sh",
                       script(parts, "Builds",
                              {kLockScript, kQuotedScript, kCommonScript, kRootsScript, kChrootScript, kMainScript}),
                       true});
      break;
    case RecipeKind::sysroot:
      check_cuda(parts);
      files.push_back({"answers", std::string(kAnswers)});
      files.push_back({"bin/cmake", std::string(kCmakeScript), true});
      if (has_openmpi(parts))
        files.push_back({"bin/mpicxx", script(parts, "Compiles for Open MPI, for", {kMpicxxScript}), true});
      if (parts.cuda) files.push_back({"bin/nvcc", std::string(kNvccScript), true});
      files.push_back({"cross.sh", script(parts, "What run.sh runs in the root to build", {kCrossScript}), true});
      files.push_back({"python/sitecustomize.py", std::string(kSitecustomize)});
      files.push_back({"run.sh",
                       script(parts, "Cross compiles",
                              {kLockScript, kQuotedScript, kCommonScript, kRootsScript, kSysrootScript, kMainScript}),
                       true});
      files.push_back({"toolchain.cmake", toolchain(parts)});
      break;
  }
  std::ranges::sort(files, {}, &GeneratedFile::name);
  return files;
}

}  // namespace torchpatch::record
