// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "record/matrix/matrix_files.h"
#include "support/catch.h"

using namespace torchpatch;
using Catch::Contains;

namespace {

std::string file_of(MatrixEngine engine, const std::string& board, const std::string& name) {
  Matrix matrix;
  matrix.engine = engine;
  MatrixPair& pair = matrix.pairs.emplace_back();
  pair.id = "1.8.1-" + board + "-x";
  pair.release = "1.8.1";
  pair.board = board;
  pair.image = "x";
  const std::vector<record::GeneratedFile> files = record::matrix_files(matrix);
  return std::ranges::find(files, name, &record::GeneratedFile::name)->bytes;
}

}  // namespace

TEST_CASE("matrix_files: an id that YAML would take for something else is quoted") {
  const std::string github = ".github/workflows/torchpatch-matrix.yml";
  for (const std::string board : {"on", "n", "4"}) {
    INFO(board);
    CHECK_THAT(file_of(MatrixEngine::github_actions, board, github),
               Contains("- self-hosted\n              - \"" + board + "\"\n"));
    CHECK_THAT(file_of(MatrixEngine::gitlab_ci, board, ".gitlab-ci.yml"), Contains("tags:\n    - \"" + board + "\"\n"));
    CHECK_THAT(file_of(MatrixEngine::kubernetes, board, "pairs.yaml"), Contains("board: \"" + board + "\"\n"));
  }
  CHECK_THAT(file_of(MatrixEngine::github_actions, "tx2", github), Contains("- pair: \"1.8.1-tx2-x\"\n"));
  CHECK_THAT(file_of(MatrixEngine::github_actions, "tx2", github), Contains("              - tx2\n"));
}

TEST_CASE("matrix_files: the volume of Kubernetes has the scripts as literal blocks") {
  const std::string storage = file_of(MatrixEngine::kubernetes, "tx2", "storage.yaml");
  CHECK_THAT(storage, Contains("\ndata:\n  gather.sh: |\n    #!/bin/sh\n") && !Contains("@DATA@"));
  CHECK_THAT(storage, Contains("\n\n    say() {\n"));
}
