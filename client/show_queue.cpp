#include <algorithm>

#include "client/moments.h"
#include "client/show.h"
#include "common/job_ref.h"
#include "common/text.h"

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

struct Column {
  const char* head;
  bool right;
  int leaves;  // where the terminal is too narrow, the first to be left out; 0: never
  Cell (*cell)(const JobView& view, const Screen& screen);
};

using Columns = std::vector<Column>;

// What is the same of all has no column.
template <class Text>
bool differ(const JobList& list, Text text) {
  return std::ranges::any_of(
      list.jobs, [&](const JobView& view) { return text(view) != text(list.jobs.front()); });
}

Columns columns_for(const JobList& list) {
  Columns all{
      {"JOB", true, 0, [](const JobView& v, const Screen&) { return Cell(shown_id(v.job)); }},
      {"NAME", false, 0, [](const JobView& v, const Screen&) { return Cell(v.job.spec->name); }},
      {"USER", false, 0,
       [](const JobView& v, const Screen&) { return Cell(v.job.spec->user_name); }}};
  if (differ(list, [](const JobView& view) { return view.job.spec->account; }))
    all.push_back({"ACCOUNT", false, 4, [](const JobView& v, const Screen&) {
                     const std::string& account = v.job.spec->account;
                     return Cell(account.empty() ? std::string("-") : account);
                   }});
  all.push_back(
      {"QOS", false, 2, [](const JobView& v, const Screen&) { return Cell(v.job.spec->qos); }});
  if (differ(list, [](const JobView& view) { return view.partition; }))
    all.push_back(
        {"PARTITION", false, 5, [](const JobView& v, const Screen&) { return Cell(v.partition); }});
  const Columns rest{
      {"STATE", false, 0,
       [](const JobView& v, const Screen&) {
         return Cell(std::string(name(v.job.state)), state_colour(v.job.state));
       }},
      {"NODES", true, 0,
       [](const JobView& v, const Screen&) {
         return Cell(
             std::to_string(v.nodes.empty() ? nodes_of_all(*v.job.spec) : std::ssize(v.nodes)));
       }},
      {"RANKS", true, 1,
       [](const JobView& v, const Screen&) {
         return Cell(std::to_string(v.ranks > 0 ? v.ranks : tasks_of_all(*v.job.spec)));
       }},
      {"TIME", false, 0, [](const JobView& v, const Screen& at) { return Cell(when_text(v, at)); }},
      {"LEFT", false, 3, [](const JobView& v, const Screen&) { return Cell(left_text(v)); }},
      {"WHERE OR WHY", false, 0,
       [](const JobView& v, const Screen& at) { return Cell(where_or_why(v, at)); }}};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

std::string table_text(const JobList& list, const Columns& columns, const Screen& screen,
                       bool colour) {
  std::vector<std::string> heads;
  for (const Column& column : columns) heads.emplace_back(column.head);
  Table table(std::move(heads));
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].right) table.right(i);
  for (const JobView& view : list.jobs) {
    std::vector<Cell> cells;
    for (const Column& column : columns) cells.push_back(column.cell(view, screen));
    table.row(std::move(cells));
  }
  return table.text(colour, screen.width);
}

bool fits(const std::string& text, std::size_t width) {
  return std::ranges::all_of(split(text, '\n'),
                             [&](std::string_view line) { return display_width(line) <= width; });
}

}  // namespace

// The last tasks that wait have their array's id, and those that were split off before later ones.
void sort_tasks(std::vector<JobView>& jobs) {
  const auto place = [](const JobView& view) {
    const Job& job = view.job;
    const bool of_array = is_of_array(job);
    return std::pair(of_array ? job.array_job : job.id, of_array ? tasks_of(job).first() : 0);
  };
  if (!std::ranges::is_sorted(jobs, {}, place)) std::ranges::stable_sort(jobs, {}, place);
}

std::string show_queue(const JobList& all, const Screen& screen) {
  if (all.jobs.empty()) return all.unknown.empty() ? "No jobs.\n" : "";
  JobList list = all;
  sort_tasks(list.jobs);
  constexpr int leaving = 5;
  Columns columns = columns_for(list);
  for (int leaves = 1; leaves <= leaving && screen.width > 0; ++leaves) {
    if (fits(table_text(list, columns, screen, false), screen.width)) break;
    std::erase_if(columns, [&](const Column& column) { return column.leaves == leaves; });
  }
  return table_text(list, columns, screen, screen.colour);
}

}  // namespace cox
