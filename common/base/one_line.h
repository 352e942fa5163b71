// Shows several lines of text as one, such as the output of a program in a message. Pure.
#pragma once

#include <string>
#include <string_view>

namespace cox {

// Returns the lines as printable() makes them, joined by "; ". Blanks at the end of a line and
// empty lines are left out.
std::string one_line(std::string_view text);

}  // namespace cox
