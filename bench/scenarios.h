// What is measured of Coxswain itself, each against a running cluster. bench.py prepares the
// cluster, calls these through main.cpp and puts their figures beside the calibrators'.
#pragma once

#include <cstdint>
#include <string>

#include "common/cluster/config.h"

namespace cox::bench {

// Held jobs, one a request, `clients` requests at once.
void measure_submits(const ClientConfig& config, int clients, std::int64_t jobs);
// Held jobs, `each` a request.
void measure_bulk(const ClientConfig& config, std::int64_t jobs, std::int64_t each);
// Script jobs that do nothing, from the first submission until all have ended.
void measure_scripts(const ClientConfig& config, std::int64_t jobs);
// Jobs on `nodes` fake nodes, from the first submission until all have ended; the median of so many
// rounds.
void measure_null(const ClientConfig& config, int nodes, std::int64_t jobs, int rounds);
// The same; and once more when jobs have run for so many seconds beside an administrator's
// transaction that stays open.
void measure_aged(const ClientConfig& config, const std::string& database, int nodes,
                  std::int64_t jobs, int rounds, double seconds);
// CPU time of the process while `nodes` fake nodes do nothing but beat.
void measure_idle(const ClientConfig& config, int nodes, double seconds, int pid);
// From a connected client's call to the job's first instruction, on an idle cluster.
void measure_dispatch(const ClientConfig& config, const std::string& stamp,
                      const std::string& folder, int nodes, int count);
// From an urgent job's call to its first instruction, when it must preempt first.
void measure_preemption(const ClientConfig& config, const std::string& stamp,
                        const std::string& folder, int nodes, int count);
// From the end of an urgent job until the one it preempted has read its state of `bytes` back; and
// what reading that file takes.
void measure_return(const ClientConfig& config, const std::string& stamp, const std::string& saver,
                    const std::string& folder, std::int64_t bytes, int count);
// From the call until the last of a gang's ranks runs.
void measure_gang(const ClientConfig& config, const std::string& stamp, const std::string& folder,
                  int nodes, int ranks, int count);

// Not measured: jobs that run on fake nodes, one a node, until it is ended. Prints "started JOB NS"
// (CLOCK_MONOTONIC) of each, and of those that others submit. One node is left free.
void keep_jobs_running(const ClientConfig& config, std::int64_t jobs);
// Not measured: jobs of the lowest tier that want `cpus` on a node and so wait in line, where the
// only node that has them is full or drained.
void submit_backlog(const ClientConfig& config, std::int64_t jobs, std::int64_t cpus);

}  // namespace cox::bench
