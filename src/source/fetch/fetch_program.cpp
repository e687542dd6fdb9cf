// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/fetch_program.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <deque>
#include <numeric>

#include "git/fetch_commits.h"
#include "git/git_program.h"
#include "model/url.h"
#include "source/fetch/git_home.h"
#include "support/error.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr std::size_t kMaxProgressLine = 4096;
constexpr std::uint64_t kMaxNumber = 1ull << 50;

/// Removes and returns the number at the start of `text`, at most 2^50; 0 if there is none.
template <typename Number>
Number take_number(std::string_view& text) {
  Number number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  return result.ec == std::errc() ? std::clamp(number, Number{0}, static_cast<Number>(kMaxNumber)) : Number{0};
}

/// Parses "1.50 MiB"; returns bytes.
std::uint64_t parse_size(std::string_view text) {
  const double number = take_number<double>(text);
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{" bytes", 1.0}, {" KiB", 0x1p10}, {" MiB", 0x1p20}, {" GiB", 0x1p30}}};
  for (const auto& [unit, factor] : kUnits) {
    const double size = number * factor;
    if (starts_with(text, unit) && size < static_cast<double>(kMaxNumber)) return static_cast<std::uint64_t>(size);
  }
  return 0;
}

/// Calls `take` with each line of `rest` followed by `bytes`, and leaves the incomplete one in `rest`. Lines of more
/// than `most` bytes are dropped.
template <typename Take>
void take_lines(std::string& rest, std::string_view bytes, const char* ends, std::size_t most, const Take& take) {
  rest += bytes;
  std::size_t begin = 0;
  for (std::size_t end; (end = rest.find_first_of(ends, begin)) != std::string::npos; begin = end + 1)
    take(std::string_view(rest).substr(begin, end - begin));
  rest.erase(0, begin);
  if (rest.size() > most) rest.clear();
}

constexpr std::size_t kMaxTraceLine = 1 << 16;  // longer ones are useless: url_problem refuses URLs over 4096 bytes
constexpr std::string_view kHeader = "<= Recv header: ";
/// What follows an established connection to a server or proxy. Newer curl prints "Connected" only after TLS is
/// established too, but announces its start.
constexpr std::array<std::string_view, 3> kConnected = {"== Info: Connected to ",
                                                        "== Info: ALPN: ", "=> Send header: "};

int small_number(std::string_view text) {
  const auto number = parse_decimal(text);
  return number && *number <= 1'000'000 ? static_cast<int>(*number) : 0;
}

constexpr std::size_t kMaxFirstWords = 4096;

bool is_http(const std::string& scheme) { return scheme == "http" || scheme == "https"; }

constexpr std::size_t kMaxErrors = 4;
constexpr std::size_t kMaxErrorBytes = 500;

/// Splits git's output into lines; progress lines end with carriage returns.
std::vector<std::string> lines_of(std::string_view err) {
  std::string text(err);
  std::ranges::replace(text, '\r', '\n');
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view trimmed = trim(line);
    if (!trimmed.empty()) lines.emplace_back(trimmed);
  }
  return lines;
}

/// Returns the error in a line, or empty text.
std::string error_of(std::string_view line) {
  // "Connecting to HOST (port N) ... fatal: unable to connect"
  const std::size_t fatal = starts_with(line, "Connecting to ") || starts_with(line, "Looking up ")
                                ? std::min(line.find("fatal: "), line.size())
                                : 0;
  line.remove_prefix(fatal);
  for (const std::string_view prefix :
       {"fatal: ", "error: ", "remote: error: ", "remote: fatal: ", "torchpatch: error: "})
    if (starts_with(line, prefix)) return std::string(line.substr(prefix.size()));
  return {};
}

/// Removes the URL, which already precedes the reason.
std::string without_url(const std::string& error) {
  constexpr std::string_view kStart = "unable to access '";
  if (!starts_with(error, kStart)) return error;
  const std::size_t end = error.find("': ", kStart.size());
  return end == std::string::npos ? error : error.substr(end + 3);
}

/// git's first request, relative to a repository's URL (gitprotocol-http).
constexpr std::string_view kFirstRequest = "/info/refs?service=git-upload-pack";

Redirect refuse_redirect(std::string_view location, std::string_view why) {
  return {"", concat("the server redirects to ", redact_url(location), ", which is refused: ", why)};
}

constexpr int kMaxRedirects = 5;
/// A limit, since an endless pack would fill the disk. pytorch with its full history has less than 3 GiB.
constexpr std::uint64_t kMaxPackBytes = 16ull << 30;

