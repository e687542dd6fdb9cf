// SPDX-License-Identifier: BSD-3-Clause
#include "model/json_forms.h"

#include "model/url.h"
#include "support/text.h"

namespace torchpatch {

void RepositoryUrl::read(const JsonPlace& place) const {
  if (!place.is(Json::Kind::string)) return;
  const auto problem = url_problem(place.value.string);
  if (problem) place.report(concat("the URL ", redact_url(place.value.string), " is refused: ", *problem));
  url = problem ? "https://refused.invalid/x" : place.value.string;  // a valid form for the rest of the code
}

void TextOrNull::read(const JsonPlace& place) const {
  if (place.value.kind == Json::Kind::null || place.is(Json::Kind::string)) text = place.value.string;
}

Json Base64::json() const { return base64_encode(bytes); }

void Base64::read(const JsonPlace& place) const {
  if (!place.is(Json::Kind::string)) return;
  const std::optional<std::string> decoded = base64_decode(place.value.string);
  if (!decoded) place.report("must be base64");
  bytes = decoded.value_or("");
}

void ModeOutOf::read(const JsonPlace& place) const {
  if (!place.is(Json::Kind::string)) return;
  std::vector<std::string> names;
  for (const FileMode each : allowed) {
    names.emplace_back(name_of(each));
    if (place.value.string == names.back()) mode = each;
  }
  if (place.value.string != name_of(mode))
    place.report(concat("must be one of ", join(names, ", "), ", not ", quote(place.value.string)));
}

}  // namespace torchpatch
