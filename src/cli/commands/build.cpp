// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/project.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "record/manifest_file.h"
#include "report/reports.h"
#include "report/words.h"
#include "support/program.h"
#include "support/text.h"
#include "trees/build/build.h"
#include "trees/diagnose/diagnose.h"
#include "trees/prepare/manifest.h"
#include "trees/prepare/prepare.h"
#include "trees/recipe/recipe.h"
#include "trees/wheel/wheel.h"

namespace torchpatch::cli {

namespace {

/// What a build directory may contain; the staging directories are left by killed runs.
const tree::OutputRecord kBuildRecord = {
    .path = "",
    .what = "a build",
    .names = {trees::kTreeName, trees::kRecipeName, trees::kWorkName, trees::kLogName,
              base_name(tree::staging_path(trees::kTreeName)), base_name(tree::staging_path(trees::kRecipeName))}};

/// What to build, where, and with which recipe.
struct Planned {
  Plan plan;
  Manifest manifest;
  HostFacts host;
  record::RecipeInput recipe{};  ///< `manifest` is set when used: this may move
};

struct BuildArgs {
  PlanArgs plan;
  SourceOptions source;
  RecipeOptions recipe;
  std::string output, project;
  std::vector<std::string> words;
  int jobs = 1;
  bool allow_uncertified = false, allow_partial = false, yes = false, json = false;

  void declare(OptionSet& options) {
    declare_plan_options(options, plan, Need::optional);
    declare_project_option(options, project);
    declare_source_options(options, source);
    declare_recipe_options(options, recipe);
    options.value("-o,--output", output, "DIR", "directory for the tree, the recipe, work files and the log",
                  Need::required);
    options.flag("--allow-uncertified", allow_uncertified,
                 "apply patches even without a certificate for these sources");
    options.flag("--allow-partial", allow_partial,
                 "continue without files and submodules that no source has; the manifest lists them");
    options.flag("-y,--yes", yes, "start without asking");
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON: the verdict on the wheels or, if the build failed, the diagnosis");
    options.arguments("WORD", words, "after '--': more options and steps for run.sh, such as --ccache DIR");
  }

  std::string at(const char* name) const { return concat(output, "/", name); }

  /// Returns whether a build was begun in the directory. Raises environment if it contains anything else, or others
  /// could change what runs there.
  bool is_begun(RecipeKind kind, const Context& context) const {
    const tree::OutputState state = tree::output_state(output, kBuildRecord);
    for (const char* name : {trees::kTreeName, trees::kRecipeName, trees::kWorkName, trees::kLogName}) {
      const mode_t type = type_at(at(name));
      if (type == 0 || type == (name == std::string_view(trees::kLogName) ? S_IFREG : S_IFDIR)) continue;
      throw Error(ErrorKind::unsafe,
                  concat("building in ", quote(output), ": ", quote(name), " was not created by build"),
                  "remove it, or choose another directory");
    }
    // If it needs root, run.sh checks this, and allows the user who called sudo.
    const bool is_for_root = kind == RecipeKind::chroot || kind == RecipeKind::sysroot;
    const bool is_by_sudo = geteuid() == 0 && !context.environment.variable("SUDO_UID").empty();
    const std::string open = changeable_by_others(state == tree::OutputState::absent ? parent_path(output) : output);
    if (!open.empty() && !is_for_root && !is_by_sudo) {
      throw Error(
          ErrorKind::unsafe,
          concat("building in ", quote(output), ": other users can change what runs there, through ", quote(open)),
          "choose a directory that only you can write to");
    }
    return state == tree::OutputState::prepared;
  }

