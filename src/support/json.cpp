// SPDX-License-Identifier: BSD-3-Clause
#include "support/json.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "support/file.h"
#include "support/text.h"

namespace torchpatch {
namespace {

/// What nlohmann's parser says that it expected (token_type_name in its lexer).
constexpr std::array<std::string_view, 6> kExpected = {"; expected end of input", "; expected string literal",
                                                       "; expected ':'",          "; expected ']'",
                                                       "; expected '}'",          "; expected '[', '{', or a literal"};

using Kind = JsonValue::Kind;
using Members = std::vector<JsonMember>;

/// What nlohmann's lexer reads from: tells how far it has come, which its handlers are not told.
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

/// Builds the value and notes what is not strict. Containers under construction stay where they are: a vector that
/// holds an open container does not grow until that container is closed.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::string& file, int first_line, Findings& findings)
      : reached_(text.data()), counted_(text.data()), line_(first_line), file_(file), findings_(findings) {}

  const char** reached() { return &reached_; }
  bool has_value() const { return !is_broken_; }
  JsonValue take_root() { return std::move(root_); }

  bool null() override { return add(Kind::null, reached_) != nullptr; }
  bool boolean(bool value) override {
    JsonValue* const added = add(Kind::boolean, reached_);
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
    JsonValue* const added = add(Kind::string, reached_);
    if (added == nullptr) return false;
    if (value.find('\0') != std::string::npos) refuse_item("a string must not contain NUL");
    added->string = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Kind::object); }
  bool end_object() override {
    drop_duplicates(open_.back()->object);
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
    open_.back()->object.push_back({std::move(name), JsonValue{}});
    if (open_.back()->object.back().name.find('\0') != std::string::npos) refuse_item("a key must not contain NUL");
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
    refuse_syntax(error.what());
    return false;
  }

  /// Reports what concerns the text as a whole.
  void refuse(const std::string& message) { refuse(message, ""); }

 private:
  /// Returns the line of the byte before `position`; positions only grow.
  int line_at(const char* position) {
    if (position > counted_) {
      line_ += static_cast<int>(std::count(counted_, position, '\n'));
      counted_ = position;
    }
    return line_;
  }

  /// Returns the new value, or null where it is one too many. `end`: where its first token ends.
  JsonValue* add(Kind kind, const char* end) {
    if (++value_count_ > kMaxJsonValues) {
      refuse(concat("more than ", kMaxJsonValues, " values"));
      return nullptr;
    }
    JsonValue* added = &root_;
    if (!open_.empty() && open_.back()->kind == Kind::array) {
      added = &open_.back()->array.emplace_back();
    } else if (!open_.empty()) {
      added = &open_.back()->object.back().value;
    }
    added->kind = kind;
    added->line = line_at(end);
    return added;
  }

  bool add_integer(std::int64_t value) {
    JsonValue* const added = add(Kind::integer, before_lookahead());
    if (added != nullptr) added->integer = value;
    return added != nullptr;
  }

  bool add_unfit_number() {
    if (!add_integer(0)) return false;
    refuse_item("a number must be an integer of 64 bits");
    return true;
  }

  /// The lexer looks one byte past a number, and that byte may end the line.
  const char* before_lookahead() const { return reached_ > counted_ ? reached_ - 1 : reached_; }

  bool open(Kind kind) {
    JsonValue* const added = add(kind, reached_);
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

  /// nlohmann says "[json.exception.…] parse error at line …: syntax error while … - reason; last read: '…'; expected
  /// …". The line is not the file's, and what was last read may hold anything, so only what nlohmann itself says is
  /// kept.
  void refuse_syntax(std::string_view what) {
    const std::size_t dash = what.find(" - ");
    const std::size_t last_read = what.find("; last read: '");
    std::string reason(dash == std::string_view::npos ? "number out of range"
                                                      : what.substr(dash + 3, last_read - dash - 3));
    for (const std::string_view expected : kExpected) {
      if (last_read != std::string_view::npos && ends_with(what, expected)) reason += expected;
    }
    line_at(before_lookahead());
    refuse("not valid JSON: " + reason);
  }

  /// Reports every key that came before, and keeps the first. By sorting: a hostile object has many keys.
  void drop_duplicates(Members& members) {
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(members[a].name, a) < std::tie(members[b].name, b);
    });
    std::vector<std::size_t> repeated;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (members[order[i]].name == members[order[i - 1]].name) repeated.push_back(order[i]);
    }
    if (repeated.empty()) return;
    const std::string parent = path_to(open_.size() - 1);
    for (const std::size_t index : repeated) {
      const auto& [name, value] = members[index];
      findings_.add(file_, value.line, concat(parent, parent.empty() ? "" : ".", name), "duplicate key");
      members[index].value.line = 0;  // no value has line 0, so this marks it
    }
    std::erase_if(members, [](const auto& member) { return member.value.line == 0; });
  }

  /// Reports what concerns the key or value that was added last.
  void refuse_item(const std::string& message) { refuse(message, path_to(open_.size())); }

  void refuse(const std::string& message, const std::string& key) {
    findings_.add(file_, line_, key, message);
    is_broken_ = true;
  }

  /// Returns the key path to what is being read in the first `depth` open containers: "patches[2].sha256".
  std::string path_to(std::size_t depth) const {
    std::string path;
    for (std::size_t i = 0; i < depth; ++i) {
      const JsonValue& container = *open_[i];
      if (container.kind == Kind::array) {
        path += concat("[", container.array.size() - 1, "]");
      } else {
        path += (path.empty() ? "" : ".") + container.object.back().name;
      }
    }
    return path;
  }

  const char* reached_;
  const char* counted_;
  int line_;
  const std::string& file_;
  Findings& findings_;
  JsonValue root_;
  std::vector<JsonValue*> open_;
  std::size_t value_count_ = 0;
  bool is_broken_ = false;
};

int line_of_byte(std::string_view text, std::size_t position, int first_line) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(position);
  return first_line + static_cast<int>(std::count(text.begin(), end, '\n'));
}

/// Adds a finding and returns false where the bytes are not a text that nlohmann should see.
bool check_bytes(std::string_view text, const std::string& file, int first_line, Findings& findings) {
  if (text.size() > kMaxInputBytes) {
    findings.add(file, 0, "", concat("larger than ", kMaxInputBytes, " bytes"));
    return false;
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    findings.add(file, first_line, "", "begins with a byte order mark; save it as UTF-8 without one");
    return false;
  }
  // nlohmann takes it for the end, whatever follows.
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

}  // namespace

const char* JsonValue::kind_name() const {
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

std::optional<JsonValue> parse_json(std::string_view text, const std::string& file, int first_line,
                                    Findings& findings) {
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

}  // namespace torchpatch
