// SPDX-License-Identifier: BSD-3-Clause
#include "source/overrides.h"

#include "model/url.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr const char* kHint = "the patchset with this override is for other pins; leave its fix out with --without FIX";

void check_override(const SubmoduleOverride& what, const PinnedRepository& submodule) {
  const std::string action = concat("taking the submodule ", what.repository.text(), " at ", what.commit.hex(), ": ");
  if (submodule.gitlink != what.replaces) {
    throw Error(ErrorKind::patch,
                concat(action, "it is pinned at ", submodule.gitlink.hex(), ", but the override replaces ",
                       what.replaces.hex()),
                kHint);
  }
  if (const auto problem = url_problem(what.url)) {
    throw Error(ErrorKind::unsafe, concat(action, "the URL ", redact_url(what.url), " is refused: ", *problem));
  }
}

}  // namespace

void Overrides::take(std::vector<PinnedRepository>& submodules) {
  for (PinnedRepository& submodule : submodules) {
    for (const SubmoduleOverride& what : overrides_) {
      if (what.repository != submodule.path) continue;
      check_override(what, submodule);
      submodule.commit = what.commit;
      submodule.url = what.url;
      submodule.may_fetch_recorded = true;  // the catalog's word, like a component's URL
      submodule.moved_urls = find_moved_urls(what.url, moved_);
      taken_.insert(what.repository);
    }
  }
}

void Overrides::require_all_taken() const {
  for (const SubmoduleOverride& what : overrides_) {
    if (taken_.contains(what.repository)) continue;
    std::string others;
    for (const SubmoduleOverride& other : overrides_) {
      const bool is_outer = other.repository != what.repository && lies_in(what.repository, other.repository);
      if (is_outer) others += concat(" with ", other.repository.text(), " at ", other.commit.hex());
    }
    throw Error(ErrorKind::patch,
                concat("taking the submodule ", what.repository.text(), " at ", what.commit.hex(),
                       ": there is no such submodule", others),
                kHint);
  }
}

}  // namespace torchpatch::source
