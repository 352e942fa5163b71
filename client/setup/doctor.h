// `cox doctor`: what was found out about this host and its cluster, judged. Facts in, findings out;
// each finding is one line with what to do. Pure; client/io/private/doctor.cpp gathers the facts.
//
// A problem is what keeps jobs from running or will do so; a warning is what somebody should know
// about, or what this user may not look at.
#pragma once

#include <string>
#include <vector>

#include "client/setup/findings.h"
#include "client/setup/host_facts.h"
#include "client/text/screen.h"

namespace cox {

// So on every node, whatever its cgroups could do; `cox up` says it too.
inline constexpr const char* counted_not_enforced =
    "CPUs and memory are counted, not enforced: a job may use more than it asked for";

std::vector<Finding> findings_of(const HostFacts& facts);

// Returns the shortest configuration that works, for a host that has none. `example`: the path of
// the file that explains every key; empty: that file is not installed.
std::string example_text(const std::string& example);

// One line a finding, "-> what to do" at its end. Exit code 1 when there is a problem.
Shown show_findings(const std::vector<Finding>& findings, const Screen& screen);

}  // namespace cox
