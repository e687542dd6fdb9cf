// SPDX-License-Identifier: BSD-3-Clause
/// Results of `wheel check` (WheelReport), `wheel fix-names` (WheelFix) and `kernels` (KernelReport).
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

/// From best to worst. In a finding, its effect on the wheel; `works` is a note.
enum class WheelVerdict {
  works,
  works_once_installed,  ///< after the packages in CheckedWheel::packages are installed
  unknown,               ///< cannot be judged: for example, a library is in no list of the image
  may_crash,             ///< imports, but may run an instruction the board lacks, or a file was changed
  will_not_import,       ///< refused by pip, the loader or Python
};
NAMES(WheelVerdict, works, works_once_installed, unknown, may_crash, will_not_import)

/// The subject of a finding.
enum class WheelRule {
  file_name,         ///< NAME-VERSION-PYTHON-ABI-PLATFORM.whl; its METADATA, WHEEL and directories
  python,            ///< the Python of the tags, and the board's
  platform,          ///< the platform of the tags, and what the wheel really needs
  record,            ///< RECORD: every file with its digest and size
  machine,           ///< machine, word size, byte order, and the float ABI of 32-bit ARM
  extension_suffix,  ///< whether Python finds the modules by their file names
  library,           ///< required libraries, and which package has them
  symbol_version,    ///< symbol versions required of the system
  run_path,          ///< where libraries are searched for
  instruction,       ///< instructions that the board's core lacks
  gpu,               ///< the GPUs that it has code for
  executable_stack,  ///< an executable stack, which newer systems refuse
  text_relocation,   ///< code that the loader has to modify
  build_path,        ///< directories of the build machine
  companion,         ///< what torchvision and torchaudio require of torch
  python_api,        ///< its use of the C API of Python and NumPy
  damaged,           ///< files that cannot be read, or that loaders refuse
};
NAMES(WheelRule, file_name, python, platform, record, machine, extension_suffix, library, symbol_version, run_path,
      instruction, gpu, executable_stack, text_relocation, build_path, companion, python_api, damaged)

struct WheelFinding {
  WheelRule rule = WheelRule::file_name;
  WheelVerdict verdict = WheelVerdict::works;
  std::string path{};     ///< in the wheel, or empty: the whole wheel
  std::string found{};    ///< "needs GLIBC_2.34"
  std::string wanted{};   ///< "pynq-2.7 has 2.31"
  std::string issue{};    ///< the known issue, or empty
  std::string advice{};   ///< what to do, or empty
  std::string package{};  ///< the package with what is missing, or empty
};
FIELDS(WheelFinding, rule, verdict, ("path", self.path, kNullIfNothing), found, ("wanted", self.wanted, kNullIfNothing),
       ("issue", self.issue, kNullIfNothing), ("advice", self.advice, kNullIfNothing),
       ("package", self.package, kNullIfNothing))

struct CheckedWheel {
  std::string file;
  WheelVerdict verdict = WheelVerdict::works;  ///< the worst of its findings
  bool is_cpu_only = false;                    ///< torch without code for a GPU, though the board has one
  std::vector<WheelFinding> findings;          ///< worst first
  std::vector<std::string> packages{};         ///< of the image's system and of pip, to install first
  std::string platform;  ///< the oldest platform whose rules it satisfies ("manylinux_2_31"), or empty: none
};
FIELDS(CheckedWheel, file, verdict, ("cpu_only", self.is_cpu_only), ("platform", self.platform, kNullIfNothing),
       findings, packages)

struct Renaming {
  std::string from, to;
};
FIELDS(Renaming, from, to)

/// The result of `wheel fix-names`.
struct WheelFix {
  std::string file;
  std::string output;                  ///< the wheel written, or empty: no name is wrong
  std::vector<Renaming> modules;       ///< in order of the wheel
  std::optional<Renaming> platform{};  ///< tags; absent if unchanged
};
FIELDS(WheelFix, ("schema", SchemaVersion{}), file, ("output", self.output, kNullIfNothing), modules, platform)

struct WheelReport {
  std::string board, image;
  std::string image_reason;  ///< why this image was chosen, or empty: it was named
  std::vector<CheckedWheel> wheels;
  bool requires_gpu = false;  ///< a CPU-only torch is not enough
  std::string install{};      ///< the command that installs all wheels' packages, or empty

  bool is_ok() const {
    return std::ranges::all_of(wheels, [this](const CheckedWheel& wheel) {
      return wheel.verdict <= WheelVerdict::unknown && !(requires_gpu && wheel.is_cpu_only);
    });
  }
};
FIELDS(WheelReport, ("schema", SchemaVersion{}), ("ok", derived([&] { return self.is_ok(); })), board, image,
       ("image_reason", self.image_reason, kNullIfNothing), wheels, ("install", self.install, kNullIfNothing))

/// Whether a board's GPU has enough registers for the block size of a kernel.
enum class KernelVerdict {
  fits,           ///< up to its launch bound or PyTorch's block size; up to 1,024 threads if neither is known
  limited,        ///< no launch bound, and fails in blocks of 1,024 threads
  fails,          ///< no launch bound, and PyTorch as released launches it with too many threads
  cannot_launch,  ///< fails even at its launch bound
};
NAMES(KernelVerdict, fits, limited, fails, cannot_launch)

struct Kernel {
  std::string name;  ///< its symbol
  KernelVerdict verdict = KernelVerdict::fits;
  std::int64_t registers = 0;     ///< 32-bit registers per thread
  std::int64_t bound = 0;         ///< __launch_bounds__; 0: none
  std::int64_t most_threads = 0;  ///< per block
  std::int64_t threads = 0;       ///< per block as PyTorch as released launches it; 0: unknown
  std::string operation{};        ///< the PyTorch operation that does so, or empty
  std::string issue{};            ///< the known issue with the launch, or empty
};
FIELDS(Kernel, name, verdict, registers, ("bound", self.bound, kNullIfNothing), most_threads,
       ("threads", self.threads, kNullIfNothing), ("operation", self.operation, kNullIfNothing),
       ("issue", self.issue, kNullIfNothing))

struct KernelFile {
  std::string file;  ///< as given by the user
  std::string path;  ///< in the wheel, or empty
  std::vector<Kernel> kernels;
};
FIELDS(KernelFile, file, ("path", self.path, kNullIfNothing), kernels)

/// The result of `kernels` for libraries with GPU code.
struct KernelReport {
  std::string board;
  std::int64_t architecture = 0;  ///< 62: sm_62
  std::int64_t registers_per_block = 0;
  std::vector<KernelFile> files;  ///< those with kernels for that GPU
};
FIELDS(KernelReport, ("schema", SchemaVersion{}), board, architecture, registers_per_block, files)

}  // namespace torchpatch
