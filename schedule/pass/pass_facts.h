// The engine's facts, and requests resolved to nodes, at the time of a pass. Each part of a pass
// has its own time.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "schedule/engine/engine.h"
#include "schedule/place/advance.h"

namespace cox::schedule {

// The alternatives of a request, each resolved to nodes, in the order in which they are tried.
using Needs = std::vector<const ResolvedRequest*>;

class PassFacts {
 public:
  PassFacts(Engine& engine, Boot now) : engine_(engine), now_(now) {}

  Boot now() const { return now_; }
  void set_now(Boot now) { now_ = now; }
  Engine& engine() const { return engine_; }
  Ground& ground() const { return engine_.ground(); }
  const Nodes& nodes() const { return engine_.nodes(); }
  const Settings& settings() const { return engine_.settings(); }
  Matcher& matcher() const { return ground().matcher(); }
  AdvanceReservations& advance() const { return ground().advance(); }
  const std::map<JobId, Running>& running() const { return engine_.running(); }
  const LimitUse& limit_use() const { return engine_.limit_use(); }

  // Resolves the request to the nodes that are open to a job which starts now and runs for `lasts`.
  // REQUIRES: the request is that of a queued job, or an alternative of it.
  const ResolvedRequest& need_now(const Request& request, std::optional<Milliseconds> lasts) const {
    return ground().need_at(request, now_, lasts);
  }
  // Returns the same as need_now() for a job that starts at `at`.
  const ResolvedRequest& need_at(const Request& request, Boot at,
                                 std::optional<Milliseconds> lasts) const {
    return ground().need_at(request, at, lasts);
  }
  // Returns the same as need_now() for a request that no queued job has.
  const ResolvedRequest& need_of(const Request& request, std::optional<Milliseconds> lasts) const {
    return engine_.need_of(request, now_, lasts);
  }
  // Resolves the request for a job that starts when its victims have ended. That may take up to
  // preemption_time_max, so nodes must be open longer by that time.
  const ResolvedRequest& need_later(const ResolvedRequest& need,
                                    std::optional<Milliseconds> lasts) const;
  // Resolves the request of a running job that is to stop and restart on other nodes.
  const ResolvedRequest& need_anew(const RunningJob& job) const;

  // Returns the job's alternative requests, resolved to the nodes open now, that fit if these nodes
  // are idle. If none fits, returns only the first alternative.
  Needs needs_of(const PendingJob& job) const;
  // Returns the job's alternative requests that would fit on idle nodes if their own advance
  // reservation were open and no other reservation were in the way.
  Needs needs_once_open(const PendingJob& job) const;
  // Divides the time from now on into stretches in which the same nodes are closed to the job, as
  // far ahead as advance reservations are known. Returns each with the request resolved for it.
  std::vector<Stretch> stretches_of(const Request& request,
                                    std::optional<Milliseconds> lasts) const;
  // Returns whether advance reservations close this place to every alternative of the request.
  bool is_barred(const GangParts& shares, const Request& request,
                 std::optional<Milliseconds> lasts) const;

 private:
  Engine& engine_;
  Boot now_;
};

}  // namespace cox::schedule
