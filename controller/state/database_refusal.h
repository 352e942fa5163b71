// The incident that PostgreSQL answers, but refuses what the controller writes: for example because
// the site has added a column or a constraint to a table of the schema cox. Part of SoftState.
// Controller notes each refused turn; `cox status` and `cox doctor` show the incident, and
// `cox why` shows it if jobs wait for it. Pure.
//
// What the controller writes of its own accord, such as the start of a job, is tried again. A
// refused request is not: its client has got the refusal.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "controller/change/change.h"

namespace cox {

class DatabaseRefusal {
 public:
  // How long after a refusal the controller tries again what was refused, and for how long after
  // the newest refusal the incident lasts.
  static constexpr Milliseconds retry{30'000};
  static constexpr Milliseconds remembered{90'000};
  // How long the answers to a retry may take.
  static constexpr Milliseconds settling{5'000};
  using Kinds = std::set<std::size_t>;  // kinds of changes: indices of the variant Change

  static Kinds kinds_of(const std::vector<Change>& changes);

  // Records that a write was refused which is tried again, with changes of these kinds.
  void note(const std::string& why, Kinds kinds, Now now);
  // Records that a client's request was refused, which would have made changes of these kinds.
  void note_request(const std::string& why, Kinds kinds, Now now);
  // Records that changes of these kinds were committed. Ends the incident of a refused request if
  // all kinds of its changes are among them. Ends that of other writes if all kinds of the changes
  // last refused have been committed since, and it was time to try again.
  void note_commit(const Kinds& kinds);
  // Returns whether it is time to try again. Ends an incident that is over.
  bool is_retry_due(Boot now);
  // Returns "refuses writes since <moment>: <text of the error>"; empty: nothing is tried again.
  std::string writes_text() const;
  // Returns writes_text(), or else "has refused a request at <moment>: <text of the error>"; empty:
  // there is no incident.
  std::string text() const;

 private:
  struct RefusedRequest {
    Now at{};  // of the newest one
    std::string why;
    Kinds kinds;
  };

  std::optional<Wall> since_;
  Boot newest_{};
  Boot tried_{};
  std::string why_;
  Kinds refused_;  // kinds of changes last refused, of which none was committed since newest_
  std::optional<RefusedRequest> request_;
};

}  // namespace cox
