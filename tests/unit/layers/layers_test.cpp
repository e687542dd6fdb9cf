// SPDX-License-Identifier: BSD-3-Clause
// The rules of docs/architecture.md that can be read off the files of src/: who includes whom, where third-party
// headers stay, how long a file may be.
#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/file.h"
#include "support/source_directory.h"
#include "support/text.h"

using namespace torchpatch;

namespace {

using Names = std::set<std::string>;

const std::string kSource = test::source_directory() + "/src";

struct Layer {
  Names may_include;  ///< besides itself
  Names third_party;  ///< first components of header names
};

/// First components of the names of a library's headers.
const std::map<std::string, Names> kHeadersOf = {
    {"nlohmann_json::nlohmann_json", {"nlohmann"}},
    {"OpenSSL::Crypto", {"openssl"}},
    {"PkgConfig::libdeflate", {"libdeflate.h"}},
    {"PkgConfig::libgit2", {"git2", "git2.h"}},
    {"ZLIB::ZLIB", {"zlib.h"}},
    {"PkgConfig::libcmark", {"cmark.h"}},
    {"PkgConfig::liblz4", {"lz4.h"}},
    {"PkgConfig::libzstd", {"zstd.h"}},
    {"PkgConfig::libarchive", {"archive.h", "archive_entry.h"}},
    {"PkgConfig::libelf", {"gelf.h", "libelf.h"}},
    {"CLI11::CLI11", {"CLI"}},
};

/// Returns the layers in the order of src/CMakeLists.txt, which lists them for CMake: torchpatch_layer(NAME LAYERS …
/// LIBRARIES … EMBED …).
std::vector<std::pair<std::string, Layer>> read_layers() {
  static const std::regex kCall("torchpatch_layer\\(([^)]*)\\)");
  const std::string text = read_file(kSource + "/CMakeLists.txt");
  std::vector<std::pair<std::string, Layer>> layers;
  for (std::sregex_iterator call(text.begin(), text.end(), kCall), end; call != end; ++call) {
    std::istringstream words((*call)[1]);
    std::string name, key;
    words >> name;
    Layer layer;
    for (std::string word; words >> word;)
      if (word == "LAYERS" || word == "LIBRARIES" || word == "EMBED" || word == "COLD")
        key = word;
      else if (key == "LAYERS")
        layer.may_include.insert(word);
      else if (key == "LIBRARIES")
        layer.third_party.insert(kHeadersOf.at(word).begin(), kHeadersOf.at(word).end());
    layers.emplace_back(name, layer);
  }
  return layers;
}

const std::map<std::string, Layer>& layers() {
  static const auto kRead = read_layers();
  static const std::map<std::string, Layer> kLayers(kRead.begin(), kRead.end());
  return kLayers;
}

/// Headers of the system: the standard library's have no dot, and these are POSIX's, Linux's and the C++ ABI's.
bool is_system_header(const std::string& header) {
  static const Names kSystem = {"cxxabi.h", "dirent.h", "endian.h", "fcntl.h",  "fnmatch.h",
                                "nss.h",    "poll.h",   "sched.h",  "signal.h", "unistd.h"};
  const bool is_standard = header.find_first_of("./") == std::string::npos;
  return is_standard || header.starts_with("sys/") || header.starts_with("linux/") || kSystem.count(header) > 0;
}

struct SourceFile {
  std::string path;   ///< relative to src/
  std::string layer;  ///< empty for main.cpp
  std::string text;
};

std::vector<SourceFile> source_files() {
  std::vector<SourceFile> files;
  for (const std::string& path : list_files_below(kSource)) {
    if (!path.ends_with(".h") && !path.ends_with(".cpp")) continue;
    const std::size_t slash = path.find('/');
    const std::string layer = slash == std::string::npos ? "" : path.substr(0, slash);
    files.push_back({path, layer, read_file(kSource + "/" + path)});
  }
  return files;
}

struct Include {
  bool is_project;  ///< in quotes
  std::string header;
};

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex kInclude("^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]+)[>\"]");
  std::vector<Include> includes;
  for (const std::string& line : split(text, '\n')) {
    std::smatch match;
    if (std::regex_search(line, match, kInclude)) includes.push_back({match[1] == "\"", match[2]});
  }
  return includes;
}

