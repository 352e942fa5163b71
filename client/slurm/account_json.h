// sacctmgr and sshare --json: in the shape of Slurm 23.11's data parser v0.0.40, what we have of
// it. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/screen.h"
#include "common/messages.h"

namespace cox {

// Of whom a row is shown, as the text has it.
struct ShareShown {
  const AssociationView* view = nullptr;
  double of_siblings = 0;  // of what it and those beside it have used, its part
};
std::string json_of_shares(const std::vector<ShareShown>& rows, const std::string& cluster,
                           const Screen& screen);

using Associations = std::vector<const Association*>;
std::string json_of_accounts(const Associations& all, const std::string& cluster,
                             const Screen& screen);
std::string json_of_users(const Associations& all, const std::string& cluster,
                          const Screen& screen);
std::string json_of_associations(const Associations& all, const std::string& cluster,
                                 const Screen& screen);
std::string json_of_qos(const std::vector<const Qos*>& all, const std::string& cluster,
                        const Screen& screen);

}  // namespace cox
