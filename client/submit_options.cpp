#include "client/submit_options.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "client/option_values.h"
#include "client/submit_option_table.h"
#include "common/check.h"
#include "common/gpu_wish.h"
#include "common/limits.h"
#include "common/nearest.h"
#include "common/text.h"

namespace cox {
namespace {

Refusal later(const LaterOption& option, const std::string& written) {
  return {written + " is not in this version", std::string(option.instead)};
}

std::string value_advice(const SubmitOption& option) {
  return "write --" + std::string(option.name) + "=" + std::string(option.value_name);
}

// A long name as found in the two tables: at most one of the two is set.
struct Found {
  const SubmitOption* option = nullptr;
  const LaterOption* later = nullptr;
};

Refusal unknown_option(const OptionTable& table, std::string_view name) {
  std::vector<std::string_view> names;
  for (const SubmitOption& option : table.options) names.push_back(option.name);
  for (const LaterOption& option : table.later) names.push_back(option.name);
  const std::string_view meant = nearest(name, names);
  return {
      "unrecognized option '" + printable("--" + std::string(name)) + "'",
      meant.empty() ? "--help shows all options" : "did you mean --" + std::string(meant) + "?"};
}

// The exact name, or else the only one that begins so.
Result<Found> find_long(const OptionTable& table, std::string_view name) {
  std::vector<std::string_view> names;
  Found found;
  for (const SubmitOption& option : table.options) {
    if (option.name == name) return Found{&option, nullptr};
    if (name.empty() || !option.name.starts_with(name)) continue;
    found.option = &option;
    names.push_back(option.name);
  }
  for (const LaterOption& option : table.later) {
    if (option.name == name) return Found{nullptr, &option};
    if (name.empty() || !option.name.starts_with(name)) continue;
    found.later = &option;
    names.push_back(option.name);
  }
  if (names.empty()) return unknown_option(table, name);
  if (names.size() == 1) return found;
  std::string all;
  for (const std::string_view each : names) all += " '--" + std::string(each) + "'";
  return Refusal{"option '--" + std::string(name) + "' is ambiguous; possibilities:" + all,
                 "write more of it"};
}

Found find_letter(const OptionTable& table, char letter) {
  for (const SubmitOption& option : table.options)
    if (option.letter == letter) return {&option, nullptr};
  for (const LaterOption& option : table.later)
    if (option.letter == letter) return {nullptr, &option};
  return {};
}

// Reads words by getopt's rules.
class WordReader {
 public:
  WordReader(const std::vector<std::string>& words, OptionPlace place, const OptionTable& table)
      : words_(words), place_(place), table_(table) {}

  Result<GivenOptions> read() {
    while (next_ < words_.size()) {
      const std::string_view word = words_[next_];
      if (word.size() < 2 || word[0] != '-') break;
      ++next_;
      given_.double_dash = word == "--";
      if (given_.double_dash) break;
      Failure failure = word[1] == '-' ? read_long(word.substr(2)) : read_letters(word.substr(1));
      if (failure) return *std::move(failure);
    }
    given_.words_read = next_;
    return std::move(given_);
  }

 private:
  // "nodes=2" or "nodes", without the dashes.
  Failure read_long(std::string_view word) {
    const std::size_t equals = word.find('=');
    const Result<Found> found = find_long(table_, word.substr(0, equals));
    if (!found) return found.refusal();
    if (found->later) return later(*found->later, "--" + std::string(found->later->name));
    const SubmitOption& option = *found->option;
    const std::string written = "--" + std::string(option.name);
    if (equals != std::string_view::npos) {
      if (option.value == OptionValue::None)
        return Refusal{"option '" + written + "' doesn't allow an argument",
                       "write " + written + " alone"};
      return add(option, written, std::string(word.substr(equals + 1)));
    }
    if (option.value != OptionValue::Required) return add(option, written, "");
    return add_with_next_word(option, written);
  }

