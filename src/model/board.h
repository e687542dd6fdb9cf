// SPDX-License-Identifier: BSD-3-Clause
/// A board: a target machine as capabilities, with its images. Data: boards/*.json.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/citation.h"
#include "model/release.h"
#include "model/text_rules.h"
#include "model/version.h"
#include "support/json_fields.h"

namespace torchpatch {

struct Gpu {
  Version compute_capability;                       ///< "6.2"
  std::optional<std::int64_t> registers_per_block;  ///< 32-bit registers
};
FIELDS(Gpu, ("compute_capability", self.compute_capability, kNoPreRelease),
       ("registers_per_block", self.registers_per_block, kOptional, Range{1, 1 << 30}, "32-bit registers"))

/// Evidence that identifies a running system: a line of `file` that matches any of the patterns.
struct Evidence {
  std::string file;  ///< absolute; lines end with a newline or, in the device tree, with NUL
  std::vector<std::string> any;
};
FIELDS(Evidence, ("file", self.file, kLineRule),
       ("any", self.any, kNotEmpty, kLineRule, kUnique, "patterns (fnmatch) for a line of the file"))

/// Returns whether pip may change the Python of a system ("debian-12") only in virtual environments (PEP 668).
bool is_managed_python(const std::string& os);

/// The system software of a board. Unknown facts are absent, never guessed.
struct Image {
  std::string id;  ///< "jetpack-3.3"
  std::string title;
  std::string os;                        ///< "ubuntu-16.04"
  std::vector<Evidence> recognised_by;   ///< every item must match, besides os and arch
  std::optional<std::string> arch;       ///< overrides the board's (a Pi is armv7l or aarch64 by its OS)
  std::optional<std::string> cpu_flags;  ///< overrides the board's
  std::optional<Version> glibc, gcc, cmake, cuda, cudnn;
  std::set<std::string> known_absent;    ///< which of these five the image is known not to have (`"cuda": null`)
  std::vector<Version> python;           ///< minor versions; builds use the first
  std::optional<std::int64_t> page_kib;  ///< page size of its kernel; absent: 4
};

/// A version, or null: the image is known not to have it.
struct ImagePart {
  std::optional<Version>& version;
  std::set<std::string>& known_absent;
  const char* name;

  bool has_value() const { return version || known_absent.contains(name); }
  Json json() const { return version ? Json(version->text()) : Json(nullptr); }
  void read(const JsonPlace& place) const;
};
FIELDS(Image, ("id", self.id, kIdRule), ("title", self.title, kLineRule), ("os", self.os, kNameRule),
       ("recognised_by", self.recognised_by, kOptional, "how a running system is recognised besides os and arch"),
       ("arch", self.arch, kOptional, kNameRule), ("cpu_flags", self.cpu_flags, kOptional, kLineRule),
       ("glibc", ImagePart{self.glibc, self.known_absent, "glibc"}, kOptional),
       ("gcc", ImagePart{self.gcc, self.known_absent, "gcc"}, kOptional),
       ("cmake", ImagePart{self.cmake, self.known_absent, "cmake"}, kOptional),
       ("cuda", ImagePart{self.cuda, self.known_absent, "cuda"}, kOptional),
       ("cudnn", ImagePart{self.cudnn, self.known_absent, "cudnn"}, kOptional),
       ("python", self.python, kMinorVersionRule, kNotEmpty, kUnique, "minor versions; builds use the first"),
       ("page_kib", self.page_kib, kOptional, Range{4, 64}, "page size of its kernel in KiB, if not 4"))

/// The image for some releases if the user names none.
struct DefaultImage {
  VersionRange releases;
  std::string image;
};
FIELDS(DefaultImage, releases, ("image", self.image, kIdRule))

struct Board {
  std::string id;
  std::string title;
  std::string vendor;  ///< of the chip or instance type; pages group boards by it
  std::vector<std::string> aliases;
  std::string arch;       ///< uname -m: aarch64, armv7l
  std::string cpu_flags;  ///< compiler flags for its CPU
  std::optional<std::int64_t> cores;
  std::int64_t memory_mib = 0;
  std::vector<Evidence> recognised_by;  ///< every item must match; empty: never recognised
  std::optional<Gpu> gpu;               ///< absent = none
  std::vector<std::string> has;         ///< hardware beyond CPU and GPU: "programmable-logic"
  std::vector<std::string> lacks;       ///< libraries that are not available for it: "nccl", "magma"
  std::vector<Image> images;
  std::vector<DefaultImage> default_images;
  /// Environment of builds for this board: name → value, in order.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> build_steps;  ///< additional commands for its recipe; may be empty
  std::vector<SourceNote> sources;
  Citations citations;  ///< supporting the texts of `sources`
  std::optional<Sha256> replaces{};

  const Image* find_image(const std::string& id) const;
};
FIELDS(Board, ("schema", SchemaVersion{}),
       ("replaces", self.replaces, kOptional, "SHA-256 of the file of a lower layer that this one replaces"),
       ("id", self.id, kIdRule, "equals the file's name"), ("title", self.title, kLineRule),
       ("vendor", self.vendor, kOptional, kLineRule, "of the chip or the instances; pages group boards by it"),
       ("aliases", self.aliases, kOptional, kIdRule, kUnique), ("arch", self.arch, kNameRule, "as uname -m prints it"),
       ("cpu_flags", self.cpu_flags, kLineRule), ("cores", self.cores, kOptional, Range{1, 1024}),
       ("memory_mib", self.memory_mib, Range{1, 1 << 30}),
       ("recognised_by", self.recognised_by, kOptional, "how --board auto recognises it: each must hold"),
       ("gpu", self.gpu, kOptional, "absent: it has none"),
       ("has", self.has, kOptional, kNameRule, kUnique, "what it has beyond CPU and GPU, such as programmable-logic"),
       ("lacks", self.lacks, kOptional, kNameRule, kUnique, "libraries that are not available for it"),
       ("images", self.images, kNotEmpty),
       ("default_images", self.default_images, kNotEmpty, "the first whose releases hold"),
       ("environment", self.environment, kOptional, KeyRule{kVariableNameRule}, kLineRule, kMayBeEmpty),
       ("build_steps", self.build_steps, kOptional, kLineRule), ("sources", self.sources, kNotEmpty),
       ("citations", CitationsForm{self.citations.present, true}, kOptional),
       ("absences", CitationsForm{self.citations.absent, false}, kOptional),
       ("outside", self.citations.outside, kOptional, kPlaceRule, kUnique))
/// Reports duplicate images, and default images that do not exist.
void check_fields(ObjectReader& object, const Board& board);

}  // namespace torchpatch
