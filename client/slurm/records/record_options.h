// What the command lines of sacct, sstat and seff ask for, and what of their surroundings they
// depend on. client/slurm/records/record_command_line.h declares the lines; client/io looks around.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/text/moment_format.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/job_state.h"

namespace cox {

// A job, or of it one row alone.
struct RecordWanted {
  static constexpr std::int32_t all = -1, batch = -2, external = -3;
  JobId id;
  std::string tasks;  // of the array with this id; empty: all
  std::int32_t step = all;
};

struct CountRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
  bool contains(std::int64_t count) const { return count >= least && count <= most; }
};

// How text in columns is laid out.
struct RecordLayout {
  bool heads = true;
  bool parsable = false;  // with delimiters instead of widths
  bool ends_lines = false;
  std::string delimiter = "|";
  bool exact = true;  // units only as far as nothing is lost
  bool converts = true;
  char unit = 0;  // this one: 'K', 'M', ...
};

struct RecordOptions {
  std::vector<RecordWanted> jobs;
  bool all_users = false;
  std::vector<std::string> users;  // names; numbers too until they are looked up
  std::vector<std::string> groups;
  std::vector<std::string> accounts;
  std::vector<std::string> partitions;
  std::vector<std::string> qos;
  std::vector<std::string> names;
  std::vector<std::string> nodes;
  std::vector<std::string> wckeys;
  std::vector<std::string> constraints;
  std::vector<std::string> reasons;
  std::vector<std::string> clusters;
  std::vector<JobState> states;
  bool asks_states = false;  // also for such as no job is ever in
  std::string since_text;
  std::string until_text;
  std::optional<CountRange> node_counts;
  std::optional<CountRange> cpu_counts;
  std::optional<std::int64_t> limit_s_min;
  std::optional<std::int64_t> limit_s_max;
  bool allocations = false;
  bool duplicates = false;
  bool each_task = false;  // of what stands for several a row each
  bool truncate = false;
  bool brief = false;
  bool long_format = false;
  std::vector<std::string> format;
  RecordLayout layout;
  bool help_format = false;
  bool usage = false;
  bool verbose = false;
  bool completion = false;
  bool batch_script = false;
  bool all_steps = false;   // sstat
  bool pids = false;        // sstat
  bool efficiency = false;  // seff: no columns

  // Looked up.
  LocalTime here;
  std::string own_user;
  bool is_root = false;
  std::string default_format;       // SACCT_FORMAT
  std::string time_format;          // SLURM_TIME_FORMAT
  std::vector<std::uint32_t> gids;  // of `groups`
  std::map<std::uint32_t, std::string> group_names;
  std::map<std::string, std::uint32_t> uids;  // of those who cancelled jobs
  std::string cluster;                        // where the answer comes from
  // Settled from the texts; Wall{}: no bound.
  Wall since{};
  Wall until{};
};

// Reads what is text until it is known what time it is; fills in what sacct takes for granted.
Failure settle(RecordOptions& options);

}  // namespace cox