/// Settings that override the repository's. Even small packs are kept: one file to open instead of hundreds. The
/// closure checks every object against its id. Servers must not send us elsewhere, by redirects or by URIs of bundles
/// or packs.
constexpr std::array kSettings = {
    "core.hooksPath=/dev/null",   "gc.auto=0",
    "maintenance.auto=false",     "fetch.unpackLimit=1",
    "fetch.fsckObjects=false",    "fetch.writeCommitGraph=false",
    "http.followRedirects=false", "http.lowSpeedLimit=0",
    "http.sslVerify=true",        "transfer.bundleURI=false",
    "fetch.uriProtocols=",        "protocol.version=2",
    "submodule.recurse=false",    "pack.threads=4",
    "core.packedGitLimit=1g",     "core.packedGitWindowSize=256m",
    "core.bigFileThreshold=256m",
};

ProgramRun run_of(const FetchProgram& program, const GitHome& home, const std::string& trace, FetchWatch& watch) {
  ProgramRun run;
  run.argv = program.line(program.url);
  run.environment = home.environment(program.url, trace);
  if (!program.objects.empty()) run.environment.emplace_back("GIT_OBJECT_DIRECTORY", program.objects);
  run.input = program.input;
  run.directory = home.path();
  if (git::has_git()) run.limits.address_space = git::kMaxGitMemory;  // fetch_with_library limits itself
  run.limits.file_size = kMaxPackBytes;
  run.watch = [&watch](std::string_view err) { return watch.check(err, FetchWatch::Clock::now()); };
  return run;
}

/// Returns what to add to git's message.
std::string explain(const std::string& errors, int status, bool has_credentials) {
  const auto says = [&](std::string_view words) { return errors.find(words) != std::string::npos; };
  if (!has_credentials && (status == 401 || says("Permission denied ("))) return "; only --credentials lets git log in";
  if (says("dumb http transport")) return ": the server does not speak git's protocol there";
  return {};
}

FetchOutcome outcome_of(const std::string& url, const ProgramResult& result, FetchWatch& watch, bool has_credentials) {
  FetchOutcome outcome;
  outcome.took = watch.took();
  const bool has_begun_objects = result.err.find("Receiving objects:") != std::string::npos;
  if (!result.stopped.empty()) {
    outcome.reason = result.stopped;
    outcome.may_pass = true;
    outcome.broke_off = has_begun_objects;
    return outcome;
  }
  if (result.exit_code == 0) {
    outcome.output = result.out;
    return outcome;
  }
  const std::string errors = errors_in(result.err);
  const int status = watch.trace().status();
  const bool is_passing_status = status == 408 || status == 429 || (status >= 500 && status <= 599);
  outcome.may_pass = status >= 300 ? is_passing_status : tells_of_connection(errors);
  outcome.broke_off = outcome.may_pass && has_begun_objects;
  outcome.wait = std::chrono::seconds(watch.trace().retry_after());
  outcome.reason = errors.empty() ? concat("git failed with exit code ", result.exit_code)
                                  : concat(git::has_git() ? "git" : "libgit2", " reports ", quote(errors),
                                           explain(errors, status, has_credentials));
  const Redirect redirect = find_redirect(url, watch.trace());
  if (!redirect.refusal.empty()) outcome.reason = redirect.refusal;
  outcome.next_url = redirect.url;
  return outcome;
}

std::vector<FetchOutcome> run_once(const std::vector<FetchProgram>& programs, const FetchOptions& options) {
  const GitHome home(options);
  std::deque<FetchWatch> watches;  // stable addresses: the runs refer to them
  std::vector<ProgramRun> runs;
  for (const FetchProgram& program : programs) {
    const std::string trace = concat(home.path(), "/trace-", runs.size());
    watches.emplace_back(program.url, program.spent, options.timeouts, trace);
    runs.push_back(run_of(program, home, trace, watches.back()));
    if (!options.on_progress) continue;
    runs.back().watch = [&, watch = runs.back().watch](std::string_view err) {
      std::string end = watch(err);
      FetchProgress sum;
      for (const FetchWatch& each : watches) {
        sum.objects += each.progress().objects;
        sum.total += each.progress().total;
        sum.bytes += each.progress().bytes;
      }
      if (!err.empty()) options.on_progress(sum);
      return end;
    };
  }
  const std::vector<ProgramResult> results = run_programs(runs, options.parallel);
  std::vector<FetchOutcome> outcomes;
  for (std::size_t i = 0; i < programs.size(); ++i)
    outcomes.push_back(outcome_of(programs[i].url, results[i], watches[i], options.credentials.has_value()));
  return outcomes;
}

}  // namespace

void ProgressReader::feed(std::string_view err) {
  take_lines(rest_, err, "\r\n", kMaxProgressLine, [&](std::string_view line) { take_line(line); });
}

