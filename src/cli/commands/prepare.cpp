// SPDX-License-Identifier: BSD-3-Clause
#include "trees/prepare/prepare.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include "cli/command.h"
#include "cli/project.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "model/doctor.h"
#include "model/url.h"
#include "record/manifest_file.h"
#include "record/recipe/recipe.h"
#include "record/run_report.h"
#include "record/tree_scripts.h"
#include "report/reports.h"
#include "report/words.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"
#include "trees/prepare/manifest.h"

namespace torchpatch::cli {

namespace {

std::string count(std::uint64_t number, const std::string& one, const std::string& many = "") {
  return concat(grouped(number), counted(number, one, many).substr(std::to_string(number).size()));
}

void add_changes(const Manifest& manifest, Terms& facts) {
  const auto add = [&](const char* term, const std::string& words) { facts.rows.push_back({term, {text(words)}}); };
  for (const ManifestRepository& repository : manifest.repositories) {
    if (!repository.overridden) continue;
    add("override", concat(repository.path.text(), " at ", repository.commit.hex(), " instead of ",
                           repository.gitlink().hex(), ", ", report::issues_text(repository.overridden->issues)));
  }
  // A line for the patches of a variant that stand together.
  for (auto patch = manifest.patches.begin(); patch != manifest.patches.end();) {
    std::size_t files = 0;
    const ManifestPatch& first = *patch;
    const auto label_of = [](const ManifestPatch& each) {
      return concat(each.patchset, " ", each.variant, " in ", each.repository.text());
    };
    for (; patch != manifest.patches.end() && label_of(*patch) == label_of(first) && patch->issues == first.issues &&
           patch->is_certified == first.is_certified;
         ++patch)
      files += patch->edges.size();
    add("patch", concat(label_of(first), ": ", count(files, "file"), ", ", report::issues_text(first.issues),
                        first.is_certified ? "" : concat(" (", report::certificate_text(false), ")")));
  }
  for (auto file = manifest.added_files.begin(); file != manifest.added_files.end();) {
    const ManifestAddedFile& first = *file;
    std::size_t files = 0;
    for (; file != manifest.added_files.end() && file->patchset == first.patchset && file->variant == first.variant &&
           file->repository == first.repository && file->issues == first.issues;
         ++file)
      ++files;
    add("added", concat(first.patchset, " ", first.variant, " in ", first.repository.text(), ": ",
                        files == 1 ? first.path : count(files, "file"), ", ", report::issues_text(first.issues)));
  }
}

Line what_is_missing(const Manifest& manifest) {
  if (!is_partial(manifest)) return {};
  std::vector<Line> lines = {{text(gaps_text(manifest))}};
  for (const std::string& each : gap_lines(manifest)) lines.push_back({text(each)});
  return stacked(lines);
}

/// `memory_mib`: what the board has, if that is known and too little to compile on it.
std::string next_step(const Manifest& manifest, const std::string& out, std::optional<std::int64_t> memory_mib) {
  if (manifest.stand_in)
    return concat("'torchpatch verify ", out, "'; then repeat with --mirror DIR or from the network");
  const auto is_submodule = [](const std::string& path) { return path.back() == '/'; };
  if (std::ranges::any_of(record::missing_sources(manifest), is_submodule))
    return concat("this tree cannot be built: prepare it again from sources that have what is missing (", out,
                  "/torchpatch/check.sh lists it)");
  const std::string read = concat("read Action required in ", out, "/torchpatch/KNOWN_ISSUES.md; ");
  const std::string recipe = concat("on a PC, run torchpatch recipe ", out, " --output recipe --kind ");
  if (manifest.settings.contains("cross") && !record::needs_native(manifest))
    return concat(read, recipe, "sysroot",
                  record::can_cross_build(manifest)
                      ? ""
                      : concat(" --root SYSTEM, a Debian or Ubuntu with Python ", manifest.python));
  if (memory_mib)
    return concat(read, manifest.board, " has ", *memory_mib, " MiB of memory, too little to compile: ", recipe,
                  "chroot");
  const auto builder = [&] {
    return concat(manifest.host.at("board"), " with ", manifest.host.at("image"), " and Python ", manifest.python);
  };
  return concat(read, "on ", manifest.host.empty() ? manifest.board : builder(), ", run ", out,
                "/torchpatch/check.sh, then ", out, "/torchpatch/build.sh");
}

/// Returns the board's memory if one compile job may need as much, and it could be built elsewhere.
std::optional<std::int64_t> too_little_memory(const Plan& plan, const Manifest& manifest) {
  const auto* const mib = std::get_if<std::int64_t>(&plan.facts.at("memory_mib"));
  const bool is_elsewhere = !manifest.host.empty() || record::needs_native(manifest);
  if (mib == nullptr || is_elsewhere || *mib > mib_per_job(plan.release->version, false)) return std::nullopt;
  return *mib;
}

/// Where the signature is, whose, and how it is checked: nothing if the manifest was not signed.
Line signature_line(const trees::Prepared& prepared, const std::string& key) {
  const trees::Signature& signature = prepared.signature;
  if (signature.bytes.empty()) return {};
  const std::string out = shell_quote(prepared.output), pub = ends_with(key, ".pub") ? key : key + ".pub";
  return {text(concat(out, "/torchpatch/manifest.json", trees::signature_ending(signature.kind), ", ", signature.key)),
          line_end(),
          text(concat("to check: torchpatch verify ", out, " --signature ",
                      file_exists(pub) ? shell_quote(pub) : "KEY.pub"))};
}

/// What prepare says when it is done, for a plan, or with --locked without one. `key`: the file that it signed with.
Document summary(const trees::Prepared& prepared, const Plan* plan, const std::string& key) {
  const Manifest& manifest = prepared.manifest;
  const std::string out = shell_quote(prepared.output);
  Terms facts{{{"note", report::said(manifest.stand_in.value_or(""))},
               {"sources",
                {text(concat(count(manifest.repositories.size(), "repository", "repositories"), ", ",
                             count(manifest.file_count, "file"), ", ", count(manifest.link_count, "link"), ", ",
                             megabytes(static_cast<double>(manifest.byte_count))))}},
               {"PARTIAL", what_is_missing(manifest)}}};
  add_changes(manifest, facts);
  if (!prepared.moved.empty())
    facts.rows.push_back({"note", {text(concat(count(prepared.moved.size(), "hunk"), " moved, as certified"))}});
  if (plan == nullptr) {  // --locked
    facts.rows.push_back(
        {"locked",
         {text(concat("the patches, variables and scripts are those listed in the manifest; 'torchpatch verify ", out,
                      "' compares them with the catalog"))}});
    for (const std::string& option : chosen_options(manifest)) facts.rows.push_back({"chosen", {text(option)}});
  }
  facts.rows.push_back({"tree", {text("swh:1:dir:" + manifest.tree.hex())}});
  facts.rows.push_back({"manifest", {text(prepared.manifest_digest.hex())}});
  facts.rows.emplace_back("signed", signature_line(prepared, key));
  facts.rows.push_back(
      {"next", {text(next_step(manifest, out, plan ? too_little_memory(*plan, manifest) : std::nullopt))}});
  return {.title = concat("prepared release ", report::target_text(manifest.release, manifest.board, manifest.image),
                          " in ", out),
          .blocks = {std::move(facts)}};
}

struct PrepareArgs {
  PlanArgs plan;
  SourceOptions source;
  trees::PrepareOptions options;
  std::string locked;  ///< manifest to rebuild, or empty
  std::string report, project;
  int max_size = tree::kMaxTreeBytes >> 30;
  bool replace = false, dry_run = false, json = false;

