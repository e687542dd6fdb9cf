// SPDX-License-Identifier: BSD-3-Clause
/// Files of a catalog directory, changed together.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "support/console.h"

namespace torchpatch::tree {

/// Files of a catalog directory, by path relative to it ("patchsets/x/patchset.json"), and what becomes of each;
/// nothing: it goes, a folder with all that is in it.
using FileChanges = std::map<std::string, std::optional<std::string>>;

/// Makes the changes; what is so already is left alone. Whenever the process ends (SIGKILL, a full disk), each folder
/// of the catalog is the old one or the new one: where more than one of its files changes, it is built anew beside
/// itself, with hard links to what stays, and swapped. All folders are built before the first takes its place, and take
/// it in an order that leaves a catalog which loads after each: releases and boards that come, issues that only go,
/// patchsets, results and issues that come, releases and boards that only go. Folders that hold no file any more go,
/// but for those of the catalog itself; modes stay. What a killed run left is removed by the next one (a warning says
/// so); loading passes over it. Where a file system cannot swap folders, files change one by one, and a warning says
/// so. Raises environment: as Staging; another run changes the same directory ("locked").
void change_catalog(const std::string& directory, const FileChanges& changes, Console& console);

}  // namespace torchpatch::tree
