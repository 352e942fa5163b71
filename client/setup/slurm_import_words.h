// The notes for settings of Slurm that `cox import` does not take over. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cox {

enum class ImportFate : std::uint8_t {
  Same,     // Coxswain always behaves so
  Missing,  // Coxswain has no counterpart
};

struct ImportWords {
  std::string_view name;  // in lower case
  ImportFate fate;
  std::string_view words;  // text of the note: the reason, or what to do instead
};

// These return the note for a setting; null: it has none. The case of the name does not matter.
const ImportWords* words_of_setting(std::string_view name);
const ImportWords* words_of_partition(std::string_view name);
const ImportWords* words_of_node(std::string_view name);

// Returns the settings of slurm.conf that have a note.
std::vector<std::string_view> names_with_words();

}  // namespace cox
