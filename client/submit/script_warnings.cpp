#include "client/submit/script_warnings.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "client/options/submit_option_table.h"
#include "client/submit/script.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::size_t warnings_max = 3;

// Returns the word that ends the here-document which begins in this line: EOF of "cat <<'EOF'";
// empty: none begins, as in $((1<<3)).
std::string here_document_end(std::string_view line) {
  constexpr std::string_view blanks = " \t;|&)<>";
  const std::size_t at = line.find("<<");
  if (at == std::string_view::npos || line.substr(at).starts_with("<<<")) return "";
  line = line.substr(at + 2);
  if (line.starts_with('-')) line.remove_prefix(1);
  line = skip_blanks(line);
  if (line.empty()) return "";
  const char quote = line.front() == '"' || line.front() == '\'' ? line.front() : '\0';
  if (quote != '\0') {
    line.remove_prefix(1);
    return std::string(line.substr(0, line.find(quote)));
  }
  if (line.front() == '\\') line.remove_prefix(1);
  const std::string word(line.substr(0, line.find_first_of(blanks)));
  const bool is_word =
      !word.empty() && (std::isalpha(static_cast<unsigned char>(word[0])) != 0 || word[0] == '_');
  return is_word ? word : "";
}

// Returns whether an option follows the word SBATCH in any case: " -N2", "\t--time=1". After "# ",
// the word in lower case is the command: "# sbatch --nodes=2 job.sh" says how to submit the script.
bool is_directive_text(std::string_view text, bool is_apart) {
  constexpr std::string_view word = "sbatch";
  if (is_apart && text.starts_with(word)) return false;
  if (lower_case(text.substr(0, word.size())) != word) return false;
  const std::string_view behind = text.substr(word.size());
  return !behind.empty() && skip_blanks(behind).size() < behind.size() &&
         skip_blanks(behind).starts_with('-');
}

// Returns why a line that looks like a directive is not read; empty: it is read, or does not look
// like one. "##SBATCH" is the usual way to switch a line off. `is_after`: the line comes after
// the first command.
std::string why_not_read(std::string_view line, bool is_after) {
  const std::string_view text = skip_blanks(line);
  if (!text.starts_with('#')) return "";
  const std::string_view behind = skip_blanks(text.substr(1));
  if (!is_directive_text(behind, behind.size() + 1 < text.size())) return "";
  if (!line.starts_with("#SBATCH")) return "is a comment: an option is read after #SBATCH alone";
  return is_after ? "is not read: it comes after the first command" : "";
}

// Returns whether the option would accept the value: -n accepts 4, and not "train".
bool accepts(const SubmitOption& option, std::string_view value) {
  SubmitOptions unused;
  return !value.empty() && !value.starts_with('-') &&
         (option.set == nullptr || !option.set(unused, value));
}

// Returns whether the word is the letter of an option that sets something of the job, with a value
// that the option accepts: in the word itself (-n4), where it must begin with a digit, since -input
// is an option of other programs; or as `next`, the word after it.
bool is_letter_option(std::string_view word, std::string_view next) {
  constexpr std::string_view set_nothing = "hVvQ";  // help, version, what sbatch itself prints
  if (word.size() < 2 || word[0] != '-' || set_nothing.contains(word[1])) return false;
  const auto& options = submit_options().options;
  const auto option = std::ranges::find(options, word[1], &SubmitOption::letter);
  if (option == options.end()) return false;
  const std::string_view attached = word.substr(2);
  if (option->takes == Takes::Nothing) return attached.empty();
  if (attached.empty()) return accepts(*option, next);
  return std::isdigit(static_cast<unsigned char>(attached[0])) != 0 && accepts(*option, attached);
}

bool is_long_option(std::string_view word) {
  if (!word.starts_with("--")) return false;
  const std::string_view name = word.substr(2, word.find('=') - 2);
  const auto& options = submit_options().options;
  return !name.empty() && std::ranges::find(options, name, &SubmitOption::name) != options.end();
}

}  // namespace

std::vector<std::string> script_warnings(std::string_view script, std::string_view name) {
  std::vector<std::string> warnings;
  std::string here_document;
  bool is_after = false;
  std::size_t more = 0;
  for (std::size_t number = 1; !script.empty(); ++number) {
    const std::size_t end = script.find('\n');
    const std::string_view line = script.substr(0, end);
    script.remove_prefix(end == std::string_view::npos ? script.size() : end + 1);
    if (!here_document.empty()) {
      if (skip_blanks(line) == here_document) here_document.clear();
      continue;
    }
    const std::string why = why_not_read(line, is_after);
    if (!why.empty() && warnings.size() == warnings_max) ++more;
    if (!why.empty() && warnings.size() < warnings_max)
      warnings.push_back(printable(name) + " line " + std::to_string(number) + " (" + quoted(line) +
                         ") " + why);
    if (!is_command(line)) continue;
    is_after = true;
    here_document = here_document_end(line);
  }
  if (more > 0) warnings.back() += ", and " + std::to_string(more) + " more such lines";
  return warnings;
}

std::vector<std::string> argument_warnings(const std::vector<std::string>& arguments,
                                           std::string_view name) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view next;
    if (i + 1 < arguments.size()) next = arguments[i + 1];
    if (is_long_option(arguments[i]) || is_letter_option(arguments[i], next))
      return {quoted(arguments[i]) + " is an argument of " + printable(name) +
              ": options of the job come before the script"};
  }
  return {};
}

}  // namespace cox
