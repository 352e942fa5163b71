// `sacctmgr dump` and `sacctmgr load`: the tree of accounts as a file, in Slurm's format:
//
//   Cluster - 'lab':Fairshare=1
//   Parent - 'root'
//   Account - 'physics':Description='all of it':Fairshare=10:GrpTRES='cpu=64'
//   Parent - 'physics'
//   User - 'ada':DefaultAccount='physics':Fairshare=1:MaxJobs=5
//
// There is one cluster, so its name in a loaded file means nothing. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/messages/messages.h"

namespace cox {

struct DumpWish {
  std::string file;     // empty: CLUSTER.cfg in this folder
  std::string cluster;  // empty: this one
};
// Nothing: the words are no dump.
std::optional<Result<DumpWish>> dump_asked(const std::vector<std::string>& words);
// Refuses the name of another cluster.
Failure check_dump(const DumpWish& wish, const AssociationList& list);
std::string dump_text(const AssociationList& list);

struct LoadWish {
  std::string file;
  bool clean = false;  // all that is there is deleted first
};
std::optional<Result<LoadWish>> load_asked(const std::vector<std::string>& words);

struct LoadPlan {
  std::vector<std::vector<std::string>> requests;  // as sacctmgr takes them
  std::vector<std::string> notes;                  // what of the file is not taken over
};
// Adds what is not there and modifies what is.
Result<LoadPlan> load_plan(const LoadWish& wish, const std::string& text,
                           const AssociationList& now);

}  // namespace cox
