// The groups of the controller's host that partitions admit (AllowGroups). A lookup may be slow, so
// controller/io/group_finder.h does it in a thread of its own. A group that could not be found
// admits nobody and is looked up again.
#include <utility>

#include "common/base/limits.h"
#include "common/base/log_line.h"
#include "common/base/text.h"
#include "controller/turn/controller.h"

namespace cox {

std::vector<std::string> Controller::unknown_groups() const {
  std::vector<std::string> names;
  for (const auto& [group, partitions] : cluster_.partitions().unknown_groups())
    names.push_back(group);
  return names;
}

// Logs a group that cannot be looked up once, and once more when it is found.
void Controller::groups_found(GroupsFound found) {
  if (state_ == State::Superseded) return;
  for (const auto& [group, partitions] : cluster_.partitions().unknown_groups()) {
    const auto now_known = found.groups.find(group);
    if (now_known == found.groups.end()) continue;
    const bool was_missing = cluster_.partitions().groups().contains(group);
    const std::string which =
        " group=" + quoted_value(group) + " partitions=" + quoted_value(joined(partitions, ","));
    if (now_known->second && was_missing)
      effects_.inform("the group is found: its members may submit from now on" + which);
    if (!now_known->second && !was_missing)
      effects_.warn(
          "the group cannot be looked up on this host: nobody may submit as its member; "
          "it is looked up again every " +
          std::to_string(limits::group_lookup_interval_ms / 1'000) + " s" + which);
  }
  queue_.put(std::move(found));
}

}  // namespace cox
