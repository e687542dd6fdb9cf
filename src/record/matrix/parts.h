// SPDX-License-Identifier: BSD-3-Clause
/// What the files of a matrix are made of (internal).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/matrix.h"
#include "record/tree_scripts.h"

namespace torchpatch::record {

/// Returns a script with its values, and with what the scripts of a matrix have in common.
std::string matrix_script(std::string_view script, std::map<std::string_view, std::string> values);

/// Pairs that run on machines of one kind and are of one size, by their numbers: what one array of jobs can be.
struct PairGroup {
  std::string board;  ///< whose label the machine has; empty: any PC
  JobSize size;
  std::vector<std::size_t> numbers;
};
std::vector<PairGroup> groups_of(const Matrix& matrix);

// Each engine's own files.

std::vector<GeneratedFile> github_files(const Matrix& matrix);
std::vector<GeneratedFile> gitlab_files(const Matrix& matrix);
std::vector<GeneratedFile> slurm_files(const Matrix& matrix);
/// `scripts`: the files that every job has to find.
std::vector<GeneratedFile> kubernetes_files(const Matrix& matrix, const std::vector<GeneratedFile>& scripts);

/// Returns README.md: how the jobs are started, looked at, and run again.
std::string matrix_readme(const Matrix& matrix);

// The texts that the scripts are made of, as embedded by cmake/embed.cmake.

extern const std::string_view kMatrixScript;
extern const std::string_view kReportScript;
extern const std::string_view kPairScript;
extern const std::string_view kSourcesScript;
extern const std::string_view kGatherScript;
extern const std::string_view kSlurmScript;
extern const std::string_view kKubernetesScript;
extern const std::string_view kKubernetesJob;
extern const std::string_view kKubernetesStorage;
extern const std::string_view kGithub;
extern const std::string_view kGithubCache;  ///< the step that keeps a cache of compilers
extern const std::string_view kGitlab;
extern const std::string_view kMatrixReadme;
extern const std::string_view kEngineTexts;

}  // namespace torchpatch::record
