// SPDX-License-Identifier: BSD-3-Clause
// Each engine's own files: one job brings the sources, then each pair has one, a last one gathers.
#include <algorithm>

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

bool has_cache(const Matrix& matrix) { return matrix.cache != BuildCache::none; }

// GitHub Actions.

/// https://docs.github.com/actions/reference/limits
constexpr std::size_t kMostOfGithub = 256;
/// The machine that builds what needs no board; Debian's and Ubuntu's have what the recipes ask for.
constexpr const char* kGithubPc = "ubuntu-24.04";
constexpr const char* kCheckout = "actions/checkout@v4";
constexpr const char* kUpload = "actions/upload-artifact@v4";

Json github_runner(const MatrixPair& pair) {
  if (!pair.is_on_board()) return Json::array({kGithubPc});
  return Json::array({"self-hosted", pair.board});
}

Json github_mirror(const char* action) {
  // What the mirror holds follows from the releases that the script names.
  return {{"uses", action},
          {"with", {{"path", "mirror"}, {"key", "torchpatch-mirror-${{ hashFiles('sources.sh') }}"}}}};
}

Json github_pair(const Matrix& matrix) {
  Json include = Json::array();
  for (const MatrixPair& pair : matrix.pairs)
    include.push_back({{"pair", pair.id}, {"runner", github_runner(pair)}, {"minutes", pair.size.minutes}});
  Json steps = Json::array({Json{{"uses", kCheckout}}, github_mirror("actions/cache/restore@v4")});
  if (has_cache(matrix)) {
    steps.push_back({{"uses", "actions/cache@v4"},
                     {"with",
                      {{"path", "cache"},
                       {"key", "torchpatch-cache-${{ matrix.pair }}-${{ github.run_id }}"},
                       {"restore-keys", "torchpatch-cache-${{ matrix.pair }}-"}}}});
  }
  steps.push_back({{"if", "runner.environment == 'github-hosted'"},
                   {"run", "sudo apt-get update && sudo apt-get install --yes debootstrap qemu-user-static"}});
  steps.push_back({{"env", {{"PAIR", "${{ matrix.pair }}"}}}, {"run", "sh pair.sh \"$PAIR\""}});
  steps.push_back(
      {{"if", "always()"}, {"uses", kUpload}, {"with", {{"name", "pair-${{ matrix.pair }}"}, {"path", "results"}}}});
  return {{"needs", "sources"},
          {"strategy", {{"fail-fast", false}, {"matrix", {{"include", include}}}}},
          {"runs-on", "${{ matrix.runner }}"},
          {"timeout-minutes", "${{ matrix.minutes }}"},
          {"steps", steps}};
}

// GitLab CI.

Json gitlab_pair(const Matrix& matrix) {
  Json pair = {{"stage", "pairs"},
               {"script", Json::array({"sh pair.sh \"$PAIR\""})},
               {"artifacts", {{"when", "always"}, {"paths", Json::array({"results"})}}},
               {"retry", {{"max", 2}, {"when", Json::array({"runner_system_failure", "stuck_or_timeout_failure"})}}}};
  if (has_cache(matrix)) pair["cache"] = Json{{"key", "torchpatch-$PAIR"}, {"paths", Json::array({"cache"})}};
  return pair;
}

// Kubernetes.

constexpr const char* kNamesOfAll = "torchpatch-matrix";

/// Labels of Kubernetes have no dots at their ends, which ids have not; other names have none at all.
std::string dashed(std::string text) {
  std::ranges::replace(text, '.', '-');
  return text;
}

Json kubernetes_meta(const std::string& name, const std::string& label) {
  return {{"name", name}, {"labels", {{kNamesOfAll, label}}}};
}

Json environment(std::string_view name, const Json& value) { return {{"name", name}, {"value", value}}; }

