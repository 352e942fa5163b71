// "Did you mean ...?" for names that a person may misspell: options, commands, configuration
// keys, nodes. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cox {

// Returns how many letters must be inserted, deleted, replaced or swapped with a neighbour to
// turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the candidate with the smallest edit_distance() to the word, the first of several equal
// ones. Returns an empty text if the distance is more than a third of the word's length.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// Returns "did you mean X?", or an empty text.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace cox
