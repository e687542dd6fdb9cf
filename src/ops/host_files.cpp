// SPDX-License-Identifier: BSD-3-Clause
#include "ops/host_files.h"

#include <optional>

#include "ops/read_host.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {
namespace {

constexpr std::uint64_t kMostBytes = 4 << 20;  // cpuinfo of a large server has some hundred kilobytes

/// Returns the lines of a file; none where it cannot be read.
std::vector<std::string> lines_of(const std::string& path) {
  try {
    return file_exists(path) ? split(read_file(path, kMostBytes), '\n') : std::vector<std::string>{};
  } catch (const Error&) {
    return {};
  }
}

/// Returns what stands behind the first of `separators` in the first line that begins with `key` alone, or empty text.
std::string value_of(const std::vector<std::string>& lines, const std::string& key, char separator) {
  for (const std::string& line : lines) {
    const std::size_t place = line.find(separator);
    if (place != std::string::npos && trim(std::string_view(line).substr(0, place)) == key) {
      return std::string(trim(std::string_view(line).substr(place + 1)));
    }
  }
  return {};
}

std::string without_quotes(const std::string& text) {
  const bool is_quoted = text.size() > 1 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

/// "ubuntu-18.04" of ID and VERSION_ID, os-release(5).
void read_os(const std::string& root, HostFacts& host) {
  std::vector<std::string> lines = lines_of(root + "/etc/os-release");
  if (lines.empty()) lines = lines_of(root + "/usr/lib/os-release");
  host.os = without_quotes(value_of(lines, "ID", '='));
  const std::string version = without_quotes(value_of(lines, "VERSION_ID", '='));
  if (!host.os.empty() && !version.empty()) host.os += "-" + version;
}

void read_cpu(const std::string& root, HostFacts& host) {
  const std::vector<std::string> lines = lines_of(root + "/proc/cpuinfo");
  const std::string arm = value_of(lines, "Features", ':');
  for (const std::string& name : split(arm.empty() ? value_of(lines, "flags", ':') : arm, ' ')) {
    if (!name.empty()) host.cpu_features.push_back(name);
  }
}

/// "MemTotal:       8167924 kB"
std::optional<std::int64_t> mib_of(const std::vector<std::string>& lines, const std::string& key) {
  const auto kib = parse_decimal(split(value_of(lines, key, ':'), ' ').front());
  return kib ? std::optional(static_cast<std::int64_t>(*kib / 1024)) : std::nullopt;
}

void set_version(HostFacts& host, const std::string& tool, const std::optional<Version>& version,
                 const std::string& file) {
  if (version && !host.tools[tool].version) host.tools[tool] = {version, false, file};
}

/// version.json since CUDA 11.1, version.txt before.
void read_cuda(const std::string& cuda, HostFacts& host) {
  const std::vector<std::string> json = lines_of(cuda + "/version.json");
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (value_of({json[i]}, "\"cuda\"", ':').empty()) continue;
    const std::vector<std::string> object(json.begin() + static_cast<std::ptrdiff_t>(i), json.end());
    set_version(host, "cuda", first_version(value_of(object, "\"version\"", ':')), cuda + "/version.json");
  }
  const std::vector<std::string> text = lines_of(cuda + "/version.txt");
  if (!text.empty()) set_version(host, "cuda", first_version(text.front()), cuda + "/version.txt");
}

/// Returns the number of "#define NAME 8", or empty text.
std::string defined_number(const std::vector<std::string>& lines, const std::string& name) {
  const std::string start = concat("#define ", name, " ");
  for (const std::string& line : lines) {
    if (starts_with(line, start)) return std::string(trim(std::string_view(line).substr(start.size())));
  }
  return {};
}

/// cudnn_version.h since cuDNN 8, cudnn.h before.
void read_cudnn(const std::string& directory, HostFacts& host) {
  for (const char* name : {"/cudnn_version.h", "/cudnn.h"}) {
    const std::vector<std::string> lines = lines_of(directory + name);
    const std::string text = concat(defined_number(lines, "CUDNN_MAJOR"), ".", defined_number(lines, "CUDNN_MINOR"),
                                    ".", defined_number(lines, "CUDNN_PATCHLEVEL"));
    set_version(host, "cudnn", Version::parse(text), directory + name);
  }
}

}  // namespace

void read_host_files(const std::string& root, const std::string& cuda_home, HostFacts& host) {
  read_os(root, host);
  read_cpu(root, host);
  const std::vector<std::string> memory = lines_of(root + "/proc/meminfo");
  host.memory_mib = mib_of(memory, "MemTotal");
  host.swap_mib = mib_of(memory, "SwapTotal");
  const std::string usual = root + "/usr/local/cuda";
  for (const std::string& cuda : cuda_home.empty() ? std::vector{usual} : std::vector{cuda_home, usual}) {
    read_cuda(cuda, host);
    read_cudnn(cuda + "/include", host);
  }
  for (const char* arch : {"/", "/aarch64-linux-gnu/", "/x86_64-linux-gnu/"}) {
    read_cudnn(concat(root, "/usr/include", arch), host);
  }
}

}  // namespace torchpatch::ops
