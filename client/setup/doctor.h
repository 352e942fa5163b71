// `cox doctor`: turns facts about this host and its cluster into findings. Each finding is one line
// with what to do. Pure; client/io/private/doctor.cpp collects the facts.
//
// A problem keeps jobs from running, now or soon. A warning is something that the operator should
// know, or that this user has no permission to check.
#pragma once

#include <string>
#include <vector>

#include "client/setup/findings.h"
#include "client/setup/host_facts.h"
#include "client/text/screen.h"

namespace cox {

// True for every node, with or without cgroups; `cox up` shows it too.
inline constexpr const char* counted_not_enforced =
    "CPUs and memory are counted, not enforced: a job may use more than it asked for";

// Returns the partitions that pending jobs wait for although none of their partitions exists.
std::vector<PartitionGone> partitions_gone(const std::vector<JobView>& jobs,
                                           const std::vector<PartitionView>& partitions);

std::vector<Finding> findings_of(const HostFacts& facts);

// Returns the shortest working configuration, for a host that has none. `example` is the path of
// the file that explains every key; empty: it is not installed.
std::string example_text(const std::string& example);

// Shows one line per finding, with "-> what to do" at its end. The exit code is 1 if there is a
// problem.
Shown show_findings(const std::vector<Finding>& findings, const Screen& screen);

}  // namespace cox
