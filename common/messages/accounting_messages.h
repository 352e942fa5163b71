// The requests of clients about accounts, users and QOS, and the replies. client_messages.h has all
// other messages of clients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/cluster/association.h"

namespace cox {

// Changes accounts, users and QOS. The request has the words of a sacctmgr command line
// (accounting_request.h).
struct Administer {
  static constexpr int tag = 65;
  std::vector<std::string> words;
  bool test = false;                             // changes nothing; only reports what would be done
  std::vector<std::vector<std::string>> rest{};  // further requests; all are carried out, or none
  COX_FIELDS(words, test, rest);
};

struct ListAssociations {
  static constexpr int tag = 66;
  AssociationId after;  // last id of the page before; 0: the first page
  COX_FIELDS(after);
};

struct Administered {
  static constexpr int tag = 94;
  std::vector<std::string> lines;  // the text that sacctmgr prints
  COX_FIELDS(lines);
};

struct AssociationView {
  Association association;
  std::int64_t submitted = 0;  // pending and running jobs of the association and all below it
  std::int64_t running = 0;    // jobs that have resources
  double usage = 0;            // decayed usage in billing seconds, including running jobs
  double usage_part = 0;       // its part of the usage of all associations, 0 to 1
  double shares_part = 0;      // its part of the shares of all associations, 0 to 1
  double fair_share = 0;       // of a user: factor of the priority, from 1 (has used least) to 0
  // These count the jobs of the association and of all below it, as its limits do. `held` is what
  // running jobs have now.
  TresList held;  // CPUs, GPUs, and each resource with a limit or quota
  // What counts against its GrpTRESMins: decayed usage, and minutes reserved for running jobs.
  TresList minutes_used;
  std::int64_t wall_used_s = 0;  // wall time that counts against its GrpWall
  COX_FIELDS(association, submitted, running, usage, usage_part, shares_part, fair_share, held,
             minutes_used, wall_used_s);
};

struct AssociationList {
  static constexpr int tag = 95;
  std::vector<AssociationView> associations;  // by id
  bool more = false;
  std::string cluster;
  COX_FIELDS(associations, more, cluster);
};

}  // namespace cox
