// Whether accounts have what they are guaranteed. One is short of it while a job of it waits that
// would not be beyond the guarantee, beside what the account holds. Pure.
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

  // The job begins or ends to wait, or to be on its nodes.
  void change(OwnerAt owner, const TraceJob& job, bool on_nodes, bool begins);
  // As it is from this instant on.
  void look(Milliseconds now);
  // Empty: nothing is guaranteed to it.
  std::optional<double> longest_short_s(OwnerAt owner) const;

 private:
  struct Guarantee {
    OwnerAt account = 0;
    TresCount what;  // with the count
    std::int64_t held = 0;
    std::multiset<std::int64_t> asked;  // by each job that waits
    std::optional<Milliseconds> short_since;
    Milliseconds longest{0};
  };
  bool is_of(OwnerAt owner, OwnerAt account) const;

  const Accounts& accounts_;
  std::vector<Guarantee> all_;
};

}  // namespace cox::simulate
