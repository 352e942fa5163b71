#include <algorithm>
#include <functional>

#include "simulate/report/report.h"
#include "simulate/report/svg.h"

namespace cox::simulate {
namespace {

constexpr double ms_per_day = 86'400'000;
constexpr std::size_t distribution_points = 500;
constexpr std::size_t accounts_drawn = 6;

std::string title_of(const Setting& setting) {
  return setting.trace + " on " + setting.cluster + ": " + setting.policy.order + ", backfill " +
         setting.policy.backfill + ", " + setting.policy.placement;
}

// Returns for each moment a point: days since the first moment, and the moment's value.
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

// Returns for each moment a point: days since the first moment, and the field in % of `whole`.
template <class Field>
Points share_over_time(const std::vector<Moment>& moments, Field Moment::*field, double whole) {
  return over_time(moments, [field, whole](const Moment& moment) {
    return 100 * static_cast<double>(moment.*field) / whole;
  });
}

Points by_bin(const Fairness& fairness, const std::vector<double>& parts) {
  const double days = static_cast<double>((fairness.end - fairness.begin).count()) / ms_per_day;
  Points points;
  for (std::size_t i = 0; i < parts.size(); ++i)
    points.emplace_back(days * (static_cast<double>(i) + 0.5) / static_cast<double>(parts.size()),
                        100 * parts[i]);
  return points;
}

Chart chart_of(const Fairness& fairness) {
  std::vector<const AccountFigures*> most;
  for (const AccountFigures& figures : fairness.accounts) most.push_back(&figures);
  std::ranges::stable_sort(most, std::greater<>{}, [](const auto* one) { return one->used_part; });
  if (most.size() > accounts_drawn) most.resize(accounts_drawn);
  Chart chart{"Use of accounts, and dashed what they were entitled to", "days", "% of all use", {}};
  for (const AccountFigures* figures : most) {
    chart.lines.push_back({figures->name, by_bin(fairness, figures->used_by_bin)});
    chart.lines.push_back({"", by_bin(fairness, figures->entitled_by_bin), true});
  }
  return chart;
}

}  // namespace

std::string svg_of(const Setting& setting, const Cluster& cluster, const Simulated& simulated,
                   const Fairness* fairness) {
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
  std::vector<Chart> charts{jobs, waits, allocation};
  if (fairness != nullptr) charts.insert(charts.begin(), chart_of(*fairness));
  return svg_document(title_of(setting), charts);
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
