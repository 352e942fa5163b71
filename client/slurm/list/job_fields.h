// The columns of squeue's lists of jobs: one table of Slurm's letters, names and heads, and the
// text of each column for a JobView. A column without a counterpart in Coxswain shows what Slurm
// shows for a job that did not ask for the feature. Pure.
#pragma once

#include <span>
#include <string>

#include "client/slurm/text/field_format.h"
#include "common/messages/messages.h"

namespace cox {

std::span<const Field<JobView>> job_fields();
// Returns whether a JobSummary, the short form of a job in lists, has all facts that the column
// needs to be shown and sorted.
bool is_brief(const Field<JobView>& field);

// Facts that several columns and the JSON of a job share (job_facts.cpp).
std::int64_t time_limit_s(const JobView& view);  // 0: none
std::string wait_or_end_reason(const JobView& view);
bool shows_reason(const JobView& view);  // whether %R shows the reason, not the nodes
std::string job_array_tasks(const Job& job, std::size_t bytes_max);  // "2-5%3"; 0: unlimited
std::string job_dependencies(const JobView& view);
std::string job_command(const JobSpec& spec);
std::string job_output(const JobView& view, bool of_errors);
std::string gpus_of_type(const std::string& type, std::int64_t count);  // "gpu:h100:2", "gpu:2"
std::string job_tres(const JobView& view);  // "cpu=2,mem=100M,node=1,billing=2"
std::string job_tres_per_node(const JobSpec& spec);
std::int64_t job_cpus(const JobView& view);
std::int64_t job_min_cpus(const JobSpec& spec);  // fewest CPUs on a node, MinCPUsNode
std::string job_sharing(const JobSpec& spec);    // value of OverSubscribe: "NO", "USER" or "OK"
std::int64_t job_nodes(const JobView& view);
std::int64_t job_priority(const JobView& view);
Wall job_start(const JobView& view);  // of a pending job: its expected start
Wall job_end(const JobView& view, Wall now);
std::string memory_units(std::int64_t megabytes, bool convert);  // "100M", "2G"

}  // namespace cox
