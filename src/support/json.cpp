// SPDX-License-Identifier: BSD-3-Clause
#include "support/json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "support/file.h"
#include "support/text.h"

namespace torchpatch {

namespace {

/// What nlohmann's parser reports as expected (token_type_name in its lexer).
constexpr std::array<std::string_view, 6> kExpected = {"; expected end of input", "; expected string literal",
                                                       "; expected ':'",          "; expected ']'",
                                                       "; expected '}'",          "; expected '[', '{', or a literal"};

using Kind = Json::Kind;
using Members = std::vector<JsonMember>;

/// Input of nlohmann's lexer that records the position, which the handlers do not get.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

/// Builds the value and reports what is not strict. Open containers stay in place: a vector does not grow while one of
/// its items is open.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::string& file, int first_line, Findings& findings)
      : reached_(text.data()), counted_(text.data()), line_(first_line), file_(file), findings_(findings) {}

  const char** reached() { return &reached_; }
  bool has_value() const { return !is_broken_; }
  Json take_root() { return std::move(root_); }

  bool null() override { return add(Kind::null, reached_) != nullptr; }
  bool boolean(bool value) override {
    Json* const added = add(Kind::boolean, reached_);
    if (added != nullptr) added->boolean = value;
    return added != nullptr;
  }
  bool number_integer(number_integer_t value) override { return add_integer(value); }
  bool number_unsigned(number_unsigned_t value) override {
    const bool fits = value <= static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    return fits ? add_integer(static_cast<std::int64_t>(value)) : add_unfit_number();
  }
  bool number_float(number_float_t, const string_t&) override { return add_unfit_number(); }
  bool string(string_t& value) override {
    Json* const added = add(Kind::string, reached_);
    if (added == nullptr) return false;
    if (value.find('\0') != std::string::npos) refuse_item("a string must not contain NUL");
    added->string = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Kind::object); }
  bool end_object() override {
    drop_duplicates(open_.back()->members);
    return close();
  }
  bool start_array(std::size_t) override { return open(Kind::array); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (name.size() > kMaxJsonKeyBytes) {
      line_at(reached_);
      refuse(concat("a key of more than ", kMaxJsonKeyBytes, " bytes"));
      return false;
    }
    open_.back()->members.push_back({std::move(name), Json{}});
    if (open_.back()->members.back().name.find('\0') != std::string::npos) refuse_item("a key must not contain NUL");
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
    refuse_syntax(error.what());
    return false;
  }

  /// Reports a problem of the whole text.
  void refuse(const std::string& message) { refuse(message, ""); }

 private:
  /// Returns the line of the byte before `position`, which must not decrease.
  int line_at(const char* position) {
    if (position > counted_) {
      line_ += static_cast<int>(std::count(counted_, position, '\n'));
      counted_ = position;
    }
    return line_;
  }

  /// Returns the new value, or null if there are too many. `end`: the end of its first token.
  Json* add(Kind kind, const char* end) {
    if (++value_count_ > kMaxJsonValues) {
      refuse(concat("more than ", kMaxJsonValues, " values"));
      return nullptr;
    }
    Json* added = &root_;
    if (!open_.empty() && open_.back()->kind == Kind::array)
      added = &open_.back()->items.emplace_back();
    else if (!open_.empty())
      added = &open_.back()->members.back().value;
    added->kind = kind;
    added->line = line_at(end);
    return added;
  }

  bool add_integer(std::int64_t value) {
    Json* const added = add(Kind::integer, before_lookahead());
    if (added != nullptr) added->integer = value;
    return added != nullptr;
  }

  bool add_unfit_number() {
    if (!add_integer(0)) return false;
    refuse_item("a number must be an integer of 64 bits");
    return true;
  }

  /// The lexer reads one byte past a number, which may be the newline.
  const char* before_lookahead() const { return reached_ > counted_ ? reached_ - 1 : reached_; }

