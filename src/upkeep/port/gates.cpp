// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/port/port.h"

#include <algorithm>

#include "support/file.h"
#include "support/json.h"
#include "support/program.h"
#include "support/text.h"
#include "support/wire.h"
#include "upkeep/check/check.h"
#include "upkeep/prove/prove.h"

namespace torchpatch::upkeep {

extern const std::string_view kUnboundNames;  // unbound_names.py, as embedded by cmake/embed.cmake

namespace {

constexpr std::chrono::seconds kPythonTimeout{60};

/// Returns the gates for the program's output on one file.
std::vector<PortGate> python_gates(const ChangedText& file, const std::string& line, const BlameName& blame) {
  const auto gate = [&](const std::string& problem, bool is_wrong) {
    return PortGate{"python", concat(quote(file.path), ": ", problem), is_wrong};
  };
  Findings findings;
  const std::optional<Json> said = parse_json(line, "the output of python3", 1, findings);
  if (!said) return {gate("python3 reports " + quote(line), true)};
  if (const Json* const error = said->find("error")) return {gate("it cannot be compiled: " + error->string, true)};
  if (const Json* const unread = said->find("unread"))
    return {
        gate(concat("names not checked, since python3 cannot compile it with or without the patch: ", unread->string),
             false)};
  std::vector<PortGate> gates;
  const Json* const names = said->find("names");
  if (!names) return gates;
  for (const auto& [name, number] : names->members) {
    gates.push_back(
        gate(concat("line ", number.integer, " uses ", quote(name), ", which the file does not define"), true));
    gates.back().commit = blame(file, name);
  }
  return gates;
}

std::string first_printed_line(const std::string& text) { return std::string(trim(text.substr(0, text.find('\n')))); }

/// Returns the outcome of a proof that does not show what it claims.
std::string failure_text(const ProofOutcome& outcome) {
  switch (outcome.verdict) {
    case ProofVerdict::no_tool:
      return concat("was not run: no program ", join(outcome.missing_tools, ", "));
    case ProofVerdict::not_red:
      if (outcome.before_exit == 0) return "passes without the patches: the release may already have the fix";
      return concat("fails without the patches, but not in the expected way: ",
                    quote(first_printed_line(outcome.before_output)));
    default:
      return concat("fails with the patches: ", quote(first_printed_line(outcome.after_output)));
  }
}

/// Runs a proof at a release that it is not made for, and returns the outcome.
std::string tried_text(Catalog catalog, const std::string& patchset, Proof proof, const Version& release,
                       source::ObjectSource& source, int jobs, Console& console) {
  proof.releases = VersionRange::parse("==" + release.text()).value();
  catalog.patchsets.at(patchset).proof.proofs = {std::move(proof)};
  const ProveReport report = prove(catalog, source, {{patchset}, {release.text()}, jobs, "", true}, console);
  if (report.proofs.empty())
    return report.unproven.empty() ? "cannot be run" : "cannot be run: " + report.unproven.front().why;
  const ProofOutcome& outcome = report.proofs.front();
  return outcome.verdict == ProofVerdict::proven
             ? "also fails without the patches and passes with them here; if its claim still holds, widen its range"
             : failure_text(outcome);
}

}  // namespace

std::vector<PortGate> look_at_python(const std::vector<ChangedText>& files, const BlameName& blame) {
  std::vector<const ChangedText*> python;
  for (const ChangedText& file : files)
    if (ends_with(file.path, ".py")) python.push_back(&file);
  if (python.empty()) return {};
  const TempDir place;
  ProgramRun run;
  run.argv = {"python3", "-I", "-S", place.path() + "/unbound_names.py"};
  run.timeout = kPythonTimeout;
  write_file_atomically(run.argv.back(), std::string(kUnboundNames));
  for (std::size_t i = 0; i < python.size(); ++i) {
    for (const bool is_after : {false, true}) {
      run.argv.push_back(concat(place.path(), "/", i, is_after ? "-after" : "-before"));
      write_file_atomically(run.argv.back(), is_after ? python[i]->after : python[i]->before);
    }
  }
  const ProgramResult result = run_program(run);
  if (result.exit_code == kProgramNotFound)
    return {{"python", "Python files not checked: python3 is not installed", false}};
  const std::vector<std::string> lines = split(trim(result.out), '\n');
  if (result.exit_code != 0 || lines.size() != python.size())
    return {{"python", concat("Python files not checked: python3 failed with ", result.exit_code), false}};
  std::vector<PortGate> gates;
  for (std::size_t i = 0; i < python.size(); ++i)
    std::ranges::move(python_gates(*python[i], lines[i], blame), std::back_inserter(gates));
  return gates;
}

std::optional<BlamedCommit> commit_without_name(const Catalog& catalog, const Release& from, const Release& to,
                                                const ChangedText& file, const std::string& name,
                                                source::ObjectSource& source, Console& console) {
  const auto task = [&](source::PinnedLookup& lookup, std::size_t) {
    const source::LocatedRepository* old = lookup.find_repository(from, file.repository);
    const source::LocatedRepository* now = lookup.find_repository(to, file.repository);
    const auto entry = old ? lookup.find(*old, file.path) : std::nullopt;
    std::optional<BlamedCommit> found;
    if (!now || !entry || !has_word(lookup.read_blob(*old, *entry), name)) return to_wire(found);  // not removed
    source::CommitHistory history(lookup.store(), old->pin.commit, now->pin.commit);
    try {
      for (const source::FileChange& change : history.changes_of(file.path)) {
        if (change.blob && has_word(history.read_blob(*change.blob), name)) continue;
        found = blamed(change.commit);
        break;
      }
    } catch (const source::AbsentObject&) {
    }
    return to_wire(found);
  };
  const auto results = source::run_lookups(1, task, catalog.moved_repositories, source, 1, console);
  return results[0].bytes.empty() ? std::nullopt : from_wire<std::optional<BlamedCommit>>(results[0].bytes);
}

std::vector<PortGate> look_at_line_ends(const std::vector<ChangedText>& files) {
  const auto has_crlf = [](const std::string& text) { return text.find("\r\n") != std::string::npos; };
  std::vector<PortGate> gates;
  for (const ChangedText& file : files) {
    const bool is_text = (file.before + file.after).find('\0') == std::string::npos;
    if (!is_text || file.before.empty() || file.after.empty() || has_crlf(file.before) == has_crlf(file.after))
      continue;
    const char* const ends = has_crlf(file.after) ? "LF, and CRLF" : "CRLF, and LF";
    gates.push_back({"lint", concat(quote(file.path), ": its lines end in ", ends, " with the patch"), true});
  }
  return gates;
}

ProveReport prove_carried(const Catalog& catalog, const std::string& patchset, const Version& from,
                          const Version& release, source::ObjectSource& source, int jobs, Console& console,
                          std::vector<PortGate>& gates) {
  const ProveReport report = prove(catalog, source, {{patchset}, {release.text()}, jobs}, console);
  for (const ProofOutcome& outcome : report.proofs)
    if (outcome.verdict != ProofVerdict::proven)
      gates.push_back({"proof", concat("proof ", quote(outcome.proof), " ", failure_text(outcome)),
                       outcome.verdict != ProofVerdict::no_tool});
  bool is_tried = false;
  for (const Proof& proof : catalog.patchset(patchset).proof.proofs) {
    if (!proof.releases.contains(from) || proof.releases.contains(release)) continue;
    is_tried = true;
    gates.push_back(
        {"proof",
         concat("proof ", quote(proof.id), " is for ", quote(proof.releases.text()), "; at ", release.text(), " it ",
                tried_text(catalog, patchset, proof, release, source, jobs, console)),
         false});
  }
  if (!is_tried)
    for (const NotProven& unproven : report.unproven)
      gates.push_back({"proof", concat("none for ", release.text(), ": ", unproven.why), false});
  return report;
}

bool holds_without_patches(const Catalog& catalog, const std::string& patchset, const Version& release,
                           source::ObjectSource& source, int jobs, Console& console) {
  Catalog bare = catalog;
  Patchset& changed = bare.patchsets.at(patchset);
  const auto range = VersionRange::parse("==" + release.text());
  changed.variants = {{release.text(), range.value(), {}, {}}};
  const ProveReport report = prove(bare, source, {{patchset}, {release.text()}, jobs}, console);
  return !report.proofs.empty() && std::ranges::all_of(report.proofs, [](const ProofOutcome& outcome) {
    return outcome.verdict != ProofVerdict::no_tool && outcome.before_exit == 0;
  });
}

}  // namespace torchpatch::upkeep
