// What jobs hold of their limits: running jobs, jobs with a claim, and jobs that a pass has decided
// on. A limit is only a number here. Limits are independent of room: a job that waits for a limit
// preempts no job and has nothing reserved.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedule/model/limit.h"
#include "schedule/model/request.h"
#include "schedule/model/whole_node.h"

namespace cox::schedule {

// Returns what a gang of this many nodes and tasks counts against a limit. `request`: the
// alternative that is placed. `whole`: for an exclusive job, what each node counts against limits
// of resource time.
using Whole = std::optional<WholeNode>;
std::int64_t count_of(const Limit& limit, const Request& request, std::int64_t nodes,
                      std::int64_t tasks, const Whole& whole = std::nullopt);

class LimitUse {
 public:
  // Sets what the job holds of its limits, replacing what it held before. Returns true if it held
  // nothing before.
  bool hold(JobId id, const Limits& limits, const Request& request, std::int64_t nodes,
            std::int64_t tasks, const Whole& whole = std::nullopt);
  // Adds what one more array task holds, for a job that stands for several.
  void hold_more(JobId id, const Limits& limits, const Request& request, std::int64_t nodes,
                 std::int64_t tasks, const Whole& whole = std::nullopt);
  void release(JobId id);  // does nothing if the id is unknown

  // Returns whether the limits allow the job this much beside what all other jobs hold. Without
  // `id`, everything that is held counts. Ignores limits that reserve room for other jobs.
  bool allows(std::optional<JobId> id, const Limits& limits, const Request& request,
              std::int64_t nodes, std::int64_t tasks, const Whole& whole = std::nullopt) const;

  // Returns whether the job leaves free what some limits reserve for other jobs
  // (Limit::is_of_room), once the jobs in `without` have been preempted.
  bool leaves_room(const Limits& limits, const Request& request, std::int64_t nodes,
                   std::int64_t tasks, std::span<const JobId> without = {}) const;

  // Sets the amount that counts against a limit in addition to what jobs hold: earlier usage. For a
  // limit that reserves room, it is the negative of what all nodes have.
  void charge(std::int32_t limit, std::int64_t count);

  // Adds what `jobs` equal tasks of a queued job ask for, by the alternative that asks for most.
  // Ignores limits of resource time and limits that reserve room.
  void add_demand(const Limits& limits, const Request& request, std::int64_t jobs);
  std::int64_t demand(std::int32_t limit) const;

  const std::vector<std::int64_t>& charged() const { return charged_; }  // by limit

  std::int64_t used(std::int32_t limit) const;  // what jobs hold, plus what charge() has set
  std::int64_t used_by(JobId id, std::int32_t limit) const;

  std::int64_t version() const { return version_; }  // increases whenever a held amount changes

  using Holding = std::vector<std::pair<std::int32_t, std::int64_t>>;  // limit and amount
  const std::unordered_map<JobId, Holding>& holdings() const { return holdings_; }

 private:
  void add(const Holding& holding, std::int64_t by);

  // what each job holds of its limits; only jobs with limits
  std::unordered_map<JobId, Holding> holdings_;
  std::vector<std::int64_t> used_;     // by limit
  std::vector<std::int64_t> charged_;  // by limit
  std::vector<std::int64_t> demand_;   // by limit
  std::int64_t version_ = 0;
};

}  // namespace cox::schedule
