// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/audit/audit.h"

#include <algorithm>

#include "cli/command.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "report/audit/audit_report.h"
#include "report/words.h"
#include "support/text.h"
#include "trees/verify/verify.h"

namespace torchpatch::cli {

namespace {

constexpr int kMaxContext = 100'000;

/// Options of 'audit': the patches of a plan, of a prepared tree, or of the whole catalog.
struct AuditArgs {
  PlanArgs plan;
  SourceOptions source;
  upkeep::AuditOptions audit;
  ReportOptions form;
  std::string tree;       ///< a prepared tree, or empty
  std::string against;    ///< what to compare with, or empty
  std::string signers;    ///< file with the signers whose approvals count, or empty
  trees::SigningKey key;  ///< to sign approvals
  std::string into;       ///< the catalog to write approvals to
  std::vector<std::string> fail_on, only;
  bool all = false, no_pager = false, unapproved = false;

  void declare_subject(OptionSet& options) {
    options.argument("DIR", tree, "a prepared tree: audit what was applied, in its own files", Need::optional);
    options.flag("--all", all, "audit every patch of the catalog, each in the newest release that uses it");
    declare_plan_options(options, plan, Need::optional);
  }

  void declare(OptionSet& options) {
    declare_subject(options);
    options.value("--signer", signers, "FILE",
                  "show who approved what (see audit approve); accept signatures by the keys in FILE: an OpenSSH "
                  "allowed_signers file, or an OpenSSH or minisign public key");
    options.flag("--unapproved", unapproved, "show only what is not approved");
    options.values("--fail-on", fail_on, "WHAT",
                   "exit 1 if the audit finds any of these: uncertified, unproven, unapproved, risk; may be repeated; "
                   "separate several with commas");
    options.value("--against", against, "OTHER",
                  "show how the patches changed since OTHER: a release, a prepared tree or its manifest, or a "
                  "directory with a different revision of the catalog");
    options.values("--mirror", source.mirrors, "DIR",
                   "show the changes in the pinned files, and search later releases for them, using the git "
                   "repositories under DIR; may be repeated");
    options.value("--recipe", audit.recipe, "DIR",
                  "also show the recipe in DIR, written for this prepared tree by 'torchpatch recipe'");
    options.number("--context", audit.context, kMaxContext,
                   "unchanged lines around a change, if the files are available; default: 10");
    declare_jobs(options, audit.jobs);
    declare_report_options(options, form, {"text", "markdown", "html", "sarif"});
    options.flag("--no-pager", no_pager, "do not use a pager");
  }

  void declare_approval(OptionSet& options) {
    declare_subject(options);
    options.values("--only", only, "NAME",
                   "approve only this: a name or SHA-256 that 'audit' prints, a patchset, variables or commands; may "
                   "be repeated; default: everything that runs");
    options.value("--key", key.file, "KEY", "an OpenSSH key, the .pub of a key in ssh-agent, or a minisign secret key",
                  Need::required);
    options.value("--into", into, "DIR", "catalog directory to write to, under approvals/", Need::required);
    declare_jobs(options, audit.jobs);
  }

