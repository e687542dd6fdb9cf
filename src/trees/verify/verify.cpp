// SPDX-License-Identifier: BSD-3-Clause
#include "trees/verify/verify.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <future>
#include <optional>

#include "git/object.h"
#include "model/repository_path.h"
#include "record/sbom.h"
#include "source/store/archive_source.h"
#include "support/background.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "trees/prepare/manifest.h"
#include "trees/sign/signature.h"

namespace torchpatch::trees {

namespace {

std::string read_record_file(const std::string& root, const std::string& name) {
  const std::string path = root + "/torchpatch/" + name;
  require_directory(root, "reading the prepared tree " + quote(root),
                    "pass the directory that 'torchpatch prepare' wrote");
  if (!file_exists(path)) {
    throw Error(ErrorKind::environment, concat(quote(root), " is not a prepared tree: it has no torchpatch/", name),
                "pass the directory that 'torchpatch prepare' wrote");
  }
  return read_file(path);
}

/// The manifest vouches for its side files, SHA256SUMS for everything; both must agree, and list only what belongs to a
/// tree's record.
void check_side_files(const ScannedTree& tree, std::vector<Difference>& differences) {
  const auto add = [&](const std::string& name, const char* reason, const std::string& detail) {
    differences.push_back({"torchpatch/" + name, reason, detail});
  };
  std::map<std::string, KnownSideFile> known = known_side_files(tree.manifest);
  std::set<std::string> listed = {"manifest.json"};
  for (const ManifestSideFile& side : tree.manifest.side_files) {
    listed.insert(side.name);
    const auto entry = known.find(side.name);
    if (entry == known.end()) {
      add(side.name, "manifest", "not a known file of a prepared tree");
    } else {
      const KnownSideFile& file = entry->second;
      if (side.is_executable != file.is_executable || (file.sha256 && side.sha256 != *file.sha256))
        add(side.name, "manifest", "the manifest lists it with different properties");
    }
    const auto found = tree.sums.find("torchpatch/" + side.name);
    if (found == tree.sums.end() || found->second != side.sha256)
      add(side.name, "sums", "SHA256SUMS and the manifest differ");
  }
  for (const auto& [name, file] : known)
    if (!listed.contains(name)) add(name, "manifest", "the manifest does not list it");
  for (const std::string& name : record::companion_names()) {
    listed.insert(name);
    if (!tree.sums.contains("torchpatch/" + name)) add(name, "sums", "SHA256SUMS does not list it");
  }
  for (auto sum = tree.sums.lower_bound("torchpatch/");
       sum != tree.sums.end() && starts_with(sum->first, "torchpatch/"); ++sum) {
    const std::string name = sum->first.substr(std::string_view("torchpatch/").size());
    if (!listed.contains(name)) add(name, "sums", "the manifest does not list it");
  }
  for (const auto& [path, target] : tree.manifest.links)
    if (starts_with(path, "torchpatch/")) differences.push_back({path, "link", "a prepared tree has no links here"});
}

std::string stated(const std::vector<LicenceFile>& files) {
  std::vector<std::string> lines;
  for (const LicenceFile& file : files) lines.push_back(concat(file.name, file.id.empty() ? "" : " " + file.id));
  return lines.empty() ? "none" : join(lines, ", ");
}

/// Compares the licences stated in licence files of `listed` with the manifest.
void check_licences(const ScannedTree& tree, const std::vector<const tree::ScannedEntry*>& listed,
                    std::vector<Difference>& differences) {
  std::vector<OutFile> files;
  for (const tree::ScannedEntry* entry : listed) {
    const bool is_readable = entry->type == tree::EntryType::regular && entry->error.empty();
    if (is_readable) files.push_back({entry->path, entry->blob, entry->size});
  }
  const std::vector<ManifestRepository>& repositories = tree.manifest.repositories;
  const std::vector<std::vector<LicenceFile>> found = find_licences(tree.root, repositories, files);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == repositories[i].licences) continue;
    differences.push_back({repositories[i].path.text(), "licence",
                           concat("the files on disk state: ", stated(found[i]),
                                  "; the manifest has: ", stated(repositories[i].licences))});
  }
}

