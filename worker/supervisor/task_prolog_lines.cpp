#include "worker/supervisor/task_prolog_lines.h"

#include <algorithm>

#include "common/base/text.h"

namespace cox {

namespace {

constexpr std::string_view blanks = " \t\r\v\f";

std::string_view without_blanks_before(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

std::string_view without_blanks_behind(std::string_view text) {
  const std::size_t last = text.find_last_not_of(blanks);
  return last == text.npos ? std::string_view() : text.substr(0, last + 1);
}

void unset_variable(std::string_view name, std::vector<std::string>& environment) {
  std::erase_if(environment, [&](const std::string& one) {
    return one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=';
  });
}

void set_variable(std::string_view line, std::vector<std::string>& environment) {
  const std::size_t equals = line.find('=');
  if (equals == line.npos) return;
  const std::string_view name = without_blanks_behind(line.substr(0, equals));
  if (name.empty()) return;
  unset_variable(name, environment);
  environment.push_back(std::string(name) + std::string(line.substr(equals)));
}

}  // namespace

std::string apply_prolog_lines(std::string_view output, std::vector<std::string>& environment) {
  constexpr std::string_view print_word = "print ";
  constexpr std::string_view export_word = "export ";
  constexpr std::string_view unset_word = "unset ";
  std::string printed;
  for (const std::string_view line : split(output, '\n')) {
    if (line.find('\0') != line.npos) continue;  // no variable can have a NUL byte
    if (line.starts_with(print_word)) {
      printed += std::string(without_blanks_before(line.substr(print_word.size()))) + "\n";
    } else if (line.starts_with(export_word)) {
      set_variable(without_blanks_before(line.substr(export_word.size())), environment);
    } else if (line.starts_with(unset_word)) {
      const auto name = without_blanks_before(line.substr(unset_word.size()));
      unset_variable(without_blanks_behind(name), environment);
    }
  }
  return printed;
}

}  // namespace cox
