// One reader a format, for trace_reader.cpp alone: the jobs in the file's order.
#pragma once

#include <string_view>

#include "common/base/result.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

Result<Trace> read_swf(std::string_view text);        // Standard Workload Format, 18 fields a job
Result<Trace> read_openb(std::string_view text);      // pod list of cluster-trace-gpu-v2023
Result<Trace> read_muri(std::string_view text);       // Muri's simulator (SIGCOMM'22)
Result<Trace> read_batsim(std::string_view text);     // workload in JSON, profiles with a delay
Result<Trace> read_cox_day(std::string_view text);    // exported from a live database
Result<Trace> read_slurm_sim(std::string_view text);  // events of UB CCR's Slurm simulator

// How the first line of a day from a live database begins: docs/simulation.md has the query. A
// column gpu_milli may follow, then account and user, then prefer, min_cpus and contiguous. Days
// that were exported without gpu_milli have only whole GPUs.
inline constexpr std::string_view cox_day_header =
    "job_id,eligible,started,ended,run_s,nodes,tasks,cpus_per_task,memory_mb,gpus,gpu_type,"
    "time_limit_s,tier,partition,constraint";

}  // namespace cox::simulate
