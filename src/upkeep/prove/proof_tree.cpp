// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/prove/proof_tree.h"

#include <map>

#include "model/repository_path.h"
#include "patch/apply.h"
#include "patch/patch_file.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "support/wire.h"
#include "trees/prepare/patch_chains.h"

namespace torchpatch::upkeep {

namespace {

/// Path in OUT → file.
using Files = std::map<std::string, patch::TreeFile>;

std::string out_path(const RepositoryPath& repository, const std::string& path) {
  return repository_directory(repository) + "/" + path;
}

/// Reads both sides of one proof.
class TreeReader {
 public:
  TreeReader(const ProofJob& job, source::PinnedLookup& lookup) : job_(job), lookup_(lookup) {}

  void read() {
    read_parts({}, before_);
    read_parts(job_.variant->overrides, after_);
    std::map<RepositoryPath, std::vector<const Patch*>> patches;
    for (const Patch& patch : job_.variant->patches) patches[patch.repository].push_back(&patch);
    for (const auto& [repository, series] : patches) apply(repository, series);
    for (const AddedFile& file : job_.variant->files) {
      const FileMode mode = file.is_executable ? FileMode::executable : FileMode::regular;
      after_[out_path(file.repository, file.path)] = {mode, file.bytes};
    }
  }
  const Files& before() const { return before_; }
  const Files& after() const { return after_; }

 private:
  /// The submodules that the variant takes at other commits.
  using Overrides = std::vector<SubmoduleOverride>;

  const source::LocatedRepository& find_repository(const RepositoryPath& path, const Overrides& overrides) {
    if (const auto* found = lookup_.find_repository(*job_.release, path, overrides)) return *found;
    throw Error(ErrorKind::data,
                concat("reading the tree for ", name_of(job_), ": the pins have no repository ", quote(path.text())));
  }

  void read_parts(const Overrides& overrides, Files& files) {
    for (const ProofPart& part : job_.proof->tree) {
      const source::LocatedRepository& repository = find_repository(part.repository, overrides);
      if (part.paths.empty()) add_below(part, repository, "", files);
      for (const std::string& path : part.paths) read_path(part, repository, path, files);
    }
  }

  void read_path(const ProofPart& part, const source::LocatedRepository& repository, const std::string& path,
                 Files& files) {
    const auto entry = lookup_.find(repository, path);
    if (!entry) {
      throw Error(ErrorKind::data, concat("reading the tree for ", name_of(job_), ": ", part.repository.text(),
                                          " has nothing at ", quote(path)));
    }
    if (entry->mode == FileMode::directory)
      add_below(part, repository, path, files);
    else
      add(part, repository, *entry, files);
  }

  void add_below(const ProofPart& part, const source::LocatedRepository& repository, const std::string& directory,
                 Files& files) {
    for (const source::PinnedEntry& entry : lookup_.list(repository, directory)) add(part, repository, entry, files);
  }

  void add(const ProofPart& part, const source::LocatedRepository& repository, const source::PinnedEntry& entry,
           Files& files) {
    if (entry.mode == FileMode::gitlink) return;  // a part of its own, where the proof needs it
    files[out_path(part.repository, entry.path)] = {entry.mode, lookup_.read_blob(repository, entry)};
  }

  void apply(const RepositoryPath& repository, const std::vector<const Patch*>& patches) {
    std::vector<patch::PatchStep> series;
    for (const Patch* each : patches) {
      const std::string name = job_.patchset->id + "/" + each->file;
      series.push_back({name, repository, patch::parse_patch(each->text, name), {}});
    }
    trees::LookupFiles pinned(lookup_, find_repository(repository, {}));
    trees::LookupFiles files(lookup_, find_repository(repository, job_.variant->overrides));
    for (const auto& [path, file] : patch::apply_series(series, repository, files).changes) {
      const std::string place = out_path(repository, path);
      if (const auto before = pinned.read(path)) before_.emplace(place, *before);
      after_.erase(place);
      if (file) after_[place] = *file;
    }
  }

  const ProofJob& job_;
  source::PinnedLookup& lookup_;
  Files before_, after_;
};

void write_files(WireWriter& writer, const Files& files) {
  writer.put(files.size());
  for (const auto& [path, file] : files) {
    writer.put(path);
    writer.put(file.mode);
    writer.put(file.bytes);
  }
}

std::vector<tree::FileToWrite> read_files(WireReader& reader) {
  std::vector<tree::FileToWrite> files;
  for (auto count = reader.get<std::size_t>(); count > 0; --count) {
    tree::FileToWrite file;
    reader.get(file.path);
    reader.get(file.mode);
    reader.require([&] { return !output_path_problem(file.path) && file.mode != FileMode::directory; });
    file.bytes = reader.get<std::string>();
    file.blob = git_blob_id(*file.bytes);
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

std::string name_of(const ProofJob& job) {
  return concat("proof ", quote(job.proof->id), " of ", job.patchset->id, " at ", job.release->version.text());
}

std::string read_proof_trees(const ProofJob& job, source::PinnedLookup& lookup) {
  TreeReader reader(job, lookup);
  reader.read();
  WireWriter writer;
  write_files(writer, reader.before());
  write_files(writer, reader.after());
  return writer.take();
}

ProofTrees decode_proof_trees(std::string_view bytes) {
  WireReader reader(bytes);
  ProofTrees trees;
  trees.before = read_files(reader);
  trees.after = read_files(reader);
  reader.finish();
  return trees;
}

}  // namespace torchpatch::upkeep
