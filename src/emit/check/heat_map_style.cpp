// SPDX-License-Identifier: BSD-3-Clause
#include "emit/check/heat_map_style.h"

namespace torchpatch::emit {

std::string heat_map_variables() {
  return R"(:root {
  --broken: #b3261e; --broken-ink: #ffffff;
  --uncertified: #f4a261; --uncertified-ink: #000000;
  --undecided: #ffe08a; --undecided-ink: #000000;
  --patched: #2e7d4f; --patched-ink: #ffffff;
  --plain: #e3efe7; --plain-ink: #1c1f24;
  --no-image: #ffffff; --no-image-ink: #666666;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --broken: #f2877f; --broken-ink: #000000;
    --uncertified: #d98032; --uncertified-ink: #000000;
    --undecided: #b89b2e; --undecided-ink: #000000;
    --patched: #57b37f; --patched-ink: #000000;
    --plain: #24382c; --plain-ink: #e4e6ea;
    --no-image: #131519; --no-image-ink: #9aa0a6;
  }
}
)";
}

}  // namespace torchpatch::emit
