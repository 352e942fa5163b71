// What a command line asked for, of all commands together: each command declares and reads its own
// part (client/command_options.cpp fills it, client/commands.cpp says who reads what).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/slurm/records/record_options.h"
#include "common/base/ids.h"
#include "common/job/job_state.h"

namespace cox {

struct PrivateClusterOptions {
  std::string dir;                    // empty: ~/.local/state/coxswain
  std::int64_t nodes = 0;             // 0: as last time, or 1
  std::int64_t cpus = 0;              // of each node; 0: as the machine has
  std::int64_t memory_mb = 0;         // of each node; 0: as the machine has
  std::vector<std::string> gpus;      // "h100:4": of each node
  std::vector<std::string> features;  // "fast=n[1-2]"
  std::int64_t lease_s = -1;          // -1: the default; 0: never
  bool purge = false;                 // down: remove the folder too
  bool keep = false;                  // demo: leave the cluster running
};

struct Options {
  std::string config;  // --config
  bool json = false;

  std::vector<JobId> ids;
  std::vector<std::string> tasks;  // of the arrays among them, in their order; empty: all
  bool tasks_as_jobs = false;      // by the job ids of the tasks, which the controller knows
  std::vector<std::string> nodes;  // names, hostlists written out
  std::vector<std::string> partitions;
  std::vector<JobState> states;
  bool all_states = false;
  std::string user_name;
  bool only_mine = false;  // the caller's own jobs: user_name is filled in by main
  std::string partition;
  std::string reason;               // of a drain
  std::vector<std::string> names;   // of what is to change, and to what
  std::vector<std::string> values;  // in their order
  bool no_header = false;
  bool quiet = false;

  std::optional<std::int32_t> rank;
  AttemptNumber attempt;  // 0: the newest
  bool follow = false;
  bool error_stream = false;
  std::int64_t step = -1;
  std::int64_t total = 0;            // progress: of so many steps; 0: not said
  std::vector<std::string> metrics;  // progress: "loss=0.25"

  std::vector<std::string> words;  // sacctmgr, scontrol; of import its files
  bool one_line = false;           // scontrol -o
  bool details = false;            // scontrol -d
  bool long_report = false;        // sprio, sshare
  bool normalised = false;         // sprio: factors from 0 to 1
  bool weights = false;            // sprio: of the factors, instead of jobs
  bool only_users = false;         // sshare: no accounts
  bool with_partitions = false;    // sshare: of associations too
  bool list_fields = false;        // sshare -e
  std::string sort;                // sprio -S
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  bool immediate = false;  // and does not ask back
  bool with_associations = false;
  bool parsable = false;              // columns|like|this|
  bool parsable2 = false;             // columns|like|this
  std::string time_format;            // sreport -t
  std::string tres;                   // sreport -T
  std::string reservation;            // reserve
  std::vector<std::string> settings;  // its, "Nodes=n[1-2]"

  std::string file;  // config check, snapshot, replay
  std::int64_t replayed_job = 0;
  std::string key_name;  // key make
  std::string dir;       // key make, import

  RecordOptions records;  // sacct, sstat, seff

  PrivateClusterOptions cluster;
};

}  // namespace cox
