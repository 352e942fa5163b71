// An advance reservation, as in Slurm: nodes that are reserved for some users, accounts or QOS
// for a time, once or repeatedly. It is a row of cox.reservation, the controller's copy in
// memory, and a reply to clients. Pure.
//
// The controller chooses the nodes when the reservation is created or changed. `begin` and `end`
// are the times of the present occurrence, or of the next one if none is present.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/job/job.h"

namespace cox {

enum class Recurrence : std::uint8_t { None, Hourly, Daily, Weekly, Weekday, Weekend };
std::string_view name(Recurrence r);  // "daily", as in the SQL enum

struct AdvanceReservation {
  std::string name;
  Wall begin{};
  Wall end{};
  Recurrence recurrence = Recurrence::None;
  std::vector<std::string> nodes;  // chosen, sorted

  // The nodes that were requested: by name in nodes_asked, or by node_count, features and tres.
  std::string nodes_asked;      // "n[1-4]", "ALL"
  std::int64_t node_count = 0;  // 0: as few nodes as together have `tres`
  std::string features;         // features of each node (constraint.h)
  std::string tres;             // resources of all nodes together (tres.h)
  std::string partition;        // nodes must be in this partition; empty: in any

  // A job may use the reservation if all three lists admit it. An empty list admits every job, but
  // if all three are empty, no job may. A name after '-' is excluded.
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  std::vector<std::string> qos;

  bool maint = false;        // Slurm's MAINT; may overlap other reservations
  bool magnetic = false;     // also takes jobs that may use it and name no reservation
  bool flex = false;         // its jobs may also run before it begins and after it ends
  bool overlap = false;      // may overlap other reservations
  bool ignore_jobs = false;  // may take nodes whose running jobs end after its begin

  Wall changed{};
  std::string changed_by;  // "user root", "controller"

  bool static_alloc = false;      // nodes that become unusable are not replaced
  bool replace_down = false;      // unusable nodes are replaced, which is also the default
  std::int64_t purge_idle_s = 0;  // ends an occurrence that had no jobs for this time; 0: never

  // Returns whether the reservation may overlap others; on shared nodes its jobs come first.
  bool overrules() const { return maint || overlap; }

  COX_FIELDS(name, begin, end, recurrence, nodes, nodes_asked, node_count, features, tres,
             partition, users, accounts, qos, maint, magnetic, flex, overlap, ignore_jobs, changed,
             changed_by, static_alloc, replace_down, purge_idle_s);
  bool operator==(const AdvanceReservation&) const = default;
};

// Returns the reservation `before` with changed settings. A setting is NAME=VALUE with Slurm's
// names in any case, such as "Nodes=n[1-2]". Times have the form of parse_moment(), or are "now".
// "+=" and "-=" add to or remove from users, accounts, QOS, nodes, the number of nodes and the
// duration. "Flags=-DAILY" removes a flag.
Result<AdvanceReservation> with_settings(const AdvanceReservation& before,
                                         const std::vector<std::string>& settings, Wall now);
// These return Slurm's names of the settings, and whether the setting of a name is a moment.
std::vector<std::string_view> reservation_settings();
bool is_reservation_moment(std::string_view name);

// Returns the users, accounts and QOS as text: "users alice, bob, account physics". A reservation
// for maintenance begins with "maintenance".
std::string access_text(const AdvanceReservation& r);

// Returns whether the user, the account and the QOS of the job are admitted. A reservation for an
// account also admits the accounts below it; `accounts_above` are the accounts above the job's own.
bool may_use(const AdvanceReservation& r, const JobSpec& spec,
             const std::vector<std::string>& accounts_above = {});

// One time span of a reservation; a reservation that does not recur has only one.
struct Occurrence {
  Wall begin;
  Wall end;
};
// Returns the occurrences that are not over at `now`, in order, at most `most` of them.
std::vector<Occurrence> occurrences_of(const AdvanceReservation& r, Wall now, std::size_t most);
// Returns the first occurrence of b that overlaps an occurrence of a, however far ahead. Compares
// only the first week in which both may occur, because every recurrence repeats after a week.
std::optional<Occurrence> first_overlap(const AdvanceReservation& a, const AdvanceReservation& b,
                                        Wall now);

inline constexpr std::size_t occurrences_planned = 8;  // next occurrences that the scheduler gets

}  // namespace cox
