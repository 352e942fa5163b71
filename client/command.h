// One client, many names: a table of commands. Each is declare (what its command line may say) →
// question (what the controller is asked) → show (the answer as text). All of it is pure; what a
// command does between question and answer is its Way, carried out in client/io/.
//
// The table of cox's own commands is in commands.cpp, that of Slurm's names in
// client/slurm/names.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/listing.h"
#include "client/options.h"
#include "client/question.h"
#include "client/slurm/text/option_words.h"
#include "client/text/screen.h"
#include "common/base/result.h"

namespace CLI {
class App;
}

namespace cox {

enum class Way : std::uint8_t {
  Ask,                // one exchange, or one a page
  List,               // squeue, sinfo: by listing.h, with tables of their own
  Submit,             // its command line is read by client/submit/submit.h
  RunStep,            // srun: by client/step/step_plan.h
  Allocate,           // salloc: by client/step/allocation.h
  Broadcast,          // sbcast: by client/slurm/sbcast.h
  Attach,             // sattach: by client/slurm/sattach.h
  Trigger,            // strigger, read by client/slurm/strigger.h
  CancelMatching,     // scancel: by scancel.h of client/slurm/list; filters need a list first
  Crontab,            // scrontab.h of client/slurm; an editor runs between two requests
  Administer,         // sacctmgr: says first what it would do, and asks
  Records,            // sacct, seff: who and when is looked up first
  Report,             // sreport: several questions, and one report of the answers
  Sample,             // sstat: asks the workers
  Control,            // scontrol: its words say what is asked; without any it reads lines
  Wait,               // long polls until the job has ended
  Logs,               // pieces of files, from the workers
  CheckpointDone,     // to the supervisor of the rank that calls
  Progress,           // likewise
  Events,             // and goes on as they happen
  CheckpointOrphans,  // looks through the checkpoint folder first
  Up,
  Down,
  Status,
  Demo,
  ConfigCheck,
  Import,
  Doctor,
  KeyMake,
  Simulate,  // its command line is read by cox-simulate
  Snapshot,
  Replay,  // by cox-simulate too, which alone knows the scheduling engine
};

struct Command {
  std::string_view name;     // "queue", "checkpoint done"
  std::string_view summary;  // one line for the list of commands
  Way way = Way::Ask;
  void (*declare)(CLI::App& app, Options& options) = nullptr;
  Question (*question)(const Options& options) = nullptr;  // Way::Ask
  Shown (*show)(const Answer& answer, const Options& options, const Screen& screen) = nullptr;
  bool slurm = false;       // answers like the Slurm program of its name
  bool rules_only = false;  // Way::Submit: only shows what the submission rules decide
  // Way::List
  ReadListing (*listing)(const std::vector<std::string>& words,
                         const Surroundings& around) = nullptr;
  std::span<const WordOption> (*options)() = nullptr;
};

const std::vector<Command>& own_commands();

// The command the first word or words name; how many words that were. A refusal tells the nearest.
struct Found {
  const Command* command = nullptr;
  std::size_t words = 0;
};
Result<Found> find_command(const std::vector<Command>& commands,
                           const std::vector<std::string>& words);

// What `cox partition --help` says of all commands that begin with the word; empty: there are none,
// or it is a command itself.
std::string group_text(const std::vector<Command>& commands, std::string_view word);

// What `cox` and `cox --help` say.
std::string overview_text(const std::vector<Command>& commands, const std::vector<Command>& slurm);

// --config FILE, --config=FILE and --json at the front of the words, taken off them.
void take_leading_options(std::vector<std::string>& words, Options& options);

// "cox 0.1.0", or what Slurm's names say.
std::string version_text(const Command& command);

// The reply that any question may get.
Shown show_refused(const Refusal& why, const Options& options);

}  // namespace cox
