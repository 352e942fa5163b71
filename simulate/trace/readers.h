// One reader per format, for trace_reader.cpp only. They return the jobs in the order of the file.
#pragma once

#include <string_view>

#include "common/base/result.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

Result<Trace> read_swf(std::string_view text);    // Standard Workload Format, 18 fields a job
Result<Trace> read_openb(std::string_view text);  // pod list of Alibaba's cluster-trace-gpu-v2023
Result<Trace> read_muri(std::string_view text);   // Muri's simulator (SIGCOMM'22)
// Batsim's workload in JSON; profiles have a delay
Result<Trace> read_batsim(std::string_view text);
Result<Trace> read_cox_day(std::string_view text);  // a day exported from a live Coxswain database
Result<Trace> read_slurm_sim(std::string_view text);  // events of UB CCR's Slurm simulator

// First line of a day that was exported from a live database (query in docs/simulation.md). A
// column gpu_milli may follow, then account and user, then prefer, min_cpus and contiguous. If
// there is no gpu_milli, all GPUs of the day are whole.
inline constexpr std::string_view cox_day_header =
    "job_id,eligible,started,ended,run_s,nodes,tasks,cpus_per_task,memory_mb,gpus,gpu_type,"
    "time_limit_s,tier,partition,constraint";

}  // namespace cox::simulate
