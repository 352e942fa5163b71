// A job step: the tasks that srun starts inside an allocation, on some of its nodes. Its tasks are
// ranks of their own, counted from 0. Three parties know it: the controller keeps the Step (a row
// of cox.step), a node is told its StepLaunch, and says a StepStatus, which is a part of the
// AttemptStatus and as level as that.
//
// What the tasks are to do (program, environment, streams) goes between srun and the nodes
// directly: stream_messages.h. The controller knows where and how much, and how it ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/job_state.h"
#include "common/job/task_figures.h"

namespace cox {

// Steps are counted anew in each attempt, as Slurm does after a requeue.
struct StepKey {
  AttemptKey attempt;
  std::int32_t number = 0;
  constexpr auto operator<=>(const StepKey&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.attempt, self.number);
  }
};

// Where a client (srun, sattach) is called by the nodes, and the keys to do it with. They are made
// for this one step and die with the client.
struct StreamPlace {
  std::string endpoint;    // tcp://ADDRESS:PORT, or ipc://PATH where all nodes are this host
  std::string server_key;  // Z85, of the client; these three for tcp
  std::string public_key;  // of whoever calls
  std::string secret_key;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.endpoint, self.server_key, self.public_key, self.secret_key);
  }
  bool operator==(const StreamPlace&) const = default;
};

// How tasks are distributed: node by node, in turns, in turns of `plane` tasks, or each task on the
// node that the list names for it.
enum class Distribution : std::uint8_t { Block, Cyclic, Plane, Arbitrary };
std::string_view name(Distribution d);

// What was asked for, all of it settled by srun but for what the allocation decides.
struct StepSpec {
  std::string name;            // of the program
  std::int64_t nodes_min = 0;  // 0: as many as its tasks need
  std::int64_t nodes_max = 0;
  std::int64_t tasks = 0;             // 0: one a node
  std::int64_t tasks_per_node = 0;    // 0: not asked
  std::int64_t cpus_per_task = 0;     // 0: not asked; one, and with `exact` no more
  std::vector<std::string> nodelist;  // all of these, no others. Arbitrary: one for each task
  std::vector<std::string> exclude;
  std::int64_t relative = -1;  // from this node of the allocation on; -1: not asked
  bool exact = false;          // of a node only what its tasks ask for; else all that is free there
  bool overlap = false;        // shares what others have, and nobody waits for it
  std::int64_t memory_mb_per_node = 0;  // 0: all of it, shared
  std::int64_t gpus_per_node = -1;      // -1: not asked: all of them; 0: none
  std::int64_t gpus_per_task = -1;
  std::int64_t gpus = -1;  // of all its nodes
  Distribution distribution = Distribution::Block;
  std::int64_t plane = 0;
  std::int64_t time_limit_s = 0;       // 0: the job's
  bool immediate = false;              // it does not wait for others to end
  bool overcommit = false;             // as many tasks as asked for, whatever the CPUs
  std::int64_t memory_mb_per_cpu = 0;  // instead of that of each node; 0: not asked
  std::int64_t component = 0;          // of a heterogeneous job: it runs on the nodes of this one

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.nodes_min, self.nodes_max, self.tasks, self.tasks_per_node,
          self.cpus_per_task, self.nodelist, self.exclude, self.relative, self.exact, self.overlap,
          self.memory_mb_per_node, self.gpus_per_node, self.gpus_per_task, self.gpus,
          self.distribution, self.plane, self.time_limit_s, self.immediate, self.overcommit,
          self.memory_mb_per_cpu, self.component);
  }
  bool operator==(const StepSpec&) const = default;
};

// Where a step stands on one node.
enum class StepPhase : std::uint8_t {
  Asked,    // the node is told, again and again until it says so
  Running,  // it has it: its client is called, or its tasks run
  Gone,     // nothing of it is left there
};
std::string_view name(StepPhase p);

// What a step's tasks took on a node, or on all of them.
struct StepUsage {
  std::int64_t user_cpu_ms = 0;
  std::int64_t system_cpu_ms = 0;
  std::int64_t max_rss_kb = 0;  // of the largest task

  void add(const StepUsage& other) {
    user_cpu_ms += other.user_cpu_ms;
    system_cpu_ms += other.system_cpu_ms;
    max_rss_kb = max_rss_kb > other.max_rss_kb ? max_rss_kb : other.max_rss_kb;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.user_cpu_ms, self.system_cpu_ms, self.max_rss_kb);
  }
  bool operator==(const StepUsage&) const = default;
};

