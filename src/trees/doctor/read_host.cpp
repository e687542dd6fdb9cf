// SPDX-License-Identifier: BSD-3-Clause
#include "trees/doctor/doctor.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::trees {

extern const std::string_view kPackageVersions;  // package_versions.py, as embedded by cmake/embed.cmake

namespace {

constexpr std::uint64_t kMostBytes = 4 << 20;  // cpuinfo of a large server has several hundred kilobytes

/// Returns the text after the first `separator` in the first line with exactly this key, or empty text.
std::string value_of(const std::vector<std::string>& lines, const std::string& key, char separator) {
  for (const std::string& line : lines) {
    const std::size_t place = line.find(separator);
    if (place != std::string::npos && trim(std::string_view(line).substr(0, place)) == key)
      return std::string(trim(std::string_view(line).substr(place + 1)));
  }
  return {};
}

std::string without_quotes(const std::string& text) {
  const bool is_quoted = text.size() > 1 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

void read_cpu(const std::string& root, HostFacts& host) {
  const std::vector<std::string> lines = lines_of_file(root + "/proc/cpuinfo");
  const std::string arm = value_of(lines, "Features", ':');
  for (const std::string& name : split(arm.empty() ? value_of(lines, "flags", ':') : arm, ' '))
    if (!name.empty()) host.cpu_features.push_back(name);
}

/// Parses "MemTotal:       8167924 kB".
std::optional<std::int64_t> mib_of(const std::vector<std::string>& lines, const std::string& key) {
  const auto kib = parse_decimal(split(value_of(lines, key, ':'), ' ').front());
  return kib ? std::optional(static_cast<std::int64_t>(*kib / 1024)) : std::nullopt;
}

void set_version(HostFacts& host, const std::string& tool, const std::optional<Version>& version,
                 const std::string& file) {
  if (version && !host.tools[tool].version) host.tools[tool] = {version, false, file};
}

/// Reads version.json (CUDA 11.1 and later) or version.txt.
void read_cuda(const std::string& cuda, HostFacts& host) {
  const std::vector<std::string> json = lines_of_file(cuda + "/version.json");
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (value_of({json[i]}, "\"cuda\"", ':').empty()) continue;
    const std::vector<std::string> object(json.begin() + static_cast<std::ptrdiff_t>(i), json.end());
    set_version(host, "cuda", first_version(value_of(object, "\"version\"", ':')), cuda + "/version.json");
  }
  const std::vector<std::string> text = lines_of_file(cuda + "/version.txt");
  if (!text.empty()) set_version(host, "cuda", first_version(text.front()), cuda + "/version.txt");
}

/// Returns the number in "#define NAME 8", or empty text.
std::string defined_number(const std::vector<std::string>& lines, const std::string& name) {
  const std::string start = concat("#define ", name, " ");
  for (const std::string& line : lines)
    if (starts_with(line, start)) return std::string(trim(std::string_view(line).substr(start.size())));
  return {};
}

/// Reads cudnn_version.h (cuDNN 8 and later) or cudnn.h.
void read_cudnn(const std::string& directory, HostFacts& host) {
  for (const char* name : {"/cudnn_version.h", "/cudnn.h"}) {
    const std::vector<std::string> lines = lines_of_file(directory + name);
    const std::string text = concat(defined_number(lines, "CUDNN_MAJOR"), ".", defined_number(lines, "CUDNN_MINOR"),
                                    ".", defined_number(lines, "CUDNN_PATCHLEVEL"));
    set_version(host, "cudnn", Version::parse(text), directory + name);
  }
}

constexpr const char* kDigits = "0123456789";

/// A program, and how its output becomes a fact.
struct Question {
  std::string name;
  std::vector<std::string> argv;
};

std::string variable(const HostPlaces& places, const std::string& name) {
  const std::string* const value = find_value(places.variables, name);
  return value ? *value : std::string();
}

/// CUDA's compiler is often not in PATH; builds then use that of CUDA_HOME or /usr/local/cuda.
std::string nvcc_of(const HostPlaces& places) {
  const std::string home = variable(places, "CUDA_HOME");
  for (const std::string& name : {home + "/bin/nvcc", std::string("nvcc"), places.root + "/usr/local/cuda/bin/nvcc"}) {
    if (home.empty() && name == "/bin/nvcc") continue;
    std::string path = find_program(name, variable(places, "PATH"));
    if (!path.empty()) return path;
  }
  return {};
}

/// Returns the compiler that a build passes to nvcc, or empty text: nvcc chooses.
std::string nvcc_compiler(const HostPlaces& places) {
  const std::string named = variable(places, "CUDAHOSTCXX");
  if (!named.empty() || places.nvcc_variable == "-") return named;
  const std::string compiler = variable(places, places.nvcc_variable);
  return compiler.empty() ? "cc" : split(compiler, ' ').back();  // "ccache gcc"
}

/// Returns the query for the header that refuses compilers, and for the compiler's macros.
Question nvcc_question(const HostPlaces& places) {
  Question question{"nvcc-gcc", {nvcc_of(places)}};
  if (const std::string compiler = nvcc_compiler(places); !compiler.empty())
    question.argv.insert(question.argv.end(), {"-ccbin", compiler});
  question.argv.insert(question.argv.end(), {"-E", "-Xcompiler", "-dM", "-x", "c++", "-D__CUDACC__", "--pre-include",
                                             "crt/host_config.h", "/dev/null"});
  return question;
}

std::vector<Question> questions(const HostPlaces& places) {
  const std::string named = variable(places, "PYTHON"), python = named.empty() ? "python3" : named;
  std::vector<Question> questions = {
      {"arch", {"uname", "-m"}},
      {"bits", {"getconf", "LONG_BIT"}},
      {"processors", {"getconf", "_NPROCESSORS_ONLN"}},
      {"glibc", {"getconf", "GNU_LIBC_VERSION"}},
      {"gcc", {"gcc", "-dumpfullversion", "-dumpversion"}},
      {"cmake", {"cmake", "--version"}},
      {"ninja", {"ninja", "--version"}},
      {"python", {python, "-c", "import sys; print(\"%d.%d.%d\" % sys.version_info[:3])"}},
      {"cuda", {nvcc_of(places), "--version"}},
      nvcc_question(places),
      {"packages", {python, "-c", std::string(kPackageVersions)}},
  };
  std::vector<std::string>& argv = questions.back().argv;
  argv.insert(argv.end(), places.packages.begin(), places.packages.end());
  return questions;
}

/// Runs in /, so that Python does not import anything from the current directory.
ProgramRun run_of(const Question& question, const std::string& program, const HostPlaces& places) {
  ProgramRun run{question.argv, {}, "/", places.patience};
  run.argv[0] = program;
  for (const auto& [name, value] : places.variables)
    if (!starts_with(name, "LC_") && name != "PYTHONDONTWRITEBYTECODE") run.environment.emplace_back(name, value);
  run.environment.emplace_back("LC_ALL", "C");
  run.environment.emplace_back("PYTHONDONTWRITEBYTECODE", "1");
  return run;
}

struct ToolAnswer {
  std::string out;  ///< empty if there is none
  std::string err;
  std::string program;  ///< its path, or empty: not found
  std::string problem;
};
using ToolAnswers = std::map<std::string, ToolAnswer>;

ToolAnswers ask(const HostPlaces& places) {
  ToolAnswers answers;
  std::optional<TempDir> scratch;
  std::vector<ProgramRun> runs;
  std::vector<std::string> names;
  for (const Question& question : questions(places)) {
    const std::string program =
        question.argv[0].empty() ? "" : find_program(question.argv[0], variable(places, "PATH"));
    answers[question.name] = {{}, {}, program, concat(quote(question.argv[0]), " is not in PATH")};
    if (program.empty()) continue;
    runs.push_back(run_of(question, program, places));
    names.push_back(question.name);
    if (question.name != "nvcc-gcc") continue;
    scratch.emplace();  // nvcc leaves files behind if it is stopped
    std::erase_if(runs.back().environment, [](const auto& variable) { return variable.first == "TMPDIR"; });
    runs.back().environment.emplace_back("TMPDIR", scratch->path());
  }
  const std::vector<ProgramResult> results = run_programs(runs, 4);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ProgramResult& result = results[i];
    ToolAnswer& answer = answers[names[i]];
    answer.problem = result.timed_out
                         ? concat(quote(answer.program), " did not end in ", places.patience.count(), " seconds")
                         : concat(quote(answer.program), " prints no version");
    if (result.exit_code == 0 || names[i] == "nvcc-gcc") answer.out = result.out;  // printed even if nvcc refuses
    answer.err = result.err;
  }
  return answers;
}

