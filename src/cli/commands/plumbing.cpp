// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/shared_options.h"
#include "model/url.h"
#include "source/fetch/fetch_program.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

/// fetch-commits
struct FetchCommitsArgs {
  std::string git_dir, url;
  std::vector<std::string> commits;

  void declare(OptionSet& options) {
    options.value("--git-dir", git_dir, "DIR", "a bare repository that no other process writes to", Need::required);
    options.value("--url", url, "URL", "where to fetch from", Need::required);
    options.values("--commit", commits, "ID", "a commit to fetch");
  }

  int run(Context& context) const {
    require_directory(git_dir, "--git-dir " + quote(git_dir), "create one with 'git init --bare'");
    if (const auto problem = url_problem(url)) throw Error(ErrorKind::usage, concat("--url: ", *problem));
    source::Fetch fetch{url, git_dir, {}};
    for (const std::string& text : commits) {
      const auto commit = ObjectId::parse(text);
      if (!commit) throw Error(ErrorKind::usage, concat("--commit ", quote(text), " is not an id of 40 hex digits"));
      fetch.commits.push_back(*commit);
    }
    source::fetch_with_library(fetch, [&](const std::string& step) { context.console.status(step); });
    return kDone;
  }
};

/// write-source, completion, man
struct PlumbingArgs {
  std::string name, directory;
  std::vector<std::string> words;

  void declare_source(OptionSet& options) {
    options.choice("NAME", name, embedded_source_names(), "the embedded source", Need::required);
    options.value("-o,--output", directory, "DIR", "an empty or new directory", Need::required);
  }
  void declare_completion(OptionSet& options) {
    options.choice("SHELL", name, {"bash", "zsh", "fish"}, "the shell", Need::required);
  }
  void declare_man(OptionSet& options) {
    options.arguments("COMMAND", words, "the command; default: the program");
    options.value("--directory", directory, "DIR", "write the pages of the program and of all commands to DIR");
  }

  int write_source(Context& context) const {
    make_directories(directory);
    if (!list_directory(directory).empty())
      throw Error(ErrorKind::environment, concat(quote(directory), " is not empty"), "name a new directory");
    for (const auto& [release, commits] : write_embedded_source(name, directory, {}, context.environment))
      for (const auto& [component, commit] : commits)
        print(context, concat(release.text(), " ", name_of(component), " ", commit.hex(), "\n"));
    return kDone;
  }

  int print_completion(Context& context) const {
    const std::vector<Command> program = describe_program(command_table());
    print(context, name == "bash"  ? bash_completion(program)
                   : name == "zsh" ? zsh_completion(program)
                                   : fish_completion(program));
    return kDone;
  }

  static void write_pages(const std::vector<Command>& program, const std::string& directory) {
    make_directories(directory);
    write_file_atomically(directory + "/" + man_page_name(program.front()), program_man_page(program));
    for (const Command& command : user_commands(program))
      write_file_atomically(directory + "/" + man_page_name(command), command_man_page(command));
  }

  int print_man(Context& context) const {
    const std::vector<Command> program = describe_program(command_table());
    const std::string wanted = join(words, " ");
    const Command* const command = find_where(program, [&](const Command& each) { return each.name == wanted; });
    if (!command)
      throw Error(ErrorKind::usage, concat("unknown command ", quote(wanted)),
                  did_you_mean(wanted, collect(program, [](const Command& each) { return each.name; })));
    if (!directory.empty())
      write_pages(program, directory);
    else
      print(context, words.empty() ? program_man_page(program) : command_man_page(*command));
    return kDone;
  }
};

}  // namespace

std::vector<Command> plumbing_commands() {
  return {
      {source::kLibraryFetchCommand, declare_args<FetchCommitsArgs>},
      {"write-source", declare_args<PlumbingArgs, &PlumbingArgs::declare_source, &PlumbingArgs::write_source>},
      {"completion", declare_args<PlumbingArgs, &PlumbingArgs::declare_completion, &PlumbingArgs::print_completion>},
      {"man", declare_args<PlumbingArgs, &PlumbingArgs::declare_man, &PlumbingArgs::print_man>}};
}

}  // namespace torchpatch::cli
