// sacctmgr --json and sshare --json, in the shape of Slurm 23.11's data parser v0.0.40, with the
// values that Coxswain has. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/slurm/records/sacctmgr_columns.h"
#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// A row of sshare: an account, or a user in an account.
struct ShareShown {
  const AssociationView* view = nullptr;
  double share_of_siblings = 0;  // 0 to 1: its part of the use below its parent
};
std::string json_of_shares(const std::vector<ShareShown>& rows, const std::string& cluster,
                           const Screen& screen);

// These return what `sacctmgr show` prints with --json. Each account or user in `rows` is listed
// with its associations from `each`. The description and the coordinators of an account come from
// `list`.
std::string json_of_accounts(const AccountingRows& rows, const AccountingRows& each,
                             const AssociationList& list, const Screen& screen);
std::string json_of_users(const AccountingRows& rows, const AccountingRows& each,
                          const std::string& cluster, const Screen& screen);
std::string json_of_associations(const AccountingRows& rows, const std::string& cluster,
                                 const Screen& screen);
std::string json_of_clusters(const AccountingRows& rows, const std::string& cluster,
                             const Screen& screen);
std::string json_of_qos(const AccountingRows& rows, const std::string& cluster,
                        const Screen& screen);
std::string json_of_tres(const AccountingRows& rows, const std::string& cluster,
                         const Screen& screen);

}  // namespace cox
