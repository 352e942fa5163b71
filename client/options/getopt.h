// Splits command lines into options and operands. For Slurm's commands it follows getopt_long and
// has its messages: unambiguous beginnings of long names, several letters and a value in one word
// (-HN2), "--". All option tables use this reader. It only finds options and values; the tables
// validate the values. Pure; used by client/options/given_options, client/command_line and
// client/slurm/text/option_words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cox {

enum class Takes : std::uint8_t {
  Nothing,
  Value,
  ValueAttached,  // an optional value, only as --name=value or -Nvalue in one word
  Values,         // the option takes one or more of the words after it
  Operand,        // the row describes an operand, not an option
  Operands,       // the row describes all remaining operands
};

// A row of an option table without its setter: all that the reader and --help need.
struct OptionForm {
  enum Rule : std::uint8_t {
    needed = 1,
    repeats = 2,            // the option may be given several times; --help says so
    command_line_only = 4,  // the option is refused on #SBATCH lines
    named = 8,              // a refusal of its value begins with the option's name
    verbatim_refusal = 16,  // the setter's refusal is printed unchanged, with its own hint
    refused = 32,           // the option is always refused; `help` has the reason
    shows_help = 64,
  };
  std::string_view name;  // without "--"; empty: the option has only a letter
  char letter = 0;        // 0: none
  Takes takes = Takes::Nothing;
  std::string_view value_name{};
  std::string_view help{};
  std::string_view variable{};
  unsigned rules = 0;
  // Rows with equal numbers set the same member (--test, --test-only), so a beginning that fits the
  // names of both is not ambiguous.
  std::size_t meaning = 0;

  // Returns the type that the value's name begins with: "INT" of "INT:INT in [0 - 9]".
  std::string_view type() const { return value_name.substr(0, value_name.find(':')); }
  bool has(Rule rule) const { return (rules & rule) != 0; }
  bool is_operand() const { return takes == Takes::Operand || takes == Takes::Operands; }
};

// Where operands may be. Behind: the first operand ends the options. Among: options may follow
// operands.
enum class Operands : std::uint8_t { Behind, Among };

// Slurm: the rules of getopt_long. Cox: names are written in full, and reading continues after an
// unknown option.
enum class Grammar : std::uint8_t { Slurm, Cox };

struct ParsedWords {
  struct Given {
    std::size_t row = 0;  // in the table
    std::string value;
    bool has_value = false;
    std::string written;  // "-N", "--nodes"
  };
  enum class Wrong : std::uint8_t { Nothing, Unknown, Ambiguous, HasValue, LacksValue };

  std::vector<Given> options;         // in the order of the words, up to the first error
  std::vector<std::string> operands;  // only with Operands::Among
  std::vector<std::string> unknown;   // with Grammar::Cox: options that are not in the table
  std::size_t words_read = 0;         // with Operands::Behind: index of the first operand
  bool double_dash = false;           // whether the options ended at a word "--"
  Wrong wrong = Wrong::Nothing;
  std::string fact;     // getopt's error message, without control characters
  std::string name;     // with Wrong::Unknown: the long option, without "--"
  std::size_t row = 0;  // with Wrong::HasValue and LacksValue: the option's row in the table
};

ParsedWords read_words(std::span<const OptionForm> table, const std::vector<std::string>& words,
                       Operands operands, Grammar grammar = Grammar::Slurm);

}  // namespace cox
