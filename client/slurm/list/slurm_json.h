// --json of squeue and sinfo, and of jobs and nodes in scontrol, in the shape of Slurm 23.11's data
// parser v0.0.40. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/slurm/list/sinfo_request.h"
#include "client/slurm/text/field_format.h"
#include "client/slurm/text/json_document.h"
#include "common/messages/messages.h"

namespace cox {

std::string slurm_json_of_jobs(const std::vector<JobView>& rows, const FieldView& view,
                               const std::vector<std::string>& command = {"squeue"});
// Returns the keys that sinfo's rows and scontrol's partitions have in common.
slurm_json::Json partition_json(const PartitionView& partition);
std::string slurm_json_of_nodes(const SinfoRequest& request, const NodeList& list,
                                const FieldView& view);

}  // namespace cox
