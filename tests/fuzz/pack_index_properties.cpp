// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>

#include <set>

#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "git/pack.h"
#include "support/file.h"

namespace torchpatch::fuzz {
namespace {

constexpr std::size_t kIndexHeaderBytes = 8 + 256 * 4;
constexpr std::size_t kNameBytes = 20;
constexpr std::uint64_t kPackBytes = 100'000;

UniqueFd file_with(std::string_view bytes) {
  UniqueFd file(memfd_create("fuzz.idx", MFD_CLOEXEC));
  write_all(file.get(), bytes, "fuzz.idx");
  return file;
}

void check_lookups(const git::PackIndex& index, std::string_view bytes) {
  std::set<ObjectId> listed;
  for (std::size_t i = 0; i < index.object_count(); ++i)
    listed.insert(ObjectId::from_bytes(bytes.data() + kIndexHeaderBytes + i * kNameBytes));
  require(listed.size() == index.object_count(), "an index that is checked lists a name once");
  for (const ObjectId& id : listed) {
    const std::optional<std::uint64_t> offset = index.find(id);
    require(offset && *offset >= 12 && *offset < kPackBytes - kNameBytes, "a listed object lies inside the pack");
    ObjectId other = id;
    other.bytes.back() ^= 1;
    require(index.find(other).has_value() == listed.contains(other), "what is not listed is not found");
  }
}

}  // namespace

void check_pack_index(std::string_view bytes) {
  const UniqueFd file = file_with(bytes);
  const auto index = attempt([&] { return git::PackIndex(file, "fuzz.idx"); });
  if (!index) return;
  require(index->pack_checksum() == bytes.substr(bytes.size() - 2 * kNameBytes, kNameBytes),
          "the checksum is the last but one");
  attempt([&] { return index->find(ObjectId{}); });  // before the check, as ObjectStore does
  const auto check = [&] {
    index->check_entries(kPackBytes);
    return true;
  };
  if (attempt(check)) check_lookups(*index, bytes);
}

}  // namespace torchpatch::fuzz