/// Computes the companions again from the manifest and the copies next to it, and compares them bytewise.
void check_companions(const ScannedTree& tree, std::vector<Difference>& differences) {
  const auto read = [&](const std::string& name) { return read_file(concat(tree.root, "/torchpatch/", name)); };
  try {
    for (const record::GeneratedFile& companion : make_companions(tree.manifest, tree.digest, read)) {
      const std::string path = "torchpatch/" + companion.name;
      if (!file_exists(concat(tree.root, "/", path))) continue;  // reported as missing
      const std::string bytes = read(companion.name);
      if (bytes == companion.bytes) continue;
      const auto first = std::ranges::mismatch(bytes, companion.bytes).in1 - bytes.begin();
      const std::string other = other_version(tree.manifest);
      const Difference difference = {path, "companion",
                                     concat("differs from what the manifest implies, first at byte ", first + 1)};
      differences.push_back(other.empty() ? difference : unvouched(path, other));
    }
  } catch (const Error& error) {
    differences.push_back({"torchpatch", "companion", concat("generating them again: ", error.message())});
  }
}

/// Reports a signature that is missing, altered or by someone else.
void check_manifest_signature(const ScannedTree& tree, const std::string& signers, VerifyReport& report) {
  if (signers.empty()) return;
  const std::string name = concat("torchpatch/manifest.json", signature_ending(kind_of(signers_kind(signers))));
  const std::string path = concat(tree.root, "/", name);
  if (!file_exists(path)) return report.differences.push_back({name, "signature", "is missing"});
  std::string signature;
  try {
    signature = read_file(path);
  } catch (const Error& error) {
    return report.differences.push_back({name, "signature", error.message()});
  }
  const SignatureCheck check = check_signature(tree.manifest_bytes, signature, signers, kManifestPurpose);
  if (check.is_good)
    report.signature = {name, check.signer, check.key};
  else
    report.differences.push_back({name, "signature", check.why});
}

/// Adds notes on signatures that were not checked.
void note_signatures(const ScannedTree& tree, const std::string& signers, VerifyReport& report) {
  for (const SignatureKind kind : {SignatureKind::ssh, SignatureKind::minisign}) {
    const std::string name = concat("torchpatch/manifest.json", signature_ending(kind));
    const bool is_judged = !signers.empty() && kind == kind_of(signers_kind(signers));
    if (file_exists(concat(tree.root, "/", name)) && !is_judged)
      report.notes.push_back(concat(quote(name), " was not checked: pass --signature FILE to check it"));
  }
}

/// Whatever vouches for the manifest vouches for the files it lists, but not for the companions.
void take_vouched_out(const ScannedTree& tree, bool is_expected, VerifyReport& report) {
  if (!is_expected && !report.signature) return;
  std::set<std::string> vouched = {"torchpatch/manifest.json"};
  for (const ManifestSideFile& side : tree.manifest.side_files) vouched.insert("torchpatch/" + side.name);
  const auto count = std::erase_if(report.differences, [&](const Difference& difference) {
    return difference.reason == "unvouched" && vouched.contains(difference.path);
  });
  if (count == 0) return;
  report.notes.push_back(concat(count == 1 ? "one file was" : concat(count, " files were"),
                                " not generated again: the manifest has their SHA-256, and ",
                                report.signature ? "the signature" : "--expect", " covers the manifest"));
}

/// Directories in OUT of repositories, by their names in differences.
using Directories = std::map<std::string, std::string>;

/// Returns the directory in OUT whose tree a difference is about.
std::optional<std::string> directory_of(const Difference& difference, const Directories& directories) {
  if (difference.reason == "tree" || difference.reason == "result") return difference.path;
  static const std::set<std::string> kOfRepository = {"patched-tree", "base-tree", "patch", "licence"};
  const auto found = directories.find(difference.path);
  if (!kOfRepository.contains(difference.reason) || found == directories.end()) return std::nullopt;
  return found->second;
}

/// A changed file changes the trees of its repository, its component and the whole; a wrong base changes those above
/// it.
void mark_followers(const Manifest& manifest, std::vector<Difference>& differences) {
  Directories directories;
  for (const ManifestRepository& repository : manifest.repositories)
    directories[repository.path.text()] = repository_directory(repository.path);
  for (Difference& difference : differences) {
    const std::optional<std::string> directory = directory_of(difference, directories);
    if (!directory) continue;
    const auto lies_in = [&](const std::string& path) {
      return !starts_with(path, "torchpatch/") && (directory->empty() || starts_with(path, *directory + "/"));
    };
    const auto edits_it = [&](const Difference& other) { return is_about_path(other) && lies_in(other.path); };
    const auto pins_it = [&](const Difference& other) {
      if (other.reason != "base-tree" || difference.reason == "base-tree") return false;
      return lies_in(directory_of(other, directories).value_or("") + "/");
    };
    auto cause = std::ranges::find_if(differences, edits_it);
    if (cause == differences.end()) cause = std::ranges::find_if(differences, pins_it);
    if (cause != differences.end()) difference.follows = cause->path;
  }
}