  int run(Context& context) const;
  int approve(Context& context) const;
};

/// Raises usage for words not allowed in --fail-on.
std::set<upkeep::AuditGate> gates_of(const std::vector<std::string>& fail_on) {
  std::set<upkeep::AuditGate> gates;
  for (const std::string& list : fail_on) {
    for (const std::string& word : split(list, ',')) {
      const std::optional<upkeep::AuditGate> gate = parse_name<upkeep::AuditGate>(word);
      if (!gate)
        throw usage_of("audit", concat("--fail-on ", quote(word), " is not one of ", all_names<upkeep::AuditGate>()));
      gates.insert(*gate);
    }
  }
  return gates;
}

/// Raises usage for conflicting options.
void check_audit_args(const AuditArgs& args) {
  const auto refuse = [](const std::string& message) { throw usage_of("audit", message); };
  check_source_options(args.source, args.plan.catalog.source);
  check_report_options(args.form);
  if (args.all && !args.tree.empty()) refuse("--all and a prepared tree cannot be used together");
  if (args.all && chooses_plan(args.plan))
    refuse("--all covers every release and board; remove the options that choose a plan");
  if (!args.all) require_tree_or_pair("audit", args.tree, args.plan, "--all, or a prepared tree");
  if (!args.audit.recipe.empty() && args.tree.empty()) refuse("--recipe needs a prepared tree");
  const std::set<upkeep::AuditGate> gates = gates_of(args.fail_on);
  if (args.signers.empty() && (args.unapproved || gates.contains(upkeep::AuditGate::unapproved)))
    refuse("missing: --signer FILE, the keys whose approvals count");
  if (!args.against.empty() && (!gates.empty() || !args.signers.empty()))
    refuse("--against cannot be used with --signer or --fail-on");
  if (!args.against.empty() && args.form.format == "sarif")
    refuse("--against does not support SARIF: a comparison has no findings");
}

/// Returns the catalog to use: a tree from an embedded source is judged with that source's layer.
Catalog audit_catalog(const AuditArgs& args, const Environment& environment) {
  if (args.tree.empty()) return load_catalog(args.plan.catalog, environment, args.source);
  return load_catalog(args.plan.catalog, environment, trees::read_manifest_of(args.tree));
}

/// Audits what the command line selects.
AuditReport make_audit_report(const AuditArgs& args, const Catalog& catalog, Context& context) {
  // An embedded source stands in for upstream: its other releases are meaningless here.
  std::vector<std::string> releases;
  std::optional<Plan> plan;
  if (!args.all && args.tree.empty()) {
    plan = plan_from(args.plan, catalog, context);
    releases.push_back(plan->release->version.text());
  }
  const OpenSource source = open_named_source(args.source, args.plan.catalog.source, context, releases);
  source::ObjectSource* const objects = source.objects.get();
  if (args.all) return upkeep::audit_all(catalog, objects, args.audit, context.console);
  if (!args.tree.empty()) return upkeep::audit_tree(args.tree, catalog, objects, args.audit, context.console);
  return upkeep::audit(*plan, catalog, objects, args.audit, context.console);
}

// audit --against: compares the audited series of patches with another one.

struct Series {
  std::string title;
  std::vector<upkeep::AuditStep> steps;
};

Series series_of_plan(const PlanArgs& args, const Catalog& catalog) {
  const Plan plan = make_named_plan(catalog, args.version, args.board, args.image, plan_options(args));
  return {"release " + report::target_text(plan.release->version.text(), plan.board->id, plan.image->id),
          upkeep::plan_steps(plan)};
}

Series series_of_tree(const std::string& root, const Catalog& catalog) {
  const Manifest manifest = trees::read_manifest_of(root);
  return {concat(quote(root), ", release ", report::target_text(manifest.release, manifest.board, manifest.image)),
          upkeep::tree_steps(root, manifest, catalog)};
}

/// Returns the audited series, from a catalog that may differ from the command line's.
Series series_of_args(const AuditArgs& args, const Catalog& catalog) {
  if (args.all) return {"the catalog", upkeep::catalog_steps(catalog)};
  if (!args.tree.empty()) return series_of_tree(args.tree, catalog);
  return series_of_plan(args.plan, catalog);
}

/// Returns the audited release and board as options.
PlanArgs pair_of(const AuditArgs& args) {
  if (args.tree.empty()) return args.plan;
  const Manifest manifest = trees::read_manifest_of(args.tree);
  PlanArgs plan;
  plan.version = manifest.release;
  plan.board = manifest.board;
  plan.image = manifest.image;
  return plan;
}

Series series_by_catalog(const AuditArgs& args, const std::string& directory) {
  const Catalog other = catalog::load_catalog({{base_name(absolute_path(directory)), directory}});
  Series series = args.all ? Series{"the catalog", upkeep::catalog_steps(other)} : series_of_plan(pair_of(args), other);
  series.title += " by the catalog in " + quote(directory);
  return series;
}

/// The default image depends on the release, so only a requested image is used for both.
Series series_of_release(const AuditArgs& args, const Catalog& catalog) {
  if (args.all) {
    throw Error(ErrorKind::usage, concat("--against ", quote(args.against), ": with --all, it must be another catalog"),
                "pass a directory with releases/ and patchsets/");
  }
  PlanArgs plan = pair_of(args);
  plan.version = args.against;
  if (!args.tree.empty()) plan.image.clear();
  return series_of_plan(plan, catalog);
}

/// Returns the other series: a prepared tree or its manifest, a directory with another catalog, or a release.
Series series_against(const AuditArgs& args, const Catalog& catalog) {
  const std::string& other = args.against;
  if (file_exists(other + "/torchpatch/manifest.json")) return series_of_tree(other, catalog);
  if (is_directory(other + "/patchsets") && is_directory(other + "/releases")) return series_by_catalog(args, other);
  const bool is_manifest = ends_with(other, "torchpatch/manifest.json") && file_exists(other);
  if (is_manifest) return series_of_tree(parent_path(parent_path(other)), catalog);
  if (file_exists(other)) {
    throw Error(ErrorKind::usage,
                concat("--against ", quote(other), " is neither a prepared tree, its manifest, nor a catalog"),
                "a prepared tree has torchpatch/manifest.json, a catalog releases/ and patchsets/");
  }
  if (!Version::parse(other)) {
    throw Error(ErrorKind::environment, concat("--against ", quote(other), ": neither a path nor a release"),
                "pass a release, a prepared tree, its manifest, or a directory with releases/ and patchsets/");
  }
  return series_of_release(args, catalog);
}

/// The other one is the earlier side.
SeriesReport make_series_report(AuditArgs args, const Catalog& catalog, Context& context) {
  args.plan = settled(args.plan, catalog, context);
  const Series before = series_against(args, catalog), after = series_of_args(args, catalog);
  SeriesReport report = upkeep::compare_series(before.steps, after.steps);
  report.before = before.title;
  report.after = after.title;
  return report;
}

/// Returns whether the compared trees are unchanged since prepare; prints those that are not.
bool are_as_prepared(const AuditArgs& args, const Catalog& catalog, Context& context) {
  bool are = true;
  for (std::string root : {args.tree, args.against}) {
    if (ends_with(root, "torchpatch/manifest.json")) root = parent_path(parent_path(root));
    if (root.empty() || !file_exists(root + "/torchpatch/manifest.json")) continue;
    const trees::ScannedTree tree = trees::scan_prepared_tree(root, args.audit.jobs, context.console);
    const VerifyReport report = trees::verify(tree, catalog, {}, context.console);
    if (report.differences.empty()) continue;
    context.console.warning(concat(quote(root), " differs from what was prepared, ", report.differences.size(),
                                   " differences: see 'torchpatch verify ", shell_quote(root), "'"));
    are = false;
  }
  return are;
}

std::string page_text(const Document& document, const ReportOptions& form, const TextStyle& style) {
  if (form.format == "markdown") return document_markdown(document);
  return form.format == "html" ? report::audit_html(document) : document_text(document, style);
}

std::string report_text(const AuditReport& report, const ReportOptions& form, const TextStyle& style) {
  if (form.json) return report::audit_json(report);
  if (form.format == "sarif") return report::audit_sarif(report);
  return page_text(report::audit_document(report), form, style);
}

std::string report_text(const SeriesReport& report, const ReportOptions& form, const TextStyle& style) {
  return form.json ? report_json(to_json(report, JsonForm::report))
                   : page_text(report::series_document(report), form, style);
}

/// Returns how much is approved, and lists what is not.
std::string approvals_text(const AuditApprovals& approvals) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> open;
  for (const AuditApproval& each : approvals.of)
    if (each.key.empty()) open.push_back(concat(name_of(each.what.kind), " ", each.what.name));
  const std::size_t count = open.size(), all = approvals.of.size();
  if (count > kShown) open.resize(kShown);
  return concat("; ", all - count, " of ", all, " approved", count == 0 ? "" : ", not approved: ", join(open, ", "),
                count > kShown ? concat(" and ", count - kShown, " more") : "");
}

/// Prints on stderr which gates the report fails. Returns whether it passes all.
bool passes(const AuditReport& report, const std::set<upkeep::AuditGate>& gates, Console& console) {
  if (gates.empty()) return true;
  std::vector<std::string> failed;
  for (const auto& [gate, count] : upkeep::failed_gates(report, gates))
    failed.push_back(concat(count, " ", name_of(gate)));
  const bool is_about_approvals = report.approvals && gates.contains(upkeep::AuditGate::unapproved);
  const std::string approved = is_about_approvals ? approvals_text(*report.approvals) : "";
  if (failed.empty())
    console.status("--fail-on: passed" + approved);
  else
    console.warning(concat("--fail-on: exit code 1 because of ", join(failed, ", "), approved));
  return failed.empty();
}

/// Raises usage for an output in the audited tree, which would change it.
void check_output(const std::string& output, const std::string& tree) {
  const std::string root = tree.empty() ? "" : real_path(tree);
  if (output.empty() || root.empty() || !starts_with(real_path(parent_path(output)) + "/", root + "/")) return;
  throw usage_of("audit", concat("--output ", quote(output), " is inside the audited tree"));
}

int AuditArgs::run(Context& context) const {
  check_audit_args(*this);
  check_output(form.output, tree);
  const Catalog catalog = audit_catalog(*this, context.environment);
  const TextStyle style = form.output.empty() ? text_style(context) : TextStyle{};
  std::string text;
  int code = kDone;
  if (against.empty()) {
    AuditReport report = make_audit_report(*this, catalog, context);
    if (!signers.empty()) upkeep::look_up_approvals(catalog, signers, report);
    if (report.tree && !report.tree->differences.empty()) code = kFindings;
    if (!passes(report, gates_of(fail_on), context.console)) code = kFindings;
    if (unapproved) upkeep::leave_unapproved(report);
    text = report_text(report, form, style);
  } else {
    text = report_text(make_series_report(*this, catalog, context), form, style);
    if (!are_as_prepared(*this, catalog, context)) code = kFindings;
  }
  const bool is_text = !form.json && (form.format.empty() || form.format == "text");
  if (is_text && form.output.empty() && !no_pager)
    print_paged(context, text);
  else
    print_report(context, form, text);
  return code;
}

/// Returns whether --only `wanted` selects it: by name or digest, patchset id, or the word for all commands or
/// variables.
bool is_meant(const Approvable& each, const std::string& wanted, const AuditReport& report) {
  if (each.name == wanted || each.sha256.hex() == wanted) return true;
  const bool is_kind = each.kind == ApprovalKind::commands || each.kind == ApprovalKind::variables;
  if (is_kind) return name_of(each.kind) == wanted;
  if (each.kind == ApprovalKind::patch) return starts_with(each.name, wanted + "/");
  const auto is_of = [&](const auto& entry) { return entry.patchset == wanted && entry.sha256 == each.sha256; };
  return std::ranges::any_of(report.added_files, is_of) || std::ranges::any_of(report.overrides, is_of);
}

/// Returns the names that --only accepts, nearest first.
std::string names_hint(const std::string& wanted, const std::vector<Approvable>& all) {
  constexpr std::size_t kShown = 20;
  if (all.empty()) return "nothing in it needs an approval";
  std::vector<std::string> names, shown;
  for (const Approvable& each : all) names.push_back(each.name);
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) shown.push_back(quote(names[i]));
  const std::string near = did_you_mean(wanted, names);
  return concat(near, near.empty() ? "" : " ", "there are ", join(shown, ", "),
                names.size() > kShown ? concat(" and ", names.size() - kShown, " more") : "",
                "; a patchset's id, 'variables' and 'commands' approve all of theirs");
}

