// What a simulation came to: for a terminal, as JSON, and drawn as SVG. Pure.
#pragma once

#include <string>

#include "simulate/report/summary.h"
#include "simulate/run/fairness.h"
#include "simulate/run/fill.h"

namespace cox::simulate {

// With what it was made: the head of each report.
struct Setting {
  std::string trace;  // the file, as it was named
  std::string format;
  std::string cluster;  // as it was said
  Policy policy;
  PreemptionCost cost;
  std::uint64_t seed = 0;
  std::string accounts = "";  // the file; empty: nobody was charged
  Milliseconds half_life{};
  std::vector<std::string> left_out = {};  // what binds jobs in a cluster and was not simulated
};

// Says on one line what was left out; empty when nothing was.
std::string left_out_text(const Setting& setting);

std::string text_of(const Setting& setting, const Cluster& cluster, const Summary& summary,
                    const Fairness* fairness = nullptr);
std::string text_of(const Setting& setting, const Cluster& cluster, const Filled& filled);

// All of it: every job, every figure. Times are in seconds.
std::string json_of(const Setting& setting, const Trace& trace, const Summary& summary,
                    const Simulated& simulated, const Fairness* fairness = nullptr);
std::string json_of(const Setting& setting, const Filled& filled);

// Waiting and running over time, the distribution of waits, what is allocated over time; of the
// accounts with the most use, that beside what each was entitled to.
std::string svg_of(const Setting& setting, const Cluster& cluster, const Simulated& simulated,
                   const Fairness* fairness = nullptr);
std::string svg_of(const Setting& setting, const Filled& filled);

}  // namespace cox::simulate
