// The results of a simulation as text for a terminal, as JSON and as SVG. Pure.
#pragma once

#include <string>

#include "simulate/report/summary.h"
#include "simulate/run/fairness.h"
#include "simulate/run/fill.h"

namespace cox::simulate {

// The inputs of the simulation: the head of each report.
struct Setting {
  std::string trace;  // path as given
  std::string format;
  std::string cluster;  // as given
  Policy policy;
  PreemptionCost cost;
  std::uint64_t seed = 0;
  std::string accounts = "";  // path of the file of accounts; empty: no accounts
  Milliseconds half_life{};
  std::vector<std::string> left_out = {};  // rules of a real cluster that are not simulated
  double progress = 0;                     // part of the jobs that report their progress
};

// Returns on one line a warning that names what was not simulated (Setting::left_out); empty if
// nothing was left out.
std::string left_out_text(const Setting& setting);

std::string text_of(const Setting& setting, const Cluster& cluster, const Summary& summary,
                    const Fairness* fairness = nullptr);
std::string text_of(const Setting& setting, const Cluster& cluster, const Filled& filled);

// Returns all results as JSON: every job and every figure. Times are in seconds.
std::string json_of(const Setting& setting, const Trace& trace, const Summary& summary,
                    const Simulated& simulated, const Fairness* fairness = nullptr);
std::string json_of(const Setting& setting, const Filled& filled);

// Draws waiting and running jobs over time, the distribution of waits, and the allocation over
// time; also, for the accounts with most use, their use and what they were entitled to.
std::string svg_of(const Setting& setting, const Cluster& cluster, const Simulated& simulated,
                   const Fairness* fairness = nullptr);
std::string svg_of(const Setting& setting, const Filled& filled);

}  // namespace cox::simulate
