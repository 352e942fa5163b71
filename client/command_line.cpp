#include "client/command_line.h"

#include <algorithm>
#include <utility>

#include "client/options/help_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace cox {
namespace {

// The options that every command of cox has.
constexpr OptionRow<Options> common_rows[] = {
    help_row<Options>,
    config_row<Options>,
    {"json", 0, Takes::Nothing, "", "the answer as JSON", "", into<&Options::json>}};
constexpr auto common_line = command_line_from<common_rows>();

// Parses one command line. Reports the first of these that applies: a wrong value, the --help text,
// a missing option, superfluous words.
class LineReader {
 public:
  LineReader(const Command& command, const std::vector<std::string>& words)
      : command_(command), program_((command.slurm ? "" : "cox ") + std::string(command.name)) {
    CHECK(command.line != nullptr);
    if (!command.slurm) add_rows(common_line);
    add_rows(*command.line);
    given_.resize(forms_.size());
    read_ =
        read_words(forms_, words, Operands::Among, command.slurm ? Grammar::Slurm : Grammar::Cox);
    options_ = command.line->make();
  }

  std::vector<OptionForm> forms() && { return std::move(forms_); }

  Parsed parse(const std::vector<std::string>& environment) {
    Failure failure = take_options();
    // the words after an error were not read
    const bool is_wrong = read_.wrong != ParsedWords::Wrong::Nothing;
    if (is_wrong && !failure) return shows_help_ ? Parsed(help()) : Parsed(what_is_wrong());
    if (!failure) failure = take_operands();
    if (!failure) failure = take_variables(environment);
    if (failure) return *std::move(failure);
    const bool help_word = command_.line->help_word && read_.operands.size() == 1 &&
                           lower_case(read_.operands.front()) == "help";
    if (shows_help_ || help_word) return help();
    if ((failure = what_lacks())) return *std::move(failure);
    if (!too_much_.empty()) return superfluous();
    return std::move(options_);
  }

 private:
  // Adds the option rows of `line`. For a cox command, its own row replaces the common row of the
  // same name.
  void add_rows(const CommandLine& line) {
    const std::vector<OptionForm> forms = line.forms();
    const std::size_t before = forms_.size();
    for (std::size_t row = 0; row < forms.size(); ++row) {
      const auto same = &line == &common_line || command_.slurm
                            ? forms_.end()
                            : std::ranges::find(forms_, forms[row].name, &OptionForm::name);
      const auto at = static_cast<std::size_t>(same - forms_.begin());
      if (at == forms_.size()) {
        forms_.emplace_back();
        rows_.emplace_back();
      }
      forms_[at] = forms[row];
      forms_[at].meaning += before;  // differs from all meanings in the table before
      rows_[at] = {&line, row};
    }
  }

  Refusal refusal(const std::string& fact) const {
    return {printable(fact), "see '" + program_ + " --help'"};
  }

  std::string name_of(const OptionForm& form) const {
    if (form.is_operand()) return std::string(form.name);
    return form.name.empty() ? std::string("-") + form.letter : "--" + std::string(form.name);
  }

  Refusal what_is_wrong() const {
    const OptionForm& form = forms_[read_.row];
    if (read_.wrong == ParsedWords::Wrong::Unknown && !read_.name.empty()) {
      std::vector<std::string_view> names;
      for (const OptionForm& one : forms_)
        if (!one.is_operand() && !one.name.empty()) names.push_back(one.name);
      const std::string_view meant = nearest(read_.name, names);
      if (!meant.empty())
        return {printable(read_.fact), "did you mean --" + std::string(meant) + "?"};
    }
    if (read_.wrong != ParsedWords::Wrong::LacksValue) return refusal(read_.fact);
    return refusal(name_of(form) + ": 1 required " + std::string(form.value_name) + " missing");
  }

  Failure take(std::size_t row, std::string_view value) {
    const OptionForm& form = forms_[row];
    ++given_[row];
    shows_help_ |= form.has(form.shows_help);
    if (form.has(form.refused))
      return refusal(std::string(form.help.substr(form.help.find(' ') + 1)));
    const auto& [line, own_row] = rows_[row];
    const Failure failure = line->set(*options_, own_row, value);
    if (!failure || form.has(form.verbatim_refusal)) return failure;
    return refusal((form.has(form.named) ? name_of(form) + ": " : "") + failure->fact +
                   (failure->hint.empty() ? "" : "; " + failure->hint));
  }

