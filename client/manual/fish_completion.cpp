#include <set>

#include "client/manual/completion.h"

namespace cox {
namespace {

std::string quoted_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// Returns the beginning of a line of fish's `complete`: the command that the line is for.
std::string place_of(const ManualCommand& command) {
  const auto words = words_of(command.name);
  if (!command.name.starts_with("cox ")) return "complete -c " + command.name;
  std::string condition = "__cox_is";
  for (const auto& word : words) condition += " " + word;
  return "complete -c cox -n '" + condition + "'";
}

std::string option_line(const ManualCommand& command, const ManualOption& option) {
  std::string out = place_of(command);
  for (const auto& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value_name.empty() && !option.value_optional)
    out += option.values.empty() && option.list.empty() ? " -r" : " -x";
  if (!option.list.empty()) out += " -a '(__cox_" + option.list + ")'";
  if (!option.values.empty()) {
    std::string values;
    for (const auto& value : option.values) values += (values.empty() ? "" : " ") + value;
    out += " -a " + quoted_text(values);
  }
  return out + " -d " + quoted_text(option.help) + "\n";
}

std::string operand_line(const ManualCommand& command) {
  const std::string name = command.operands.empty() ? "" : command.operands.front().name;
  if (const std::string list = list_of_operand(name); !list.empty())
    return place_of(command) + " -f -a '(__cox_" + list + ")'\n";
  return name.empty() ? place_of(command) + " -f\n" : "";
}

constexpr const char* functions = R"(# fish completion of coxswain's commands.
function __cox_words
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if test $word = --config
            set skip 1
        else if not string match -q -- '-*' $word
            echo $word
        end
    end
end
function __cox_is
    set -l words (__cox_words)
    test (count $words) -ge (count $argv); and test "$words[1..(count $argv)]" = "$argv"
end
function __cox_is_only
    set -l words (__cox_words)
    test "$words" = "$argv"
end
)";

}  // namespace

std::string fish_completion(const std::vector<ManualCommand>& commands) {
  std::string out = functions;
  for (const Lister& each : listers)
    out += "function __cox_" + std::string(each.list) + "\n    " + each.command + "\nend\n";
  std::set<std::string> firsts;
  for (const auto& command : commands) {
    const auto words = words_of(command.name);
    const bool own = command.name.starts_with("cox ");
    const bool pair = own && words.size() == 2;
    if (own && firsts.insert(words[0]).second)
      out += "complete -c cox -f -n '__cox_is_only' -a " + words[0] + " -d " +
             quoted_text(pair ? words[0] + " ..." : command.summary) + "\n";
    if (pair)
      out += "complete -c cox -f -n '__cox_is_only " + words[0] + "' -a " + words[1] + " -d " +
             quoted_text(command.summary) + "\n";
    for (const auto& option : command.options) out += option_line(command, option);
    out += operand_line(command);
  }
  return out;
}

}  // namespace cox
