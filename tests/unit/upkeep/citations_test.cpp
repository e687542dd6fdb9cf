// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/check/check.h"

#include "support/catch.h"

using namespace torchpatch;

TEST_CASE("line_reads: knows the ways in which a build reads a variable") {
  VariableTable table;
  table.implied = {{"project(", {"CC"}}};
  const auto reads = [&](const char* line, const char* name) { return upkeep::line_reads(line, name, table); };
  CHECK(reads("cuda = os.getenv('CUDA_HOME')", "CUDA_HOME"));
  CHECK(reads("if($ENV{CUDA_HOME})", "CUDA_HOME"));
  CHECK_FALSE(reads("CUDA_HOME_DIR = MY_CUDA_HOME", "CUDA_HOME"));
  CHECK(reads("use_env_vars = ['CUDA', \"CUDNN\"]", "NO_CUDNN"));
  CHECK_FALSE(reads("use_env_vars = ['CUDNN_X']", "NO_CUDNN"));
  CHECK(reads("elif var.startswith(('BUILD_', 'USE_')):", "USE_IBVERBS"));
  CHECK_FALSE(reads("elif var.startswith(('BUILD_', 'USE_')):", "NO_IBVERBS"));
  CHECK(reads("project(Caffe2 CXX C)", "CC"));
  CHECK_FALSE(reads("project(Caffe2 CXX C)", "CXX_X"));
}
