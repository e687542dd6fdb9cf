// SPDX-License-Identifier: BSD-3-Clause
#include "ops/licences.h"

#include <algorithm>
#include <map>

#include "model/submodule_layout.h"
#include "source/read_blobs.h"
#include "support/error.h"
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

std::string identify(const std::string& bytes) {
  return bytes.size() > kMaxLicenceBytes ? std::string() : identify_licence(bytes);
}

void sort_licences(Manifest& manifest) {
  for (ManifestRepository& repository : manifest.repositories) {
    std::sort(repository.licences.begin(), repository.licences.end(),
              [](const LicenceFile& a, const LicenceFile& b) { return a.name < b.name; });
  }
}

std::string stated(const std::string& id) { return id.empty() ? "no licence that is known" : id; }

}  // namespace

void describe_licences(const std::vector<tree::FileToWrite>& files, source::ObjectSource& source, Manifest& manifest,
                       Console& console) {
  const LicencePlaces places(manifest);
  std::vector<const tree::FileToWrite*> found;
  std::vector<source::BlobRequest> wanted;
  std::map<ObjectId, std::string> ids;  // many repositories have the same file
  for (const tree::FileToWrite& file : files) {
    if (file.mode == FileMode::link || !places.repository_of(file.path)) continue;
    found.push_back(&file);
    if (file.bytes) {
      ids[file.blob] = identify(*file.bytes);
    } else if (ids.emplace(file.blob, "").second) {
      wanted.push_back({file.blob, file.store, file.path});
    }
  }
  const std::vector<std::string> contents = source::read_blobs(wanted, source, console);
  for (std::size_t i = 0; i < wanted.size(); ++i) ids[wanted[i].id] = identify(contents[i]);
  for (const tree::FileToWrite* file : found) {
    manifest.repositories[*places.repository_of(file->path)].licences.push_back(
        {base_name(file->path), ids.at(file->blob)});
  }
  sort_licences(manifest);
}

std::vector<emit::Difference> check_licences(const std::string& root, const std::vector<tree::ScannedEntry>& scanned,
                                             const Manifest& manifest) {
  const LicencePlaces places(manifest);
  std::map<std::string, std::string> recorded;
  for (const ManifestRepository& repository : manifest.repositories) {
    for (const LicenceFile& file : repository.licences) {
      recorded[concat(repository_directory(repository.path), "/", file.name)] = file.id;
    }
  }
  std::vector<emit::Difference> differences;
  for (const tree::ScannedEntry& entry : scanned) {
    if (entry.type != tree::EntryType::regular || !entry.error.empty() || !places.repository_of(entry.path)) continue;
    const bool is_read = entry.size <= kMaxLicenceBytes;
    const std::string id = is_read ? identify(read_file(root + "/" + entry.path)) : "";
    const auto said = recorded.find(entry.path);
    if (said == recorded.end()) {
      differences.push_back(
          {entry.path, "licence", concat("states ", stated(id), ", and the manifest has no line for it")});
    } else if (said->second != id) {
      differences.push_back(
          {entry.path, "licence", concat("states ", stated(id), ", the manifest says ", stated(said->second))});
    }
    if (said != recorded.end()) recorded.erase(said);
  }
  for (const auto& [path, id] : recorded) {
    differences.push_back({path, "licence", "the manifest names a licence file that is not there"});
  }
  return differences;
}

}  // namespace torchpatch::ops
