// SPDX-License-Identifier: BSD-3-Clause
/// Tables of the catalog that are not part of a release or board: cores (CoreTable, cores.json), systems that wheels
/// run on (PlatformTable, platforms.json), and build variables (VariableTable, variables.json).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/release.h"
#include "model/text_rules.h"
#include "model/version.h"
#include "support/json_fields.h"

namespace torchpatch {

// A 64-bit ARM CPU core, and the flags for it by version of gcc.

struct CoreFlags {
  VersionRange gcc;
  std::string flags;
};
FIELDS(CoreFlags, ("gcc", self.gcc, kNoPreRelease), ("flags", self.flags, kLineRule))

struct Core {
  std::string id;                    ///< as in -mcpu: "neoverse-n1"
  std::vector<std::string> aliases;  ///< "n1"
  std::string arch;                  ///< as in -march: "armv8.2-a"
  std::vector<CoreFlags> flags;      ///< the first whose gcc matches is used; the last is for any gcc
};
FIELDS(Core, ("id", self.id, kIdRule, "as -mcpu spells it"), ("aliases", self.aliases, kOptional, kIdRule, kUnique),
       ("arch", self.arch, kArchitectureRule, "as -march spells it"),
       ("flags", self.flags, kNotEmpty, "the first whose gcc matches; the last is for any gcc"))
/// Reports flags whose last entry is not for any gcc.
void check_fields(ObjectReader& object, const Core& core);

struct CoreTable {
  std::vector<Core> cores;
  std::vector<SourceNote> sources;

  /// Returns the core of that id or alias, or null.
  const Core* find(std::string_view name) const;
};
FIELDS(CoreTable, ("schema", SchemaVersion{}), ("cores", self.cores, kNotEmpty), ("sources", self.sources, kNotEmpty))
/// Reports duplicate names of cores.
void check_fields(ObjectReader& object, const CoreTable& table);

// What wheels may require of a system, according to the platform in their name (manylinux) or the image's system.

/// Newest allowed versions of symbols: "GLIBCXX" → 3.4.19.
using SymbolLimits = std::map<std::string, Version>;

struct Platform {
  std::string id;                     ///< "manylinux_2_17"
  std::vector<std::string> aliases;   ///< "manylinux2014"
  std::vector<std::string> machines;  ///< that it exists for: "x86_64"; empty: all
  SymbolLimits limits;
  std::vector<std::string> libraries;  ///< that the system provides, besides those of older platforms
};
FIELDS(Platform, ("id", self.id, kNameRule), ("aliases", self.aliases, kOptional, kNameRule, kUnique),
       ("machines", self.machines, kOptional, kNameRule, kUnique, "it exists for; absent: for all"),
       ("limits", self.limits, kNotEmpty, kNoPreRelease, "newest versions of symbols, such as GLIBCXX: 3.4.19"),
       ("libraries", self.libraries, kOptional, kNameRule, kUnique,
        "that the system provides, with those of the platforms before it"))

/// The contents of an operating system, except the glibc version, which the image has.
struct System {
  std::string id;                    ///< as an image's os: "debian-11"
  std::vector<std::string> aliases;  ///< systems with the same libraries: "raspios-11"
  SymbolLimits limits;
  std::map<std::string, std::string> packages;     ///< library missing from libraries.tsv → its package
  std::string stand_in;                            ///< a system of libraries.tsv whose packages may have the same names
  std::map<std::string, Version> python_packages;  ///< of its own Python: "pip"
};
FIELDS(System, ("id", self.id, kIdRule, "as an image's os"), ("aliases", self.aliases, kOptional, kIdRule, kUnique),
       ("limits", self.limits, kNotEmpty, kNoPreRelease),
       ("packages", self.packages, kOptional, "library that libraries.tsv lacks: the package that has it"),
       ("stand_in", self.stand_in, kOptional, kIdRule, "a system of libraries.tsv that may name its packages alike"),
       ("python_packages", self.python_packages, kOptional, kNoPreRelease, "that it has for its own Python: pip"))

/// The libraries of CUDA, by the names that wheels require.
struct CudaLibraries {
  VersionRange versions;  ///< of CUDA
  std::vector<std::string> libraries;
};
FIELDS(CudaLibraries, ("versions", self.versions, kNoPreRelease),
       ("libraries", self.libraries, kNameRule, kNotEmpty, kUnique))

struct PlatformTable {
  std::vector<Platform> platforms;  ///< from the oldest to the newest
  std::vector<System> systems;
  std::vector<CudaLibraries> cuda;
  std::vector<SourceNote> sources;
  std::string libraries;   ///< the text of libraries.tsv
  std::string stable_abi;  ///< the text of stable_abi.tsv

  /// Returns the platform or system of that id or alias, or null.
  const Platform* find_platform(std::string_view name) const;
  const System* find_system(std::string_view os) const;
  /// Returns the entry for a version of CUDA, or null.
  const CudaLibraries* find_cuda(const Version& version) const;
  /// Returns the package that provides a library on a system and machine, from libraries.tsv, or empty text.
  std::string find_package(std::string_view library, std::string_view system, std::string_view arch) const;
  /// Returns the Python version whose stable ABI first had a name, from stable_abi.tsv, or nothing.
  std::optional<Version> find_stable(std::string_view name) const;
};
FIELDS(PlatformTable, ("schema", SchemaVersion{}),
       ("platforms", self.platforms, kOptional, "from the oldest to the newest"), ("systems", self.systems, kOptional),
       ("cuda", self.cuda, kOptional), ("sources", self.sources, kNotEmpty))

// Variables that are in no release's `flags`.

/// A variable that no release reads although build instructions set it.
struct NeverRead {
  std::string name;
  std::vector<std::string> instead;  ///< suggestions, nearest first
};
FIELDS(NeverRead, ("name", self.name, kVariableNameRule),
       ("instead", self.instead, kOptional, kVariableNameRule, kUnique, "to suggest, the nearest first"))

/// Variables that a CMake command reads implicitly: CC by "project(".
struct ImpliedNames {
  std::string by;
  std::vector<std::string> names;
};
FIELDS(ImpliedNames, ("by", self.by, kLineRule), ("names", self.names, kVariableNameRule, kNotEmpty, kUnique))

/// What is known of variables that are in no release's `flags`. Data: variables.json. The first entry for a variable
/// counts.
struct VariableTable {
  std::vector<NeverRead> never_read;
  /// Variables of compilers, CMake, Python, the loader and other tools: names, or prefixes with a final '*'.
  std::vector<std::string> of_tools;
  std::vector<ImpliedNames> implied;

  const NeverRead* find_never_read(std::string_view name) const;
  /// Returns the CMake command that reads a variable, or null.
  const std::string* find_implied(const std::string& name) const;
};
FIELDS(VariableTable, ("schema", SchemaVersion{}), ("never_read", self.never_read, kOptional),
       ("of_tools", self.of_tools, kOptional, kVariablePatternRule, kUnique), ("implied", self.implied, kOptional))
/// Reports duplicate names in `never_read`.
void check_fields(ObjectReader& object, const VariableTable& table);

}  // namespace torchpatch