  /// Returns the plan of the recipe that is given, was begun, or suits this host.
  Planned choose(const PlanArgs& args, const Catalog& catalog, Context& context) const {
    Planned planned{plan_from(args, catalog, context), {}, {}};
    planned.manifest = trees::make_manifest(planned.plan, catalog, {});
    const std::string place = is_directory(output) ? output : parent_path(output);
    planned.host = trees::read_host({"/", place, context.environment.variables,
                                     trees::packages_to_read(catalog, trees::target_of(planned.manifest)),
                                     trees::nvcc_compiler_variable(*planned.plan.release)});
    apply_recipe_options(recipe, planned.recipe);
    const bool has_recipe = is_directory(at(trees::kRecipeName));
    if (!recipe.kind.empty())
      planned.recipe.kind = *parse_name<RecipeKind>(recipe.kind);
    else if (has_recipe)
      trees::take_over(at(trees::kRecipeName), planned.recipe);
    else
      planned.recipe.kind = fitting_recipe(planned, catalog);
    if (planned.recipe.kind == RecipeKind::sysroot) {
      planned.plan = trees::plan_cross_build(catalog, planned.plan);
      planned.manifest = trees::make_manifest(planned.plan, catalog, {});
    }
    planned.recipe.disk_mib = trees::disk_for(catalog, planned.manifest);
    return planned;
  }

  RecipeKind fitting_recipe(const Planned& planned, const Catalog& catalog) const {
    const HostFacts& host = planned.host;
    const auto of_target = [&](const char* fact) {
      const std::string* const value = find_value(planned.manifest.target, fact);
      return value ? *value : "";
    };
    trees::RecipeChoice from{.host_arch = host.arch, .board_arch = of_target("arch"), .is_root = geteuid() == 0};
    const Plan& made = planned.plan;
    from.has_system = !host.os.empty() && host.os == (made.host ? made.host->image->os : of_target("os"));
    from.has_engine = std::ranges::any_of(std::to_array({"buildah", "podman", "docker"}),
                                          [](const char* name) { return !find_program(name).empty(); });
    from.needs_native = record::needs_native(planned.manifest);
    if (from.host_arch != from.board_arch && !from.needs_native)
      from.can_cross_build =
          record::can_cross_build(trees::make_manifest(trees::plan_cross_build(catalog, made), catalog, {}));
    return trees::choose_recipe(from);
  }

  void show(const Planned& planned, const Catalog& catalog, Console& console) const {
    const Plan& made = planned.plan;
    const HostFacts& host = planned.host;
    const auto add = [&](const char* term, const std::string& said) {
      console.status(concat("  ", term, std::string(12 - std::string_view(term).size(), ' '), said));
    };
    console.status(concat("build of PyTorch ",
                          report::target_text(made.release->version.text(), made.board->id, made.image->id), " in ",
                          quote(output)));
    std::vector<std::string> components;
    for (const Component component : made.components) components.emplace_back(name_of(component));
    add("components", join(components, ", "));
    add("changes",
        concat(counted(made.patches.size(), "patch", "patches"), ", ", counted(made.files.size(), "added file"), ", ",
               counted(made.environment.size(), "variable")));
    add("recipe", name_of(planned.recipe.kind));
    if (planned.recipe.disk_mib > 0)
      add("disk", concat("about ", planned.recipe.disk_mib, " MiB",
                         host.disk_mib ? concat("; ", *host.disk_mib, " MiB free") : ""));
    const std::optional<trees::BuildGuide> guide = trees::guide_for(catalog.build_sizes, made, planned.recipe.kind);
    if (!guide) return add("time", "unknown: no similar build is recorded");
    const BuildSize& build = *guide->build;
    const std::int64_t cpus = host.processors.value_or(build.cpus);
    add("time",
        concat("about ", minutes_text(static_cast<std::uint64_t>((build.minutes * build.cpus + cpus - 1) / cpus)),
               " on ", counted(static_cast<std::size_t>(cpus), "CPU"), " (",
               build.is_measured ? "measured" : "estimated", ": ",
               minutes_text(static_cast<std::uint64_t>(build.minutes)), " for ", build.release.text(), " on ",
               counted(static_cast<std::size_t>(build.cpus), "CPU"), ", recipe ", name_of(build.recipe), ")"));
  }

