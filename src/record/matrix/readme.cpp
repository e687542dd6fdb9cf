// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "document/document.h"
#include "record/matrix/parts.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

std::string places(const Matrix& matrix, const std::string& machine) {
  std::set<std::string> boards;
  for (const MatrixPair& pair : matrix.pairs)
    if (pair.is_on_board()) boards.insert(pair.board);
  std::string text =
      "Most pairs are cross-compiled on any PC with Debian or Ubuntu, as root or with passwordless sudo, "
      "and with debootstrap.";
  if (!boards.empty()) {
    text +=
        concat(" Pairs that need a GPU toolkit, or a system without a known cross compiler, are built on the board: ",
               join({boards.begin(), boards.end()}, ", "), " must be ", machine, ".");
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
  const std::map<std::string, std::string> texts = sections_of(kEngineTexts);
  const std::string engine = name_of(matrix.engine);
  return fill_template(kMatrixReadme, {{"BUILDS", counted(matrix.pairs.size(), "build")},
                                       {"ENGINE", engine},
                                       {"START", texts.at(engine + " start")},
                                       {"AGAIN", texts.at(engine + " again")},
                                       {"PLACES", places(matrix, texts.at(engine + " machine"))},
                                       {"CACHE", cache_text(matrix.cache)},
                                       {"TABLE", table(matrix)},
                                       {"LEFT_OUT", left_out(matrix)}});
}

}  // namespace torchpatch::record
