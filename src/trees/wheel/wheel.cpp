// SPDX-License-Identifier: BSD-3-Clause
#include "trees/wheel/wheel.h"

#include <algorithm>
#include <functional>

#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

/// libtorch_cuda has more than a gigabyte.
constexpr std::uint64_t kMaxMemberBytes = 3ull << 30;
/// Limits of source directories reported and searched per file.
constexpr std::size_t kMaxBuildPaths = 5, kMostBuildPathsFound = 1000;
constexpr std::size_t kLongestPath = 4096;  ///< in Linux
/// Limit of reported problems of RECORD; a wheel of torch has about ten thousand files.
constexpr std::size_t kMaxRecordProblems = 1000;
/// Files in a .dist-info directory that pip reads at installation.
constexpr auto kReadByPip = std::to_array<std::string_view>({"METADATA", "WHEEL", "RECORD", "entry_points.txt"});
/// Third numbers of a Python to consider if only two are known: no system has the first of them.
constexpr int kMostReleases = 40;
/// Paths of sources in trees of PyTorch and its companions.
constexpr auto kSourceMarks = std::to_array<std::string_view>(
    {"/aten/src/", "/torch/csrc/", "/third_party/", "/c10/", "/caffe2/", "/torchvision/csrc/", "/torchaudio/csrc/"});
/// Beginnings of C++ names in torch's libraries after "_ZN" or "_ZNK".
constexpr auto kTorchNames = std::to_array<std::string_view>({"2at", "3c10", "5torch", "6caffe2"});

bool is_name_of_torch(std::string_view name) {
  if (!starts_with(name, "_ZN")) return false;
  name.remove_prefix(name.size() > 3 && name[3] == 'K' ? 4 : 3);
  return std::ranges::any_of(kTorchNames, [&](std::string_view begin) { return starts_with(name, begin); });
}

bool is_path_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/._+-~@").find(c) != std::string_view::npos;
}

/// Returns the absolute directories before source paths, without duplicates: they occur in debug information and
/// assertion messages.
std::vector<std::string> find_build_paths(std::string_view bytes) {
  std::set<std::string> found;
  for (const std::string_view mark : kSourceMarks) {
    ByteSteps steps;
    // Only the first occurrence in each path counts: later ones are inside it.
    for (std::size_t at = bytes.find(mark), end = 0; at != bytes.npos; at = bytes.find(mark, end)) {
      steps.at(at);
      std::size_t begin = at;
      while (begin > end && at - begin < kLongestPath && is_path_byte(bytes[begin - 1])) --begin;
      end = at + mark.size();
      if (begin == at) continue;
      const std::string_view directory = bytes.substr(begin, at - begin);
      const std::string_view first = directory.substr(0, directory.find("/build/aten"));
      const bool is_absolute = first.size() > 1 && first.front() == '/' && first[1] != '/';  // "//" is part of a URL
      if (is_absolute && !starts_with(first, "/usr/")) found.emplace(first);
      if (found.size() >= kMostBuildPathsFound) break;
      while (end < bytes.size() && is_path_byte(bytes[end])) ++end;
    }
  }
  // Directories inside a reported one, such as pytorch/third_party/onnx, are skipped.
  std::vector<std::string> outer;
  for (const std::string& path : found)
    if (outer.empty() || !starts_with(path, outer.back() + "/")) outer.push_back(path);
  if (outer.size() > kMaxBuildPaths) outer.resize(kMaxBuildPaths);
  return outer;
}

/// Reads parts that can be damaged without affecting the rest.
void read_code(const elf::ElfFile& file, const WheelQuestions& questions, WheelElf& read) {
  try {
    if (questions.with_code) read.uses = elf::find_extension_uses(file, questions.extensions);
    if (questions.with_code) read.gpu = elf::find_gpu_code(file);
    if (questions.kernels_for) read.kernels = elf::find_gpu_kernels(file, *questions.kernels_for);
  } catch (const Error& error) {
    read.part_damage = error.message();
  }
}

/// Returns the names from torch's C++ code. A name that occurs twice in the file may be returned twice.
std::vector<std::string> names_of_torch(const elf::ElfFile& file, std::vector<std::string_view> names) {
  std::ranges::sort(names, std::less(), [](std::string_view name) { return name.data(); });
  std::vector<std::string> kept;
  const char* before = nullptr;
  for (const std::string_view name : names) {
    if (name.data() == std::exchange(before, name.data()) || !is_name_of_torch(name)) continue;
    file.note_kept(name.size());
    kept.emplace_back(name);
  }
  return kept;
}

