// A job asks for something else than before: all that memory keeps by what it asks for is told
// anew.
#include "common/base/check.h"
#include "controller/state/cluster.h"
#include "controller/state/engine_input.h"

namespace cox {

void Cluster::apply_one(const JobRespecified& change, Now now) {
  JobEntry& e = entry(change.job.id);
  CHECK(e.job.state == change.job.state && e.job.attempt == change.job.attempt);
  leave_line(e);
  scheduler_->engine().drop_claim(e.job.id);
  if (e.job.spec->deadline != Wall{}) latest_starts_.erase({latest_start(*e.job.spec), e.job.id});
  limits_in_use_.count_submitted(qos_binding(*e.job.spec), *e.job.spec, accounts_, -e.counted);
  unfinished_count_ -= e.counted;
  e.counted = 0;
  // As if it had ended: it is known by its name.
  Job gone = e.job;
  gone.state = JobState::Cancelled;
  gone.dependencies.clear();
  index_dependencies(gone);
  e.job.spec = change.job.spec;
  touch(e);
  scheduler_->engine().learn(*request_of_spec(e.job.spec));
  pending_reasons_.erase(e.job.id);
  fair_shares_stale_ = true;
  index(e, now);
  if (!is_live(e.job.state)) return;
  const Deadlines fresh = fresh_deadlines(e, now);
  deadlines_[e.job.id].limit = fresh.limit;
}

}  // namespace cox
