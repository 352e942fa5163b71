// A job step: the tasks that srun starts inside an allocation, on some of its nodes. The tasks have
// ranks, counted from 0 in each step. The controller keeps the Step (a row of cox.step) and sends
// each node a StepLaunch. A node reports a StepStatus, which is a part of the AttemptStatus: it is
// always complete, so it may be lost, repeated and reordered.
//
// The program, the environment and the streams of the tasks are sent directly between srun and the
// nodes (stream_messages.h). The controller has only where a step runs, with which resources, and
// how it ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/job_state.h"
#include "common/job/task_figures.h"

namespace cox {

// Identifies a step. The numbers begin at 0 in each attempt, as in Slurm after a requeue.
struct StepKey {
  AttemptKey attempt;
  std::int32_t number = 0;
  constexpr auto operator<=>(const StepKey&) const = default;

  COX_FIELDS(attempt, number);
};

// Where the nodes connect to a client (srun or sattach), with the CURVE keys for that. The keys are
// made for one step and are never stored.
struct StreamPlace {
  std::string endpoint;    // tcp://ADDRESS:PORT, or ipc://PATH if all nodes are on this host
  std::string server_key;  // CURVE key (Z85) of the client; the three keys are set only for tcp
  std::string public_key;  // CURVE key of the connecting node
  std::string secret_key;

  COX_FIELDS(endpoint, server_key, public_key, secret_key);
  bool operator==(const StreamPlace&) const = default;
};

// How the tasks are distributed over the nodes. Block: fills one node after the other. Cyclic: one
// task on each node in turn. Plane: `plane` tasks on each node in turn. Arbitrary: the node list
// names the node of each task.
enum class Distribution : std::uint8_t { Block, Cyclic, Plane, Arbitrary };
std::string_view name(Distribution d);

// What srun requests for a step. srun has resolved its options; the controller chooses nodes and
// resources in the allocation.
struct StepSpec {
  std::string name;            // of the program
  std::int64_t nodes_min = 0;  // fewest nodes; 0: as many as the tasks need
  std::int64_t nodes_max = 0;
  std::int64_t tasks = 0;             // number of tasks; 0: one on each node
  std::int64_t tasks_per_node = 0;    // 0: not asked
  std::int64_t cpus_per_task = 0;     // 0: not requested, which means one; more if `exact` is false
  std::vector<std::string> nodelist;  // exactly these nodes; for Arbitrary, the node of each task
  std::vector<std::string> exclude;
  // Index of the first node of the allocation that may be used; -1: any.
  std::int64_t relative = -1;
  bool exact = false;    // take only the requested CPUs of each node; otherwise all that are free
  bool overlap = false;  // may share its resources with other steps, which then need not wait
  // 0: all memory of the allocation on the node, which steps share.
  std::int64_t memory_mb_per_node = 0;
  std::int64_t gpus_per_node = -1;  // below 0: not requested, which means all; 0: none
  std::int64_t gpus_per_task = -1;
  std::int64_t gpus = -1;  // GPUs of all nodes together; below 0: not requested
  Distribution distribution = Distribution::Block;
  std::int64_t plane = 0;
  std::int64_t time_limit_s = 0;       // 0: the job's
  bool immediate = false;              // refuse the step if it would have to wait for other steps
  bool overcommit = false;             // start all tasks, even if they must share CPUs
  std::int64_t memory_mb_per_cpu = 0;  // replaces memory_mb_per_node; 0: not requested
  std::int64_t component = 0;          // component of a heterogeneous job on whose nodes it runs
  // Hash of the program and its arguments (client/step/command_hash.h); empty: srun is of the
  // previous version.
  std::string command_hash{};

  COX_FIELDS(name, nodes_min, nodes_max, tasks, tasks_per_node, cpus_per_task, nodelist, exclude,
             relative, exact, overlap, memory_mb_per_node, gpus_per_node, gpus_per_task, gpus,
             distribution, plane, time_limit_s, immediate, overcommit, memory_mb_per_cpu, component,
             command_hash);
  bool operator==(const StepSpec&) const = default;
};

// The phase of a step on one node.
enum class StepPhase : std::uint8_t {
  Asked,    // the controller sends the launch again until the node reports it
  Running,  // the node has the launch: it connects to the client, or tasks run
  Gone,     // no process of the step is left on the node
};
std::string_view name(StepPhase p);

// Resources that the tasks of a step have used, on one node or on all nodes.
struct StepUsage {
  std::int64_t user_cpu_ms = 0;
  std::int64_t system_cpu_ms = 0;
  std::int64_t max_rss_kb = 0;  // largest peak memory of any task, in KiB

  void add(const StepUsage& other) {
    user_cpu_ms += other.user_cpu_ms;
    system_cpu_ms += other.system_cpu_ms;
    max_rss_kb = max_rss_kb > other.max_rss_kb ? max_rss_kb : other.max_rss_kb;
  }

  COX_FIELDS(user_cpu_ms, system_cpu_ms, max_rss_kb);
  bool operator==(const StepUsage&) const = default;
};

struct SavedStep {
  std::int64_t step = 0;
  std::int64_t bytes = 0;
  std::int64_t files = 0;
  bool after_stop = false;  // the rank reported it after it was asked to stop
  bool by_exit = false;     // the rank did not report it, but exited with exit_code_saved