  // "N2", "N", "H" or "HN2", without the dash.
  Failure read_letters(std::string_view letters) {
    while (!letters.empty()) {
      const std::string written = printable("-" + std::string(letters.substr(0, 1)));
      const Found found = find_letter(table_, letters[0]);
      letters.remove_prefix(1);
      if (found.later) {
        const std::string name = " (--" + std::string(found.later->name) + ")";
        return later(*found.later, written + name);
      }
      if (!found.option)
        return Refusal{"invalid option -- '" + written.substr(1) + "'", "--help shows all options"};
      const OptionValue value = found.option->value;
      if (value == OptionValue::Required || (value == OptionValue::Optional && !letters.empty())) {
        if (letters.empty()) return add_with_next_word(*found.option, written);
        return add(*found.option, written, std::string(letters));
      }
      if (Failure failure = add(*found.option, written, "")) return failure;
    }
    return std::nullopt;
  }

  Failure add_with_next_word(const SubmitOption& option, const std::string& written) {
    if (next_ == words_.size())
      return Refusal{written.starts_with("--")
                         ? "option '" + written + "' requires an argument"
                         : "option requires an argument -- '" + written.substr(1) + "'",
                     value_advice(option)};
    return add(option, written, words_[next_++]);
  }

  Failure add(const SubmitOption& option, const std::string& written, std::string value) {
    if (option.command_line_only && place_ != OptionPlace::CommandLine)
      return Refusal{written + " has its place on the command line, not in a script",
                     "take it out of the script"};
    given_.options.push_back({&option, std::move(value), written});
    return std::nullopt;
  }

