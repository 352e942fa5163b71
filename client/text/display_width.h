// How many columns of a terminal a text takes: wide characters of East Asia and emoji take 2,
// combining characters 0. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cox {

// REQUIRES: valid UTF-8 without control characters, as printable() makes it; other bytes count 1.
std::size_t display_width(std::string_view text);

// At most `columns` columns of the text, with ".." at the end if something is missing. Cuts between
// characters, and not inside a number unless it begins the text.
std::string cut_to_width(std::string_view text, std::size_t columns);

// The text in lines of at most `columns` columns, broken at blanks. A longer word is broken too.
std::vector<std::string> wrapped_to_width(std::string_view text, std::size_t columns);

}  // namespace cox
