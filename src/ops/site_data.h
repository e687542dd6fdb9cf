// SPDX-License-Identifier: BSD-3-Clause
/// Plans everything, for the documentation.
#pragma once

#include "emit/site/site_data.h"

namespace torchpatch::ops {

/// Plans every release for every board and image. The result points into `catalog`.
emit::SiteData make_site_data(const Catalog& catalog);

}  // namespace torchpatch::ops
