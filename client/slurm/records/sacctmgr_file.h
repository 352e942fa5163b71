// `sacctmgr dump` and `sacctmgr load`: the tree of accounts as a file, in Slurm's format:
//
//   Cluster - 'lab':Fairshare=1
//   Parent - 'root'
//   Account - 'physics':Description='all of it':Fairshare=10:GrpTRES='cpu=64'
//   Parent - 'physics'
//   User - 'ada':DefaultAccount='physics':Fairshare=1:MaxJobs=5
//
// `load` ignores the cluster's name in the file, since there is only one cluster. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/messages/messages.h"

namespace cox {

struct DumpRequest {
  std::string file;     // empty: CLUSTER.cfg in the current folder
  std::string cluster;  // empty: this cluster
};
// Returns the options of `dump`. Returns nothing if the words are another command.
std::optional<Result<DumpRequest>> parse_dump(const std::vector<std::string>& words);
// Refuses a dump of a cluster other than that of `list`.
Failure check_dump(const DumpRequest& wish, const AssociationList& list);
std::string dump_text(const AssociationList& list);

struct LoadRequest {
  std::string file;
  bool clean = false;  // clean: first delete all existing accounts
};
std::optional<Result<LoadRequest>> parse_load(const std::vector<std::string>& words);

struct LoadPlan {
  std::vector<std::vector<std::string>> requests;  // words of sacctmgr
  std::vector<std::string> notes;  // parts of the file that load ignores, for the user
};
// Returns the requests that add or modify the accounts and users in `text`, the text of a dump.
// `now`: the accounts and users that exist.
Result<LoadPlan> load_plan(const LoadRequest& wish, const std::string& text,
                           const AssociationList& now);

}  // namespace cox