  bool open(Kind kind) {
    Json* const added = add(kind, reached_);
    if (added == nullptr) return false;
    if (open_.size() == kMaxJsonDepth) {
      refuse(concat("nested deeper than ", kMaxJsonDepth, " levels"));
      return false;
    }
    open_.push_back(added);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  /// nlohmann's message is "[json.exception.…] parse error at line …: syntax error while … - reason; last read: '…';
  /// expected …". The line is not the file's, and the last token may contain anything, so only nlohmann's own words are
  /// kept.
  void refuse_syntax(std::string_view what) {
    const std::size_t dash = what.find(" - ");
    const std::size_t last_read = what.find("; last read: '");
    std::string reason(dash == std::string_view::npos ? "number out of range"
                                                      : what.substr(dash + 3, last_read - dash - 3));
    for (const std::string_view expected : kExpected)
      if (last_read != std::string_view::npos && ends_with(what, expected)) reason += expected;
    line_at(before_lookahead());
    refuse("not valid JSON: " + reason);
  }

  /// Reports every earlier duplicate key and keeps the first. By sorting: a hostile object may have many keys.
  void drop_duplicates(Members& members) {
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(members[a].name, a) < std::tie(members[b].name, b);
    });
    std::vector<std::size_t> repeated;
    for (std::size_t i = 1; i < order.size(); ++i)
      if (members[order[i]].name == members[order[i - 1]].name) repeated.push_back(order[i]);
    if (repeated.empty()) return;
    const std::string parent = path_to(open_.size() - 1);
    for (const std::size_t index : repeated) {
      const auto& [name, value] = members[index];
      findings_.add(file_, value.line, concat(parent, parent.empty() ? "" : ".", name), "duplicate key");
      members[index].value.line = 0;  // a mark: no value is on line 0
    }
    std::erase_if(members, [](const auto& member) { return member.value.line == 0; });
  }

  /// Reports a problem of the key or value added last.
  void refuse_item(const std::string& message) { refuse(message, path_to(open_.size())); }

  void refuse(const std::string& message, const std::string& key) {
    findings_.add(file_, line_, key, message);
    is_broken_ = true;
  }

  /// Returns the key path of the current value within the first `depth` open containers: "patches[2].sha256".
  std::string path_to(std::size_t depth) const {
    std::string path;
    for (std::size_t i = 0; i < depth; ++i) {
      const Json& container = *open_[i];
      if (container.kind == Kind::array)
        path += concat("[", container.items.size() - 1, "]");
      else
        path += (path.empty() ? "" : ".") + container.members.back().name;
    }
    return path;
  }

  const char* reached_;
  const char* counted_;
  int line_;
  const std::string& file_;
  Findings& findings_;
  Json root_;
  std::vector<Json*> open_;
  std::size_t value_count_ = 0;
  bool is_broken_ = false;
};

int line_of_byte(std::string_view text, std::size_t position, int first_line) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(position);
  return first_line + static_cast<int>(std::count(text.begin(), end, '\n'));
}

/// Adds a finding and returns false if the bytes must not be passed to nlohmann.
bool check_bytes(std::string_view text, const std::string& file, int first_line, Findings& findings) {
  if (text.size() > kMaxInputBytes) {
    findings.add(file, 0, "", concat("larger than ", kMaxInputBytes, " bytes"));
    return false;
  }
  if (text.empty()) {  // the wording differs between releases of nlohmann
    findings.add(file, first_line, "", "not valid JSON: unexpected end of input; expected '[', '{', or a literal");
    return false;
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    findings.add(file, first_line, "", "begins with a byte order mark; save it as UTF-8 without one");
    return false;
  }
  // nlohmann treats it as the end, whatever follows.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    findings.add(file, line_of_byte(text, nul, first_line), "", "not valid JSON: a NUL byte");
    return false;
  }
  const std::size_t valid = valid_utf8_prefix(text);
  if (valid < text.size()) {
    findings.add(file, line_of_byte(text, valid, first_line), "", "not valid UTF-8");
    return false;
  }
  return true;
}

const char* kind_name(Kind kind) {
  Json value;
  value.kind = kind;
  return value.kind_name();
}

