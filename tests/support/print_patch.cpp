// SPDX-License-Identifier: BSD-3-Clause
#include "support/print_patch.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::patch {

namespace {

constexpr std::string_view kAlphabet =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
constexpr std::size_t kLineBytes = 52;

/// Letters after a backslash, and the bytes they stand for.
constexpr std::string_view kLetters = "abtnvfr\"\\";
constexpr std::string_view kBytes = "\a\b\t\n\v\f\r\"\\";

bool is_unusual(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\';
}

void append_escaped(std::string& out, char c) {
  if (!is_unusual(c)) {
    out += c;
    return;
  }
  out += '\\';
  if (const std::size_t letter = kBytes.find(c); letter != std::string_view::npos) {
    out += kLetters[letter];
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += static_cast<char>('0' + (byte >> 6));
  out += static_cast<char>('0' + ((byte >> 3) & 7));
  out += static_cast<char>('0' + (byte & 7));
}

void append_group(std::string& out, std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
  std::array<char, 5> group{};
  for (std::size_t i = group.size(); i-- > 0; value /= 85) group[i] = kAlphabet[value % 85];
  out.append(group.data(), group.size());
}

std::string deflate_all(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), 9);
  if (status != Z_OK) throw Error(ErrorKind::internal, "zlib cannot deflate");
  out.resize(size);
  return out;
}

std::string print_binary_hunk(const BinaryHunk& hunk) {
  const char* const method = hunk.method == BinaryMethod::delta ? "delta " : "literal ";
  return concat(method, hunk.data.size(), "\n", encode_base85_lines(deflate_all(hunk.data)), "\n");
}

std::string print_names(const FilePatch& file) {
  const std::string& old_name = file.old_path.empty() ? file.new_path : file.old_path;
  return concat("diff --git ", quote_name("a/" + old_name), " ", quote_name("b/" + file.path()), "\n");
}

std::string print_modes(const FilePatch& file) {
  if (file.kind == ChangeKind::create) return concat("new file mode ", name_of(*file.new_mode), "\n");
  if (file.kind == ChangeKind::remove) return concat("deleted file mode ", name_of(*file.old_mode), "\n");
  if (!file.new_mode) return {};
  return concat("old mode ", name_of(*file.old_mode), "\nnew mode ", name_of(*file.new_mode), "\n");
}

std::string print_move(const FilePatch& file) {
  if (file.kind != ChangeKind::rename && file.kind != ChangeKind::copy) return {};
  const char* verb = file.kind == ChangeKind::rename ? "rename" : "copy";
  const std::string similarity = file.similarity ? concat("similarity index ", *file.similarity, "%\n") : "";
  return concat(similarity, verb, " from ", quote_name(file.old_path), "\n", verb, " to ", quote_name(file.new_path),
                "\n");
}

std::string print_index(const FilePatch& file) {
  if (file.old_id.empty()) return {};
  const bool has_mode = file.kind != ChangeKind::remove && file.old_mode && !file.new_mode;
  const std::string mode = has_mode ? concat(" ", name_of(*file.old_mode)) : "";
  return concat("index ", file.old_id, "..", file.new_id, mode, "\n");
}

/// git ends a name that has spaces with a tab, so that programs do not take its end for a time.
std::string print_side(const char* prefix, const std::string& name) {
  if (name.empty()) return "/dev/null\n";
  const std::string quoted = quote_name(prefix + name);
  return quoted + (quoted[0] != '"' && name.find(' ') != std::string::npos ? "\t\n" : "\n");
}

std::string print_range(std::uint32_t start, std::uint32_t count) {
  return count == 1 ? std::to_string(start) : concat(start, ",", count);
}

void print_hunk(const Hunk& hunk, std::string& text) {
  text += concat("@@ -", print_range(hunk.old_start, hunk.old_count), " +", print_range(hunk.new_start, hunk.new_count),
                 " @@", hunk.section, "\n");
  for (const HunkLine& line : hunk.lines) {
    text += static_cast<char>(line.kind);
    text += line.text;
    if (line.text.empty() || line.text.back() != '\n') text += "\n\\ No newline at end of file\n";
  }
}

void print_file(const FilePatch& file, std::string& text) {
  text += print_names(file) + print_modes(file) + print_move(file) + print_index(file);
  if (!file.hunks.empty()) text += "--- " + print_side("a/", file.old_path) + "+++ " + print_side("b/", file.new_path);
  for (const Hunk& hunk : file.hunks) print_hunk(hunk, text);
  if (file.binary) text += print_binary(*file.binary);
}

}  // namespace

std::string quote_name(std::string_view name) {
  if (std::ranges::none_of(name, is_unusual)) return std::string(name);
  std::string out = "\"";
  for (const char c : name) append_escaped(out, c);
  return out + '"';
}

std::string encode_base85_lines(std::string_view bytes) {
  std::string out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kLineBytes, bytes.size()))) {
    const std::string_view line = bytes.substr(0, kLineBytes);
    out += kAlphabet[9 + line.size()];
    for (std::size_t i = 0; i < line.size(); i += 4) append_group(out, line.substr(i, 4));
    out += '\n';
  }
  return out;
}

std::string print_binary(const BinaryChange& change) {
  std::string text = "GIT binary patch\n" + print_binary_hunk(change.forward);
  if (change.reverse) text += print_binary_hunk(*change.reverse);
  return text;
}

std::string print_patch(const PatchFile& patch) {
  std::string text = patch.preamble;
  for (const FilePatch& file : patch.files) print_file(file, text);
  return text;
}

}  // namespace torchpatch::patch
