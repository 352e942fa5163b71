// The options of Slurm's listing commands (squeue, sinfo, scancel): how each is written, and what
// stands for it in the environment; operands stand among them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "client/options/getopt.h"
#include "client/text/screen.h"

namespace cox {

struct WordOption {
  std::string_view name;  // without "--"
  char letter = 0;        // 0: none
  Takes takes = Takes::Nothing;
  std::string_view value_name;  // "LIST", for the manual
  std::string_view help;        // empty: another spelling of the option above it
  std::string_view variable;    // of the environment: what holds without the option
};

struct GivenWord {
  const WordOption* option = nullptr;
  std::string value;
  bool has_value = false;
};

struct GivenWords {
  std::vector<GivenWord> options;  // as they were given
  std::vector<std::string> operands;
};

// Options that are spelt differently and mean the same point to the first of their spellings.
// What is wrong is told as `program` of Slurm would tell it.
std::variant<GivenWords, Shown> read_option_words(std::string_view program,
                                                  std::span<const WordOption> table,
                                                  const std::vector<std::string>& words);

// "squeue: error: FACT", and the exit code that goes with it.
Shown slurm_error(std::string_view program, const std::string& fact);

// --help, of the table; `operands`: what stands behind the options, like "[JOB]...".
std::string option_words_help(std::string_view program, std::span<const WordOption> table,
                              std::string_view operands = "");

// Of --help, --usage and --version: what is said instead of all else; nothing: it is none of them.
// `usage`: the words in brief. `operands`: as of option_words_help.
std::optional<Shown> told_instead(std::string_view program, std::span<const WordOption> table,
                                  std::string_view name, std::string_view usage,
                                  std::string_view operands = "");

// What --verbose tells: "name = value" a line, between two lines.
std::string asked_lines(const std::vector<std::pair<std::string, std::string>>& lines);
std::string asked_flag(bool set);

// Of "NAME=VALUE", the value of this name; empty: it is not set, or to nothing.
std::string variable_value(const std::vector<std::string>& environment, std::string_view name);
bool has_variable(const std::vector<std::string>& environment, std::string_view name);

}  // namespace cox
