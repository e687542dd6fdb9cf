// SPDX-License-Identifier: BSD-3-Clause

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "archive/read_archive.h"
#include "archive/write_archive.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"
#include "trees/wheel/wheel.h"

namespace torchpatch::trees {

namespace {

[[noreturn]] void refuse_names(const std::string& file, const std::string& reason, std::string hint = {}) {
  throw Error(ErrorKind::usage, concat("naming the modules of ", quote(file), ": ", reason), std::move(hint));
}

/// Returns the Python of the image that the wheel's tags are for.
Version tagged_python(const WheelName& name, const WheelTarget& target, const std::string& file) {
  const std::vector<Version> pythons = pythons_for(name, target.image);
  if (!pythons.empty()) return pythons.front();
  refuse_names(file,
               concat("it is for ", name.python, "-", name.abi, ", and ", target.image.id, " has Python ",
                      join(collect(target.image.python, &Version::text), ", ")),
               "renaming does not change the Python that it was compiled for: build it with the image's Python");
}

/// Returns the new name of a module, or its own: the part between the module and ".so" must be for the wheel's own
/// Python, on any machine, or empty.
std::string module_name(const std::string& path, const std::vector<std::string>& taken) {
  const std::string suffix = module_suffix(path);
  if (suffix.empty() || std::ranges::count(taken, suffix) > 0) return path;
  const std::string& own = taken.front();  // ".cpython-39-aarch64-linux-gnu.so", for 2.7 ".aarch64-linux-gnu.so"
  const bool has_abi = starts_with(own, ".cpython-");
  const std::string own_begin = has_abi ? own.substr(0, own.find('-', own.find('-') + 1) + 1) : ".";
  const bool is_of_own_python = starts_with(suffix, own_begin) && (has_abi || suffix.find("-linux-gnu") != suffix.npos);
  return is_of_own_python ? path.substr(0, path.size() - suffix.size()) + own : path;
}

/// Returns the renamings; both empty if there are none.
WheelFix plan_names(const WheelContents& contents, const std::string& file, const WheelTarget& target) {
  const std::optional<WheelName> name = WheelName::parse(base_name(file));
  if (!name) refuse_names(file, "its name is not a wheel's name", "NAME-VERSION-PYTHON-ABI-PLATFORM.whl");
  const std::vector<std::string> taken = extension_suffixes(tagged_python(*name, target, file), target.arch());
  WheelFix fix;
  fix.file = file;
  std::set<std::string> paths(contents.paths.begin(), contents.paths.end());
  for (const WheelElf& elf : contents.elf_files) {
    if (!elf.damage.empty()) refuse_names(file, elf.damage);
    if (const std::string problem = machine_problem(elf.facts, target.arch()); !problem.empty()) {
      refuse_names(file, concat(quote(elf.path), " ", problem, ", and ", target.image.id, " is ", target.arch()),
                   "renaming does not change the machine that it was compiled for: build it for the board's");
    }
    const std::string to = module_name(elf.path, taken);
    if (to == elf.path) continue;
    if (!paths.insert(to).second)
      refuse_names(file, concat(quote(elf.path), " would become ", quote(to), ", which exists"));
    fix.modules.push_back({elf.path, to});
  }
  if (!platform_fit(*name, target).is_for_arch && !contents.elf_files.empty())
    fix.platform = Renaming{name->platform, "linux_" + target.arch()};
  return fix;
}

std::string fixed_file_name(const WheelName& name, const std::string& platform) {
  return concat(name.name, "-", name.version, name.build.empty() ? "" : "-" + name.build, "-", name.python, "-",
                name.abi, "-", platform, ".whl");
}

/// Returns a field of RECORD as written by Python's csv.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

/// Rewrites the members in order.
class Rewriter {
 public:
  Rewriter(const WheelFix& fix, archive::ZipWriter& zip) : fix_(fix), zip_(zip) {
    for (const Renaming& module : fix.modules) names_[module.from] = module.to;
  }

