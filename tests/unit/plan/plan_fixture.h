// SPDX-License-Identifier: BSD-3-Clause
/// A small catalog in memory, for the planner's tests.
///
///   release 1.1.0   torch 1…1, vision 2…2   Python 2.7, 3.5, 3.6   CUDA >=8.0 <10.2
///   release 1.9.0   torch 9…9               Python 3.6, 3.7        CUDA >=10.2
///   board   duo     GPU 6.2, 32768 registers; images old (Python 3.4, 3.5, 2.7, CUDA 9.0, gcc 5.4) and
///                   new (Python 3.6, CUDA 10.2, gcc unknown); defaults old below 1.6, new from 1.6 on
///   board   bare    no GPU; image only (Python 3.6, 3.5, no CUDA)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/catalog.h"

namespace torchpatch::plan::test {

inline ObjectId object_id(char digit) { return *ObjectId::parse(std::string(40, digit)); }
inline Sha256 digest_of(char digit) { return *Sha256::parse(std::string(64, digit)); }
inline VersionRange range(const std::string& text) { return *VersionRange::parse(text); }
inline Version version(const std::string& text) { return *Version::parse(text); }

Catalog make_catalog();

/// Conditions of one clause.
Condition needs_range(const std::string& fact, const std::string& expected);
Condition needs_flag(const std::string& fact, bool expected);

/// An issue of every release, with these fixes.
Issue& add_issue(Catalog& catalog, const std::string& id, Condition when, std::vector<Fix> fixes);
Fix advice(const std::string& id);
Fix optional_advice(const std::string& id);
Fix patch_fix(const std::string& id, const std::string& patchset);
Fix environment_fix(const std::string& id, const std::string& name, const std::string& value);

/// A patchset of one variant "v" for `releases`, with one patch in torch for each digit, which is its digest.
Patchset& add_patchset(Catalog& catalog, const std::string& id, const std::string& releases, const std::string& digits);

/// An edge of a patch for torch of 1.1.0: `path`, the blob before and after, the patch it follows ('-' = none).
CertificateEdge edge(char patch, const std::string& path, char before, char after, char follows = '-');

}  // namespace torchpatch::plan::test
