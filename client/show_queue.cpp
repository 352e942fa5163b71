#include <algorithm>

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

std::vector<std::string> numbers_and_why(const JobView& view, const Screen& screen) {
  const JobSpec& spec = *view.job.spec;
  return {std::to_string(view.nodes.empty() ? spec.nodes : std::ssize(view.nodes)),
          std::to_string(view.ranks > 0 ? view.ranks : spec.tasks), when_text(view, screen),
          left_text(view), where_or_why(view, screen)};
}

// What is the same of all has no column.
template <class Text>
bool differ(const JobList& list, Text text) {
  return std::ranges::any_of(
      list.jobs, [&](const JobView& view) { return text(view) != text(list.jobs.front()); });
}

}  // namespace

std::string show_queue(const JobList& list, const Screen& screen) {
  if (list.jobs.empty()) return list.unknown.empty() ? "No jobs.\n" : "";
  const bool partitions = differ(list, [](const JobView& view) { return view.partition; });
  const bool accounts = differ(list, [](const JobView& view) { return view.job.spec->account; });
  const std::size_t more =
      static_cast<std::size_t>(partitions) + static_cast<std::size_t>(accounts);
  std::vector<std::string> heads{"JOB", "NAME", "USER"};
  if (accounts) heads.emplace_back("ACCOUNT");
  heads.emplace_back("QOS");
  if (partitions) heads.emplace_back("PARTITION");
  for (const char* head : {"STATE", "NODES", "RANKS", "TIME", "LEFT", "WHERE OR WHY"})
    heads.emplace_back(head);
  Table table(std::move(heads));
  table.right(0).right(5 + more).right(6 + more);
  for (const auto& view : list.jobs) {
    const Job& job = view.job;
    std::vector<Cell> cells{shown_id(job), job.spec->name, job.spec->user_name};
    if (accounts) cells.emplace_back(job.spec->account.empty() ? "-" : job.spec->account);
    cells.emplace_back(job.spec->qos);
    if (partitions) cells.emplace_back(view.partition);
    cells.emplace_back(std::string(name(job.state)), state_colour(job.state));
    for (std::string& text : numbers_and_why(view, screen)) cells.emplace_back(std::move(text));
    table.row(std::move(cells));
  }
  return table.text(screen.colour, screen.width);
}

}  // namespace cox
