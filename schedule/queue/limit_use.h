// What jobs hold of the limits they count against: those that run, those that a place is kept for,
// and those that a pass has decided on. A limit is a number here; who sets it knows what it means.
// Room has nothing to do with it: a job that a limit keeps back waits for nobody to give way, and
// holds up nobody.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedule/model/limit.h"
#include "schedule/model/request.h"
#include "schedule/model/whole_node.h"

namespace cox::schedule {

// What a gang of so many nodes and tasks counts. `request`: the alternative that serves it.
// `whole`: of one that takes whole nodes, what counts of each by the minute.
using Whole = std::optional<WholeNode>;
std::int64_t count_of(const Limit& limit, const Request& request, std::int64_t nodes,
                      std::int64_t tasks, const Whole& whole = std::nullopt);

class LimitUse {
 public:
  // Of this job from now on, whatever it held before. True: it held nothing before.
  bool hold(JobId id, const Limits& limits, const Request& request, std::int64_t nodes,
            std::int64_t tasks, const Whole& whole = std::nullopt);
  // Beside what it holds already: one more of those that it stands for.
  void hold_more(JobId id, const Limits& limits, const Request& request, std::int64_t nodes,
                 std::int64_t tasks, const Whole& whole = std::nullopt);
  void release(JobId id);  // if it is known

  // Whether the job may have so much beside all others. None: whatever it holds counts too. Of room
  // that is kept for others nothing is said.
  bool allows(std::optional<JobId> id, const Limits& limits, const Request& request,
              std::int64_t nodes, std::int64_t tasks, const Whole& whole = std::nullopt) const;

  // Whether it leaves the room free that is kept for others, when these have given way.
  bool leaves_room(const Limits& limits, const Request& request, std::int64_t nodes,
                   std::int64_t tasks, std::span<const JobId> without = {}) const;

  // What counts against it besides, whoever it was: what was used before. Of room that is kept for
  // others: less all there is.
  void charge(std::int32_t limit, std::int64_t count);

  // Asked for by jobs that wait, besides: so many of this job more, by the alternative that asks
  // for most. Not of limits of time, or of room that is kept.
  void want(const Limits& limits, const Request& request, std::int64_t jobs);
  std::int64_t wanted(std::int32_t limit) const;

  const std::vector<std::int64_t>& charged() const { return charged_; }  // by limit

  std::int64_t used(std::int32_t limit) const;  // with what is charged
  std::int64_t used_by(JobId id, std::int32_t limit) const;

  std::int64_t version() const { return version_; }  // grows whenever what is held changes

  using Holding = std::vector<std::pair<std::int32_t, std::int64_t>>;  // by limit
  const std::map<JobId, Holding>& holdings() const { return holdings_; }

 private:
  void add(const Holding& holding, std::int64_t by);

  std::map<JobId, Holding> holdings_;  // of those that count against any
  std::vector<std::int64_t> used_;     // by limit
  std::vector<std::int64_t> charged_;  // likewise
  std::vector<std::int64_t> wanted_;   // likewise
  std::int64_t version_ = 0;
};

}  // namespace cox::schedule