std::string first_component(const std::string& header) { return header.substr(0, header.find('/')); }

/// Returns what is wrong with one include, or empty text.
std::string problem_of(const SourceFile& file, const Include& include) {
  const Layer& layer = layers().at(file.layer);
  const std::string first = first_component(include.header);
  if (include.is_project) {
    if (!file_exists(kSource + "/" + include.header)) return "no such file below src/";
    const bool is_allowed = first == file.layer || layer.may_include.count(first) > 0;
    return is_allowed ? "" : file.layer + " may not include " + first;
  }
  const bool is_allowed = is_system_header(include.header) || layer.third_party.count(first) > 0;
  return is_allowed ? "" : file.layer + " may not include this library";
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

/// Returns the names of the functions in a file's unnamed namespaces, which clang-format lets begin at the margin, but
/// those of fields(), which are overloads on purpose (support/wire.h).
Names unnamed_functions(const std::string& text) {
  static const std::regex kFunction("^(?:[\\w:<>,&*\\[\\]]+ )+[&*]?(\\w+)\\(");
  Names names;
  bool is_inside = false;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("namespace {")) is_inside = true;
    if (line == "}  // namespace") is_inside = false;
    std::smatch match;
    if (is_inside && std::regex_search(line, match, kFunction) && match[1] != "fields") names.insert(match[1]);
  }
  return names;
}

}  // namespace

TEST_CASE("layers: every file of src/ is in a layer") {
  std::map<std::string, int> files;
  for (const SourceFile& file : source_files()) {
    CAPTURE(file.path);
    CHECK((file.path == "main.cpp" || layers().count(file.layer) == 1));
    ++files[file.layer];
  }
  for (const auto& [name, layer] : layers()) {
    CAPTURE(name);
    CHECK(files[name] > 0);
  }
}

TEST_CASE("layers: each may include only those that the table lists before it") {
  Names earlier;
  for (const auto& [name, layer] : read_layers()) {
    CAPTURE(name);
    CHECK(std::includes(earlier.begin(), earlier.end(), layer.may_include.begin(), layer.may_include.end()));
    earlier.insert(name);
  }
  CHECK(earlier.size() > 15);
}

TEST_CASE("layers: a file includes only what its layer may") {
  std::size_t checked = 0;
  for (const SourceFile& file : source_files()) {
    if (layers().count(file.layer) == 0) continue;
    for (const Include& include : includes_of(file.text)) {
      const std::string problem = problem_of(file, include);
      if (!problem.empty()) FAIL_CHECK("src/" << file.path << " includes " << include.header << ": " << problem);
      ++checked;
    }
  }
  CHECK(checked > 100);
}

TEST_CASE("layers: the check itself sees what is forbidden") {
  const SourceFile model = {"model/x.h", "model", ""};
  CHECK(problem_of(model, {true, "support/error.h"}).empty());
  CHECK(problem_of(model, {true, "model/version.h"}).empty());
  CHECK(problem_of(model, {false, "vector"}).empty());
  CHECK(problem_of(model, {false, "sys/stat.h"}).empty());
  CHECK_FALSE(problem_of(model, {true, "git/object_store.h"}).empty());
  CHECK_FALSE(problem_of(model, {true, "version.h"}).empty());
  CHECK_FALSE(problem_of(model, {false, "git2.h"}).empty());
  CHECK_FALSE(problem_of(model, {false, "nlohmann/json.hpp"}).empty());
  CHECK(includes_of("#include <a>\n  # include \"b/c.h\"\n// no #include <d>\n").size() == 2);
}

