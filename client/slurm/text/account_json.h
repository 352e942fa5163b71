// sacctmgr and sshare --json: in the shape of Slurm 23.11's data parser v0.0.40, what we have of
// it. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/slurm/records/sacctmgr_columns.h"
#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// Of whom a row is shown, as the text has it.
struct ShareShown {
  const AssociationView* view = nullptr;
  double of_siblings = 0;  // of what it and those beside it have used, its part
};
std::string json_of_shares(const std::vector<ShareShown>& rows, const std::string& cluster,
                           const Screen& screen);

// What sacctmgr shows. Of each account or user that has a row, those of `each` that are its own;
// what is said of an account itself is in `list`, whether or not it has a row.
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