/// How many more bytes than in the manifest are read in total: lines may have been added to files.
constexpr std::uint64_t kSpareBytes = 64 << 20;

/// Selects the files to read: those in SHA256SUMS and all of torchpatch/, if they can be what it lists. Excludes files
/// larger than an object, and if the total far exceeds the manifest's, the largest ones. A file of a few blocks may
/// claim to have terabytes.
void choose_what_is_read(ScannedTree& tree, Unlisted unlisted) {
  std::vector<tree::ScannedEntry*> files;
  std::uint64_t bytes = 0;
  auto sum = tree.sums.begin();
  for (tree::ScannedEntry& entry : tree.scanned) {
    if (entry.type != tree::EntryType::regular || !entry.error.empty()) continue;
    while (sum != tree.sums.end() && sum->first < entry.path) ++sum;
    const bool is_listed = sum != tree.sums.end() && sum->first == entry.path;
    entry.is_wanted = is_listed || unlisted == Unlisted::read || starts_with(entry.path, "torchpatch/");
    if (entry.size > git::kMaxObjectBytes)
      entry.error = concat("it has ", entry.size, " bytes, more than any file written by torchpatch");
    if (!is_listed || !entry.error.empty()) continue;
    files.push_back(&entry);
    bytes += entry.size;
  }
  const std::uint64_t limit = std::min(tree.manifest.byte_count, git::kMaxObjectBytes << 20) + kSpareBytes;
  if (bytes <= limit) return;
  std::ranges::sort(files, std::greater(), &tree::ScannedEntry::size);
  for (auto file = files.begin(); bytes > limit; ++file) {
    (*file)->error = concat("not read: the size of all files together is ", bytes, " bytes, but the manifest has ",
                            tree.manifest.byte_count);
    bytes -= (*file)->size;
  }
}

bool lies_at_or_below(std::string_view path, const std::string& directory) {
  return path == directory || starts_with(path, directory + "/");
}

/// Returns whether Python can import a file of this name: sources, byte code, libraries; .pth files list more of them.
bool is_module(std::string_view name) {
  constexpr std::array<std::string_view, 5> kEndings = {".py", ".pyc", ".pyo", ".so", ".pth"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return ends_with(name, ending); });
}

/// Returns whether a list has files below a directory.
bool has_listed_below(const std::string& directory, const record::Sums& sums) {
  const auto first = sums.lower_bound(directory + "/");
  return first != sums.end() && starts_with(first->first, directory + "/");
}

/// Returns the source, or source directory, that a module at `path` shadows by its name, or empty text. Python 2
/// imports foomodule.so as foo.
std::string shadowed_by(const std::string& path, const record::Sums& sums) {
  const std::string name = base_name(path);
  if (!is_module(name) && name.find('.') != std::string::npos) return {};
  std::string module = path.substr(0, path.size() - name.size() + std::min(name.find('.'), name.size()));
  std::vector<std::string> modules = {module};
  if (ends_with(module, "module")) modules.push_back(module.substr(0, module.size() - 6));
  for (const std::string& each : modules) {
    if (sums.contains(each + ".py")) return each + ".py";
    if (has_listed_below(each, sums)) return each + "/";
  }
  return {};
}

/// Returns whether a file equals the source at another path of its component.
bool is_same_file(const std::string& root, const std::string& path, const std::string& component,
                  const std::string& source) {
  const std::string original = concat(root, "/", component, "/", source), copy = concat(root, "/", path);
  return type_at(copy) == S_IFREG && type_at(original) == S_IFREG && read_file(copy) == read_file(original);
}

/// Returns whether a later build would compile, include or run a file of this name.
bool is_built_from(const std::string& path) {
  static const std::set<std::string> kEndings = {".c", ".cc", ".cpp", ".cxx",  ".cu",    ".cuh",
                                                 ".h", ".hh", ".hpp", ".in",   ".inc",   ".inl",
                                                 ".s", ".S",  ".asm", ".yaml", ".cmake", ".mm"};
  const std::string name = base_name(path);
  return name == "CMakeLists.txt" || (name.find('.') != name.npos && kEndings.contains(name.substr(name.rfind('.'))));
}

