// SPDX-License-Identifier: BSD-3-Clause
/// Libraries that a build takes from the system where a variable turns them on.
#pragma once

#include <array>
#include <string_view>

namespace torchpatch {

struct Library {
  std::string_view variable;
  std::string_view packages;  ///< that have it, as Debian and Ubuntu call them; empty: none that will do
  std::string_view issue;     ///< the known issue of a build without it, or empty
};

inline constexpr auto kLibraries = std::to_array<Library>({{"BLAS", "libopenblas-dev", ""},
                                                           {"USE_FFMPEG", "libavcodec-dev", ""},
                                                           {"USE_GFLAGS", "libgflags-dev", ""},
                                                           {"USE_GLOG", "libgoogle-glog-dev", ""},
                                                           {"USE_LEVELDB", "libleveldb-dev libsnappy-dev", ""},
                                                           {"USE_LMDB", "liblmdb-dev", ""},
                                                           {"USE_MKLDNN_ACL", "", "onednn-acl"},
                                                           {"USE_MPI", "libopenmpi-dev", "mpi-before-configure"},
                                                           {"USE_NUMA", "libnuma-dev", ""},
                                                           {"USE_OPENCV", "libopencv-dev", ""},
                                                           {"USE_REDIS", "libhiredis-dev", ""},
                                                           {"USE_ROCKSDB", "librocksdb-dev", ""},
                                                           {"USE_ZMQ", "libzmq3-dev", ""}});

}  // namespace torchpatch