/// Follows the first step of a key path, a name or an index in brackets, and removes it from `path`.
const Json* step(const Json& value, std::string_view& path) {
  if (path.front() == '[') {
    const std::size_t close = path.find(']');
    const auto index = parse_decimal(path.substr(1, close - 1));
    path.remove_prefix(close + 1);
    return index && *index < value.items.size() ? &value.items[*index] : nullptr;
  }
  if (path.front() == '.') path.remove_prefix(1);
  const std::string_view name = path.substr(0, path.find_first_of(".["));
  path.remove_prefix(name.size());
  return value.find(name);
}

using BadUtf8 = nlohmann::json::error_handler_t;

/// Prints like nlohmann's dump(), but escapes hidden characters.
class Printer {
 public:
  Printer(int indent, BadUtf8 bad_utf8) : indent_(indent), bad_utf8_(bad_utf8) {}

  std::string take() { return std::move(out_); }

  void print(const Json& value) {
    switch (value.kind) {
      case Kind::null:
        out_ += "null";
        break;
      case Kind::boolean:
        out_ += value.boolean ? "true" : "false";
        break;
      case Kind::integer:
        out_ += std::to_string(value.integer);
        break;
      case Kind::string:
        print(value.string);
        break;
      case Kind::array:
        print_all('[', value.items, ']', [this](const Json& item) { print(item); });
        break;
      case Kind::object:
        print_all('{', value.members, '}', [this](const JsonMember& member) {
          print(member.name);
          out_ += indent_ < 0 ? ":" : ": ";
          print(member.value);
        });
        break;
    }
  }

 private:
  void print(const std::string& text) {
    const bool is_plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
    out_ += is_plain ? concat('"', text, '"') : shown(nlohmann::json(text).dump(-1, ' ', false, bad_utf8_));
  }

  /// JSON does not require this, but people read the output on terminals.
  static std::string shown(const std::string& json) {
    std::string out;
    for (std::size_t at = 0; at < json.size();) {
      const std::optional<CodePoint> point = decode_utf8(json, at);
      const std::string bytes = json.substr(at, point ? point->length : 1);
      at += bytes.size();
      const bool is_escaped = point && is_hidden(point->value);
      const std::string escaped = is_escaped ? nlohmann::json(bytes).dump(-1, ' ', true) : "";  // in quotes
      out += !is_escaped ? bytes : bytes == "\x7F" ? "\\u007f" : escaped.substr(1, escaped.size() - 2);
    }
    return out;
  }

  template <typename Part, typename Print>
  void print_all(char open, const std::vector<Part>& parts, char close, Print print_part) {
    out_ += open;
    ++depth_;
    for (const Part& part : parts) {
      if (&part != &parts.front()) out_ += ',';
      start_line();
      print_part(part);
    }
    --depth_;
    if (!parts.empty()) start_line();
    out_ += close;
  }

  void start_line() {
    if (indent_ >= 0) out_.append("\n").append(depth_ * static_cast<std::size_t>(indent_), ' ');
  }

  int indent_;
  BadUtf8 bad_utf8_;
  std::size_t depth_ = 0;
  std::string out_;
};

std::string printed(const Json& value, int indent, BadUtf8 bad_utf8) {
  Printer printer(indent, bad_utf8);
  printer.print(value);
  return printer.take();
}

}  // namespace

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(const char* text) : Json(std::string(text)) {}
Json::Json(std::string_view text) : Json(std::string(text)) {}
Json::Json(std::string text) : kind(Kind::string), string(std::move(text)) {}

Json::Json(std::initializer_list<Json> list) : Json(array(list)) {
  const bool is_object = std::all_of(list.begin(), list.end(), [](const Json& item) {
    return item.kind == Kind::array && item.items.size() == 2 && item.items.front().kind == Kind::string;
  });
  if (!is_object) return;
  kind = Kind::object;
  for (Json& item : items) members.push_back({std::move(item.items[0].string), std::move(item.items[1])});
  items.clear();
}

Json Json::array(std::initializer_list<Json> list) {
  Json array;
  array.kind = Kind::array;
  array.items = list;
  return array;
}

