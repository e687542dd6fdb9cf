// SPDX-License-Identifier: BSD-3-Clause
#include "cli/project.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "cli/terminal.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

using Texts = std::vector<std::string>;

/// Returns why the project file in the working directory may be another user's, or empty text.
std::string why_not_own(const std::string& file) {
  struct stat place = {};
  if (type_at(file) != S_IFREG) return "it is not a regular file";
  if (const std::string open = changeable_by_others(file); !open.empty())
    return concat("other users can change ", quote(open));
  const std::string directory = parent_path(file);
  if (::lstat(directory.c_str(), &place) != 0 || (place.st_mode & S_IWOTH) != 0)
    return concat("other users can write in ", quote(directory));
  return {};
}

/// Returns the file to read, or empty text.
std::string project_file(const std::string& named, Context& context) {
  if (!named.empty()) return absolute_path(named);
  const std::string file = concat(absolute_path(context.environment.place), "/", kProjectFile);
  if (type_at(file) == 0) return {};
  const std::string problem = why_not_own(file);
  if (problem.empty()) return file;
  context.console.warning(
      concat(quote(file), " is not read: ", problem, "; --project ", shell_quote(file), " reads it"));
  return {};
}

Project read_project(const std::string& file) {
  if (!file_exists(file)) {
    throw Error(ErrorKind::environment, concat("--project ", quote(file), ": there is no such file"),
                "'torchpatch init' writes one");
  }
  Findings findings;
  Project project = read_json<Project>(read_file(file, 1 << 20), file, findings);
  findings.raise_if_any("reading the project");
  return project;
}

/// Returns the directories in a list of the project, relative to its file's directory.
Texts places_of(const Texts& listed, const std::string& file) {
  return collect(listed, [&](const std::string& text) {
    const std::string path = starts_with(text, "/") ? text : concat(parent_path(file), "/", text);
    const bool is_bundled = std::ranges::count(embedded_source_names(), text) > 0;
    return is_bundled && !is_directory(path) ? text : path;
  });
}

/// Adds "--mirror DIR" to `outside` for each directory outside the project that was never named with it.
void find_outside(const char* option, const Texts& places, const std::string& file, const Context& context,
                  Texts& outside) {
  const std::string own = concat(real_path(parent_path(file)), "/");
  for (const std::string& place : places)
    if (starts_with(place, "/") && !starts_with(real_path(place) + "/", own) &&
        !was_named(file, place, context.environment))
      outside.push_back(concat(option, " ", shell_quote(place)));
}

/// Uses the project's list if the command line has none; records directories on the command line for this project.
void add_places(const char* option, const Texts& listed, const std::string& file, Texts& typed, Context& context,
                Texts& outside) {
  note_catalogs(file, typed, context.environment);
  if (!typed.empty()) return;
  typed = places_of(listed, file);
  find_outside(option, typed, file, context, outside);
}

void add_choices(const Project& project, PlanArgs& plan) {
  const auto add = [](auto& typed, const auto& of_project) {
    if (typed.empty()) typed = of_project;
  };
  const ProjectChoices& options = project.options;
  add(plan.version, project.version);
  // An image belongs to a board.
  if (plan.board.empty()) add(plan.image, project.image);
  add(plan.board, project.board);
  add(plan.host, options.host);
  add(plan.build_target, options.build_target);
  add(plan.components, options.components);
  add(plan.with_fixes, options.with_fixes);
  add(plan.without_fixes, options.without_fixes);
  for (const auto& [key, value] : options.settings) {
    const auto has_key = [&key = key](const std::string& text) { return starts_with(text, key + "="); };
    if (std::ranges::none_of(plan.settings, has_key) && std::ranges::none_of(plan.forced_settings, has_key))
      plan.settings.push_back(concat(key, "=", value));
  }
}

/// init
struct InitArgs {
  PlanArgs plan;
  Texts mirrors;
  std::string output = kProjectFile;

