// SPDX-License-Identifier: BSD-3-Clause
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

const EngineText& text_of(MatrixEngine engine) {
  static constexpr EngineText kTexts[] = {
      {"Make this directory the root of a repository, and start the workflow `torchpatch matrix` there.",
       "\"Re-run failed jobs\" runs the failed pairs again, from the beginning, with the mirror and the "
       "caches.",
       "a self-hosted runner with the board's name as a label"},
      {"Make this directory the root of a project; each pipeline builds all pairs. On your own machine: "
       "`gitlab-ci-local`.",
       "Retrying a job runs that pair again, from the beginning, with the mirror and the caches.",
       "a runner with the board's name as a tag"},
      {"On a file system shared by all nodes: `sh submit.sh`. Jobs inherit the environment of that shell.",
       "`sh submit.sh NUMBER…` runs only these pairs again. Each resumes where it stopped.",
       "a node with the board's name as a feature"},
      {"Build the image that the jobs run in, `localhost/torchpatch-matrix` (torchpatch, and Debian's debootstrap, "
       "qemu-user-static, git and sudo), or enter your own in the files; then `sh submit.sh`. `storage.yaml` requests "
       "a volume that several nodes can write to.",
       "A failed pair is retried once, from the beginning. Running `sh submit.sh` again runs all pairs; finished ones "
       "end at once.",
       "a node with the label `torchpatch/board=BOARD`"},
  };
  return entry_of(kTexts, engine);
}

std::string places(const Matrix& matrix) {
  std::set<std::string> boards;
  for (const MatrixPair& pair : matrix.pairs)
    if (pair.is_on_board()) boards.insert(pair.board);
  std::string text =
      "Most pairs are cross-compiled on any PC with Debian or Ubuntu, as root or with passwordless sudo, "
      "and with debootstrap.";
  if (!boards.empty()) {
    text +=
        concat(" Pairs that need a GPU toolkit, or a system without a known cross compiler, are built on the board: ",
               join({boards.begin(), boards.end()}, ", "), " must be ", text_of(matrix.engine).machine, ".");
  }
  return text;
}

std::string cache_text(BuildCache cache) {
  if (cache == BuildCache::none) return "";
  if (cache == BuildCache::ccache) return "\n\nccache keeps compiled objects in `cache/`.";
  return concat("\n\nBuilds on a board use ", name_of(cache),
                "; cross builds have no network while they compile, and use ccache in `cache/`.");
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
  const EngineText& text = text_of(matrix.engine);
  return fill_template(kMatrixReadme, {{"BUILDS", counted(matrix.pairs.size(), "build")},
                                       {"ENGINE", name_of(matrix.engine)},
                                       {"START", text.start},
                                       {"AGAIN", text.again},
                                       {"PLACES", places(matrix)},
                                       {"CACHE", cache_text(matrix.cache)},
                                       {"TABLE", table(matrix)},
                                       {"LEFT_OUT", left_out(matrix)}});
}

}  // namespace torchpatch::record
