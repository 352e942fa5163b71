// The incident that PostgreSQL answers, but refuses what the controller writes: for example because
// the site has added a column or a constraint to a table of the schema cox. Part of SoftState.
// Controller notes each refused turn; `cox status`, `cox doctor` and `cox why` show the incident.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "common/base/time.h"

namespace cox {

class DatabaseRefusal {
 public:
  // How long after a refusal the controller tries again what was refused, and for how long after
  // the newest refusal the incident lasts.
  static constexpr Milliseconds retry{30'000};
  static constexpr Milliseconds remembered{90'000};

  void note(const std::string& why, Now now);
  // Returns whether it is time to try again. Ends an incident that is over.
  bool is_retry_due(Boot now);
  // Returns "refuses writes since <moment>: <text of the error>"; empty: there is no incident.
  std::string text() const;

 private:
  std::optional<Wall> since_;
  Boot newest_{};
  Boot tried_{};
  std::string why_;
};

}  // namespace cox
