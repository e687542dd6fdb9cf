// SPDX-License-Identifier: BSD-3-Clause
#include "ops/licences.h"

#include <algorithm>
#include <map>

#include "model/submodule_layout.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// Tells the licence files at the roots of repositories from all other files.
class LicencePlaces {
 public:
  explicit LicencePlaces(const Manifest& manifest) {
    for (std::size_t i = 0; i < manifest.repositories.size(); ++i) {
      index_.emplace(repository_directory(manifest.repositories[i].path), i);
    }
  }

  /// Returns the index of the repository whose licence file `path` of OUT is, or nothing.
  std::optional<std::size_t> repository_of(const std::string& path) const {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || !is_licence_file_name(std::string_view(path).substr(slash + 1))) return {};
    const auto found = index_.find(std::string_view(path).substr(0, slash));
    return found == index_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::string, std::size_t, std::less<>> index_;
};

/// Finds and reads licence files below a root.
class LicenceReader {
 public:
  LicenceReader(std::string root, const Manifest& manifest)
      : root_(std::move(root)), places_(manifest), found_(manifest.repositories.size()) {}

  /// Looks at a regular file of OUT.
  void add(const std::string& path, const ObjectId& blob, std::uint64_t size) {
    const std::optional<std::size_t> repository = places_.repository_of(path);
    if (!repository) return;
    const auto [id, is_new] = ids_.try_emplace(blob);  // many repositories have the same file
    if (is_new && size <= kMaxLicenceBytes) id->second = identify_licence(read_file(root_ + "/" + path));
    found_[*repository].push_back({base_name(path), id->second});
  }

  /// Returns what was found in each repository of the manifest, by name.
  std::vector<std::vector<LicenceFile>> take() {
    for (std::vector<LicenceFile>& files : found_) {
      std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    }
    return std::move(found_);
  }

 private:
  std::string root_;
  LicencePlaces places_;
  std::map<ObjectId, std::string> ids_;
  std::vector<std::vector<LicenceFile>> found_;
};

std::string stated(const std::vector<LicenceFile>& files) {
  std::vector<std::string> lines;
  for (const LicenceFile& file : files) lines.push_back(concat(file.name, file.id.empty() ? "" : " " + file.id));
  return lines.empty() ? "none" : join(lines, ", ");
}

}  // namespace

void describe_licences(const std::string& root, const std::vector<tree::FileToWrite>& files,
                       const std::vector<tree::WrittenFile>& written, Manifest& manifest) {
  LicenceReader reader(root, manifest);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].mode != FileMode::link) reader.add(files[i].path, files[i].blob, written[i].size);
  }
  std::vector<std::vector<LicenceFile>> found = reader.take();
  for (std::size_t i = 0; i < found.size(); ++i) manifest.repositories[i].licences = std::move(found[i]);
}

std::vector<emit::Difference> check_licences(const std::string& root, const std::vector<tree::ScannedEntry>& scanned,
                                             const Manifest& manifest) {
  LicenceReader reader(root, manifest);
  for (const tree::ScannedEntry& entry : scanned) {
    const bool is_readable = entry.type == tree::EntryType::regular && entry.error.empty();
    if (is_readable) reader.add(entry.path, entry.blob, entry.size);
  }
  const std::vector<std::vector<LicenceFile>> found = reader.take();
  std::vector<emit::Difference> differences;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ManifestRepository& repository = manifest.repositories[i];
    if (found[i] == repository.licences) continue;
    differences.push_back(
        {repository.path.text(), "licence",
         concat("the files on disk state: ", stated(found[i]), "; the manifest says: ", stated(repository.licences))});
  }
  return differences;
}

}  // namespace torchpatch::ops