/// Returns whether a build writes a source at this path of its component: generated code, what CMake makes from a
/// listed ".in" file, and installed files. By upstream's .gitignore (1.0.0 to 2.1.2).
bool generates(const std::string& component, const std::string& inside, const record::Sums& sums) {
  static const std::set<std::string> kInto = {"torch/bin/",   "torch/cmake/", "torch/include/", "torch/lib/",
                                              "torch/lib64/", "torch/share/", "torch/test/",    "torchgen/packaged/"};
  static const std::set<std::string> kFiles = {"torch/csrc/cudnn/cuDNN.cpp", "torch/csrc/generic/TensorMethods.cpp"};
  return sums.contains(concat(component, "/", inside, ".in")) || kFiles.contains(inside) ||
         starts_with(inside, "torch/csrc/generated/") || starts_with(inside, "torch/csrc/nn/TH") ||
         (starts_with(inside, "torch/") && inside.find("/generated/") != inside.npos) ||
         std::ranges::any_of(kInto, [&](const std::string& place) { return starts_with(inside, place); });
}

/// Returns why an unlisted path was not added by a build, or empty text. A build writes into build/, dist/ and similar
/// directories of its component; copies of sources; other sources only as generates() allows; importable modules only
/// there and into the packages it installs, never in place of a source; and not where a partial tree lacks a pinned
/// file. Nothing verifies what it writes.
std::string no_build_adds(const std::string& path, const ScannedTree& tree) {
  // setup.py and caffe2's CMake copy them (setup.py:289 of 1.1.0, torch/CMakeLists.txt:330 of 2.1.2).
  static const std::map<std::string, std::string> kCopied = {
      {"tools/shared/_utils_internal.py", "torch/_utils_internal.py"},
      {"tools/shared/cwrap_common.py", "aten/src/ATen/common_with_cwrap.py"},
      // setup.py:410 of 1.12.1
      {"torch/utils/benchmark/utils/valgrind_wrapper/callgrind.h", "third_party/valgrind-headers/callgrind.h"},
      {"torch/utils/benchmark/utils/valgrind_wrapper/valgrind.h", "third_party/valgrind-headers/valgrind.h"}};
  static const std::set<std::string> kWritten = {"build", "dist", "compile_commands.json"};
  static const std::set<std::string> kInstalled = {"torch",    "torchvision", "torchaudio",
                                                   "torchgen", "caffe2",      "functorch"};
  constexpr const char* kElsewhere = "not in the manifest, and builds do not write there";
  if (path == "dist") {  // next to the components: build.sh's wheels and logs
    for (const tree::ScannedEntry& entry : tree.scanned) {
      if (entry.path == path && entry.type != tree::EntryType::directory) return "not a directory written by a build";
      const bool is_product =
          entry.type == tree::EntryType::regular && parent_path(entry.path) == "dist" &&
          (ends_with(entry.path, ".whl") || ends_with(entry.path, ".log") || entry.path == "dist/lock" ||
           entry.path == "dist/numerics.json" || entry.path == "dist/numerics.html");
      if (starts_with(entry.path, "dist/") && !is_product)
        return concat("contains ", quote(entry.path), ", which is neither a wheel nor a log or report");
    }
    return {};
  }
  const std::string component = path.substr(0, path.find('/'));
  const auto is_it = [&](Component each) { return component == component_directory(each); };
  if (component == path || std::ranges::none_of(tree.manifest.components, is_it)) return kElsewhere;
  for (const ManifestGap& gap : tree.manifest.gaps) {
    const std::string missing = gap.out_path();
    if (lies_at_or_below(path, missing) || lies_at_or_below(missing, path))
      return concat("replaces ", quote(missing), ", which was missing from the sources");
  }
  const std::string cache = base_name(path) == "__pycache__" ? path : parent_path(path);
  if (base_name(cache) == "__pycache__" && has_listed_below(parent_path(cache), tree.sums)) {
    return concat("Python runs it instead of the sources in ", quote(parent_path(cache) + "/"),
                  ": remove it; builds do not need it");
  }
  if (const std::string source = shadowed_by(path, tree.sums); !source.empty())
    return concat("is imported instead of ", quote(source));

  const std::string inside = path.substr(component.size() + 1);
  const std::string top = inside.substr(0, inside.find('/'));
  const bool is_package = kInstalled.contains(top.substr(0, top.find('.')));
  if (kWritten.contains(top) || ends_with(top, ".log") || (is_package && ends_with(top, ".egg-info"))) {
    const auto entry = std::ranges::lower_bound(tree.scanned, path, {}, &tree::ScannedEntry::path);
    return entry->type == tree::EntryType::link ? "a symbolic link, which builds do not create there" : "";
  }
  if (const auto copy = kCopied.find(inside);
      copy != kCopied.end() && is_same_file(tree.root, path, component, copy->second))
    return {};
  if (top == inside) return kElsewhere;
  for (auto entry = std::ranges::lower_bound(tree.scanned, path, {}, &tree::ScannedEntry::path);
       entry != tree.scanned.end() && starts_with(entry->path, path); ++entry) {
    if (entry->type == tree::EntryType::directory || !lies_at_or_below(entry->path, path)) continue;
    if (!kInstalled.contains(top) && is_module(entry->path))
      return concat("not in the manifest, and Python may import ", quote(entry->path),
                    ", where builds write no modules");
    if (is_built_from(entry->path) && !generates(component, entry->path.substr(component.size() + 1), tree.sums))
      return concat("not in the manifest, and a build may compile ", quote(entry->path),
                    ", where builds write no sources");
  }
  return {};
}

