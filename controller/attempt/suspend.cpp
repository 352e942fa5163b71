#include "controller/attempt/suspend.h"

// Attempts that stand still to make room for others, and go on. What is wished is part of the
// attempt and bears a number; nodes are told at once, and reminded until they say that number
// (remind()).
#include "common/base/check.h"
#include "common/base/limits.h"
#include "controller/attempt/steps.h"

namespace cox {
namespace {

// An attempt cannot have been suspended more often than this in what a database has lost.
constexpr std::int64_t suspensions_lost_max = 1'000'000;

void tell_nodes(Reaction& r, const Attempt& attempt) {
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
  tell_nodes(r, attempt);
}

void resume_attempt(Reaction& r, JobId id) {
  Attempt attempt = *r.cluster().job(id)->live_attempt();
  CHECK(attempt.suspension.suspended);
  const bool stood_still = stands_still(attempt);
  attempt.suspension = {attempt.suspension.number + 1, false};
  const Milliseconds since = r.moment_of(id) - attempt.suspended_at.back();
  if (stood_still) attempt.suspended_ms += since.count();
  attempt.resumed = r.moment_of(id);
  r.put(attempt);
  const std::string seconds = std::to_string(since.count() / 1000) + " s";
  if (stood_still) {
    r.move(id, Trigger::ResumeAsked, "its CPUs are free again; it stood still for " + seconds,
           "scheduler");
  } else {
    r.move(id, Trigger::ResumeAsked, "not all of it stood still within " + seconds, "controller");
  }
  tell_nodes(r, attempt);
  start_steps(r, id);  // srun was asked for them meanwhile
}

void repeat_suspension(Reaction& r, JobId id, std::int64_t number_there) {
  Attempt attempt = *r.cluster().job(id)->live_attempt();
  if (number_there - attempt.suspension.number > suspensions_lost_max) return;
  attempt.suspension.number = number_there + 1;
  r.put(attempt);
  tell_nodes(r, attempt);
}

}  // namespace cox
