// SPDX-License-Identifier: BSD-3-Clause
/// What `wheel check` says of wheels: whether they will work on a board, and what is in the way.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

/// From the best to the worst. Of a finding: what it means for the wheel; `works` is a note.
enum class WheelVerdict {
  works,
  works_once_installed,  ///< after the packages that CheckedWheel::packages names are installed
  unknown,               ///< something cannot be judged, such as a library that no list of the image names
  may_crash,        ///< it imports, and may then run an instruction that the board lacks, or a file that was changed
  will_not_import,  ///< pip will not install it, or the loader or Python refuses it
};
NAMES(WheelVerdict, works, works_once_installed, unknown, may_crash, will_not_import)

/// What was looked at.
enum class WheelRule {
  file_name,         ///< NAME-VERSION-PYTHON-ABI-PLATFORM.whl, what METADATA and WHEEL in it say, its directories
  python,            ///< the Python that the tags name, and the board's
  platform,          ///< the platform that the tags name, and what the wheel really needs
  record,            ///< RECORD: every file with its digest and size
  machine,           ///< machine, word size, byte order, and how 32-bit ARM hands over floating-point numbers
  extension_suffix,  ///< whether Python finds the modules by their names
  library,           ///< libraries that are needed, and where they come from
  symbol_version,    ///< versions of symbols that the system must have
  run_path,          ///< where libraries are looked for
  instruction,       ///< instructions that the board's core lacks
  gpu,               ///< the GPUs that there is code for
  executable_stack,  ///< a stack that code may run on, which newer systems refuse
  text_relocation,   ///< code that the loader has to change
  build_path,        ///< directories of the machine that built it
  companion,         ///< what torchvision and torchaudio need of torch
  python_api,        ///< what it takes of the C API of Python and NumPy
  damaged,           ///< files that cannot be read, or that no loader takes
};
NAMES(WheelRule, file_name, python, platform, record, machine, extension_suffix, library, symbol_version, run_path,
      instruction, gpu, executable_stack, text_relocation, build_path, companion, python_api, damaged)

struct WheelFinding {
  WheelRule rule = WheelRule::file_name;
  WheelVerdict verdict = WheelVerdict::works;
  std::string path{};     ///< in the wheel, or empty: the wheel itself
  std::string found{};    ///< "needs GLIBC_2.34"
  std::string wanted{};   ///< "pynq-2.7 has 2.31"
  std::string issue{};    ///< the known issue, or empty
  std::string advice{};   ///< what to do, or empty
  std::string package{};  ///< that has what is missing, or empty
};
FIELDS(WheelFinding, rule, verdict, ("path", self.path, kNullIfNothing), found, ("wanted", self.wanted, kNullIfNothing),
       ("issue", self.issue, kNullIfNothing), ("advice", self.advice, kNullIfNothing),
       ("package", self.package, kNullIfNothing))

struct CheckedWheel {
  std::string file;
  WheelVerdict verdict = WheelVerdict::works;  ///< the worst of the findings'
  bool is_cpu_only = false;                    ///< torch without code for a GPU, though the board has one
  std::vector<WheelFinding> findings;          ///< the worst first
  std::vector<std::string> packages{};         ///< of the image's system, and pip, to install before it works
  std::string platform;  ///< the oldest platform whose rules it meets ("manylinux_2_31"), or empty: none
};
FIELDS(CheckedWheel, file, verdict, ("cpu_only", self.is_cpu_only), ("platform", self.platform, kNullIfNothing),
       findings, packages)

struct Renaming {
  std::string from, to;
};
FIELDS(Renaming, from, to)

/// What `wheel fix-names` did.
struct WheelFix {
  std::string file;
  std::string output;                  ///< the wheel that was written, or empty: no name is wrong
  std::vector<Renaming> modules;       ///< in the wheel, in its order
  std::optional<Renaming> platform{};  ///< tags; absent where it stays
};
FIELDS(WheelFix, ("schema", SchemaVersion{}), file, ("output", self.output, kNullIfNothing), modules, platform)

struct WheelReport {
  std::string board, image;
  std::string image_reason;  ///< why this image, or empty: it was named
  std::vector<CheckedWheel> wheels;
  bool requires_gpu = false;  ///< a torch for the CPU alone will not do
  std::string install{};      ///< the command that installs the packages of all wheels, or empty

  bool is_ok() const {
    return std::ranges::all_of(wheels, [this](const CheckedWheel& wheel) {
      return wheel.verdict <= WheelVerdict::unknown && !(requires_gpu && wheel.is_cpu_only);
    });
  }
};
FIELDS(WheelReport, ("schema", SchemaVersion{}), ("ok", derived([&] { return self.is_ok(); })), board, image,
       ("image_reason", self.image_reason, kNullIfNothing), wheels, ("install", self.install, kNullIfNothing))

/// Whether a board's GPU has the registers for the blocks in which a kernel is launched.
enum class KernelVerdict {
  fits,           ///< up to its launch bound or what PyTorch launches it with; up to 1,024 threads if neither is known
  limited,        ///< it has no launch bound, and fails in blocks of 1,024 threads
  fails,          ///< it has no launch bound, and PyTorch as released launches it with more threads than it can have
  cannot_launch,  ///< in blocks of its own launch bound
};
NAMES(KernelVerdict, fits, limited, fails, cannot_launch)

struct Kernel {
  std::string name;  ///< its symbol
  KernelVerdict verdict = KernelVerdict::fits;
  std::int64_t registers = 0;     ///< of 32 bits, for each thread
  std::int64_t bound = 0;         ///< __launch_bounds__; 0: none
  std::int64_t most_threads = 0;  ///< of a block
  std::int64_t threads = 0;       ///< that PyTorch as released launches it with; 0: not known
  std::string operation{};        ///< of PyTorch that does so, or empty
  std::string issue{};            ///< the known issue that lists the launch, or empty
};
FIELDS(Kernel, name, verdict, registers, ("bound", self.bound, kNullIfNothing), most_threads,
       ("threads", self.threads, kNullIfNothing), ("operation", self.operation, kNullIfNothing),
       ("issue", self.issue, kNullIfNothing))

struct KernelFile {
  std::string file;  ///< as the user named it
  std::string path;  ///< in the wheel, or empty
  std::vector<Kernel> kernels;
};
FIELDS(KernelFile, file, ("path", self.path, kNullIfNothing), kernels)

/// What `kernels` says of libraries with code for a GPU.
struct KernelReport {
  std::string board;
  std::int64_t architecture = 0;  ///< 62: sm_62
  std::int64_t registers_per_block = 0;
  std::vector<KernelFile> files;  ///< with kernels for that GPU
};
FIELDS(KernelReport, ("schema", SchemaVersion{}), board, architecture, registers_per_block, files)

}  // namespace torchpatch
