// An advance reservation, as Slurm has them: nodes that are kept for some users, accounts or QOSes
// from a time on, once or again and again. A row of cox.reservation, the controller's memory of it,
// and what clients are shown. Pure.
//
// Which nodes are settled when it is made, and when it is changed; `begin` and `end` are those of
// the occurrence that is on, or of the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/job/job.h"

namespace cox {

enum class Recurrence : std::uint8_t { None, Hourly, Daily, Weekly, Weekday, Weekend };
std::string_view name(Recurrence r);  // "daily", as the SQL enum

struct AdvanceReservation {
  std::string name;
  Wall begin{};
  Wall end{};
  Recurrence recurrence = Recurrence::None;
  std::vector<std::string> nodes;  // settled, sorted

  // As asked. Of those four only the first, or any of the others.
  std::string nodes_asked;      // "n[1-4]", "ALL"
  std::int64_t node_count = 0;  // 0: as few as have what `tres` says
  std::string features;         // of each of them (constraint.h)
  std::string tres;             // all of them together (tres.h)
  std::string partition;        // they are taken from; empty: from all

  // Who may use it: all three, each empty for anybody; a name behind a '-' is of those who may not.
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  std::vector<std::string> qos;

  bool maint = false;        // told as maintenance; may be laid over others
  bool magnetic = false;     // jobs that may use it need not ask for it
  bool flex = false;         // its jobs may also run outside of it, before it and after it
  bool overlap = false;      // may be laid over others
  bool ignore_jobs = false;  // may be made on nodes whose jobs run into it

  Wall changed{};
  std::string changed_by;  // "user root", "controller"

  bool static_alloc = false;      // nodes that become unusable are not replaced
  bool replace_down = false;      // they are, as they are without it
  std::int64_t purge_idle_s = 0;  // this occurrence ends when it had no jobs for so long; 0: never

  // It may be laid over others, and its jobs then have the nodes.
  bool overrules() const { return maint || overlap; }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.begin, self.end, self.recurrence, self.nodes, self.nodes_asked,
          self.node_count, self.features, self.tres, self.partition, self.users, self.accounts,
          self.qos, self.maint, self.magnetic, self.flex, self.overlap, self.ignore_jobs,
          self.changed, self.changed_by, self.static_alloc, self.replace_down, self.purge_idle_s);
  }
  bool operator==(const AdvanceReservation&) const = default;
};

// What `settings` ("Nodes=n[1-2]", by Slurm's names, in whatever case) make of it. Times are as
// parse_moment reads them, "now" is one too. "+=" and "-=" add to users, accounts, QOSes, nodes,
// their number and the duration, and take from them; flags are added, and taken back with a '-'.
Result<AdvanceReservation> with_settings(const AdvanceReservation& before,
                                         const std::vector<std::string>& settings, Wall now);
// Slurm's names of settings, and of those among them that are moments.
std::vector<std::string_view> reservation_settings();
bool is_reservation_moment(std::string_view name);

// "users alice, bob in account physics"
std::string whom_text(const AdvanceReservation& r);

// Who asks for it by name, or is drawn in.
// `accounts_above`: those that the job's account is part of.
bool may_use(const AdvanceReservation& r, const JobSpec& spec,
             const std::vector<std::string>& accounts_above = {});

// An occurrence of it: the present or next one is the first.
struct Occurrence {
  Wall begin;
  Wall end;
};
// As many as asked for at most, of those that are not over.
std::vector<Occurrence> occurrences_of(const AdvanceReservation& r, Wall now, std::size_t most);
// Returns the first occurrence of b that overlaps an occurrence of a, however far ahead. It
// compares one week after both have begun, because every recurrence repeats after a week.
std::optional<Occurrence> first_meeting(const AdvanceReservation& a, const AdvanceReservation& b,
                                        Wall now);

inline constexpr std::size_t occurrences_planned = 8;  // known to the scheduler ahead

}  // namespace cox
