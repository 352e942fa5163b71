// The command line of cox-simulate, understood. Pure.
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
  std::string accounts;  // empty: nobody is charged
  Milliseconds half_life{};
  std::uint64_t seed = 42;
  std::string json;  // empty: none is written
  std::string svg;
};

// By the names of common/syntax/simulate_options.h; what was not given is empty or absent.
Result<Arguments> read_arguments(const std::map<std::string, std::string>& given);

}  // namespace cox::simulate
