// Describes each command as plain values: its options and operands, from the same tables as --help.
// roff.h and completion.h turn the values into man pages and completions. Pure; for the program
// that writes them when Coxswain is built (main.cpp here).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/command.h"

namespace cox {

struct ManualOption {
  std::vector<std::string> names;  // "-q", "--qos"
  std::string value_name;          // "NAME" of --qos=NAME; empty: it takes no value
  bool value_optional = false;     // the value may be left out; otherwise it follows "="
  std::string help;
  std::string variable;             // SBATCH_...; empty: none
  std::vector<std::string> values;  // all valid values; empty: any value is valid
  std::string list{};  // kind of names that are values: jobs, nodes, partitions or accounts
};

struct ManualOperand {
  std::string name;  // "JOB"
  std::string help;
  bool required = false;
  bool many = false;
};

struct ManualCommand {
  std::string name;                // such as "cox show job", "squeue", "cox-worker"
  std::string summary;             // one line
  std::vector<std::string> forms;  // what may follow the name: "[OPTION]... JOB..."
  std::vector<ManualOperand> operands;
  std::vector<ManualOption> options;
};

ManualCommand manual_of(const Command& command);
std::vector<ManualCommand> all_manuals();  // of cox's own commands, then of Slurm's

// Describes a daemon from the text of its --help.
ManualCommand manual_of_help(const std::string& name, const std::string& help_text);

// Returns the words of a command's name without "cox": "show" and "job" for "cox show job".
std::vector<std::string> words_of(std::string_view command_name);

}  // namespace cox