Json Json::object() {
  Json object;
  object.kind = Kind::object;
  return object;
}

bool Json::empty() const { return items.empty() && members.empty(); }

Json& Json::operator[](std::string_view key) {
  kind = Kind::object;
  for (auto& [name, value] : members)
    if (name == key) return value;
  return members.emplace_back(JsonMember{std::string(key), nullptr}).value;
}

void Json::push_back(Json item) {
  kind = Kind::array;
  items.push_back(std::move(item));
}

const char* Json::kind_name() const {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "true or false";
    case Kind::integer:
      return "an integer";
    case Kind::string:
      return "a string";
    case Kind::array:
      return "an array";
    case Kind::object:
      return "an object";
  }
  return "nothing";
}

std::string canonical_json(const Json& value, const std::string& what) {
  try {
    return printed(value, 2, BadUtf8::strict) + "\n";
  } catch (const nlohmann::json::type_error&) {
    throw Error(ErrorKind::unsafe, concat("writing ", what, ": a name or string in it is not valid UTF-8"));
  }
}

std::string report_json(const Json& value) { return indented_json(value, 2) + "\n"; }

std::string indented_json(const Json& value, int indent) { return printed(value, indent, BadUtf8::replace); }

std::optional<Json> parse_json(std::string_view text, const std::string& file, int first_line, Findings& findings) {
  if (!check_bytes(text, file, first_line, findings)) return std::nullopt;
  Builder builder(text, file, first_line, findings);
  const CountingIterator begin(text.data(), builder.reached());
  const CountingIterator end(text.data() + text.size(), builder.reached());
  try {
    nlohmann::json::sax_parse(begin, end, &builder);
  } catch (const nlohmann::json::exception& error) {
    builder.refuse(concat("not valid JSON: ", error.what()));
  }
  if (!builder.has_value()) return std::nullopt;
  return builder.take_root();
}

int line_of(const Json& root, std::string_view key_path) {
  const Json* value = &root;
  int line = root.line;
  while (!key_path.empty() && (value = step(*value, key_path)) != nullptr) line = value->line;
  return line;
}

std::string unknown_key(const std::string& key, const std::vector<std::string>& known) {
  const std::string suggestion = did_you_mean(key, known);
  return suggestion.empty() ? "unknown key" : "unknown key; " + suggestion;
}

bool JsonPlace::is(Kind kind) const {
  if (value.kind == kind) return true;
  report(concat("must be ", kind_name(kind), ", not ", value.kind_name()));
  return false;
}

ObjectReader::ObjectReader(const Json& value, std::string file, std::string path, Findings& findings)
    : value_(value),
      file_(std::move(file)),
      path_(std::move(path)),
      findings_(findings),
      first_finding_(findings.list().size()) {
  if (value_.kind != Json::Kind::object)
    findings_.add(file_, value_.line, path_, concat("must be an object, not ", value_.kind_name()));
}

const Json* ObjectReader::required(const std::string& key) {
  const Json* const member = optional(key);
  if (member == nullptr && value_.kind == Json::Kind::object) report(key, "is missing");
  return member;
}

const Json* ObjectReader::optional(const std::string& key) {
  known_.push_back(key);
  return value_.find(key);
}

void ObjectReader::report(const std::string& key, std::string message) {
  findings_.add(file_, line_of(key), key_path(key), std::move(message));
}

void ObjectReader::refuse(const std::string& key, std::string message) {
  findings_.refuse(file_, line_of(key), key_path(key), std::move(message));
}

bool ObjectReader::is_reported(const std::string& key) const {
  const auto begin = findings_.list().begin() + static_cast<std::ptrdiff_t>(first_finding_);
  return std::any_of(begin, findings_.list().end(),
                     [path = key_path(key)](const Finding& finding) { return finding.key == path; });
}

std::string ObjectReader::key_path(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

void ObjectReader::finish() {
  for (const auto& [name, value] : value_.members) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    // Not by report(), which would search all keys again for each of a hostile object's keys.
    findings_.add(file_, value.line, key_path(name), unknown_key(name, known_));
  }
}

}  // namespace torchpatch
