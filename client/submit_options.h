// The options of `cox submit` and `sbatch`, and of `srun`. One table each serves all places where
// they may be written: the command line, #SBATCH lines and variables; each place is read into
// GivenOptions and applied in the order #SBATCH, variables, command line, so that the later place
// wins. Pure; used by client/submit, client/script and client/step_plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/allocation_options.h"
#include "client/step_options.h"
#include "common/job.h"
#include "common/result.h"

namespace cox {

// What has been asked so far. In `spec` a field is as JobSpec says when it was not asked.
struct SubmitOptions {
  JobSpec spec;
  StepOptions step;                 // of srun
  AllocationOptions allocation;     // of salloc
  std::string gpus_type;            // h100 of gpu:h100:2; spec.gpu_type is that of --gpu-type
  std::string export_list = "ALL";  // --export, as written
  std::string host_file;            // --nodelist or SLURM_HOSTFILE (host_file.h); empty: none
  std::string propagate;            // --propagate, validated, as written; empty: not set
  std::string wrap;                 // --wrap; empty: none
  std::string begin;                // --begin, as written: it is read when it is submitted
  std::string deadline;             // --deadline, likewise
  std::int64_t resume_task = -1;    // of the array spec.resume_from.job; -1: that is the job itself
  bool parsable = false;            // print the job's id alone
  bool quiet = false;               // print nothing when it went well
  bool json = false;
  bool wait = false;       // until it has ended, and end as it did
  std::string request_id;  // of an earlier submission whose outcome is unknown; empty: a new one
  bool test = false;       // say when and where it would start, and submit nothing
  bool help = false;
  bool version = false;
  bool overcommit = false;                       // all tasks of a node share the CPUs of one task
  std::int64_t verbose = 0;                      // number of -v
  std::map<std::string, std::string> in_effect;  // by option, its last value as it was written
};

// What is of the whole job, whichever component says it: how it is submitted.
void take_common(const SubmitOptions& from, SubmitOptions& to);

// Of each component of a heterogeneous job, the first one first; grown as places name more of them.
struct ComponentOptions {
  std::vector<SubmitOptions> asked = std::vector<SubmitOptions>(1);

  SubmitOptions& of(std::size_t component) {
    if (component >= asked.size()) asked.resize(component + 1);
    return asked[component];
  }
};

struct SubmitOption;  // a row of a table
struct LaterOption;

struct OptionTable {
  std::vector<SubmitOption> options;
  std::span<const LaterOption> later;
};
const OptionTable& submit_options();
const OptionTable& step_options();

// An option as somebody wrote it.
struct GivenOption {
  const SubmitOption* option = nullptr;
  std::string value;    // empty for those that take none
  std::string written;  // "-N", "--nodes" or "SBATCH_PARTITION": for naming it in a refusal
};

struct GivenOptions {
  std::vector<GivenOption> options;
  std::size_t words_read = 0;  // the words from here on are no options
  bool double_dash = false;    // the options ended at "--"
};

enum class OptionPlace { CommandLine, Script };

// By getopt's rules: -N2, -N 2, --nodes=2, --nodes 2, unambiguous beginnings of long names, letters
// of options without a value in one word (-HQ); ends at the first word that is no option, or at
// "--".
Result<GivenOptions> read_options(const std::vector<std::string>& words, OptionPlace place,
                                  const OptionTable& table = submit_options());

// Those of the variables "NAME=value" that are names of options. A variable with an empty value is
// as good as unset, except for options that take none: those hold when it is empty, "yes" or a
// number that is not 0.
Result<GivenOptions> read_option_variables(const std::vector<std::string>& environment,
                                           const OptionTable& table = submit_options());

// How a refusal of what should be a number begins.
inline constexpr std::string_view invalid_number = "Invalid numeric value";
// How a refusal of more nodes than any job may have begins. In Slurm the controller says so.
inline constexpr std::string_view too_many_nodes_asked = "More processors requested than permitted";

// Judges the values and sets what they ask. A refusal names the option.
Failure apply_options(const GivenOptions& given, SubmitOptions& asked);

// What all that was asked comes to, once nothing more is said: the types of its GPUs, from
// whichever option named them.
Failure settle_options(SubmitOptions& asked);

// The text of --help.
std::string submit_help(bool as_sbatch);
std::string step_help();
// A line for each option.
std::string option_lines(const OptionTable& table);

}  // namespace cox
