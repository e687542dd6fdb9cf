// SPDX-License-Identifier: BSD-3-Clause
#include "model/board.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "support/find.h"
#include "support/text.h"

namespace torchpatch {

bool is_managed_python(const std::string& os) {
  // https://peps.python.org/pep-0668/; first marked in Debian's python3.11 and in Ubuntu 23.04.
  const std::map<std::string, int> since = {{"debian", 12}, {"raspios", 12}, {"ubuntu", 23}};
  const std::size_t dash = std::min(os.find('-'), os.size());
  const auto first = since.find(os.substr(0, dash));
  int major = 0;
  std::from_chars(os.data() + std::min(dash + 1, os.size()), os.data() + os.size(), major);
  return first != since.end() && major >= first->second;
}

void ImagePart::read(const JsonPlace& place) const {
  Version found;
  if (place.value.kind == Json::Kind::null)
    known_absent.insert(name);
  else if (JsonReader::read(place, found, FieldRules(kNoPreRelease)))
    version = found;
}

const Image* Board::find_image(const std::string& image_id) const {
  return find_where(images, [&](const Image& image) { return image.id == image_id; });
}

void check_fields(ObjectReader& object, const Board& board) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < board.images.size(); ++i) {
    const std::string& id = board.images[i].id;
    if (!id.empty() && board.find_image(id) != &board.images[i])
      object.report(concat("images[", i, "].id"), concat("image ", quote(id), " is listed twice"));
    ids.push_back(id);
  }
  for (std::size_t i = 0; i < board.default_images.size(); ++i) {
    const std::string& id = board.default_images[i].image;
    if (id.empty() || board.find_image(id)) continue;
    const std::string hint = did_you_mean(id, ids);
    object.report(concat("default_images[", i, "].image"),
                  concat("no image ", quote(id), hint.empty() ? "" : "; ", hint));
  }
}

}  // namespace torchpatch
