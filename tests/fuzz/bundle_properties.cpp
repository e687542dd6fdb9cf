// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "fuzz/harmless_text.h"
#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "git/pack_writer.h"
#include "record/bundle_index.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::fuzz {
namespace {

using Objects = std::vector<std::pair<ObjectId, git::Object>>;

std::string with_checksum(std::string_view bytes) { return concat(bytes, sha1(bytes).view()); }

std::optional<Objects> read_objects(std::string_view pack) {
  return attempt([&] {
    Objects objects;
    git::read_pack(pack, "fuzz",
                   [&](const ObjectId& id, const git::Object& object) { objects.emplace_back(id, object); });
    return objects;
  });
}

std::string write_objects(const Objects& objects) {
  std::string pack;
  git::PackWriter writer(static_cast<std::uint32_t>(objects.size()), [&](std::string_view part) { pack += part; });
  for (const auto& [id, object] : objects) writer.add(id, git::pack_entry(object));
  writer.finish();
  return pack;
}

bool are_same(const Objects& a, const Objects& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& left, const auto& right) {
    return left.first == right.first && left.second.type == right.second.type &&
           left.second.bytes == right.second.bytes;
  });
}

}  // namespace

void check_own_pack(std::string_view bytes) {
  const std::optional<Objects> objects = read_objects(with_checksum(bytes));
  if (!objects) return;
  for (const auto& [id, object] : *objects)
    require(git_object_id(git::object_type_name(object.type), object.bytes) == id, "an id is that of its content");
  const std::optional<Objects> again = read_objects(write_objects(*objects));
  require(again && are_same(*again, *objects), "what was read is written and read to the same");
}

void check_bundle_index(std::string_view bytes) {
  std::optional<record::BundleIndex> index;
  try {
    index = record::parse_bundle_index(bytes, "index.json");
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::data, "a refusal is data");
    std::string message = error.message();  // a finding a line
    std::replace(message.begin(), message.end(), '\n', ' ');
    require(is_harmless(message), "a refusal shows nothing raw");
    return;
  }
  require(record::bundle_index_json(*index) == bytes, "one text for one index");
}

}  // namespace torchpatch::fuzz