  /// Raises environment with everything missing on the host, including named sources; source if only those are missing.
  void require_host(const Planned& planned, const Catalog& catalog, bool has_begun, const OpenSource& opened,
                    const Context& context) const {
    std::vector<std::string> missing =
        trees::missing_for({catalog, planned.plan, planned.recipe, planned.host, at(trees::kWorkName), words,
                            context.environment.variables, has_begun});
    std::vector<std::string> sources;
    if (opened.objects)
      sources = trees::missing_sources(catalog, planned.plan, *opened.objects, prepare_options(), context.console);
    const bool is_host_ready = missing.empty();
    missing.insert(missing.end(), sources.begin(), sources.end());
    if (missing.empty()) return;
    const std::string title =
        concat("this host lacks ", counted(missing.size(), "thing"), " for the build:\n  ", join(missing, "\n  "));
    const std::string of_sources =
        sources.empty()
            ? ""
            : concat("pass sources that have what is missing with --mirror or --archive",
                     allow_partial ? "" : ", or continue without single submodules and files (--allow-partial)");
    if (is_host_ready) throw Error(ErrorKind::source, title, of_sources);
    const RecipeKind kind = planned.recipe.kind;
    const bool lacks_root = geteuid() != 0 && (kind == RecipeKind::chroot || kind == RecipeKind::sysroot);
    const bool lacks_board =
        record::plans_cuda(planned.manifest) && planned.host.arch != planned.manifest.target.at("arch");
    const std::string way =
        lacks_board  ? "no recipe provides the board's CUDA: build on the board, build for the CPU only (--set "
                       "USE_CUDA=0), or use '--kind sysroot --cuda' (docs/recipes.md)"
        : lacks_root ? "run it with sudo: sudo torchpatch build …; --kind chooses another recipe"
                     : "'torchpatch doctor' checks this host; --kind chooses another recipe";
    throw Error(ErrorKind::environment, title, concat(way, of_sources.empty() ? "" : "; ", of_sources));
  }

  void ask(Context& context) const {
    if (yes) return;
    if (!context.environment.in_is_terminal)
      throw Error(ErrorKind::usage, "build needs a confirmation, but standard input is not a terminal", "add --yes");
    const std::string answer = read_answer("start this build? y starts it, Enter does not [y/N]", context);
    if (!starts_with(answer, "y") && !starts_with(answer, "Y"))
      throw Error(ErrorKind::usage, "not started: nothing was written");
  }

  /// Creates a directory owned by the user who called sudo: the build in it runs as its owner.
  static void make_place(const std::string& place, const Context& context) {
    if (type_at(place) != 0) return;
    make_directories(place);
    const auto user = parse_decimal(context.environment.variable("SUDO_UID"));
    const auto group = parse_decimal(context.environment.variable("SUDO_GID"));
    if (geteuid() != 0 || !user || !group) return;
    if (::lchown(place.c_str(), static_cast<uid_t>(*user), static_cast<gid_t>(*group)) != 0)
      throw system_error("changing the owner of " + quote(place) + " to the user who ran sudo");
  }

  trees::PrepareOptions prepare_options() const {
    trees::PrepareOptions options;
    options.output = at(trees::kTreeName);
    options.jobs = jobs;
    options.allow_uncertified = allow_uncertified;
    options.allow_partial = allow_partial;
    return options;
  }

  /// Returns the tree, prepared now or earlier; if it was changed, prints verify's report and returns nothing.
  std::optional<PreparedTree> prepared_tree(const Planned& planned, OpenSource opened, const Catalog& catalog,
                                            Context& context) const {
    const std::string directory = at(trees::kTreeName);
    if (type_at(directory) == 0) {
      if (!opened.objects) opened = open_source(source, plan.catalog.source, context);
      const trees::Prepared prepared =
          trees::prepare(catalog, planned.plan, *opened.objects, prepare_options(), context.console);
      for (const std::string& warning : prepared.warnings) context.console.warning(warning);
    }
    std::optional<PreparedTree> tree = open_prepared_tree(directory, plan.catalog, jobs, json, context);
    if (!tree) return tree;
    const trees::ScannedTree& scanned = tree->scanned;
    if (record::manifest_json(trees::make_manifest(planned.plan, catalog, scanned.manifest)) == scanned.manifest_bytes)
      return tree;
    throw Error(ErrorKind::environment, concat(quote(directory), " is a tree prepared from another plan"),
                "choose another --output, or use the options that it was prepared with");
  }

