// SPDX-License-Identifier: BSD-3-Clause
/// check_wheels(): wheels against a board and an image of it; fix_names(): gives the modules of a wheel the names that
/// the board's Python looks for, and the wheel the platform that it is for. A wheel has a name and tags (WheelName; PEP
/// 425, 427, 600), contents (read_wheel), and ELF files that work on a board or do not (judge_elf).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "archive/read_archive.h"
#include "elf/elf_file.h"
#include "elf/gpu_code.h"
#include "model/catalog.h"
#include "model/wheel.h"
#include "support/digest.h"
#include "support/fields.h"
#include "support/worker_pool.h"

namespace torchpatch::trees {

/// The parts of a wheel's file name: "torch-1.8.1-cp39-cp39-linux_aarch64.whl". Tags are in lower case, as pip compares
/// them, and may be several, with dots between them.
struct WheelName {
  std::string name, version, build, python, abi, platform;

  /// Returns nothing where pip takes the text for no wheel's name.
  static std::optional<WheelName> parse(std::string_view file);
};

/// A board with an image, as a wheel finds it.
struct WheelTarget {
  const Catalog& catalog;
  const Board& board;
  const Image& image;

  std::string arch() const { return image.arch.value_or(board.arch); }
  const std::string& cpu_flags() const { return image.cpu_flags ? *image.cpu_flags : board.cpu_flags; }
  /// Returns 62 for a GPU of compute capability 6.2, or nothing: the board has none.
  std::optional<std::uint32_t> gpu_architecture() const;
};

/// Returns the Pythons of the image that the wheel's tags are for.
std::vector<Version> pythons_for(const WheelName& name, const Image& image);

/// Returns the glibc that a platform means, "manylinux_2_17" itself and "manylinux2014" by the table; nothing for
/// others.
std::optional<Version> glibc_of_platform(const PlatformTable& table, const std::string& platform);

/// What the tags of a wheel's platform mean on a target.
struct PlatformFit {
  bool is_installable = false;
  bool is_for_arch = false;  ///< one of them is for its machine, or for any
  std::string claim;         ///< the oldest manylinux platform that they name, or empty
  Version pip;               ///< the first that installs it by one of them
};
PlatformFit platform_fit(const WheelName& name, const WheelTarget& target);

/// Returns the machine's name in file names of Debian: "arm-linux-gnueabihf".
std::string debian_triplet(const std::string& arch);

/// Returns the ends of file names that Python of a version takes for extension modules on a machine, the most telling
/// first (importlib.machinery.EXTENSION_SUFFIXES of Debian's and Ubuntu's Pythons).
std::vector<std::string> extension_suffixes(const Version& python, const std::string& arch);

/// Returns the end of the name of a file that Python may import ("torch/_C.abi3.so": ".abi3.so"), or empty text for
/// another: libtorch.so is a library.
std::string module_suffix(std::string_view path);

/// Whether a file of that name is a library or module of Linux: libgomp.so.1, _C.cpython-39-aarch64-linux-gnu.so; not
/// libgomp.so.1.debug.
bool is_named_as_library(std::string_view path);

/// Returns the component that a wheel of this name is: "torchvision".
std::optional<Component> component_of_wheel(const std::string& name);

/// Returns the release that pins a component at the version that a wheel of that name has ("torchvision", "0.9.1+cpu"),
/// or null.
const Release* release_of_wheel(const Catalog& catalog, const std::string& name, const std::string& version);

/// An ELF file of a wheel.
struct WheelElf {
  std::string path;
  std::string damage;       ///< why it cannot be read, or empty; then nothing else is known
  std::string part_damage;  ///< why its code or its GPU code cannot be read, or empty; all else is known then
  elf::ElfFacts facts;
  std::vector<elf::ExtensionUse> uses;  ///< of extensions that the core lacks
  std::vector<elf::GpuCode> gpu;
  std::vector<elf::GpuKernel> kernels;      ///< for the GPU that was asked for
  std::vector<std::string> build_paths;     ///< directories of sources: "/home/me/pytorch"
  std::vector<std::string> imports;         ///< names of torch's C++ that it takes from elsewhere
  std::vector<std::string> exports;         ///< names that others can take, where they were asked for
  std::vector<std::string> python_names{};  ///< of Python's C API that a module for the stable ABI takes
  bool is_for_numpy_1 = false;              ///< it takes NumPy's C API from a place that only NumPy 1 has
};
FIELDS(WheelElf, path, damage, part_damage, facts, uses, gpu, kernels, build_paths, imports, exports, python_names,
       is_for_numpy_1)

/// A file that RECORD is wrong about, and in what.
struct RecordProblem {
  std::string path, problem;
  bool is_unchecked = false;  ///< it may be right: RECORD has no SHA-256 of it
};
FIELDS(RecordProblem, path, problem, is_unchecked)

struct WheelContents {
  std::string file{};                    ///< as the user named it; no worker sends it
  std::vector<std::string> paths;        ///< of files, in the archive's order
  std::vector<std::string> not_elf;      ///< those of them that have the name of a library or module and are none
  std::vector<std::string> information;  ///< its .dist-info directories, each once
  std::string name, version;             ///< METADATA's, or empty
  std::string requires_python{};         ///< METADATA's Requires-Python, or empty
  std::string requires_numpy{};          ///< the versions of NumPy that METADATA's Requires-Dist takes, or empty
  std::vector<std::string> tags;         ///< of WHEEL: "cp39-cp39-linux_aarch64"
  std::vector<std::string> refusals;     ///< what pip refuses in its .dist-info: "WHEEL is not UTF-8"
  bool has_record = false;
  std::vector<RecordProblem> record_problems;
  std::vector<WheelElf> elf_files;
};
FIELDS(WheelContents, paths, not_elf, information, name, version, requires_python, requires_numpy, tags, refusals,
       has_record, record_problems, elf_files)

/// What to look for.
struct WheelQuestions {
  std::set<elf::Extension> extensions{};  ///< those that the core has
  bool with_exports = false;
  bool with_code = true;                       ///< instructions, and the GPUs that there is code for
  std::optional<std::uint32_t> kernels_for{};  ///< architecture of a GPU
};

/// Returns what an archive's reader may take for a wheel.
archive::ReadLimits wheel_read_limits();

/// Returns where pip puts a member in the directory of packages: "torch-1.8.1.data/platlib/torch/_C.so" becomes
/// torch/_C.so (PEP 427). One that goes elsewhere gets a path of its own below .data, which is the same for all members
/// that are installed to one place: "torch-1.8.1.data/scripts/x" becomes ".data/data/bin/x".
std::string installed_path(const std::string& path);

/// Returns a digest as RECORD has it: base64 with '-' and '_', without padding (PEP 427).
std::string record_digest(const Sha256& digest);

/// Returns whether a version meets specifiers (PEP 440), such as Requires-Python's. Where only two of its numbers are
/// known, some third one has to. What is no specifier holds for every version, as for pip.
bool meets_specifiers(const std::string& text, const Version& version);

/// Returns a project's name as pip compares it (PEP 503): "My_Project.x" is "my-project-x".
std::string canonical_project(std::string_view name);

/// Reads a wheel that is open as `fd`. `name` is for messages. Raises as archive::read_zip, and unsafe if two members
/// are installed to one path, one below another, or an entry point outside of the directory of scripts; what is wrong
/// with single files of it is in the result.
WheelContents read_wheel(int fd, const std::string& name, const WheelQuestions& questions);

/// The same for a library outside of a wheel: its contents are that file.
WheelContents read_library(const std::string& file, const WheelQuestions& questions);

/// The wheel around the files, looked at once for all of them.
struct WheelSurroundings {
  const WheelContents& contents;
  const WheelTarget& target;
  const System* system = nullptr;                                ///< of the image, or null: not known
  std::vector<Version> pythons;                                  ///< of the image that the wheel is for
  std::unordered_set<std::string> paths{};                       ///< where files are installed
  std::unordered_map<std::string, const WheelElf*> libraries{};  ///< base name → the first of that name
  std::unordered_set<std::string> needed{};                      ///< what its files need, by the names of libraries
  std::map<std::string, std::set<std::string>>
      lost{};  ///< by path, what a file needs of the wheel and the loader does not find
};

/// Returns the directory of the wheel that an entry of a file's run path is, or nothing where it points outside.
std::optional<std::string> inside_wheel(const std::string& file, const std::string& entry);

WheelSurroundings look_around(const WheelContents& contents, const WheelTarget& target, std::vector<Version> pythons);

/// Returns why a file is not for the target's machine, or empty text.
std::string machine_problem(const elf::ElfFacts& facts, const std::string& arch);

/// Returns what is to say of a file; of instructions that are chosen at run time nothing (chosen_instructions()).
std::vector<WheelFinding> judge_elf(const WheelElf& file, const WheelSurroundings& around);

/// Returns the kernels of a file of the wheel as the board's GPU takes them; none if it is not known how many registers
/// a block has. Launches are those of the wheel's release of PyTorch, or of all releases where it is none.
std::vector<Kernel> judge_kernels(const WheelElf& file, const WheelContents& wheel, const WheelTarget& target);

/// Returns a note for each extension whose instructions are chosen at run time: outline atomics are in every library.
std::vector<WheelFinding> chosen_instructions(const WheelSurroundings& around);

/// Returns the oldest platform whose rules all files of the wheel keep (PEP 600), or empty text.
std::string kept_platform(const WheelSurroundings& around);

struct ImageOfWheels {
  const Image& image;
  std::string reason;  ///< why it was chosen; empty: it was named
};

/// Returns the image of that name. If it is empty: the board's default for the release whose torch, torchvision or
/// torchaudio is among the wheels; for other wheels the newest image that all their tags fit; else the board's first.
/// Raises usage for an unknown one.
ImageOfWheels image_of_wheels(const Catalog& catalog, const Board& board, const std::string& image,
                              const std::vector<std::string>& files);

/// How much a worker may use that reads wheels.
WorkerLimits wheel_limits();

/// Judges wheels on image_of_wheels(); `requires_gpu` is for the report. Raises as that does, environment and source
/// where a wheel cannot be opened or is no archive, unsafe where the archive's rules refuse it, data where the catalog
/// does not say what the board's core can do.
WheelReport check_wheels(const Catalog& catalog, const Board& board, const std::string& image, bool requires_gpu,
                         const std::vector<std::string>& files, int jobs);

/// Returns the kernels that wheels and libraries have for the board's GPU. Raises as check_wheels, and usage if the
/// board has no GPU.
KernelReport find_kernels(const Catalog& catalog, const Board& board, const std::vector<std::string>& files, int jobs);

/// Writes the wheel with its right name into `directory`, the same bytes each time; nothing where no name is wrong. A
/// module is renamed where it is for the board's machine and its name is for the wheel's own Python; the platform tag
/// becomes linux_ARCH where every ELF file is for the board's machine. RECORD and WHEEL are written anew. Raises as
/// check_wheels; usage where a name cannot be right: an ELF file for another machine, a Python that the image does not
/// have, two modules that would get one name; environment where it cannot be written, or is there already.
WheelFix fix_names(const Catalog& catalog, const Board& board, const std::string& image, const std::string& file,
                   const std::string& directory);

}  // namespace torchpatch::trees