/// Returns the names of Python's C API that a module uses.
std::vector<std::string> find_python_names(const elf::ElfFile& file) {
  std::set<std::string> names;
  for (const std::string_view name : elf::find_symbol_names(file).imports) {
    if (!starts_with(name, "Py") && !starts_with(name, "_Py")) continue;
    file.note_kept(name.size());
    names.emplace(name);
  }
  return {names.begin(), names.end()};
}

/// import_array() in NumPy 1's headers uses the module with NumPy 1's function tables, in NumPy 2's also that of NumPy
/// 2 (numpy/__multiarray_api.h); pybind11 does so too from 2.12 on.
bool is_for_numpy_1(const elf::ElfFile& file) {
  const auto* const texts = find_where(file.sections(), [](const auto& section) { return section.name == ".rodata"; });
  const auto has = [&](const char* text) { return texts->bytes.find(text) != std::string_view::npos; };
  return texts && (has("_ARRAY_API") || has("_UFUNC_API")) && has("numpy.core") && !has("numpy._core");
}

WheelElf read_elf(const archive::Member& member, const WheelQuestions& questions, bool is_of_stable_abi = false) {
  WheelElf read;
  read.path = member.path;
  try {
    const elf::ElfFile file(member.bytes, member.path);
    read.facts = file.facts();
    read.build_paths = find_build_paths(member.bytes);
    read.is_for_numpy_1 = is_for_numpy_1(file);
    if (is_of_stable_abi) read.python_names = find_python_names(file);
    if (questions.with_exports) {
      elf::SymbolNames names = elf::find_symbol_names(file);
      read.imports = names_of_torch(file, std::move(names.imports));
      read.exports = names_of_torch(file, std::move(names.exports));
    }
    read_code(file, questions, read);
  } catch (const Error& error) {
    read.damage = error.message();
  }
  return read;
}

/// Removes and returns the first line of a text.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// Removes and returns the first line of a text, by Python's rules (str.splitlines).
std::string_view take_python_line(std::string_view& text) {
  std::size_t end = text.find_first_of("\n\r\v\f\x1c\x1d\x1e");
  std::size_t behind = text.substr(std::min(end, text.size())).starts_with("\r\n") ? 2 : 1;
  for (const std::string_view mark : {"\u0085", "\u2028", "\u2029"}) {
    const std::size_t at = text.substr(0, end).find(mark);
    if (at == text.npos) continue;
    end = at;
    behind = mark.size();
  }
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + behind);
  return line;
}

/// Returns the values of a header of METADATA or WHEEL like Python's email.parser: lines "Name: value" up to the first
/// line that is neither a header nor a continuation.
std::vector<std::string> header_values(std::string_view text, std::string_view name) {
  std::vector<std::string> values;
  bool is_wanted = false;  // the header that a line continues
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (starts_with(line, " ") || starts_with(line, "\t")) {
      if (is_wanted) values.back().append(values.back().empty() ? "" : " ").append(trim(line));
      continue;
    }
    const std::size_t colon = line.find(':');
    const auto is_of_name = [](char c) { return c > ' ' && c < '\x7f'; };
    if (colon == line.npos || !std::ranges::all_of(line.substr(0, colon), is_of_name)) break;
    is_wanted = lower_case(line.substr(0, colon)) == lower_case(name);
    if (is_wanted) values.emplace_back(trim(line.substr(colon + 1)));
  }
  return values;
}

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/// Returns whether an entry point's value is a module and an object, "torch.cli:main", as parsed by pip's distlib.
bool names_callable(std::string_view value) {
  std::size_t at = 0, colons = 0;
  const auto word = [&](std::size_t from) {
    while (from < value.size() && is_word_byte(value[from])) ++from;
    return from;
  };
  for (std::size_t end = word(0); end > at;) {
    at = end;
    if (at == value.size() || (value[at] != ':' && value[at] != '.') || word(at + 1) == at + 1) break;
    colons += value[at] == ':';
    end = word(at + 1);
  }
  return colons == 1;
}

