// SPDX-License-Identifier: BSD-3-Clause
#include "ops/apply_chain.h"

#include "ops/lookup_files.h"
#include "ops/patched_tree.h"
#include "patch/parse_patch.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

std::vector<std::vector<patch::Edge>> apply(const PatchChain& chain, const source::LocatedRepository& repository,
                                            source::PinnedLookup& lookup) {
  const std::vector<PatchStep> steps = patch_steps(chain.patches);
  std::vector<patch::PatchFile> parsed;
  parsed.reserve(steps.size());
  std::vector<patch::SeriesStep> series;
  for (const PatchStep& step : steps) {
    parsed.push_back(patch::parse_patch(*step.text, step.name));
    series.push_back({&parsed.back(), step.name, step.expected});
  }
  LookupFiles files(lookup, repository);
  return patch::apply_series(series, files).edges;
}

/// Returns what was done when nothing of a chain was applied yet.
std::string action_of(const PatchChain& chain) {
  if (chain.patches.empty()) return "while taking a submodule at another commit";
  return concat("while applying ", quote(chain.patches[0].patchset + "/" + chain.patches[0].patch->file));
}

std::string problem_of(const Error& error) {
  std::string text;
  for (const std::string& line : error.context()) text += line + ": ";
  return text + error.message();
}

void write_id(source::WireWriter& writer, const std::optional<ObjectId>& id) {
  writer.number(id ? 1 : 0);
  if (id) writer.id(*id);
}

std::optional<ObjectId> read_id(source::WireReader& reader) {
  if (!reader.flag()) return std::nullopt;
  return reader.id();
}

}  // namespace

ChainOutcome apply_chain(const PatchChain& chain, const Release& release, source::PinnedLookup& lookup) {
  ChainOutcome outcome;
  try {
    const source::LocatedRepository* repository = lookup.find_repository(release, chain.repository, chain.overrides);
    if (repository) {
      outcome.edges = apply(chain, *repository, lookup);
    } else {
      outcome.problem = concat(action_of(chain), ": the pins have no repository ", quote(chain.repository.text()));
    }
  } catch (const source::MissingObject& error) {
    outcome.problem = error.message();
    outcome.missing = error.commit();
  } catch (const patch::ApplyError& error) {
    outcome.problem = problem_of(error);
    outcome.failure = error.failure();
    outcome.path = error.path();
  } catch (const Error& error) {
    outcome.problem = problem_of(error);
  }
  return outcome;
}

void write_outcome(source::WireWriter& writer, const ChainOutcome& outcome) {
  writer.number(outcome.edges.size());
  for (const std::vector<patch::Edge>& edges : outcome.edges) {
    writer.number(edges.size());
    for (const patch::Edge& edge : edges) {
      writer.text(edge.path);
      write_id(writer, edge.before);
      write_id(writer, edge.after);
    }
  }
  writer.text(outcome.problem);
  writer.number(outcome.failure ? static_cast<std::uint64_t>(*outcome.failure) + 1 : 0);
  writer.text(outcome.path);
  write_id(writer, outcome.missing);
}

ChainOutcome read_outcome(source::WireReader& reader) {
  ChainOutcome outcome;
  for (std::uint64_t count = reader.number(); count > 0; --count) {
    std::vector<patch::Edge>& edges = outcome.edges.emplace_back();
    for (std::uint64_t size = reader.number(); size > 0; --size) {
      patch::Edge edge{reader.text(), {}, {}};
      edge.before = read_id(reader);
      edge.after = read_id(reader);
      edges.push_back(std::move(edge));
    }
  }
  outcome.problem = reader.text();
  constexpr std::uint64_t kFailures = static_cast<std::uint64_t>(patch::Failure::wrong_content) + 1;
  if (const std::uint64_t failure = reader.number_below(kFailures + 1)) {
    outcome.failure = static_cast<patch::Failure>(failure - 1);
  }
  outcome.path = reader.text();
  outcome.missing = read_id(reader);
  return outcome;
}

}  // namespace torchpatch::ops
