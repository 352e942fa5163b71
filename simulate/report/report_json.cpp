#include <nlohmann/json.hpp>

#include "simulate/report/report.h"

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
          {"seed", setting.seed},
          {"left_out", setting.left_out},
          {"progress", setting.progress}};
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

Json json_of_account(const AccountFigures& figures) {
  return {{"account", figures.name},
          {"parent", figures.parent},
          {"shares", figures.shares},
          {"jobs", figures.jobs},
          {"entitled_part", figures.entitled_part},
          {"used_part", figures.used_part},
          {"deviation", figures.deviation()},
          {"always_waited", figures.always_waited()},
          {"waiting_part", figures.waiting_part},
          {"gpu_hours", figures.gpu_hours},
          {"cpu_hours", figures.cpu_hours},
          {"worst_wait_s", figures.worst_wait_s},
          {"short_of_guarantee_s", or_null(figures.short_of_guarantee_s)},
          {"used_by_bin", figures.used_by_bin},
          {"entitled_by_bin", figures.entitled_by_bin}};
}

Json json_of_fairness(const Fairness& fairness) {
  Json accounts = Json::array();
  for (const AccountFigures& figures : fairness.accounts)
    accounts.push_back(json_of_account(figures));
  return {{"from_s", seconds(fairness.from)},
          {"to_s", seconds(fairness.to)},
          {"deviation_max", or_null(fairness.deviation_max)},
          {"accounts", std::move(accounts)}};
}

// Names in traces may be any bytes, so invalid UTF-8 is replaced.
std::string text_of(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_of(const Setting& setting, const Trace& trace, const Summary& summary,
                    const Simulated& simulated, const Fairness* fairness) {
  Json jobs = Json::array();
  for (std::size_t i = 0; i < trace.jobs.size(); ++i)
    jobs.push_back(json_of_job(trace.jobs[i], simulated.jobs[i]));
  Json all{{"setting", json_of_setting(setting)}, {"summary", json_of_summary(summary)}};
  if (fairness != nullptr) {
    all["setting"]["accounts"] = setting.accounts;
    all["setting"]["half_life_s"] = seconds(setting.half_life);
    all["fairness"] = json_of_fairness(*fairness);
  }
  all["jobs"] = std::move(jobs);
  return text_of(all);
}

std::string json_of(const Setting& setting, const Filled& filled) {
  return text_of({{"setting", json_of_setting(setting)},
                  {"jobs_arrived", filled.arrived},
                  {"jobs_placed", filled.placed},
                  {"gpu_allocated_pct_by_demand_pct", filled.allocated_pct},
                  {"gpu_fragmented_pct_by_demand_pct", filled.fragmented_pct}});
}

}  // namespace cox::simulate