/// Returns the fields of a line of comma-separated values, as written by Python's csv (RFC 4180).
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (is_quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (c == '"')
      is_quoted = !is_quoted;
    else if (c == ',' && !is_quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

/// Orders paths so that a path is directly followed by those below it.
struct ByParts {
  bool operator()(const std::string& one, const std::string& other) const {
    return std::ranges::lexicographical_compare(one, other, {}, key, key);
  }
  static int key(char c) { return c == '/' ? -1 : static_cast<unsigned char>(c); }
};

class WheelReader {
 public:
  WheelReader(const WheelQuestions& questions, const std::string& name) : questions_(questions), name_(name) {
    const std::optional<WheelName> tags = WheelName::parse(base_name(name));
    has_stable_tag_ = tags && std::ranges::count(split(tags->abi, '.'), "abi3") > 0;
  }

  void take(const archive::Member& member) {
    note_step();
    const std::string top = member.path.substr(0, member.path.find('/'));
    if (ends_with(top, ".dist-info") && information_.insert(top).second) contents_.information.push_back(top);
    if (member.type == archive::MemberType::directory) return;
    contents_.paths.push_back(member.path);
    if (!installed_.insert(installed_path(member.path)).second)
      refuse(concat(quote(member.path), " is installed over another member"));
    digests_[member.path] = {record_digest(sha256(member.bytes)), concat(member.bytes.size())};
    // Also for links: pip writes the target's text into a file.
    if (elf::ElfFile::is_elf(member.bytes))
      contents_.elf_files.push_back(read_elf(member, questions_, is_of_stable_abi(module_suffix(member.path))));
    else if (is_named_as_library(member.path))
      contents_.not_elf.push_back(member.path);
    const std::vector<std::string> parts = split(member.path, '/');
    if (parts.size() != 2 || !ends_with(top, ".dist-info")) return;
    const bool is_read_by_pip = std::ranges::count(kReadByPip, parts.back()) > 0;
    if (is_read_by_pip && !is_valid_utf8(member.bytes)) contents_.refusals.push_back(parts.back() + " is not UTF-8");
    const auto first = [&](const char* name) {
      const std::vector<std::string> values = header_values(member.bytes, name);
      return values.empty() ? "" : values.front();
    };
    if (parts.back() == "METADATA") {
      contents_.name = first("Name");
      contents_.version = first("Version");
      contents_.requires_python = first("Requires-Python");
      for (const std::string& wanted : header_values(member.bytes, "Requires-Dist")) take_requirement(wanted);
    } else if (parts.back() == "WHEEL") {
      has_wheel_ = true;
      contents_.tags = header_values(member.bytes, "Tag");
      check_wheel_version(first("Wheel-Version"));
    } else if (parts.back() == "entry_points.txt") {
      check_entry_points(member.bytes);
    } else if (parts.back() == "RECORD") {
      contents_.has_record = true;
      record_ = member.bytes;
      record_path_ = member.path;
    }
  }

  WheelContents finish() {
    const std::string* before = nullptr;
    for (const std::string& path : installed_) {
      if (before && starts_with(path, *before) && path[before->size()] == '/')
        refuse(concat(quote(path), " is installed below another member"));
      before = &path;
    }
    if (!has_wheel_) contents_.refusals.push_back("its .dist-info lacks WHEEL");
    if (contents_.has_record) check_record();
    return std::move(contents_);
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorKind::unsafe, concat("reading the wheel ", quote(name_), ": ", reason));
  }

  /// Returns whether a module with this suffix must use only the stable ABI.
  bool is_of_stable_abi(const std::string& suffix) const {
    return suffix == ".abi3.so" || (suffix == ".so" && has_stable_tag_);
  }

  /// Parses "numpy>=1.21,<2; python_version < '3.12'", or with brackets as in METADATA before 2.1.
  void take_requirement(const std::string& text) {
    const std::string wanted(trim(std::string_view(text).substr(0, text.find(';'))));
    const std::size_t end = std::min(wanted.find_first_of(" (<>=!~["), wanted.size());
    if (canonical_project(wanted.substr(0, end)) != "numpy") return;
    std::string versions = wanted.substr(end);
    std::erase_if(versions, [](char c) { return c == '(' || c == ')' || c == ' '; });
    if (!versions.empty()) contents_.requires_numpy += (contents_.requires_numpy.empty() ? "" : ",") + versions;
  }

  /// pip installs version 1, and warns about later than 1.0.
  void check_wheel_version(const std::string& version) {
    const std::vector<std::string> parts = split(version, '.');
    const auto is_number = [](const std::string& part) { return parse_decimal(part).has_value(); };
    const bool is_one = std::ranges::all_of(parts, is_number) && *parse_decimal(parts.front()) <= 1;
    if (!is_one)
      contents_.refusals.push_back(version.empty() ? "WHEEL has no Wheel-Version" : "Wheel-Version is " + version);
  }

  /// pip writes scripts from them.
  void check_entry_points(std::string_view text) {
    std::string_view group;
    while (!text.empty() && contents_.refusals.size() < kMaxRecordProblems) {
      const std::string_view line = trim(take_python_line(text));
      const std::size_t equals = line.find('=');
      const std::string_view name = trim(line.substr(0, equals));
      if (line.empty() || line.front() == '#') continue;
      if (line.front() == '[' && line.back() == ']') {
        group = line;
      } else if (!group.empty() && equals == line.npos) {
        contents_.refusals.push_back(concat("entry_points.txt has the line ", printable(line)));
      } else if (group == "[console_scripts]" || group == "[gui_scripts]") {
        if (name.find('/') != name.npos) refuse(concat("the script ", quote(name), " would be written elsewhere"));
        if (!names_callable(trim(line.substr(equals + 1))))
          contents_.refusals.push_back(concat("the entry point ", printable(line), " has no callable"));
      }
    }
  }

  void check_record() {
    bool has_empty_line = false;
    std::map<std::string, Recorded> rest = digests_;
    std::string_view text = record_;
    ByteSteps steps;
    while (!text.empty()) {
      steps.at(record_.size() - text.size());
      const std::string_view line = take_python_line(text);
      has_empty_line = has_empty_line || line.empty();
      if (trim(line).empty()) continue;
      const std::vector<std::string> fields = csv_fields(trim(line));
      const auto found = digests_.find(fields.front());
      if (found == digests_.end()) {
        problem(fields.front(), "is in RECORD but not in the wheel");
        continue;
      }
      rest.erase(fields.front());
      if (is_of_record(fields.front())) continue;
      const std::string digest = fields.size() > 1 ? fields[1] : "", size = fields.size() > 2 ? fields[2] : "";
      const bool is_size = size.empty() || size == found->second.size;
      if (is_size && digest == found->second.digest) continue;
      if (!is_size || starts_with(digest, "sha256="))
        problem(fields.front(), "differs from RECORD");
      else if (digest.empty())
        problem(fields.front(), "has no digest in RECORD");
      else
        problem(fields.front(), "has no SHA-256 in RECORD, so it was not compared", true);
    }
    if (has_empty_line) contents_.refusals.push_back("RECORD has an empty line");
    for (const auto& [path, recorded] : rest)
      if (!is_of_record(path)) problem(path, "is in the wheel but not in RECORD");
  }

  /// RECORD has no digest of itself or its signatures (PEP 427).
  bool is_of_record(const std::string& path) const {
    return path == record_path_ || path == record_path_ + ".jws" || path == record_path_ + ".p7s";
  }

  void problem(const std::string& path, const std::string& text, bool is_unchecked = false) {
    if (contents_.record_problems.size() < kMaxRecordProblems)
      contents_.record_problems.push_back({path, text, is_unchecked});
  }

  /// An entry of RECORD.
  struct Recorded {
    std::string digest, size;
  };

  const WheelQuestions& questions_;
  const std::string& name_;
  WheelContents contents_;
  std::set<std::string, ByParts> installed_;
  std::set<std::string> information_;
  bool has_wheel_ = false, has_stable_tag_ = false;
  std::map<std::string, Recorded> digests_;  ///< by path
  std::string record_, record_path_;
};

}  // namespace

