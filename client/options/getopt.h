// Command lines by the rules and in the words of getopt_long, as Slurm's programs read theirs:
// unambiguous beginnings of long names, letters in one word with their value (-HN2), "--". One
// reader for all tables of options: it knows their forms alone, and not what they mean. Pure; for
// client/options/given_options and client/slurm/text/option_words.
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
  ValueAttached,  // only as --name=value, and -Nvalue in one word
};

struct OptionForm {
  std::string_view name;  // without "--"; empty: it has a letter alone
  char letter = 0;        // 0: none
  Takes takes = Takes::Nothing;
  std::size_t meaning = 0;  // alike of those that mean the same, which are not ambiguous
};

enum class Operands : std::uint8_t { Behind, Among };  // the options

struct WordsRead {
  struct Given {
    std::size_t row = 0;  // of the table
    std::string value;
    bool has_value = false;
    std::string written;  // "-N", "--nodes"
  };
  enum class Wrong : std::uint8_t { Nothing, Unknown, Ambiguous, HasValue, LacksValue };

  std::vector<Given> options;         // as they were given, up to what is wrong
  std::vector<std::string> operands;  // of Operands::Among
  std::size_t words_read = 0;         // the words from here on are operands, of Operands::Behind
  bool double_dash = false;           // the options ended at "--"
  Wrong wrong = Wrong::Nothing;
  std::string fact;     // printable: getopt's words for what is wrong
  std::string name;     // of the long option that nobody knows
  std::size_t row = 0;  // whose value it is
};

WordsRead read_words(std::span<const OptionForm> table, const std::vector<std::string>& words,
                     Operands operands);

// "  -N, --nodes=NUMBER": what stands left in --help, to where the next column begins.
std::string help_head(const OptionForm& option, std::string_view value_name);

}  // namespace cox
