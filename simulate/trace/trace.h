// A trace: the jobs of a log in the order of submission. Readers of all formats produce it
// (trace_reader.h); the simulation runs it. Pure.
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
  std::string name;       // name or id of the job in the trace
  Milliseconds submit{};  // time of submission, by the clock of the trace
  Milliseconds run{};     // how long it runs with all that it asks for, if not interrupted
  std::optional<Milliseconds> estimate;       // time limit that the user set, at least `run`
  std::optional<Milliseconds> recorded_wait;  // the wait that the log recorded, for comparison
  std::optional<Milliseconds> recorded_completion;
  std::int64_t nodes = 0;  // 0: as few as possible; `tasks` and `gpus` are then of the whole job
  std::int64_t tasks = 1;
  std::int64_t cpu_milli_per_task = 1'000;
  std::int64_t memory_mb_per_node = 0;
  std::int64_t gpus = 0;  // per node; if `nodes` is 0, of the whole job
  // thousandths of each GPU; below 1,000 the job gets a part of one GPU
  std::int64_t gpu_milli = 1'000;
  std::vector<std::string> gpu_types;  // accepts any of these types; empty: any type
  std::int32_t tier = 2;               // of its QOS
  std::string partition;
  std::string constraint;
  std::string prefer;             // preferred features, tried before those of `constraint`
  std::int64_t min_cpus = 0;      // fewest CPUs that the job needs on each node
  bool contiguous = false;        // consecutive nodes
  std::string account;            // account to charge; empty: the user's default account
  std::string user;               // name of the job's owner
  bool reports_progress = false;  // in no trace; let_some_report() sets it
};
using JobAt = std::int32_t;  // position of a job in a trace

struct Trace {
  Format format = Format::Swf;
  std::vector<TraceJob> jobs;  // by `submit`, then in the order of the file
  std::int64_t skipped = 0;    // void records
};

// Lets this part of the jobs, drawn at random, report their progress while they run. A larger part
// includes the jobs of a smaller one.
void let_some_report(std::vector<TraceJob>& jobs, double part, std::uint64_t seed);

std::string_view name(Format format);
Result<Format> parse_format(std::string_view word);

// Returns the rules of a real cluster that are not simulated, as text: those that traces of this
// format do not contain, and those that were left out of the cluster's configuration
// (Cluster::left_out). Each is named once.
std::vector<std::string> left_out(Format format, const std::vector<std::string>& of_cluster);

}  // namespace cox::simulate
