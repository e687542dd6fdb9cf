// SPDX-License-Identifier: BSD-3-Clause
#include "ops/proof_workshop.h"

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::ops {

ProofWorkshop::ProofWorkshop(const std::string& keep, int jobs) : path_(absolute_path(keep)), jobs_(jobs) {
  if (keep.empty()) {
    temporary_ = std::make_unique<TempDir>();
    path_ = temporary_->path();
    return;
  }
  make_directories(path_);
  if (list_directory(path_).empty()) return;
  throw Error(ErrorKind::usage, concat("keeping the trees in ", quote(keep), ": it is not empty"),
              "name a directory that is empty or not there");
}

std::string ProofWorkshop::place(const ProofJob& job, const char* side) const {
  return concat(path_, "/", job.release->version.text(), "/", job.patchset->id, "/", job.proof->id, "/", side);
}

void ProofWorkshop::write(const ProofJob& job, const char* side, const std::vector<tree::FileToWrite>& files) const {
  const std::string directory = place(job, side);
  NullConsole quiet;  // a few files, many times
  for (const char* name : {"/tree", "/proof", "/work"}) make_directories(directory + name);
  tree::write_files(directory + "/tree", files, {.object_folders = {}, .jobs = jobs_, .limits = {}}, quiet);
  for (const auto& [path, bytes] : job.patchset->proof.files) {
    const std::string file = concat(directory, "/proof/", path);
    make_directories(parent_path(file));
    write_file_atomically(file, bytes);
  }
}

void ProofWorkshop::clear(const ProofJob& job, const char* side) const {
  if (temporary_) remove_tree(place(job, side));
}

}  // namespace torchpatch::ops
