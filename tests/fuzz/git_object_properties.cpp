// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>
#include <set>

#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "fuzz/slow_path_rule.h"
#include "git/object.h"
#include "git/object_store.h"
#include "model/path_rule.h"
#include "support/text.h"

namespace torchpatch::fuzz {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

std::string deflate_bytes(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(size);
  return out;
}

/// Inflates all in one step; nothing where `compressed` is not one zlib stream of at most kMostBytes.
std::optional<std::string> inflate_bytes(std::string_view compressed) {
  std::string out(kMostBytes, '\0');
  uLongf size = out.size();
  uLong taken = compressed.size();
  const int code = uncompress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(compressed.data()), &taken);
  if (code != Z_OK || taken != compressed.size()) return std::nullopt;
  out.resize(size);
  return out;
}

std::string text_of(const git::Object& object) {
  return concat(git::object_type_name(object.type), ' ', object.bytes.size(), '\0') + object.bytes;
}

/// A directory counts as if its name ended with a slash.
std::string sort_key(const git::TreeEntry& entry) {
  const bool is_directory = entry.mode == "40000" || entry.mode == "040000";
  return entry.name + (is_directory ? "/" : "");
}

void check_honest_object(std::string_view content) {
  const git::Object object{git::ObjectType::blob, std::string(content)};
  const git::Object read = git::inflate_loose_object(deflate_bytes(text_of(object)), {}, "fuzz");
  require(read.type == object.type && read.bytes == object.bytes, "an honest object is read as it is");
}

}  // namespace

void check_tree_object(std::string_view bytes) {
  const auto entries = attempt([&] { return git::parse_tree(bytes); });
  if (!entries) return;
  require(git::format_tree(*entries) == bytes, "a tree is written to the bytes that were read");
  std::set<std::string> names;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const git::TreeEntry& entry = (*entries)[i];
    require(names.insert(entry.name).second, "an entry stands once");
    require(i == 0 || sort_key((*entries)[i - 1]) < sort_key(entry), "entries stand in git's order");
    const bool is_accepted = !component_problem(entry.name);
    require(is_accepted == (may_be_path(entry.name) && entry.name.find('/') == std::string::npos),
            "an entry's name is judged as by the other implementation");
  }
}

void check_commit_object(std::string_view bytes) {
  if (const auto tag = attempt([&] { return git::parse_tag(bytes); }))
    require(starts_with(bytes, concat("object ", tag->hex(), "\ntype ")), "a tag begins with what it is for");
  const auto commit = attempt([&] { return git::parse_commit(bytes); });
  if (!commit) return;
  require(starts_with(bytes, concat("tree ", commit->tree.hex(), "\n")), "a commit begins with its tree");
  require(commit->time >= 0 && commit->time < 253402300800, "a commit's time has a year of four digits");
  require(bytes.find(concat("> ", commit->time)) != std::string_view::npos, "its time stands behind an address");
}

void check_loose_object(std::string_view bytes) {
  const auto object = attempt([&] { return git::inflate_loose_object(bytes, {}, "fuzz"); });
  if (object && object->bytes.size() < kMostBytes / 2)
    require(inflate_bytes(bytes) == text_of(*object), "an object is all of the stream, and as long as it says");
  check_honest_object(bytes);
}

}  // namespace torchpatch::fuzz
