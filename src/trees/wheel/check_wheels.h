// SPDX-License-Identifier: BSD-3-Clause
/// `wheel check`: wheels against a board and an image of it; `wheel fix-names`: gives the modules of a wheel the names
/// that the board's Python looks for, and the wheel the platform that it is for.
#pragma once

#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/wheel.h"
#include "support/worker_pool.h"

namespace torchpatch::trees {

/// Returns the image of that name; where it is empty the board's default for the release whose torch, torchvision or
/// torchaudio is among the wheels, else its first. Raises usage for an unknown one.
const Image& image_of_wheels(const Catalog& catalog, const Board& board, const std::string& image,
                             const std::vector<std::string>& files);

/// How much a worker may use that reads wheels.
WorkerLimits wheel_limits();

/// Judges wheels on image_of_wheels(). Raises as that does, environment and source where a wheel cannot be opened or is
/// no archive, unsafe where the archive's rules refuse it, data where the catalog does not say what the board's core
/// can do.
WheelReport check_wheels(const Catalog& catalog, const Board& board, const std::string& image,
                         const std::vector<std::string>& files, int jobs);

/// Writes the wheel with its right name into `directory`, the same bytes each time; nothing where no name is wrong. A
/// module is renamed where it is for the board's machine and its name is for the wheel's own Python; the platform tag
/// becomes linux_ARCH where every ELF file is for the board's machine. RECORD and WHEEL are written anew. Raises as
/// check_wheels; usage where a name cannot be right: an ELF file for another machine, a Python that the image does not
/// have, two modules that would get one name; environment where it cannot be written, or is there already.
WheelFix fix_names(const Catalog& catalog, const Board& board, const std::string& image, const std::string& file,
                   const std::string& directory);

}  // namespace torchpatch::trees
