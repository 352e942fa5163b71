// What clients ask of accounts, users and tiers and are answered; client_messages.h has the rest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/cluster/association.h"

namespace cox {

// Changes accounts, users and tiers, in the words of sacctmgr (accounting_request.h).
struct Administer {
  static constexpr int tag = 65;
  std::vector<std::string> words;
  bool test = false;                             // only says what would be done
  std::vector<std::vector<std::string>> rest{};  // further requests: all are done, or none
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.words, self.test, self.rest);
  }
};

struct ListAssociations {
  static constexpr int tag = 66;
  AssociationId after;  // the page begins behind this one
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.after);
  }
};

struct Administered {
  static constexpr int tag = 94;
  std::vector<std::string> lines;  // as sacctmgr prints them
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.lines);
  }
};

struct AssociationView {
  Association association;
  std::int64_t submitted = 0;  // jobs that wait or run, of it and of all below it
  std::int64_t running = 0;    // that hold room
  double usage = 0;            // seconds of billing, as they are worth now; with what runs
  double usage_part = 0;       // of all that was used
  double shares_part = 0;      // of the whole that is its own
  double fair_share = 0;       // of a user: from 1, the next to be served, towards 0
  // As limits count it, of it and of all below it:
  TresList held;                 // CPUs and GPUs, and whatever it has a limit or a quota of
  TresList minutes_used;         // of its GrpTRESMins: lately, or promised to what runs
  std::int64_t wall_used_s = 0;  // likewise of its GrpWall
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.association, self.submitted, self.running, self.usage, self.usage_part,
          self.shares_part, self.fair_share, self.held, self.minutes_used, self.wall_used_s);
  }
};

struct AssociationList {
  static constexpr int tag = 95;
  std::vector<AssociationView> associations;  // by id
  bool more = false;
  std::string cluster;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.associations, self.more, self.cluster);
  }
};

}  // namespace cox
