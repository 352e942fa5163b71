// The parsed command lines of cox's commands about jobs, nodes, partitions and reservations, and
// the option tables that parse them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/command.h"
#include "common/base/ids.h"
#include "common/job/job_state.h"

namespace cox {

struct JobsOptions : Options {
  std::vector<JobId> ids;
  // for each of `ids`, the array tasks that are meant, like "1-3,7"; empty: the whole job
  std::vector<std::string> tasks;
};

struct ReleaseOptions : JobsOptions {
  bool begin_anew = false;
};

struct RequeueOptions : JobsOptions {
  std::int64_t from = -1;  // the training step to resume from; below 0: the newest
};

struct QueueOptions : JobsOptions {
  Failure resolve(const CallerContext& caller) override;

  std::vector<JobState> states;
  bool all_states = false;
  std::string user_name;
  bool only_mine = false;
  std::string partition;
};

struct EventsOptions : JobsOptions {
  Failure resolve(const CallerContext& caller) override;

  bool follow = false;
  std::string user_name;
  bool only_mine = false;
};

struct UpdateOptions : JobsOptions {
  Failure resolve(const CallerContext& caller) override;

  std::vector<std::string> names;   // fields of the job to change, like "TimeLimit"
  std::vector<std::string> values;  // the new values, in the order of `names`
};

struct LogsOptions : JobsOptions {
  std::optional<std::int32_t> rank;
  AttemptNumber attempt;  // 0: the newest attempt
  bool follow = false;
  bool error_stream = false;
};

// Names jobs or single array tasks. Checkpoints belong to the job id of a task, which the
// controller looks up.
struct CheckpointsOptions : JobsOptions {};

// The options of `cox checkpoints remove` and `cox checkpoints verify`.
struct JobCheckpointsOptions : CheckpointsOptions {
  std::int64_t step = -1;  // only the checkpoint of this training step; -1: all of the job
};

struct NodesOptions : Options {
  std::vector<std::string> nodes;  // names of nodes; hostlists are already expanded
};

struct DrainOptions : NodesOptions {  // of `cox drain` and `cox resume`
  std::string reason;
};

struct PartitionsOptions : Options {
  std::vector<std::string> partitions;
  std::string reason;
};

struct ReservationOptions : Options {
  Failure resolve(const CallerContext& caller) override;

  std::string reservation;
};

struct ReserveOptions : ReservationOptions {
  Failure resolve(const CallerContext& caller) override;

  std::vector<std::string> settings;  // "Nodes=n[1-2]"
};

struct CheckpointDoneOptions : Options {
  std::int64_t step = -1;
  std::optional<std::int32_t> rank;
};

struct ProgressOptions : Options {
  std::int64_t step = -1;
  std::int64_t total = 0;            // total number of training steps; 0: not given
  std::vector<std::string> metrics;  // "loss=0.25"
};

extern const CommandLineOf<Options> no_arguments_line;
extern const CommandLineOf<JobsOptions> job_line, jobs_line;
extern const CommandLineOf<ReleaseOptions> release_line;
extern const CommandLineOf<RequeueOptions> requeue_line;
extern const CommandLineOf<QueueOptions> queue_line;
extern const CommandLineOf<EventsOptions> events_line;
extern const CommandLineOf<UpdateOptions> update_line;
extern const CommandLineOf<LogsOptions> logs_line;
extern const CommandLineOf<CheckpointsOptions> checkpoints_line;
extern const CommandLineOf<JobCheckpointsOptions> job_checkpoints_line;
extern const CommandLineOf<NodesOptions> node_line, fence_line;
extern const CommandLineOf<DrainOptions> drain_line, resume_line;
extern const CommandLineOf<PartitionsOptions> partitions_line;
extern const CommandLineOf<ReservationOptions> reservation_line;
extern const CommandLineOf<ReserveOptions> reserve_line;
extern const CommandLineOf<CheckpointDoneOptions> checkpoint_done_line;
extern const CommandLineOf<ProgressOptions> progress_line;

// Returns the number of the array task that a command about one job names; the first if it names
// several. Returns nothing if the command names the whole job.
std::optional<std::int64_t> task_of(const JobsOptions& options);
// Returns the array tasks, like "1-3,7", if a command about one job names more than one task. Such
// tasks must be one row of the queue. Empty if the command names one task or the whole job.
std::string row_of(const JobsOptions& options);

}  // namespace cox
