// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/edit/made_patches.h"

#include <map>

#include "catalog/marked_places.h"
#include "patch/locate_hunk.h"
#include "patch/patch_file.h"
#include "patch/review.h"
#include "support/text.h"
#include "upkeep/edit/work_state.h"

namespace torchpatch::upkeep {

namespace {

/// The commits, or the files as they are, between which a patch's change lies.
struct Span {
  std::string before, after, message;
};

std::string header_in(const std::string& message) {
  std::string header;
  for (const std::string& line : split(message, '\n'))
    if (!starts_with(line, kPatchFile)) header += line + "\n";
  return std::string(trim(header)) + "\n\n";
}

/// Raises patch where a line is a mark of a conflict. `patch`: empty, or the patch that adds it.
void check_conflict_mark(std::string_view line, const std::string& file, std::size_t number, const std::string& patch) {
  const auto begins = [&](const char* mark) { return starts_with(line, mark); };
  if (!begins("<<<<<<< ") && !begins("||||||| ") && !begins(">>>>>>> ")) return;
  const std::string beginning = patch.empty() ? "a mark of a conflict is left in "
                                              : concat("the patch ", quote(patch), " leaves a mark of a conflict in ");
  refuse_work(concat(beginning, quote(file), ", line ", number, ": ", quote(trim(line))),
              "settle the conflict and take the marks out");
}

constexpr const char* kOneCommitEach =
    "there is one commit for each patch, in their order, whose message has the line 'Patch-File: NAME'; a commit "
    "without "
    "it belongs to the patch before it ('git log' shows them)";

/// Returns the span of each patch. What is not committed belongs to the last one.
std::vector<Span> spans_of(const PatchWork& state, const WorkRepository& repository) {
  std::vector<Span> spans;
  std::vector<std::string> names;
  std::string last = state.base;
  for (const WorkCommit& commit : repository.commits_since(state.base)) {
    if (commit.parents != last)
      refuse_work(concat("commit ", commit.id, " of the work is not right behind ", last), "make its history one line");
    const std::string name = patch_named_in(commit.message);
    if (!name.empty()) {
      names.push_back(name);
      spans.push_back({last, commit.id, commit.message});
    } else if (spans.empty()) {
      refuse_work(concat("commit ", commit.id, " of the work stands before the first patch"), kOneCommitEach);
    }
    spans.back().after = last = commit.id;
  }
  std::vector<std::string> expected;
  for (const WorkPatch& patch : state.patches) expected.push_back(patch.file);
  if (names != expected) {
    refuse_work(concat("the commits of the work are for ", names.empty() ? "no patch" : join(names, ", "), ", not for ",
                       join(expected, ", ")),
                kOneCommitEach);
  }
  const std::string files = repository.tree_of_files();
  if (files != repository.tree_of(last)) spans.back().after = files;
  return spans;
}

/// Raises patch where a change leaves the files of the work, or its repository.
std::vector<std::string> paths_of_span(const Span& span, const WorkPatch& patch, const PatchWork& state,
                                       const WorkRepository& repository) {
  std::map<std::string, WorkFile> known;
  for (const WorkFile& file : state.files) known[work_path(file)] = file;
  std::vector<std::string> paths;
  for (const std::string& path : repository.changed_paths(span.before, span.after)) {
    const auto file = known.find(path);
    if (file == known.end()) {
      refuse_work(
          concat(quote(path), " is none of the files of this work, and the patch ", quote(patch.file), " changes it"),
          "take it out, or begin again with it named");
    }
    if (file->second.repository != patch.repository) {
      refuse_work(concat("the patch ", quote(patch.file), " is for ", patch.repository.text(), " and changes ",
                         quote(path), ", which is of ", file->second.repository.text()),
                  "a patch is for one repository");
    }
    paths.push_back(file->second.path);
  }
  return paths;
}

/// Raises patch where an added line is a mark of a conflict. `folder` stands before the paths; `name` as above.
void check_added_lines(const patch::PatchFile& parsed, const std::string& folder, const std::string& name) {
  for (const patch::FilePatch& file : parsed.files) {
    for (const patch::Hunk& hunk : file.hunks) {
      std::uint32_t number = hunk.new_start;
      for (const patch::HunkLine& line : hunk.lines) {
        if (line.kind == patch::LineKind::removed) continue;
        if (line.kind == patch::LineKind::added) check_conflict_mark(line.text, folder + file.path(), number, name);
        ++number;
      }
    }
  }
}

void check_patch(const std::string& text, const std::string& name) {
  const patch::PatchFile parsed = patch::parse_patch(text, name);
  check_added_lines(parsed, "", name);
  std::vector<std::string> problems;
  if (parsed.preamble.find(catalog::kMarker) != std::string::npos)
    problems.push_back(concat("a place of the header is still marked ", catalog::kMarker));
  for (const patch::LintFinding& finding : patch::lint_patch(parsed)) problems.push_back(finding.message);
  if (!problems.empty()) {
    refuse_work(concat("the patch ", quote(name), ": ", join(problems, "; ")),
                "the header is the message of the patch's commit: 'git commit --amend' changes that of the last one");
  }
}

/// Returns the header with the date in its field Last-Update.
std::string dated(const std::string& header, const std::string& today) {
  std::vector<std::string> lines = split(header, '\n');
  for (std::string& line : lines)
    if (starts_with(lower_case(line), "last-update:")) line = "Last-Update: " + today;
  return join(lines, "\n");
}

/// Returns what a patch has in its field Last-Update, or empty text.
std::string date_of(const std::string& text) {
  if (text.empty()) return {};
  const patch::PatchHeader header = patch::parse_header(patch::parse_patch(text, "").preamble);
  const patch::HeaderField* const field = header.find("Last-Update");
  return field ? field->value : "";
}

/// `old_text`: of the catalog, or empty.
MadePatch make_work_patch(const Span& span, const WorkPatch& patch, const std::string& old_text, const PatchWork& state,
                          const WorkRepository& repository, const std::string& today) {
  MadePatch made;
  made.tip = span.after;
  made.paths = paths_of_span(span, patch, state, repository);
  if (made.paths.empty()) return made;
  const std::string header = header_in(span.message);
  const std::string body = repository.diff(span.before, span.after, repository_directory(patch.repository));
  made.is_changed = dated(header, date_of(old_text)) + body != old_text;
  made.text = made.is_changed ? dated(header, today) + body : old_text;
  if (made.is_changed) check_patch(made.text, patch.file);
  return made;
}

}  // namespace

std::string patch_named_in(const std::string& message) {
  for (const std::string& line : split(message, '\n'))
    if (starts_with(line, kPatchFile)) return std::string(trim(line.substr(std::string_view(kPatchFile).size())));
  return {};
}

void refuse_empty_patch(const std::string& file) {
  refuse_work(concat("the patch ", quote(file), " changes nothing"), "edit its files, or remove it");
}

void check_conflict_marks(const std::string& diff, const std::string& folder) {
  if (!diff.empty()) check_added_lines(patch::parse_patch(diff, folder), folder, "");
}

std::vector<MadePatch> make_work_patches(const PatchWork& state, const Patchset* patchset,
                                         const WorkRepository& repository, const std::string& today) {
  const std::vector<Span> spans = spans_of(state, repository);
  std::vector<MadePatch> made;
  std::string before = state.base;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const WorkPatch& patch = state.patches[i];
    const std::string old_text = patchset ? variant_named(*patchset, state.variant).patches[i].text : "";
    const bool is_untouched = patchset && spans[i].before == before && spans[i].after == patch.commit;
    before = patch.commit;
    if (is_untouched)
      made.push_back({old_text, false, paths_of_span(spans[i], patch, state, repository), patch.commit});
    else
      made.push_back(make_work_patch(spans[i], patch, old_text, state, repository, today));
  }
  return made;
}

}  // namespace torchpatch::upkeep
