// Named hours of the week ([hours] of the configuration): which are open now, and how they change
// partitions and limits. Cluster recomputes the open ones as time passes; they are not stored.
// Pure.
#pragma once

#include <map>
#include <set>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/cluster/config.h"
#include "common/resources/tres.h"
#include "controller/limits/accounts.h"

namespace cox {

using NamedHours = std::map<std::string, WeekHours>;

std::set<std::string> hours_open_at(const NamedHours& hours, Wall at);

// Returns "partition night is closed until 2026-11-23T18:00:00Z (hours nights: Mon-Fri
// 18:00-08:00)". REQUIRES: the partition has hours.
std::string closed_text(const ControllerConfig& config, const PartitionConfig& partition, Wall at);

// Refuses entries of `limits` that are not in `before` if they name unknown hours, or if the same
// list limits the same resource during overlapping hours twice.
Failure check_hours(const NamedHours& hours, const AssociationLimits& limits,
                    const AssociationLimits& before);

// Returns, for each resource that the list limits at all times, its highest limit of the week. A
// job that asks for more can never start.
TresList most_ever(const TresList& list, const NamedHours& hours);

// Returns the names of the hours during which the list has another limit of this resource; empty:
// the limit is always the same.
std::set<std::string> hours_in(const TresList& list, const TresCount& tres);

// Returns the accounts whose limits change when these hours (`turned`) open or close; the limits of
// all associations below them change with them.
std::set<std::string> accounts_limited_by(const Accounts& accounts,
                                          const std::set<std::string>& turned);

}  // namespace cox
