#include "client/slurm/list/squeue.h"

#include <algorithm>
#include <memory>

#include "client/show/show_queue.h"
#include "client/slurm/list/job_fields.h"
#include "client/slurm/list/slurm_json.h"
#include "client/slurm/list/squeue_rows.h"
#include "client/slurm/list/step_fields.h"
#include "client/slurm/text/row_order.h"
#include "client/text/time_style.h"

namespace cox {
namespace {

constexpr const char* job_format = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";
constexpr const char* long_format = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R";
constexpr const char* step_format = "%.15i %.8j %.9P %.8u %.9M %N";

template <class Answer, class Body>
Body* find(std::vector<Answer>& answers) {
  for (Answer& answer : answers)
    if (auto* body = std::get_if<Body>(&answer)) return body;
  return nullptr;
}

constexpr const char* default_order = "P,t,-p";

const char* default_format_of(const SqueueRequest& request) {
  return request.long_list ? long_format : job_format;
}

// Returns whether the request needs only brief rows (JobSummary): they have the facts for all
// columns that are shown or sorted by. They always have the facts for filters.
bool brief_will_do(const SqueueRequest& request) {
  if (request.json || request.steps) return false;
  const auto fields = job_fields();
  const bool by_names = request.format_names.has_value();
  const std::string format =
      by_names ? *request.format_names : request.format.value_or(default_format_of(request));
  for (const FieldPlace& place : lay_out(format, by_names, fields).places)
    if (place.field >= 0 && !is_brief(fields[static_cast<std::size_t>(place.field)])) return false;
  const std::string order = request.sort.empty() ? default_order : request.sort;
  return std::ranges::all_of(fields, [&](const Field<JobView>& field) {
    const bool sorts = field.letter != 0 && order.find(field.letter) != std::string::npos;
    return !sorts || is_brief(field);
  });
}

// Returns the text of a list of jobs or steps: the date (with -i, -l or --verbose), the heads, and
// the sorted rows.
template <class Row>
Shown lines_of(const SqueueRequest& request, std::vector<Row> rows,
               std::span<const Field<Row>> fields, const char* format, const char* order,
               const char* kind, const FieldView& view) {
  const bool by_names = request.format_names.has_value();
  const std::string given = by_names ? *request.format_names : request.format.value_or(format);
  const FieldLayout layout = lay_out(given, by_names, fields);
  Shown shown;
  for (const std::string& unknown : layout.unknown)
    shown.err +=
        slurm_error("squeue", std::string("Invalid ") + kind + " specification: " + unknown).err;
  const bool dated = request.every_s > 0 || request.verbose > 0 || request.long_list;
  if (!request.no_header) {
    if (dated) shown.out += date_line(view.screen);
    shown.out += head_line(layout, fields);
  }
  std::string unsorted;
  const auto orders =
      read_order(request.sort.empty() ? order : request.sort.c_str(), fields, unsorted);
  if (!unsorted.empty()) {
    const Shown wrong = slurm_error("squeue", "Invalid sort specification: " + unsorted);
    return {shown.out, shown.err + wrong.err, wrong.exit_code};
  }
  sort_rows(rows, orders);
  for (const Row& row : rows) add_line(shown.out, layout, fields, row, view);
  return shown;
}

// Returns whether an unknown id is an error. As in Slurm, it is if only this id is given; unknown
// ids among several are ignored.
bool is_unknown(const SqueueRequest& request, const JobList& list) {
  return !request.steps && request.ids.size() == 1 && !list.unknown.empty();
}

std::optional<Shown> refuse_unknown_nodes(const SqueueRequest& request, const NodeList* nodes) {
  if (nodes == nullptr) return std::nullopt;
  for (const std::string& name : request.nodes)
    if (std::ranges::none_of(nodes->nodes,
                             [&](const auto& each) { return each.node.name == name; }))
      return slurm_error("squeue", "Invalid node name " + name);
  return std::nullopt;
}

Shown show_jobs(const SqueueRequest& request, JobList& list, const FieldView& view) {
  if (is_unknown(request, list))
    return {"", "slurm_load_jobs error: Invalid job id specified\n", exit_refused};
  sort_tasks(list.jobs);
  auto rows = rows_of(request, std::move(list.jobs));
  if (request.json) return {slurm_json_of_jobs(rows, view), "", exit_ok};
  return lines_of(request, std::move(rows), job_fields(), default_format_of(request), default_order,
                  "job format", view);
}

Shown show(const SqueueRequest& request, std::vector<Answer>& answers, FieldView view) {
  auto* list = find<Answer, JobList>(answers);
  const auto* steps = find<Answer, StepList>(answers);
  if (list == nullptr || (request.steps && steps == nullptr))
    return {"", "slurm_load_jobs error: Unexpected message\n", exit_refused};
  if (const auto* cluster = find<Answer, ClusterView>(answers)) view.cluster = cluster->name;
  if (auto wrong = refuse_other_clusters("squeue", request.clusters, view.cluster)) return *wrong;
  if (auto wrong = refuse_unknown_nodes(request, find<Answer, NodeList>(answers))) return *wrong;
  view.time_style = request.time_style;
  view.convert_units = request.convert_units;
  view.tasks_bytes = static_cast<std::size_t>(request.tasks_bytes);
  if (request.json) return show_jobs(request, *list, view);
  std::string before = request.verbose > 0 ? asked_text(request) : "";
  if (!request.clusters.empty() && !request.no_header)
    before += "CLUSTER: " + printable(view.cluster) + "\n";
  Shown shown = request.steps ? lines_of(request, step_rows(request, steps->steps, list->jobs),
                                         step_fields(), step_format, "P,i", "job step format", view)
                              : show_jobs(request, *list, view);
  shown.out = before + shown.out;
  return shown;
}

bool asks_for_cluster(const SqueueRequest& request) {
  const std::string names = lower_case(request.format_names.value_or(""));
  return !request.clusters.empty() || request.json || names.find("cluster") != std::string::npos;
}

}  // namespace

ReadListing read_squeue(const std::vector<std::string>& words, const Surroundings& around) {
  auto read = read_squeue_request(words, around);
  if (auto* wrong = std::get_if<Shown>(&read)) return *wrong;
  const auto request = std::make_shared<SqueueRequest>(std::get<SqueueRequest>(std::move(read)));
  if (request->json && request->steps)
    return slurm_error("squeue",
                       "--json and --yaml show jobs, not steps: leave out --steps, or choose what "
                       "to read with -h -o FORMAT");
  Listing listing;
  listing.every_s = request->every_s;
  listing.config = request->config;
  listing.notes = request->notes;
  listing.unreachable =
      "slurm_load_jobs error: Unable to contact slurm controller (connect failure)";
  ListJobs jobs = question_of_jobs(*request);
  jobs.brief = brief_will_do(*request);
  listing.questions.push_back(jobs);
  if (request->steps) listing.questions.push_back(ListSteps{jobs.ids, {}, jobs.user_name});
  if (asks_for_cluster(*request)) listing.questions.push_back(ShowCluster{});
  if (!request->nodes.empty()) listing.questions.push_back(ListNodes{});
  listing.show = [request](std::vector<Answer>& answers, const FieldView& view) {
    return show(*request, answers, view);
  };
  return listing;
}

}  // namespace cox
