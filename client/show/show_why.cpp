#include "client/show/show_why.h"

#include <algorithm>

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "client/text/table.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "common/job/save_words.h"

namespace cox {
namespace {

std::string first_line(const JobView& view, const Screen& screen) {
  const Job& job = view.job;
  const std::string subject = "Job " + shown_id(job) + " (" + printable(job.spec->name) + ")";
  const std::string state = coloured(name(job.state), state_colour(job.state), screen.colour);
  if (job.state == JobState::Pending)
    return subject + " is " + state + ", submitted " + ago_text(job.submitted, screen) +
           ". Reason: " + std::string(name(view.reason));
  if (is_final(job.state))
    return subject + " is " + state + ", ended " + ago_text(job.ended, screen);
  return subject + " is " + state + " on " + node_list_text(view.nodes);
}

// Returns how many tasks of the array are in each state. The caller then explains the pending
// tasks.
std::string array_text(const JobDetail& detail) {
  const std::string id = std::to_string(detail.view.job.array_job.value);
  const std::string all = "Array " + id + " (" + printable(detail.view.job.spec->name) +
                          "): " + task_counts_text(detail.tasks) + ".";
  if (detail.view.job.state == JobState::Pending) return all + "\n";
  return all + " No task is pending; `cox show job " + id + "` shows the states of all.\n";
}

// Returns the deadline of a pending job, and the latest start at which it can still meet it. A job
// that has not started by then ends in state DEADLINE. Empty for other jobs.
std::string deadline_text(const Job& job, const Screen& screen) {
  const JobSpec& spec = *job.spec;
  if (job.state != JobState::Pending || spec.deadline == Wall{}) return "";
  const std::int64_t least_s = spec.time_min_s > 0 ? spec.time_min_s : spec.time_limit_s;
  const Wall latest = spec.deadline - std::chrono::seconds{least_s};
  std::string text = "Its deadline is " + absolute_text(spec.deadline, screen) + " (" +
                     ago_text(spec.deadline, screen) + ")";
  if (least_s > 0)
    text += "; it must start by " + absolute_text(latest, screen) + " (" +
            ago_text(latest, screen) + "), or it ends in state DEADLINE";
  return text + ".\n";
}

// Returns after which wait a pending job goes first, once it has waited for half of that time;
// empty before, since that matters only to jobs that wait for long.
std::string first_text(const JobDetail& detail, const Screen& screen) {
  const Job& job = detail.view.job;
  const std::int64_t waited_ms = (screen.now - job.eligible).count();
  const std::int64_t after_ms = detail.first_after_s * 1'000;
  if (job.state != JobState::Pending || after_ms == 0 || waited_ms < after_ms / 2) return "";
  const bool has_sum = !detail.priority_parts.empty();  // fair share is a part of it
  return "It has waited for " + duration_text(waited_ms) +
         " (time in which it was held does not count). After " + duration_text(after_ms) +
         " a job goes first in its tier" +
         (has_sum ? ", but its account's fair share still counts.\n" : ".\n");
}

// Returns, for a job on its nodes, what became of the last save of its attempt before; empty once
// this attempt has a checkpoint.
std::string lost_before_text(const JobDetail& detail) {
  const auto& attempts = detail.attempts;
  if (!is_live(detail.view.job.state) || attempts.empty()) return "";
  const AttemptKey present = attempts.back().key;
  if (std::ranges::find(detail.checkpoints, present, &Checkpoint::key) != detail.checkpoints.end())
    return "";
  const auto before = std::find_if(attempts.rbegin(), attempts.rend(), [&](const Attempt& a) {
    return a.key != present && a.went != Wall{};
  });
  const std::string lost = before == attempts.rend() ? "" : lost_save_in(before->outcome);
  if (lost.empty()) return "";
  return "Attempt " + std::to_string(before->key.attempt.value) + ": " + printable(lost) + "\n";
}

}  // namespace

std::string show_why(const JobDetail& detail, const Screen& screen) {
  const JobView& view = detail.view;
  std::string out = detail.tasks.empty() ? "" : array_text(detail);
  if (!detail.tasks.empty() && view.job.state != JobState::Pending) return out;
  out += first_line(view, screen) + "\n";
  const bool suspended = view.job.state == JobState::Suspended;
  std::string fact = view.job.state == JobState::Pending ? view.reason_detail : view.job.why;
  // A user has asked to resume the job, so it no longer matters which user suspended it.
  if (suspended && !view.job.held && fact.starts_with("suspended by ")) fact.clear();
  const bool says_it_all =
      !fact.empty() && detail.why.size() == 1 && detail.why.front().starts_with(fact);
  // For a job on its nodes, detail.why explains what it waits for, such as nodes that are not
  // ready. Then the reason of its last change of state is left out.
  const bool is_held_up = is_live(view.job.state) && !suspended && !detail.why.empty();
  if (!fact.empty() && !is_held_up)
    out += localised_text(says_it_all ? detail.why.front() : fact, screen) + "\n";
  if (suspended && !says_it_all && !view.reason_detail.empty())
    out += localised_text(view.reason_detail, screen) + "\n";
  const bool ran = is_live(view.job.state) || is_final(view.job.state);
  const std::string notes = ran ? notes_text(detail) : view.system_comment;
  if (!notes.empty()) out += printable(notes) + "\n";
  out += lost_before_text(detail);
  std::vector<std::string> lines = detail.why;
  std::erase(lines, fact);  // shown already
  if (suspended) std::erase(lines, view.reason_detail);
  if (!says_it_all) out += numbered_lines(lines, screen);
  out += deadline_text(view.job, screen) + first_text(detail, screen);
  if (view.expected_start != Wall{})
    out += (suspended ? "Expected to resume " : "Start expected ") +
           ago_text(view.expected_start, screen) + " (" +
           absolute_text(view.expected_start, screen) + ")" +
           (view.at_the_earliest ? " at the earliest: jobs ahead of it may delay it.\n" : ".\n");
  return out;
}

}  // namespace cox
