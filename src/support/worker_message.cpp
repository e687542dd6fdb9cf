// SPDX-License-Identifier: BSD-3-Clause
#include "support/worker_message.h"

#include <cstring>
#include <vector>

namespace torchpatch {
namespace {

struct Header {
  std::uint32_t magic;
  std::uint32_t kind;
  std::uint64_t item;
  std::uint64_t size;
};

constexpr std::uint32_t kMagic = 0x6b726f77;  // "work"

Error damaged() { return Error(ErrorKind::source, "a worker process sent a damaged message"); }

void append_number(std::string& out, std::uint64_t number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_text(std::string& out, std::string_view text) {
  append_number(out, text.size());
  out += text;
}

/// Takes values off the front of a payload.
class PayloadReader {
 public:
  explicit PayloadReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size()) throw damaged();
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

ErrorKind checked_kind(std::uint64_t number) {
  for (const ErrorKind kind : {ErrorKind::usage, ErrorKind::data, ErrorKind::source, ErrorKind::patch,
                               ErrorKind::unsafe, ErrorKind::environment, ErrorKind::internal}) {
    if (number == static_cast<std::uint64_t>(kind)) return kind;
  }
  throw damaged();
}

}  // namespace

void append_frame_header(std::string& out, FrameKind kind, std::size_t item, std::size_t size) {
  const Header header = {kMagic, static_cast<std::uint32_t>(kind), item, size};
  out.append(reinterpret_cast<const char*>(&header), sizeof header);
}

std::optional<Frame> read_frame(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto kind = static_cast<FrameKind>(header.kind);
  const bool is_known = kind == FrameKind::result || kind == FrameKind::error;
  if (header.magic != kMagic || !is_known || header.size > kMaxFrameBytes) throw damaged();
  if (bytes.size() - sizeof header < header.size) return std::nullopt;
  return Frame{kind, header.item, bytes.substr(sizeof header, header.size), sizeof header + header.size};
}

std::string encode_error(const Error& error) {
  std::string payload;
  append_number(payload, static_cast<std::uint64_t>(error.kind()));
  append_text(payload, error.message());
  append_text(payload, error.hint());
  for (const std::string& line : error.context()) append_text(payload, line);
  return payload;
}

Error decode_error(std::string_view payload) {
  PayloadReader reader(payload);
  const ErrorKind kind = checked_kind(reader.number());
  std::string message = reader.text();
  std::string hint = reader.text();
  Error error(kind, std::move(message), std::move(hint));
  while (!reader.at_end()) error.add_context(reader.text());
  return error;
}

}  // namespace torchpatch