TEST_CASE("layers: no test has a name that ctest cannot run: a semicolon splits it, a first dash makes it an option") {
  const std::string tests = torchpatch::test::source_directory() + "/tests";
  const std::regex name("TEST_CASE[(]\\s*\"(-|[^\"]*;)");
  for (const std::string directory : {"/unit", "/command"})
    for (const std::string& path : list_files_below(tests + directory))
      if (path.ends_with(".cpp")) {
        CAPTURE(path);
        CHECK_FALSE(std::regex_search(read_file(concat(tests, directory, "/", path)), name));
      }
}

TEST_CASE("layers: third-party headers are not in the headers that others include") {
  for (const SourceFile& file : source_files()) {
    if (!file.path.ends_with(".h")) continue;
    for (const Include& include : includes_of(file.text)) {
      const bool is_private = file.layer == "git" || file.layer == "document" ||
                              file.layer == "cli";  // their wrappers are for themselves alone
      CAPTURE(file.path, include.header);
      CHECK((include.is_project || is_private || is_system_header(include.header)));
    }
  }
}

TEST_CASE("layers: files are short, licensed and guarded") {
  constexpr auto kMostLines = 600;
  for (const SourceFile& file : source_files()) {
    CAPTURE(file.path);
    CHECK(std::count(file.text.begin(), file.text.end(), '\n') <= kMostLines);
    CHECK(file.text.starts_with("// SPDX-License-Identifier: BSD-3-Clause\n"));
    CHECK(file.text.ends_with("\n"));
    if (file.path.ends_with(".h")) CHECK(file.text.find("\n#pragma once\n") != std::string::npos);
  }
}

TEST_CASE("layers: only the sample's directory and the list of sources know of the sample") {
  for (const SourceFile& file : source_files()) {
    if (file.layer == "sample" || file.path.starts_with("cli/shared_options.")) continue;
    const std::vector<std::string> lines = split(lower_case(file.text), '\n');
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (lines[i].find("sample") != std::string::npos)
        FAIL_CHECK("src/" << file.path << ':' << i + 1 << " says 'sample'");
  }
}

TEST_CASE("layers: functions in unnamed namespaces of a layer have names of their own") {
  // Ten files of a layer are compiled as one unit, in which two of a name would be overloads: a call could quietly go
  // to the other.
  std::map<std::pair<std::string, std::string>, std::string> files;
  for (const SourceFile& file : source_files()) {
    if (file.path.ends_with(".h")) continue;
    for (const std::string& name : unnamed_functions(file.text)) {
      const auto [other, is_new] = files.try_emplace({file.layer, name}, file.path);
      if (!is_new) FAIL_CHECK("src/" << file.path << " and src/" << other->second << " both have " << name << "()");
    }
  }
  CHECK(files.size() > 1000);
}

TEST_CASE("layers: the check sees the functions of unnamed namespaces") {
  const Names names = unnamed_functions(
      "int out(int);\nnamespace {\nstd::string a(int x) {\n  return b(x);\n}\nconst char* c() {}\n[[noreturn]] void "
      "d() {}\n"
      "constexpr int e = f(1);\n}  // namespace\nint g() {}\n");
  CHECK(names == Names{"a", "c", "d"});
}

TEST_CASE("layers: docs/guarantees.md lists the git commands that are run, and one file alone starts git") {
  const auto matches = [](const std::string& text, const char* pattern) {
    const std::regex expression(pattern);
    Names names;
    for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
      names.insert((*match)[1]);
    return names;
  };
  Names run, starters;
  for (const SourceFile& file : source_files()) {
    run.merge(matches(file.text, "\\bgit(?:_line|_run)?\\([^\"\\n]*\"([a-z][a-z-]*)\""));
    if (file.text.find("{\"git\"") != std::string::npos) starters.insert(file.path);
  }
  const std::string page = read_file(test::source_directory() + "/docs/guarantees.md");
  const std::size_t begin = page.find("## Runs of git");
  CHECK(run == matches(page.substr(begin, page.find("\n## ", begin) - begin), "`git ([a-z-]+)`"));
  CHECK(run.size() > 10);
  CHECK(starters == Names{"git/git_program.cpp"});
}