void ProgressReader::take_line(std::string_view line) {
  const std::size_t count = line.find('(');
  if (!starts_with(line, "Receiving objects:") || count == std::string_view::npos) return;
  line.remove_prefix(count + 1);
  progress_.objects = take_number<std::uint64_t>(line);
  if (!starts_with(line, "/")) return;
  line.remove_prefix(1);
  progress_.total = take_number<std::uint64_t>(line);
  if (starts_with(line, "), ")) progress_.bytes = std::max(progress_.bytes, parse_size(line.substr(3)));
}

void HttpTrace::feed(std::string_view bytes) {
  take_lines(rest_, bytes, "\n", kMaxTraceLine, [&](std::string_view line) { take_line(line); });
}

void HttpTrace::take_line(std::string_view line) {
  for (const std::string_view sign : kConnected)
    has_connected_ = has_connected_ || line.find(sign) != std::string_view::npos;
  const std::size_t header = line.find(kHeader);
  if (header != std::string_view::npos) take_header(trim(line.substr(header + kHeader.size())));
}

void HttpTrace::take_header(std::string_view header) {
  if (starts_with(header, "HTTP/")) {
    const std::size_t space = std::min(header.find(' '), header.size() - 1);
    status_ = small_number(header.substr(space + 1, 3));
    location_.clear();
    retry_after_ = 0;
    return;
  }
  const std::size_t colon = header.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lower_case(header.substr(0, colon));
  const std::string_view value = trim(header.substr(colon + 1));
  if (name == "location") location_ = value;
  if (name == "retry-after") retry_after_ = small_number(value);
}

FetchWatch::FetchWatch(const std::string& url, std::chrono::milliseconds spent, const FetchTimeouts& timeouts,
                       const std::string& trace)
    : scheme_(url_scheme(url)), timeouts_(timeouts), spent_(spent), trace_path_(trace) {
  trace_file_ = UniqueFd(open(trace.c_str(), O_RDONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!trace_file_) throw system_error(concat("creating ", quote(trace)));
}

std::string FetchWatch::check(std::string_view err, Clock::time_point now) {
  if (!has_begun_) begun_ = last_progress_ = now;
  has_begun_ = true;
  last_look_ = now;
  if (first_words_.size() < kMaxFirstWords) first_words_ += err;
  progress_.feed(err);
  if (read_trace() || !err.empty()) last_progress_ = now;

  if (now - begun_ + spent_ >= timeouts_.total)
    return concat("not done within ", timeouts_.total.count(), " s (--timeout)");
  if (!has_connected()) {
    if (now - begun_ < timeouts_.connect) return {};
    return concat("no connection within ", timeouts_.connect.count(), " s (--connect-timeout)");
  }
  if (now - last_progress_ < timeouts_.idle) return {};
  return concat("no progress for ", timeouts_.idle.count(), " s (--idle-timeout)");
}

const HttpTrace& FetchWatch::trace() {
  read_trace();
  return trace_;
}

std::chrono::milliseconds FetchWatch::took() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(last_look_ - begun_);
}

/// Returns whether there was new output.
bool FetchWatch::read_trace() {
  if (!is_http(scheme_)) return false;
  std::array<char, 65536> chunk;
  bool has_grown = false;
  while (true) {
    const ssize_t count = read(trace_file_.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error(concat("reading ", quote(trace_path_)));
    if (count == 0) return has_grown;
    trace_.feed(std::string_view(chunk.data(), static_cast<std::size_t>(count)));
    has_grown = true;
  }
}

/// ssh has ConnectTimeout; a file needs no connection.
bool FetchWatch::has_connected() const {
  if (first_words_.find(git::kConnected) != std::string::npos) return true;  // libgit2's, without a trace
  if (is_http(scheme_)) return trace_.has_connected();
  if (scheme_ != "git") return true;
  // git fetch -v: "Connecting to HOST (port N) ... ADDRESS done."
  const std::size_t connecting = first_words_.find("Connecting to ");
  return connecting != std::string::npos && first_words_.find(" done.", connecting) != std::string::npos;
}

std::string hide_logins(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t start = text.find("//");
    if (start == std::string_view::npos) return result.append(text);
    const std::size_t word_end = std::min(text.find_first_of(" \t\r\n'\"<>", start), text.size());
    const std::size_t at = text.substr(0, word_end).rfind('@');
    const bool has_login = at != std::string_view::npos && at > start;
    result.append(text.substr(0, start + 2)).append(has_login ? "***" : "");
    text.remove_prefix(has_login ? at : start + 2);
    // A query or fragment may contain a token.
    const std::size_t end = std::min(text.find_first_of(" \t\r\n'\"<>"), text.size()), query = text.find_first_of("?#");
    if (query >= end) continue;
    result.append(text.substr(0, query + 1)).append("***");
    text.remove_prefix(end);
  }
}

