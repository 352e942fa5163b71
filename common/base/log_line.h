// The form of a fact in the log: words and key=value pairs in one line. A value that contains
// blanks, or that came from outside, is quoted. The members of a JSON object are made from the
// same line, so each fact is written once in the code. Pure.
//   job=17 attempt=2 its supervisor is lost why="a \"cause\""
#pragma once

#include <string>
#include <string_view>

#include "common/base/ids.h"

namespace cox {

enum class LogLevel { Debug, Info, Warning, Error };
struct LogLine {
  LogLevel level = LogLevel::Info;
  std::string text;
};

// Returns the text in quotes, with \ before quotes and backslashes, so that any text can follow
// key=.
std::string quoted_value(std::string_view text);

// Returns "job=17 attempt=2 ", the beginning of a line about an attempt.
std::string about(AttemptKey key);

// Returns the line as members of a JSON object. A pair becomes a member: digits alone become a
// number, a quoted value is always text. The words become the member "fact". A pair whose name is
// already used stays among the words.
//   "job":17,"attempt":2,"why":"a \"cause\"","fact":"its supervisor is lost"
std::string json_members(std::string_view line);

}  // namespace cox