/// A job whose pods run `script` in the image with the volume at /matrix.
struct PodJob {
  std::string name, label, command;
  std::string board;  ///< whose label the node has; empty: any PC
  JobSize size;
  std::vector<std::size_t> numbers{};  ///< of the pairs; empty: it is no indexed job
};

Json pod_job(const PodJob& job) {
  Json env = Json::array({environment("MIRROR", "/matrix/mirror"), environment("RESULTS", "/matrix/results"),
                          environment("CACHE", "/matrix/cache"), environment("WORK", "/work")});
  if (!job.numbers.empty()) env.push_back(environment("PAIRS", numbers_text(job.numbers)));
  const Json resources = {{"requests",
                           {{"cpu", std::to_string(job.size.cpus)},
                            {"memory", concat(job.size.memory_mib, "Mi")},
                            {"ephemeral-storage", concat(job.size.disk_mib, "Mi")}}}};
  const Json container = {{"name", "torchpatch"},
                          {"image", "localhost/torchpatch-matrix"},
                          {"command", Json::array({"sh", "-c", job.command})},
                          {"env", env},
                          {"resources", resources},
                          // The recipes make roots and mounts.
                          {"securityContext", {{"privileged", true}}},
                          {"volumeMounts", Json::array({Json{{"name", "matrix"}, {"mountPath", "/matrix"}},
                                                        Json{{"name", "scripts"}, {"mountPath", "/scripts"}},
                                                        Json{{"name", "work"}, {"mountPath", "/work"}}})}};
  const Json selector =
      job.board.empty() ? Json{{"kubernetes.io/arch", "amd64"}} : Json{{"torchpatch/board", job.board}};
  const Json pod = {
      {"restartPolicy", "Never"},
      {"activeDeadlineSeconds", job.size.minutes * 60},
      {"nodeSelector", selector},
      {"containers", Json::array({container})},
      {"volumes", Json::array({Json{{"name", "matrix"}, {"persistentVolumeClaim", {{"claimName", kNamesOfAll}}}},
                               Json{{"name", "scripts"}, {"configMap", {{"name", kNamesOfAll}}}},
                               Json{{"name", "work"}, {"emptyDir", Json::object()}}})}};
  Json spec = Json::object();
  if (!job.numbers.empty()) {
    // A pair that fails for good must not stop the others:
    // https://kubernetes.io/docs/concepts/workloads/controllers/job/
    spec["completionMode"] = "Indexed";
    spec["completions"] = job.numbers.size();
    spec["parallelism"] = job.numbers.size();
    spec["backoffLimitPerIndex"] = 1;
    spec["maxFailedIndexes"] = job.numbers.size();
  } else {
    spec["backoffLimit"] = 1;
  }
  spec["template"] = Json{{"metadata", {{"labels", {{kNamesOfAll, job.label}}}}}, {"spec", pod}};
  return {
      {"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", kubernetes_meta(job.name, job.label)}, {"spec", spec}};
}

/// Documents of one file.
std::string documents(std::string_view title, const std::vector<Json>& values) {
  std::vector<std::string> texts;
  for (const Json& value : values) texts.push_back(yaml(title, value));
  return join(texts, "---\n");
}

}  // namespace

