#include "client/submit/script.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "client/options/given_options.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::string_view directive = "#SBATCH";

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

// Moves the first word of the line to `word`, without its quotes. Returns false if a quote is never
// closed.
bool take_word(std::string_view& line, std::string& word) {
  char quote = '\0';
  bool escaped = false;
  std::size_t i = 0;
  for (; i < line.size(); ++i) {
    const char c = line[i];
    if (escaped) {
      escaped = false;
      word += c;
    } else if (c == '\\') {
      escaped = true;
    } else if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (is_blank(c) || c == '#') {
      break;
    } else {
      word += c;
    }
  }
  line.remove_prefix(i);
  return quote == '\0';
}

// Returns whether the words of a directive are "hetjob" or "packjob", which begins another
// component of a heterogeneous job.
bool begins_component(const std::vector<std::string>& words) {
  return words.size() == 1 && (words[0] == "hetjob" || words[0] == "packjob");
}

Failure apply_line(std::string_view line, ComponentOptions& all) {
  const Result<std::vector<std::string>> words = directive_words(line);
  if (!words) return words.refusal();
  if (begins_component(*words)) {
    if (std::cmp_greater_equal(all.asked.size(), limits::job_components_max))
      return Refusal{"the script has more than " + std::to_string(limits::job_components_max) +
                         " components, the limit",
                     "join those that are alike"};
    all.of(all.asked.size());
    return std::nullopt;
  }
  const Result<GivenOptions> given = read_options(*words, OptionPlace::Script);
  if (!given) return given.refusal();
  if (given->words_read < words->size() || given->double_dash) {
    const std::string& word = words->at(given->words_read - (given->double_dash ? 1 : 0));
    return Refusal{"Invalid directive found in batch script: " + printable(word),
                   "options begin with - or --; put quotes around a value that has blanks"};
  }
  return apply_options(*given, all.asked.back());
}

}  // namespace

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

bool is_command(std::string_view line) {
  line = skip_blanks(line);
  return !line.empty() && line.front() != '#';
}

Result<std::vector<std::string>> directive_words(std::string_view line) {
  std::vector<std::string> words;
  for (line = skip_blanks(line); !line.empty() && line.front() != '#'; line = skip_blanks(line)) {
    std::string word;
    if (!take_word(line, word))
      return Refusal{"a quote is opened and never closed", "close it on the same line"};
    words.push_back(std::move(word));
  }
  return words;
}

Failure check_script(std::string_view script, std::string_view name, bool as_sbatch) {
  const std::string who = printable(name);
  if (script.size() > limits::script_bytes_max)
    return Refusal{who + " has " + std::to_string(script.size()) +
                       " bytes, and a script may have " + std::to_string(limits::script_bytes_max),
                   "keep the data in a file that the script reads"};
  if (std::all_of(script.begin(), script.end(), [](char c) { return is_blank(c) || c == '\n'; }))
    return Refusal{"Batch script is empty! (" + who + ")",
                   std::string("give a script that begins with #!/bin/sh, or a command: ") +
                       (as_sbatch ? "sbatch --wrap='COMMAND'" : "cox submit -- ./program")};
  if (script.find('\0') != std::string_view::npos)
    return Refusal{who + " has NUL bytes: it is a program or data, not a script",
                   std::string("a program runs with ") +
                       (as_sbatch ? "sbatch --wrap=PROGRAM" : "cox submit -- PROGRAM")};
  if (!script.starts_with("#!"))
    return Refusal{"This does not look like a batch script: the first line of " + who +
                       " does not begin with #! and the path of an interpreter",
                   "make its first line #!/bin/sh, or #!/usr/bin/env python3"};
  if (script.find("\r\n") != std::string_view::npos)
    return Refusal{"Batch script contains DOS line breaks (\\r\\n), which no shell takes: " + who,
                   "take them out with sed -i 's/\\r$//' FILE"};
  return std::nullopt;
}

Failure apply_script_options(std::string_view script, std::string_view name,
                             ComponentOptions& all) {
  for (std::size_t number = 1; !script.empty(); ++number) {
    const std::size_t end = script.find('\n');
    const std::string_view line = script.substr(0, end);
    script.remove_prefix(end == std::string_view::npos ? script.size() : end + 1);
    if (!line.starts_with(directive)) {
      if (is_command(line)) return std::nullopt;
      continue;
    }
    if (Failure failure = apply_line(line.substr(directive.size()), all)) {
      failure->fact = printable(name) + " line " + std::to_string(number) + ": " + failure->fact;
      return failure;
    }
  }
  return std::nullopt;
}

}  // namespace cox
