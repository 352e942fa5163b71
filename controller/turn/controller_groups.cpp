// The groups of the controller's host that partitions let in (AllowGroups). Only the host knows
// them, and it may be slow to say: controller/io/group_finder.h looks them up. Those that could not
// be found let nobody in, and are looked up again.
#include <utility>

#include "common/base/limits.h"
#include "common/base/log_line.h"
#include "common/base/text.h"
#include "controller/turn/controller.h"

namespace cox {

std::vector<std::string> Controller::groups_wanted() const {
  std::vector<std::string> names;
  for (const auto& [group, partitions] : cluster_.groups_wanted()) names.push_back(group);
  return names;
}

// Logs a group that cannot be looked up once, and once more when it is found.
void Controller::groups_found(GroupsFound found) {
  if (state_ == State::Superseded) return;
  for (const auto& [group, partitions] : cluster_.groups_wanted()) {
    const auto now_known = found.groups.find(group);
    if (now_known == found.groups.end()) continue;
    const bool was_missing = cluster_.groups().contains(group);
    const std::string which =
        " group=" + quoted_value(group) + " partitions=" + quoted_value(joined(partitions, ","));
    if (now_known->second && was_missing)
      remark(false, "the group is found: its members may submit from now on" + which);
    if (!now_known->second && !was_missing)
      remark(true,
             "the group cannot be looked up on this host: nobody may submit as its member; "
             "it is looked up again every " +
                 std::to_string(limits::group_lookup_interval_ms / 1'000) + " s" + which);
  }
  queue_.put(std::move(found));
}

}  // namespace cox
