#include "controller/attempt/suspend.h"

// The order to suspend or resume is part of the attempt (Attempt::suspension) and has a number. It
// is sent to the nodes at once, and again (remind()) until each node reports this number.
#include "common/base/check.h"
#include "common/base/limits.h"
#include "controller/attempt/steps.h"

namespace cox {
namespace {

// More orders to suspend than one attempt can have had in the time that a failover has lost, so a
// number raised by this is higher than any.
constexpr std::int64_t suspensions_lost_max = 1'000'000;

void send_suspension(Reaction& r, const Attempt& attempt) {
  for (const auto& n : attempt.nodes)
    if (n.phase != NodePhase::Gone)
      r.send_to_node(n.grant.node, Suspend{r.cluster().term(), attempt.key, attempt.suspension});
}

}  // namespace

void suspend_attempt(Reaction& r, JobId id, std::string why, const std::string& actor) {
  Attempt attempt = *r.cluster().job(id)->live_attempt();
  attempt.suspension = {attempt.suspension.number + 1, true};
  attempt.suspended_at.push_back(r.moment_of(id));
  if (attempt.suspended_at.size() > limits::suspensions_kept_max)
    attempt.suspended_at.erase(attempt.suspended_at.begin());
  r.put(attempt);
  r.move(id, Trigger::SuspendAsked, std::move(why), actor);
  send_suspension(r, attempt);
}

void resume_attempt(Reaction& r, JobId id) {
  Attempt attempt = *r.cluster().job(id)->live_attempt();
  CHECK(attempt.suspension.suspended);
  const bool was_suspended = is_suspended(attempt);
  attempt.suspension = {attempt.suspension.number + 1, false};
  const Milliseconds since = r.moment_of(id) - attempt.suspended_at.back();
  if (was_suspended) attempt.suspended_ms += since.count();
  attempt.resumed = r.moment_of(id);
  r.put(attempt);
  const std::string seconds = std::to_string(since.count() / 1000) + " s";
  if (was_suspended) {
    r.move(id, Trigger::ResumeAsked, "its CPUs are free again; it was suspended for " + seconds,
           "scheduler");
  } else {
    r.move(id, Trigger::ResumeAsked, "not all nodes suspended it within " + seconds, "controller");
  }
  send_suspension(r, attempt);
  start_steps(r, id);  // srun may have requested steps while the job was suspended
}

void repeat_suspension(Reaction& r, JobId id, std::int64_t number_there) {
  Attempt attempt = *r.cluster().job(id)->live_attempt();
  if (number_there - attempt.suspension.number > suspensions_lost_max) return;
  attempt.suspension.number = number_there + 1;
  r.put(attempt);
  send_suspension(r, attempt);
}

}  // namespace cox