std::vector<GeneratedFile> github_files(const Matrix& matrix) {
  if (matrix.pairs.size() > kMostOfGithub) {
    throw Error(ErrorKind::usage,
                concat("GitHub runs ", kMostOfGithub, " jobs of a matrix at most, these are ", matrix.pairs.size()),
                "name fewer --versions or --boards, and write several directories");
  }
  const Json sources = {{"runs-on", kGithubPc},
                        {"steps", Json::array({Json{{"uses", kCheckout}}, github_mirror("actions/cache@v4"),
                                               Json{{"run", "sh sources.sh"}}})}};
  const Json gather = {{"needs", "pair"},
                       {"if", "always()"},
                       {"runs-on", kGithubPc},
                       {"steps", Json::array({Json{{"uses", kCheckout}},
                                              Json{{"uses", "actions/download-artifact@v4"},
                                                   {"with", {{"pattern", "pair-*"}, {"path", "results"}}}},
                                              Json{{"run", "sh gather.sh"}},
                                              Json{{"if", "always()"},
                                                   {"uses", kUpload},
                                                   {"with", {{"name", "status"}, {"path", "results/status.*"}}}}})}};
  const Json workflow = {{"name", "torchpatch matrix"},
                         {"on", {{"workflow_dispatch", Json::object()}}},
                         {"permissions", {{"contents", "read"}}},
                         {"jobs", {{"sources", sources}, {"pair", github_pair(matrix)}, {"gather", gather}}}};
  return {{".github/workflows/torchpatch-matrix.yml", yaml("PyTorch for many boards.", workflow)}};
}

std::vector<GeneratedFile> gitlab_files(const Matrix& matrix) {
  Json pipeline = {{"stages", Json::array({"sources", "pairs", "gather"})},
                   {"sources",
                    {{"stage", "sources"},
                     {"script", Json::array({"sh sources.sh"})},
                     {"artifacts", {{"paths", Json::array({"mirror"})}, {"expire_in", "1 week"}}}}},
                   {".pair", gitlab_pair(matrix)}};
  for (const MatrixPair& pair : matrix.pairs) {
    Json job = {
        {"extends", ".pair"}, {"timeout", concat(pair.size.minutes, " minutes")}, {"variables", {{"PAIR", pair.id}}}};
    if (pair.is_on_board()) job["tags"] = Json::array({pair.board});
    pipeline[pair.id] = job;
  }
  pipeline["gather"] = Json{{"stage", "gather"},
                            {"when", "always"},
                            {"script", Json::array({"sh gather.sh"})},
                            {"artifacts", {{"when", "always"}, {"paths", Json::array({"results"})}}}};
  return {{".gitlab-ci.yml", yaml("PyTorch for many boards.", pipeline)}};
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
  Json data = Json::object();
  for (const GeneratedFile& script : scripts) data[script.name] = script.bytes;
  const Json volume = {
      {"apiVersion", "v1"},
      {"kind", "PersistentVolumeClaim"},
      {"metadata", kubernetes_meta(kNamesOfAll, "storage")},
      {"spec",
       {{"accessModes", Json::array({"ReadWriteMany"})}, {"resources", {{"requests", {{"storage", "200Gi"}}}}}}}};
  const Json config = {{"apiVersion", "v1"},
                       {"kind", "ConfigMap"},
                       {"metadata", kubernetes_meta(kNamesOfAll, "storage")},
                       {"data", data}};
  const JobSize small = {.cpus = 1, .memory_mib = 2048, .disk_mib = 2048, .minutes = 360};
  std::vector<Json> pairs;
  const std::vector<PairGroup> groups = groups_of(matrix);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const PairGroup& group = groups[i];
    const std::string name = concat("torchpatch-pairs-", i + 1, group.board.empty() ? "" : "-" + dashed(group.board));
    pairs.push_back(
        pod_job({name, "pairs", "set -- $PAIRS; shift \"$JOB_COMPLETION_INDEX\"; exec sh /scripts/pair.sh \"$1\"",
                 group.board, group.size, group.numbers}));
  }
  return {
      {"gather.yaml", documents("The job that gathers.",
                                {pod_job({"torchpatch-gather", "gather", "exec sh /scripts/gather.sh", "", small})})},
      {"pairs.yaml", documents("The jobs of the pairs.", pairs)},
      {"sources.yaml",
       documents("The job that brings the sources.",
                 {pod_job({"torchpatch-sources", "sources", "exec sh /scripts/sources.sh", "", small})})},
      {"storage.yaml", documents("What the jobs share.", {volume, config})},
      {"submit.sh", std::string(kKubernetesScript), true}};
}

}  // namespace torchpatch::record
