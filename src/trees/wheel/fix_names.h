// SPDX-License-Identifier: BSD-3-Clause
/// `wheel fix-names`: gives the modules of a wheel the names that the board's Python looks for, and the wheel the
/// platform that it really is for.
#pragma once

#include <string>

#include "model/catalog.h"
#include "model/wheel.h"

namespace torchpatch::trees {

/// Writes the wheel with its right name into `directory`, the same bytes each time; nothing where no name is wrong. A
/// module is renamed where it is for the board's machine and its name is for the wheel's own Python; the platform tag
/// becomes linux_ARCH where every ELF file is for the board's machine. RECORD and WHEEL are written anew. Raises as
/// check_wheels; usage where a name cannot be right: an ELF file for another machine, a Python that the image does not
/// have, two modules that would get one name; environment where it cannot be written, or is there already.
WheelFix fix_names(const Catalog& catalog, const Board& board, const std::string& image, const std::string& file,
                   const std::string& directory);

}  // namespace torchpatch::trees
