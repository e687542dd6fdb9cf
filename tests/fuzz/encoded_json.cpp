// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/encoded_json.h"

#include <algorithm>

#include "support/text.h"

namespace torchpatch::fuzz {
namespace {

using Kind = Json::Kind;

std::string encode_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out += concat("\\u00", to_hex({&c, 1}));
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

class Encoder {
 public:
  std::string take() { return std::move(out_); }

  void encode(Json& value) {
    value.line = line_;
    switch (value.kind) {
      case Kind::null:
        return put("null");
      case Kind::boolean:
        return put(value.boolean ? "true" : "false");
      case Kind::integer:
        return put(std::to_string(value.integer));
      case Kind::string:
        return put(encode_string(value.string));
      case Kind::array:
        return encode_array(value);
      case Kind::object:
        return encode_object(value);
    }
  }

 private:
  void put(const std::string& text) {
    out_ += text + "\n";
    ++line_;
  }
  void encode_array(Json& value) {
    put("[");
    for (Json& item : value.items) {
      if (&item != &value.items.front()) put(",");
      encode(item);
    }
    put("]");
  }
  void encode_object(Json& value) {
    put("{");
    for (JsonMember& member : value.members) {
      if (&member != &value.members.front()) put(",");
      put(encode_string(member.name) + ":");
      encode(member.value);
    }
    put("}");
  }

  std::string out_;
  int line_ = 1;
};

}  // namespace

std::string encode_on_lines(Json& value) {
  Encoder encoder;
  encoder.encode(value);
  return encoder.take();
}

bool are_equal(const Json& a, const Json& b) {
  return a.kind == b.kind && a.line == b.line && a.boolean == b.boolean && a.integer == b.integer &&
         a.string == b.string &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), are_equal) &&
         std::equal(
             a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
             [](const JsonMember& x, const JsonMember& y) { return x.name == y.name && are_equal(x.value, y.value); });
}

int depth_of(const Json& value) {
  int below = 0;
  for (const Json& item : value.items) below = std::max(below, depth_of(item));
  for (const JsonMember& member : value.members) below = std::max(below, depth_of(member.value));
  return below + (value.kind == Kind::array || value.kind == Kind::object ? 1 : 0);
}

}  // namespace torchpatch::fuzz
