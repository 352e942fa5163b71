// scontrol: what one line of its words means. plan_control() makes of it the questions to the
// controller and how their answers are shown, as far as it is pure; what else is to be done with
// them (a script written to a file, processes of this host listed) is told by `deed`, and
// client/io/control.cpp does it.
//
// Keywords and entities may be cut short, as Slurm has it: "scontrol sho jo 5".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/command.h"
#include "client/setup/ping.h"
#include "client/slurm/control/config_record.h"
#include "client/slurm/records/records.h"
#include "client/slurm/text/refused_words.h"
#include "client/text/moment_format.h"

namespace cox {

// Where it is called.
struct ControlScene {
  RecordView as;
  std::vector<std::string> hosts;  // of the controllers, in the order of the configuration
  std::string config_file;         // path of the file that was read; empty: none
  std::string node_list;           // SLURM_NODELIST, else SLURM_JOB_NODELIST
  std::string user_name;
  LocalTime here;
  bool quiet = false;
  bool json = false;  // what is shown, as JSON
};

enum class ControlDeed : std::uint8_t {
  Show,
  WriteScript,    // of the answer, to the file `operand`; "-": standard output
  WaitForStart,   // asks until the job has begun to run
  Ping,           // each controller; `tell_pings` shows what came of it
  ListProcesses,  // of the job's attempts on this host; `operand` empty: of all
  End,            // of the interactive mode
};

struct ControlPlan {
  std::vector<Question> questions = {};  // one after the other; none: nothing to ask
  std::function<Shown(const std::vector<Answer>& answers)> show = nullptr;
  // Instead of `show`: what to do next, by the last answer.
  std::function<ControlPlan(const Answer& answer)> then = nullptr;
  std::function<Shown(const std::vector<Ping>& pings)> tell_pings = nullptr;  // as scene.hosts
  ControlDeed deed = ControlDeed::Show;
  std::string operand = {};
  std::string cluster = {};  // of ListProcesses
};

ControlPlan plan_control(const std::vector<std::string>& words, const ControlScene& scene);

// What it can do: its commands and what it shows.
std::string control_help();
std::vector<std::string> control_keywords();  // of its commands

// ---- for the files that make it up: each gets what stands behind its keyword

using ControlWords = std::vector<std::string>;

ControlPlan plan_show(const ControlWords& words, const ControlScene& scene);
std::vector<std::string> shown_entities();  // that there are
ControlPlan plan_update(const ControlWords& words, const ControlScene& scene);
ControlPlan plan_create(const ControlWords& words, const ControlScene& scene);
ControlPlan plan_delete(const ControlWords& words, const ControlScene& scene);

// Nothing is asked: this is said.
ControlPlan say(std::string out);
ControlPlan complain(std::string error);

// Of several acts what was refused, in Slurm's words; quiet when all went well. `before` and
// `behind` stand around the words: " for job " names it.
std::function<Shown(const std::vector<Answer>&)> show_acts(std::string before, std::string behind);
// The lines of each refusal; `what`: of which job.
using ActError = std::function<std::string(const Refusal& why, const std::string& what)>;
Shown shown_acts(const std::vector<Answer>& answers, const ActError& error);

// The first line of Slurm's words, and what more there is to say of it.
std::string act_error(const std::string& before, const Refusal& why, const std::string& behind);

// "5,7_[1-3] 9": each in its place; a Refusal of the first that is none.
struct JobsNamed {
  std::vector<JobId> ids;
  std::vector<std::string> tasks;
};
Result<JobsNamed> jobs_named(const ControlWords& words);

// Whether `word` is `name`, or its beginning of at least so many letters, in whatever case.
bool means(std::string_view word, std::string_view name, std::size_t least);

}  // namespace cox
