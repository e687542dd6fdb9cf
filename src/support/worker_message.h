// SPDX-License-Identifier: BSD-3-Clause
/// What workers send to their parent through a pipe: frames of a fixed header and a payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/error.h"

namespace torchpatch {

enum class FrameKind : std::uint32_t { result = 1, error = 2 };

struct Frame {
  FrameKind kind = FrameKind::result;
  std::size_t item = 0;
  std::string_view payload;  ///< into the buffer it was read from
  std::size_t length = 0;    ///< of header and payload
};

/// Largest payload: an answer has at most a few objects (git/object.h) in it. A parent keeps no more of what a worker
/// sends without end.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{1} << 30;

/// Appends the header of a frame to `out`; `size` bytes of payload must follow it.
void append_frame_header(std::string& out, FrameKind kind, std::size_t item, std::size_t size);

/// Returns the frame at the front of `bytes`, or nothing where more bytes are needed first.
/// Raises source if these are no frame: a worker whose memory is damaged can send anything.
std::optional<Frame> read_frame(std::string_view bytes);

/// Returns an Error as a payload, and the Error that a payload stands for (raises source if it is damaged).
std::string encode_error(const Error& error);
Error decode_error(std::string_view payload);

}  // namespace torchpatch
