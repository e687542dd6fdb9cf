// SPDX-License-Identifier: BSD-3-Clause
/// One layer: its files read and laid over what is there already.
#pragma once

#include "catalog/assembly.h"
#include "catalog/load_catalog.h"

namespace torchpatch::catalog {

/// Lays a layer over the assembly by the layer rule (docs/formats.md); what is wrong is findings.
void lay_layer(const Layer& layer, Assembly& assembly);

}  // namespace torchpatch::catalog
