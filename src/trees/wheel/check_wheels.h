// SPDX-License-Identifier: BSD-3-Clause
/// `wheel check`: wheels against a board and an image of it.
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

}  // namespace torchpatch::trees