/// Reads the record, and lists the tree without digests.
ScannedTree list_prepared_tree(const std::string& root, const UseManifest& meanwhile = {}) {
  ScannedTree tree;
  tree.root = root;
  tree.manifest_bytes = read_record_file(root, "manifest.json");
  tree.digest = sha256(tree.manifest_bytes);
  // The thread ends before workers are forked.
  std::future<std::vector<tree::ScannedEntry>> listing = in_background([&] { return tree::list_tree(root); });
  tree.manifest = record::parse_manifest(tree.manifest_bytes, root + "/torchpatch/manifest.json");
  const std::string sums = read_record_file(root, "SHA256SUMS");
  tree.sums_digest = sha256(sums);
  tree.sums = record::parse_sums(sums, root + "/torchpatch/SHA256SUMS");
  if (meanwhile) meanwhile(tree.manifest);
  tree.scanned = listing.get();
  return tree;
}

}  // namespace

ScannedTree scan_prepared_tree(const std::string& root, int jobs, Console& console, const UseManifest& meanwhile,
                               Unlisted unlisted) {
  ScannedTree tree = list_prepared_tree(root, meanwhile);
  choose_what_is_read(tree, unlisted);
  tree::hash_files(root, tree.scanned, jobs, console);
  return tree;
}

void require_own_files(const std::string& root) {
  if (!file_exists(root + "/torchpatch/manifest.json")) return;
  ScannedTree tree;
  std::vector<std::string> others;
  try {
    tree = list_prepared_tree(root);
    for (const std::string& path :
         compare_listing(tree.scanned, tree.manifest, tree.sums, tree.sums_digest, false).extras)
      if (!no_build_adds(path, tree).empty()) others.push_back(path);
  } catch (const Error& error) {
    throw Error(ErrorKind::environment, concat("replacing ", quote(root), ": ", error.message()),
                "its record does not list what torchpatch wrote: remove the directory, or choose another one");
  }
  if (others.empty()) return;
  throw Error(ErrorKind::environment,
              concat("replacing ", quote(root), ": torchpatch did not write ", quote(others.front()),
                     others.size() > 1 ? concat(" and ", others.size() - 1, " more") : ""),
              "move or remove that; 'torchpatch verify " + shell_quote(root) + " --after-build' lists everything");
}

Manifest read_manifest_of(const std::string& root) {
  return record::parse_manifest(read_record_file(root, "manifest.json"), root + "/torchpatch/manifest.json");
}

/// Determines the manifest's counts and lists again, unless a file differs from its sum, which is already reported.
void check_listing(const ScannedTree& tree, const TreeComparison& comparison, std::vector<Difference>& differences) {
  Manifest found = tree.manifest;
  found.file_count = found.link_count = found.byte_count = 0;
  found.timestamp = 0;
  found.executables.clear();
  found.links.clear();
  for (const tree::ScannedEntry* entry : comparison.listed) {
    if (starts_with(entry->path, "torchpatch/")) continue;
    if (entry->type == tree::EntryType::link) found.links.push_back({entry->path, entry->link_target});
    if (entry->type != tree::EntryType::regular) continue;
    ++found.file_count;
    found.byte_count += entry->size;
    if (entry->mode & 0100) found.executables.push_back(entry->path);
  }
  found.link_count = found.links.size();
  for (const ManifestRepository& repository : found.repositories)
    found.timestamp = std::max(found.timestamp, git::parse_commit(repository.raw_commit).time);
  for (const std::string& field : record::differing_fields(found, tree.manifest))
    differences.push_back(
        {"torchpatch/manifest.json", "manifest", concat("the files give a different ", quote(field))});
}

