// Changes of `scontrol update` to an existing job, by Slurm's names: each changes the specification
// in a JobChange. Used by update.cpp, which validates the result and makes it effective. Pure.
#pragma once

#include <optional>
#include <string>

#include "controller/state/cluster.h"

namespace cox {

// A job and the changes to it so far.
struct JobChange {
  Job job;  // before the changes
  Now now;
  JobSpec spec;                   // after the changes
  std::optional<bool> held = {};  // the new hold (true) or release (false); nullopt: unchanged
  std::optional<std::int64_t> throttle = {};  // the new ArrayTaskThrottle, if it is changed
  bool depends_anew = false;                  // the dependencies are changed, and are checked anew
  bool begins_anew = false;  // the begin time is changed, and decides anew when the job is eligible
};

// Applies one change. Refused: an unknown name, a name that cannot be changed in the job's state,
// or an invalid value.
Failure take_change(JobChange& change, const std::string& name, const std::string& value);
// Returns the field's name in Slurm's spelling; `name` may be abbreviated.
std::string change_name(const std::string& name);

// Returns whether all of these fields can be changed while the job runs.
bool changes_what_runs(const std::vector<std::string>& names);

}  // namespace cox
