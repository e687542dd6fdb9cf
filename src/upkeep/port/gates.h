// SPDX-License-Identifier: BSD-3-Clause
/// What a carried variant has to pass, since clean is not right: look_at_python, look_at_line_ends, prove_carried.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/catalog_changes.h"
#include "model/proof.h"
#include "source/closure/object_source.h"
#include "support/console.h"

namespace torchpatch::upkeep {

/// A file of a patch, as it was and as it is.
struct ChangedText {
  RepositoryPath repository;
  std::string path;
  std::string before, after;
};

/// Says which commit of upstream took a name out of a file.
using BlameName = std::function<std::optional<BlamedCommit>(const ChangedText& file, const std::string& name)>;

/// Compiles each Python file, and looks for names that the patched one uses, nobody binds, and the other does not use.
std::vector<PortGate> look_at_python(const std::vector<ChangedText>& files, const BlameName& blame);

/// Returns the first commit between the pins of two releases whose file has a name no more, where it is available.
std::optional<BlamedCommit> commit_without_name(const Catalog& catalog, const Release& from, const Release& to,
                                                const ChangedText& file, const std::string& name,
                                                source::ObjectSource& source, Console& console);

/// Names the files that have the line ends of Windows, and had not, or had, and have not: an editor's doing.
std::vector<PortGate> look_at_line_ends(const std::vector<ChangedText>& files);

/// Proves a patchset of `catalog` at `release`. Each proof that is made for the release that it was carried from must
/// be made for this one, and show red without the patches and green with them; of one that is not made for it the gate
/// says what it shows there. Raises as prove.
ProveReport prove_carried(const Catalog& catalog, const std::string& patchset, const Version& from,
                          const Version& release, source::ObjectSource& source, int jobs, Console& console,
                          std::vector<PortGate>& gates);

/// Returns whether the proofs of a patchset at a release hold without any patch, and there is one.
bool holds_without_patches(const Catalog& catalog, const std::string& patchset, const Version& release,
                           source::ObjectSource& source, int jobs, Console& console);

}  // namespace torchpatch::upkeep
