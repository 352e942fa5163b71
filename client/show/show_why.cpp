#include "client/show/show.h"
#include "client/text/moments.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

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

// Of an array as a whole; then of the row that waits.
std::string array_text(const JobDetail& detail) {
  const std::string id = std::to_string(detail.view.job.array_job.value);
  const std::string all = "Array " + id + " (" + printable(detail.view.job.spec->name) +
                          "): " + task_counts_text(detail.tasks) + ".";
  if (detail.view.job.state == JobState::Pending) return all + "\n";
  return all + " No task of it waits; `cox show job " + id + "` tells which stand how.\n";
}

// Who has not begun by then, with the least time that will do, ends without.
std::string deadline_text(const Job& job, const Screen& screen) {
  const JobSpec& spec = *job.spec;
  if (job.state != JobState::Pending || spec.deadline == Wall{}) return "";
  const std::int64_t least_s = spec.time_min_s > 0 ? spec.time_min_s : spec.time_limit_s;
  const Wall latest = spec.deadline - std::chrono::seconds{least_s};
  std::string text = "Its deadline is " + absolute_text(spec.deadline, screen) + " (" +
                     ago_text(spec.deadline, screen) + ")";
  if (least_s > 0)
    text += "; it starts by " + absolute_text(latest, screen) + " (" + ago_text(latest, screen) +
            "), or ends without";
  return text + ".\n";
}

}  // namespace

std::string show_why(const JobDetail& detail, const Screen& screen) {
  const JobView& view = detail.view;
  std::string out = detail.tasks.empty() ? "" : array_text(detail);
  if (!detail.tasks.empty() && view.job.state != JobState::Pending) return out;
  out += first_line(view, screen) + "\n";
  const std::string& fact = view.job.state == JobState::Pending ? view.reason_detail : view.job.why;
  const bool says_it_all = detail.why.size() == 1 && detail.why.front().starts_with(fact);
  // What its nodes do now matters more than how it came to its state.
  const bool is_held_up =
      is_live(view.job.state) && view.job.state != JobState::Suspended && !detail.why.empty();
  if (!fact.empty() && !is_held_up)
    out += told_text(says_it_all ? detail.why.front() : fact, screen) + "\n";
  const bool suspended = view.job.state == JobState::Suspended;
  if (suspended && !view.reason_detail.empty()) out += told_text(view.reason_detail, screen) + "\n";
  const bool ran = is_live(view.job.state) || is_final(view.job.state);
  const std::string notes = ran ? notes_text(detail) : "";
  if (!notes.empty()) out += printable(notes) + "\n";
  std::vector<std::string> lines = detail.why;
  std::erase(lines, fact);  // said already
  if (!says_it_all) out += numbered_lines(lines, screen);
  out += deadline_text(view.job, screen);
  if (view.expected_start != Wall{})
    out += (suspended ? "Expected to go on " : "Start expected ") +
           ago_text(view.expected_start, screen) + " (" +
           absolute_text(view.expected_start, screen) + ")" +
           (view.at_the_earliest ? ", unless those before it draw it out.\n" : ".\n");
  return out;
}

}  // namespace cox
