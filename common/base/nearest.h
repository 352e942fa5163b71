// "Did you mean ...?" for every name a person may misspell: options, commands, configuration keys,
// nodes. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cox {

// How many letters must be put in, left out, replaced or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to the word; empty when none is near enough to be what was meant. Of
// several equally near the first.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// "did you mean X?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace cox
