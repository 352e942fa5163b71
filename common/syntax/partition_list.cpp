#include "common/syntax/partition_list.h"

#include <algorithm>

namespace cox {

std::vector<std::string_view> partition_names(std::string_view names) {
  std::vector<std::string_view> found;
  for (std::size_t from = 0; from <= names.size();) {
    const std::size_t to = std::min(names.find(',', from), names.size());
    const std::string_view one = names.substr(from, to - from);
    if (!one.empty() && std::ranges::find(found, one) == found.end()) found.push_back(one);
    from = to + 1;
  }
  return found;
}

bool names_partition(std::string_view names, std::string_view partition) {
  const std::vector<std::string_view> all = partition_names(names);
  return std::ranges::find(all, partition) != all.end();
}

}  // namespace cox
