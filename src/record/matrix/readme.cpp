// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "document/document.h"
#include "record/matrix/parts.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

struct EngineText {
  const char* start;    ///< how the jobs are started
  const char* again;    ///< how a pair is run again
  const char* machine;  ///< how a machine says that it is a board
};

EngineText text_of(MatrixEngine engine) {
  switch (engine) {
    case MatrixEngine::github_actions:
      return {"Make this directory the root of a repository, and start the workflow `torchpatch matrix` there.",
              "\"Re-run failed jobs\" runs those pairs again that failed, from the beginning, with the mirror and the "
              "caches.",
              "a self-hosted runner with the board's name as a label"};
    case MatrixEngine::gitlab_ci:
      return {
          "Make this directory the root of a project; each pipeline builds all pairs. On one's own machine: "
          "`gitlab-ci-local`.",
          "The button of a job runs that pair again, from the beginning, with the mirror and the caches.",
          "a runner with the board's name as a tag"};
    case MatrixEngine::slurm:
      return {"On a file system that all nodes share: `sh submit.sh`. Jobs get the environment of that shell.",
              "`sh submit.sh NUMBER…` runs these pairs again, and nothing else. Each goes on where it was stopped.",
              "a node with the board's name as a feature"};
    case MatrixEngine::kubernetes:
      return {
          "Build the image that the jobs run in, `localhost/torchpatch-matrix` (torchpatch, and Debian's debootstrap, "
          "qemu-user-static, git and sudo), or name yours in the files; then `sh submit.sh`. `storage.yaml` asks for a "
          "volume "
          "that several nodes can write to.",
          "A pair that failed is tried once more, from the beginning. `sh submit.sh` later runs all again; those that "
          "are done end at once.",
          "a node with the label `torchpatch/board=BOARD`"};
  }
  return {};
}

std::string places(const Matrix& matrix) {
  std::set<std::string> boards;
  for (const MatrixPair& pair : matrix.pairs)
    if (pair.is_on_board()) boards.insert(pair.board);
  std::string text =
      "What needs no board is cross compiled on any PC with Debian or Ubuntu, as root or with a sudo that asks for no "
      "password, "
      "and with debootstrap.";
  if (!boards.empty()) {
    text +=
        concat(" What needs a GPU's toolkit, or a system that no cross compiler is known for, is built on the board: ",
               join({boards.begin(), boards.end()}, ", "), " must be ", text_of(matrix.engine).machine, ".");
  }
  return text;
}

std::string cache_text(BuildCache cache) {
  switch (cache) {
    case BuildCache::none:
      return "";
    case BuildCache::ccache:
      return "\n\nWhat was compiled is kept by ccache in `cache/`.";
    case BuildCache::sccache:
    case BuildCache::distcc:
      return concat(
          "\n\nBuilds on a board use ", name_of(cache),
          "; cross builds have no network while they compile, and keep what was compiled by ccache in `cache/`.");
  }
  return "";
}

std::string table(const Matrix& matrix) {
  std::string text = "| pair | recipe | where | processors | memory | disk | time |\n|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < matrix.pairs.size(); ++i) {
    const MatrixPair& pair = matrix.pairs[i];
    text += concat("| ", i + 1, " ", pair.id, " | ", name_of(pair.recipe), " | ",
                   pair.is_on_board() ? pair.board : "any PC", " | ", pair.size.cpus, " | ", pair.size.memory_mib,
                   " MiB | ", pair.size.disk_mib, " MiB | ", pair.size.minutes, " min",
                   pair.size.is_estimated ? ", estimated" : "", " |\n");
  }
  return text;
}

std::string left_out(const Matrix& matrix) {
  std::string text;
  for (const LeftOutPair& pair : matrix.left_out)
    text += concat("* ", pair.release, " on ", pair.board, pair.image.empty() ? "" : " with " + pair.image, ": ",
                   pair.reason, "\n");
  return text.empty() ? "" : "\n## Left out\n\n" + text;
}

}  // namespace

std::string matrix_readme(const Matrix& matrix) {
  const EngineText text = text_of(matrix.engine);
  return concat("# ", counted(matrix.pairs.size(), "build"), " of PyTorch by ", name_of(matrix.engine), "\n\n",
                text.start,
                "\n\nOne job brings the sources into `mirror/`; then each pair has a job that prepares, verifies and "
                "builds a tree, checks the "
                "wheels against the board, and keeps wheels, logs and reports in `results/PAIR/`; a last one gathers. "
                "A pair that fails "
                "stops no other. ",
                text.again, "\n\n", places(matrix),
                " torchpatch is `$TORCHPATCH`, or `torchpatch/bin/torchpatch` here, or on the path of each machine.",
                cache_text(matrix.cache),
                "\n\n```sh\ntorchpatch matrix status .   # what came of it: exit code 1 where a pair failed\nsh "
                "pair.sh 1                 "
                "# a pair without an engine\n```\n\nBesides `TORCHPATCH` these variables count: `SOURCES`, a folder of "
                "repositories from which the "
                "mirror is filled; `MIRROR`, `RESULTS`, `WORK` (roots and trees; removed when a pair is done) and "
                "`CACHE`, the places; "
                "`MAX_JOBS`; `BUILD_WITH`, a program that is called with OUT and MADE and leaves wheels in MADE/dist, "
                "in place of the recipe.\n\n"
                "## Pairs\n\n",
                table(matrix), left_out(matrix));
}

}  // namespace torchpatch::record
