#include "client/show/show_queue.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "client/show/show_words.h"
#include "client/slurm/list/job_fields.h"
#include "client/text/moments.h"
#include "client/text/progress_text.h"
#include "client/text/table.h"
#include "common/base/check.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

// Returns the text of the column TIME: how long the job has been queued or has run, or when it
// ended.
std::string when_text(const JobView& view, const Screen& screen) {
  const Job& job = view.job;
  if (is_final(job.state)) return "ended " + ago_text(job.ended, screen);
  if (is_live(job.state)) return "for " + duration_text(view.ran_ms);
  return "queued " + ago_text(job.submitted, screen);
}

std::string where_or_why(const JobView& view, const Screen& screen) {
  if (is_live(view.job.state)) return node_list_text(view.nodes);
  if (is_final(view.job.state)) return view.job.why;
  if (!view.reason_detail.empty()) return localised_text(view.reason_detail, screen);
  return view.reason == WaitReason::None ? "not considered yet" : std::string(name(view.reason));
}

std::string left_text(const JobView& view) {
  if (is_final(view.job.state)) return "-";
  if (view.left_ms >= 0) return duration_text(view.left_ms);
  return view.job.spec->time_limit_s == 0 ? "-" : duration_text(view.job.spec->time_limit_s * 1000);
}

struct Column {
  const char* head;
  bool right;
  // On a narrow terminal, columns are left out in this order, the lowest number first. 0: never.
  int leaves;
  // name of the column of squeue that has the text, in job_fields(); empty: `cell` returns the text
  std::string_view field;
  Cell (*cell)(const JobView& view, const Screen& screen) = nullptr;
};

using Columns = std::vector<Column>;

const Field<JobView>& field_named(std::string_view name) {
  const auto field = std::ranges::find(job_fields(), name, &Field<JobView>::name);
  CHECK(field != job_fields().end());
  return *field;
}

// Returns the text of a column of squeue, with "-" instead of "(null)".
std::string field_text(const Field<JobView>& field, const JobView& view, const FieldView& how) {
  std::string text = field.text(view, how);
  return text == "(null)" ? "-" : text;
}

Cell state_cell(const JobView& view, const Screen&) {
  static const Field<JobView>& field = field_named("State");
  return {field_text(field, view, {}), state_colour(view.job.state)};
}

Cell nodes_cell(const JobView& view, const Screen&) {
  return std::to_string(view.nodes.empty() ? nodes_of_all(*view.job.spec) : std::ssize(view.nodes));
}

Cell ranks_cell(const JobView& view, const Screen&) {
  return std::to_string(view.ranks > 0 ? view.ranks : tasks_of_all(*view.job.spec));
}

Cell job_cell(const JobView& view, const Screen&) {
  return shown_id(view.job);
}

constexpr auto all_columns = std::to_array<Column>({
    {"JOB", true, 0, "", job_cell},
    {"NAME", false, 0, "Name"},
    {"USER", false, 7, "UserName"},
    {"ACCOUNT", false, 4, "Account"},
    {"QOS", false, 2, "QOS"},
    {"PARTITION", false, 5, "Partition"},
    {"STATE", false, 0, "", state_cell},
    {"NODES", true, 6, "", nodes_cell},
    {"RANKS", true, 1, "", ranks_cell},
    {"TIME", false, 8, "",
     [](const JobView& v, const Screen& at) { return Cell(when_text(v, at)); }},
    {"LEFT", false, 3, "", [](const JobView& v, const Screen&) { return Cell(left_text(v)); }},
    {"PROGRESS", false, 7, "",
     [](const JobView& v, const Screen& at) {
       const std::string text = brief_progress_text(v.progress, at.now, is_live(v.job.state));
       return Cell(text.empty() ? "-" : text);
     }},
    {"WHERE OR WHY", false, 0, "",
     [](const JobView& v, const Screen& at) { return Cell(where_or_why(v, at)); }},
});

// Returns whether to show the column. ACCOUNT and PARTITION are left out if all jobs have the same
// value, and PROGRESS if no job has reported progress.
bool is_shown(const Column& column, const JobList& list) {
  if (std::string_view(column.head) == "PROGRESS")
    return std::ranges::any_of(list.jobs,
                               [](const JobView& view) { return view.progress.at != Wall{}; });
  if (column.field != "Account" && column.field != "Partition") return true;
  const Field<JobView>& field = field_named(column.field);
  const auto text = [&](const JobView& view) { return field_text(field, view, {}); };
  const std::string first = text(list.jobs.front());
  return std::ranges::any_of(list.jobs, [&](const JobView& view) { return text(view) != first; });
}

Columns columns_for(const JobList& list) {
  Columns columns;
  std::ranges::copy_if(all_columns, std::back_inserter(columns),
                       [&](const Column& column) { return is_shown(column, list); });
  return columns;
}

// Returns the cells of a column, one for each job.
std::vector<Cell> cells_of(const Column& column, const JobList& list, const Screen& screen) {
  std::vector<Cell> cells;
  if (column.cell != nullptr) {
    for (const JobView& view : list.jobs) cells.push_back(column.cell(view, screen));
    return cells;
  }
  const Field<JobView>& field = field_named(column.field);
  FieldView how;
  how.screen = screen;
  for (const JobView& view : list.jobs) cells.push_back(field_text(field, view, how));
  return cells;
}

std::string table_text(const JobList& list, const Columns& columns, const Screen& screen) {
  constexpr std::size_t name_width_least = 12;
  constexpr std::size_t word_width_least = 10;
  std::vector<std::string> heads;
  for (const Column& column : columns) heads.emplace_back(column.head);
  Table table(std::move(heads));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].right) table.right(i);
    if (columns[i].leaves > 0) table.leaves(i, columns[i].leaves);
    const bool is_name = columns[i].field == "Name" || columns[i].cell == job_cell;
    if (std::string_view(columns[i].head) == "PROGRESS") table.shrinks(i, word_width_least);
    if (is_name)
      table.names(i, name_width_least);
    else if (!columns[i].field.empty())
      table.shrinks(i, word_width_least);
  }
  std::vector<std::vector<Cell>> cells;
  for (const Column& column : columns) cells.push_back(cells_of(column, list, screen));
  for (std::size_t row = 0; row < list.jobs.size(); ++row) {
    std::vector<Cell> line;
    for (std::vector<Cell>& column : cells) line.push_back(std::move(column[row]));
    table.row(std::move(line));
  }
  return table.text(screen.colour, screen.width);
}

}  // namespace

// The order by job id is not the order of the tasks: pending tasks share the id of the array, while
// a task that was split off, such as a started one, has a higher id of its own.
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
  return table_text(list, columns_for(list), screen);
}

}  // namespace cox
