// What a specification asks of the scheduler: its texts read, its alternatives in the order it
// wants them, its defaults filled in from the configuration. Pure.
#pragma once

#include "common/cluster/config.h"
#include "common/job/job.h"
#include "controller/limits/partitions.h"
#include "schedule/model/request.h"

namespace cox {

// In these partitions, the first of them first; none: nowhere, since they are no longer configured.
// `avoid`: nodes it should not go to while others would do.
Shared<schedule::Request> make_request(const ControllerConfig& config, const JobSpec& spec,
                                       const std::vector<std::string>& avoid,
                                       const Partitions& partitions);
// In all that it names.
Shared<schedule::Request> make_request(const ControllerConfig& config, const JobSpec& spec,
                                       const std::vector<std::string>& avoid);

// A wish that cannot be read, that names what is not there, or that goes beyond a limit.
Failure check_wishes(const ControllerConfig& config, const JobSpec& spec);

// Where wishes set others: parts of GPUs from shards, the number of nodes from a range of them.
// REQUIRES: check_wishes() refuses nothing.
void settle_wishes(const ControllerConfig& config, JobSpec& spec);

// Returns the hint behind a reason of schedule::impossible(). Most reasons end with what to ask
// for.
std::string hint_of_impossible(const std::string& why, const std::string& see);

}  // namespace cox