  /// Writes the recipe, or compares that of an earlier run; nothing is executed.
  void write_recipe(const PreparedTree& tree, const record::RecipeInput& chosen, Console& console) const {
    record::RecipeInput input = trees::recipe_for(tree.scanned, tree.catalog);
    input.kind = chosen.kind;
    input.system = chosen.system;
    input.cuda = chosen.cuda;
    const std::vector<record::GeneratedFile> files = record::recipe_files(input);
    const std::string directory = at(trees::kRecipeName);
    if (type_at(directory) == 0) trees::write_generated(files, trees::recipe_output(directory, false), console);
    const std::vector<std::string> different = trees::compare_recipe(files, directory);
    if (different.empty()) return;
    throw Error(ErrorKind::unsafe,
                concat(quote(directory), " is not the recipe of this build: ", quote(different.front()), " differs"),
                "remove it, so that build writes it again, or choose another --output");
  }

  /// Returns whether to run numerics: once, if the new torch can run here.
  bool wants_numerics(const Planned& planned) const {
    const RecipeKind kind = planned.recipe.kind;
    const bool is_runnable = kind == RecipeKind::native ||
                             (kind == RecipeKind::chroot && planned.manifest.target.at("arch") == planned.host.arch);
    const auto is_step = [](const std::string& word) {
      return word == "--test" || starts_with(word, "torch") || word == "vision" || word == "audio";
    };
    return is_runnable && std::ranges::count(planned.plan.components, Component::torch) > 0 &&
           std::ranges::none_of(words, is_step) && !file_exists(at(trees::kWorkName) + "/dist/numerics.json");
  }

  int run(Context& context) const;
  int build(Context& context) const;
  int conclude(const Planned& planned, const Catalog& catalog, Context& context) const;
  int explain_failure(const Planned& planned, const Catalog& catalog, const trees::RecipeRun& run,
                      Context& context) const;
  std::string next_command(const Diagnosis& diagnosis) const;
};

/// Returns the command that applies the best match's fix, or shows what to do.
std::string BuildArgs::next_command(const Diagnosis& diagnosis) const {
  if (diagnosis.matches.empty()) return {};
  const Match& best = diagnosis.matches.front();
  const bool is_open = best.decision && (best.decision->status == IssueStatus::declined ||
                                         best.decision->status == IssueStatus::undecided);
  const auto fix = std::ranges::find_if(best.remedies, [](const Fix* each) { return each->kind != FixKind::advice; });
  if (!is_open || fix == best.remedies.end()) return "torchpatch show issue " + best.issue->id;
  std::vector<std::string> line = {"torchpatch", "build"};
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty()) line.insert(line.end(), {option, shell_quote(value)});
  };
  for (const std::string& word : plan_words(plan)) line.push_back(shell_quote(word));
  add("--with", (*fix)->id);
  for (const std::string& mirror : source.mirrors) add("--mirror", mirror);
  add("--kind", recipe.kind);
  add("--root", recipe.root);
  add("--cuda", recipe.cuda);
  add("--output", concat(output, "-", (*fix)->id));
  if (!words.empty()) line.emplace_back("--");
  for (const std::string& word : words) line.push_back(shell_quote(word));
  return join(line, " ");
}

int BuildArgs::explain_failure(const Planned& planned, const Catalog& catalog, const trees::RecipeRun& run,
                               Context& context) const {
  const std::string log = at(trees::kLogName);
  const UniqueFd file = open_regular_file(log);
  ::lseek(file.get(), static_cast<off_t>(run.log_begin), SEEK_SET);
  Diagnosis found = trees::diagnose(catalog, pieces_of(file.get(), trees::kMaxLogBytes, log), planned.plan);
  found.is_tree = true;
  Document page = report::diagnosis_document(found);
  Terms facts{{{"failed", report::said(run.error.empty() ? concat("run.sh ended with ", run.exit_code) : run.error)},
               {"log", report::said(shell_quote(log))},
               {"next", report::said(next_command(found))}}};
  page.blocks.emplace_back(std::move(facts));
  print_result(context, json, found, page);
  return kFindings;
}

