#include "controller/operate/act_on_array.h"

// Acts on all tasks of an array that have not ended, or on those that the user names. If only some
// tasks of a row are named, they are first split off into a row of their own.
#include <algorithm>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "controller/answer/answer.h"
#include "controller/answer/answer_array.h"
#include "controller/ledger/authorisation.h"
#include "controller/operate/act.h"
#include "controller/scheduling/split.h"

namespace cox {
namespace {

Acted::Outcome refuse(std::string what, std::string fact, std::string hint) {
  return {std::move(what), "", Refusal{std::move(fact), std::move(hint)}};
}

// Returns whether the verb would change the pending row, so that the named tasks must be split off.
bool differs(JobVerb verb, const Job& job) {
  switch (verb) {
    case JobVerb::Cancel:
    case JobVerb::CancelCron:
    case JobVerb::BeginAnew: return true;
    case JobVerb::Hold: return !job.held;
    case JobVerb::Release: return job.held;
    case JobVerb::RequeueHold: return !job.held;
    case JobVerb::Requeue:
    case JobVerb::RequeueFrom:
    case JobVerb::Preempt:
    case JobVerb::Suspend:
    case JobVerb::Resume: return false;
  }
  CHECK(false && "unknown JobVerb");
}

// Combines the outcomes for several rows into one.
class Tally {
 public:
  void add(const Acted::Outcome& outcome, std::int64_t tasks) {
    if (outcome.refused) {
      if (!first_refused_) first_refused_ = outcome.refused;
      refused_ += tasks;
      return;
    }
    const auto known = std::ranges::find(done_, outcome.done, &Done::text);
    if (known != done_.end()) {
      known->tasks += tasks;
    } else {
      done_.push_back({outcome.done, tasks});
    }
  }

  Acted::Outcome outcome(std::string what) const {
    if (done_.empty()) return {std::move(what), "", first_refused_};
    if (done_.size() == 1 && refused_ == 0) return {std::move(what), done_.front().text, {}};
    std::string text;
    for (const Done& one : done_)
      text += (text.empty() ? "" : "; ") + count_text(one.tasks) + ": " + one.text;
    if (refused_ > 0) text += "; " + count_text(refused_) + ": " + first_refused_->fact;
    return {std::move(what), std::move(text), {}};
  }

 private:
  struct Done {
    std::string text;
    std::int64_t tasks = 0;
  };
  static std::string count_text(std::int64_t tasks) {
    return std::to_string(tasks) + (tasks == 1 ? " task" : " tasks");
  }

  std::vector<Done> done_;
  std::optional<Refusal> first_refused_;
  std::int64_t refused_ = 0;
};

// Returns the rows of the array to which the verb can apply.
std::vector<JobId> rows_for(const Cluster& cluster, JobVerb verb, JobId array) {
  std::vector<JobId> rows;
  const bool live_alone = verb == JobVerb::Requeue || verb == JobVerb::Preempt ||
                          verb == JobVerb::Suspend || verb == JobVerb::Resume;
  for (const JobId id : cluster.jobs().arrays().unfinished(array))
    if (!live_alone || is_live(cluster.job(id)->job.state)) rows.push_back(id);
  return rows;
}

// Returns the outcome of a verb that applies to no row: all tasks have ended, or none runs and the
// verb is for running tasks.
Acted::Outcome nothing_to_do(const Cluster& cluster, JobVerb verb, JobId array) {
  const std::string what = std::to_string(array.value);
  const std::string standing = task_counts_text(standing_of_tasks(cluster, array));
  const bool over = cluster.jobs().arrays().is_over(array);
  if (over && (verb == JobVerb::Cancel || verb == JobVerb::CancelCron))
    return {what, "had already ended: " + standing, {}};
  if (over)
    return refuse(what, "array " + what + " has ended: " + standing,
                  verb == JobVerb::Requeue || verb == JobVerb::RequeueFrom
                      ? "name the tasks to requeue, such as " + what + "_3"
                      : "see `cox history " + what + "`");
  if (verb == JobVerb::Requeue) return {what, "is already pending: " + standing, {}};
  return refuse(what, "no task of array " + what + " runs: " + standing, "");
}

Acted::Outcome act_on_tasks(Reaction& r, const Caller& caller, const ActOnJobs& ask,
                            const Job& array, const ArrayTasks& tasks) {
  const std::string what = format_job_ref(array.id, format_array_tasks(tasks));
  const ArrayTasks& there = array.spec->terms->array.tasks;
  if (const ArrayTasks missing = tasks.without(there); !missing.empty())
    return refuse(what,
                  "array " + std::to_string(array.id.value) + " has no task " +
                      std::to_string(missing.first()),
                  "its tasks are " + cut_text(format_array_tasks(there), 200));
  Tally tally;
  for (JobId row : selected_rows(r.cluster(), array.id, format_array_tasks(tasks))) {
    const Job job = r.cluster().job(row)->job;
    const ArrayTasks selected = tasks_of(job).common_with(tasks);
    const bool may = may_manage(r.cluster(), caller, job);
    if (may && job.state == JobState::Pending && differs(ask.verb, job))
      row = split_tasks(r, row, selected);
    tally.add(act_on_row(r, caller, ask, row), selected.count());
  }
  return tally.outcome(what);
}

}  // namespace

Acted::Outcome act_on_job(Reaction& r, const Caller& caller, const ActOnJobs& ask, JobId id,
                          const std::string& tasks) {
  const std::string what = std::to_string(id.value);
  const JobEntry* e = r.cluster().job(id);
  if (is_not_stored(r.cluster(), id)) return {what, "", never_was(r.cluster(), id, -1)};
  if (e == nullptr)
    return refuse(what, "there is no job " + what + " in the queue",
                  "see `cox queue`; for ended jobs `cox history " + what + "`");
  const Job job = e->job;
  if (tasks.empty() && !is_first_of_array(job)) return act_on_row(r, caller, ask, id);
  if (!is_first_of_array(job))
    return refuse(what, "job " + what + " is not a job array", "name it without tasks");
  if (!tasks.empty()) {
    const auto selected = parse_array_tasks(tasks);
    if (!selected) return refuse(what, selected.refusal().fact, selected.refusal().hint);
    return act_on_tasks(r, caller, ask, job, *selected);
  }
  const std::vector<JobId> rows = rows_for(r.cluster(), ask.verb, id);
  const bool may = may_manage(r.cluster(), caller, job);
  if (rows.empty() && may) return nothing_to_do(r.cluster(), ask.verb, id);
  // act_on_row refuses: the job is not the caller's.
  if (rows.empty()) return act_on_row(r, caller, ask, id);
  Tally tally;
  for (const JobId row : rows) {
    const std::int64_t count = task_count(r.cluster().job(row)->job);
    tally.add(act_on_row(r, caller, ask, row), count);
  }
  return tally.outcome(what);
}

}  // namespace cox