  const std::vector<std::string>& words_;
  OptionPlace place_;
  const OptionTable& table_;
  std::size_t next_ = 0;
  GivenOptions given_;
};

// What stands left of the help text: "  -N, --nodes=NUMBER".
std::string help_head(const SubmitOption& option) {
  std::string head = "  ";
  head += option.letter ? std::string("-") + option.letter + ", " : std::string("    ");
  head += "--" + std::string(option.name);
  if (!option.value_name.empty()) head += "=" + std::string(option.value_name);
  return head;
}

}  // namespace

void take_common(const SubmitOptions& from, SubmitOptions& to) {
  if (!from.wrap.empty()) to.wrap = from.wrap;
  to.parsable = to.parsable || from.parsable;
  to.quiet = to.quiet || from.quiet;
  to.json = to.json || from.json;
  to.wait = to.wait || from.wait;
  to.test = to.test || from.test;
  to.help = to.help || from.help;
  to.version = to.version || from.version;
}

Result<GivenOptions> read_options(const std::vector<std::string>& words, OptionPlace place,
                                  const OptionTable& table) {
  return WordReader(words, place, table).read();
}

Result<GivenOptions> read_option_variables(const std::vector<std::string>& environment,
                                           const OptionTable& table) {
  const auto value_of = [&](std::string_view name) -> const std::string* {
    const auto found = std::find_if(environment.begin(), environment.end(), [&](const auto& each) {
      return each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=';
    });
    return found == environment.end() ? nullptr : &*found;
  };
  GivenOptions given;
  for (const SubmitOption& option : table.options) {
    if (option.variable.empty()) continue;
    for (const std::string_view name : split(option.variable, ' ')) {
      const std::string* variable = value_of(name);
      if (!variable) continue;
      std::string value = variable->substr(name.size() + 1);
      if (option.value == OptionValue::None) value.clear();
      if (option.value == OptionValue::Required && value.empty()) continue;
      given.options.push_back({&option, std::move(value), std::string(name)});
      break;
    }
  }
  for (const LaterOption& option : table.later) {
    const std::string* variable = option.variable.empty() ? nullptr : value_of(option.variable);
    if (!variable || variable->size() == option.variable.size() + 1) continue;
    const std::string written =
        std::string(option.variable) + " (--" + std::string(option.name) + ")";
    return Refusal{written + " is not in this version",
                   "unset " + std::string(option.variable) + "; " + std::string(option.instead)};
  }
  return given;
}

namespace {

// "hint=nomultithread"; the later beats the earlier.
Failure store(const GivenOption& given, std::vector<std::string>& stored) {
  std::string value;
  if (given.option->value == OptionValue::Required || !given.value.empty())
    if (Failure failure = set_text(given.value, limits::wish_bytes_max, value)) return failure;
  const std::string name(given.option->name);
  std::erase_if(stored, [&](const std::string& each) {
    return each == name || each.starts_with(name + "=");
  });
  stored.push_back(value.empty() ? name : name + "=" + value);
  return std::nullopt;
}

// Slurm's words for a value that is none, and ours for why. Where it was written is told of
// variables, for they are out of sight.
std::string invalid_value(const GivenOption& given, const std::string& why) {
  const std::string name(given.option->name);
  const std::string place = given.written.starts_with('-') ? "" : " (" + given.written + ")";
  if (why.starts_with(quoted(given.value) + " is not a whole number"))
    return std::string(invalid_number) + " " + quoted(given.value) + " for --" + name + place +
           ": " + why;
  if (name == "array") return "Invalid job array specification" + place + ": " + why;
  if (name == "dependency") return "Job dependency problem" + place + ": " + why;
  if (name == "nodes")
    return quoted(given.value) + " is not a valid node count" + place + ": " + why;
  return "Invalid --" + name + " specification" + place + ": " + why;
}

}  // namespace

Failure apply_options(const GivenOptions& given, SubmitOptions& asked) {
  for (const GivenOption& each : given.options) {
    CHECK(each.option != nullptr);
    Failure failure = each.option->set == nullptr ? store(each, asked.spec.stored_options)
                                                  : each.option->set(asked, each.value);
    if (!failure) continue;
    return Refusal{invalid_value(each, failure->fact),
                   failure->hint.empty() ? value_advice(*each.option) : failure->hint};
  }
  return std::nullopt;
}

Failure settle_options(SubmitOptions& asked) {
  std::string& type = asked.spec.gpu_type;
  if (!type.empty() && !asked.gpus_type.empty())
    return Refusal{"--gpu-type says " + quoted(type) + ", and the number of GPUs says " +
                       quoted(asked.gpus_type),
                   "name the types in one of both: --gpu-type=" + type +
                       " goes with a number alone, like --gres=gpu:" +
                       format_gpus({{}, asked.spec.gpus_per_node, asked.spec.gpu_milli})};
  if (type.empty()) type = asked.gpus_type;
  return std::nullopt;
}

std::string option_lines(const OptionTable& table) {
  constexpr std::size_t head_width = 38;
  std::string text;
  for (const SubmitOption& option : table.options) {
    if (option.help.empty()) continue;
    std::string head = help_head(option);
    head.resize(std::max(head.size() + 2, head_width), ' ');
    text += head + std::string(option.help) + "\n";
  }
  return text;
}

std::string submit_help(bool as_sbatch) {
  const std::string usage =
      as_sbatch
          ? "Usage: sbatch [OPTION]... [SCRIPT [ARGUMENT]...]\n"
          : "Usage: cox submit [OPTION]... -- COMMAND [ARGUMENT]...   every rank runs it\n"
            "       cox submit [OPTION]... [SCRIPT [ARGUMENT]...]     the first node runs it\n";
  return usage +
         "\nA script's own options stand on its #SBATCH lines. SBATCH_* variables beat them, and\n"
         "the command line beats both.\n\n" +
         option_lines(submit_options());
}

std::string step_help() {
  return "Usage: srun [OPTION]... COMMAND [ARGUMENT]...   tasks of a step, in an allocation or\n"
         "                                             in one that it makes for it\n"
         "\nThe command line beats SLURM_* variables.\n\n" +
         option_lines(step_options());
}

}  // namespace cox
