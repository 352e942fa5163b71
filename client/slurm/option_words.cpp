#include "client/slurm/option_words.h"

#include <algorithm>
#include <optional>

#include "common/text.h"

namespace cox {
namespace {

class WordReader {
 public:
  WordReader(std::string_view program, std::span<const WordOption> table,
             const std::vector<std::string>& words)
      : program_(program), table_(table), words_(words) {}

  std::variant<GivenWords, Shown> read() {
    while (next_ < words_.size() && wrong_.empty()) {
      const std::string& word = words_[next_++];
      if (word == "--") {
        given_.operands.insert(given_.operands.end(), words_.begin() + next_, words_.end());
        break;
      }
      if (word.starts_with("--"))
        read_long(word);
      else if (word.size() > 1 && word[0] == '-')
        read_letters(std::string_view(word).substr(1));
      else
        given_.operands.push_back(word);
    }
    if (wrong_.empty()) return std::move(given_);
    const std::string program(program_);
    return Shown{"",
                 program + ": " + printable(wrong_) + "\nTry \"" + program +
                     " --help\" for more information\n",
                 exit_refused};
  }

 private:
  // The exact name, or what begins so and means one thing.
  const WordOption* find(const std::string& word, std::string_view name) {
    std::vector<const WordOption*> found;
    for (const WordOption& option : table_) {
      if (option.name == name) return &option;
      if (!option.name.empty() && option.name.starts_with(name)) found.push_back(&option);
    }
    if (found.empty()) {
      wrong_ = "unrecognized option '" + word.substr(0, word.find('=')) + "'";
      return nullptr;
    }
    const auto same = [&](const WordOption* option) { return meant(option) == meant(found[0]); };
    if (std::ranges::all_of(found, same)) return found[0];
    wrong_ = "option '" + word + "' is ambiguous; possibilities:";
    for (const WordOption* option : found) wrong_ += " '--" + std::string(option->name) + "'";
    return nullptr;
  }

  // The first spelling.
  const WordOption* meant(const WordOption* option) const {
    while (option->help.empty() && option != table_.data()) --option;
    return option;
  }

  void add(const WordOption* option, std::optional<std::string> value) {
    given_.options.push_back({meant(option), value.value_or(""), value.has_value()});
  }

  void read_long(const std::string& word) {
    const std::size_t equals = word.find('=');
    const WordOption* option = find(word, std::string_view(word).substr(2, equals - 2));
    if (option == nullptr) return;
    const std::string name = "option '--" + std::string(option->name) + "'";
    const bool attached = equals != std::string::npos;
    if (option->takes == Takes::Nothing && attached)
      wrong_ = name + " doesn't allow an argument";
    else if (attached)
      add(option, word.substr(equals + 1));
    else if (option->takes != Takes::Value)
      add(option, std::nullopt);
    else if (next_ == words_.size())
      wrong_ = name + " requires an argument";
    else
      add(option, words_[next_++]);
  }

  void read_letters(std::string_view letters) {
    while (!letters.empty() && wrong_.empty()) {
      const char letter = letters[0];
      letters.remove_prefix(1);
      const auto option = std::ranges::find(table_, letter, &WordOption::letter);
      if (option == table_.end()) {
        wrong_ = std::string("invalid option -- '") + letter + "'";
      } else if (option->takes == Takes::Nothing || letters.empty()) {
        if (option->takes != Takes::Value)
          add(&*option, std::nullopt);
        else if (next_ == words_.size())
          wrong_ = std::string("option requires an argument -- '") + letter + "'";
        else
          add(&*option, words_[next_++]);
      } else {
        add(&*option, std::string(letters));
        return;
      }
    }
  }

  std::string_view program_;
  std::span<const WordOption> table_;
  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
  GivenWords given_;
  std::string wrong_;
};

}  // namespace

std::variant<GivenWords, Shown> read_option_words(std::string_view program,
                                                  std::span<const WordOption> table,
                                                  const std::vector<std::string>& words) {
  return WordReader(program, table, words).read();
}

Shown slurm_error(std::string_view program, const std::string& fact) {
  return {"", std::string(program) + ": error: " + printable(fact) + "\n", exit_refused};
}

std::string option_words_help(std::string_view program, std::span<const WordOption> table) {
  constexpr std::size_t head_width = 34;
  std::string text = "Usage: " + std::string(program) + " [OPTION]...\n\n";
  for (const WordOption& option : table) {
    if (option.help.empty()) continue;
    std::string head = option.letter != 0 ? std::string("  -") + option.letter : "    ";
    if (!option.name.empty())
      head += (option.letter != 0 ? ", --" : "  --") + std::string(option.name);
    if (option.takes == Takes::Value) head += "=" + std::string(option.value_name);
    if (option.takes == Takes::ValueAttached) head += "[=" + std::string(option.value_name) + "]";
    head.resize(std::max(head.size() + 2, head_width), ' ');
    text += head + std::string(option.help);
    if (!option.variable.empty()) text += " [" + std::string(option.variable) + "]";
    text += "\n";
  }
  return text;
}

std::string asked_lines(const std::vector<std::pair<std::string, std::string>>& lines) {
  constexpr const char* rule = "-----------------------------\n";
  std::string text = rule;
  for (const auto& [name, value] : lines) {
    std::string head = name;
    head.resize(std::max<std::size_t>(head.size(), 11), ' ');
    text += head + " = " + value + "\n";
  }
  return text + rule;
}

std::string asked_flag(bool set) {
  return set ? "true" : "false";
}

bool has_variable(const std::vector<std::string>& environment, std::string_view name) {
  return std::ranges::any_of(environment, [&](const std::string& each) {
    return each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=';
  });
}

std::string variable_value(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& each : environment)
    if (each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=')
      return each.substr(name.size() + 1);
  return "";
}

}  // namespace cox
