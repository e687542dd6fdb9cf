// SPDX-License-Identifier: BSD-3-Clause
/// check_wheels(): judges wheels for a board and an image; fix_names(): gives a wheel's modules the names that the
/// board's Python searches for, and the wheel its real platform. A wheel has a name and tags (WheelName; PEP 425, 427,
/// 600), contents (read_wheel), and ELF files that may or may not work on a board (judge_elf).
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
/// them, and there may be several, separated by dots.
struct WheelName {
  std::string name, version, build, python, abi, platform;

  /// Returns nothing if pip does not accept the text as a wheel's name.
  static std::optional<WheelName> parse(std::string_view file);
};

/// A board with an image, as the target of a wheel.
struct WheelTarget {
  const Catalog& catalog;
  const Board& board;
  const Image& image;

  std::string arch() const { return image.arch.value_or(board.arch); }
  const std::string& cpu_flags() const { return image.cpu_flags ? *image.cpu_flags : board.cpu_flags; }
  /// Returns 62 for a GPU of compute capability 6.2, or nothing if the board has none.
  std::optional<std::uint32_t> gpu_architecture() const;
};

/// Returns the Pythons of the image that match the wheel's tags.
std::vector<Version> pythons_for(const WheelName& name, const Image& image);

/// Returns the glibc of a platform, from the name of "manylinux_2_17", and from the table for "manylinux2014"; nothing
/// for others.
std::optional<Version> glibc_of_platform(const PlatformTable& table, const std::string& platform);

/// The meaning of a wheel's platform tags on a target.
struct PlatformFit {
  bool is_installable = false;
  bool is_for_arch = false;  ///< one of them is for its machine, or for any
  std::string claim;         ///< the oldest manylinux platform among them, or empty
  Version pip;               ///< the first version that installs it by one of them
};
PlatformFit platform_fit(const WheelName& name, const WheelTarget& target);

/// Returns Debian's name of a machine in file names: "arm-linux-gnueabihf".
std::string debian_triplet(const std::string& arch);

/// Returns the suffixes of extension modules for a version of Python on a machine, most specific first
/// (importlib.machinery.EXTENSION_SUFFIXES of Debian's and Ubuntu's Pythons).
std::vector<std::string> extension_suffixes(const Version& python, const std::string& arch);

/// Returns the suffix of a file that Python may import ("torch/_C.abi3.so": ".abi3.so"), or empty text for others:
/// libtorch.so is a library.
std::string module_suffix(std::string_view path);

/// Returns whether a file name is that of a Linux library or module: libgomp.so.1, _C.cpython-39-aarch64-linux-gnu.so;
/// not libgomp.so.1.debug.
bool is_named_as_library(std::string_view path);

/// Returns the component of a wheel with this name: "torchvision".
std::optional<Component> component_of_wheel(const std::string& name);

/// Returns the release that pins a component at the version of a wheel ("torchvision", "0.9.1+cpu"), or null.
const Release* release_of_wheel(const Catalog& catalog, const std::string& name, const std::string& version);

/// An ELF file of a wheel.
struct WheelElf {
  std::string path;
  std::string damage;       ///< why it cannot be read, or empty; if set, nothing else is known
  std::string part_damage;  ///< why its code or GPU code cannot be read, or empty; all else is known
  elf::ElfFacts facts;
  std::vector<elf::ExtensionUse> uses;  ///< of extensions that the core lacks
  std::vector<elf::GpuCode> gpu;
  std::vector<elf::GpuKernel> kernels;      ///< for the requested GPU
  std::vector<std::string> build_paths;     ///< source directories: "/home/me/pytorch"
  std::vector<std::string> imports;         ///< undefined symbols from torch's C++ code
  std::vector<std::string> exports;         ///< exported symbols, if requested
  std::vector<std::string> python_names{};  ///< undefined names of Python's C API, in a module for the stable ABI
  bool is_for_numpy_1 = false;              ///< it uses NumPy's C API at a location that only NumPy 1 has
};
FIELDS(WheelElf, path, damage, part_damage, facts, uses, gpu, kernels, build_paths, imports, exports, python_names,
       is_for_numpy_1)

/// A file for which RECORD is wrong, and the problem.
struct RecordProblem {
  std::string path, problem;
  bool is_unchecked = false;  ///< possibly right: RECORD has no SHA-256 for it
};
FIELDS(RecordProblem, path, problem, is_unchecked)

struct WheelContents {
  std::string file{};                    ///< as given by the user; not sent by workers
  std::vector<std::string> paths;        ///< of files, in the archive's order
  std::vector<std::string> not_elf;      ///< files named like libraries or modules that are not ELF files
  std::vector<std::string> information;  ///< its .dist-info directories
  std::string name, version;             ///< from METADATA, or empty
  std::string requires_python{};         ///< from METADATA, or empty
  std::string requires_numpy{};          ///< NumPy versions in METADATA's Requires-Dist, or empty
  std::vector<std::string> tags;         ///< from WHEEL: "cp39-cp39-linux_aarch64"
  std::vector<std::string> refusals;     ///< what pip refuses in its .dist-info: "WHEEL is not UTF-8"
  bool has_record = false;
  std::vector<RecordProblem> record_problems;
  std::vector<WheelElf> elf_files;
};
FIELDS(WheelContents, paths, not_elf, information, name, version, requires_python, requires_numpy, tags, refusals,
       has_record, record_problems, elf_files)