TreeComparison compare_with_record(const ScannedTree& tree, bool strict_modes) {
  TreeComparison result = compare_listing(tree.scanned, tree.manifest, tree.sums, tree.sums_digest, strict_modes);
  check_side_files(tree, result.differences);
  std::future<std::vector<Difference>> others = in_background([&] {
    std::vector<Difference> differences;
    check_licences(tree, result.listed, differences);
    check_companions(tree, differences);
    return differences;
  });
  check_base_trees(tree.root, result.listed, tree.manifest, result.differences);
  std::ranges::move(others.get(), std::back_inserter(result.differences));
  if (result.differences.empty()) check_listing(tree, result, result.differences);
  return result;
}

VerifyReport verify(const std::string& root, const LoadCatalog& load, const VerifyOptions& options, Console& console) {
  Catalog catalog;
  const auto load_it = [&](const Manifest& manifest) { catalog = load(manifest); };
  return verify(scan_prepared_tree(root, options.jobs, console, load_it), catalog, options, console);
}

VerifyReport verify(const ScannedTree& tree, const Catalog& catalog, const VerifyOptions& options, Console& console) {
  VerifyReport report;
  report.root = tree.root;
  report.manifest = tree.manifest;
  if (tree.manifest.stand_in) report.notes.push_back(*tree.manifest.stand_in);
  for (const ManifestRepository& repository : tree.manifest.repositories)
    if (repository.content)
      report.notes.push_back(concat(repository.path.text(), " is pinned by content, not by commit: ",
                                    options.source ? source::describe_content(*repository.content, *options.source)
                                                   : repository.content->text()));
  if (is_partial(tree.manifest)) report.notes.push_back(concat("the tree is partial: ", gaps_text(tree.manifest)));

  TreeComparison comparison = compare_with_record(tree, options.strict_modes);
  for (std::string& path : comparison.extras) {
    const std::string why = options.after_build ? no_build_adds(path, tree) : "not in the manifest";
    if (why.empty())
      report.added_by_build.push_back(std::move(path));
    else
      comparison.differences.push_back({std::move(path), "extra", why});
  }
  compare_with_catalog(tree.manifest, tree.manifest_bytes, catalog, comparison.differences);
  if (options.source)
    compare_with_sources(tree, catalog, *options.source, options.jobs, console, comparison.differences);
  report.differences = std::move(comparison.differences);
  for (const tree::ScannedEntry* entry : comparison.listed) {
    if (entry->type == tree::EntryType::link) ++report.links;
    if (entry->type != tree::EntryType::regular) continue;
    ++report.files;
    report.bytes += entry->size;
  }
  const std::string id = tree.manifest.tree.hex(), digest = tree.digest.hex();
  if (!options.expect.empty() && options.expect != id && options.expect != "swh:1:dir:" + id &&
      options.expect != digest) {
    report.differences.push_back(
        {"", "expected-id", concat("tree ", id, ", manifest ", digest, "; expected ", quote(options.expect))});
  }
  check_manifest_signature(tree, options.signers, report);
  note_signatures(tree, options.signers, report);
  take_vouched_out(tree, options.expect == digest, report);
  report.options = chosen_options(report.manifest);
  std::ranges::move(chosen_parts(report.manifest, catalog), std::back_inserter(report.options));
  for (const std::string& option : options.no_options ? report.options : std::vector<std::string>{})
    report.differences.push_back({"", "option", concat("set when the tree was prepared: ", quote(option))});

  std::ranges::stable_sort(report.differences, {}, &Difference::path);
  mark_followers(report.manifest, report.differences);
  return report;
}

std::vector<std::string> layers_of(const Manifest& manifest) {
  std::set<std::string> layers;
  for (const EntryOrigin& origin : manifest.origins) layers.insert(origin.layer);
  return {layers.begin(), layers.end()};
}

}  // namespace torchpatch::trees
