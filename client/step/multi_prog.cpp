#include "client/step/multi_prog.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr const char* advice = "write lines like: 0-3,7 ./program argument";

// Parses ranks like "0-3,7".
Result<std::vector<std::int32_t>> parse_ranks(std::string_view text) {
  std::vector<std::int32_t> ranks;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_count(part.substr(0, dash), 0, limits::tasks_per_job_max - 1);
    if (!first) return Refusal{quoted(text) + " names no tasks", advice};
    auto last = first;
    if (dash != std::string_view::npos)
      last = parse_count(part.substr(dash + 1), *first, limits::tasks_per_job_max - 1);
    if (!last) return Refusal{quoted(text) + " names no tasks", advice};
    for (std::int64_t rank = *first; rank <= *last; ++rank)
      ranks.push_back(static_cast<std::int32_t>(rank));
    if (std::ssize(ranks) > limits::tasks_per_job_max)
      return Refusal{quoted(text) + " names too many tasks", advice};
  }
  return ranks;
}

bool is_expression(char letter) {
  return letter == 't' || letter == 'o';
}

// Splits a line of the file as a shell does: quotes keep blanks, and a backslash keeps the next
// character. As in Slurm, %t and %o in single quotes or after a backslash are not replaced, so
// there % is returned as %%.
std::vector<std::string> words_of_line(std::string_view line) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\0' && (c == ' ' || c == '\t')) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
      continue;
    }
    if (!word) word.emplace();
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    if (c == '\\' && quote != '\'' && next != '\0')
      *word += line[++i] == '%' ? "%%" : std::string(1, next);
    else if (c == '%' && (quote == '\'' || !is_expression(next)))
      *word += "%%";
    else if (quote == '\0' && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = '\0';
    else
      *word += c;
  }
  if (word) words.push_back(*word);
  return words;
}

// Returns the lines of the file without comments and empty lines. A line that ends in a backslash
// is joined with the next one.
std::vector<std::string> program_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::string line;
  for (std::string_view part : split(text, '\n')) {
    if (part.ends_with('\r')) part.remove_suffix(1);
    const bool goes_on = part.ends_with('\\');
    if (goes_on) part.remove_suffix(1);
    line += part;
    if (goes_on) continue;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos && line[first] != '#') lines.push_back(line);
    line.clear();
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

bool depends_on_rank(const std::string& word) {
  for (std::size_t i = 0; i + 1 < word.size(); ++i)
    if (word[i] == '%' && is_expression(word[++i])) return true;
  return false;
}

// Replaces %t by the task's rank, %o by its position among the ranks of the line, and %% by %.
// words_of_line() has made sure that each % is followed by t, o or %.
std::string filled(const std::string& word, std::int32_t rank, std::size_t offset) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%') {
      text += word[i];
      continue;
    }
    const char letter = word[++i];
    if (letter == 't')
      text += std::to_string(rank);
    else if (letter == 'o')
      text += std::to_string(offset);
    else
      text += letter;
  }
  return text;
}

std::vector<std::string> filled(const std::vector<std::string>& words, std::int32_t rank,
                                std::size_t offset) {
  std::vector<std::string> texts;
  for (const std::string& word : words) texts.push_back(filled(word, rank, offset));
  return texts;
}

void add_commands(const ProgramLine& line, std::vector<std::int32_t> ranks,
                  std::vector<TaskCommand>& commands) {
  if (ranks.empty()) return;
  if (std::ranges::none_of(line.words, depends_on_rank)) {
    std::vector<std::string> words = filled(line.words, 0, 0);
    commands.push_back({std::move(ranks), std::move(words)});
    return;
  }
  for (std::size_t offset = 0; offset < ranks.size(); ++offset)
    commands.push_back({{ranks[offset]}, filled(line.words, ranks[offset], offset)});
}

}  // namespace

Result<std::vector<ProgramLine>> parse_multi_prog(std::string_view text) {
  std::vector<ProgramLine> lines;
  for (const std::string& line : program_lines(text)) {
    ProgramLine program;
    program.words = words_of_line(line);
    if (program.words.size() < 2)
      return Refusal{"the line " + quoted(line) + " names no program", advice};
    const std::string ranks = program.words.front();
    program.words.erase(program.words.begin());
    if (ranks != "*") {
      auto read = parse_ranks(ranks);
      if (!read) return read.refusal();
      program.ranks = std::move(*read);
    }
    lines.push_back(std::move(program));
  }
  if (lines.empty()) return Refusal{"the file of --multi-prog has no line", advice};
  return lines;
}

Result<std::vector<TaskCommand>> commands_of(const std::vector<ProgramLine>& lines,
                                             std::int64_t tasks, const std::string& file) {
  std::vector<const ProgramLine*> of_task(static_cast<std::size_t>(tasks), nullptr);
  const ProgramLine* others = nullptr;
  for (const ProgramLine& line : lines) {
    if (line.ranks.empty() && others == nullptr) others = &line;
    for (const std::int32_t rank : line.ranks)
      if (rank < tasks && of_task[static_cast<std::size_t>(rank)] == nullptr)
        of_task[static_cast<std::size_t>(rank)] = &line;
  }
  std::map<const ProgramLine*, std::vector<std::int32_t>> ranks;
  for (std::size_t rank = 0; rank < of_task.size(); ++rank) {
    const ProgramLine* line = of_task[rank] != nullptr ? of_task[rank] : others;
    if (line == nullptr)
      return Refusal{"Configuration file " + printable(file) + " invalid, no record for task id " +
                         std::to_string(rank),
                     "add a line for it, or one that begins with * for all others"};
    ranks[line].push_back(static_cast<std::int32_t>(rank));
  }
  std::vector<TaskCommand> commands;
  for (const ProgramLine& line : lines) add_commands(line, ranks[&line], commands);
  return commands;
}

}  // namespace cox
