#include "common/base/variables.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace cox {

Variables users_variables(const std::string& block) {
  Variables variables;
  for (std::size_t begin = 0; begin < block.size();) {
    const std::size_t end = std::min(block.find('\0', begin), block.size());
    const std::string_view entry = std::string_view(block).substr(begin, end - begin);
    const std::size_t equals = entry.find('=');
    if (equals != std::string_view::npos && equals > 0) {
      variables[std::string(entry.substr(0, equals))] = entry.substr(equals + 1);
    }
    begin = end + 1;
  }
  return variables;
}

std::vector<std::string> entries_of(const Variables& v) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : v) entries.push_back(name + "=" + value);
  return entries;
}

}  // namespace cox
