// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>

#include "cli/command.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "record/manifest_file.h"
#include "report/reports.h"
#include "source/fetch/git_home.h"
#include "support/find.h"
#include "support/text.h"
#include "trees/diff/diff.h"
#include "trees/doctor/doctor.h"
#include "trees/storage/storage.h"
#include "trees/verify/verify.h"

namespace torchpatch::cli {

namespace {

/// verify, export
struct TreeArgs {
  std::string directory;
  CatalogOptions catalog;
  SourceOptions source;
  trees::VerifyOptions verify;
  trees::ExportOptions archive;
  bool unverified = false, json = false;

  void declare(OptionSet& options) {
    options.argument("DIR", directory, "a prepared tree, or a copy of one", Need::required);
    options.value("--expect", verify.expect, "ID", "tree id, swh:1:dir:ID or manifest digest that the tree must have");
    options.value("--signature", verify.signers, "FILE",
                  "require a signature of the manifest by one of these: an OpenSSH allowed_signers file, or an OpenSSH "
                  "or minisign public key");
    options.flag("--no-options", verify.no_options,
                 "treat non-default prepare options (--set, --without, …) as differences");
    options.flag("--strict-modes", verify.strict_modes, "compare all permission bits, not only the executable bit");
    options.flag("--after-build", verify.after_build, "accept files that a build adds, and list them separately");
    options.values("--mirror", source.mirrors, "DIR",
                   "also compare each file with the pinned sources in the git repositories under DIR, which detects "
                   "forged records; may be repeated");
    options.values("--archive", source.archives, "COMPONENT=FILE",
                   "with --mirror: the archive, for a component that is pinned by content; may be repeated");
    declare_catalog_options(options, catalog);
    declare_jobs(options, verify.jobs);
    options.flag("--json", json, "print JSON");
  }

  int run(Context& context) const {
    check_source_options(source, "");
    if (source.mirrors.empty() && !source.archives.empty()) throw usage_of("verify", "--archive needs --mirror");
    const OpenSource opened = open_named_source(source, "", context);
    trees::VerifyOptions with = verify;
    with.source = opened.objects.get();
    const auto load = [&](const Manifest& manifest) { return load_catalog(catalog, context.environment, manifest); };
    VerifyReport report = trees::verify(directory, load, with, context.console);
    for (const std::string& named : catalog.catalogs)
      if (is_directory(named)) report.layers[base_name(absolute_path(named))] = absolute_path(named);
    print_result(context, json, report, report::verify_document(report));
    return report.differences.empty() ? kDone : kFindings;
  }

  void declare_export(OptionSet& options) {
    options.argument("DIR", directory, "a prepared tree, or a copy of one", Need::required);
    options.value("-o,--output", archive.output, "FILE", "archive to write: .tar, .tar.gz or .tar.zst", Need::required);
    options.value("--prefix", archive.prefix, "NAME",
                  "top directory in the archive; default: the archive's name without its extension");
    options.flag("--replace", archive.replace, "overwrite an existing archive");
    options.flag("--unverified", unverified, "export the tree without verifying it");
    declare_catalog_options(options, catalog);
    declare_jobs(options, archive.jobs);
    options.flag("--json", json, "print JSON");
  }

  int write_archive(Context& context) const {
    trees::check_export(directory, archive);
    std::optional<PreparedTree> opened;
    if (!unverified) {
      opened = open_prepared_tree(directory, catalog, archive.jobs, json, context);
      if (!opened) return kFindings;
    }
    const trees::ScannedTree tree =
        opened ? std::move(opened->scanned) : trees::scan_prepared_tree(directory, archive.jobs, context.console);
    ExportReport report = trees::export_tree(tree, archive, context.console);
    report.is_verified = !unverified;
    print_result(context, json, report, report::export_document(report));
    return kDone;
  }
};

/// Parses RELEASE:BOARD[:IMAGE].
std::optional<PlanArgs> parse_target(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3 || text.find('/') != std::string::npos) return std::nullopt;
  if (std::ranges::count(parts, "") > 0) return std::nullopt;
  PlanArgs target;
  target.version = parts[0];
  target.board = parts[1];
  if (parts.size() == 3) target.image = parts[2];
  return target;
}

struct DiffArgs {
  std::string a, b;
  CatalogOptions catalog;
  bool list_files = false;
  int jobs = 1;
  ReportOptions form;