struct SavedStep {
  std::int64_t step = 0;
  std::int64_t bytes = 0;
  std::int64_t files = 0;
  bool after_stop = false;  // reported after the request to stop

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.step, self.bytes, self.files, self.after_stop);
  }
  bool operator==(const SavedStep&) const = default;
};

// What one node says of a step. `exit_code` is the highest of its tasks that were not signalled;
// `exit_signal` that of the first that was.
struct StepStatus {
  static constexpr int tag = 33;
  std::int32_t number = 0;
  StepPhase phase = StepPhase::Running;
  std::int32_t exit_code = 0;  // when Gone
  std::int32_t exit_signal = 0;
  bool timed_out = false;      // its own limit had passed
  bool out_of_memory = false;  // on the word of an oom_kill counter
  StepUsage usage;
  std::string note;  // for people: a client that is gone, a file that cannot be opened
  // Checkpoints that all of its tasks there have reported, or its first task where that alone
  // saves; newest last, at most limits::saved_steps_max.
  std::vector<SavedStep> saved{};
  TaskFigures figures{};
  bool daemon_lost = false;  // the step daemon there has died with its tasks

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.number, self.phase, self.exit_code, self.exit_signal, self.timed_out,
          self.out_of_memory, self.usage, self.note, self.saved, self.figures, self.daemon_lost);
  }
  bool operator==(const StepStatus&) const = default;
};

// A step's part of one node, as the controller has settled it.
struct StepNode {
  std::string node;
  std::int32_t tasks = 0;
  std::int64_t cpus = 0;  // of all its tasks there
  std::int64_t memory_mb = 0;
  std::vector<std::int32_t> gpus;  // device indices
  StepPhase phase = StepPhase::Asked;
  std::vector<SavedStep> saved{};  // as the node told it last; memory alone keeps it

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.node, self.tasks, self.cpus, self.memory_mb, self.gpus, self.phase, self.saved);
  }
  bool operator==(const StepNode&) const = default;
};

// PENDING waits for room in the allocation; RUNNING; then COMPLETED, FAILED, CANCELLED, TIMEOUT,
// OUT_OF_MEMORY or NODE_FAIL.
struct Step {
  StepKey key;
  StepSpec spec;
  std::string request_id;  // the client's; a retry with the same one is the same step
  JobState state = JobState::Pending;
  std::vector<StepNode> nodes;  // in the order of the job's; none while it waits
  std::int64_t tasks = 0;       // of all of them
  Wall created{};
  Wall started{};
  Wall ended{};
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  bool stopping = false;   // asked to end: it is CANCELLED then
  bool timed_out = false;  // on one of its nodes, these two
  bool out_of_memory = false;
  StepUsage usage;
  std::string why;  // for people
  TaskFigures figures{};

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.key, self.spec, self.request_id, self.state, self.nodes, self.tasks, self.created,
          self.started, self.ended, self.exit_code, self.exit_signal, self.stopping, self.timed_out,
          self.out_of_memory, self.usage, self.why, self.figures);
  }
  bool operator==(const Step&) const = default;
};

// Which of the step's tasks run on each of its nodes, in the order of their local ids.
std::vector<std::vector<std::int32_t>> ranks_on_nodes(const std::vector<StepNode>& nodes,
                                                      const StepSpec& spec);

// Everything a node needs to run its part.
struct StepLaunch {
  std::int32_t number = 0;
  std::string name;
  std::int32_t node_index = 0;      // of the step's nodes
  std::vector<std::int32_t> ranks;  // here, in the order of their local ids
  std::int64_t tasks = 0;           // of the whole step
  std::int64_t nodes = 0;
  std::string nodelist;            // compressed
  std::string tasks_per_node;      // Slurm's run lengths, "2(x3),1"
  std::int64_t cpus = 0;           // here, of all tasks
  std::int64_t cpus_per_task = 0;  // 0: not asked
  std::int64_t memory_mb = 0;
  std::vector<std::int32_t> gpus;   // here
  std::int64_t gpus_per_task = -1;  // -1: not asked
  Distribution distribution = Distribution::Block;
  std::int64_t time_limit_ms = 0;     // 0: none of its own
  std::int64_t job_time_limit_s = 0;  // as it is now; 0: none
  std::int64_t kill_wait_ms = 0;
  StreamPlace streams;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.number, self.name, self.node_index, self.ranks, self.tasks, self.nodes,
          self.nodelist, self.tasks_per_node, self.cpus, self.cpus_per_task, self.memory_mb,
          self.gpus, self.gpus_per_task, self.distribution, self.time_limit_ms,
          self.job_time_limit_s, self.kill_wait_ms, self.streams);
  }
  bool operator==(const StepLaunch&) const = default;
};

}  // namespace cox