/// Parses "Cuda compilation tools, release 10.2, V10.2.300", which has a year before it.
std::string version_part(const std::string& name, const std::string& out) {
  const std::size_t release = name == "cuda" ? out.find("release ") : std::string::npos;
  return release == std::string::npos ? out : out.substr(release);
}

void read_tools(const ToolAnswers& answers, HostFacts& host) {
  for (const char* name : {"glibc", "gcc", "cmake", "ninja", "python", "cuda"}) {
    const ToolAnswer& answer = answers.at(name);
    const std::optional<Version> version = first_version(version_part(name, answer.out));
    host.tools[name] = {version, answer.program.empty() && name != std::string("glibc"),
                        version ? answer.program : answer.problem};
  }
}

/// A clang remains unknown: the header's limits for it are not read.
void read_nvcc_compiler(const ToolAnswer& answer, HostFacts& host) {
  const std::vector<std::string> macros = split(answer.out, '\n');
  const std::string text = concat(defined_number(macros, "__GNUC__"), ".", defined_number(macros, "__GNUC_MINOR__"),
                                  ".", defined_number(macros, "__GNUC_PATCHLEVEL__"));
  const bool is_clang = !defined_number(macros, "__clang__").empty();
  if (!is_clang) set_version(host, "nvcc-gcc", Version::parse(text), answer.program);
  constexpr std::string_view kRefusal = "gcc versions later than ";
  if (const std::size_t begin = answer.err.find(kRefusal); begin != std::string::npos)
    host.newest_nvcc_gcc = first_version(std::string_view(answer.err).substr(begin + kRefusal.size()));
}