  void declare(OptionSet& options) {
    declare_plan_options(options, plan, Need::optional);
    options.values("--mirror", mirrors, "DIR", "git repositories to read from; may be repeated");
    options.value("-o,--output", output, "FILE", concat("file to write; default: ", kProjectFile));
  }

  /// Prompts for a value not given as an option; an empty answer is the default.
  static void ask(const char* question, std::string& answer, Context& context) {
    if (answer.empty()) answer = read_answer(question, context);
  }

  Project project_of(const Plan& made) const {
    const auto place_of = [](const std::string& text) { return is_directory(text) ? absolute_path(text) : text; };
    return {made.release->version.text(),
            made.board->id,
            made.image->id,
            {plan.host, plan.build_target, plan.components, plan.with_fixes, plan.without_fixes, made.options.settings},
            collect(plan.catalog.catalogs, place_of),
            collect(mirrors, place_of)};
  }

  int run(Context& context) const {
    if (!plan.forced_settings.empty() || plan.force || plan.unpatched || !plan.catalog.source.empty())
      throw usage_of("init",
                     "--force, --force-set, --unpatched and --source are options of each command, not of a project");
    const std::string file = absolute_path(output);
    if (type_at(file) != 0)
      throw Error(ErrorKind::environment, concat(quote(output), " already exists"), "edit or remove it");
    for (const std::string& mirror : mirrors)
      require_directory(mirror, "--mirror " + quote(mirror), "choose a directory with git repositories");
    const Catalog catalog = load_catalog(plan.catalog, context.environment);
    PlanArgs args = plan;
    if (const std::string missing = missing_of_pair(plan); !missing.empty() && !context.environment.in_is_terminal) {
      throw Error(ErrorKind::usage, concat("missing: ", missing, "; init prompts for them only on a terminal"),
                  "pass them: torchpatch init --version VERSION --board BOARD [--image IMAGE] [--mirror DIR]");
    }
    if (!missing_of_pair(plan).empty()) {
      ask("board ('torchpatch list boards'; auto: this one)?", args.board, context);
      ask("version ('torchpatch list releases --board BOARD'; newest)?", args.version, context);
      ask("image ('torchpatch list images --board BOARD'; empty: the default)?", args.image, context);
    }
    if (const std::string missing = missing_of_pair(args); !missing.empty())
      throw usage_of("init", concat("missing: ", missing));
    const Plan made = plan_from(args, catalog, context);
    write_file_atomically(file, report_json(to_json(project_of(made), JsonForm::file)));
    note_catalogs(file, plan.catalog.catalogs, context.environment);
    note_catalogs(file, mirrors, context.environment);
    print(context, output + "\n");
    context.console.status("next: 'torchpatch prepare' in this directory, or with --project FILE");
    return kDone;
  }
};

}  // namespace

void declare_project_option(OptionSet& options, std::string& file) {
  options.value("--project", file, "FILE",
                concat("read version, board, image, options, layers and mirrors from FILE; default: ", kProjectFile,
                       " of the working directory, if it is yours and only you can write there"));
}

void add_project(const std::string& named, PlanArgs& plan, Texts* mirrors, Context& context) {
  const std::string file = project_file(named, context);
  if (file.empty()) return;
  context.console.status(concat("project: ", quote(file)));
  const Project project = read_project(file);
  add_choices(project, plan);
  Texts outside;
  add_places("--catalog", project.layers, file, plan.catalog.catalogs, context, outside);
  if (mirrors && plan.catalog.source.empty()) add_places("--mirror", project.mirrors, file, *mirrors, context, outside);
  if (outside.empty()) return;
  throw Error(ErrorKind::unsafe,
              concat("the project ", quote(file), " names directories outside its own: ", join(outside, " ")),
              "if you trust them, add these options once; they are remembered for this project");
}

std::vector<Command> project_commands() { return {{"init", declare_args<InitArgs>}}; }

}  // namespace torchpatch::cli
