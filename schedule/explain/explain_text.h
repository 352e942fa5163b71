// Formats the parts of explanations: counts, durations, nodes and jobs. Names of nodes and features
// come from the configuration, which validates them, so they are not escaped here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "schedule/model/explain_depth.h"
#include "schedule/model/resolved_request.h"

namespace cox::schedule {

// Returns "2 nodes", "1 node"
std::string count_of(std::int64_t count, const std::string& noun);

// Returns "45 s", "12 min", "3 h 5 min", "2 d 4 h"
std::string duration_text(Milliseconds duration);

// Returns "GPU", "h100 GPU", "h100 or h200 GPU"
std::string gpu_noun(const Request& request);

// Returns "4 GPUs", "2 h100 GPUs joined by NVLink"
std::string gpus_text(const ResolvedRequest& need);

// Returns whether too few nodes could hold an even part of the gang if idle, so that its tasks must
// be spread unevenly.
bool is_uneven(const ResolvedRequest& need);

// Returns "2 nodes with 4 CPUs and 2 h100 GPUs each, feature fast", or "4 nodes with 28 CPUs
// together" if the tasks must be spread unevenly.
std::string request_text(const ResolvedRequest& need);

// Returns "n[1-2,7]"; long lists are cut.
std::string nodes_text(const Nodes& nodes, const std::vector<NodeAt>& at);
std::string nodes_text(const Nodes& nodes, const GangParts& shares);

// Returns "12" or "17_4", as commands accept it.
std::string id_text(JobId job, const TitleOf& title_of);

// Returns "job 12 of alice"; "job 12" if the owner is unknown.
std::string job_text(JobId job, const TitleOf& title_of);

// Returns "job 12 of alice", "jobs 12 of alice, 13 of bob", "jobs 1, 2, 3, 4, 5 and 12 more".
std::string jobs_text(const std::vector<JobId>& jobs, const TitleOf& title_of);

// Returns "a, b and c"
std::string listed(const std::vector<std::string>& parts);

}  // namespace cox::schedule
