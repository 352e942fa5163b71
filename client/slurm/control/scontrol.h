// scontrol: parses one line. plan_control() returns a plan: the requests to the controller, and a
// function that shows the replies. Both are pure. The plan's `action` names what
// client/io/control.cpp then does on this host, such as writing a script to a file or listing
// processes.
//
// Keywords and entities may be abbreviated, as in Slurm: "scontrol sho jo 5".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/command.h"
#include "client/setup/ping.h"
#include "client/slurm/control/config_record.h"
#include "client/slurm/control/records.h"
#include "client/slurm/text/refused_words.h"
#include "client/text/moment_format.h"
#include "common/job/job_ref.h"

namespace cox {

struct ScontrolOptions : Options {
  std::vector<std::string> words;
  bool one_line = false;
  bool details = false;
  bool quiet = false;
};

extern const CommandLineOf<ScontrolOptions> scontrol_line;

// Facts about the host and the caller of scontrol, and the global options.
struct ControlContext {
  RecordView as;
  std::vector<std::string> hosts;  // hosts of the controllers, in the order of coxswain.toml
  std::string config_file;         // path of the coxswain.toml in use; empty: none
  std::string node_list;           // SLURM_NODELIST, else SLURM_JOB_NODELIST
  std::string node_addresses;      // COX_NODE_ADDRESSES
  std::string user_name;
  LocalTime here;
  bool quiet = false;
  bool json = false;  // --json: show records as JSON
};

enum class ControlAction : std::uint8_t {
  Show,
  WriteScript,    // writes the reply's script to the file `operand`; "-": standard output
  WaitForStart,   // repeats the request until the job runs
  Ping,           // pings each controller; `show_pings` shows the results
  ListProcesses,  // lists processes of job `operand` on this host; empty: of all
  End,            // ends the interactive mode
  Restart,        // sends the request, and waits until a controller of a later term leads
};

struct ControlPlan {
  std::vector<Question> questions = {};  // sent one after the other; may be empty
  std::function<Shown(const std::vector<Answer>& answers)> show = nullptr;
  // If set, this function is called with the last reply, instead of `show`, and returns the plan to
  // carry out next.
  std::function<ControlPlan(const Answer& answer)> then = nullptr;
  std::function<Shown(const std::vector<Ping>& pings)> show_pings =
      nullptr;  // of one ping for each of context.hosts, in this order
  ControlAction action = ControlAction::Show;
  std::string operand = {};
  std::string cluster = {};  // for ListProcesses
};

ControlPlan plan_control(const std::vector<std::string>& words, const ControlContext& context);

// Returns the part of --help about keywords and entities.
std::string control_help();
std::vector<std::string> control_keywords();  // the keywords that scontrol does not refuse

// ---- only for the files of scontrol. Each plan_ function gets the words after its keyword

using ControlWords = std::vector<std::string>;

ControlPlan plan_show(const ControlWords& words, const ControlContext& context);
std::vector<std::string> shown_entities();  // the entities that `show` does not refuse
ControlPlan plan_update(const ControlWords& words, const ControlContext& context);
ControlPlan plan_create(const ControlWords& words, const ControlContext& context);
ControlPlan plan_delete(const ControlWords& words, const ControlContext& context);

// These two return a plan without requests that prints the text: as output, or as an error with
// exit code 1.
ControlPlan say(std::string out);
ControlPlan complain(std::string error);

// Returns a function that prints a line for each refusal and nothing on success. The line is
// `before`, Slurm's text for the refusal, and `behind`; if `behind` is not empty, the job's id
// follows.
std::function<Shown(const std::vector<Answer>&)> show_acts(std::string before, std::string behind);
// Formats one refusal; `what` names the job that was refused.
using ActError = std::function<std::string(const Refusal& why, const std::string& what)>;
Shown shown_acts(const std::vector<Answer>& answers, const ActError& error);

// Returns Slurm's text for the refusal, between `before` and `behind`, and on a second line
// Coxswain's explanation or hint, if there is one.
std::string act_error(const std::string& before, const Refusal& why, const std::string& behind);

// The jobs that words such as "5,7_[1-3] 9" name: tasks[i] are the array tasks that are meant of
// the job ids[i]; empty means the whole job. jobs_named() refuses the first word that names no job.
struct JobsNamed {
  std::vector<JobId> ids;
  std::vector<std::string> tasks;
};
Result<JobsNamed> jobs_named(const ControlWords& words);

// Returns the jobs that such words name, each read by `parse`. Refuses like jobs_named().
using ParseJobRef = Result<JobRef> (*)(std::string_view);
Result<std::vector<JobRef>> refs_named(const ControlWords& words, ParseJobRef parse);

// Returns the complaint about a word that names no job: Slurm's text between `before` and `behind`,
// and on a second line what is wrong with the word.
ControlPlan complain_of_job(const std::string& before, const Refusal& why,
                            const std::string& behind = "");

// Returns whether `word` abbreviates `name`: it is the beginning of `name` and has at least `least`
// letters. Ignores case.
bool means(std::string_view word, std::string_view name, std::size_t least);

}  // namespace cox
