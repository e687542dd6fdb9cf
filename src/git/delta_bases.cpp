// SPDX-License-Identifier: BSD-3-Clause
#include "git/delta_bases.h"

namespace torchpatch::git {

namespace {

constexpr std::size_t kMaxBytes = 4u << 20;
/// One object does not drive all others out.
constexpr std::size_t kMaxObject = kMaxBytes / 4;
/// What a row takes besides the object's bytes, about.
constexpr std::size_t kRowBytes = 200;

std::size_t size_of(const Object& object) { return object.bytes.size() + kRowBytes; }

}  // namespace

DeltaBases::Base DeltaBases::find(std::uint64_t start) {
  const auto place = places_.find(start);
  if (place == places_.end()) return nullptr;
  rows_.splice(rows_.end(), rows_, place->second);
  return place->second->object;
}

void DeltaBases::add(std::uint64_t start, const Base& object) {
  if (size_of(*object) > kMaxObject || places_.contains(start)) return;
  rows_.push_back({start, object});
  places_.emplace(start, std::prev(rows_.end()));
  bytes_ += size_of(*object);
  while (bytes_ > kMaxBytes) {
    bytes_ -= size_of(*rows_.front().object);
    places_.erase(rows_.front().start);
    rows_.pop_front();
  }
}

}  // namespace torchpatch::git
