#include <algorithm>
#include <set>

#include "client/manual/completion.h"

namespace cox {
namespace {

// Escapes text for '[...]' and '(...)' of zsh's _arguments, inside single quotes.
std::string quoted_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '(' || c == ')') out += '\\';
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out;
}

std::string function_of(const ManualCommand& command) {
  std::string name = "_" + command.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string action_of(const ManualOption& option) {
  if (!option.list.empty()) return "_cox_" + option.list;
  if (option.values.empty()) return "_files";
  std::string out = "(";
  for (const auto& value : option.values) out += (out.size() > 1 ? " " : "") + value;
  return out + ")";
}

std::string option_lines(const ManualOption& option) {
  std::string others;
  for (const auto& name : option.names) others += (others.empty() ? "" : " ") + name;
  std::string out;
  for (const auto& name : option.names) {
    std::string spec = name;
    if (!option.value_name.empty()) spec += name.starts_with("--") ? "=" : "+";
    spec += "[" + quoted_text(option.help) + "]";
    if (!option.value_name.empty())
      spec += (option.value_optional ? "::" : ":") + quoted_text(option.value_name) + ":" +
              action_of(option);
    out += " \\\n    '(" + others + ")" + spec + "'";
  }
  return out;
}

std::string operand_line(const ManualCommand& command) {
  if (command.operands.empty()) return "";
  const std::string& name = command.operands.front().name;
  if (const std::string list = list_of_operand(name); !list.empty())
    return " \\\n    '*:" + list + ":_cox_" + list + "'";
  if (name == "COMMAND") return " \\\n    '*::command:_normal'";
  return " \\\n    '*:file:_files'";
}

std::string lister(const std::string& name, const std::string& command) {
  return name + "() {\n  local -a found\n  found=(${(f)\"$(" + command +
         ")\"})\n  compadd -a found\n}\n";
}

// Returns an item "WORD:SUMMARY" for zsh's _describe.
std::string described(const std::string& word, const std::string& summary) {
  return "    '" + word + ":" + quoted_text(summary) + "'\n";
}

}  // namespace

std::string zsh_completion(const std::vector<ManualCommand>& commands) {
  std::string functions, first_words, two_words, slurm;
  std::string programs = "cox";
  for (const Lister& each : listers)
    functions += lister("_cox_" + std::string(each.list), each.command);
  std::set<std::string> firsts;
  for (const auto& command : commands) {
    functions += function_of(command) + "() {\n  _arguments -s -S" + [&] {
      std::string all;
      for (const auto& option : command.options) all += option_lines(option);
      return all + operand_line(command);
    }() + "\n}\n";
    const auto words = words_of(command.name);
    if (!command.name.starts_with("cox ")) {
      slurm += "  " + command.name + ") _" + command.name + " ;;\n";
      programs += " " + command.name;
      continue;
    }
    const bool pair = words.size() == 2;
    if (firsts.insert(words[0]).second)
      first_words += described(words[0], pair ? words[0] + " ..." : command.summary);
    if (pair) two_words += "    " + words[0] + ") seconds+=(" + words[1] + ") ;|\n";
  }
  return "#compdef " + programs + "\n" + functions + "_cox_commands() {\n  local -a commands\n" +
         "  commands=(\n" + first_words + "  )\n  _describe command commands\n}\n" +
         "_cox() {\n  local -a seconds\n"
         "  local name\n"
         "  if (( CURRENT == 2 )); then\n    _cox_commands\n    return\n  fi\n"
         "  case $words[2] in\n" +
         two_words +
         "  esac\n"
         "  if (( CURRENT == 3 && $#seconds )); then\n    compadd -a seconds\n    return\n  fi\n"
         "  name=_cox_$words[2]\n"
         "  if (( $#seconds )); then\n    name+=_$words[3]\n    shift words\n"
         "    (( CURRENT-- ))\n  fi\n"
         "  shift words\n  (( CURRENT-- ))\n"
         "  (( $+functions[$name] )) && $name\n}\n"
         "case $service in\n" +
         slurm + "  *) _cox ;;\nesac\n";
}

}  // namespace cox
