// SPDX-License-Identifier: BSD-3-Clause
/// Rules for the texts of data files: ids, names, versions, dates, URLs, places.
#pragma once

#include "model/repository_path.h"
#include "model/version.h"
#include "support/fields.h"

namespace torchpatch {

extern const TextRule kIdRule;               ///< [a-z0-9][a-z0-9.-]*
extern const TextRule kVariableNameRule;     ///< _?[A-Z][A-Z0-9_]*
extern const TextRule kVariablePatternRule;  ///< a variable name, or a prefix of one with a final '*'
extern const TextRule kDateRule;             ///< 2019-04-30
extern const TextRule kUrlRule;              ///< a repository URL that url_problem (model/url.h) accepts
extern const TextRule kWebLinkRule;          ///< https or http
extern const TextRule kArchitectureRule;     ///< armv8.2-a
extern const TextRule kLineRule;             ///< one line of text, without control bytes
extern const TextRule kNameRule;             ///< letters, digits, "_", "+", ".", "-"
extern const TextRule kPlaceRule;            ///< file:line
extern const TextRule kVersionRule;          ///< a version, perhaps a pre-release
extern const TextRule kMinorVersionRule;     ///< 3.5
extern const TextRule kPythonRule;           ///< a release of Python, or "none"
extern const TextRule kOutputPathRule;       ///< a path allowed in the output (path_rule.h)
extern const TextRule kSafePathRule;         ///< the same, for paths that torchpatch wrote; others are refused
extern const TextRule kSafeRepositoryRule;   ///< the same, for a repository: torch:third_party/onnx

template <>
inline constexpr TextRule kFormOf<Version>{
    "a version such as 1.10.2", nullptr, "^(0|[1-9][0-9]{0,8})(\\.(0|[1-9][0-9]{0,8})){0,5}(-rc(0|[1-9][0-9]{0,8}))?$"};
template <>
inline constexpr TextRule kFormOf<VersionRange>{
    "a range such as '>=1.5 <1.7' that some version can satisfy", nullptr,
    "^(\\*|(<=|>=|==|<|>)?[0-9.]+(-rc[0-9]+)?( (<=|>=|==|<|>)?[0-9.]+(-rc[0-9]+)?)*)$"};
template <>
inline constexpr TextRule kFormOf<RepositoryPath>{"a repository such as torch or torch:third_party/onnx", nullptr,
                                                  "^(torch|vision|audio)(:.+)?$"};

}  // namespace torchpatch