int BuildArgs::conclude(const Planned& planned, const Catalog& catalog, Context& context) const {
  const std::string dist = at(trees::kWorkName) + "/dist";
  WheelReport report;
  report.board = planned.plan.board->id;
  report.image = planned.plan.image->id;
  std::vector<std::string> wheels;
  if (is_directory(dist))
    for (const std::string& name : list_directory(dist))
      if (ends_with(name, ".whl")) wheels.push_back(concat(dist, "/", name));
  if (!wheels.empty())
    report = trees::check_wheels(catalog, *planned.plan.board, planned.plan.image->id,
                                 record::plans_cuda(planned.manifest), wheels, jobs);
  Document page = report::wheel_document(report);
  page.title =
      concat("done: PyTorch ", report::target_text(planned.plan.release->version.text(), report.board, report.image));
  const std::string numbers = dist + "/numerics.html";
  const bool is_container = planned.recipe.kind == RecipeKind::container;
  const std::string place = wheels.empty() ? "none yet" : shell_quote(dist);
  Terms facts{
      {{"wheels", report::said(is_container ? "in the container image named in the log" : place)},
       {"numbers", report::said(file_exists(numbers) ? shell_quote(numbers)
                                                     : concat("on the board: python3 numerics.py, from ",
                                                              shell_quote(at(trees::kTreeName) + "/torchpatch")))},
       {"log", report::said(shell_quote(at(trees::kLogName)))},
       {"next", report::said("read " + shell_quote(at(trees::kRecipeName) + "/README.md"))}}};
  page.blocks.emplace_back(std::move(facts));
  print_result(context, json, report, page);
  return report.is_ok() ? kDone : kFindings;
}

int BuildArgs::run(Context& context) const {
  BuildArgs args = *this;
  add_project(project, args.plan, &args.source.mirrors, context);
  if (const std::string missing = missing_of_pair(args.plan); !missing.empty())
    throw usage_of("build", concat("missing: ", missing, " (or --project FILE)"));
  return args.build(context);
}

int BuildArgs::build(Context& context) const {
  check_source_options(source, plan.catalog.source);
  BuildArgs args = *this;
  args.output = tree::output_path(output);
  const Catalog catalog = load_catalog(plan.catalog, context.environment, source);
  args.plan = settled(plan, catalog, context);
  Planned planned = args.choose(args.plan, catalog, context);
  planned.recipe.manifest = &planned.manifest;
  const bool is_begun = args.is_begun(planned.recipe.kind, context);
  UniqueFd lock = is_begun ? tree::lock_directory(args.output) : UniqueFd();
  OpenSource opened;  // by default from the cache and the network
  if (!is_directory(args.at(trees::kTreeName)))
    opened = open_named_source(source, plan.catalog.source, context, {args.plan.version});
  trees::require_certificates(planned.plan, catalog, allow_uncertified);

  for (const std::string& warning : planned.plan.warnings) context.console.warning(warning);
  args.show(planned, catalog, context.console);
  args.require_host(planned, catalog, is_begun, opened, context);
  if (!is_begun) args.ask(context);
  make_place(args.output, context);
  if (!lock) lock = tree::lock_directory(args.output);

  const std::optional<PreparedTree> tree = args.prepared_tree(planned, std::move(opened), catalog, context);
  if (!tree) return kFindings;
  args.write_recipe(*tree, planned.recipe, context.console);
  make_place(args.at(trees::kWorkName), context);
  std::vector<std::string> for_run = words;
  if (args.wants_numerics(planned)) for_run.emplace_back("--test");
  const trees::RecipeRun run = trees::run_recipe(args.output, for_run, context.environment.variables, context.console);
  if (run.exit_code == 2) throw Error(ErrorKind::usage, run.error, "put words for run.sh after '--'");
  return run.exit_code == 0 ? args.conclude(planned, catalog, context)
                            : args.explain_failure(planned, catalog, run, context);
}

}  // namespace

std::vector<Command> build_commands() { return {{"build", declare_args<BuildArgs>}}; }

}  // namespace torchpatch::cli
