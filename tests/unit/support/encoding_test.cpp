// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.h"
#include "support/text.h"

using namespace torchpatch;

TEST_CASE("hex: lower case both ways") {
  CHECK(to_hex(std::string_view("\0\x1F\xFF", 3)) == "001fff");
  CHECK(from_hex("001fff") == std::string("\0\x1F\xFF", 3));
  CHECK(from_hex("") == "");
  CHECK_FALSE(from_hex("0"));
  CHECK_FALSE(from_hex("0G"));
  CHECK_FALSE(from_hex("AB"));
}

TEST_CASE("base64: RFC 4648's vectors") {
  const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    CHECK(base64_encode(bytes) == text);
    CHECK(base64_decode(text) == bytes);
  }
}

TEST_CASE("base64: all bytes come back") {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    CHECK(base64_decode(base64_encode(bytes)) == bytes);
  }
}

TEST_CASE("base64_decode: refuses what base64_encode does not write") {
  for (const std::string text :
       {"Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zm 9", "Zm9v\n", "Zm-_", "=m9v"}) {
    CAPTURE(text);
    CHECK_FALSE(base64_decode(text));
  }
}

TEST_CASE("parse_decimal: never overflows and has one text for a number") {
  CHECK(parse_decimal("0") == 0u);
  CHECK(parse_decimal("18446744073709551615") == 18446744073709551615u);
  for (const std::string text :
       {"", "00", "01", "-1", "+1", " 1", "1 ", "1e3", "18446744073709551616", "99999999999999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_decimal(text));
  }
}
