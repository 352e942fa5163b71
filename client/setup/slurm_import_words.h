// What is said of settings of Slurm that `cox import` does not take over. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cox {

enum class ImportFate : std::uint8_t {
  Same,     // it holds here without being said
  Missing,  // there is nothing like it
};

struct ImportWords {
  std::string_view name;  // in lower case
  ImportFate fate;
  std::string_view words;  // why, or what to do instead
};

// Null: it is none of these. However the name is written.
const ImportWords* words_of_setting(std::string_view name);
const ImportWords* words_of_partition(std::string_view name);
const ImportWords* words_of_node(std::string_view name);

std::vector<std::string_view> names_with_words();  // of slurm.conf's settings

}  // namespace cox