  void declare(OptionSet& set) {
    declare_plan_options(set, plan, Need::optional);
    declare_project_option(set, project);
    declare_source_options(set, source);
    set.value("--locked", locked, "MANIFEST", "write the tree that this manifest.json describes, without the catalog");
    set.value("-o,--output", options.output, "DIR", "directory to write; default: torchpatch-VERSION-BOARD");
    set.flag("--replace", replace, "replace a directory that torchpatch wrote before");
    set.flag("--allow-uncertified", options.allow_uncertified,
             "apply patches even without a certificate for these sources");
    set.flag("--allow-partial", options.allow_partial,
             "continue without files and submodules that no source has; the manifest lists them");
    set.flag("--strict-tags", options.strict_tags, "fail if a tag does not name the pinned commit");
    set.value("--sign", options.sign.file, "KEY",
              "sign the manifest: an OpenSSH key, the .pub of a key in ssh-agent, or a minisign secret key");
    set.flag("--sync", options.sync, "call fsync before the rename, so that the tree survives a power loss");
    set.value("--report", report, "FILE", "write the report of this run to FILE; default: in the state directory");
    set.flag("-n,--dry-run", dry_run, "print the plan and write nothing");
    set.number("--max-size", max_size, 1 << 20, concat("size limit of the tree in GiB; default: ", max_size));
    declare_jobs(set, options.jobs);
    set.flag("--json", json, "print the manifest (with --dry-run the plan) as JSON");
  }

