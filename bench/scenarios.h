// Measurements of Coxswain itself, each on a running cluster. bench.py prepares the cluster, calls
// these through main.cpp and compares their figures with those of the calibrators.
#pragma once

#include <cstdint>
#include <string>

#include "common/cluster/config.h"

namespace cox::bench {

// Measures submissions of held jobs, one in each request, with `clients` requests at once.
void measure_submits(const ClientConfig& config, int clients, std::int64_t jobs);
// Measures submissions of held jobs, `each` in one request.
void measure_bulk(const ClientConfig& config, std::int64_t jobs, std::int64_t each);
// Measures script jobs that do nothing, from the first submission until all have ended.
void measure_scripts(const ClientConfig& config, std::int64_t jobs);
// Measures jobs on `nodes` fake nodes, from the first submission until all have ended. Reports the
// median of `rounds` rounds.
void measure_null(const ClientConfig& config, int nodes, std::int64_t jobs, int rounds);
// Measures what measure_null() does, and once more after jobs have run for `seconds` beside an
// administrator's transaction that stays open.
void measure_aged(const ClientConfig& config, const std::string& database, int nodes,
                  std::int64_t jobs, int rounds, double seconds);
// Measures the CPU time of the process `pid` while `nodes` fake nodes send only heartbeats.
void measure_idle(const ClientConfig& config, int nodes, double seconds, int pid);
// Measures the time from the submission, by a connected client, to the first instruction of a job
// on `nodes` nodes of an idle cluster.
void measure_dispatch(const ClientConfig& config, const std::string& stamp,
                      const std::string& folder, int nodes, int count);
// Measures the time from the submission of an urgent job to its first instruction, when it must
// preempt another job on `nodes` nodes first.
void measure_preemption(const ClientConfig& config, const std::string& stamp,
                        const std::string& folder, int nodes, int count);
// Measures the time from the end of an urgent job until the job that it preempted has read its
// state of `bytes` back. Also measures only reading that file.
void measure_return(const ClientConfig& config, const std::string& stamp, const std::string& saver,
                    const std::string& folder, std::int64_t bytes, int count);
// Measures the time from the submission of a gang until the last of its ranks runs.
void measure_gang(const ClientConfig& config, const std::string& stamp, const std::string& folder,
                  int nodes, int ranks, int count);

// Measures nothing: runs `jobs` jobs on fake nodes, one on each, until this program is ended.
// Prints "started JOB NS" (CLOCK_MONOTONIC) for each of them and for jobs of other clients, for
// which one node is left free.
void keep_jobs_running(const ClientConfig& config, std::int64_t jobs);
// Measures nothing: submits jobs of the lowest tier that need `cpus` CPUs of a node. They stay
// queued, because the only node that has so many is full or drained.
void submit_backlog(const ClientConfig& config, std::int64_t jobs, std::int64_t cpus);

}  // namespace cox::bench