  COX_FIELDS(step, bytes, files, after_stop, by_exit);
  bool operator==(const SavedStep&) const = default;
};

bool has_saved(const std::vector<SavedStep>& saved, std::int64_t step);

// The report of one node about a step. `exit_code` is the highest exit code of the tasks that
// exited by themselves. `exit_signal` is the signal that ended a task, of the first such task; 0:
// none.
struct StepStatus {
  static constexpr int tag = 33;
  std::int32_t number = 0;
  StepPhase phase = StepPhase::Running;
  std::int32_t exit_code = 0;  // when Gone
  std::int32_t exit_signal = 0;
  bool timed_out = false;      // whether the step has reached its time limit
  bool out_of_memory = false;  // the kernel killed a process for lack of memory (oom_kill counters)
  StepUsage usage;
  std::string note;  // problem to show to people: the client is gone, a file cannot be opened
  // Training steps that all tasks on this node have reported as saved; with --checkpoint-by=rank0
  // only the first task reports. Newest last, at most limits::saved_steps_max.
  std::vector<SavedStep> saved{};
  TaskFigures figures{};
  bool daemon_lost = false;  // the node's step daemon (cox-stepd) died, and with it the tasks
  // When Gone: as RankStatus::asked_to_stop.
  std::optional<bool> asked_to_stop{};

  COX_FIELDS(number, phase, exit_code, exit_signal, timed_out, out_of_memory, usage, note, saved,
             figures, daemon_lost, asked_to_stop);
  bool operator==(const StepStatus&) const = default;
};

// The part of a step on one node, as the controller has placed it.
struct StepNode {
  std::string node;
  std::int32_t tasks = 0;
  std::int64_t cpus = 0;  // CPUs of all tasks on the node
  std::int64_t memory_mb = 0;
  std::vector<std::int32_t> gpus;  // device indices
  StepPhase phase = StepPhase::Asked;
  std::vector<SavedStep> saved{};  // the node's newest report; not stored in the database

  COX_FIELDS(node, tasks, cpus, memory_mb, gpus, phase, saved);
  bool operator==(const StepNode&) const = default;
};

// A step in the controller's memory and in the database. Its state is PENDING while it waits for
// free resources of the allocation, then RUNNING, and at the end COMPLETED, FAILED, CANCELLED,
// TIMEOUT, OUT_OF_MEMORY or NODE_FAIL.
struct Step {
  StepKey key;
  StepSpec spec;
  std::string request_id;  // chosen by the client; a retry with the same id starts no second step
  JobState state = JobState::Pending;
  std::vector<StepNode> nodes;  // in the order of the job's nodes; empty in state PENDING
  std::int64_t tasks = 0;       // on all nodes
  Wall created{};
  Wall started{};
  Wall ended{};
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  bool stopping = false;   // its end was requested, so it ends as CANCELLED
  bool timed_out = false;  // timed_out, out_of_memory: true if so on any of its nodes
  bool out_of_memory = false;
  StepUsage usage;
  std::string why;  // for people
  TaskFigures figures{};
  // On one of its nodes the tasks were asked to stop before they ended, or may have been.
  bool asked_to_stop = false;

  COX_FIELDS(key, spec, request_id, state, nodes, tasks, created, started, ended, exit_code,
             exit_signal, stopping, timed_out, out_of_memory, usage, why, figures, asked_to_stop);
  bool operator==(const Step&) const = default;
};

// Returns for each node of the step the ranks of the tasks there, in the order of their local ids.
std::vector<std::vector<std::int32_t>> ranks_on_nodes(const std::vector<StepNode>& nodes,
                                                      const StepSpec& spec);

// Everything that a node needs to run its part of a step.
struct StepLaunch {
  std::int32_t number = 0;
  std::string name;
  std::int32_t node_index = 0;      // index of this node among the nodes of the step
  std::vector<std::int32_t> ranks;  // ranks of the tasks on this node, by local id
  std::int64_t tasks = 0;           // number of tasks on all nodes
  std::int64_t nodes = 0;
  std::string nodelist;            // compressed
  std::string tasks_per_node;      // number of tasks on each node, in Slurm's form: "2(x3),1"
  std::int64_t cpus = 0;           // CPUs of all tasks on this node
  std::int64_t cpus_per_task = 0;  // 0: not asked
  std::int64_t memory_mb = 0;
  std::vector<std::int32_t> gpus;   // on this node
  std::int64_t gpus_per_task = -1;  // -1: not asked
  Distribution distribution = Distribution::Block;
  std::int64_t time_limit_ms = 0;     // time limit of the step; 0: none besides the job's
  std::int64_t job_time_limit_s = 0;  // present time limit of the job; 0: none
  std::int64_t kill_wait_ms = 0;
  StreamPlace streams;
  // Whether the tasks get $COX_RESUME_FROM. False if a step with another command has saved the
  // checkpoint from which the attempt resumes.
  bool resumes = true;

  COX_FIELDS(number, name, node_index, ranks, tasks, nodes, nodelist, tasks_per_node, cpus,
             cpus_per_task, memory_mb, gpus, gpus_per_task, distribution, time_limit_ms,
             job_time_limit_s, kill_wait_ms, streams, resumes);
  bool operator==(const StepLaunch&) const = default;
};

}  // namespace cox
