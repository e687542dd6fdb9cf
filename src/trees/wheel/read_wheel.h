// SPDX-License-Identifier: BSD-3-Clause
/// What is in a wheel, read in a worker process: its names and tags, its RECORD, and every ELF file.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "archive/member.h"
#include "elf/code.h"
#include "elf/elf_file.h"
#include "elf/gpu_code.h"
#include "support/fields.h"
#include "support/object_id.h"

namespace torchpatch::trees {

/// An ELF file of a wheel.
struct WheelElf {
  std::string path;
  std::string damage;       ///< why it cannot be read, or empty; then nothing else is known
  std::string part_damage;  ///< why its code or its GPU code cannot be read, or empty; all else is known then
  elf::ElfFacts facts;
  std::vector<elf::ExtensionUse> uses;  ///< of extensions that the core lacks
  std::vector<elf::GpuCode> gpu;
  std::vector<std::string> build_paths;  ///< directories of sources: "/home/me/pytorch"
  std::vector<std::string> imports;      ///< names of torch's C++ that it takes from elsewhere
  std::vector<std::string> exports;      ///< names that others can take, where they were asked for
};
FIELDS(WheelElf, path, damage, part_damage, facts, uses, gpu, build_paths, imports, exports)

/// A file that RECORD is wrong about, and in what.
struct RecordProblem {
  std::string path, problem;
  bool is_unchecked = false;  ///< it may be right: RECORD has no SHA-256 of it
};
FIELDS(RecordProblem, path, problem, is_unchecked)

struct WheelContents {
  std::vector<std::string> paths;        ///< of files, in the archive's order
  std::vector<std::string> not_elf;      ///< those of them that have the name of a library or module and are none
  std::vector<std::string> information;  ///< its .dist-info directories, each once
  std::string name, version;             ///< METADATA's, or empty
  std::vector<std::string> tags;         ///< of WHEEL: "cp39-cp39-linux_aarch64"
  bool has_record = false;
  std::vector<RecordProblem> record_problems;
  std::vector<WheelElf> elf_files;
};
FIELDS(WheelContents, paths, not_elf, information, name, version, tags, has_record, record_problems, elf_files)

/// What to look for.
struct WheelQuestions {
  std::set<elf::Extension> extensions;  ///< those that the core has
  bool with_exports = false;
  bool with_code = true;  ///< instructions and GPU code
};

/// Returns what an archive's reader may take for a wheel.
archive::ReadLimits wheel_read_limits();

/// Returns where pip puts a member in the directory of packages: "torch-1.8.1.data/platlib/torch/_C.so" becomes
/// torch/_C.so (PEP 427). One that goes elsewhere, such as a script, keeps its path.
std::string installed_path(const std::string& path);

/// Returns a digest as RECORD has it: base64 with '-' and '_', without padding (PEP 427).
std::string record_digest(const Sha256& digest);

/// Reads a wheel that is open as `fd`. `name` is for messages. Raises as archive::read_zip, and unsafe if two members
/// are installed to one path; what is wrong with single files of it is in the result.
WheelContents read_wheel(int fd, const std::string& name, const WheelQuestions& questions);

}  // namespace torchpatch::trees
