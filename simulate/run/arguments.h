// Parses the command line of cox-simulate. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "simulate/run/engine.h"
#include "simulate/run/simulation.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

struct Arguments {
  std::string trace;
  std::optional<Format> format;
  std::string cluster;
  Policy policy;
  PreemptionCost cost;
  std::string accounts;  // empty: no accounts
  Milliseconds half_life{};
  double progress = 0;  // part of the jobs that report their progress
  std::uint64_t seed = 42;
  std::string json;  // empty: not written
  std::string svg;
};

// Parses options by their names in common/syntax/simulate_options.h. Options that were not given
// are empty or absent.
Result<Arguments> read_arguments(const std::map<std::string, std::string>& given);

}  // namespace cox::simulate