  void declare(OptionSet& options) {
    options.argument("A", a, "a prepared tree, a manifest.json, or RELEASE:BOARD[:IMAGE]", Need::required);
    options.argument("B", b, "what to compare A with", Need::required);
    options.flag("--files", list_files, "list each file that differs because its repository is at a different commit");
    declare_catalog_options(options, catalog);
    declare_jobs(options, jobs);
    options.choice("--format", form.format, {"text", "markdown"}, "form of the report; default: text");
    options.flag("--json", form.json, "print JSON");
  }

  /// Returns one side. Plans point into the catalog, which is loaded when first needed.
  trees::DiffInput read(const std::string& name, std::optional<Catalog>& loaded, Context& context) const {
    const std::optional<PlanArgs> target = parse_target(name);
    const bool is_there = file_exists(name);
    if (target && is_there && Version::parse(target->version)) {
      throw Error(ErrorKind::usage, concat(quote(name), " is both a path and a RELEASE:BOARD"),
                  concat("write ", quote("./" + name), " for the path, or run this in another directory"));
    }
    if (is_directory(name)) {
      const auto load = [&](const Manifest& manifest) { return load_catalog(catalog, context.environment, manifest); };
      return trees::diff_input_of_tree(name, load, jobs, context.console);
    }
    if (is_there) return trees::diff_input_of_manifest(name);
    if (!target) {
      const bool is_path = !Version::parse(name) && name.find(':') == std::string::npos;
      throw Error(is_path ? ErrorKind::environment : ErrorKind::usage,
                  concat(quote(name), " is neither a prepared tree, nor a manifest, nor RELEASE:BOARD"),
                  "pass a prepared tree, its torchpatch/manifest.json, or a pair such as 1.1.0:tx2");
    }
    if (!loaded) loaded = load_catalog(catalog, context.environment);
    const std::string release =
        settle_version(target->version, target->board, target->image, {}, *loaded, context.console);
    const Plan plan = make_named_plan(*loaded, release, target->board, target->image, {});
    return trees::diff_input_of_plan(name, plan, *loaded);
  }

  int run(Context& context) const {
    check_report_options(form);
    std::optional<Catalog> loaded;
    const trees::DiffInput before = read(a, loaded, context), after = read(b, loaded, context);
    const DiffReport report = trees::diff(before, after, list_files);
    const Document page = report::diff_document(report);
    if (form.format == "markdown")
      print(context, document_markdown(page));
    else
      print_result(context, form.json, report, page);
    return report.entries.empty() ? kDone : kFindings;
  }
};

struct DoctorArgs {
  std::string directory, manifest, version, board, image, root = "/";
  std::vector<std::string> settings;
  CatalogOptions catalog;
  bool json = false;

  void declare(OptionSet& options) {
    options.argument("DIR", directory, "a prepared tree: check whether this host can build it", Need::optional);
    options.value("--manifest", manifest, "FILE", "a manifest.json without its tree");
    options.value("--version", version, "VERSION",
                  "PyTorch version to build, such as 1.1.0; default: the newest for this board");
    options.value("--board", board, "BOARD",
                  "board to build for; auto: this machine's; default: auto or, with --version, this host");
    options.value(
        "--image", image, "IMAGE",
        "system software of the board; auto: this host's; default: the board's default image for this release");
    options.values("--set", settings, "KEY=VALUE", "set a fact, such as cross=true or compute_capability=6.2");
    options.value("--root", root, "DIR",
                  "read etc, proc and usr under this directory; programs come from PATH; default: /");
    declare_catalog_options(options, catalog);
    options.flag("--json", json, "print JSON");
  }

  void check() const {
    const auto refuse = [](const std::string& message) { throw usage_of("doctor", message); };
    const bool has_tree = !directory.empty() || !manifest.empty();
    if (!directory.empty() && !manifest.empty()) refuse("a directory and --manifest cannot be used together");
    if (has_tree && !version.empty()) refuse("--version and a manifest cannot be used together");
    if (has_tree && !(board.empty() && image.empty() && settings.empty()))
      refuse("--board, --image and --set need --version; a manifest contains them");
    if (board.empty() && !image.empty() && !version.empty()) refuse("--image needs --board");
  }

