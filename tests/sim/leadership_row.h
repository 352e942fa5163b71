// The row of cox.leadership, by the database's clock. It does the same as
// sql/queries/leadership_lease.sql and leadership_resign.sql.
#pragma once

#include <algorithm>
#include <string>

#include "controller/leader/leader_lease.h"

namespace cox::sim {

class LeadershipRow {
 public:
  LeaderLease::Answer ask(const std::string& who, const LeaderLease::Question& question,
                          Milliseconds now) {
    const bool ours = holder_ == who;
    if (ours || ends_ <= now || ends_ > now + std::chrono::hours{2}) {
      if (!ours) since_ = now;
      const bool no_more = question.has_never_led && ours;
      ends_ = no_more ? std::max(ends_, since_ + question.lease) : now + question.lease;
      holder_ = who;
    }
    return {holder_ == who, holder_, std::to_string(since_.count())};
  }

  void resign(const std::string& who, Milliseconds now) {
    if (holder_ == who) ends_ = now;
  }

  const std::string& holder() const { return holder_; }

 private:
  std::string holder_;
  Milliseconds since_{0};
  Milliseconds ends_{0};
};

}  // namespace cox::sim
