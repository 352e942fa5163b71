// From the words of `cox submit` or `sbatch` to the request that is sent, in two steps, because a
// script file must be read in between:
//
//   parse_submit(words)  →  SubmitCommand: which script to read, if any
//   build_submit(command, script text, surroundings)  →  SubmitPlan: the request, how to answer
//
// Pure: the command that calls it reads the file, the environment and the folder, and fills in the
// request id. What may be refused without knowing the cluster is refused here; the controller's
// admission judges again.
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

// Where the work comes from.
enum class SubmitSource {
  Command,      // gang form: the words after "--" (cox submit alone)
  ScriptFile,   // batch form: read script_path
  ScriptStdin,  // batch form: no words were given; read standard input
  Wrapped,      // batch form: --wrap; nothing to read
};

struct SubmitCommand {
  bool as_sbatch = false;
  GivenOptions given;                // on the command line
  std::vector<GivenOptions> beside;  // likewise, of the components behind the first
  SubmitOptions options;             // these alone, judged: help, version, json are final here
  SubmitSource source = SubmitSource::ScriptStdin;
  std::string script_path;         // ScriptFile
  std::vector<std::string> words;  // Command: argv; otherwise the script's own arguments
};

// The words after the command's name. With options.help or options.version set the source is not
// settled: print submit_help() or the version and end.
Result<SubmitCommand> parse_submit(const std::vector<std::string>& words, bool as_sbatch);

// Of a command line that is to be run: its words can be sent and started.
Failure check_words(const std::vector<std::string>& words);

struct SubmitPlan {
  SubmitJob request;  // request_id empty: a new submission, for which the caller makes one
  bool test = false;  // it is to be asked about, not submitted
  bool parsable = false;
  bool quiet = false;
  bool json = false;
  bool wait = false;  // for its end
  // --resume-from names this task of an array, whose job id the caller fills in; -1: a job.
  std::int64_t resume_task = -1;
  std::vector<std::string> clusters;  // of sbatch: it is to be one of them
  std::string options_in_effect;      // for people, of --verbose
  std::vector<std::string> warnings;  // what was asked together and does not go together
};

// REQUIRES: script exactly for ScriptFile and ScriptStdin.
Result<SubmitPlan> build_submit(const SubmitCommand& command,
                                const std::optional<std::string>& script,
                                const SubmitSurroundings& surroundings);

}  // namespace cox