void read_packages(const HostPlaces& places, const ToolAnswer& answer, HostFacts& host) {
  for (const std::string& name : places.packages) host.tools[name].origin = answer.problem;
  for (const std::string& line : split(answer.out, '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    if (words.size() != 2 || host.tools.count(words[0]) == 0) continue;
    const bool is_missing = words[1] == "none";
    host.tools[words[0]] = {first_version(words[1]), is_missing, answer.program};
  }
}

/// Sets os, cpu_features, memory, swap, and the tools cuda and cudnn from files below `root`. As in builds, `cuda_home`
/// is tried first; empty = none.
void read_host_files(const std::string& root, const std::string& cuda_home, HostFacts& host) {
  host.os = read_os(root);
  read_cpu(root, host);
  const std::vector<std::string> memory = lines_of_file(root + "/proc/meminfo");
  host.memory_mib = mib_of(memory, "MemTotal");
  host.swap_mib = mib_of(memory, "SwapTotal");
  const std::string usual = root + "/usr/local/cuda";
  for (const std::string& cuda : cuda_home.empty() ? std::vector{usual} : std::vector{cuda_home, usual}) {
    read_cuda(cuda, host);
    read_cudnn(cuda + "/include", host);
  }
  for (const char* arch : {"/", "/aarch64-linux-gnu/", "/x86_64-linux-gnu/"})
    read_cudnn(concat(root, "/usr/include", arch), host);
}

}  // namespace

std::vector<std::string> lines_of_file(const std::string& path) {
  try {
    std::string text = file_exists(path) ? read_file(path, kMostBytes) : "";
    std::ranges::replace(text, '\0', '\n');
    return split(trim(text), '\n');
  } catch (const Error&) {
    return {};
  }
}

std::string read_os(const std::string& root) {
  // A link in a root may lead out of it; if etc/os-release is one, usr/lib has the file (os-release(5)).
  std::vector<std::string> lines;
  for (const char* const file : {"/etc/os-release", "/usr/lib/os-release"})
    if (lines.empty() && (root.empty() || type_at(root + file) == S_IFREG)) lines = lines_of_file(root + file);
  std::string id = without_quotes(value_of(lines, "ID", '='));
  if (id == "amzn") id = "amazon-linux";
  if (file_exists(root + "/etc/rpi-issue")) id = "raspios";  // whose os-release is Debian's or Raspbian's
  const std::string version = without_quotes(value_of(lines, "VERSION_ID", '='));
  return id.empty() || version.empty() ? id : concat(id, "-", version);
}

std::optional<Version> first_version(std::string_view text) {
  const std::size_t begin = text.find_first_of(kDigits);
  if (begin == std::string_view::npos) return std::nullopt;
  text = text.substr(begin);
  text = text.substr(0, text.find_first_not_of("0123456789."));
  while (!text.empty() && text.back() == '.') text.remove_suffix(1);
  return Version::parse(text);
}

HostFacts read_host(const HostPlaces& places) {
  HostFacts host;
  const ToolAnswers answers = ask(places);
  const auto line = [&](const char* name) { return std::string(trim(answers.at(name).out)); };
  host.arch = line("arch");
  if (line("bits") == "32")  // a 32-bit system on a 64-bit kernel reports the kernel's machine
    host.arch = host.arch == "aarch64" ? "armv7l" : host.arch == "x86_64" ? "i686" : host.arch;
  if (const auto count = parse_decimal(line("processors"))) host.processors = static_cast<std::int64_t>(*count);
  std::error_code failed;
  const std::filesystem::space_info space = std::filesystem::space(places.directory, failed);
  if (!failed) host.disk_mib = static_cast<std::int64_t>(space.available >> 20);
  read_tools(answers, host);
  read_nvcc_compiler(answers.at("nvcc-gcc"), host);
  read_packages(places, answers.at("packages"), host);
  read_host_files(places.root == "/" ? "" : places.root, variable(places, "CUDA_HOME"), host);
  host.tools["cudnn"].is_missing = !host.tools["cudnn"].version;
  HostTool& cuda = host.tools["cuda"];
  cuda.is_missing = cuda.is_missing && !cuda.version;
  return host;
}

}  // namespace torchpatch::trees
