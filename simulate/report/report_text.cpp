#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "simulate/report/report.h"

namespace cox::simulate {
namespace {

std::string number(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string percent(double part) {
  return number(100 * part, 2) + " %";
}

// Formats a table: each column is as wide as its widest cell, all but the first aligned to the
// right.
class Rows {
 public:
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string fill(widths[i] - row[i].size(), ' ');
        out += i == 0 ? row[i] + (row.size() > 1 ? fill : "") : "  " + fill + row[i];
      }
      out += "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Formats lines like "name value", with the names padded to one width.
class NamedLines {
 public:
  void add(std::string name, std::string value) {
    lines_.emplace_back(std::move(name), std::move(value));
  }
  std::string text() const {
    std::size_t width = 0;
    for (const auto& [name, value] : lines_) width = std::max(width, name.size());
    std::string out;
    for (const auto& [name, value] : lines_)
      out += name + std::string(width + 2 - name.size(), ' ') + value + "\n";
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

std::string head(const Setting& setting, const Cluster& cluster) {
  NamedLines lines;
  lines.add("trace", printable(setting.trace) + " (" + setting.format + ")");
  lines.add("cluster", printable(setting.cluster) + " (" + std::to_string(cluster.nodes.size()) +
                           " nodes, " + std::to_string(cluster.cpu_milli() / 1'000) + " CPUs, " +
                           std::to_string(cluster.gpus()) + " GPUs)");
  lines.add("order", setting.policy.order);
  lines.add("backfill", setting.policy.backfill);
  lines.add("placement", setting.policy.placement);
  for (const std::string& each : setting.left_out) lines.add("not simulated", printable(each));
  return lines.text();
}

void add_spread(Rows& rows, const std::string& what, const Spread& spread) {
  rows.add({what, number(spread.mean, 2), number(spread.p50, 1), number(spread.p95, 1),
            number(spread.p99, 1), number(spread.max, 1)});
}

void add_uncounted(NamedLines& lines, const Summary& summary) {
  if (summary.skipped > 0)
    lines.add("records skipped", std::to_string(summary.skipped) + " that never ran");
  if (summary.impossible > 0)
    lines.add("jobs left out",
              std::to_string(summary.impossible) + " that this cluster could never run");
  if (summary.never_started > 0)
    lines.add("jobs never started", std::to_string(summary.never_started));
}

std::string totals(const Setting& setting, const Summary& summary) {
  NamedLines lines;
  lines.add("jobs that ended",
            std::to_string(summary.ended) + " of " + std::to_string(summary.jobs));
  add_uncounted(lines, summary);
  lines.add("makespan", number(summary.makespan_s, 1) + " s");
  lines.add("utilisation, CPUs", percent(summary.cpu_utilisation));
  if (summary.gpu_utilisation) lines.add("utilisation, GPUs", percent(*summary.gpu_utilisation));
  if (summary.gpu_allocation) lines.add("GPUs allocated, mean", percent(*summary.gpu_allocation));
  if (summary.gpu_fragmentation)
    lines.add("GPUs fragmented, mean", percent(*summary.gpu_fragmentation));
  lines.add("longest queue", std::to_string(summary.queue_max) + " jobs");
  lines.add("preemptions", std::to_string(summary.preemptions) + ", " +
                               std::to_string(summary.useless_kills) + " of them useless");
  if (summary.preemptions > 0) {
    lines.add("cost of a preemption",
              number(static_cast<double>(setting.cost.save.count()) / 1'000, 1) + " s to save, " +
                  number(static_cast<double>(setting.cost.restart.count()) / 1'000, 1) +
                  " s to restart");
    lines.add("lost", number(summary.lost_gpu_hours, 2) + " GPU-hours, " +
                          number(summary.lost_cpu_hours, 2) + " CPU-hours");
  }
  return lines.text();
}

// Shows the deviation of usage from entitlement only for accounts of which jobs always waited: the
// others at times had all they asked for.
std::string accounts_text(const Fairness& fairness) {
  Rows rows;
  rows.add({"ACCOUNT", "SHARES", "JOBS", "ENTITLED", "USED", "DEVIATION", "WAITED", "WORST WAIT, s",
            "SHORT OF GUARANTEE, s"});
  for (const AccountFigures& one : fairness.accounts)
    rows.add({printable(one.name), std::to_string(one.shares), std::to_string(one.jobs),
              percent(one.entitled_part), percent(one.used_part),
              one.always_waited() ? percent(one.deviation()) : "-", percent(one.waiting_part),
              number(one.worst_wait_s, 1),
              one.short_of_guarantee_s ? number(*one.short_of_guarantee_s, 1) : "-"});
  NamedLines lines;
  const auto day = [&](Milliseconds at) {
    return number(static_cast<double>((at - fairness.begin).count()) / 86'400'000, 2);
  };
  lines.add("period", "day " + day(fairness.from) + " to " + day(fairness.to));
  if (fairness.deviation_max) lines.add("largest deviation", percent(*fairness.deviation_max));
  return rows.text() + lines.text();
}

}  // namespace

std::string left_out_text(const Setting& setting) {
  std::string all;
  for (const std::string& each : setting.left_out) all += (all.empty() ? "" : "; ") + each;
  return all.empty()
             ? ""
             : "jobs may wait less than in the cluster, since this is not simulated: " + all;
}

std::string text_of(const Setting& setting, const Cluster& cluster, const Summary& summary,
                    const Fairness* fairness) {
  Rows rows;
  rows.add({"", "MEAN", "P50", "P95", "P99", "MAX"});
  add_spread(rows, "wait, s", summary.wait_s);
  add_spread(rows, "bounded slowdown", summary.slowdown);
  add_spread(rows, "completion, s", summary.completion_s);
  if (summary.recorded_wait_s) add_spread(rows, "recorded wait, s", *summary.recorded_wait_s);
  if (summary.recorded_completion_s)
    add_spread(rows, "recorded completion, s", *summary.recorded_completion_s);
  return head(setting, cluster) + "\n" + rows.text() + "\n" + totals(setting, summary) +
         (fairness == nullptr ? "" : "\n" + accounts_text(*fairness));
}

std::string text_of(const Setting& setting, const Cluster& cluster, const Filled& filled) {
  Rows rows;
  rows.add({"GPUS ASKED FOR", "ALLOCATED", "FRAGMENTED"});
  for (std::size_t pct = 10; pct <= demand_pct_max; pct += 10)
    rows.add({std::to_string(pct) + " %", number(filled.allocated_pct[pct], 2) + " %",
              number(filled.fragmented_pct[pct], 2) + " %"});
  NamedLines lines;
  lines.add("seed", std::to_string(setting.seed));
  lines.add("jobs placed", std::to_string(filled.placed) + " of " + std::to_string(filled.arrived));
  return head(setting, cluster) + lines.text() + "\n" + rows.text();
}

}  // namespace cox::simulate