std::string module_suffix(std::string_view path) {
  const std::string_view base = path.substr(path.rfind('/') + 1);
  const std::size_t dot = base.find('.');
  const bool is_module = !starts_with(base, "lib") && dot != base.npos && ends_with(base, ".so");
  return std::string(is_module ? base.substr(dot) : "");
}

bool is_named_as_library(std::string_view path) {
  const std::string_view base = path.substr(path.rfind('/') + 1);
  const bool has_number = starts_with(base, "lib") && base.find(".so.") != base.npos;
  return ends_with(base, ".so") || (has_number && !ends_with(base, ".debug"));
}

std::optional<Component> component_of_wheel(const std::string& name) {
  if (name == "torch") return Component::torch;
  if (name == "torchvision") return Component::vision;
  return name == "torchaudio" ? std::optional(Component::audio) : std::nullopt;
}

const Release* release_of_wheel(const Catalog& catalog, const std::string& name, const std::string& version) {
  const std::optional<Component> component = component_of_wheel(name);
  const std::string plain = version.substr(0, version.find('+'));
  for (const auto& [key, release] : catalog.releases) {
    const ComponentPin* const pin = component ? find_value(release.components, *component) : nullptr;
    if (pin && pin->version == plain) return &release;
  }
  return nullptr;
}

