// SPDX-License-Identifier: BSD-3-Clause
#include "record/matrix/matrix_files.h"

#include <algorithm>

#include "record/matrix/parts.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

template <typename Value>
Value parse(std::string_view bytes, const std::string& file, const char* what) {
  Findings findings;
  auto value = read_json<Value>(bytes, file, findings);
  findings.raise_if_any(what);
  return value;
}

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + shell_quote(word);
  return text;
}

/// Trees of an embedded source need no mirror.
bool is_stand_in(const MatrixPair& pair) { return std::ranges::count(pair.options, "--source") > 0; }

/// "  3 | '1.8.1-rpi4-debian-11') … ;;" for each pair.
template <typename Words>
std::string cases(const Matrix& matrix, const Words& words) {
  std::string text;
  for (std::size_t i = 0; i < matrix.pairs.size(); ++i)
    text += concat("    ", i + 1, " | ", shell_quote(matrix.pairs[i].id), ") ", words(matrix.pairs[i]), " ;;\n");
  return text;
}

/// How the recipe is run on a board with the cache that was asked for. In a root nothing reaches a server, and only
/// what Debian packages in every release is there: that leaves ccache.
const char* native_cache(BuildCache cache) {
  static constexpr const char* kAssignments[] = {
      "", "PATH=/usr/lib/ccache:$PATH CCACHE_DIR=$cache_directory ",
      "CMAKE_C_COMPILER_LAUNCHER=sccache CMAKE_CXX_COMPILER_LAUNCHER=sccache SCCACHE_DIR=$cache_directory ",
      "PATH=/usr/lib/distcc:$PATH "};
  return entry_of(kAssignments, cache);
}

std::string pair_script(const Matrix& matrix) {
  const auto facts = [](const MatrixPair& pair) {
    return concat("id=", shell_quote(pair.id), " board=", shell_quote(pair.board), " image=", shell_quote(pair.image),
                  " kind=", name_of(pair.recipe), " cpus=", pair.size.cpus,
                  " digest=", pair.digest ? pair.digest->hex() : "");
  };
  const auto prepare = [](const MatrixPair& pair) {
    return concat("\"$torchpatch\" prepare", quoted(pair.options), " \"$@\"");
  };
  return matrix_script(kPairScript,
                       {{"FACTS", cases(matrix, facts)},
                        {"PREPARE", cases(matrix, prepare)},
                        {"NATIVE_CACHE", native_cache(matrix.cache)},
                        {"ROOT_CACHE", matrix.cache == BuildCache::none ? "" : " --ccache \"$cache_directory\""}});
}

/// What fetches the sources of all pairs.
std::string sources_command(const Matrix& matrix) {
  std::vector<std::string> words;
  for (const MatrixPair& pair : matrix.pairs) {
    if (is_stand_in(pair) || std::ranges::count(words, pair.release) > 0) continue;
    words.insert(words.end(), {"--version", pair.release});
  }
  if (words.empty()) return "echo 'the sources are embedded'\n";
  for (const std::string& component : matrix.components) words.insert(words.end(), {"--component", component});
  if (std::ranges::any_of(matrix.pairs, &MatrixPair::is_partial)) words.emplace_back(kAllowPartial);
  return concat("\"$torchpatch\" mirror", quoted(words),
                " --output \"${MIRROR:-$here/mirror}\" --quiet ${SOURCES:+--mirror \"$SOURCES\"}\n");
}

}  // namespace

std::string matrix_script(std::string_view script, std::map<std::string_view, std::string> values) {
  values["MATRIX"] = kMatrixScript;
  values["REPORT"] = kReportScript;
  return fill_template(script, values);
}

std::vector<PairGroup> groups_of(const Matrix& matrix) {
  std::vector<PairGroup> groups;
  for (std::size_t i = 0; i < matrix.pairs.size(); ++i) {
    const MatrixPair& pair = matrix.pairs[i];
    const std::string board = pair.is_on_board() ? pair.board : "";
    // Whether a size is a guess is no matter to an engine.
    JobSize size = pair.size;
    size.is_estimated = false;
    auto same = std::ranges::find_if(
        groups, [&](const PairGroup& group) { return group.board == board && group.size == size; });
    if (same == groups.end()) same = groups.insert(same, {board, size, {}});
    same->numbers.push_back(i + 1);
  }
  return groups;
}

MatrixPair sources_job(const Matrix& matrix) {
  MatrixPair job;
  job.id = job.release = "sources";
  job.size.minutes = 720;
  job.digest = sha256(sources_command(matrix));
  return job;
}

Json matrix_record(const Matrix& matrix) { return to_json(matrix); }

std::vector<GeneratedFile> matrix_files(const Matrix& matrix) {
  std::vector<GeneratedFile> files = {{"gather.sh", matrix_script(kGatherScript, {}), true},
                                      {"matrix.json", canonical_json(matrix_record(matrix), "a matrix")},
                                      {"pair.sh", pair_script(matrix), true},
                                      {"sources.sh",
                                       matrix_script(kSourcesScript, {{"BRING", sources_command(matrix)},
                                                                      {"DIGEST", sources_job(matrix).digest->hex()}}),
                                       true}};
  std::vector<GeneratedFile> more;
  switch (matrix.engine) {
    case MatrixEngine::github_actions:
      more = github_files(matrix);
      break;
    case MatrixEngine::gitlab_ci:
      more = gitlab_files(matrix);
      break;
    case MatrixEngine::slurm:
      more = slurm_files(matrix);
      break;
    case MatrixEngine::kubernetes:
      more = kubernetes_files(matrix, files);
      break;
  }
  files.insert(files.end(), more.begin(), more.end());
  files.push_back({"README.md", matrix_readme(matrix)});
  std::ranges::sort(files, {}, &GeneratedFile::name);
  return files;
}

Matrix parse_matrix(std::string_view bytes, const std::string& file) {
  return parse<Matrix>(bytes, file, "reading a matrix");
}

PairReport parse_pair_report(std::string_view bytes, const std::string& file) {
  return parse<PairReport>(bytes, file, "reading the report of a pair");
}

}  // namespace torchpatch::record
