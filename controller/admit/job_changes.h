// What may be changed of a job that is there, by Slurm's names: what each does to what the job asks
// for. update.cpp judges the outcome, and makes it true. Pure.
#pragma once

#include <optional>
#include <string>

#include "controller/state/cluster.h"

namespace cox {

// A job on its way to what it is to be.
struct JobChange {
  Job job;  // as it is
  Now now;
  JobSpec spec;                               // as it is to be
  std::optional<bool> held = {};              // likewise, where that is said
  std::optional<std::int64_t> throttle = {};  // likewise, of the array's tasks
  bool depends_anew = false;                  // what it depends on is said, or when it begins
  bool begins_anew = false;
};

// Refused: a name that is none, or cannot be changed of a job that runs; a value that cannot be.
Failure take_change(JobChange& change, const std::string& name, const std::string& value);
std::string change_name(const std::string& name);  // Slurm's spelling, of one cut short too

// Whether all of them may be changed of one that runs too.
bool changes_what_runs(const std::vector<std::string>& names);

}  // namespace cox
