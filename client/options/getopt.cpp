#include "client/options/getopt.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/text.h"

namespace cox {
namespace {

class WordReader {
 public:
  WordReader(std::span<const OptionForm> table, const std::vector<std::string>& words,
             Operands operands, Grammar grammar)
      : table_(table), words_(words), operands_(operands), grammar_(grammar) {}

  ParsedWords read() {
    while (next_ < words_.size() && read_.wrong == ParsedWords::Wrong::Nothing) {
      const std::string_view word = words_[next_];
      const bool is_option = looks_like_option(word);
      if (!is_option && operands_ == Operands::Behind) break;
      ++next_;
      read_.double_dash = word == "--";
      if (read_.double_dash) break;
      if (!is_option)
        read_.operands.emplace_back(word);
      else if (word[1] == '-')
        read_long(word);
      else
        read_letters(word.substr(1));
    }
    read_.words_read = next_;
    if (operands_ == Operands::Among)
      read_.operands.insert(read_.operands.end(),
                            words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end());
    return std::move(read_);
  }

 private:
  // With Grammar::Cox, "-5" is a number and not an option.
  bool looks_like_option(std::string_view word) const {
    return word.size() > 1 && word[0] == '-' &&
           (grammar_ == Grammar::Slurm || word[1] < '0' || word[1] > '9');
  }

  void leave_unknown(const std::string& word) {
    read_.unknown.push_back(word);
    read_.operands.push_back(word);
  }

  void refuse(ParsedWords::Wrong wrong, std::string_view fact, std::size_t row = 0) {
    read_.wrong = wrong;
    read_.fact = printable(std::string(fact));
    read_.row = row;
  }

  // Returns the row of the long option in `word`: "--NAME" or, with Grammar::Slurm, an unambiguous
  // beginning of a name. Records an unknown or ambiguous name as an error.
  std::optional<std::size_t> find_long(std::string_view word) {
    const std::string_view name = word.substr(2, word.find('=') - 2);
    std::vector<std::size_t> found;
    for (std::size_t row = 0; row < table_.size(); ++row) {
      if (table_[row].name.empty() || table_[row].is_operand()) continue;
      if (table_[row].name == name) return row;
      if (grammar_ == Grammar::Slurm && table_[row].name.starts_with(name)) found.push_back(row);
    }
    if (grammar_ == Grammar::Cox) {
      leave_unknown(std::string(word));
      return std::nullopt;
    }
    if (found.empty()) {
      read_.name = name;
      refuse(ParsedWords::Wrong::Unknown, "unrecognized option '--" + std::string(name) + "'");
      return std::nullopt;
    }
    const auto same = [&](std::size_t row) {
      return table_[row].meaning == table_[found[0]].meaning;
    };
    if (std::ranges::all_of(found, same)) return found[0];
    std::string fact = "option '" + std::string(word) + "' is ambiguous; possibilities:";
    for (const std::size_t row : found) fact += " '--" + std::string(table_[row].name) + "'";
    refuse(ParsedWords::Wrong::Ambiguous, fact);
    return std::nullopt;
  }

  void read_long(std::string_view word) {
    const std::size_t equals = word.find('=');
    const auto row = find_long(word);
    if (!row) return;
    const OptionForm& option = table_[*row];
    const std::string written = "--" + std::string(option.name);
    const bool attached = equals != std::string_view::npos;
    if (option.takes == Takes::Nothing && attached)
      refuse(ParsedWords::Wrong::HasValue, "option '" + written + "' doesn't allow an argument",
             *row);
    else if (attached)
      give(*row, written, word.substr(equals + 1));
    else if (option.takes == Takes::Nothing || option.takes == Takes::ValueAttached)
      read_.options.push_back({*row, "", false, written});
    else
      take_next_word(*row, written, "option '" + written + "' requires an argument");
  }

  void read_letters(std::string_view letters) {
    while (!letters.empty() && read_.wrong == ParsedWords::Wrong::Nothing) {
      const std::string letter(letters.substr(0, 1));
      const std::string written = printable("-" + letter);
      const auto found = std::ranges::find(table_, letters[0], &OptionForm::letter);
      if (found == table_.end() && grammar_ == Grammar::Cox) {
        leave_unknown("-" + std::string(letters));
        return;
      }
      letters.remove_prefix(1);
      if (found == table_.end())
        return refuse(ParsedWords::Wrong::Unknown, "invalid option -- '" + letter + "'");
      const auto row = static_cast<std::size_t>(found - table_.begin());
      if (found->takes != Takes::Nothing && !letters.empty()) return give(row, written, letters);
      if (found->takes == Takes::Value || found->takes == Takes::Values)
        take_next_word(row, written, "option requires an argument -- '" + letter + "'");
      else
        read_.options.push_back({row, "", false, written});
    }
  }

  void take_next_word(std::size_t row, const std::string& written, const std::string& lacking) {
    if (next_ == words_.size()) return refuse(ParsedWords::Wrong::LacksValue, lacking, row);
    give(row, written, words_[next_++]);
  }

  void give(std::size_t row, const std::string& written, std::string_view value) {
    read_.options.push_back({row, std::string(value), true, written});
    if (table_[row].takes != Takes::Values) return;
    while (next_ < words_.size() && !looks_like_option(words_[next_]))
      read_.options.push_back({row, words_[next_++], true, written});
  }

  std::span<const OptionForm> table_;
  const std::vector<std::string>& words_;
  Operands operands_;
  Grammar grammar_;
  std::size_t next_ = 0;
  ParsedWords read_;
};

}  // namespace

ParsedWords read_words(std::span<const OptionForm> table, const std::vector<std::string>& words,
                       Operands operands, Grammar grammar) {
  return WordReader(table, words, operands, grammar).read();
}

}  // namespace cox