/// Returns the selected items of the report. Raises usage if one does not exist.
std::vector<Approvable> chosen_of(const AuditReport& report, const std::vector<std::string>& only) {
  const std::vector<Approvable> all = upkeep::what_is_approved(report);
  if (only.empty()) return all;
  std::vector<bool> is_chosen(all.size());
  for (const std::string& wanted : only) {
    bool is_there = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!is_meant(all[i], wanted, report)) continue;
      is_chosen[i] = is_there = true;
    }
    if (!is_there) {
      throw Error(ErrorKind::usage,
                  concat("--only ", quote(wanted), ": ", report::audit_subject(report), " runs nothing of that name"),
                  names_hint(wanted, all));
    }
  }
  std::vector<Approvable> chosen;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (is_chosen[i]) chosen.push_back(all[i]);
  return chosen;
}

/// Returns the audit command that includes the approval. The public half of an OpenSSH key lists the signer.
std::string next_command(const AuditArgs& args, const Environment& environment) {
  std::vector<std::string> words = {"torchpatch", "audit"};
  if (args.all) words.emplace_back("--all");
  if (!args.tree.empty()) words.push_back(args.tree);
  for (std::string& word : plan_words(args.plan)) words.push_back(std::move(word));
  const std::vector<catalog::Layer> layers = catalog_layers(args.plan.catalog, environment);
  const auto is_into = [&](const catalog::Layer& layer) {
    return absolute_path(layer.directory) == absolute_path(args.into);
  };
  if (std::ranges::none_of(layers, is_into)) words.insert(words.end(), {"--catalog", args.into});
  const std::string& key = args.key.file;
  std::string signer = "SIGNERS";
  for (const std::string& file : {key.substr(0, key.rfind('.')) + ".pub", key + ".pub"})  // of minisign, of OpenSSH
    if (file_exists(file)) signer = file;
  words.insert(words.end(), {"--signer", signer, "--unapproved"});
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quote(word));
  return join(quoted, " ");
}

