// Widths of texts in columns of a terminal: wide characters of East Asia and emoji take 2 columns,
// combining characters none. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cox {

// Returns the number of columns that the text takes. REQUIRES: valid UTF-8 without control
// characters, as printable() makes it; each invalid byte counts as 1 column.
std::size_t display_width(std::string_view text);

// Cuts the text to at most `columns` columns; a cut text ends in "..". Does not split a character,
// nor a number unless the text begins with it.
std::string cut_to_width(std::string_view text, std::size_t columns);

// Cuts each text with cut_to_width(). Different names that would then look alike are cut in the
// middle instead, so that their ends show: "train..-lr1" and "train..-lr2". Texts with blanks are
// sentences, and are always cut at their end.
std::vector<std::string> cut_apart(const std::vector<std::string>& texts, std::size_t columns);

// Breaks the text at blanks into lines of at most `columns` columns. A word that is longer than a
// line is broken, too.
std::vector<std::string> wrapped_to_width(std::string_view text, std::size_t columns);

}  // namespace cox