  /// Which options go together; CLI11 sees each on its own.
  void check() const {
    const auto refuse = [](const std::string& message) { throw usage_of("prepare", message); };
    check_source_options(source, plan.catalog.source);
    if (locked.empty()) {
      const std::string missing = missing_of_pair(plan);
      if (!missing.empty()) refuse(concat("missing: ", missing, " (or --project FILE, or --locked MANIFEST)"));
      return;
    }
    if (chooses_plan(plan) || !project.empty() || !plan.catalog.catalogs.empty() || dry_run)
      refuse("--locked reads everything from the manifest; remove the options that choose a plan");
    if (options.output.empty()) refuse("missing: --output DIR (with --locked there is no default)");
  }

  int run(Context& context) const;
  int prepare(Context& context) const;
};

/// Raises usage where the report of the run would lie in the tree, which is sealed.
void check_report_place(const std::string& report, const std::string& output) {
  if (report.empty()) return;
  std::error_code error;  // what cannot be looked up is told of by who writes there
  const auto place_of = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(absolute_path(path), error);
  };
  const std::filesystem::path place = place_of(report), out = place_of(output);
  if (out.empty() || std::ranges::mismatch(out, place).in1 != out.end()) return;
  throw usage_of("prepare", concat("--report ", quote(report), " is inside the tree being prepared, ", quote(output)));
}

std::int64_t milliseconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

/// Returns a report that is begun now: command line, host, start.
record::RunReport begin_report(const Context& context) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  record::RunReport report;
  report.tool_version = kToolVersion;
  report.command_line = context.command_line;
  report.host = host.data();
  report.milliseconds = milliseconds_now();  // the start, until write_report() takes the difference
  report.started = report.milliseconds / 1000;
  return report;
}

/// Writes the report to `file`; to a new file below $XDG_STATE_HOME/torchpatch where `file` is empty. Without a home
/// there is none. Raises environment where `file` cannot be written; for the default place that is a warning.
void write_report(const record::RunReport& begun, const std::string& file, Context& context) {
  record::RunReport report = begun;
  report.milliseconds = milliseconds_now() - begun.milliseconds;
  if (!file.empty()) {
    try {
      remove_left_over(file);
      return write_file_atomically(file, report_json(to_json(report, JsonForm::report)));
    } catch (const Error& error) {
      throw Error(ErrorKind::environment,
                  "the tree is complete, but the report of this run was not written: " + error.message(),
                  "pass another file with --report, or omit it");
    }
  }
  const std::string directory = context.environment.directory("XDG_STATE_HOME", "/.local/state");
  if (directory.empty()) return;
  try {
    make_directories(directory);
    const std::string name = concat(directory, "/prepare-", begun.milliseconds, "-", getpid(), ".json");
    write_file_atomically(name, report_json(to_json(report, JsonForm::report)));
  } catch (const Error& error) {
    context.console.warning("the report of this run was not written: " + error.message());
  }
}

