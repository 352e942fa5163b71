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
             Operands operands)
      : table_(table), words_(words), operands_(operands) {}

  WordsRead read() {
    while (next_ < words_.size() && read_.wrong == WordsRead::Wrong::Nothing) {
      const std::string_view word = words_[next_];
      const bool is_option = word.size() > 1 && word[0] == '-';
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
  void refuse(WordsRead::Wrong wrong, std::string_view fact, std::size_t row = 0) {
    read_.wrong = wrong;
    read_.fact = printable(std::string(fact));
    read_.row = row;
  }

  // The exact name, or what begins so and means one thing.
  std::optional<std::size_t> find_long(std::string_view word) {
    const std::string_view name = word.substr(2, word.find('=') - 2);
    std::vector<std::size_t> found;
    for (std::size_t row = 0; row < table_.size(); ++row) {
      if (table_[row].name.empty()) continue;
      if (table_[row].name == name) return row;
      if (table_[row].name.starts_with(name)) found.push_back(row);
    }
    if (found.empty()) {
      read_.name = name;
      refuse(WordsRead::Wrong::Unknown, "unrecognized option '--" + std::string(name) + "'");
      return std::nullopt;
    }
    const auto same = [&](std::size_t row) {
      return table_[row].meaning == table_[found[0]].meaning;
    };
    if (std::ranges::all_of(found, same)) return found[0];
    std::string fact = "option '" + std::string(word) + "' is ambiguous; possibilities:";
    for (const std::size_t row : found) fact += " '--" + std::string(table_[row].name) + "'";
    refuse(WordsRead::Wrong::Ambiguous, fact);
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
      refuse(WordsRead::Wrong::HasValue, "option '" + written + "' doesn't allow an argument",
             *row);
    else if (attached)
      read_.options.push_back({*row, std::string(word.substr(equals + 1)), true, written});
    else if (option.takes != Takes::Value)
      read_.options.push_back({*row, "", false, written});
    else
      take_next_word(*row, written, "option '" + written + "' requires an argument");
  }

  void read_letters(std::string_view letters) {
    while (!letters.empty() && read_.wrong == WordsRead::Wrong::Nothing) {
      const std::string letter(letters.substr(0, 1));
      const std::string written = printable("-" + letter);
      const auto found = std::ranges::find(table_, letters[0], &OptionForm::letter);
      letters.remove_prefix(1);
      if (found == table_.end())
        return refuse(WordsRead::Wrong::Unknown, "invalid option -- '" + letter + "'");
      const auto row = static_cast<std::size_t>(found - table_.begin());
      if (found->takes != Takes::Nothing && !letters.empty()) {
        read_.options.push_back({row, std::string(letters), true, written});
        return;
      }
      if (found->takes == Takes::Value)
        take_next_word(row, written, "option requires an argument -- '" + letter + "'");
      else
        read_.options.push_back({row, "", false, written});
    }
  }

  void take_next_word(std::size_t row, const std::string& written, const std::string& lacking) {
    if (next_ == words_.size()) return refuse(WordsRead::Wrong::LacksValue, lacking, row);
    read_.options.push_back({row, words_[next_++], true, written});
  }

  std::span<const OptionForm> table_;
  const std::vector<std::string>& words_;
  Operands operands_;
  std::size_t next_ = 0;
  WordsRead read_;
};

}  // namespace

WordsRead read_words(std::span<const OptionForm> table, const std::vector<std::string>& words,
                     Operands operands) {
  return WordReader(table, words, operands).read();
}

std::string help_head(const OptionForm& option, std::string_view value_name) {
  constexpr std::size_t width = 38;
  std::string head = option.letter != 0 ? std::string("  -") + option.letter : "    ";
  if (!option.name.empty())
    head += (option.letter != 0 ? ", --" : "  --") + std::string(option.name);
  if (option.takes == Takes::Value) head += "=" + std::string(value_name);
  if (option.takes == Takes::ValueAttached) head += "[=" + std::string(value_name) + "]";
  head.resize(std::max(head.size() + 2, width), ' ');
  return head;
}

}  // namespace cox
