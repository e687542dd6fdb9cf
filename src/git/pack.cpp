// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack.h"

#include "git/delta_bases.h"
#include "git/pack_entry.h"
#include "git/pack_file.h"
#include "git/whole_inflater.h"
#include "support/delta.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

/// git makes chains of 50, and none of more than 8191 (fast-import).
constexpr std::size_t kMostDeltas = 10'000;
/// Most bytes that are made on the way to one object: a few seconds of work.
constexpr std::uint64_t kMostChainBytes = 16 * kMaxObjectBytes;

std::string pack_path(const std::string& index_path) {
  return index_path.substr(0, index_path.size() - std::string_view(".idx").size()) + ".pack";
}

/// What a stream of `size` bytes may take compressed. Deflate adds five bytes to each block that it cannot compress;
/// nobody's blocks are as small as this allows.
std::size_t most_compressed_bytes(std::uint64_t size) { return size + size / 4 + (64 << 10); }

}  // namespace

/// The file, and what reading from it needs.
struct Pack::Open {
  Open(const PackIndex& pack_index, const std::string& path)
      : index(pack_index), file(path, pack_index.object_count(), pack_index.pack_checksum()) {}

  Object unpack(std::uint64_t start);

  const PackIndex& index;
  PackFile file;

 private:
  PackEntry parse(std::uint64_t start) {
    return parse_pack_entry(file.bytes_at(start, kMostEntryHeaderBytes), start, file.path());
  }
  std::uint64_t base_of(const PackEntry& delta) const;
  void inflate(const PackEntry& entry, std::string& out);
  DeltaBases::Base find_base(std::uint64_t start, std::vector<PackEntry>& deltas);
  Object apply(const PackEntry& delta, const Object& base);

  WholeInflater inflater_;
  DeltaBases bases_;
};

std::uint64_t Pack::Open::base_of(const PackEntry& delta) const {
  if (delta.base != 0) return delta.base;
  const auto base = index.find(delta.base_id);
  if (base) return *base;
  throw entry_error(ErrorKind::source, file.path(), delta.start,
                    concat("is a delta of ", delta.base_id.hex(), ", which this pack has not"));
}

void Pack::Open::inflate(const PackEntry& entry, std::string& out) {
  const std::string_view compressed = file.bytes_at(entry.start + entry.header_size, most_compressed_bytes(entry.size));
  if (inflater_.inflate(compressed, entry.size, out)) return;
  throw entry_error(ErrorKind::source, file.path(), entry.start, inflater_.problem());
}

/// Follows the chain from the delta that `deltas` ends with; returns the object that it begins with, or one on the way
/// that is at hand.
DeltaBases::Base Pack::Open::find_base(std::uint64_t start, std::vector<PackEntry>& deltas) {
  for (;;) {
    if (DeltaBases::Base known = bases_.find(start)) return known;
    const PackEntry entry = parse(start);
    if (entry.type) {
      const auto object = std::make_shared<Object>(Object{*entry.type, {}});
      inflate(entry, object->bytes);
      bases_.add(start, object);
      return object;
    }
    // Bases that are named by their ids may go in circles.
    if (deltas.size() == kMostDeltas) {
      throw entry_error(ErrorKind::source, file.path(), deltas.front().start,
                        concat("is made of more than ", kMostDeltas, " deltas"));
    }
    deltas.push_back(entry);
    start = base_of(entry);
  }
}

Object Pack::Open::apply(const PackEntry& delta, const Object& base) {
  std::string instructions;
  inflate(delta, instructions);
  auto bytes = apply_delta(instructions, base.bytes, kMaxObjectBytes);
  if (bytes) return {base.type, std::move(*bytes)};
  throw entry_error(ErrorKind::source, file.path(), delta.start, "is a delta that does not go with its base");
}

Object Pack::Open::unpack(std::uint64_t start) {
  const PackEntry entry = parse(start);
  if (entry.type) {
    Object object{*entry.type, {}};
    inflate(entry, object.bytes);
    return object;
  }
  std::vector<PackEntry> deltas{entry};
  DeltaBases::Base base = find_base(base_of(entry), deltas);
  std::uint64_t made = 0;
  for (; deltas.size() > 1; deltas.pop_back()) {
    const auto object = std::make_shared<Object>(apply(deltas.back(), *base));
    bases_.add(deltas.back().start, object);
    base = object;
    made += base->bytes.size();
    if (made > kMostChainBytes) {
      throw entry_error(ErrorKind::unsafe, file.path(), start,
                        concat("is made of deltas that make more than ", kMostChainBytes, " bytes"));
    }
  }
  return apply(entry, *base);
}

Pack::Pack(const std::string& index_path) : index_path_(index_path), index_(index_path) {}
Pack::~Pack() = default;

void Pack::close() { open_.reset(); }

void Pack::check() {
  if (is_checked_) return;
  const PackFile file(pack_path(index_path_), index_.object_count(), index_.pack_checksum());
  index_.check_entries(file.size());
  is_checked_ = true;
}

Object Pack::read(std::uint64_t place) {
  check();
  if (!open_) open_ = std::make_unique<Open>(index_, pack_path(index_path_));
  return open_->unpack(place);
}

Object Pack::read(const ObjectId& id) {
  check();
  if (const auto place = index_.find(id)) return read(*place);
  throw Error(ErrorKind::source,
              concat("reading the pack ", quote(pack_path(index_path_)), ": it has no object ", id.hex()));
}

}  // namespace torchpatch::git
