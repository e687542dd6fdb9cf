// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/edit/patch_work.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "catalog/data_file.h"
#include "catalog/load_catalog.h"
#include "git/git_program.h"
#include "git/object_store.h"
#include "model/text_rules.h"
#include "patch/patch_file.h"
#include "patch/review.h"
#include "support/error.h"
#include "support/find.h"
#include "support/program.h"
#include "support/text.h"
#include "upkeep/certify/certify.h"
#include "upkeep/edit/entries.h"

namespace torchpatch::upkeep {

namespace {

std::string line_of_git(const std::string& text) { return std::string(trim(text.substr(0, text.find('\n')))); }

/// Overrides attributes in the work's files: they must not affect how git reads or shows them.
constexpr const char* kAttributes = "* -text -ident -filter -working-tree-encoding !diff !eol !merge\n";

/// A header is not prose: git must neither strip its comments nor add any. Commit graphs and pack indexes are disabled,
/// since they could contradict the objects.
constexpr const char* kConfig =
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tautocrlf = false\n"
    "\tsafecrlf = false\n\texcludesFile = /dev/null\n\tattributesFile = /dev/null\n\thooksPath = /dev/null\n"
    "\tcommitGraph = false\n\tmultiPackIndex = false\n"
    "[commit]\n\tcleanup = whitespace\n\tstatus = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";

/// Writes the parts of a repository that git reads besides objects, references and index.
void write_settings(const std::string& repository) {
  make_directories(repository + "/info");
  write_file_atomically(repository + "/info/attributes", kAttributes);
  write_file_atomically(repository + "/config", kConfig);
}

/// The line of a commit message that names its patch.
constexpr std::string_view kPatchFile = "Patch-File: ";

std::string state_file(const std::string& work) { return concat(work, "/.git/torchpatch.json"); }
/// The next state, stored there by a refresh while it changes the catalog.
std::string next_state_file(const std::string& work) { return concat(work, "/.git/torchpatch.next.json"); }

PatchWork read_state(const std::string& path) {
  Findings findings;
  PatchWork state = read_json<PatchWork>(read_file(path), path, findings);
  findings.raise_if_any("reading the state of the work");
  return state;
}

/// Returns the state of a work. If the last refresh was killed after it changed the catalog, completes it first.
PatchWork after_last_refresh(const std::string& work, PatchWork state) {
  const std::string path = next_state_file(work);
  if (!catalog::is_present(path)) return state;
  PatchWork next = read_state(path);
  const std::string described = patchset_folder(next.directory, next.patchset) + "/patchset.json";
  const bool is_same = next.directory == state.directory;  // the one given by the user
  if (is_same && catalog::is_present(described) && sha256(read_file(described)).hex() == next.described) {
    write_patch_work(work, next);
    state = std::move(next);
  }
  remove_tree(path);
  return state;
}

/// Raises UnfitWork if an added line is a conflict marker. `folder` precedes the paths; `patch`: the patch that adds
/// it, or empty.
void check_added_lines(const patch::PatchFile& parsed, const std::string& folder, const std::string& patch) {
  for (const patch::FilePatch& file : parsed.files) {
    for (const patch::Hunk& hunk : file.hunks) {
      std::uint32_t number = hunk.new_start;
      for (const patch::HunkLine& line : hunk.lines) {
        if (line.kind == patch::LineKind::removed) continue;
        const auto begins = [&](const char* mark) { return starts_with(line.text, mark); };
        if (line.kind == patch::LineKind::added && (begins("<<<<<<< ") || begins("||||||| ") || begins(">>>>>>> "))) {
          throw UnfitWork(concat(patch.empty() ? "a conflict marker is left in "
                                               : concat("the patch ", quote(patch), " leaves a conflict marker in "),
                                 quote(folder + file.path()), ", line ", number, ": ", quote(trim(line.text))),
                          "resolve the conflict and remove the markers");
        }
        ++number;
      }
    }
  }
}

/// Returns a commit for each patch, from its parent to its last commit, or for the last patch to the tree of the
/// current files, so that uncommitted changes belong to it.
std::vector<WorkCommit> commits_of_patches(const PatchWork& state, const WorkRepository& repository) {
  static constexpr const char* kOneCommitEach =
      "each patch needs one commit, in order, with the line 'Patch-File: NAME' in its message; a commit without it "
      "belongs to the patch before it (see 'git log')";
  std::vector<WorkCommit> patches;
  std::vector<std::string> names;
  std::string last = state.base;
  for (const WorkCommit& commit : repository.commits_since(state.base)) {
    if (commit.parents != last)
      throw UnfitWork(concat("commit ", commit.id, " of the work does not directly follow ", last),
                      "make its history linear");
    const std::string name = patch_named_in(commit.message);
    if (!name.empty()) {
      names.push_back(name);
      patches.push_back(commit);
    } else if (patches.empty()) {
      throw UnfitWork(concat("commit ", commit.id, " of the work comes before the first patch"), kOneCommitEach);
    }
    patches.back().id = last = commit.id;
  }
  const std::vector<std::string> expected = collect(state.patches, &WorkPatch::file);
  if (names != expected)
    throw UnfitWork(
        concat("the commits in the work directory are for ",
               names.empty() ? "no patch" : join(collect(names, printable), ", "), ", not for ", join(expected, ", ")),
        kOneCommitEach);
  const std::string files = repository.tree_of_files();
  if (files != repository.tree_of(last)) patches.back().id = files;
  return patches;
}

/// Returns the paths that a patch changes. Raises UnfitWork if they are outside the work's files or the patch's
/// repository.
std::vector<std::string> paths_of(const WorkCommit& commit, const WorkPatch& patch, const PatchWork& state,
                                  const WorkRepository& repository) {
  std::vector<std::string> paths;
  for (const std::string& path : repository.changed_paths(commit.parents, commit.id)) {
    const auto file = std::ranges::find(state.files, path, work_path);
    if (file == state.files.end())
      throw UnfitWork(
          concat(quote(path), " is not a file of this work, but the patch ", quote(patch.file), " changes it"),
          "remove the change, or start again with this file listed");
    if (file->repository != patch.repository)
      throw UnfitWork(concat("the patch ", quote(patch.file), " is for ", patch.repository.text(), " and changes ",
                             quote(path), ", which is of ", file->repository.text()),
                      "a patch can only change one repository");
    paths.push_back(file->path);
  }
  return paths;
}

void check_patch(const std::string& text, const std::string& name) {
  const patch::PatchFile parsed = patch::parse_patch(text, name);
  check_added_lines(parsed, "", name);
  std::vector<std::string> problems;
  if (parsed.preamble.find(catalog::kMarker) != std::string::npos)
    problems.push_back(concat("the header still contains the placeholder ", catalog::kMarker));
  for (const patch::LintFinding& finding : patch::lint_patch(parsed)) problems.push_back(finding.message);
  if (!problems.empty())
    throw UnfitWork(concat("the patch ", quote(name), ": ", join(problems, "; ")),
                    "the header is the commit message of the patch: 'git commit --amend' changes that of the last one");
}

/// Returns a field of a patch's header, or empty text.
std::string header_field(const std::string& text, const char* name) {
  if (text.empty()) return {};
  const patch::PatchHeader header = patch::parse_header(patch::parse_patch(text, "").preamble);
  const patch::HeaderField* const field = header.find(name);
  return field ? field->value : "";
}

/// Returns the header in a commit message, with `today` in its Last-Update field.
std::string dated_header(const std::string& message, const std::string& today) {
  std::vector<std::string> lines = split(message, '\n');
  std::erase_if(lines, [](const std::string& line) { return starts_with(line, kPatchFile); });
  for (std::string& line : lines)
    if (starts_with(lower_case(line), "last-update:")) line = "Last-Update: " + today;
  return std::string(trim(join(lines, "\n"))) + "\n\n";
}

/// Removes records of the old patches from the layers above the patchset's; returns the files changed.
std::vector<std::string> drop_in_layers_above(const catalog::CatalogToCertify& changed, const PatchWork& state,
                                              const std::vector<catalog::Layer>& layers, Console& console) {
  std::vector<std::string> dropped;
  auto layer = std::ranges::find_if(
      layers, [&](const catalog::Layer& each) { return real_path(each.directory) == state.directory; });
  while (layer != layers.end() && ++layer != layers.end()) {
    const tree::FileChanges changes = drop_stale(changed, layer->directory, {state.patchset}).changes;
    for (const auto& [path, bytes] : changes) dropped.push_back(concat(real_path(layer->directory), "/", path));
    if (!changes.empty()) tree::change_catalog(layer->directory, changes, console);
  }
  return dropped;
}

}  // namespace

WorkRepository::WorkRepository(std::string directory) : directory_(std::move(directory)) {
  write_settings(settings_.path());
  for (const char* name : {"/refs", "/packed-refs"})  // some versions of git read these there, others in GIT_DIR
    std::filesystem::create_symlink(concat(absolute_path(directory_), "/.git", name), settings_.path() + name);
}

std::string WorkRepository::git(const std::vector<std::string>& args, const std::string& index,
                                const std::string& input) const {
  ProgramRun run = git::git_run(args);
  run.input = input;
  run.directory = directory_;
  const std::string root = absolute_path(directory_);
  const auto set = [&](std::string name, std::string value) {
    run.environment.emplace_back(std::move(name), std::move(value));
  };
  set("GIT_DIR", root + "/.git");           // HEAD and the index
  set("GIT_COMMON_DIR", settings_.path());  // the configuration, and everything it could name
  set("GIT_OBJECT_DIRECTORY", root + "/.git/objects");
  set("GIT_WORK_TREE", root);
  for (const char* who : {"AUTHOR", "COMMITTER"}) {
    set(concat("GIT_", who, "_NAME"), "torchpatch");
    set(concat("GIT_", who, "_EMAIL"), "torchpatch@localhost");
    set(concat("GIT_", who, "_DATE"), "2000-01-01T00:00:00Z");
  }
  if (!index.empty()) set("GIT_INDEX_FILE", index);
  const ProgramResult result = run_program(run);
  if (result.exit_code == 0) return result.out;
  if (result.exit_code == kProgramNotFound)
    throw Error(ErrorKind::environment, "git is needed, but not installed", "install git");
  const std::string line = line_of_git(result.err);
  const bool is_locked = line.find(".lock': File exists") != std::string::npos;
  throw Error(ErrorKind::environment,
              concat("in ", quote(directory_), ": git ", args.front(),
                     result.timed_out ? " takes too long" : concat(" reports ", quote(line))),
              is_locked ? "another git process is running there; if not, remove that file (left by a killed git)"
                        : "inspect the repository with git status and git log");
}

void WorkRepository::create() const {
  git::make_repository_folders(path(".git"));
  write_settings(path(".git"));
  write_file_atomically(path(".git/HEAD"), "ref: refs/heads/work\n");
}

std::string WorkRepository::commit(const std::string& message) const {
  const std::string file = settings_.path() + "/message";
  write_file_atomically(file, message);
  git({"add", "--all", "--force", "."});
  git({"commit", "--quiet", "--allow-empty", "--no-verify", "--no-gpg-sign", "--cleanup=verbatim", "--file=" + file});
  return head();
}

void WorkRepository::set_branch(const std::string& name, const std::string& commit) const {
  git({"update-ref", "refs/heads/" + name, commit});
}

std::string WorkRepository::branch_tip(const std::string& name) const {
  return line_of_git(git({"rev-parse", "--verify", "refs/heads/" + name}));
}

void WorkRepository::unlock() const {
  for (const std::string& name : list_files_below(path(".git")))
    if (ends_with(name, ".lock")) remove_tree(path(".git/" + name));
}

void WorkRepository::reset(const std::string& commit) const {
  git({"reset", "--quiet", "--hard", commit});
  git({"clean", "--quiet", "-ffdx"});
}

std::map<std::string, std::string> WorkRepository::unmerged() const {
  std::map<std::string, std::string> blobs;
  for (const std::string& entry : split(git({"ls-files", "--unmerged", "-z"}), '\0')) {
    const std::size_t tab = entry.find('\t');  // after mode, blob and side
    if (tab == std::string::npos) continue;
    const std::vector<std::string> facts = split(entry.substr(0, tab), ' ');
    std::string& blob = blobs[entry.substr(tab + 1)];
    if (facts.size() == 3 && facts[2] == "2") blob = facts[1];
  }
  return blobs;
}

void WorkRepository::stage_conflicts(const std::string& entries) const {
  git({"add", "--all", "--force", "."});
  const std::string file = settings_.path() + "/stages";
  write_file_atomically(file, entries);
  git({"update-index", "--index-info"}, {}, file);
}

std::string WorkRepository::head() const { return line_of_git(git({"rev-parse", "--verify", "HEAD"})); }

std::string WorkRepository::tree_of(const std::string& commit) const {
  return line_of_git(git({"rev-parse", "--verify", commit + "^{tree}"}));
}

std::vector<WorkCommit> WorkRepository::commits_since(const std::string& base) const {
  std::vector<WorkCommit> commits;
  std::vector<std::string> entries =
      split(git({"log", "--reverse", "--topo-order", "--format=%H%x01%P%x01%B%x02", base + "..HEAD"}), '\x02');
  for (const std::string& entry : entries) {
    const std::vector<std::string> parts = split(trim(entry), '\x01');
    if (parts.size() == 3) commits.push_back({parts[0], parts[1], parts[2]});
  }
  return commits;
}

std::string WorkRepository::tree_of_files() const {
  const std::string index = settings_.path() + "/index";
  git({"read-tree", "HEAD"}, index);
  git({"add", "--all", "--force", "."}, index);
  return line_of_git(git({"write-tree"}, index));
}

std::vector<std::string> WorkRepository::changed_paths(const std::string& before, const std::string& after) const {
  std::vector<std::string> paths = split(git({"diff", "--name-only", "-z", "--no-renames", before, after}), '\0');
  std::erase(paths, "");
  return paths;
}

std::string WorkRepository::diff(const std::string& before, const std::string& after, const std::string& folder) const {
  const std::string file = settings_.path() + "/diff";  // a program's output is truncated at 1 MiB
  git({"diff", "--output=" + file, "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--full-index",
       "--binary", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=default", "--src-prefix=a/",
       "--dst-prefix=b/", concat("--relative=", folder, "/"), before, after});
  return read_file(file);
}

std::string work_path(const WorkFile& file) { return concat(repository_directory(file.repository), "/", file.path); }

std::map<std::string, std::string> pins_of_work(const Release& release, const PatchWork& state) {
  std::map<std::string, std::string> pins;
  for (const WorkFile& file : state.files)
    if (const ComponentPin* const pin = release.find(file.repository.component))
      pins[name_of(file.repository.component)] = pin->commit.hex();
  return pins;
}

PatchWork read_patch_work(const std::string& work) {
  require_directory(work, concat("the work ", quote(work)), "pass a directory written by 'patch new' or 'patch edit'");
  const std::string path = state_file(work);
  git::refuse_traps(work, work + "/.git");
  if (!catalog::is_present(path))
    throw Error(ErrorKind::environment, concat(quote(work), " was not written by 'patch new' or 'patch edit'"),
                concat("no ", quote(path)));
  return read_state(path);
}

void write_patch_work(const std::string& work, const PatchWork& state) {
  write_file_atomically(state_file(work), file_bytes(state, state_file(work)));
}

void write_work_file(const std::string& path, const patch::TreeFile& file) {
  namespace fs = std::filesystem;
  make_directories(parent_path(path));
  remove_tree(path);
  if (file.mode == FileMode::link)
    fs::create_symlink(file.bytes, path);
  else
    write_file_atomically(path, file.bytes);
  if (file.mode == FileMode::executable) fs::permissions(path, fs::perms(0755));
}

std::string commit_message(std::string_view header, const std::string& file) {
  return concat(kPatchFile, file, "\n\n", trim(header), "\n");
}

std::string patch_named_in(const std::string& message) {
  for (const std::string& line : split(message, '\n'))
    if (starts_with(line, kPatchFile)) return std::string(trim(line.substr(kPatchFile.size())));
  return {};
}

void check_unchanged(const PatchWork& state, const Catalog& catalog, const std::string& hint) {
  if (pins_of_work(catalog.release(state.version), state) != state.pins)
    throw UnfitWork(concat("the pins of release ", state.version,
                           " are not those with which this work began: pass the same --archive options, if any"),
                    hint);
  const std::string folder = patchset_folder(state.directory, state.patchset), path = folder + "/patchset.json";
  const auto digest = [](const std::string& file) { return sha256(read_file(file)).hex(); };
  const bool is_there = catalog::is_present(path);
  if ((is_there ? digest(path) : "") != state.described)
    throw UnfitWork(
        concat(quote(path), is_there ? " changed since this work began" : " was removed since this work began"), hint);
  for (const WorkPatch& patch : state.patches) {
    const std::string file = concat(folder, "/", patch.file);
    if (!patch.sha256.empty() && digest(file) != patch.sha256)
      throw UnfitWork(concat(quote(file), " changed since this work began"), hint);
  }
}

void check_conflict_marks(const std::string& diff, const std::string& folder) {
  if (!diff.empty()) check_added_lines(patch::parse_patch(diff, folder), folder, "");
}

std::vector<MadePatch> make_work_patches(const PatchWork& state, const Patchset* patchset,
                                         const WorkRepository& repository, const std::string& today) {
  const std::vector<WorkCommit> commits = commits_of_patches(state, repository);
  std::vector<MadePatch> all;
  std::string before = state.base;
  for (std::size_t i = 0; i < commits.size(); ++i) {
    const WorkCommit& commit = commits[i];
    const WorkPatch& patch = state.patches[i];
    const std::string old_text = patchset ? variant_named(*patchset, state.variant).patches[i].text : "";
    const bool is_untouched = patchset && commit.parents == before && commit.id == patch.commit;
    before = patch.commit;
    MadePatch made;
    made.file = patch.file;
    made.paths = paths_of(commit, patch, state, repository);
    made.tip = commit.id;
    if (is_untouched) {
      made.text = old_text;
    } else if (!made.paths.empty()) {
      const std::string body = repository.diff(commit.parents, commit.id, repository_directory(patch.repository));
      made.is_changed = dated_header(commit.message, header_field(old_text, "Last-Update")) + body != old_text;
      made.text = made.is_changed ? dated_header(commit.message, today) + body : old_text;
      if (made.text.size() > catalog::kMaxPatchBytes)
        throw Error(ErrorKind::patch,
                    concat(quote(patch.file), " has ", made.text.size(), " bytes, the catalog's limit is ",
                           catalog::kMaxPatchBytes, " of a patch"));
      if (made.is_changed) check_patch(made.text, patch.file);
    }
    made.sha256 = sha256(made.text);
    all.push_back(std::move(made));
  }
  return all;
}

RefreshReport refresh_patch_work(const std::string& work, PatchWork state, const catalog::CatalogToCertify& loaded,
                                 const std::vector<catalog::Layer>& layers, source::ObjectSource& source,
                                 const std::string& today, int jobs, Console& console) {
  state = after_last_refresh(work, std::move(state));
  check_unchanged(state, loaded.catalog,
                  concat("start again with 'torchpatch patch edit ", state.patchset, " ", state.variant, " --version ",
                         state.version, " --work DIR'; what was changed here is in 'git diff'"));
  const bool is_new = state.described.empty();
  const Patchset* const old = is_new ? nullptr : &loaded.catalog.patchset(state.patchset);
  const std::vector<MadePatch> made = make_work_patches(state, old, WorkRepository(work), today);
  RefreshReport report{state.patchset, state.variant, state.version, {made.begin(), made.end()}, {}, {}};
  tree::FileChanges changes;
  std::vector<Patch> patches;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i].text.empty())
      throw UnfitWork(concat("the patch ", quote(made[i].file), " changes nothing"), "edit its files, or remove it");
    patches.push_back({made[i].file, made[i].sha256, state.patches[i].repository, made[i].text});
    if (made[i].is_changed) changes[concat(patchset_path(state.patchset), "/", made[i].file)] = made[i].text;
  }
  if (changes.empty()) return report;

  const std::string path = patchset_folder(state.directory, state.patchset) + "/patchset.json";
  Patchset patchset;
  std::string described;
  if (old) {
    patchset = *old;
    std::ranges::find(patchset.variants, state.variant, &Variant::id)->patches = patches;
    described = read_file(path);  // keep its layout, perhaps edited by a person: change only digests
    for (std::size_t i = 0; i < made.size(); ++i)
      if (const std::size_t place = described.find(state.patches[i].sha256); place != std::string::npos)
        described.replace(place, state.patches[i].sha256.size(), made[i].sha256.hex());
  } else {
    std::string summary = header_field(made.front().text, "Description");
    if (summary.empty()) summary = header_field(made.front().text, "Subject");
    summary = summary.substr(0, summary.find('\n'));
    if (!kLineRule.holds(summary)) throw UnfitWork(kLineRule.finding(summary), "change the Description of the commit");
    const VersionRange range = VersionRange::parse("==" + state.version).value();
    patchset = {state.patchset, summary, {}, {{state.variant, range, patches, {}}}, {}, {}};
    described = file_bytes(patchset, path);
  }

  Catalog catalog = loaded.catalog;
  catalog.patchsets.insert_or_assign(state.patchset, std::move(patchset));
  const catalog::CatalogToCertify changed = catalog::with_change(loaded, std::move(catalog));
  const CertifiedChange certified =
      certify_in_memory(changed, source, {state.directory, {state.version}, jobs, {state.patchset}}, console);
  if (!certified.failures.empty()) throw certificate_error(certified.failures);
  changes[concat(patchset_path(state.patchset), "/patchset.json")] = described;
  changes.insert(certified.certified.begin(), certified.certified.end());
  for (const auto& [file, bytes] : changes) report.written.push_back(concat(state.directory, "/", file));
  for (const auto& [file, bytes] : certified.stale.changes)
    report.dropped.push_back(concat(state.directory, "/", file));

  std::ranges::copy(drop_in_layers_above(changed, state, layers, console), std::back_inserter(report.dropped));
  changes.insert(certified.stale.changes.begin(), certified.stale.changes.end());
  for (std::size_t i = 0; i < made.size(); ++i) {
    state.patches[i].sha256 = made[i].sha256.hex();
    state.patches[i].commit = made[i].tip;
  }
  state.described = sha256(described).hex();
  const std::string next = next_state_file(work);
  write_file_atomically(next, file_bytes(state, next));
  tree::change_catalog(state.directory, changes, console);
  std::filesystem::rename(next, state_file(work));
  return report;
}

}  // namespace torchpatch::upkeep
