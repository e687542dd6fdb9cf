// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "fuzz/slow_path_rule.h"
#include "model/repository_path.h"
#include "source/closure/repository_tree.h"
#include "support/wire.h"
#include "support/worker_pool.h"

namespace torchpatch::fuzz {
namespace {

/// Returns what `decode` makes of an answer, or nothing where it refuses it as the errors of workers are.
template <typename Decode>
auto decode_or_refuse(Decode decode) -> std::optional<decltype(decode())> {
  try {
    return decode();
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::source, "a damaged answer is an error of the source");
    return std::nullopt;
  }
}

void require_mode(FileMode mode) {
  require(mode != FileMode::directory && parse_file_mode(name_of(mode)) == mode, "an answer's modes exist");
}

void check_error(std::string_view payload) {
  const auto error = decode_or_refuse([&] { return decode_error(payload); });
  if (error) require(encode_error(*error) == payload, "an error is sent as it was received");
}

void check_frames(std::string_view bytes) {
  std::size_t received = 0;
  const auto take = [&] {
    const std::optional<Frame> frame = read_frame(bytes.substr(received));
    if (!frame) return false;
    require(frame->payload.end() <= bytes.end() && frame->length <= bytes.size() - received,
            "a frame is in the buffer");
    require(frame->length > frame->payload.size(), "a frame is longer than its payload");
    if (frame->kind == FrameKind::error) check_error(frame->payload);
    received += frame->length;
    return true;
  };
  while (decode_or_refuse(take).value_or(false)) {
  }
}

void check_repository_tree(std::string_view bytes) {
  const auto tree = decode_or_refuse([&] { return from_wire<source::RepositoryTree>(bytes); });
  if (!tree) return;
  require(tree->store >= -1, "an answer's folder is a number, or none");
  for (const source::PinnedEntry& entry : tree->entries) {
    require(may_be_in_output(entry.path), "an answer's paths pass the rule");
    require_mode(entry.mode);
  }
  require(to_wire(*tree) == bytes, "an answer is sent as it was received");
}

/// Values one after the other, which kinds the letters before the first newline say.
void check_values(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  WireReader reader(input.substr(std::min(end + 1, input.size())));
  const auto take = [&](char kind) {
    if (kind == 'n') reader.get<std::uint32_t>();
    if (kind == 't') require(reader.get<std::string>().size() <= input.size(), "a text is part of the answer");
    if (kind == 'p') require(may_be_in_output(reader.get<source::PinnedEntry>().path), "a path passes the rule");
    if (kind == 'm') require_mode(reader.get<source::PinnedEntry>().mode);
    if (kind == 'c') require(*name_of(reader.get<Component>()) != '\0', "a component exists");
    return true;
  };
  for (const char kind : input.substr(0, end))
    if (!decode_or_refuse([&] { return take(kind); })) return;
}

}  // namespace

void check_worker_answer(std::string_view bytes) {
  constexpr std::array kChecks = {check_frames, check_error, check_repository_tree, check_values};
  if (bytes.empty()) return;
  const std::size_t kind = static_cast<unsigned char>(bytes[0]) - std::size_t{'0'};
  if (kind < kChecks.size()) kChecks[kind](bytes.substr(1));
}

}  // namespace torchpatch::fuzz
