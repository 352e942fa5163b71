// The manual: what a command's line may say, taken from the same tables as --help, as plain values
// that roff.h and completion.h turn into man pages and completions. Pure; for the program that
// writes them when coxswain is built (main.cpp here).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/command.h"

namespace cox {

struct ManualOption {
  std::vector<std::string> names;  // "-q", "--qos"
  std::string value_name;          // empty: it takes none
  bool value_optional = false;     // only as --name=value
  std::string help;
  std::string variable;             // SBATCH_...; empty: none
  std::vector<std::string> values;  // all there are; empty: any
  std::string list{};  // what of the cluster it names: jobs, nodes, partitions or accounts
};

struct ManualOperand {
  std::string name;  // "JOB"
  std::string help;
  bool required = false;
  bool many = false;
};

struct ManualCommand {
  std::string name;                // "cox show job", "squeue", "cox-worker"
  std::string summary;             // one line
  std::vector<std::string> forms;  // behind the name: "[OPTION]... JOB..."
  std::vector<ManualOperand> operands;
  std::vector<ManualOption> options;
};

ManualCommand manual_of(const Command& command);
std::vector<ManualCommand> all_manuals();  // of cox's own commands, then of Slurm's names

// Of a daemon, from what its --help says.
ManualCommand manual_of_help(const std::string& name, const std::string& help_text);

// The words of "cox show job", without "cox": "show", "job".
std::vector<std::string> words_of(std::string_view command_name);

}  // namespace cox
