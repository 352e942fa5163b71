#include "controller/operate/update.h"

// Changes jobs. The changed specification of a pending job is validated like a new submission. Of a
// running job, only a few settings may change. For each job either all changes of a request are
// made, or none.
#include <algorithm>
#include <iterator>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/job/job_ref.h"
#include "common/syntax/array_tasks.h"
#include "controller/admit/admit.h"
#include "controller/admit/cron.h"
#include "controller/admit/dependencies.h"
#include "controller/admit/job_changes.h"
#include "controller/answer/answer.h"
#include "controller/change/payload.h"
#include "controller/ledger/authorisation.h"
#include "controller/ledger/resume.h"
#include "controller/operate/act.h"
#include "controller/operate/submit.h"
#include "controller/scheduling/split.h"
#include "controller/scheduling/update_dependants.h"

namespace cox {
namespace {

using Outcomes = std::vector<Acted::Outcome>;

constexpr std::size_t shown_tasks_bytes_max = 200;

struct Changing {
  Reaction& r;
  const Caller& caller;
  const UpdateJobs& ask;
  const std::vector<Job>& recalled;
};

// Checks the submit limits of the QOS and the account to which the change would move the job.
Failure check_counts(const Cluster& cluster, const Job& job, const ParsedSpec& spec) {
  const std::int64_t tasks = task_count(job);
  const auto before = cluster.accounting().qos_binding(*job.spec);
  for (const Qos* qos : cluster.accounting().qos_binding(spec))
    if (std::ranges::find(before, qos) == before.end())
      if (auto f = check_submit_limits(*qos, cluster.accounting().limits_in_use(), spec, tasks))
        return f;
  if (spec.account == job.spec->account) return std::nullopt;
  std::map<AssociationId, std::int64_t> more;
  count_submitted(more, cluster.accounting().accounts(), spec, tasks);
  count_submitted(more, cluster.accounting().accounts(), *job.spec, -tasks);
  return check_submit_limits(cluster.accounting().accounts(), cluster.accounting().limits_in_use(),
                             spec, more);
}

// Returns the changed specification of a pending job, validated like a submission of its owner.
Result<ParsedSpec> revalidated(const Cluster& cluster, EngineFeed& feed, const JobChange& change) {
  const JobSpec& own = *change.job.spec;
  // Submission rules may refuse the change, but they set nothing: the values of the user who
  // changes the job take precedence, and a field that this update does not name would not be
  // stored.
  JobSpec ruled = change.spec;
  if (auto f = apply_submit_rules(cluster.config().submit_rules, ruled, nullptr)) return *f;
  const Caller owner{Caller::Kind::Client, "", own.user_name, own.uid, own.gid};
  const Payload stored(own);
  auto spec = Admission(cluster, feed, owner, stored, change.now).admit(change.spec);
  if (!spec) return spec;
  if (auto f = check_counts(cluster, change.job, *spec)) return *f;
  return spec;
}

Failure change_waiting(const Changing& c, const JobChange& change) {
  auto spec = revalidated(c.r.cluster(), c.r.feed(), change);
  if (!spec) return spec.refusal();
  const JobId id = change.job.id;
  if (!change.depends_anew) {
    const Wall begin = std::max(spec->begin, c.r.now().wall);
    c.r.respecify(id, std::move(*spec));
    if (change.begins_anew) c.r.edit(id, [&](Job& job) { job.eligible = begin; });
    return std::nullopt;
  }
  if (names_singleton(spec->terms->dependency)) c.r.follow_names();
  auto waits = dependent(c.r.cluster(), *spec, c.recalled, c.r.now());
  if (!waits) return waits.refusal();
  c.r.edit(id, [](Job& job) { job.dependencies.clear(); });
  c.r.respecify(id, std::move(*spec));
  c.r.edit(id, [&](Job& job) {
    job.dependencies = std::move(waits->dependencies);
    job.eligible = waits->eligible;
  });
  end_if_hopeless(c.r, id);
  return std::nullopt;
}

// Checks a change of a running job's time limit. As in Slurm, the job's owner may only shorten it;
// an operator may also lengthen it.
Failure check_limit(const Changing& c, const JobChange& change) {
  const JobEntry& e = *c.r.cluster().job(change.job.id);
  const std::int64_t was = e.time_limit_s();
  const std::int64_t is = change.spec.time_limit_s;
  if (is == change.job.spec->time_limit_s) return std::nullopt;
  const bool longer = was > 0 && (is == 0 || is > was);
  if (longer && c.caller.uid != c.r.cluster().config().owner_uid)
    return Refusal{"Access/permission denied: only an operator can give a running job more time",
                   "ask the administrator of this cluster"};
  if (e.live_attempt()->fills)
    return Refusal{"it runs only until a reservation of other users begins",
                   "it is requeued then, and continues later"};
  if (e.live_attempt()->stop.why != StopWhy::None)
    return Refusal{"Job/step already completing or completed: " + e.live_attempt()->stop.detail,
                   ""};
  return std::nullopt;
}

Failure change_running(const Changing& c, const JobChange& change) {
  if (auto f = check_limit(c, change)) return f;
  if (change.spec.name.empty() || change.spec.name.size() > limits::name_bytes_max ||
      !is_utf8(change.spec.name) || has_control_characters(change.spec.name))
    return Refusal{"the name is empty, longer than " + std::to_string(limits::name_bytes_max) +
                       " bytes, or not printable",
                   "make it plain and shorter"};
  const JobId id = change.job.id;
  Attempt attempt = *c.r.cluster().job(id)->live_attempt();
  const bool limit_changes = change.spec.time_limit_s != change.job.spec->time_limit_s;
  if (limit_changes && attempt.time_limit_s > 0) {
    attempt.time_limit_s = 0;  // 0: from now on the attempt has the time limit of the job
    c.r.put(std::move(attempt));
  }
  c.r.respecify(id, ParsedSpec(change.spec));
  return std::nullopt;
}

std::string changes_text(const UpdateJobs& ask) {
  std::string text;
  for (std::size_t k = 0; k < ask.names.size(); ++k)
    text += (text.empty() ? "" : " ") + change_name(ask.names[k]) + "=" + ask.values[k];
  return cut_text(printable(text), limits::reason_bytes_max);
}

// Returns what was changed in the row, and which partitions named do not take the job: "changed:
// Partition=a,b; partition b does not take this job; the job can run only in a".
std::string changed_text(const Changing& c, JobId id) {
  std::string text = "changed: " + changes_text(c.ask);
  for (std::size_t k = 0; k < c.ask.names.size(); ++k) {
    const std::string name = change_name(c.ask.names[k]);
    if (name != "Partition" && name != "PartitionName") continue;
    const std::string note =
        note_on_partitions(c.r.cluster(), c.ask.values[k], *c.r.cluster().job(id)->job.spec);
    if (!note.empty()) text += "; " + note;
  }
  return text;
}

// Changes one row, and so all array tasks that it stands for.
Failure change_row(const Changing& c, JobId id) {
  const Job job = c.r.cluster().job(id)->job;
  JobChange change{job, c.r.now(), *job.spec};
  for (std::size_t k = 0; k < c.ask.names.size(); ++k)
    if (auto f = take_change(change, c.ask.names[k], c.ask.values[k])) return f;
  if (change.throttle && c.r.cluster().jobs().arrays().is_over(job.id))
    return Refusal{"all tasks of array " + std::to_string(job.id.value) + " have ended",
                   "see `cox history " + std::to_string(job.id.value) + "`"};
  if (is_final(job.state) && !change.throttle)
    return Refusal{"Job/step already completing or completed: job " + shown_id(job) + " has ended",
                   "see `cox history " + command_id(job) + "`"};
  if (change.held == false)
    if (auto f = check_release(c.r.cluster(), *c.r.cluster().job(id))) return f;
  if (!(change.spec == *job.spec)) {
    auto f = job.state == JobState::Pending ? change_waiting(c, change) : change_running(c, change);
    if (f) return f;
  }
  if (change.throttle) c.r.edit(id, [&](Job& row) { row.array_limit = *change.throttle; });
  if (change.held && is_final(c.r.cluster().job(id)->job.state)) return std::nullopt;
  if (change.held) c.r.edit(id, [&](Job& row) { set_hold(row, *change.held, c.r.now().wall); });
  if (change.held == false) look_again(c.r, id);
  c.r.note(id, "update", changes_text(c.ask), "user " + c.caller.user_name);
  c.r.ask_for_scheduling();
  return std::nullopt;
}

bool is_of_whole_array(const UpdateJobs& ask) {
  return std::ranges::any_of(
      ask.names, [](const std::string& name) { return change_name(name) == "ArrayTaskThrottle"; });
}

// Returns the rows of the array to which the request may refer. Ended tasks are among them, so that
// the reply names them, as Slurm's does.
std::vector<JobId> rows_for(const Changing& c, JobId array) {
  std::vector<JobId> rows;
  const bool runs_too = changes_what_runs(c.ask.names);
  for (const JobId id : c.r.cluster().jobs().arrays().rows(array))
    if (runs_too || !is_live(c.r.cluster().job(id)->job.state)) rows.push_back(id);
  return rows;
}

std::vector<JobId> split_off(const Changing& c, const Job& array, const ArrayTasks& tasks) {
  std::vector<JobId> rows;
  for (const JobId row : selected_rows(c.r.cluster(), array.id, format_array_tasks(tasks))) {
    const Job job = c.r.cluster().job(row)->job;
    rows.push_back(job.state == JobState::Pending
                       ? split_tasks(c.r, row, tasks_of(job).common_with(tasks))
                       : row);
  }
  return rows;
}

Failure may_change(const Changing& c, JobId id) {
  const JobEntry* e = c.r.cluster().job(id);
  const std::string what = std::to_string(id.value);
  if (e == nullptr) return Refusal{"there is no job " + what + " in the queue", "see `cox queue`"};
  if (!may_act_on(c.r.cluster(), c.caller, e->job))
    return Refusal{"job " + command_id(e->job) + " belongs to " + e->job.spec->user_name, ""};
  return check_not_of_crontab(c.r.cluster(), id);
}

Acted::Outcome refuse(std::string what, Refusal why) {
  return {std::move(what), "", std::move(why)};
}

Acted::Outcome change_whole_array(const Changing& c, JobId id, const std::string& tasks) {
  const std::string what = format_job_ref(id, tasks);
  if (!tasks.empty())
    return refuse(what, {what + " names tasks, and ArrayTaskThrottle applies to the whole array",
                         "name the array: " + std::to_string(id.value)});
  if (auto f = change_row(c, id)) return refuse(what, *f);
  const std::int64_t limit = c.r.cluster().job(id)->job.array_limit;
  return {what,
          limit == 0 ? std::string("any number of its tasks may run at once")
                     : std::to_string(limit) + " of its tasks may run at once",
          std::nullopt};
}

// Changes the rows of an array. As in Slurm, other tasks are changed even if one is refused; the
// reply names both. `requested`: the tasks to change.
Outcomes change_tasks(const Changing& c, JobId array, const std::vector<JobId>& rows,
                      const ArrayTasks& requested) {
  std::vector<std::int64_t> changed;
  std::vector<std::int64_t> refused;
  Failure first;
  for (const JobId row : rows) {
    const ArrayTasks tasks = tasks_of(c.r.cluster().job(row)->job).common_with(requested);
    const auto f = change_row(c, row);
    if (f && !first) first = f;
    std::ranges::copy(tasks.all(), std::back_inserter(f ? refused : changed));
  }
  const auto named = [&](std::vector<std::int64_t> some) {
    const std::string text = format_array_tasks(ArrayTasks(std::move(some)));
    return format_job_ref(array, cut_text(text, shown_tasks_bytes_max));
  };
  Outcomes outcomes;
  if (!refused.empty()) outcomes.push_back(refuse(named(std::move(refused)), *first));
  if (!changed.empty()) outcomes.push_back({named(std::move(changed)), changed_text(c, array), {}});
  return outcomes;
}

Outcomes change_array(const Changing& c, const Job& array, const std::string& named) {
  const std::string what = format_job_ref(array.id, named);
  const ArrayTasks& there = array.spec->terms->array.tasks;
  ArrayTasks requested = there;
  if (!named.empty()) {
    const auto asked = parse_array_tasks(named);
    if (!asked) return {refuse(what, asked.refusal())};
    requested = *asked;
  }
  if (const ArrayTasks missing = requested.without(there); !missing.empty())
    return {refuse(what,
                   {"there is no job " + format_job_ref(array.id, std::to_string(missing.first())),
                    "the tasks of array " + std::to_string(array.id.value) + " are " +
                        cut_text(format_array_tasks(there), shown_tasks_bytes_max)})};
  const auto rows = named.empty() ? rows_for(c, array.id) : split_off(c, array, requested);
  if (rows.empty())
    return {refuse(what, {"Job is no longer pending execution: no pending task of " + what +
                              " is left to change",
                          "see `cox show job " + std::to_string(array.id.value) + "`"})};
  return change_tasks(c, array.id, rows, requested);
}

Outcomes change_job(const Changing& c, JobId id, const std::string& tasks) {
  const std::string what = format_job_ref(id, tasks);
  if (auto f = may_change(c, id)) return {refuse(what, *f)};
  const Job job = c.r.cluster().job(id)->job;
  if (is_of_whole_array(c.ask)) return {change_whole_array(c, id, tasks)};
  if (is_first_of_array(job)) return change_array(c, job, tasks);
  if (!tasks.empty())
    return {refuse(what, {"job " + std::to_string(id.value) + " is not a job array",
                          "name it without tasks"})};
  if (auto f = change_row(c, id)) return {refuse(what, *f)};
  return {{what, changed_text(c, id), std::nullopt}};
}

// Returns a specification that has only the new dependency, to pass to recall_dependencies().
JobSpec asking_of(const UpdateJobs& ask) {
  JobSpec spec;
  for (std::size_t k = 0; k < ask.names.size(); ++k)
    if (change_name(ask.names[k]) == "Dependency") spec.dependency = ask.values[k];
  return spec;
}

}  // namespace

void on_update_jobs(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                    const UpdateJobs& ask) {
  const JobSpec asking = asking_of(ask);
  if (!asking.dependency.empty() && recall_dependencies(r, incoming, number, {&asking, 1})) return;
  const Changing c{r, incoming.caller, ask, incoming.recalled};
  Acted acted;
  for (std::size_t i = 0; i < ask.ids.size(); ++i) {
    const std::string tasks = i < ask.tasks.size() ? ask.tasks[i] : "";
    std::ranges::move(change_job(c, ask.ids[i], tasks), std::back_inserter(acted.outcomes));
  }
  r.reply(incoming.peer, number, std::move(acted));
}

}  // namespace cox
