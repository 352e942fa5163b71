// The table of commands: one client program with many names. A command has three steps: its line
// (the table of options that parses its words), its question (the request to the controller) and
// its show function (the reply as text). All of these are pure. `run` names what the command does
// between question and answer; client/io/ carries it out.
//
// commands.cpp has the table of cox's own commands, client/slurm/names.cpp that of Slurm's
// commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "client/listing.h"
#include "client/options.h"
#include "client/options/option_row.h"
#include "client/question.h"
#include "client/text/screen.h"
#include "common/base/result.h"

namespace cox {

enum class Run : std::uint8_t {
  Ask,        // sends one request, or one for each page of a long list
  List,       // squeue, sinfo: parsed and shown by their own Listing (client/listing.h)
  Submit,     // sbatch, cox submit: parsed by client/submit/submit.h
  Step,       // srun: parsed by client/step/step_plan.h
  Allocate,   // salloc: parsed by client/step/allocation.h
  Broadcast,  // sbcast: parsed by client/slurm/sbcast.h
  Attach,     // sattach: parsed by client/slurm/sattach.h
  Trigger,    // strigger: parsed by client/slurm/strigger.h
  // scancel: parsed by client/slurm/list/scancel.h; to apply filters, it first lists the jobs
  CancelMatching,
  // scrontab: parsed by client/slurm/scrontab.h; runs an editor between reading and storing a
  // crontab
  Crontab,
  Administer,  // sacctmgr: before a change, shows it and asks the user to confirm
  Records,     // sacct: before the request, looks up users and groups and parses times
  Efficiency,  // seff: looks up the name of the job's group
  Report,      // sreport: sends several requests and makes one report of the replies
  Sample,      // sstat: requests measurements from the workers of the job's nodes
  // scontrol: carries out one command; without words, reads commands from standard input
  Control,
  Wait,                // cox wait: repeats long polls until the job has ended
  Logs,                // cox logs: fetches pieces of log files from the workers
  CheckpointDone,      // cox checkpoint done: reports to the supervisor of the calling rank
  CheckpointFinished,  // cox checkpoint finished: likewise
  Progress,            // cox progress: reports to the supervisor of the calling rank
  Events,              // cox events: prints past events; with -f, also new ones
  CheckpointOrphans,   // compares the checkpoint folder with the checkpoints in the database
  Up,
  Down,
  Status,
  Demo,
  ConfigCheck,
  Import,
  Doctor,
  KeyMake,
  Simulate,  // cox executes cox-simulate, which parses the words
  Snapshot,
  Replay,  // cox executes cox-simulate, which links the scheduling engine; cox does not
};

// The table of a command's options and operands, and the struct that it fills. For cox's commands,
// the rows that all of them have (--help, --config, --json) come first.
struct CommandLine {
  std::unique_ptr<Options> (*make)() = nullptr;  // returns the struct with its defaults
  std::vector<OptionForm> (*forms)() = nullptr;  // returns the rows without their setters
  // Stores the value given for the option of this row in the struct. REQUIRES: `options` was made
  // by make().
  Failure (*set)(Options& options, std::size_t row, std::string_view value) = nullptr;
  std::string_view first_line{};  // text at the top of --help, before the summary
  std::string_view head = "Options";
  // returns the text at the end of --help, which lists commands
  std::string (*commands)() = nullptr;
  bool help_word = false;  // `help` as the only operand means --help
};

// A command line that fills a struct of type Asked.
template <class Asked>
struct CommandLineOf : CommandLine {};

// Returns the command line with the option rows `rows`. It fills a struct of the type that the rows
// set.
template <const auto& rows>
constexpr auto command_line_from() {
  using Asked = typename std::remove_cvref_t<decltype(rows[0])>::AskedOptions;
  CommandLineOf<Asked> line;
  line.make = []() -> std::unique_ptr<Options> { return std::make_unique<Asked>(); };
  line.forms = [] { return forms_of<Asked>(rows); };
  line.set = [](Options& options, std::size_t row, std::string_view value) -> Failure {
    const auto set = rows[row].set;
    return set == nullptr ? std::nullopt : set(static_cast<Asked&>(options), value);
  };
  return line;
}

struct Command {
  std::string_view name;     // "queue", "checkpoint done"
  std::string_view summary;  // what the command does, for the list of commands
  Run run = Run::Ask;
  const CommandLine* line = nullptr;
  Question (*question)(const Options& options) = nullptr;  // Run::Ask
  Shown (*show)(const Answer& answer, const Options& options, const Screen& screen) = nullptr;
  bool slurm = false;  // prints and exits like the Slurm command of its name
  // with Run::Submit: submits nothing, only shows what the submission rules decide about the job
  bool rules_only = false;
  // Run::List
  ReadListing (*listing)(const std::vector<std::string>& words,
                         const Surroundings& around) = nullptr;
  std::vector<OptionForm> (*options)() = nullptr;
};

// These two call `ask` or `show` with the options cast to the struct that the function takes.
template <class Needed>
Question ask_with(Question (*ask)(const Needed&), const Options& options) {
  return ask(dynamic_cast<const Needed&>(options));
}
template <class Needed>
Shown show_with(Shown (*show)(const Answer&, const Needed&, const Screen&), const Answer& answer,
                const Options& options, const Screen& screen) {
  return show(answer, dynamic_cast<const Needed&>(options), screen);
}

// Returns a command whose `ask` and `show` both take the struct that its line fills. The assertions
// reject any other struct.
template <auto ask, auto show, class Asked>
Command asking(std::string_view name, std::string_view summary, const CommandLineOf<Asked>& line,
               Run run = Run::Ask, bool slurm = false) {
  static_assert(std::is_invocable_v<decltype(ask), const Asked&>);
  static_assert(std::is_invocable_v<decltype(show), const Answer&, const Asked&, const Screen&>);
  return {.name = name,
          .summary = summary,
          .run = run,
          .line = &line,
          .question = [](const Options& options) { return ask_with(ask, options); },
          .show = [](const Answer& answer, const Options& options,
                     const Screen& screen) { return show_with(show, answer, options, screen); },
          .slurm = slurm};
}

// Commands under one title in `cox --help`.
struct CommandGroup {
  std::string_view title;
  std::vector<Command> commands;
};

const std::vector<CommandGroup>& command_groups();
const std::vector<Command>& own_commands();  // those of all groups, in their order

// A command, and the number of words (1 or 2) that its name has. find_command() finds the command
// that the first words name; its Refusal suggests the most similar one.
struct FoundCommand {
  const Command* command = nullptr;
  std::size_t words = 0;
};
Result<FoundCommand> find_command(const std::vector<Command>& commands,
                                  const std::vector<std::string>& words);

// Returns the text of, for example, `cox partition --help`: all commands that begin with `word`.
// Empty if there are none, or if `word` is itself a command.
std::string group_text(const std::vector<Command>& commands, std::string_view word);

// Returns the text of `cox` and `cox --help`.
std::string overview_text(const std::vector<CommandGroup>& groups,
                          const std::vector<Command>& slurm);

// Removes --config FILE, --config=FILE and --json from the front of `words`, and stores them in
// `options`.
void take_leading_options(std::vector<std::string>& words, Options& options);

// Returns "cox 0.1.0", or the version text of a Slurm command.
std::string version_text(const Command& command);

// Shows a refusal, which may be the reply to any question.
Shown show_refused(const Refusal& why, const Options& options);

}  // namespace cox
