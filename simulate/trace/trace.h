// A trace: the jobs of a day or of years, as a log tells them, in the order they were submitted.
// Readers of all formats end here (trace_reader.h), and the simulation begins here. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"

namespace cox::simulate {

enum class Format : std::uint8_t { Swf, Openb, Muri, Batsim, Cox, SlurmSim };

struct TraceJob {
  std::string name;                           // as the trace calls it
  Milliseconds submit{};                      // on the trace's own clock
  Milliseconds run{};                         // on all it asks for, undisturbed
  std::optional<Milliseconds> estimate;       // what its user said, never below `run`
  std::optional<Milliseconds> recorded_wait;  // as the log has it, for comparison
  std::optional<Milliseconds> recorded_completion;
  std::int64_t nodes = 0;  // 0: as few as hold `tasks` and `gpus`, which count the whole job
  std::int64_t tasks = 1;
  std::int64_t cpu_milli_per_task = 1'000;
  std::int64_t memory_mb_per_node = 0;
  std::int64_t gpus = 0;               // a node; of the whole job while `nodes` is 0
  std::int64_t gpu_milli = 1'000;      // of each GPU; less than 1,000 is a share of one
  std::vector<std::string> gpu_types;  // any of them; empty: all do
  std::int32_t tier = 2;               // of its QOS
  std::string partition;
  std::string constraint;
  std::string prefer;         // features, tried before those of `constraint`
  std::int64_t min_cpus = 0;  // fewest CPUs on each node
  bool contiguous = false;    // consecutive nodes
  std::string account;        // account that is charged; empty: the user's
  std::string user;           // owner of the job
};
using JobAt = std::int32_t;  // position in a trace

struct Trace {
  Format format = Format::Swf;
  std::vector<TraceJob> jobs;  // by submit, equal ones as in the file
  std::int64_t skipped = 0;    // void records
};

std::string_view name(Format format);
Result<Format> parse_format(std::string_view word);

// Returns what binds jobs in a cluster and is not simulated, for people: what such a trace does not
// have, and what the cluster's configuration has (Cluster::left_out). Each is named once.
std::vector<std::string> left_out(Format format, const std::vector<std::string>& of_cluster);

}  // namespace cox::simulate
