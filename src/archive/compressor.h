// SPDX-License-Identifier: BSD-3-Clause
/// Compresses a stream so that equal bytes give equal bytes: fixed levels, nothing of the run in the headers. Another
/// version of zlib or libzstd may still compress in another way, which is why callers tell the digest of the tar, too.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace torchpatch::archive {

enum class Compression { none, gzip, zstd };

/// Takes bytes as they come.
using Sink = std::function<void(std::string_view)>;

class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Ends the stream; to be called once.
  virtual void finish() = 0;
};

/// Returns a compressor that writes to `sink`. gzip: level 6, no name, no time, system "unknown" (RFC 1952 §2.3). zstd:
/// level 9 with a checksum, in jobs whose cut does not depend on `threads`, of which any number gives the same bytes.
/// It raises environment where the library fails, and whatever the sink raises.
std::unique_ptr<Compressor> make_compressor(Compression compression, Sink sink, int threads);

}  // namespace torchpatch::archive
