// Converts a specification into the scheduler's Request: its alternatives in the order of
// preference, with the defaults of the configuration. Pure.
#pragma once

#include "common/cluster/config.h"
#include "common/job/job.h"
#include "controller/limits/partitions.h"
#include "schedule/model/request.h"

namespace cox {

// Returns the request to run in one of these partitions, the first being tried first. If the list
// is empty, because the partitions are no longer configured, the request fits nowhere. `avoid`:
// nodes that are used only if no others fit.
Shared<schedule::Request> make_request(const ControllerConfig& config, const ParsedSpec& spec,
                                       const std::vector<std::string>& avoid,
                                       const Partitions& partitions);
// Returns the request to run in one of the partitions that the specification names.
Shared<schedule::Request> make_request(const ControllerConfig& config, const ParsedSpec& spec,
                                       const std::vector<std::string>& avoid);

// Checks the options that become part of the request: that they can be parsed, name things that
// exist, and are within their limits.
Failure check_wishes(const ControllerConfig& config, const ParsedSpec& spec);

// Sets fields that follow from options: the part of a GPU from --gres=shard, the number of nodes
// from a range such as --nodes=2-4. REQUIRES: check_wishes() accepts the specification.
void resolve_wishes(const ControllerConfig& config, ParsedSpec& spec);

// Returns the hint for a refusal whose reason is `why`, from schedule::impossible(). `see` names
// the command that lists what there is. The hint advises to ask for less, unless `why` does.
std::string hint_for_impossible(const std::string& why, const std::string& see);

}  // namespace cox