/// What to determine.
struct WheelQuestions {
  std::set<elf::Extension> extensions{};  ///< those that the core has
  bool with_exports = false;
  bool with_code = true;                       ///< instructions, and the GPUs it has code for
  std::optional<std::uint32_t> kernels_for{};  ///< architecture of a GPU
};

/// Returns the limits for reading a wheel.
archive::ReadLimits wheel_read_limits();

/// Returns where pip installs a member in the package directory: "torch-1.8.1.data/platlib/torch/_C.so" becomes
/// torch/_C.so (PEP 427). One installed elsewhere gets a path below .data, equal for all members with the same
/// destination: "torch-1.8.1.data/scripts/x" becomes ".data/data/bin/x".
std::string installed_path(const std::string& path);

/// Returns a digest as in RECORD: base64 with '-' and '_', without padding (PEP 427).
std::string record_digest(const Sha256& digest);

/// Returns whether a version meets specifiers (PEP 440), such as Requires-Python's. If only two of its numbers are
/// known, some third one has to. As in pip, invalid specifiers match every version.
bool meets_specifiers(const std::string& text, const Version& version);

/// Returns a project's normalised name (PEP 503): "My_Project.x" is "my-project-x".
std::string canonical_project(std::string_view name);

/// Reads a wheel open as `fd`. `name` is for messages. Raises as archive::read_zip, and unsafe if two members are
/// installed to one path, one below another, or an entry point outside the scripts directory; problems of single files
/// are in the result.
WheelContents read_wheel(int fd, const std::string& name, const WheelQuestions& questions);

/// The same for a library outside a wheel: its contents are that file.
WheelContents read_library(const std::string& file, const WheelQuestions& questions);

/// Facts about the whole wheel, computed once for all its files.
struct WheelSurroundings {
  const WheelContents& contents;
  const WheelTarget& target;
  const System* system = nullptr;                                ///< of the image, or null: unknown
  std::vector<Version> pythons;                                  ///< of the image, matching the wheel's tags
  std::unordered_set<std::string> paths{};                       ///< installed paths of files
  std::unordered_map<std::string, const WheelElf*> libraries{};  ///< base name → the first file of that name
  std::unordered_set<std::string> needed{};                      ///< names of libraries that its files need
  std::map<std::string, std::set<std::string>>
      lost{};  ///< by path: libraries in the wheel that a file needs and the loader does not find
};

/// Returns the directory in the wheel that an entry of a file's run path refers to, or nothing if it is outside.
std::optional<std::string> inside_wheel(const std::string& file, const std::string& entry);

WheelSurroundings look_around(const WheelContents& contents, const WheelTarget& target, std::vector<Version> pythons);

/// Returns why a file does not run on the target's machine, or empty text.
std::string machine_problem(const elf::ElfFacts& facts, const std::string& arch);

/// Returns the findings on a file, except on instructions chosen at run time (chosen_instructions()).
std::vector<WheelFinding> judge_elf(const WheelElf& file, const WheelSurroundings& around);

/// Returns the verdict on each GPU kernel in a file of the wheel for the board's GPU; none if its registers per block
/// are unknown. Launches are those of the wheel's release of PyTorch, or of all releases if it has none.
std::vector<Kernel> judge_kernels(const WheelElf& file, const WheelContents& wheel, const WheelTarget& target);

/// Returns a note for each extension with instructions chosen at run time: outline atomics are in every library.
std::vector<WheelFinding> chosen_instructions(const WheelSurroundings& around);

/// Returns the oldest platform whose rules all files of the wheel satisfy (PEP 600), or empty text.
std::string kept_platform(const WheelSurroundings& around);

struct ImageOfWheels {
  const Image& image;
  std::string reason;  ///< why it was chosen; empty: it was named
};

/// Returns the image of that name. If it is empty: the board's default for the release whose torch, torchvision or
/// torchaudio is among the wheels; for other wheels the newest image that matches all their tags; else the board's
/// first. Raises usage for an unknown one.
ImageOfWheels image_of_wheels(const Catalog& catalog, const Board& board, const std::string& image,
                              const std::vector<std::string>& files);

/// Resource limits of workers that read wheels.
WorkerLimits wheel_limits();

/// Judges wheels on image_of_wheels(); `requires_gpu` is for the report. Raises as that; environment and source if a
/// wheel cannot be opened or is not an archive, unsafe if the archive's rules refuse it, data if the catalog does not
/// determine the features of the board's core.
WheelReport check_wheels(const Catalog& catalog, const Board& board, const std::string& image, bool requires_gpu,
                         const std::vector<std::string>& files, int jobs);

/// Returns the kernels of wheels and libraries for the board's GPU. Raises as check_wheels, and usage if the board has
/// no GPU.
KernelReport find_kernels(const Catalog& catalog, const Board& board, const std::vector<std::string>& files, int jobs);

/// Writes the wheel with the right name into `directory`, with reproducible bytes; writes nothing if no name is wrong.
/// A module is renamed if it is for the board's machine and its name is for the wheel's own Python; the platform tag
/// becomes linux_ARCH if every ELF file is for the board's machine. RECORD and WHEEL are rewritten. Raises as
/// check_wheels; usage if a name cannot be right: an ELF file for another machine, a Python that the image lacks, two
/// modules with one resulting name; environment if it cannot be written, or exists.
WheelFix fix_names(const Catalog& catalog, const Board& board, const std::string& image, const std::string& file,
                   const std::string& directory);

}  // namespace torchpatch::trees
