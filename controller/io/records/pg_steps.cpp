// Writes and reads rows of cox.step.
#include "common/base/text.h"
#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

// The nodes of a step as parallel arrays.
struct NodeColumns {
  std::vector<std::string> name;
  std::vector<std::int32_t> tasks;
  std::vector<std::int64_t> cpus;
  std::vector<std::int64_t> memory_mb;
  std::vector<std::string> gpus;  // "0,1"
  std::vector<StepPhase> phase;
};

NodeColumns columns_of(const std::vector<StepNode>& nodes) {
  NodeColumns columns;
  for (const StepNode& node : nodes) {
    columns.name.push_back(node.node);
    columns.tasks.push_back(node.tasks);
    columns.cpus.push_back(node.cpus);
    columns.memory_mb.push_back(node.memory_mb);
    std::string& gpus = columns.gpus.emplace_back();
    for (const std::int32_t gpu : node.gpus)
      gpus += (gpus.empty() ? "" : ",") + std::to_string(gpu);
    columns.phase.push_back(node.phase);
  }
  return columns;
}

std::vector<StepNode> nodes_of(const NodeColumns& columns) {
  std::vector<StepNode> nodes;
  for (std::size_t i = 0; i < columns.name.size(); ++i) {
    StepNode node{columns.name[i], columns.tasks[i], columns.cpus[i], columns.memory_mb[i], {},
                  columns.phase[i]};
    if (!columns.gpus[i].empty())
      for (const std::string_view gpu : split(columns.gpus[i], ','))
        pg_parse(gpu, node.gpus.emplace_back());
    nodes.push_back(std::move(node));
  }
  return nodes;
}

template <class Figures, class Visit>
void figure_columns(Figures& f, Visit& v) {
  v("exited_tasks", f.tasks);
  v("rss_kb", f.rss_kb);
  v("read_bytes", f.read_bytes);
  v("written_bytes", f.written_bytes);
  v("most_rss_kb", f.most_rss_kb.amount);
  v("most_rss_task", f.most_rss_kb.task);
  v("most_read_bytes", f.most_read_bytes.amount);
  v("most_read_task", f.most_read_bytes.task);
  v("most_written_bytes", f.most_written_bytes.amount);
  v("most_written_task", f.most_written_bytes.task);
  v("least_cpu_ms", f.least_cpu_ms.amount);
  v("least_cpu_task", f.least_cpu_ms.task);
}

template <class Row, class Columns, class Visit>
void step_columns(Row& s, Columns& nodes, Visit& v) {
  v("job_id", s.key.attempt.job);
  v("attempt", s.key.attempt.attempt);
  v("number", s.key.number);
  v("state", s.state);
  v("name", s.spec.name);
  v("request_id", s.request_id);
  v("nodes_min", s.spec.nodes_min);
  v("nodes_max", s.spec.nodes_max);
  v("tasks_asked", s.spec.tasks);
  v("tasks_per_node", s.spec.tasks_per_node);
  v("cpus_per_task", s.spec.cpus_per_task);
  v("nodelist", s.spec.nodelist);
  v("exclude", s.spec.exclude);
  v("relative", s.spec.relative);
  v("exact", s.spec.exact);
  v("overlap", s.spec.overlap);
  v("memory_mb_per_node", s.spec.memory_mb_per_node);
  v("gpus_per_node", s.spec.gpus_per_node);
  v("gpus_per_task", s.spec.gpus_per_task);
  v("gpus", s.spec.gpus);
  v("distribution", s.spec.distribution);
  v("plane", s.spec.plane);
  v("time_limit_s", s.spec.time_limit_s);
  v("immediate", s.spec.immediate);
  v("overcommit", s.spec.overcommit);
  v("memory_mb_per_cpu", s.spec.memory_mb_per_cpu);
  v("node_list", nodes.name);
  v("node_tasks", nodes.tasks);
  v("node_cpus", nodes.cpus);
  v("node_memory_mb", nodes.memory_mb);
  v("node_gpus", nodes.gpus);
  v("node_phase", nodes.phase);
  v("tasks", s.tasks);
  v("created_at", s.created);
  v("started_at", s.started);
  v("ended_at", s.ended);
  v("exit_code", s.exit_code);
  v("exit_signal", s.exit_signal);
  v("stopping", s.stopping);
  v("timed_out", s.timed_out);
  v("out_of_memory", s.out_of_memory);
  usage_columns(s.usage, v);
  v("why", s.why);
  v("component", s.spec.component);
  figure_columns(s.figures, v);
  v("asked_to_stop", s.asked_to_stop);
  v("command_hash", s.spec.command_hash);
}

}  // namespace

void add_step(RowBatch& batch, const Step& step) {
  const NodeColumns nodes = columns_of(step.nodes);
  step_columns(step, nodes, batch);
  batch.end_row();
}

std::vector<Step> steps_from(const PgRows& rows) {
  std::vector<Step> steps;
  RowReader reader(rows);
  while (reader.next()) {
    NodeColumns nodes;
    Step& step = steps.emplace_back();
    step_columns(step, nodes, reader);
    step.nodes = nodes_of(nodes);
  }
  return steps;
}

}  // namespace cox
