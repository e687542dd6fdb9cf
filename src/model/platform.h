// SPDX-License-Identifier: BSD-3-Clause
/// What a wheel may ask of a system: by the platform that its name claims (manylinux), and by the system of an image.
/// Data: platforms.json.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/release.h"
#include "model/text_rules.h"
#include "model/version.h"
#include "support/json_fields.h"

namespace torchpatch {

/// Newest versions of symbols that may be asked for: "GLIBCXX" → 3.4.19.
using SymbolLimits = std::map<std::string, Version>;

struct Platform {
  std::string id;                     ///< "manylinux_2_17"
  std::vector<std::string> aliases;   ///< "manylinux2014"
  std::vector<std::string> machines;  ///< it exists for: "x86_64"; empty: for all
  SymbolLimits limits;
  std::vector<std::string> libraries;  ///< that may be taken from the system, with those of the platforms before it
};
FIELDS(Platform, ("id", self.id, kNameRule), ("aliases", self.aliases, kOptional, kNameRule, kUnique),
       ("machines", self.machines, kOptional, kNameRule, kUnique, "it exists for; absent: for all"),
       ("limits", self.limits, kNotEmpty, kNoPreRelease, "newest versions of symbols, such as GLIBCXX: 3.4.19"),
       ("libraries", self.libraries, kOptional, kNameRule, kUnique,
        "that the system provides, with those of the platforms before it"))

/// What an operating system has beside its glibc, of which the image says the version.
struct System {
  std::string id;                    ///< as an image's os has it: "debian-11"
  std::vector<std::string> aliases;  ///< systems with the same libraries: "raspios-11"
  SymbolLimits limits;
  std::map<std::string, std::string> packages;  ///< library that may have to be installed → the package that has it
};
FIELDS(System, ("id", self.id, kIdRule, "as an image's os"), ("aliases", self.aliases, kOptional, kIdRule, kUnique),
       ("limits", self.limits, kNotEmpty, kNoPreRelease),
       ("packages", self.packages, kOptional, "library that may have to be installed: the package that has it"))

/// The libraries that CUDA brings, by the names that wheels ask for.
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

  /// Returns the platform of that id or alias, or null; the system likewise.
  const Platform* find_platform(std::string_view name) const;
  const System* find_system(std::string_view os) const;
  /// Returns what is known of a version of CUDA, or null.
  const CudaLibraries* find_cuda(const Version& version) const;
};
FIELDS(PlatformTable, ("schema", SchemaVersion{}),
       ("platforms", self.platforms, kOptional, "from the oldest to the newest"), ("systems", self.systems, kOptional),
       ("cuda", self.cuda, kOptional), ("sources", self.sources, kNotEmpty))

}  // namespace torchpatch
