#include "common/io/host_groups.h"

#include <grp.h>

#include <cerrno>
#include <vector>

namespace cox {
namespace {

constexpr std::size_t group_bytes_first = 4'096;
// Largest row of a group, which has all its members.
constexpr std::size_t group_bytes_max = 16'777'216;

}  // namespace

// Has a buffer of its own, since two threads of the controller may look up groups at once.
std::optional<AllowedGroup> find_host_group(const std::string& name) {
  group row{};
  group* found = nullptr;
  std::vector<char> buffer(group_bytes_first);
  while (getgrnam_r(name.c_str(), &row, buffer.data(), buffer.size(), &found) == ERANGE &&
         buffer.size() < group_bytes_max)
    buffer.resize(buffer.size() * 2);
  if (found == nullptr) return std::nullopt;
  AllowedGroup allowed{name, row.gr_gid, {}};
  for (char** member = row.gr_mem; *member != nullptr; ++member)
    allowed.members.emplace_back(*member);
  return allowed;
}

}  // namespace cox
