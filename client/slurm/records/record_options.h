// The parsed options of sacct, sstat and seff, and facts about the caller, such as the time zone,
// that client/io adds to them. record_lines.cpp has the option tables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/options.h"
#include "client/text/moment_format.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/job_state.h"

namespace cox {

// What --jobs names: a job, or one step of it, such as 17.0 or 17.batch.
struct RecordSelector {
  static constexpr std::int32_t all = -1, batch = -2, external = -3;
  JobId id;
  std::string tasks;  // tasks of the array `id`; empty: all
  std::int32_t step = all;
  std::int64_t component = -1;  // of a heterogeneous job; -1: all
};

struct CountRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
  bool contains(std::int64_t count) const { return count >= least && count <= most; }
};

// How sacct and sstat format columns and amounts (bytes).
struct RecordLayout {
  bool heads = true;
  bool parsable = false;    // -p, -P: cells with a delimiter, not padded
  bool ends_lines = false;  // -p: also a delimiter after the last cell
  std::string delimiter = "|";
  bool exact = true;  // convert to a larger unit only without loss
  bool converts = true;
  char unit = 0;  // --units: unit of all amounts, 'K', 'M', ...; 0: not given
};

// The options that sacct and sstat share.
struct RecordListOptions : Options {
  std::vector<RecordSelector> jobs;
  std::vector<std::string> format;
  RecordLayout layout;
  bool help_format = false;
  bool usage = false;
};

struct SacctOptions : RecordListOptions {
  bool all_users = false;
  std::vector<std::string> users;  // names; client/io replaces uids by names
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
  bool has_state_filter = false;  // --state is given; `states` may still be empty
  // The words of --state in full, such as "REQUEUED", which only a row of an earlier attempt shows.
  std::vector<std::string> shown_states;
  std::string since_text;
  std::string until_text;
  std::optional<CountRange> node_counts;
  std::optional<CountRange> cpu_counts;
  std::optional<std::int64_t> limit_s_min;
  std::optional<std::int64_t> limit_s_max;
  bool allocations = false;
  bool duplicates = false;
  bool each_task = false;  // --array: a row for each array task
  bool truncate = false;
  bool brief = false;
  bool long_format = false;
  bool verbose = false;
  bool completion = false;
  bool batch_script = false;

  // The members from here on are facts about the caller and the cluster; client/io sets them.
  LocalTime here;
  std::string own_user;
  bool is_root = false;
  std::string default_format;       // SACCT_FORMAT
  std::string time_format;          // SLURM_TIME_FORMAT
  std::vector<std::uint32_t> gids;  // of `groups`
  std::map<std::uint32_t, std::string> group_names;
  std::map<std::string, std::uint32_t> uids;  // uids of users who cancelled jobs, by name
  std::string cluster;                        // its name
  // The times of `since_text` and `until_text`, which resolve_records() parses. Wall{}: no bound.
  Wall since{};
  Wall until{};
};

struct SstatOptions : RecordListOptions {
  bool all_steps = false;
  bool pids = false;
};

struct SeffOptions : Options {
  RecordSelector job;
  std::map<std::uint32_t, std::string> group_names;  // looked up
};

// Parses --starttime and --endtime in the caller's time zone, and sets sacct's defaults. Refuses
// wrong values and combinations.
Failure resolve_records(SacctOptions& options);

}  // namespace cox
