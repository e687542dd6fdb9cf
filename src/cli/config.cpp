// SPDX-License-Identifier: BSD-3-Clause
#include "cli/shared_options.h"

#include <algorithm>

#include "cli/terminal.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

/// Calls `use` with each setting's name, value, kOptional, range and description.
template <typename Use>
void each_setting(Config& config, const Use& use) {
  const auto field = [&](const char* key, auto&& value, const auto&... rules) {
    if constexpr (sizeof...(rules) == 3) use(std::string(key), value, rules...);  // "schema" has none
  };
  fields(field, config);
}

/// Returns "--idle-timeout" for idle_timeout.
std::string option_name(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

/// Returns "TORCHPATCH_IDLE_TIMEOUT" for idle_timeout.
std::string variable_name(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) { return c == '_' ? c : static_cast<char>(c - 'a' + 'A'); });
  return "TORCHPATCH_" + name;
}

/// Returns the path of the file, which may not exist; empty if there is no home.
std::string config_file(const Environment& environment) {
  const std::string directory = environment.directory("XDG_CONFIG_HOME", "/.config");
  return directory.empty() ? "" : directory + "/config.json";
}

Config read_config(const std::string& file) {
  if (file.empty() || !file_exists(file)) return {};
  Findings findings;
  Config config = read_json<Config>(read_file(file), file, findings);
  findings.raise_if_any("reading the configuration");
  return config;
}

Config config_of_variables(const Environment& environment) {
  Config config;
  each_setting(config, [&](const std::string& name, std::optional<int>& value, auto, const Range& range, const char*) {
    const std::string text = environment.variable(variable_name(name));
    if (text.empty()) return;
    const auto number = parse_decimal(text);
    if (!number || *number < static_cast<std::uint64_t>(range.minimum) ||
        *number > static_cast<std::uint64_t>(range.maximum))
      throw Error(ErrorKind::usage, concat(variable_name(name), " is ", quote(text), ", not a number from ",
                                           range.minimum, " to ", range.maximum));
    value = static_cast<int>(*number);
  });
  return config;
}

/// config
struct ConfigArgs {
  Config typed;
  bool json = false;

  void declare(OptionSet& options) {
    declare_config_options(options, typed, true);
    options.flag("--json", json, "print JSON");
  }

  int run(Context& context) const {
    Config settled = settled_config(typed, context.environment);
    Json settings = Json::array();
    report::Rows rows;
    each_setting(settled, [&](const std::string& name, const std::optional<int>& value, const auto&...) {
      const std::string origin = settled.origins[rows.size()];
      rows.push_back({name, std::to_string(*value), printable(origin)});
      settings.items.push_back({{"name", name}, {"value", *value}, {"origin", origin}});
    });
    const std::string file = config_file(context.environment);
    const std::string title =
        concat("configuration ", file.empty() ? "without a file: neither XDG_CONFIG_HOME nor HOME is set" : quote(file),
               file.empty() || file_exists(file) ? "" : " (not found)");
    print_result(context, json,
                 Json{{"schema", 1}, {"file", file.empty() ? Json() : Json(file)}, {"settings", settings}},
                 {.title = title, .blocks = {report::plain_table(rows)}});
    return kDone;
  }
};

}  // namespace

void declare_config_options(OptionSet& options, Config& typed, bool is_listed) {
  each_setting(typed, [&](const std::string& name, std::optional<int>& value, auto, const Range& range,
                          const char* words) { options.setting(option_name(name), value, range, words, is_listed); });
}

Config settled_config(const Config& typed, const Environment& environment) {
  const std::string file = config_file(environment);
  Config settled{30, 60, 3600, 3, std::vector<std::string>(4, "default")};
  const auto overlay = [&](Config over, const auto& origin_of) {
    std::vector<std::optional<int>> values;
    each_setting(over,
                 [&](const std::string&, const std::optional<int>& value, const auto&...) { values.push_back(value); });
    std::size_t i = 0;
    each_setting(settled, [&](const std::string& name, std::optional<int>& value, const auto&...) {
      if (values[i]) settled.origins[i] = origin_of(name);
      value = values[i] ? values[i] : value;
      ++i;
    });
  };
  overlay(read_config(file), [&](const std::string&) { return file; });
  overlay(config_of_variables(environment), variable_name);
  overlay(typed, option_name);
  return settled;
}

std::vector<Command> config_commands() { return {{"config", declare_args<ConfigArgs>}}; }

}  // namespace torchpatch::cli
