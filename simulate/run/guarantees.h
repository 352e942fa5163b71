// Measures whether accounts have what they are guaranteed. An account is short while a job of it
// waits that would fit in the guarantee beside what the account holds. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "simulate/trace/accounts.h"

namespace cox::simulate {

class Guarantees {
 public:
  explicit Guarantees(const Accounts& accounts);

  // Records that the job begins or stops waiting; with `on_nodes`, that it begins or stops being on
  // its nodes.
  void change(OwnerAt owner, const TraceJob& job, bool on_nodes, bool begins);
  // Records which accounts are short from `now` on, by what change() has recorded so far.
  void look(Milliseconds now);
  // Returns the longest time that the account was short; empty if nothing is guaranteed to it.
  std::optional<double> longest_short_s(OwnerAt owner) const;

 private:
  struct Guarantee {
    OwnerAt account = 0;
    TresCount what;  // including the count
    std::int64_t held = 0;
    std::multiset<std::int64_t> requested;  // the amount that each waiting job asks for
    std::optional<Milliseconds> short_since;
    Milliseconds longest{0};
  };
  bool is_of(OwnerAt owner, OwnerAt account) const;

  const Accounts& accounts_;
  std::vector<Guarantee> all_;
};

}  // namespace cox::simulate
