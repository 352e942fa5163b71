#include "client/moments.h"
#include "client/show.h"
#include "common/job_ref.h"

namespace cox {
namespace {

// The moment that matters of a job in its state, as one phrase.
std::string when_text(const JobView& view, const Screen& screen) {
  const Job& job = view.job;
  if (is_final(job.state)) return "ended " + ago_text(job.ended, screen);
  if (is_live(job.state)) return "for " + duration_text(view.ran_ms);
  return "queued " + ago_text(job.submitted, screen);
}

std::string where_or_why(const JobView& view, const Screen& screen) {
  if (is_live(view.job.state)) return node_list_text(view.nodes);
  if (is_final(view.job.state)) return view.job.why;
  if (!view.reason_detail.empty()) return told_text(view.reason_detail, screen);
  return view.reason == WaitReason::None ? "not judged yet" : std::string(name(view.reason));
}

std::string left_text(const JobView& view) {
  if (is_final(view.job.state)) return "-";
  if (view.left_ms >= 0) return duration_text(view.left_ms);
  return view.job.spec->time_limit_s == 0 ? "-" : duration_text(view.job.spec->time_limit_s * 1000);
}

}  // namespace

std::string show_queue(const JobList& list, const Screen& screen) {
  if (list.jobs.empty()) return list.unknown.empty() ? "No jobs.\n" : "";
  Table table(
      {"JOB", "NAME", "USER", "QOS", "STATE", "NODES", "RANKS", "TIME", "LEFT", "WHERE OR WHY"});
  table.right(0).right(5).right(6);
  for (const auto& view : list.jobs) {
    const Job& job = view.job;
    table.row({shown_id(job),
               job.spec->name,
               job.spec->user_name,
               job.spec->qos,
               {std::string(name(job.state)), state_colour(job.state)},
               std::to_string(view.nodes.empty() ? job.spec->nodes : std::ssize(view.nodes)),
               std::to_string(view.ranks > 0 ? view.ranks : job.spec->tasks),
               when_text(view, screen),
               left_text(view),
               where_or_why(view, screen)});
  }
  return table.text(screen.colour);
}

}  // namespace cox