  void take(archive::Member&& member) {
    note_step();
    if (member.type == archive::MemberType::directory) return;
    const std::vector<std::string> parts = split(member.path, '/');
    const bool is_information = parts.size() == 2 && ends_with(parts.front(), ".dist-info");
    if (is_information && parts.back() == "RECORD") {
      record_path_ = member.path;
      return;
    }
    // A signature is for the old RECORD (PEP 427).
    if (is_information && starts_with(parts.back(), "RECORD.")) return;
    if (is_information && parts.back() == "WHEEL") member.bytes = with_tags(member.bytes);
    const auto renamed = names_.find(member.path);
    const std::string& path = renamed == names_.end() ? member.path : renamed->second;
    zip_.add(path, member.bytes, member.type == archive::MemberType::executable);
    record_ += concat(csv_field(path), ",", record_digest(sha256(member.bytes)), ",", member.bytes.size(), "\n");
  }

  void finish() {
    record_ += csv_field(record_path_) + ",,\n";
    zip_.add(record_path_, record_, false);
    zip_.finish();
  }

 private:
  std::string with_tags(const std::string& text) const {
    std::string out;
    std::set<std::string> seen;
    for (const std::string& line : split(text, '\n')) {
      std::string kept = line;
      const std::size_t platform = line.rfind('-');
      if (starts_with(line, "Tag: ") && platform != std::string::npos && fix_.platform)
        kept = line.substr(0, platform + 1) + fix_.platform->to;
      if (starts_with(kept, "Tag: ") && !seen.insert(kept).second) continue;
      out += kept + "\n";
    }
    out.pop_back();  // without the final newline
    return out;
  }

  const WheelFix& fix_;
  archive::ZipWriter& zip_;
  std::map<std::string, std::string> names_;
  std::string record_, record_path_;
};

WheelFix rewrite(int from, int to, const std::string& file, const std::string& written, const WheelTarget& target) {
  const WheelContents contents = read_wheel(from, file, {.extensions = {}, .with_code = false});
  if (!contents.has_record || contents.information.size() != 1)
    refuse_names(file, "it does not have exactly one .dist-info with a RECORD");
  for (const RecordProblem& wrong : contents.record_problems) {
    if (!wrong.is_unchecked)
      refuse_names(file, concat(quote(wrong.path), " ", wrong.problem),
                   "a new RECORD would hide this: fetch or build it again");
  }
  WheelFix fix = plan_names(contents, file, target);
  if (fix.modules.empty() && !fix.platform) return fix;
  const WheelName name = *WheelName::parse(base_name(file));
  fix.output = fixed_file_name(name, fix.platform ? fix.platform->to : name.platform);
  archive::ZipWriter zip([&](std::string_view bytes) { write_all(to, bytes, written); }, written);
  Rewriter rewriter(fix, zip);
  archive::read_zip({from, file}, wheel_read_limits(),
                    [&](archive::Member&& member) { rewriter.take(std::move(member)); });
  rewriter.finish();
  return fix;
}

/// Creates the directory for a file; new directories that are empty at the end are removed.
class DirectoryForFile {
 public:
  explicit DirectoryForFile(const std::string& path) {
    for (std::string place = path; !file_exists(place); place = parent_path(place)) made_.push_back(place);
    make_directories(path);
  }
  ~DirectoryForFile() {
    for (const std::string& each : made_)
      if (::rmdir(each.c_str()) != 0) break;
  }
  DirectoryForFile(const DirectoryForFile&) = delete;
  DirectoryForFile& operator=(const DirectoryForFile&) = delete;

 private:
  std::vector<std::string> made_;  ///< innermost first
};

}  // namespace

WheelFix fix_names(const Catalog& catalog, const Board& board, const std::string& image, const std::string& file,
                   const std::string& directory) {
  const WheelTarget target{catalog, board, image_of_wheels(catalog, board, image, {file}).image};
  const UniqueFd from = open_regular_file(file, "the wheel ");
  const DirectoryForFile made(directory);
  const std::string place = join_path(directory, base_name(file));
  remove_left_over(place);
  TemporaryFile to(place);
  WheelFix fix = map_in_workers(
                     1, 1, [&](std::size_t) { return rewrite(from.get(), to.fd(), file, place, target); },
                     [&](std::size_t) { return "naming the modules of " + quote(file); }, {}, wheel_limits())
                     .front();
  if (fix.output.empty()) return fix;
  fix.output = join_path(directory, fix.output);
  if (fchmod(to.fd(), 0644) != 0) throw system_error(concat("writing ", quote(fix.output)));
  if (!to.rename_to_new(fix.output))
    throw Error(ErrorKind::environment, concat("writing ", quote(fix.output), ": it already exists"),
                "remove it, or choose another --output");
  return fix;
}

}  // namespace torchpatch::trees
