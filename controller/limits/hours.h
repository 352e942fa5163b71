// What the hours of the configuration mean to partitions and to limits. Which of them are open is a
// belief of Cluster's, which follows from the time. Pure.
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

// "partition night is closed until 2026-11-23T18:00:00Z (hours nights: Mon-Fri 18:00-08:00)".
// REQUIRES: it has hours.
std::string closed_text(const ControllerConfig& config, const PartitionConfig& partition, Wall at);

// Of lists that are new or changed: what names hours that there are not, or the same for hours that
// are open together.
Failure check_hours(const NamedHours& hours, const AssociationLimits& limits,
                    const AssociationLimits& before);

// Of each thing that is limited at all times, the most that it ever may be.
TresList most_ever(const TresList& list, const NamedHours& hours);

// By which of them it changes how much of this thing counts; empty: it is the same at all times.
std::set<std::string> hours_in(const TresList& list, const TresCount& thing);

// Whose limits, and those of all below them, are others since these hours turned.
std::set<std::string> accounts_limited_by(const Accounts& accounts,
                                          const std::set<std::string>& turned);

}  // namespace cox
