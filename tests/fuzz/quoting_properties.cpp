// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/harmless_text.h"
#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "patch/patch_file.h"
#include "support/print_patch.h"
#include "support/text.h"

namespace torchpatch::fuzz {
namespace {

/// Reads the C escapes of a quoted text back: the letters, and octal with three digits.
std::optional<std::string> read_escapes(std::string_view text) {
  const std::string_view letters = "abtnvfr\\'\"", bytes = "\a\b\t\n\v\f\r\\'\"";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    if (const std::size_t letter = letters.find(text[i]); letter != std::string_view::npos) {
      out += bytes[letter];
    } else {
      const std::string octal(text.substr(i, 3));
      if (octal.size() != 3 || octal.find_first_not_of("01234567") != octal.npos) return std::nullopt;
      out += static_cast<char>(std::stoi(octal, nullptr, 8));
      i += 2;
    }
  }
  return out;
}

/// Reads one word of POSIX sh back; nothing where sh would see anything else.
std::optional<std::string> read_shell_word(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::string out;
  while (!text.empty()) {
    if (text[0] == '\'') {
      const std::size_t end = text.find('\'', 1);
      if (end == std::string_view::npos) return std::nullopt;
      out += text.substr(1, end - 1);
      text.remove_prefix(end + 1);
    } else if (starts_with(text, "\\'")) {
      out += '\'';
      text.remove_prefix(2);
    } else {
      const bool is_letter = (text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z');
      const bool is_plain =
          is_letter || std::string_view("0123456789_-./:=,+@%^").find(text[0]) != std::string_view::npos;
      if (!is_plain) return std::nullopt;
      out += text[0];
      text.remove_prefix(1);
    }
  }
  return out;
}

void check_messages(std::string_view text) {
  const std::string quoted = quote(text);
  require(is_harmless(quoted), "a quoted text is harmless");
  require(quoted.size() >= 2 && quoted.front() == '\'' && quoted.back() == '\'' &&
              read_escapes(std::string_view(quoted).substr(1, quoted.size() - 2)) == text,
          "a quoted text can be read back");
  const std::string printed = printable(text);
  require(printed == quoted || (printed == text && quoted == concat("'", text, "'")), "plain text is printed as it is");
}

void check_patch_names(std::string_view text) {
  const std::string quoted = patch::quote_name(text);
  const auto unquoted = patch::unquote_name(quoted);
  if (quoted.empty() || quoted[0] != '"')
    require(quoted == text, "a plain name stays as it is");
  else
    require(unquoted && unquoted->name == text && unquoted->rest.empty(), "a quoted name can be read back");
  const auto read = patch::unquote_name(text);
  if (!read) return;
  require(read->name.size() + read->rest.size() + 2 <= text.size(), "a name is no longer than its quoted form");
  const std::string rewritten = patch::quote_name(read->name);
  require(rewritten[0] != '"' || patch::unquote_name(rewritten)->name == read->name,
          "a name that was read can be written");
}

void check_encodings(std::string_view text) {
  require(base64_decode(base64_encode(text)) == text, "base64 can be read back");
  require(from_hex(to_hex(text)) == text, "hex can be read back");
  if (const auto bytes = base64_decode(text)) require(base64_encode(*bytes) == text, "bytes have one base64 text");
  if (const auto bytes = from_hex(text)) require(to_hex(*bytes) == text, "bytes have one hex text");
  require(is_valid_utf8(text) == code_points(text).has_value(), "both decoders agree on UTF-8");
  require(is_valid_utf8(text.substr(0, valid_utf8_prefix(text))), "the valid beginning of a text is valid");
}

void check_decimal(std::string_view text) {
  const std::string_view largest = "18446744073709551615";
  const bool has_digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  const bool is_plain = has_digits && (text[0] != '0' || text.size() == 1);
  const bool fits = text.size() < largest.size() || (text.size() == largest.size() && text <= largest);
  const std::optional<std::uint64_t> number = parse_decimal(text);
  require(number.has_value() == (is_plain && fits), "a number is plain digits that fit");
  if (number) require(std::to_string(*number) == text, "a number is what its digits say");
}

}  // namespace

void check_quoting(std::string_view bytes) {
  check_messages(bytes);
  check_patch_names(bytes);
  check_encodings(bytes);
  check_decimal(bytes);
  require(read_shell_word(shell_quote(bytes)) == bytes, "a word of sh can be read back");
}

}  // namespace torchpatch::fuzz
