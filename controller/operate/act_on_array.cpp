#include "controller/operate/act_on_array.h"

// What people do to an array: to all of its tasks that have not ended, or to some of them. Who is
// meant and the rest differ from then on, so they become rows of their own.
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

// Whether the verb makes a difference to a row that waits.
bool differs(JobVerb verb, const Job& job) {
  switch (verb) {
    case JobVerb::Cancel:
    case JobVerb::CancelCron: return true;
    case JobVerb::Hold: return !job.held;
    case JobVerb::Release: return job.held;
    case JobVerb::RequeueHold: return !job.held;
    case JobVerb::Requeue:
    case JobVerb::Preempt:
    case JobVerb::Suspend:
    case JobVerb::Resume: return false;
  }
  CHECK(false && "unknown JobVerb");
}

// What became of rows, as one answer.
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

// Of all that an array has those that the verb can mean.
std::vector<JobId> rows_for(const Cluster& cluster, JobVerb verb, JobId array) {
  std::vector<JobId> rows;
  const bool live_alone = verb == JobVerb::Requeue || verb == JobVerb::Preempt ||
                          verb == JobVerb::Suspend || verb == JobVerb::Resume;
  for (const JobId id : cluster.arrays().unfinished(array))
    if (!live_alone || is_live(cluster.job(id)->job.state)) rows.push_back(id);
  return rows;
}

// All of its tasks have ended, or none of them runs and the verb is for those that do.
Acted::Outcome nothing_to_do(const Cluster& cluster, JobVerb verb, JobId array) {
  const std::string what = std::to_string(array.value);
  const std::string standing = task_counts_text(standing_of_tasks(cluster, array));
  const bool over = cluster.arrays().is_over(array);
  if (over && (verb == JobVerb::Cancel || verb == JobVerb::CancelCron))
    return {what, "had already ended: " + standing, {}};
  if (over)
    return refuse(what, "array " + what + " has ended: " + standing,
                  verb == JobVerb::Requeue
                      ? "name the tasks that are to run again, as in " + what + "_3"
                      : "see `cox history " + what + "`");
  if (verb == JobVerb::Requeue) return {what, "waits already: " + standing, {}};
  return refuse(what, "no task of array " + what + " runs: " + standing, "");
}

Acted::Outcome act_on_tasks(Reaction& r, const Caller& caller, JobVerb verb, const Job& array,
                            const ArrayTasks& tasks) {
  const std::string what = format_job_ref(array.id, format_array_tasks(tasks));
  const auto there = parse_array(array.spec->array);
  CHECK(there.ok());
  if (const ArrayTasks missing = tasks.without(there->tasks); !missing.empty())
    return refuse(what,
                  "array " + std::to_string(array.id.value) + " has no task " +
                      std::to_string(missing.first()),
                  "its tasks are " + cut_text(format_array_tasks(there->tasks), 200));
  Tally tally;
  for (JobId row : rows_meant(r.cluster(), array.id, format_array_tasks(tasks))) {
    const Job job = r.cluster().job(row)->job;
    const ArrayTasks meant = tasks_of(job).common_with(tasks);
    const bool may = may_manage(r.cluster(), caller, job);
    if (may && job.state == JobState::Pending && differs(verb, job))
      row = split_tasks(r, row, meant);
    tally.add(act_on_row(r, caller, verb, row), meant.count());
  }
  return tally.outcome(what);
}

}  // namespace

Acted::Outcome act_on_job(Reaction& r, const Caller& caller, JobVerb verb, JobId id,
                          const std::string& tasks) {
  const std::string what = std::to_string(id.value);
  const JobEntry* e = r.cluster().job(id);
  if (id >= r.cluster().next_job()) return {what, "", never_was(r.cluster(), id, -1)};
  if (e == nullptr)
    return refuse(what, "there is no job " + what + " in the queue",
                  "see `cox queue`; `cox history " + what + "` knows ended ones");
  const Job job = e->job;
  if (tasks.empty() && !is_first_of_array(job)) return act_on_row(r, caller, verb, id);
  if (!is_first_of_array(job))
    return refuse(what, "job " + what + " is not a job array", "name it without tasks");
  if (!tasks.empty()) {
    const auto asked = parse_array_tasks(tasks);
    if (!asked) return refuse(what, asked.refusal().fact, asked.refusal().hint);
    return act_on_tasks(r, caller, verb, job, *asked);
  }
  const std::vector<JobId> rows = rows_for(r.cluster(), verb, id);
  const bool may = may_manage(r.cluster(), caller, job);
  if (rows.empty() && may) return nothing_to_do(r.cluster(), verb, id);
  if (rows.empty()) return act_on_row(r, caller, verb, id);  // which says so
  Tally tally;
  for (const JobId row : rows) {
    const std::int64_t count = task_count(r.cluster().job(row)->job);
    tally.add(act_on_row(r, caller, verb, row), count);
  }
  return tally.outcome(what);
}

}  // namespace cox