  Failure take_options() {
    for (const ParsedWords::Given& each : read_.options)
      if (Failure failure = take(each.row, each.value)) return failure;
    if (command_.slurm) return std::nullopt;  // as in Slurm, the last value counts
    for (std::size_t row = 0; row < forms_.size(); ++row)
      if (given_[row] > 1 && forms_[row].takes == Takes::Value &&
          !forms_[row].has(OptionForm::repeats))
        return refusal(name_of(forms_[row]) + ": At Most 1 required but received " +
                       std::to_string(given_[row]));
    return std::nullopt;
  }

  Failure take_operands() {
    for (const std::string& word : read_.operands) {
      const auto is_free = [&](const OptionForm& form) {
        const std::size_t times = given_[static_cast<std::size_t>(&form - forms_.data())];
        return form.takes == Takes::Operands || (form.takes == Takes::Operand && times == 0);
      };
      const auto free = std::ranges::find_if(forms_, is_free);
      if (free == forms_.end() || std::ranges::count(read_.unknown, word) > 0)
        too_much_.push_back(word);
      else if (Failure failure = take(static_cast<std::size_t>(free - forms_.begin()), word))
        return failure;
    }
    return std::nullopt;
  }

  // Refuses the words that are neither options nor operands of the command.
  Refusal superfluous() const {
    std::vector<std::string> options;
    std::vector<std::string> others;
    for (const std::string& word : too_much_)
      (std::ranges::count(read_.unknown, word) > 0 ? options : others).push_back(word);
    const auto list = [](const char* what, const std::vector<std::string>& words) {
      return words.empty() ? ""
                           : what + std::string(words.size() > 1 ? "s " : " ") + joined(words, " ");
    };
    std::string fact = list("unknown option", options);
    if (!options.empty() && !others.empty()) fact += "; ";
    fact += list("unexpected argument", others);
    const bool takes_any =
        std::ranges::any_of(forms_, [](const OptionForm& form) { return form.is_operand(); });
    if (!others.empty() && !takes_any) fact += ": '" + program_ + "' takes no arguments";
    return refusal(fact);
  }

  Failure take_variables(const std::vector<std::string>& environment) {
    for (std::size_t row = 0; row < forms_.size(); ++row) {
      const std::string head = std::string(forms_[row].variable) + "=";
      if (head.size() == 1 || given_[row] != 0) continue;
      for (const std::string& each : environment)
        if (each.starts_with(head) && each.size() > head.size())
          if (Failure failure = take(row, std::string_view(each).substr(head.size())))
            return failure;
    }
    return std::nullopt;
  }

  Failure what_lacks() const {
    for (std::size_t row = 0; row < forms_.size(); ++row) {
      const OptionForm& form = forms_[row];
      if (!form.has(form.needed) || given_[row] != 0) continue;
      if (form.is_operand() && command_.line->commands != nullptr)
        return refusal("no command is given");
      const std::string said = name_of(form) + " is required";
      return refusal(form.is_operand() ? said : said + ": " + std::string(form.help));
    }
    return std::nullopt;
  }

  std::string help() const {
    const CommandLine& line = *command_.line;
    return command_help({std::string(line.first_line) + std::string(command_.summary), program_,
                         line.head, line.commands == nullptr ? "" : line.commands()},
                        forms_);
  }

  const Command& command_;
  std::string program_;
  // for each form: its table, and its row there
  std::vector<std::pair<const CommandLine*, std::size_t>> rows_;
  std::vector<OptionForm> forms_;
  std::vector<std::size_t> given_;  // how often the option of each form was given
  ParsedWords read_;
  std::vector<std::string> too_much_;
  std::unique_ptr<Options> options_;
  bool shows_help_ = false;
};

}  // namespace

std::vector<OptionForm> declared_options(const Command& command) {
  return LineReader(command, {}).forms();
}

Parsed parse_options(const Command& command, const std::vector<std::string>& words,
                     const std::vector<std::string>& environment) {
  return LineReader(command, words).parse(environment);
}

}  // namespace cox