std::string errors_in(std::string_view err) {
  const std::vector<std::string> lines = lines_of(err);
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < lines.size() && errors.size() < kMaxErrors; ++i) {
    std::string error = error_of(lines[i]);
    if (error.empty()) continue;
    if (starts_with(error, "Could not read from remote repository")) {  // refers to the error before it
      if (i == 0 || !error_of(lines[i - 1]).empty()) continue;
      error = lines[i - 1];  // ssh's
    } else if (ends_with(error, ":") && i + 1 < lines.size()) {
      error += " " + lines[i + 1];
    }
    error = hide_logins(without_url(error).substr(0, kMaxErrorBytes));
    if (std::find(errors.begin(), errors.end(), error) == errors.end()) errors.push_back(std::move(error));
  }
  return join(errors, "; ");
}

bool tells_of_connection(std::string_view errors) {
  static constexpr std::string_view kBroken[] = {"Connection refused",
                                                 "Connection reset",
                                                 "Connection timed out",
                                                 "Connection closed",
                                                 "Connection was reset",
                                                 "Failed to connect",
                                                 "failed to connect",
                                                 "Broken pipe",
                                                 "early EOF",
                                                 "hung up",
                                                 "unexpected disconnect",
                                                 "Empty reply",
                                                 "RPC failed; curl",
                                                 "Recv failure",
                                                 "Send failure",
                                                 "timed out",
                                                 "not closed cleanly",
                                                 "non-properly terminated",
                                                 "transfer closed",
                                                 "Temporary failure in name resolution",
                                                 "Network is unreachable",
                                                 "No route to host"};
  if (errors.find("remote error") != std::string_view::npos) return false;
  return std::ranges::any_of(kBroken,
                             [&](std::string_view words) { return errors.find(words) != std::string_view::npos; });
}

Redirect find_redirect(const std::string& url, const HttpTrace& trace) {
  if (trace.status() < 300 || trace.status() > 399) return {};
  std::string target = trace.location();
  if (starts_with(target, "/") && !starts_with(target, "//")) target = url_origin(url) + target;
  if (!ends_with(target, kFirstRequest)) return refuse_redirect(target, "it is not a repository URL");
  target.resize(target.size() - kFirstRequest.size());
  if (const auto problem = url_problem(target)) return refuse_redirect(target, *problem);
  if (url_origin(target) != url_origin(url))
    return refuse_redirect(target, "it is another server (allow it with --url-map)");
  return {target, ""};
}

std::vector<std::string> git_line(const std::string& repository, const std::string& command) {
  std::vector<std::string> line = {"--git-dir=" + repository};
  for (const char* setting : kSettings) line.insert(line.end(), {"-c", setting});
  line.push_back(command);
  return git::git_run(line).argv;
}

CommandLine git_fetch_line(const std::string& repository, const std::vector<std::string>& more,
                           const std::vector<std::string>& refspecs) {
  std::vector<std::string> line = git_line(repository, "fetch");
  // -v and --progress: for FetchWatch.
  line.insert(line.end(), {"-v", "--progress", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
                           "--no-auto-maintenance"});
  line.insert(line.end(), more.begin(), more.end());
  return [line, refspecs](const std::string& url) {
    std::vector<std::string> whole = line;
    whole.insert(whole.end(), {"--", url});
    whole.insert(whole.end(), refspecs.begin(), refspecs.end());
    return whole;
  };
}

std::vector<FetchOutcome> run_fetch_programs(std::vector<FetchProgram> programs, const FetchOptions& options) {
  std::vector<FetchOutcome> outcomes(programs.size());
  std::vector<std::size_t> todo(programs.size());
  std::iota(todo.begin(), todo.end(), std::size_t{0});
  for (int redirects = 0; !todo.empty(); ++redirects) {
    const std::vector<FetchOutcome> round = run_once(programs, options);
    std::vector<std::size_t> again;
    std::vector<FetchProgram> next;
    for (std::size_t i = 0; i < todo.size(); ++i) {
      const std::chrono::milliseconds before = outcomes[todo[i]].took;
      outcomes[todo[i]] = round[i];
      outcomes[todo[i]].took += before;
      if (round[i].next_url.empty()) continue;
      if (redirects == kMaxRedirects) {
        outcomes[todo[i]].reason = concat("the server redirects more than ", kMaxRedirects, " times");
        continue;
      }
      again.push_back(todo[i]);
      next.push_back(std::move(programs[i]));
      next.back().url = round[i].next_url;
      next.back().spent += round[i].took;
    }
    todo = std::move(again);
    programs = std::move(next);
  }
  return outcomes;
}

}  // namespace torchpatch::source
