#include "client/show/wait_progress.h"

#include <algorithm>

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "client/text/table.h"
#include "common/base/check.h"
#include "common/base/text.h"

namespace cox {
namespace {

std::string state_line(const JobDetail& detail, const Screen& screen) {
  const JobView& view = detail.view;
  const Job& job = view.job;
  std::string out = coloured(name(job.state), state_colour(job.state), screen.colour);
  if (is_live(job.state))
    out += "  attempt " + std::to_string(job.attempt.value) + " on " + node_list_text(view.nodes);
  const std::string& why =
      job.state == JobState::Pending && !view.reason_detail.empty() ? view.reason_detail : job.why;
  if (!why.empty()) out += "  " + localised_text(why, screen);
  if (job.state == JobState::Failed || job.state == JobState::Completed)
    out += "  (" + exit_text(job.exit_code, job.exit_signal) + ")";
  if (job.state == JobState::Failed && !notes_text(detail).empty())
    out += "  " + printable(notes_text(detail));
  return out;
}

bool same_standing(const JobDetail& a, const JobDetail& b) {
  return a.view.job.state == b.view.job.state && a.view.job.attempt == b.view.job.attempt &&
         a.view.job.why == b.view.job.why && a.view.reason_detail == b.view.reason_detail;
}

std::string resume_line(const JobDetail& detail) {
  if (detail.attempts.empty() || !detail.attempts.back().resume) return "";
  const Attempt& attempt = detail.attempts.back();
  const ResumeFrom& from = *attempt.resume;
  return "attempt " + std::to_string(attempt.key.attempt.value) + " resumes from step " +
         std::to_string(from.step) +
         (from.job == JobId{} ? " of attempt " + std::to_string(from.attempt.value)
                              : " of job " + std::to_string(from.job.value));
}

std::string checkpoint_line(const Checkpoint& saved) {
  return "checkpoint of step " + std::to_string(saved.step) + " committed, " +
         bytes_text(saved.bytes) + " in " + std::to_string(saved.files) +
         (saved.files == 1 ? " file" : " files");
}

int exit_code_for(JobState state, std::int32_t exit_code, std::int32_t exit_signal) {
  constexpr int signal_base = 128;
  if (state == JobState::Completed) return exit_ok;
  if (exit_code != 0) return exit_code & 0xff;
  if (exit_signal != 0) return (signal_base + exit_signal) & 0xff;
  return exit_refused;
}

// Returns how many tasks of the array are in each state, why pending tasks wait and, when all tasks
// have ended, the highest exit code, with which `cox wait` exits.
std::string array_line(const JobDetail& detail, const Screen& screen) {
  std::string out = task_counts_text(detail.tasks);
  const JobView& view = detail.view;
  if (view.job.state == JobState::Pending && !view.reason_detail.empty())
    out += "  " + localised_text(view.reason_detail, screen);
  if (has_ended(detail))
    out += "  (the highest exit code is " + std::to_string(exit_code_of(detail)) + ")";
  return out;
}

// Returns the local time as HH:MM:SS, after the date if that is not today.
std::string clock_text(Wall at, const Screen& screen) {
  constexpr std::size_t date_bytes = 10;
  const std::string text = absolute_text(at, screen);
  const bool is_today = text.starts_with(absolute_text(screen.now, screen).substr(0, date_bytes));
  return (is_today ? text.substr(date_bytes + 1) : text) + "  ";
}

bool knows(const JobDetail& detail, const Checkpoint& saved) {
  return std::ranges::any_of(detail.checkpoints, [&](const Checkpoint& each) {
    return each.key == saved.key && each.step == saved.step;
  });
}

}  // namespace

std::string progress_lines(const std::optional<JobDetail>& before, const JobDetail& now,
                           const Screen& screen) {
  const std::string clock = clock_text(screen.now, screen);
  const Wall ended = now.view.job.ended;
  const std::string since = ended == Wall{} ? clock : clock_text(ended, screen);
  if (!now.tasks.empty()) {
    const std::string line = array_line(now, screen);
    if (before && array_line(*before, screen) == line) return "";
    return (has_ended(now) ? since : clock) + line + "\n";
  }
  std::string out;
  if (before) {
    for (const auto& saved : now.checkpoints)
      if (!knows(*before, saved)) out += clock + checkpoint_line(saved) + "\n";
  }
  if (now.tasks_left > 1 && (!before || before->tasks_left != now.tasks_left))
    out += clock + std::to_string(now.tasks_left) + " tasks have not ended\n";
  if (!before || !same_standing(*before, now)) out += since + state_line(now, screen) + "\n";
  const bool new_attempt = before && before->attempts.size() < now.attempts.size();
  if (new_attempt && !resume_line(now).empty()) out += clock + resume_line(now) + "\n";
  return out;
}

int exit_code_of(const Job& job) {
  CHECK(is_final(job.state));
  return exit_code_for(job.state, job.exit_code, job.exit_signal);
}

bool has_ended(const JobDetail& detail) {
  if (!detail.tasks.empty()) return detail.tasks_left == 0;
  return is_final(detail.view.job.state) && detail.tasks_left == 0;
}

int exit_code_of(const JobDetail& detail) {
  if (!detail.tasks.empty()) {
    int highest = exit_ok;
    for (const TaskGroup& group : detail.tasks)
      highest = std::max(highest, exit_code_for(group.state, group.exit_code, group.exit_signal));
    return highest;
  }
  const int own = exit_code_of(detail.view.job);
  return own == exit_ok && detail.tasks_failed > 0 ? exit_refused : own;
}

}  // namespace cox