  Manifest read_manifest() const {
    return manifest.empty() ? read_tree_manifest(directory) : record::parse_manifest(read_file(manifest), manifest);
  }

  std::string host_root(const Context& context) const { return root == "/" ? context.environment.root : root; }

  DoctorReport examine(const Catalog& loaded, const trees::DoctorTarget& target, const Context& context) const {
    const trees::HostPlaces places{host_root(context), directory.empty() ? "." : directory,
                                   context.environment.variables, trees::packages_to_read(loaded, target),
                                   trees::nvcc_compiler_variable(loaded.release(target.release))};
    return trees::doctor(loaded, target, trees::read_host(places));
  }

  /// Adds the findings of the tree's own check.sh, which checks more; it is not run for another system.
  void probe(const Manifest& read, const Catalog& loaded, const Context& context, DoctorReport& report) const {
    if (root != "/") {
      report.notes.emplace_back("compiler, headers, imports and libraries were not checked: --root is another system");
      return;
    }
    const Plan plan = trees::plan_again(read, loaded);
    trees::HostProbes probes = trees::probe_host(read, trees::host_requirements(loaded, read, plan),
                                                 directory.empty() ? "." : directory, context.environment.variables);
    for (HostCheck& check : probes.checks)
      if (const Issue* const issue = find_value(loaded.issues, check.issue); issue && !issue->symptoms.empty())
        check.shows = issue->symptoms.front();
    report.checks = std::move(probes.checks);
    report.install = std::move(probes.install);
  }

  /// Adds a note if the certificate authorities are not the system's, since a list in an archive becomes outdated.
  void look_for_certificates(const Context& context, DoctorReport& report) const {
    source::Variables network = source::network_variables(context.environment.variables);
    const source::CertificateAuthorities found =
        source::settle_certificate_authorities(network, data_directory(context.environment), root);
    if (found.path.empty())
      report.notes.emplace_back("this system has no certificate authorities: https:// needs SSL_CERT_FILE");
    else if (!found.title.empty())
      report.notes.push_back(concat("this system has no certificate authorities; https:// uses ", found.title));
  }

  int conclude(DoctorReport report, Context& context) const {
    trees::leave_out_packages_of_wrong_python(report);
    std::ranges::stable_sort(report.checks, {}, [](const HostCheck& check) {  // failures first
      return check.fails ? 0 : check.verdict == HostVerdict::ok ? 2 : 1;
    });
    look_for_certificates(context, report);
    print_result(context, json, report, report::doctor_document(report));
    return count_failures(report) == 0 ? kDone : kFindings;
  }

  int run(Context& context) const {
    check();
    require_directory(root, "--root " + quote(root), "pass the root of a mounted or unpacked system");
    if (directory.empty() && manifest.empty()) {
      trees::DoctorTarget target{version, board, image, {}, {}, {}, false};
      for (const std::string& setting : settings) add_setting(setting, target.options);
      const Catalog loaded = load_catalog(catalog, context.environment);
      if (version.empty() && board.empty()) target.board = kAuto;
      settle_board(target.board, target.image, host_root(context), loaded, context);
      target.release = settle_version(version.empty() ? kNewest : version, target.board, target.image, target.options,
                                      loaded, context.console);
      try {
        return conclude(examine(loaded, target, context), context);
      } catch (const Error& error) {
        throw naming_releases(error, loaded, target.release, target.board, target.image);
      }
    }
    const Manifest read = read_manifest();
    const Catalog loaded = load_catalog(catalog, context.environment, read);
    DoctorReport report = examine(loaded, trees::target_of(read), context);
    probe(read, loaded, context, report);
    return conclude(std::move(report), context);
  }
};

}  // namespace

std::vector<Command> trees_commands() {
  return {{"verify", declare_args<TreeArgs>},
          {"diff", declare_args<DiffArgs>},
          {"export", declare_args<TreeArgs, &TreeArgs::declare_export, &TreeArgs::write_archive>},
          {"doctor", declare_args<DoctorArgs>}};
}

}  // namespace torchpatch::cli
