// scontrol show jobs: prints records; with -d also memory and GPUs that each job holds on its
// nodes.
#include <map>

#include "client/slurm/control/scontrol_show.h"
#include "client/slurm/list/slurm_json.h"
#include "client/slurm/list/squeue_rows.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

// Returns the rows that the ids name. If an id names array tasks, each of them gets its own row.
std::vector<JobView> rows_named(const std::vector<JobRef>& jobs, std::vector<JobView> rows) {
  SqueueRequest request;
  request.array_unique = true;
  request.states.emplace(all_job_states.begin(), all_job_states.end());
  for (const JobRef& ref : jobs) request.ids.push_back({ref.id, ref.tasks, -1, ref.component});
  return rows_of(request, std::move(rows));
}

std::map<JobId, double> priorities_in(const Answers& answers, std::size_t i) {
  std::map<JobId, double> priorities;
  if (const auto* list = body_of<PriorityList>(answers, i))
    for (const JobPriority& one : list->jobs) priorities[one.id] = one.priority;
  return priorities;
}

// Returns what jobs hold on their nodes, from the replies to ShowJob.
std::map<JobId, Placement> grants_in(const Answers& answers) {
  std::map<JobId, Placement> grants;
  for (const Answer& answer : answers) {
    const auto* detail = std::get_if<JobDetail>(&answer);
    if (detail == nullptr || detail->attempts.empty()) continue;
    for (const AttemptNode& node : detail->attempts.back().nodes)
      grants[detail->view.job.id].push_back(node.grant);
  }
  return grants;
}

// Shows the replies: a JobList, a PriorityList, and a JobDetail of some of the jobs.
Shown shown_jobs(const Answers& answers, const std::vector<JobRef>& jobs, const RecordView& as) {
  const std::string before = "slurm_load_jobs error: ";
  const auto* found = body_of<JobList>(answers, 0);
  if (found == nullptr) return not_answered(before, answers.front());
  const auto priority = priorities_in(answers, 1);
  auto grants = grants_in(answers);
  const std::vector<JobView> rows = rows_named(jobs, found->jobs);
  Shown shown;
  for (const JobView& view : rows) {
    const auto known = priority.find(view.job.id);
    shown.out +=
        job_record(view, known == priority.end() ? std::nullopt : std::optional(known->second), as,
                   grants[view.job.id]);
  }
  if (found->jobs.empty() && found->unknown.empty()) shown.out = "No jobs in the system\n";
  const bool none_known = !jobs.empty() && rows.empty();
  if (found->unknown.empty() && !none_known) return shown;
  shown.err = before + invalid_job_id + "\n";
  shown.exit_code = exit_refused;
  return shown;
}

// Most requests of one `scontrol show jobs -d`. Jobs beyond that are shown without what they hold
// on each node.
constexpr std::size_t details_max = 256;

// Returns a plan that first lists the jobs and then sends a ShowJob for each job on nodes: only its
// reply has what a job holds on each node.
ControlPlan with_details(ControlPlan plan) {
  ControlPlan first;
  first.questions = {plan.questions.front()};
  first.then = [rest = std::move(plan)](const Answer& list) {
    ControlPlan next = rest;
    next.questions.erase(next.questions.begin());
    if (const auto* found = std::get_if<JobList>(&list)) {
      for (const JobView& view : found->jobs) {
        const Job& job = view.job;
        if (view.nodes.empty() || !is_live(job.state)) continue;
        if (next.questions.size() == details_max) break;
        next.questions.push_back(is_of_array(job) ? ShowJob{job.array_job, job.array_task, ""}
                                                  : ShowJob{job.id, -1, ""});
      }
    }
    next.show = [list, show = rest.show](const Answers& behind) {
      Answers all = {list};
      all.insert(all.end(), behind.begin(), behind.end());
      return show(all);
    };
    return next;
  };
  return first;
}

}  // namespace

ControlPlan show_jobs(const ControlWords& ids, const ControlContext& context) {
  std::vector<JobRef> jobs;
  if (!ids.empty()) {
    auto named = refs_named(ids, parse_component_ref);
    if (!named) return complain_of_job("scontrol_print_job error: ", named.refusal());
    jobs = std::move(*named);
  }
  ListJobs list;
  list.states.assign(all_job_states.begin(), all_job_states.end());
  for (const JobRef& ref : jobs) {
    list.ids.push_back(ref.id);
    list.tasks.push_back(ref.tasks);
  }
  ListPriorities priorities;
  priorities.ids = list.ids;
  priorities.tasks = list.tasks;
  ControlPlan plan;
  plan.questions = {list, priorities};
  plan.show = [as = context.as, jobs](const Answers& answers) {
    return shown_jobs(answers, jobs, as);
  };
  return context.as.details && !context.json ? with_details(std::move(plan)) : plan;
}

std::string jobs_as_json(const Answers& answers, const ControlWords& names, const FieldView& view,
                         const ControlContext&) {
  const auto jobs = refs_named(names, parse_component_ref);
  const std::vector<JobRef> all;
  return slurm_json_of_jobs(rows_named(jobs ? *jobs : all, body_of<JobList>(answers, 0)->jobs),
                            view, {"show", "jobs"});
}

}  // namespace cox
