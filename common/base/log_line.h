// The form of a fact in the log: words and key=value pairs, in one line. A value with blanks, or
// one that came from elsewhere, is quoted. The same line as members of a JSON object is made from
// it, so that a fact is written once. Pure.
//   job=17 attempt=2 its supervisor is lost why="a \"cause\""
#pragma once

#include <string>
#include <string_view>

#include "common/base/ids.h"

namespace cox {

// In quotes, with \ before quotes and backslashes: what may follow key= whatever is in it.
std::string quoted_value(std::string_view text);

// "job=17 attempt=2 ", to go before what is said of the attempt.
std::string about(AttemptKey key);

// A pair becomes a member; digits alone are a number, what is quoted is always text. The words
// become the member "fact". A pair whose name is taken stays among the words.
//   "job":17,"attempt":2,"why":"a \"cause\"","fact":"its supervisor is lost"
std::string json_members(std::string_view line);

}  // namespace cox
