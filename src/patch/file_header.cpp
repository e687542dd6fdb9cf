// SPDX-License-Identifier: BSD-3-Clause
#include "patch/file_header.h"

#include "patch/extended_header.h"
#include "patch/header_names.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

constexpr std::string_view kGitHeader = "diff --git ";
constexpr std::string_view kMinus = "--- ";
constexpr std::string_view kPlus = "+++ ";

/// The names of the lines "---" and "+++".
struct Sides {
  SideName old_side;
  SideName new_side;
};

SideName read_side(LineReader& in, std::string_view prefix) {
  if (!starts_with(in.line(), prefix)) in.fail(concat("a line with ", quote(prefix), " is missing here"));
  if (!in.has_newline()) in.fail("the patch breaks off inside a header");
  std::optional<SideName> side = parse_side_name(in.line().substr(prefix.size()));
  if (!side)
    in.fail("this line has no file name below a first component",
            "names are read as git apply -p1 reads them: a/NAME and b/NAME");
  in.advance();
  return std::move(*side);
}

Sides read_sides(LineReader& in) {
  Sides sides;
  sides.old_side = read_side(in, kMinus);
  sides.new_side = read_side(in, kPlus);
  if (!starts_with(in.line(), "@@")) in.fail("a hunk is missing here");
  if (sides.old_side.is_null && sides.new_side.is_null) in.fail("both sides are /dev/null");
  return sides;
}

/// Takes the modes over. The mode of the index line is the old one where no other line states it.
void set_modes(const LineReader& in, const ExtendedHeader& header, FilePatch& file) {
  file.old_mode = file.kind == ChangeKind::remove ? header.removed_mode : header.old_mode;
  file.new_mode = file.kind == ChangeKind::create ? header.created_mode : header.new_mode;
  if (!header.index_mode) return;
  if (file.kind == ChangeKind::create || (file.old_mode && file.old_mode != header.index_mode))
    in.fail("the index line states another mode than the header");
  file.old_mode = header.index_mode;
}

/// Returns the name that a header without rename or copy is about.
std::string one_name(const LineReader& in, std::string_view names, const FilePatch& file,
                     const std::optional<Sides>& sides) {
  if (sides) {
    const bool is_null_right = sides->old_side.is_null == (file.kind == ChangeKind::create) &&
                               sides->new_side.is_null == (file.kind == ChangeKind::remove);
    if (!is_null_right)
      in.fail("/dev/null does not go with the header",
              "a created file needs 'new file mode', a removed one 'deleted file mode'");
    return sides->old_side.is_null ? sides->new_side.name : sides->old_side.name;
  }
  const std::optional<std::string> name = common_header_name(names);
  if (!name) in.fail("the two names of the header differ, and no rename or copy says why");
  return *name;
}

void set_names(const LineReader& in, std::string_view names, const ExtendedHeader& header,
               const std::optional<Sides>& sides, FilePatch& file) {
  std::string old_name;
  std::string new_name;
  if (file.kind == ChangeKind::rename || file.kind == ChangeKind::copy) {
    old_name = file.kind == ChangeKind::rename ? *header.rename_from : *header.copy_from;
    new_name = file.kind == ChangeKind::rename ? *header.rename_to : *header.copy_to;
    if (old_name == new_name) in.fail("a file is renamed or copied to itself");
    if (starts_with(new_name, old_name + "/")) in.fail("a file is renamed or copied to a place below itself");
  } else {
    old_name = new_name = one_name(in, names, file, sides);
  }
  const bool sides_agree = !sides || ((sides->old_side.is_null || sides->old_side.name == old_name) &&
                                      (sides->new_side.is_null || sides->new_side.name == new_name));
  if (!sides_agree || !header_names_are(names, old_name, new_name))
    in.fail("the lines of this header name different files");
  if (file.kind != ChangeKind::create) file.old_path = std::move(old_name);
  if (file.kind != ChangeKind::remove) file.new_path = std::move(new_name);
}

FilePatch parse_git_header(LineReader& in) {
  if (!in.has_newline()) in.fail("the patch breaks off inside a header");
  const LineReader first = in;
  const std::string_view names = in.line().substr(kGitHeader.size());
  in.advance();
  const ExtendedHeader header = parse_extended_header(in);
  const std::optional<ChangeKind> kind = header.kind();
  if (!kind) first.fail("the lines of this header contradict each other, or one is missing");

  FilePatch file;
  file.kind = *kind;
  file.similarity = header.similarity;
  file.old_id = header.old_id.value_or("");
  file.new_id = header.new_id.value_or("");
  set_modes(first, header, file);
  std::optional<Sides> sides;
  if (starts_with(in.line(), kMinus) || starts_with(in.line(), kPlus)) sides = read_sides(in);
  set_names(first, names, header, sides, file);
  return file;
}

/// GNU diff -N dates a side that does not exist at the start of 1970, in the local time zone, so this is a guess.
bool is_epoch(const SideName& side) {
  return starts_with(side.after, "1970-01-01 ") || starts_with(side.after, "1969-12-31 ");
}

FilePatch parse_traditional_header(LineReader& in) {
  const LineReader first = in;
  const Sides sides = read_sides(in);
  if (is_epoch(sides.old_side) || is_epoch(sides.new_side))
    first.fail("a date of 1970 in a file header may mean that the file is created or removed",
               "write /dev/null for the side that does not exist, or make the patch with git diff");
  FilePatch file;
  if (sides.old_side.is_null) {
    file.kind = ChangeKind::create;
    file.new_mode = FileMode::regular;
    file.new_path = sides.new_side.name;
  } else if (sides.new_side.is_null) {
    file.kind = ChangeKind::remove;
    file.old_mode = FileMode::regular;
    file.old_path = sides.old_side.name;
  } else if (sides.old_side.name == sides.new_side.name) {
    file.old_path = sides.old_side.name;
    file.new_path = sides.new_side.name;
  } else {
    first.fail("the lines '---' and '+++' name different files");
  }
  return file;
}

}  // namespace

bool is_file_header(const LineReader& in) {
  return starts_with(in.line(), kGitHeader) || (starts_with(in.line(), kMinus) && starts_with(in.next_line(), kPlus));
}

FilePatch parse_file_header(LineReader& in) {
  return starts_with(in.line(), kGitHeader) ? parse_git_header(in) : parse_traditional_header(in);
}

}  // namespace torchpatch::patch
