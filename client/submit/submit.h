// Turns the words of `cox submit` or `sbatch` into the request to the controller. This takes two
// calls, because the caller must read a script file in between:
//
//   parse_submit(words)  →  SubmitCommand: which script to read, if any
//   build_submit(command, script text, surroundings)  →  SubmitPlan: the request, how to answer
//
// Pure: the caller reads the script, the environment and the current folder, and sets the request
// id. What can be checked without the controller is checked here, and the controller checks the
// request again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/options/given_options.h"
#include "client/options/submit_options.h"
#include "client/options/submit_surroundings.h"
#include "common/base/result.h"
#include "common/messages/messages.h"

namespace cox {

// What the job runs, and where that comes from.
enum class SubmitSource {
  Command,      // a gang job: the words after "--", which every rank runs (only cox submit)
  ScriptFile,   // a batch job: the script in the file script_path
  ScriptStdin,  // a batch job: no script was named, so it is read from standard input
  Wrapped,      // a batch job: build_submit() makes the script from --wrap
};

struct SubmitCommand {
  bool as_sbatch = false;
  GivenOptions given;                // options on the command line, for component 0
  std::vector<GivenOptions> beside;  // options on the command line for components 1, 2, ...
  // values from the command line, without script and variables; complete for help, version and json
  SubmitOptions options;
  SubmitSource source = SubmitSource::ScriptStdin;
  std::string script_path;         // ScriptFile
  std::vector<std::string> words;  // with Command: the command; otherwise the script's arguments
};

// Parses the words after the command's name. If options.help or options.version is set, the source
// is not determined: the caller prints submit_help() or the version and ends.
Result<SubmitCommand> parse_submit(const std::vector<std::string>& words, bool as_sbatch);

// Checks that the words of a command are valid UTF-8 and within the limits on number and bytes.
Failure check_words(const std::vector<std::string>& words);

struct SubmitPlan {
  SubmitJob request;     // an empty request_id means a new submission: the caller makes an id
  bool repeats = false;  // the user named a request id; set by the caller
  bool test = false;     // --test: only test when the job would start; submit nothing
  bool parsable = false;
  bool quiet = false;
  bool json = false;
  bool wait = false;  // --wait: wait until the job has ended
  // Task 4 of --resume-from=17_4; the caller looks up the job id of this task. -1: none is named.
  std::int64_t resume_task = -1;
  std::vector<std::string> clusters;  // --clusters: the clusters that may take the job
  std::string options_in_effect;      // text of --verbose
  std::vector<std::string> warnings;  // notes on options that conflict or have no effect
};

// Returns the names in --clusters, which is one of the job's stored options.
std::vector<std::string> clusters_named(const JobSpec& spec);

// Builds the request. `script` is the text of the script. REQUIRES: `script` is set if the source
// is ScriptFile or ScriptStdin, and only then.
Result<SubmitPlan> build_submit(const SubmitCommand& command,
                                const std::optional<std::string>& script,
                                const SubmitSurroundings& surroundings);

}  // namespace cox