std::string installed_path(const std::string& path) {
  const std::size_t top = path.find('/');
  if (top == path.npos || !ends_with(std::string_view(path).substr(0, top), ".data")) return path;
  const std::string rest = path.substr(top + 1);
  for (const std::string_view scheme : {"purelib/", "platlib/"})
    if (starts_with(rest, scheme)) return rest.substr(scheme.size());
  if (starts_with(rest, "scripts/")) return ".data/data/bin" + rest.substr(rest.find('/'));
  // Below Python's prefix, which also contains packages.
  for (const std::string_view packages : {"/site-packages/", "/dist-packages/"})
    if (const std::size_t at = rest.find(packages); starts_with(rest, "data/") && at != rest.npos)
      return rest.substr(at + packages.size());
  // Headers are in include/python3.9/torch, in a virtual environment in include/site/python3.9/torch.
  std::size_t python = std::string_view("data/include/").size();
  if (rest.substr(std::min(python, rest.size())).starts_with("site/")) python += 5;
  const std::size_t project = rest.find('/', python);
  const std::size_t header = project == rest.npos ? rest.npos : rest.find('/', project + 1);
  if (starts_with(rest, "data/include/") && rest.substr(python).starts_with("python") && header != rest.npos)
    return ".data/headers" + rest.substr(header);
  return ".data/" + rest;
}

bool meets_specifiers(const std::string& text, const Version& version) {
  const auto holds = [](std::string_view clause, const Version& known) {
    const std::size_t end = std::min(clause.find_first_not_of("<>=!~"), clause.size());
    const std::string_view relation = clause.substr(0, end);
    std::string number(trim(clause.substr(end)));
    if (starts_with(number, "v") || starts_with(number, "V")) number.erase(0, 1);
    if (const std::size_t epoch = number.find('!'); epoch != number.npos) {
      // The versions compared have epoch 0.
      if (number.find_first_not_of('0') < epoch) return relation == "!=" || relation == "<" || relation == "<=";
      number.erase(0, epoch + 1);
    }
    // Pre-releases, post-releases and local versions are compared as their release.
    const std::size_t release = number.find_first_not_of("0123456789.*");
    if (release != 0) number.resize(std::min(release, number.size()));
    while (ends_with(number, ".")) number.pop_back();
    const bool is_family = ends_with(number, ".*");
    if (is_family) number.resize(number.size() - 2);
    const auto is_in = [&](const std::string& range) {
      const std::optional<VersionRange> parsed = VersionRange::parse(range);
      return !parsed || parsed->contains(known);
    };
    if (!Version::parse(number)) return true;
    if (relation == "!=") return !is_in(is_family ? number : "==" + number);
    if (relation == "~=") return is_in(concat(">=", number, " ", number.substr(0, number.rfind('.'))));
    if (relation == "==" || relation == "===") return is_in(is_family ? number : "==" + number);
    return is_in(concat(relation, number));
  };
  const std::vector<std::string> clauses = split(text, ',');
  const auto meets = [&](const Version& known) {
    return std::ranges::all_of(clauses, [&](const std::string& clause) { return holds(trim(clause), known); });
  };
  if (version.numbers().size() > 2) return meets(version);
  for (int third = 1; third <= kMostReleases; ++third)
    if (meets(*Version::parse(concat(version.text(), ".", third)))) return true;
  return false;
}

std::string canonical_project(std::string_view name) {
  std::string canonical;
  for (const char c : lower_case(name)) {
    const bool is_mark = c == '-' || c == '_' || c == '.';
    if (!is_mark || canonical.empty() || canonical.back() != '-') canonical += is_mark ? '-' : c;
  }
  return canonical;
}

std::string record_digest(const Sha256& digest) {
  std::string text = base64_encode(digest.view());
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return "sha256=" + text.substr(0, text.find('='));
}

archive::ReadLimits wheel_read_limits() {
  archive::ReadLimits limits;
  limits.member_bytes = kMaxMemberBytes;
  return limits;
}

WheelContents read_wheel(int fd, const std::string& name, const WheelQuestions& questions) {
  WheelReader reader(questions, name);
  archive::read_zip({fd, name}, wheel_read_limits(), [&](archive::Member&& member) { reader.take(member); });
  return reader.finish();
}

WheelContents read_library(const std::string& file, const WheelQuestions& questions) {
  WheelContents contents;
  contents.paths = {file};
  contents.elf_files.push_back(read_elf({.path = file, .bytes = read_file(file, kMaxMemberBytes)}, questions));
  return contents;
}

}  // namespace torchpatch::trees
