// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "git/gitmodules.h"
#include "git/object_store.h"
#include "model/path_rule.h"
#include "model/url.h"
#include "source/store/archive_source.h"
#include "support/file.h"
#include "support/text.h"
#include "support/worker_pool.h"
#include "upkeep/release/add_release.h"

namespace torchpatch::upkeep {

namespace {

/// Reads an archive's .gitmodules, in a worker; returns nothing if it has none.
std::map<std::string, std::string> urls_in(const source::OpenArchive& archive) {
  const source::ArchiveEntry* const entry = archive.contents.find(".gitmodules");
  if (!entry) return {};
  const auto read = [&](std::size_t) {
    git::ObjectStore store({archive.object_folder});
    std::map<std::string, std::string> urls;
    if (const auto object = store.read(entry->blob))
      for (const git::Submodule& each : git::parse_gitmodules(object->bytes)) urls[each.path] = each.url;
    return urls;
  };
  return map_in_workers(1, 1, read, [&](std::size_t) { return "reading .gitmodules of " + quote(archive.name.file); })
      .front();
}

/// Returns a URL as spelled in a constructed .gitmodules, since its bytes determine the tree id: as in the catalog's
/// newest release with it; else with ".git" on github.com, which serves both; else unchanged.
std::string spelled_url(const std::string& url, const Catalog& catalog) {
  const std::string canonical = canonical_url(url);
  std::string known;
  for (const auto& [version, release] : catalog.releases)
    for (const auto& [component, pin] : release.components)
      if (pin.content)
        for (const auto& [path, submodule] : pin.content->gitlinks)
          if (canonical_url(submodule.url) == canonical) known = submodule.url;
  if (!known.empty()) return known;
  return starts_with(canonical, "https://github.com/") ? canonical + ".git" : url;
}

ContentPin pin_archive(const source::OpenArchive& archive, const PinTable& table, const Catalog& catalog) {
  ContentPin pin{.archive = base_name(archive.name.file), .sha256 = archive.digest, .tree = {}, .commit = {}};
  if (!archive.contents.commit.empty()) pin.claims = ObjectId::parse(archive.contents.commit);
  const std::map<std::string, std::string> urls = urls_in(archive);
  const auto is_there = [&](const std::string& path) {
    return archive.contents.find(path) || archive.contents.has_below(path);
  };
  for (const auto& [path, submodule] : table.gitlinks) {
    const auto known = urls.find(path);
    if (!urls.empty() && (known == urls.end() || canonical_url(known->second) != canonical_url(submodule.url))) {
      throw Error(ErrorKind::usage,
                  concat("pinning ", quote(path), " at ", redact_url(submodule.url), ": .gitmodules of ",
                         quote(archive.name.file), " has ", known == urls.end() ? "none" : redact_url(known->second)),
                  "the table is of another release, or its URL is wrong");
    }
    if (!is_there(path))
      pin.gitlinks[path] = {submodule.commit, urls.empty() ? spelled_url(submodule.url, catalog) : known->second};
  }
  std::set<std::string> absent(table.absent.begin(), table.absent.end());
  for (const auto& [path, url] : urls) absent.insert(path);
  for (const std::string& path : absent)
    if (!pin.gitlinks.contains(path) && !is_there(path)) pin.absent.push_back(path);
  return source::write_content(archive, std::move(pin));
}

/// Returns the text between two parts of a line, or empty text.
std::string between(const std::string& line, const std::string& before, const std::string& after) {
  const std::size_t at = line.find(before), begin = at + before.size();
  const std::size_t end = at == std::string::npos ? at : line.find(after, begin);
  return end == std::string::npos ? "" : line.substr(begin, end - begin);
}

/// Converts a src.nix of nixpkgs to a table: src_NAME is OWNER/REPO at REV, and src_pytorch_recursive copies it to
/// PATH. Sources fetched in other ways have no commit there.
std::string table_of_nix(std::string_view text) {
  std::map<std::string, std::map<std::string, std::string>> fetched;
  std::string table = "# src.nix of nixpkgs\n", name;
  bool is_torch = false;
  for (const std::string& line : split(text, '\n')) {
    if (const std::string next = between(line, "src_", " = fetchFrom"); !next.empty()) name = next;
    for (const char* const key : {"owner", "repo", "rev"})
      if (const std::string value = between(line, concat(" ", key, " = \""), "\";"); !value.empty())
        fetched[name][key] = value;
    if (line.find(" = runCommand ") != std::string::npos)
      is_torch = line.find("src_pytorch_recursive = ") != std::string::npos;
    const std::string from = between(line, "cp -r ${src_", "_recursive}/* $out/");
    if (!is_torch || from.empty()) continue;
    const std::string url = concat("https://github.com/", fetched[from]["owner"], "/", fetched[from]["repo"], ".git");
    const std::string pin = concat(fetched[from]["rev"], " ", url);
    table += concat(line.substr(line.find("$out/") + 5), " ", SubmodulePin::parse(pin) ? pin : "-", "\n");
  }
  return table;
}

/// Returns the problem with a line of a table, or empty text.
std::string row_problem(const std::string& path, const std::string& pin) {
  if (const auto problem = output_path_problem(path)) return concat("the path ", quote(path), " ", *problem);
  if (pin == "-" || SubmodulePin::parse(pin)) return {};
  const std::size_t space = std::min(pin.find(' '), pin.size());
  const auto problem = url_problem(pin.substr(std::min(space + 1, pin.size())));
  if (!ObjectId::parse(pin.substr(0, space)) || !problem)
    return concat(quote(path), " has neither a commit of 40 hex digits and a URL nor '-'");
  return concat(quote(path), ": the URL ", redact_url(pin.substr(std::min(space + 1, pin.size()))),
                " is refused: ", *problem);
}

}  // namespace

PinTable read_pin_table(std::string_view text, const std::string& name) {
  PinTable table;
  const std::vector<std::string> lines = split(ends_with(name, ".nix") ? table_of_nix(text) : text, '\n');
  std::map<std::string, std::size_t> line_of;
  std::vector<std::string> problems;
  const auto report = [&](std::size_t line, const std::string& problem) {
    problems.push_back(concat("line ", line, ": ", problem));
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line(trim(lines[i]));
    if (line.empty()) continue;
    if (line.front() == '#') {
      table.source += concat(table.source.empty() ? "" : " ", trim(line.substr(1)));
      continue;
    }
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string path = line.substr(0, space), pin(trim(line.substr(space)));
    const std::string problem = row_problem(path, pin);
    if (!problem.empty())
      report(i + 1, problem);
    else if (const auto [known, is_new] = line_of.emplace(path, i + 1); !is_new)
      report(i + 1, concat(quote(path), " is in line ", known->second, " as well"));
    else if (pin == "-")
      table.absent.push_back(path);
    else
      table.gitlinks[path] = *SubmodulePin::parse(pin);
  }
  for (const auto& [path, submodule] : table.gitlinks) {
    const std::string other = path_of_same_commit(table.gitlinks, path);
    if (!other.empty() && line_of[other] < line_of[path])
      report(line_of[path], concat(quote(path), " has the commit of ", quote(other), " in line ", line_of[other],
                                   ", which has another URL; if its own is not known, write '", path, " -'"));
  }
  if (problems.empty()) return table;
  throw Error(ErrorKind::data, concat("reading ", quote(name), ":\n  ", join(problems, "\n  ")),
              "a line is PATH COMMIT URL or PATH -, such as third_party/onnx COMMIT https://github.com/onnx/onnx.git; "
              "a URL begins with https, http, git, ssh or file");
}

std::map<Component, ContentPin> pin_contents(const PinTable& table, const Catalog& catalog,
                                             const source::ObjectSource& source) {
  std::map<Component, ContentPin> pins;
  for (const source::OpenArchive& archive : source.archives()) {
    const Component component = archive.name.repository.component;
    if (archive.name.repository.path.empty())
      pins[component] = pin_archive(archive, component == Component::torch ? table : PinTable(), catalog);
  }
  if (pins.contains(Component::torch)) return pins;
  throw Error(ErrorKind::usage, "--pins lists submodules of torch, but no --archive is for torch",
              "--archive torch=FILE names its sources");
}

}  // namespace torchpatch::upkeep
