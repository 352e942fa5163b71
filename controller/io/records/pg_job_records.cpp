// Reads the rows of read_accounting.sql and read_accounting_runs.sql.
#include "controller/io/records/pg_records.h"

namespace cox {

std::vector<JobRecord> job_records_from(const PgRows& rows) {
  std::vector<JobRecord> records;
  for (Job& job : jobs_from(rows)) records.emplace_back().job = std::move(job);
  RowReader reader(rows);
  for (JobRecord& record : records) {
    CHECK(reader.next());
    reader("wait_reason", record.reason);
    reader("ended_by", record.ended_by);
  }
  return records;
}

std::vector<RunOfJob> runs_from(const PgRows& rows) {
  std::vector<RunOfJob> runs;
  RowReader reader(rows);
  while (reader.next()) {
    auto& [job, run] = runs.emplace_back();
    std::vector<std::string> nodes;
    reader("job_id", job);
    reader("attempt", run.number);
    reader("partition", run.partition);
    reader("began_at", run.began);
    reader("went_at", run.went);
    reader("ended_at", run.ended);
    reader("suspended_since", run.suspended_since);
    reader("suspended_ms", run.suspended_ms);
    reader("stop_why", run.stop);
    reader("time_limit_s", run.time_limit_s);
    reader("node_list", nodes);
    reader("cpus", run.cpus);
    reader("memory_mb", run.memory_mb);
    reader("gpu_milli", run.gpu_milli);
    reader("first_cpus", run.first_cpus);
    reader("first_memory_mb", run.first_memory_mb);
    reader("first_gpu_milli", run.first_gpu_milli);
    reader("exit_code", run.exit_code);
    reader("exit_signal", run.exit_signal);
    reader("rank_ended_at", run.rank_ended);
    usage_columns(run.usage, reader);
    run.nodes = std::ssize(nodes);
    if (!nodes.empty()) run.first_node = nodes.front();
    run.nodelist = node_list_of(nodes);
  }
  return runs;
}

}  // namespace cox
