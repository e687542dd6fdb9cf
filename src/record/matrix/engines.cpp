// SPDX-License-Identifier: BSD-3-Clause
// Files of each engine: one job fetches the sources, then there is one job per pair, and a last one gathers results.
#include <algorithm>
#include <set>

#include "record/matrix/parts.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

std::string numbers_text(const std::vector<std::size_t>& numbers) {
  std::vector<std::string> words;
  for (const std::size_t number : numbers) words.push_back(std::to_string(number));
  return join(words, " ");
}

/// Returns an id as a YAML scalar, quoted if it could be read as another type.
std::string scalar(const std::string& id) {
  static const std::set<std::string> kWords = {"false", "n", "no", "null", "off", "on", "true", "y", "yes"};
  const bool is_plain = id.front() >= 'a' && id.front() <= 'z' && !kWords.contains(id);
  return is_plain ? id : concat('"', id, '"');
}

/// https://docs.github.com/actions/reference/limits
constexpr std::size_t kMostOfGithub = 256;

/// Returns a job whose pods run `command` in the image with the volume at /matrix; for a group, a pod per pair.
std::string kubernetes_job(std::string_view title, const std::string& name, const std::string& label,
                           const std::string& command, const PairGroup& group) {
  const std::string numbers = numbers_text(group.numbers);
  const std::size_t count = group.numbers.size();
  // A pair that fails permanently must not stop the others:
  // https://kubernetes.io/docs/concepts/workloads/controllers/job/
  const std::string counts = concat("  completionMode: Indexed\n  completions: ", count, "\n  parallelism: ", count,
                                    "\n  backoffLimitPerIndex: 1\n  maxFailedIndexes: ", count, "\n");
  const std::string pairs = concat("            - name: PAIRS\n              value: \"", numbers, "\"\n");
  return fill_template(kKubernetesJob,
                       {{"TITLE", std::string(title)},
                        {"NAME", name},
                        {"LABEL", label},
                        {"COUNTS", count > 0 ? counts : "  backoffLimit: 1\n"},
                        {"SECONDS", std::to_string(group.size.minutes * 60)},
                        {"SELECTOR", group.board.empty() ? "kubernetes.io/arch: amd64"
                                                         : concat("torchpatch/board: ", scalar(group.board))},
                        {"COMMAND", command},
                        {"PAIRS", count > 0 ? pairs : ""},
                        {"CPUS", std::to_string(group.size.cpus)},
                        {"MEMORY", std::to_string(group.size.memory_mib)},
                        {"DISK", std::to_string(group.size.disk_mib)}});
}

}  // namespace

std::vector<GeneratedFile> github_files(const Matrix& matrix) {
  if (matrix.pairs.size() > kMostOfGithub) {
    throw Error(ErrorKind::usage,
                concat("GitHub allows ", kMostOfGithub, " jobs per matrix, found ", matrix.pairs.size()),
                "choose fewer --versions or --boards, and write several matrices");
  }
  std::string pairs;
  for (const MatrixPair& pair : matrix.pairs) {
    const std::string runner = pair.is_on_board() ? concat("self-hosted\n              - ", scalar(pair.board))
                                                  : "ubuntu-24.04";  // has what the recipes need
    pairs += concat("          - pair: ", scalar(pair.id), "\n            runner:\n              - ", runner,
                    "\n            minutes: ", pair.size.minutes, "\n");
  }
  const std::string cache = matrix.cache == BuildCache::none ? "" : std::string(kGithubCache);
  return {{".github/workflows/torchpatch-matrix.yml", fill_template(kGithub, {{"PAIRS", pairs}, {"CACHE", cache}})}};
}

std::vector<GeneratedFile> gitlab_files(const Matrix& matrix) {
  std::string pairs;
  for (const MatrixPair& pair : matrix.pairs) {
    const std::string id = scalar(pair.id);
    pairs += concat(id, ":\n  extends: \".pair\"\n  timeout: \"", pair.size.minutes,
                    " minutes\"\n  variables:\n    PAIR: ", id, "\n",
                    pair.is_on_board() ? concat("  tags:\n    - ", scalar(pair.board), "\n") : "");
  }
  const bool has_cache = matrix.cache != BuildCache::none;
  const std::string cache = has_cache ? "  cache:\n    key: \"torchpatch-$PAIR\"\n    paths:\n      - cache\n" : "";
  return {{".gitlab-ci.yml", fill_template(kGitlab, {{"PAIRS", pairs}, {"CACHE", cache}})}};
}

std::vector<GeneratedFile> slurm_files(const Matrix& matrix) {
  std::string groups = "submit_groups() {\n";
  for (const PairGroup& group : groups_of(matrix)) {
    groups += concat("  submit_pairs ", group.size.cpus, " ", group.size.memory_mib, " ", group.size.minutes, " ",
                     shell_quote(group.board), " ", numbers_text(group.numbers), "\n");
  }
  return {{"submit.sh", matrix_script(kSlurmScript, {{"SUBMIT_GROUPS", groups + "}\n"}}), true}};
}

std::vector<GeneratedFile> kubernetes_files(const Matrix& matrix, const std::vector<GeneratedFile>& scripts) {
  std::string data;  // each script as an indented literal block
  for (const GeneratedFile& script : scripts) {
    data += concat("  ", script.name, ": |\n");
    for (const std::string& line : split(trim(script.bytes), '\n')) data += (line.empty() ? "" : "    " + line) + "\n";
  }
  std::vector<std::string> pairs;
  for (const PairGroup& group : groups_of(matrix)) {
    // Kubernetes labels must not end in dots, which ids never do; other names must not contain any.
    std::string board = group.board.empty() ? "" : "-" + group.board;
    std::ranges::replace(board, '.', '-');
    pairs.push_back(
        kubernetes_job("The jobs of the pairs.", concat("pairs-", pairs.size() + 1, board), "pairs",
                       R"("set -- $PAIRS; shift \"$JOB_COMPLETION_INDEX\"; exec sh /scripts/pair.sh \"$1\"")", group));
  }
  const PairGroup small = {"", {.cpus = 1, .memory_mib = 2048, .disk_mib = 2048, .minutes = 360}, {}};
  return {{"gather.yaml", kubernetes_job("The job that collects the results.", "gather", "gather",
                                         "exec sh /scripts/gather.sh", small)},
          {"pairs.yaml", join(pairs, "---\n")},
          {"sources.yaml", kubernetes_job("The job that fetches the sources.", "sources", "sources",
                                          "exec sh /scripts/sources.sh", small)},
          {"storage.yaml", fill_template(kKubernetesStorage, {{"DATA", data}})},
          {"submit.sh", std::string(kKubernetesScript), true}};
}

}  // namespace torchpatch::record
