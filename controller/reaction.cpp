#include "controller/reaction.h"

#include "common/check.h"
#include "common/job_ref.h"

namespace cox {

void Reaction::change(Change c) {
  cluster_.apply(c, now_);
  changes.push_back(std::move(c));
}

Job Reaction::row_to_change(JobId id) const {
  const JobEntry* entry = cluster_.job(id);
  CHECK(entry != nullptr);
  return entry->job;
}

void Reaction::add_job(Job job, Blob script, Blob environment, std::string why) {
  JobAdded added{std::move(job), std::nullopt, std::nullopt};
  if (!script.hash.empty()) added.script = std::move(script);
  if (!environment.hash.empty()) added.environment = std::move(environment);
  const JobId id = added.job.id;
  const std::string actor = "user " + added.job.spec->user_name;
  change(std::move(added));
  note(id, "state", std::move(why), actor);
  ask_for_scheduling();
}

void Reaction::moved(Job job, Trigger trigger, std::string why, std::string actor) {
  const Job before = row_to_change(job.id);
  const auto next = next_state(before.state, trigger);
  CHECK(next.has_value());
  job.state = *next;
  job.why = why;
  if (is_final(*next)) job.ended = now_.wall;
  const JobId id = job.id;
  change(JobChanged{std::move(job), before.state, before.attempt});
  if (before.state == JobState::Pending) end_wait(cluster_.job(id)->job);
  note(id, "state", std::move(why), std::move(actor));
  ask_for_scheduling();
}

void Reaction::edited(Job job) {
  const Job before = row_to_change(job.id);
  CHECK(job.state == before.state);
  if (job == before) return;
  change(JobChanged{std::move(job), before.state, before.attempt});
}

void Reaction::add(Attempt attempt) {
  change(AttemptAdded{std::move(attempt)});
}
void Reaction::put(Attempt attempt) {
  change(AttemptChanged{std::move(attempt)});
}
void Reaction::add(Checkpoint checkpoint) {
  change(CheckpointAdded{std::move(checkpoint)});
}
void Reaction::put(Checkpoint checkpoint) {
  change(CheckpointChanged{std::move(checkpoint)});
}
void Reaction::put(JobWait wait) {
  change(WaitTold{std::move(wait)});
}

// It leaves PENDING: what was told of its waiting is over, and the first estimate is judged when it
// starts. REQUIRES: the job is as it is now.
void Reaction::end_wait(const Job& job) {
  const JobWait* wait = cluster_.wait_of(job.id);
  if (wait == nullptr) return;
  // That of a row for many tasks was made for the first of them.
  const bool starts = job.state == JobState::Configuring && !is_of_array(job);
  if (starts && wait->first_estimate != Wall{})
    change(EstimateMet{
        {job.id, job.attempt, wait->first_estimate, now_.wall, wait->first_estimate_made}});
  change(WaitOver{job.id});
}

void Reaction::forget(JobId id) {
  change(JobForgotten{id});
}

void Reaction::put(Node node) {
  node.changed = now_.wall;
  change(NodeChanged{std::move(node)});
  ask_for_scheduling();
}

void Reaction::note(JobId id, std::string what, std::string why, std::string actor) {
  const Job& job = cluster_.job(id)->job;
  change(EventAdded{{id, job.attempt, now_.wall, std::move(what), job.state, std::move(why),
                     std::move(actor), 0}});
}

void Reaction::send(const PeerName& peer, Message message) {
  if (!peer.empty()) outgoing.push_back({peer, std::move(message)});
}

void Reaction::send_to_node(const std::string& node, Message message) {
  send(cluster_.liveness(node).peer, std::move(message));
}

void Reaction::reply(const PeerName& peer, std::int64_t number, decltype(Reply::body) body) {
  send(peer, Reply{number, std::move(body)});
}

}  // namespace cox
