#include "controller/attempt/steps.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/admit/input_checks.h"
#include "controller/attempt/step_layout.h"
#include "controller/ledger/authorisation.h"
#include "controller/ledger/checkpoints.h"
#include "controller/state/counted.h"

namespace cox {
namespace {

bool holds_gpus(const StepSpec& spec) {
  return spec.gpus >= 0 || spec.gpus_per_node >= 0 || spec.gpus_per_task >= 0;
}

void take_away(StepRoom& room, const StepSpec& spec, const StepNode& held) {
  room.cpus -= held.cpus;
  room.memory_mb -= held.memory_mb;
  if (!holds_gpus(spec)) return;
  std::erase_if(room.gpus, [&](std::int32_t gpu) {
    return std::ranges::find(held.gpus, gpu) != held.gpus.end();
  });
}

// Returns what no step holds on each node of the allocation. `component` < 0: on the nodes of all
// components.
std::vector<StepRoom> rooms_of(const JobEntry& entry, std::int64_t component) {
  std::vector<StepRoom> rooms;
  for (const AttemptNode& node : entry.live_attempt()->nodes) {
    const NodeGrant& grant = node.grant;
    if (component >= 0 && grant.component != component) continue;
    StepRoom& room = rooms.emplace_back(StepRoom{&grant, grant.cpus, grant.memory_mb, grant.gpus});
    for (const Step& step : entry.steps) {
      if (step.state != JobState::Running || step.spec.overlap) continue;
      for (const StepNode& held : step.nodes)
        if (held.node == grant.node && held.phase != StepPhase::Gone)
          take_away(room, step.spec, held);
    }
  }
  return rooms;
}

std::string tasks_per_node_text(const Step& step) {
  std::vector<std::int64_t> counts;
  for (const StepNode& node : step.nodes) counts.push_back(node.tasks);
  return run_lengths_text(counts);
}

// Returns whether the tasks of the step are given the checkpoint from which their attempt resumes.
// If a job step has saved it, only a step with the same command is.
bool is_given_checkpoint(const Attempt& attempt, const StepSpec& spec) {
  return attempt.resume_command_hash.empty() || spec.command_hash.empty() ||
         spec.command_hash == attempt.resume_command_hash;
}

// Returns why the step is not given the checkpoint from which its attempt resumes; empty if it is,
// or if there is none.
std::string why_no_checkpoint(const Attempt& attempt, const Step& step) {
  if (!attempt.resume || is_given_checkpoint(attempt, step.spec)) return "";
  return "job step " + std::to_string(step.key.number) + " is not given the checkpoint of step " +
         std::to_string(attempt.resume->step) + ", since job step " +
         std::to_string(attempt.resume_job_step) + " of attempt " +
         std::to_string(attempt.resume->attempt.value) +
         " has saved it with another command line; run each training as a job of its own";
}

StepLaunch launch_of(const Reaction& r, const Step& step, std::size_t at,
                     std::vector<std::int32_t> ranks) {
  StepLaunch launch;
  launch.number = step.key.number;
  launch.name = step.spec.name;
  launch.node_index = static_cast<std::int32_t>(at);
  launch.ranks = std::move(ranks);
  launch.tasks = step.tasks;
  launch.nodes = static_cast<std::int64_t>(step.nodes.size());
  std::vector<std::string> names;
  for (const StepNode& node : step.nodes) names.push_back(node.node);
  launch.nodelist = compress_hostlist(names);
  launch.tasks_per_node = tasks_per_node_text(step);
  launch.cpus = step.nodes[at].cpus;
  launch.cpus_per_task = step.spec.cpus_per_task;
  launch.memory_mb = step.nodes[at].memory_mb;
  launch.gpus = step.nodes[at].gpus;
  launch.gpus_per_task = step.spec.gpus_per_task;
  launch.distribution = step.spec.distribution;
  launch.time_limit_ms = step.spec.time_limit_s * 1000;
  const JobEntry& entry = *r.cluster().job(step.key.attempt.job);
  launch.job_time_limit_s = entry.job.spec->time_limit_s;
  launch.resumes = is_given_checkpoint(*entry.live_attempt(), step.spec);
  launch.kill_wait_ms = r.cluster().config().kill_wait.count();
  if (const StreamPlace* streams = r.cluster().soft().streams_of(step.key))
    launch.streams = *streams;
  return launch;
}

// Sends LaunchStep to those nodes of the step that have not confirmed it; if `node` is not empty,
// only to this one of them.
void send_launches(Reaction& r, const Step& step, const std::string& node) {
  if (r.cluster().soft().streams_of(step.key) == nullptr) return;
  const auto lacks_it = [&](const StepNode& one) {
    return one.phase == StepPhase::Asked && (node.empty() || one.node == node);
  };
  if (std::ranges::none_of(step.nodes, lacks_it)) return;
  auto ranks = ranks_on_nodes(step.nodes, step.spec);
  for (std::size_t i = 0; i < step.nodes.size(); ++i)
    if (lacks_it(step.nodes[i]))
      r.send_to_node(step.nodes[i].node, LaunchStep{r.cluster().term(), step.key.attempt,
                                                    launch_of(r, step, i, std::move(ranks[i]))});
}

void finish(Reaction& r, Step step, JobState state, std::string why) {
  step.state = state;
  step.ended = r.moment_of(step.key.attempt.job);
  if (step.why.empty()) step.why = std::move(why);
  r.put(std::move(step));
}

// Returns the final state of a step that ended because its job was stopped for this reason.
JobState state_by_stop(StopWhy why) {
  if (why == StopWhy::NodeLost || why == StopWhy::LeaseEnded) return JobState::NodeFail;
  if (why == StopWhy::TimeLimit) return JobState::Timeout;
  return why == StopWhy::OutOfMemory ? JobState::OutOfMemory : JobState::Cancelled;
}

JobState state_by_exit(const Step& step, StopWhy why) {
  if (step.timed_out) return JobState::Timeout;
  if (step.out_of_memory) return JobState::OutOfMemory;
  const bool exited_well = step.exit_code == 0 && step.exit_signal == 0;
  if (exited_well && !step.asked_to_stop) return JobState::Completed;
  if (step.stopping) return JobState::Cancelled;
  if (exited_well) return state_by_stop(why);
  return why != StopWhy::None && step.exit_signal != 0 ? state_by_stop(why) : JobState::Failed;
}

// Adds the end of a step on one node. `why`: why its attempt was ordered to stop.
void fold(Step& step, const StepStatus& step_status, StopWhy why) {
  const bool may_be_asked = step.stopping || (why != StopWhy::None && why != StopWhy::JobEnded);
  step.asked_to_stop = step.asked_to_stop || step_status.asked_to_stop.value_or(may_be_asked);
  step.exit_code = std::max(step.exit_code, step_status.exit_code);
  if (step.exit_signal == 0) step.exit_signal = step_status.exit_signal;
  step.timed_out = step.timed_out || step_status.timed_out;
  step.out_of_memory = step.out_of_memory || step_status.out_of_memory;
  step.usage.add(step_status.usage);
  step.figures.add(step_status.figures);
  if (step.why.empty()) step.why = step_status.note;
}

Refusal cannot_have_one(const Job& job) {
  if (job.state == JobState::Pending)
    return {"Job is pending execution", "it has no allocation yet"};
  return {"Job/step already completing or completed", ""};
}

const Step* step_of_request(const JobEntry& entry, const std::string& request_id) {
  const auto found = std::ranges::find(entry.steps, request_id, &Step::request_id);
  return found == entry.steps.end() ? nullptr : &*found;
}

std::size_t live_steps(const JobEntry& entry) {
  return static_cast<std::size_t>(
      std::ranges::count_if(entry.steps, [](const Step& step) { return !is_final(step.state); }));
}

void answer(Reaction& r, const PeerMessage& incoming, std::int64_t number, const CreateStep& ask,
            const StepKey& key) {
  constexpr std::int64_t wait_ms_max = 60'000;
  const JobEntry& entry = *r.cluster().job(key.attempt.job);
  const Step& step = *entry.step(key.number);
  if (step.state != ask.known || ask.wait_ms <= 0) {
    r.reply(incoming.peer, number, step_shown(r.cluster(), entry, step, r.now()));
    return;
  }
  Waiter waiter{incoming.peer, number, key.attempt.job, entry.change_count, {}};
  waiter.until = r.now().boot + Milliseconds{std::min(ask.wait_ms, wait_ms_max)};
  waiter.step = key.number;
  waiter.known = ask.known;
  r.waiters.push_back(std::move(waiter));
}

Failure check(const CreateStep& ask) {
  const StepSpec& spec = ask.spec;
  if (auto f = check_step_words(ask)) return f;
  struct Range {
    std::string_view what;
    std::int64_t value, low, high;
  };
  for (const Range& one : std::initializer_list<Range>{
           {"--nodes", spec.nodes_min, 0, limits::nodes_per_job_max},
           {"--nodes", spec.nodes_max, 0, limits::nodes_per_job_max},
           {"--ntasks", spec.tasks, 0, limits::tasks_per_job_max},
           {"--ntasks-per-node", spec.tasks_per_node, 0, limits::tasks_per_job_max},
           {"--cpus-per-task", spec.cpus_per_task, 0, limits::cpus_per_task_max},
           {"--mem in MB", spec.memory_mb_per_node, 0, limits::memory_mb_per_node_max},
           {"--mem-per-cpu in MB", spec.memory_mb_per_cpu, 0, limits::memory_mb_per_node_max},
           {"--gpus-per-node", spec.gpus_per_node, -1, limits::gpus_per_node_max},
           {"--gpus-per-task", spec.gpus_per_task, -1, limits::gpus_per_node_max},
           {"--gpus", spec.gpus, -1, limits::gpus_per_job_max},
           {"--distribution=plane", spec.plane, 0, limits::tasks_per_job_max},
           {"--relative", spec.relative, -1, limits::nodes_per_job_max},
           {"--time in seconds", spec.time_limit_s, 0, limits::time_limit_s_max}})
    if (auto f = check_range(one.what, one.value, one.low, one.high)) return f;
  return std::nullopt;
}

void create(Reaction& r, const PeerMessage& incoming, std::int64_t number, const CreateStep& ask,
            const JobEntry& entry) {
  const auto refuse = [&](Refusal why, bool retry = false) {
    r.reply(incoming.peer, number, Refused{std::move(why), retry});
  };
  if (entry.live_attempt() == nullptr || entry.job.state == JobState::Completing)
    return refuse(cannot_have_one(entry.job), entry.job.state == JobState::Pending);
  if (live_steps(entry) >= limits::steps_live_max)
    return refuse({"the job has " + std::to_string(limits::steps_live_max) +
                       " steps that have not ended, which is the limit",
                   "wait for some of them to end"});
  if (ask.spec.component < -1 || ask.spec.component >= component_count(*entry.job.spec))
    return refuse({"Invalid het group: the job has " +
                       counted(component_count(*entry.job.spec), "component") + ", numbered from 0",
                   ""});
  const StepPlaced placed = place_step(ask.spec, rooms_of(entry, ask.spec.component));
  if (const auto* why = std::get_if<Refusal>(&placed)) return refuse(*why);
  if (const auto* waits = std::get_if<StepWaits>(&placed); waits && ask.spec.immediate)
    return refuse({waits->why, ""});
  Step step;
  step.key = {entry.live_attempt()->key, entry.next_step()};
  step.spec = ask.spec;
  if (entry.job.spec->components.empty()) step.spec.component = 0;
  step.request_id = ask.request_id;
  step.created = r.moment_of(entry.job.id);
  const StepKey key = step.key;
  r.put(std::move(step));
  r.soft_state().set_streams(key, ask.streams);
  start_steps(r, key.attempt.job);
  answer(r, incoming, number, ask, key);
}

}  // namespace

void on_create_step(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                    const CreateStep& ask) {
  const auto refuse = [&](Refusal why) { r.reply(incoming.peer, number, Refused{std::move(why)}); };
  const auto row =
      ask.task < 0 ? std::optional(ask.job) : r.cluster().jobs().arrays().row_of(ask.job, ask.task);
  const JobEntry* entry = row ? r.cluster().job(*row) : nullptr;
  if (entry == nullptr) return refuse({"Invalid job id specified", ""});
  if (!may_act_on(r.cluster(), incoming.caller, entry->job))
    return refuse({"Access/permission denied", "the job belongs to " + entry->job.spec->user_name});
  if (const Failure failure = check(ask)) return refuse(*failure);
  r.soft_state().edit(entry->job.id).last_client_contact = r.now().boot;
  const Step* known = step_of_request(*entry, ask.request_id);
  if (known == nullptr) return create(r, incoming, number, ask, *entry);
  const StepKey key = known->key;
  if (!is_final(known->state) && entry->live_attempt() != nullptr) {
    r.soft_state().set_streams(key, ask.streams);
    send_launches(r, *known, "");
    // After a restart of the controller, a pending step waits until its srun has sent the addresses
    // of its streams.
    start_steps(r, key.attempt.job);
  }
  answer(r, incoming, number, ask, key);
}

namespace {

// Commits a checkpoint of each training step that all nodes of the step of srun have saved. With
// --checkpoint-by=rank0, the node with rank 0 is enough.
void commit_checkpoints_of(Reaction& r, const Step& step) {
  const JobId id = step.key.attempt.job;
  const bool rank0 = r.cluster().job(id)->job.spec->checkpoint_by == CheckpointBy::Rank0;
  for (const SavedStep& candidate : step.nodes.front().saved) {
    Checkpoint c{step.key.attempt, candidate.step, 0, 0, r.moment_of(id), false, false};
    c.job_step = step.key.number;
    c.command_hash = step.spec.command_hash;
    bool complete = true;
    for (const StepNode& node : step.nodes) {
      if (rank0 && &node != &step.nodes.front()) break;
      const auto same = std::ranges::find(node.saved, candidate.step, &SavedStep::step);
      complete = complete && same != node.saved.end();
      if (!complete) break;
      c.bytes += same->bytes;
      c.files += same->files;
    }
    if (complete) commit_checkpoint(r, c, "job step " + std::to_string(step.key.number));
  }
}

// Records once for an attempt that a step which starts is not given the job's checkpoint.
void note_without_checkpoint(Reaction& r, const Step& step) {
  const JobEntry& entry = *r.cluster().job(step.key.attempt.job);
  const Attempt& attempt = *entry.live_attempt();
  const std::string why = why_no_checkpoint(attempt, step);
  if (why.empty()) return;
  const auto was_noted = [&](const Step& other) {
    return other.key != step.key && other.started != Wall{} &&
           !is_given_checkpoint(attempt, other.spec);
  };
  if (std::ranges::any_of(entry.steps, was_noted)) return;
  r.note(entry.job.id, "checkpoint", why, "controller");
}

}  // namespace

void commit_late_saves_of_steps(Reaction& r, const std::string& node, const AttemptStatus& status) {
  for (const StepStatus& step_status : status.steps) {
    const Step* known = r.cluster().job(status.key.job)->step(step_status.number);
    if (known == nullptr) continue;
    Step step = *known;
    const auto mine = std::ranges::find(step.nodes, node, &StepNode::node);
    if (mine == step.nodes.end()) continue;
    mine->saved = step_status.saved;
    commit_checkpoints_of(r, step);
  }
}

void start_steps(Reaction& r, JobId id) {
  const JobEntry& entry = *r.cluster().job(id);
  const bool runs = entry.job.state == JobState::Running || entry.job.state == JobState::Signaling;
  if (!runs) return;
  std::vector<std::int32_t> waiting;
  for (const Step& step : entry.steps)
    // A node needs the addresses of srun's streams. If they are not known, the step waits until its
    // srun repeats the request, which has them.
    if (step.state == JobState::Pending && r.cluster().soft().streams_of(step.key) != nullptr)
      waiting.push_back(step.key.number);
  for (const std::int32_t number : waiting) {
    Step step = *r.cluster().job(id)->step(number);
    StepPlaced placed = place_step(step.spec, rooms_of(*r.cluster().job(id), step.spec.component));
    if (std::holds_alternative<StepWaits>(placed)) continue;
    if (const auto* why = std::get_if<Refusal>(&placed)) {
      finish(r, std::move(step), JobState::Failed, why->fact);
      continue;
    }
    step.nodes = std::get<std::vector<StepNode>>(std::move(placed));
    for (const StepNode& node : step.nodes) step.tasks += node.tasks;
    step.state = JobState::Running;
    step.started = r.moment_of(step.key.attempt.job);
    r.put(step);
    note_without_checkpoint(r, step);
    send_launches(r, step, "");
  }
}

void take_steps(Reaction& r, JobId id, const std::string& node, const AttemptStatus& status) {
  bool some_ended = false;
  for (const StepStatus& step_status : status.steps) {
    const Step* known = r.cluster().job(id)->step(step_status.number);
    if (known == nullptr || known->state != JobState::Running) continue;
    Step step = *known;
    const auto mine = std::ranges::find(step.nodes, node, &StepNode::node);
    if (mine == step.nodes.end() || mine->phase == StepPhase::Gone) continue;
    const bool saved = mine->saved != step_status.saved;
    if (mine->phase >= step_status.phase && !saved) continue;
    mine->phase = std::max(mine->phase, step_status.phase);
    mine->saved = step_status.saved;
    if (saved) commit_checkpoints_of(r, step);
    const StopWhy why = r.cluster().job(id)->live_attempt()->stop.why;
    if (step_status.phase == StepPhase::Gone) fold(step, step_status, why);
    const bool over = std::ranges::all_of(
        step.nodes, [](const StepNode& one) { return one.phase == StepPhase::Gone; });
    some_ended = some_ended || step_status.phase == StepPhase::Gone;
    if (over) {
      const JobState state = state_by_exit(step, why);
      finish(r, std::move(step), state, "");
    } else {
      // If the node has lost its step daemon, srun gets no more news of the tasks there, and the
      // other tasks would wait for them for ever. So the step is stopped, unless the whole attempt
      // is stopping: that kills the daemons, too, and decides how the step ends.
      const bool is_alone = why == StopWhy::None;
      const bool ends = step_status.daemon_lost && is_alone && !std::exchange(step.stopping, true);
      r.put(step);
      if (ends) send_stop(r, step);
    }
  }
  if (some_ended) start_steps(r, id);
}

void send_stop(Reaction& r, const Step& step, const std::string& node) {
  for (const StepNode& one : step.nodes)
    if (one.phase != StepPhase::Gone && (node.empty() || one.node == node))
      r.send_to_node(one.node, StopStep{r.cluster().term(), step.key.attempt, step.key.number});
}

void remind_of_steps(Reaction& r, JobId id, const std::string& node) {
  for (const Step& step : r.cluster().job(id)->steps) {
    if (step.state != JobState::Running) continue;
    send_launches(r, step, node);
    if (step.stopping) send_stop(r, step, node);
  }
}

void end_steps(Reaction& r, JobId id) {
  const JobEntry& entry = *r.cluster().job(id);
  const JobState state = state_by_stop(entry.live_attempt()->stop.why);
  std::vector<Step> left;
  for (const Step& step : entry.steps)
    if (!is_final(step.state)) left.push_back(step);
  for (Step& step : left) {
    for (StepNode& node : step.nodes) node.phase = StepPhase::Gone;
    finish(r, std::move(step), state, "with its job");
  }
}

StepShown step_shown(const Cluster& cluster, const JobEntry& entry, const Step& step, Now now) {
  StepShown shown;
  const Job& job = entry.job;
  shown.view = {step, job.spec->user_name, job.spec->partition, job.array_job, job.array_task, 0};
  if (const Attempt* live = entry.live_attempt()) {
    if (!live->partition.empty()) shown.view.partition = live->partition;
    if (step.state == JobState::Running) shown.warning = why_no_checkpoint(*live, step);
  }
  if (step.started != Wall{})
    shown.view.ran_ms = ((step.ended == Wall{} ? now.wall : step.ended) - step.started).count();
  if (step.state == JobState::Pending) shown.waits = "Requested nodes are busy";
  shown.kill_wait_ms = cluster.config().kill_wait.count();
  return shown;
}

}  // namespace cox