/// Runs `prepare` on an opened source, with warnings, report and result around it.
template <typename Prepare>
int prepare_from(const PrepareArgs& args, const std::string& output, Context& context, const Plan* plan,
                 Prepare prepare) {
  check_report_place(args.report, output);
  record::RunReport report = begin_report(context);
  const std::vector<std::string> releases =
      plan ? std::vector{plan->release->version.text()} : std::vector<std::string>{};
  const OpenSource source = open_source(args.source, args.plan.catalog.source, context, releases);
  const trees::Prepared prepared = prepare(*source.objects);
  for (const std::string& warning : prepared.warnings) context.console.warning(warning);
  report.source = source.objects->describe();
  report.output = prepared.output;
  report.manifest = prepared.manifest_digest;
  report.origins = prepared.origins;
  report.archives = prepared.archives;
  report.warnings = prepared.warnings;
  report.notes = prepared.notes;
  report.notes.insert(report.notes.end(), prepared.moved.begin(), prepared.moved.end());
  write_report(report, args.report, context);
  try {
    print(context, args.json ? record::manifest_json(prepared.manifest)
                             : document_text(summary(prepared, plan, args.options.sign.file), text_style(context)));
  } catch (const Error& error) {
    throw Error(ErrorKind::environment, "the tree is complete, but: " + error.message());
  }
  return kDone;
}

int prepare_planned(const PrepareArgs& args, trees::PrepareOptions options, Context& context) {
  const Catalog catalog = load_catalog(args.plan.catalog, context.environment, args.source);
  const Plan plan = plan_from(args.plan, catalog, context);
  if (args.dry_run) {
    print_result(context, args.json, plan,
                 report::plan_document(plan, catalog, {false, is_image_assumed(args.plan, plan)}));
    return kDone;
  }
  for (const std::string& warning : plan.warnings) context.console.warning(warning);
  trees::require_certificates(plan, catalog, options.allow_uncertified);
  if (options.output.empty()) options.output = concat("torchpatch-", plan.release->version.text(), "-", plan.board->id);
  return prepare_from(args, options.output, context, &plan, [&](source::ObjectSource& source) {
    return trees::prepare(catalog, plan, source, options, context.console);
  });
}

/// Somebody else may have written the manifest: raises unsafe where it would have us contact anything but https
/// servers, unless --url-map begins a URL as it does.
void check_urls(const std::string& manifest, const SourceOptions& source) {
  for (const ManifestRepository& repository : trees::read_record(manifest).manifest.repositories) {
    const auto leads_elsewhere = [&](const std::string& map) {
      return starts_with(repository.url, map.substr(0, map.find('=')));
    };
    if (url_scheme(repository.url) == "https" || std::ranges::any_of(source.url_maps, leads_elsewhere)) continue;
    throw Error(ErrorKind::unsafe,
                concat("--locked ", quote(manifest), " names ", redact_url(repository.url),
                       ": from a manifest, only https URLs are fetched"),
                "use copies with --mirror DIR, or allow the server with --url-map OLD=NEW");
  }
}

int PrepareArgs::run(Context& context) const {
  PrepareArgs args = *this;
  if (locked.empty()) add_project(project, args.plan, &args.source.mirrors, context);
  return args.prepare(context);
}

int PrepareArgs::prepare(Context& context) const {
  check();
  trees::PrepareOptions chosen = options;
  chosen.sign.environment.assign(context.environment.variables.begin(), context.environment.variables.end());
  chosen.max_bytes = std::uint64_t(max_size) << 30;
  if (replace) chosen.if_exists = tree::IfExists::replace;
  if (locked.empty()) return prepare_planned(*this, chosen, context);
  if (source.mirrors.empty() && plan.catalog.source.empty()) check_urls(locked, source);
  return prepare_from(*this, chosen.output, context, nullptr, [&](source::ObjectSource& objects) {
    return trees::prepare_locked(locked, objects, chosen, context.console);
  });
}

}  // namespace

std::vector<Command> prepare_commands() { return {{"prepare", declare_args<PrepareArgs>}}; }

}  // namespace torchpatch::cli
