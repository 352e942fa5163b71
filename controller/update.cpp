// What may be changed of jobs that are there, by name: one row of a table each.
#include <algorithm>
#include <array>

#include "common/count_format.h"
#include "common/job_ref.h"
#include "common/limits.h"
#include "common/nearest.h"
#include "common/text.h"
#include "controller/react.h"

namespace cox {
namespace {

// What was done; or why not.
using Changed = Result<std::string>;

Changed change_throttle(Reaction& r, const Job& job, const std::string& value) {
  const auto most = parse_count(value, 0, limits::array_tasks_max);
  if (!most)
    return Refusal{"ArrayTaskThrottle: " + most.refusal().fact,
                   "say how many tasks may run at once; 0: any number"};
  if (!is_first_of_array(job))
    return Refusal{"job " + shown_id(job) + " is no array, and ArrayTaskThrottle is of a whole one",
                   is_of_array(job) ? "name the array: " + std::to_string(job.array_job.value)
                                    : "submit it with --array"};
  if (r.cluster().arrays().is_over(job.id))
    return Refusal{"all tasks of array " + std::to_string(job.id.value) + " have ended", ""};
  r.edit(job.id, [&](Job& row) { row.array_limit = *most; });
  r.ask_for_scheduling();
  return *most == 0 ? std::string("any number of its tasks may run at once")
                    : std::to_string(*most) + " of its tasks may run at once";
}

struct Changeable {
  std::string_view name;
  Changed (*change)(Reaction& r, const Job& job, const std::string& value);
};

constexpr auto changeable = std::to_array<Changeable>({
    {"ArrayTaskThrottle", change_throttle},
});

Refusal unknown_name(const std::string& asked) {
  std::vector<std::string_view> names;
  std::string all;
  for (const Changeable& one : changeable) {
    names.push_back(one.name);
    all += (all.empty() ? "there is: " : ", ") + std::string(one.name);
  }
  const std::string nearest = did_you_mean(asked, names);
  return {quoted(asked) + " cannot be changed of a job", nearest.empty() ? all : nearest};
}

Changed change(Reaction& r, const Caller& caller, JobId id, const std::string& name,
               const std::string& value) {
  const JobEntry* e = r.cluster().job(id);
  const std::string what = std::to_string(id.value);
  if (e == nullptr) return Refusal{"there is no job " + what + " in the queue", "see `cox queue`"};
  const Job job = e->job;
  if (!may_act_on(r.cluster(), caller, job))
    return Refusal{"job " + told_id(job) + " belongs to " + job.spec->user_name, ""};
  const auto known = std::ranges::find_if(
      changeable, [&](const Changeable& one) { return lower_case(one.name) == lower_case(name); });
  if (known == changeable.end()) return unknown_name(name);
  auto changed = known->change(r, job, value);
  if (changed)
    r.note(id, "update", std::string(known->name) + "=" + value, "user " + caller.user_name);
  return changed;
}

}  // namespace

Acted update_jobs(Reaction& r, const Caller& caller, const UpdateJobs& ask) {
  Acted acted;
  for (std::size_t i = 0; i < ask.ids.size(); ++i) {
    const std::string tasks = i < ask.tasks.size() ? ask.tasks[i] : "";
    const std::string what = format_job_ref(ask.ids[i], tasks);
    for (std::size_t k = 0; k < ask.names.size(); ++k) {
      Changed changed =
          tasks.empty() ? change(r, caller, ask.ids[i], ask.names[k], ask.values[k])
                        : Changed(Refusal{what + " names tasks, and " + quoted(ask.names[k]) +
                                              " is of the whole array",
                                          "name the array: " + std::to_string(ask.ids[i].value)});
      if (changed) {
        acted.outcomes.push_back({what, std::move(*changed), {}});
      } else {
        acted.outcomes.push_back({what, "", changed.refusal()});
      }
    }
  }
  return acted;
}

}  // namespace cox
