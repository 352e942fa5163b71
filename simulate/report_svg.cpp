#include <algorithm>

#include "simulate/report.h"
#include "simulate/svg.h"

namespace cox::simulate {
namespace {

constexpr double ms_per_day = 86'400'000;
constexpr std::size_t distribution_points = 500;

std::string title_of(const Setting& setting) {
  return setting.trace + " on " + setting.cluster + ": " + setting.policy.order + ", backfill " +
         setting.policy.backfill + ", " + setting.policy.placement;
}

// Since the first of the moments, in days.
template <class Value>
Points over_time(const std::vector<Moment>& moments, Value value) {
  Points changes;
  changes.reserve(moments.size());
  for (const Moment& moment : moments) {
    const Milliseconds since = moment.at - moments.front().at;
    changes.emplace_back(static_cast<double>(since.count()) / ms_per_day, value(moment));
  }
  return steps(changes);
}

Points distribution_of_waits(const Simulated& simulated) {
  std::vector<double> waits;
  for (const JobRecord& record : simulated.jobs)
    if (record.end) waits.push_back(static_cast<double>(record.waited.count()) / 1'000);
  std::ranges::sort(waits);
  Points points;
  for (std::size_t i = 0; i <= distribution_points && !waits.empty(); ++i) {
    const std::size_t at = i * (waits.size() - 1) / distribution_points;
    points.emplace_back(waits[at],
                        100 * static_cast<double>(at + 1) / static_cast<double>(waits.size()));
  }
  return points;
}

// In % of `whole`.
template <class Field>
Points share_over_time(const std::vector<Moment>& moments, Field Moment::*field, double whole) {
  return over_time(moments, [field, whole](const Moment& moment) {
    return 100 * static_cast<double>(moment.*field) / whole;
  });
}

}  // namespace

std::string svg_of(const Setting& setting, const Cluster& cluster, const Simulated& simulated) {
  const auto& moments = simulated.moments;
  const auto count = [&moments](std::int64_t Moment::*field) {
    return over_time(moments,
                     [field](const Moment& moment) { return static_cast<double>(moment.*field); });
  };
  const Chart jobs{"Jobs over time",
                   "days",
                   "jobs",
                   {{"waiting", count(&Moment::pending)}, {"running", count(&Moment::running)}}};
  const Chart waits{"Waits",
                    "seconds waited at most",
                    "% of the jobs",
                    {{"", distribution_of_waits(simulated)}},
                    true};
  Chart allocation{"Allocated over time", "days", "%", {}};
  const auto cpu_milli = static_cast<double>(cluster.cpu_milli());
  allocation.lines.push_back(
      {"CPUs", share_over_time(moments, &Moment::cpu_milli_used, cpu_milli)});
  if (cluster.gpus() > 0) {
    const double milli = static_cast<double>(cluster.gpus()) * 1'000;
    allocation.lines.push_back({"GPUs", share_over_time(moments, &Moment::gpu_milli_used, milli)});
    allocation.lines.push_back(
        {"GPUs fragmented", share_over_time(moments, &Moment::gpu_milli_fragmented, milli)});
  }
  return svg_document(title_of(setting), {jobs, waits, allocation});
}

std::string svg_of(const Setting& setting, const Filled& filled) {
  Chart chart{"GPUs allocated by what was asked for",
              "GPUs asked for, % of the cluster",
              "%",
              {{"allocated", {}}, {"fragmented", {}}}};
  for (std::size_t pct = 0; pct <= demand_pct_max; ++pct) {
    chart.lines[0].points.emplace_back(static_cast<double>(pct), filled.allocated_pct[pct]);
    chart.lines[1].points.emplace_back(static_cast<double>(pct), filled.fragmented_pct[pct]);
  }
  return svg_document(title_of(setting), {chart});
}

}  // namespace cox::simulate
