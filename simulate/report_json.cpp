#include <nlohmann/json.hpp>

#include "simulate/report.h"

namespace cox::simulate {
namespace {

using Json = nlohmann::ordered_json;

double seconds(Milliseconds time) {
  return static_cast<double>(time.count()) / 1'000;
}

template <class T, class Convert>
Json or_null(const std::optional<T>& value, Convert convert) {
  return value ? Json(convert(*value)) : Json(nullptr);
}

Json or_null(const std::optional<double>& value) {
  return or_null(value, [](double number) { return number; });
}

Json json_of_spread(const Spread& spread) {
  return {{"mean", spread.mean},
          {"p50", spread.p50},
          {"p95", spread.p95},
          {"p99", spread.p99},
          {"max", spread.max}};
}

Json json_of_setting(const Setting& setting) {
  return {{"trace", setting.trace},
          {"format", setting.format},
          {"cluster", setting.cluster},
          {"order", setting.policy.order},
          {"backfill", setting.policy.backfill},
          {"placement", setting.policy.placement},
          {"save_time_s", seconds(setting.cost.save)},
          {"restart_time_s", seconds(setting.cost.restart)},
          {"seed", setting.seed}};
}

Json json_of_summary(const Summary& summary) {
  return {{"jobs", summary.jobs},
          {"records_skipped", summary.skipped},
          {"jobs_impossible", summary.impossible},
          {"jobs_never_started", summary.never_started},
          {"jobs_ended", summary.ended},
          {"wait_s", json_of_spread(summary.wait_s)},
          {"bounded_slowdown", json_of_spread(summary.slowdown)},
          {"completion_s", json_of_spread(summary.completion_s)},
          {"recorded_wait_s", or_null(summary.recorded_wait_s, json_of_spread)},
          {"recorded_completion_s", or_null(summary.recorded_completion_s, json_of_spread)},
          {"makespan_s", summary.makespan_s},
          {"cpu_utilisation", summary.cpu_utilisation},
          {"gpu_utilisation", or_null(summary.gpu_utilisation)},
          {"gpu_allocation", or_null(summary.gpu_allocation)},
          {"gpu_fragmentation", or_null(summary.gpu_fragmentation)},
          {"queue_max", summary.queue_max},
          {"preemptions", summary.preemptions},
          {"useless_kills", summary.useless_kills},
          {"lost_gpu_hours", summary.lost_gpu_hours},
          {"lost_cpu_hours", summary.lost_cpu_hours}};
}

Json json_of_job(const TraceJob& job, const JobRecord& record) {
  return {{"job", job.name},
          {"submit_s", seconds(job.submit)},
          {"run_s", seconds(job.run)},
          {"possible", record.possible},
          {"start_s", or_null(record.first_start, seconds)},
          {"end_s", or_null(record.end, seconds)},
          {"wait_s", seconds(record.waited)},
          {"lost_s", seconds(record.lost)},
          {"attempts", record.attempts}};
}

// Names in traces may be any bytes: what is no UTF-8 is replaced.
std::string text_of(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_of(const Setting& setting, const Trace& trace, const Summary& summary,
                    const Simulated& simulated) {
  Json jobs = Json::array();
  for (std::size_t i = 0; i < trace.jobs.size(); ++i)
    jobs.push_back(json_of_job(trace.jobs[i], simulated.jobs[i]));
  return text_of({{"setting", json_of_setting(setting)},
                  {"summary", json_of_summary(summary)},
                  {"jobs", std::move(jobs)}});
}

std::string json_of(const Setting& setting, const Filled& filled) {
  return text_of({{"setting", json_of_setting(setting)},
                  {"jobs_arrived", filled.arrived},
                  {"jobs_placed", filled.placed},
                  {"gpu_allocated_pct_by_demand_pct", filled.allocated_pct},
                  {"gpu_fragmented_pct_by_demand_pct", filled.fragmented_pct}});
}

}  // namespace cox::simulate