int AuditArgs::approve(Context& context) const {
  check_audit_args(*this);
  const Catalog catalog = audit_catalog(*this, context.environment);
  const AuditReport report = make_audit_report(*this, catalog, context);
  if (report.tree && !report.tree->differences.empty()) {
    print(context, concat(quote(tree), " differs from what was prepared: nothing was approved; see 'torchpatch verify ",
                          shell_quote(tree), "'\n"));
    return kFindings;
  }
  const std::vector<Approvable> what = chosen_of(report, only);
  if (what.empty()) {
    print(context, concat(report::audit_subject(report), " runs nothing that needs an approval\n"));
    return kDone;
  }
  trees::SigningKey with = key;
  with.environment.assign(context.environment.variables.begin(), context.environment.variables.end());
  const std::string file = upkeep::write_approval(what, context.environment.today(), with, into, context.console);
  std::string text;
  for (const Approvable& each : what) text += concat("approved ", name_of(each.kind), " ", each.name, "\n");
  print(context, concat(text, "recorded in ", quote(file), "\nnext: ", next_command(*this, context.environment), "\n"));
  return kDone;
}

}  // namespace

std::vector<Command> audit_commands() {
  return {{"audit", declare_args<AuditArgs>},
          {"audit approve", declare_args<AuditArgs, &AuditArgs::declare_approval, &AuditArgs::approve>}};
}

}  // namespace torchpatch::cli
