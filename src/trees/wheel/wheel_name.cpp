// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "support/find.h"
#include "support/text.h"
#include "trees/wheel/wheel.h"

namespace torchpatch::trees {

namespace {

/// PEP 599: the first manylinux for ARM.
const Version kFirstGlibcOfArm = *Version::parse("2.17");
/// https://github.com/pypa/manylinux: the first pip with manylinux2014, and with manylinux_X_Y.
const Version kFirstPipOf2014 = *Version::parse("19.3"), kFirstPipOfAny = *Version::parse("20.3");

bool is_tag(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
}

/// Returns the second number of a Python version: 9 of 3.9.
std::uint64_t second_number(const Version& python) {
  return python.numbers().size() > 1 ? static_cast<std::uint64_t>(python.numbers()[1]) : 0;
}

/// Returns "cp39" for 3.9.
std::string own_tag(const Version& python) { return concat("cp", python.numbers().front(), second_number(python)); }

/// Returns whether a CPython accepts an ABI tag: its own (with m up to 3.7, mu for Debian's 2.7), abi3 and none.
bool takes_abi(const Version& python, const std::string& abi) {
  if (abi == "none") return true;
  const bool is_three = python.numbers().front() == 3;
  if (abi == "abi3") return is_three;
  const char* const end = is_three ? (second_number(python) < 8 ? "m" : "") : "mu";
  return abi == own_tag(python) + end;
}

/// Returns whether a Python installs a wheel with this Python tag and ABI tag, as listed by pip (PEP 425).
bool takes_tags(const Version& python, const std::string& tag, const std::string& abi) {
  if (!takes_abi(python, abi)) return false;
  if (tag == own_tag(python)) return true;
  const std::string digit = std::to_string(python.numbers().front());
  const std::string_view kind = std::string_view(tag).substr(0, 2);
  const std::string_view rest = std::string_view(tag).substr(std::min<std::size_t>(tag.size(), 2));
  if (!starts_with(rest, digit)) return false;
  const std::optional<std::uint64_t> minor = parse_decimal(rest.substr(1));
  if (kind == "py") return abi == "none" && (rest == digit || (minor && *minor <= second_number(python)));
  return kind == "cp" && abi == "abi3" && minor && *minor >= 2 && *minor <= second_number(python);
}

}  // namespace

std::optional<WheelName> WheelName::parse(std::string_view file) {
  if (!ends_with(file, ".whl") || file.find(' ') != file.npos) return std::nullopt;
  const std::vector<std::string> parts = split(file.substr(0, file.size() - 4), '-');
  if (parts.size() != 5 && parts.size() != 6) return std::nullopt;
  if (parts[0].empty() || parts[1].empty()) return std::nullopt;
  const std::string build = parts.size() == 6 ? parts[2] : "";
  if (parts.size() == 6 && (build.empty() || build[0] < '0' || build[0] > '9')) return std::nullopt;
  const std::size_t tags = parts.size() - 3;
  if (!is_tag(parts[tags]) || !is_tag(parts[tags + 1]) || !is_tag(parts[tags + 2])) return std::nullopt;
  return WheelName{
      parts[0], parts[1], build, lower_case(parts[tags]), lower_case(parts[tags + 1]), lower_case(parts[tags + 2])};
}

std::vector<Version> pythons_for(const WheelName& name, const Image& image) {
  std::vector<Version> pythons;
  for (const Version& python : image.python) {
    const bool is_taken = std::ranges::any_of(split(name.python, '.'), [&](const std::string& tag) {
      return std::ranges::any_of(split(name.abi, '.'),
                                 [&](const std::string& abi) { return takes_tags(python, tag, abi); });
    });
    if (is_taken) pythons.push_back(python);
  }
  return pythons;
}

std::optional<Version> glibc_of_platform(const PlatformTable& table, const std::string& platform) {
  constexpr std::string_view kBegin = "manylinux_";
  if (starts_with(platform, kBegin)) {
    std::string version = platform.substr(kBegin.size());
    if (std::ranges::count(version, '_') != 1) return std::nullopt;
    std::ranges::replace(version, '_', '.');
    return Version::parse(version);
  }
  const Platform* const known = table.find_platform(platform);
  const Version* const glibc = known ? find_value(known->limits, std::string("GLIBC")) : nullptr;
  return glibc ? std::optional(*glibc) : std::nullopt;
}

PlatformFit platform_fit(const WheelName& name, const WheelTarget& target) {
  const std::string end = "_" + target.arch();
  PlatformFit fit;
  std::optional<Version> claimed;
  const auto fits = [&](const Version& pip) {
    if (!fit.is_installable || pip < fit.pip) fit.pip = pip;
    fit.is_installable = true;
  };
  for (const std::string& tag : split(name.platform, '.')) {
    if (tag == "any" || ends_with(tag, end)) fit.is_for_arch = true;
    if (tag == "any" || tag == "linux" + end) fits(Version());
    if (!ends_with(tag, end)) continue;
    const std::string platform = tag.substr(0, tag.size() - end.size());
    const std::optional<Version> glibc = glibc_of_platform(target.catalog.platforms, platform);
    if (!glibc || *glibc < kFirstGlibcOfArm) continue;
    if (!target.image.glibc || *glibc <= *target.image.glibc)
      fits(starts_with(platform, "manylinux_") ? kFirstPipOfAny : kFirstPipOf2014);
    if (claimed && *claimed <= *glibc) continue;
    claimed = glibc;
    fit.claim = platform;
  }
  return fit;
}

std::string debian_triplet(const std::string& arch) {
  return arch == "armv7l" ? "arm-linux-gnueabihf" : arch + "-linux-gnu";
}

std::vector<std::string> extension_suffixes(const Version& python, const std::string& arch) {
  const std::string triplet = debian_triplet(arch);
  if (python.numbers().front() == 2) return {concat(".", triplet, ".so"), ".so"};
  const std::string abi = concat("cpython-3", second_number(python), second_number(python) < 8 ? "m" : "");
  return {concat(".", abi, "-", triplet, ".so"), ".abi3.so", ".so"};
}

}  // namespace torchpatch::trees
