#include "common/io/host_groups.h"

#include <grp.h>

namespace cox {

std::optional<AllowedGroup> find_host_group(const std::string& name) {
  const group* found = getgrnam(name.c_str());
  if (found == nullptr) return std::nullopt;
  AllowedGroup allowed{name, found->gr_gid, {}};
  for (char** member = found->gr_mem; *member != nullptr; ++member)
    allowed.members.emplace_back(*member);
  return allowed;
}

}  // namespace cox
