// The outage of PostgreSQL: since when the database is away, why, and which changes are not
// recorded yet. Used only by Controller. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/messages/client_messages.h"
#include "controller/change/change.h"

namespace cox {

class Outage {
 public:
  void begin(std::string why, Now now);
  bool end();  // returns whether there was an outage
  bool is_on() const { return since_.has_value(); }
  // Returns whether the outage has lasted 2 s or longer, so that requests are refused.
  bool is_long(Boot now) const;
  // Returns the refusal of a request. `is_read_only`: the request changes nothing. REQUIRES:
  // is_on().
  Refusal refusal(bool is_read_only, Boot now) const;
  // Adds to a reply that is made from memory the time since which nothing is recorded, and the
  // changes that are not recorded.
  void mark(Reply& reply) const;

  // Records the changes of the turn in flight, which PostgreSQL has not committed.
  void note_unrecorded(const std::vector<Change>& changes);
  void forget_unrecorded();

 private:
  std::vector<std::string> unrecorded() const;

  std::optional<Boot> since_;
  Wall at_{};  // the same time as since_, on the wall clock
  std::string why_;
  std::vector<JobId> unrecorded_jobs_;
  std::vector<std::string> unrecorded_others_;  // "node n1"
};

}  // namespace cox
