// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/fetch_program.h"

#include "support/catch.h"

using namespace torchpatch::source;

TEST_CASE("ProgressReader: reads what git says, and not what a server says", "[source]") {
  ProgressReader reader;
  reader.feed(
      "remote: Counting objects: 100% (8/8), done.\nremote: Receiving objects: 50% (9/18), 9.00 GiB | 1 MiB/s\r");
  CHECK(reader.progress().total == 0);
  reader.feed("Receiving objects:  12% (1/8)\rReceiving obj");
  CHECK(reader.progress().objects == 1);
  reader.feed("ects:  50% (4/8), 1.50 MiB | 2.00 MiB/s\r");
  CHECK(reader.progress().objects == 4);
  CHECK(reader.progress().total == 8);
  CHECK(reader.progress().bytes == 3 << 19);
  reader.feed("Receiving objects: 100% (8/8), 2.00 GiB | 2.00 MiB/s, done.\n");
  CHECK(reader.progress().objects == 8);
  CHECK(reader.progress().bytes == 2ull << 30);
}

TEST_CASE("ProgressReader: takes nonsense", "[source]") {
  ProgressReader reader;
  reader.feed(
      "Receiving objects: (\rReceiving objects: (99999999999999999999999/1e9), 1e400 GiB\rReceiving objects: (-1/x\r");
  reader.feed(std::string(1 << 20, 'x'));
  reader.feed(
      "\rReceiving objects: (7/9), nan MiB\rReceiving objects: (7/9), -5 MiB\rReceiving objects: (7/9), inf GiB\r");
  CHECK(reader.progress().objects == 7);
  CHECK(reader.progress().total == 9);
  CHECK(reader.progress().bytes == 0);
}
