// squeue's -o: "%i|%.8j %t": columns by letters, each with its width, and what stands between them.
// Pure.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "common/result.h"
#include "common/text.h"

namespace cox {

template <class View>
struct SqueueColumn {
  char letter;
  const char* head;
  std::string (*text)(const View& view);
};

struct SqueueWord {  // "%.8j"
  bool to_right = false;
  std::size_t width = 0;
  char letter = '%';
};

// The word that begins behind the '%' at `at`, which is left at its letter.
SqueueWord take_squeue_word(const std::string& format, std::size_t& at);
std::string fitted(std::string text, const SqueueWord& word);

// `text_of` gives each column's text. A letter without a column ends the walk: it is returned.
template <class View, class TextOf>
std::pair<std::string, char> walk_squeue(const std::string& format,
                                         std::span<const SqueueColumn<View>> columns,
                                         TextOf&& text_of) {
  std::string line;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      line += format[i];
      continue;
    }
    const SqueueWord word = take_squeue_word(format, i);
    const auto each = std::ranges::find(columns, word.letter, &SqueueColumn<View>::letter);
    if (each == columns.end()) return {line, word.letter};
    line += fitted(printable(text_of(*each)), word);
  }
  return {line, 0};
}

// A Refusal names the letter it lacks.
template <class View>
Result<std::string> squeue_head_line(const std::string& format,
                                     std::span<const SqueueColumn<View>> columns) {
  const auto [line, unknown] =
      walk_squeue(format, columns, [](const auto& each) { return std::string(each.head); });
  if (unknown == 0) return line;
  std::string known;
  for (const auto& each : columns) known += std::string(known.empty() ? "%" : " %") + each.letter;
  return Refusal{std::string("squeue: error: Invalid job format specification: ") + unknown,
                 "known are " + known};
}

}  // namespace cox
