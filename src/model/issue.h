// SPDX-License-Identifier: BSD-3-Clause
/// A known issue and its fixes (known_issues/<id>.md), and the conditions that decide for which builds they apply: a
/// conjunction of clauses over facts, in three-valued logic.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/citation.h"
#include "model/text_rules.h"
#include "model/version.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

enum class Truth { no, unknown, yes };

/// The facts about a build: name → value. A fact not in the map is unknown; a fact known to be absent (no GPU, hence no
/// compute capability) is `std::monostate`, which makes every clause on it false.
using FactValue = std::variant<std::monostate, bool, std::int64_t, std::string, Version, std::vector<std::string>>;
using Facts = std::map<std::string, FactValue>;

/// Returns true if the flag is known to be true.
bool holds(const Facts& facts, const std::string& flag);
/// Returns a fact's version, or null if it is unknown or absent.
const Version* version_of(const Facts& facts, const std::string& name);

/// One clause: a fact and its expected value.
struct Clause {
  std::string fact;
  /// For version and integer facts, a range (integers compare as one-number versions); for flags, a bool; for text
  /// facts, strings of which any may match; for list facts (`lacks`), strings that must all be in the list.
  std::variant<bool, VersionRange, std::vector<std::string>> expected;
  std::string text;  ///< for reasons: "registers_per_block <65536"
};

using Condition = std::vector<Clause>;  ///< in file order; empty: always true

/// In a data file: fact → expected value.
struct ConditionForm {
  Condition& condition;

  bool empty() const { return condition.empty(); }
  Json json() const;
  void read(const JsonPlace& place) const;
};

/// The kind of every fact that a condition may name: "arch" text, "registers_per_block" integer, …
enum class FactKind { boolean, integer, version, text, list };
const std::map<std::string, FactKind>& known_facts();

/// The verdict and the clauses that decided it: the false ones; if none, the unknown ones; if none, all.
struct Verdict {
  Truth truth = Truth::yes;
  std::vector<std::string> reasons;
};
Verdict evaluate(const Condition& condition, const Facts& facts);

// The issue.

enum class FixKind { patch, environment, files, post_build, advice };
NAMES(FixKind, patch, environment, files, post_build, advice)

/// An environment variable set by a fix; build.env exports it if the issue applies.
struct EnvironmentSetting {
  std::string name;
  std::string value;
  std::string why;
};
FIELDS(EnvironmentSetting, ("value", self.value, kLineRule), ("why", self.why, kLineRule))

/// What resolves an issue. The first fix whose `when` holds is used, unless the user chooses otherwise.
struct Fix {
  std::string id;  ///< unique in the catalog; used by --with and --without
  FixKind kind = FixKind::advice;
  std::string summary;   ///< one line
  std::string patchset;  ///< kinds patch and files
  std::vector<EnvironmentSetting> environment;
  /// Lines of POSIX sh that run in torch's directory: kind post_build after the build, kind files after the wheel.
  std::vector<std::string> commands;
  Condition when;
  bool is_optional = false;  ///< only with --with
};
FIELDS(Fix, ("id", self.id, kIdRule, "unique in the catalog"), kind, ("summary", self.summary, kLineRule),
       ("patchset", self.patchset, kOptional, kIdRule, "of kinds patch and files"),
       ("environment", ByName{self.environment, kVariableNameRule}, kOptional),
       ("commands", self.commands, kOptional, kLineRule,
        "lines of POSIX sh that run in torch's directory: of kind post_build after the build, of kind files after the "
        "wheel"),
       ("when", ConditionForm{self.when}, kOptional), ("optional", self.is_optional, kOptional, "only with --with"))
/// Reports what a fix lacks or must not have, given its kind.
void check_fields(ObjectReader& object, const Fix& fix);

extern const TextRule kSeverityRule;

/// How releases launch the CUDA kernels of an operation.
struct KernelLaunch {
  std::string operation;               ///< "gradient of avg_pool2d"
  std::vector<std::string> functions;  ///< the kernels' names
  VersionRange releases;
  std::int64_t threads = 0;  ///< per block, at most
};
FIELDS(KernelLaunch, ("operation", self.operation, kLineRule), ("functions", self.functions, kNotEmpty, kUnique),
       releases, ("threads", self.threads, Range{32, 1024}, "the most of a block, if the GPU reports 1024"))

struct Issue {
  std::string id;
  std::string title;
  std::string severity;                ///< "build-failure", "runtime-failure", "silent-wrong-results", "limitation"
  std::vector<VersionRange> releases;  ///< affected if any contains the release
  Condition when;
  std::vector<std::string> symptoms;  ///< as a log shows them, most distinctive first
  std::vector<std::string> links;
  std::vector<std::string> seeds;  ///< places in the project's sources that led to it
  Citations citations;             ///< of the page's text
  std::vector<Fix> fixes;
  std::vector<KernelLaunch> launches{};
  std::vector<std::string> instructions{};  ///< extensions that torch of these releases uses on cores that lack them
  std::string with_a_wheel;  ///< what to do with a wheel, if the message comes from an import or a run; or empty
  /// The sections of the page as CommonMark: Symptom, Cause, Fix, How to verify; in this order, none empty.
  std::vector<std::pair<std::string, std::string>> sections;
  std::optional<Sha256> replaces{};
};
/// A page's metadata block.
FIELDS(Issue, ("schema", SchemaVersion{}),
       ("replaces", self.replaces, kOptional, "SHA-256 of the file of a lower layer that this one replaces"),
       ("id", self.id, kIdRule, "equals the file's name"), ("title", derived([&] { return self.title; })),
       ("severity", self.severity, kSeverityRule),
       ("releases", self.releases, kNotEmpty, kUnique, "affected if any of these holds"),
       ("when", ConditionForm{self.when}, kOptional),
       ("symptoms", self.symptoms, kLineRule, kNotEmpty, kUnique, "as a log shows them, most distinctive first"),
       ("links", self.links, kOptional, kWebLinkRule, kUnique), ("seeds", self.seeds, kOptional, kLineRule, kUnique),
       ("citations", CitationsForm{self.citations.present, true}, kOptional),
       ("absences", CitationsForm{self.citations.absent, false}, kOptional),
       ("outside", self.citations.outside, kOptional, kPlaceRule, kUnique),
       ("launches", self.launches, kOptional, "how the pinned sources launch CUDA kernels"),
       ("instructions", self.instructions, kOptional, kLineRule, kUnique,
        "extensions such as lse whose instructions torch of these releases runs on cores that lack them"),
       ("fixes", self.fixes, kNotEmpty),
       ("with_a_wheel", self.with_a_wheel, kOptional, kLineRule,
        "what to do with a wheel, if the message appears at import or at run time"),
       ("sections", derived([&] { return self.sections; })))

/// Returns whether any of the issue's ranges contains the release.
bool affects(const Issue& issue, const Version& release);

/// Returns whether someone who builds for a board with this issue must act on its advice; if not, it is for
/// information. Issues that any board of an architecture may run into do not usually occur, so this needs something
/// that sets the build apart: a release fixed later, a version, an amount. Limitations are always for information.
bool is_to_act_on(const Issue& issue);

}  // namespace torchpatch
