#include "tests/sim/clients.h"

#include <signal.h>

#include "common/job_ref.h"

namespace cox::sim {

void Clients::plan_submissions(std::int64_t jobs, Milliseconds until) {
  planned_ = static_cast<std::size_t>(jobs);
  for (std::int64_t i = 0; i < jobs; ++i)
    scene_.agenda.after(scene_.random.time(5'000, until.count()), [this, i] { submit(i); });
}

Behaviour Clients::random_behaviour() {
  Random& random = scene_.random;
  Behaviour b;
  // Half of all programs behave.
  b.manner = random.one_in(2) ? static_cast<Manner>(random.below(3))
                              : static_cast<Manner>(random.below(7));
  b.steps = random.between(3, 40);
  b.step_time = random.time(200, 1500);
  b.save_every = random.one_in(2) ? random.between(2, 10) : 0;
  b.fail_at = random.one_in(10) ? random.between(1, 40) : 0;
  b.fails_with_its_peers = random.one_in(2);
  return b;
}

JobSpec Clients::random_spec(std::int64_t index) {
  Random& random = scene_.random;
  JobSpec s;
  s.name = "job-" + std::to_string(index);
  s.form = random.one_in(5) ? JobForm::Batch : JobForm::Gang;
  if (s.form == JobForm::Gang) s.command = {"train"};
  s.work_dir = "/home/sim";
  s.nodes = random.between(1, 3);
  s.tasks = s.nodes * random.between(1, 2);
  s.cpus_per_task = random.between(1, 2);
  if (random.one_in(4)) s.gpus_per_node = random.between(1, 2);
  if (random.one_in(4)) s.memory_mb_per_node = random.between(100, 900);
  s.exclusive = random.one_in(12);
  const char* qos[] = {"critical", "standard",   "standard", "paused",
                       "paused",   "besteffort", "patient",  "spare"};
  s.qos = qos[random.below(8)];
  if (random.one_in(4)) s.time_limit_s = random.between(10, 60);
  if (random.one_in(2)) s.checkpoint_signal = SIGUSR1;
  if (random.one_in(2)) s.signal = {s.checkpoint_signal, random.between(1, 10), false};
  if (s.signal.number == 0) s.signal = {};
  if (random.one_in(4)) s.checkpoint_by = CheckpointBy::Rank0;
  s.requeue = !random.one_in(8);
  s.requeue_on_timeout = random.one_in(4);
  s.no_fence = random.one_in(8);
  s.hold = random.one_in(12);
  if (random.one_in(6)) s.array = random.one_in(2) ? "0-4%2" : "1,4-8:2";
  return s;
}

// What is requeued at every time limit ends only if it gets on, and saves, within each.
void Clients::be_able_to_end(JobSpec& spec, Behaviour& behaviour) {
  spec.time_limit_s = scene_.random.between(30, 60);
  spec.signal.seconds_before = std::min<std::int64_t>(spec.signal.seconds_before, 5);
  behaviour.manner = Manner::SavesAndExits75;
  behaviour.step_time = scene_.random.time(200, 600);
  behaviour.save_every = 2;
}

void Clients::submit(std::int64_t index) {
  SubmitJob submit;
  submit.request_id = "request-" + std::to_string(index);
  submit.spec = random_spec(index);
  if (submit.spec.form == JobForm::Batch) submit.script = "#!/bin/sh\n";
  submit.environment = std::string("A=1\0", 4);
  Behaviour behaviour = random_behaviour();
  if (submit.spec.requeue_on_timeout) be_able_to_end(submit.spec, behaviour);
  shared_.behave(submit.spec.name, behaviour);
  ask(submit);
}

void Clients::ask(decltype(Request::body) body) {
  const std::int64_t number = next_number_++;
  open_[number] = Request{number, std::move(body)};
  send_until_answered(number);
}

void Clients::send_until_answered(std::int64_t number) {
  const auto it = open_.find(number);
  if (it == open_.end()) return;
  network_.send("client", "controller", it->second);
  scene_.agenda.after(scene_.random.time(500, 3000),
                      [this, number] { send_until_answered(number); });
}

void Clients::hear(const Message& message) {
  const auto* reply = std::get_if<Reply>(&message);
  if (reply == nullptr) return;
  if (const auto* submitted = std::get_if<Submitted>(&reply->body)) {
    // A reply numbered n answers the submission numbered n, repeated or not.
    const auto it = open_.find(reply->number);
    if (it == open_.end()) return;
    const std::string id = std::get<SubmitJob>(it->second.body).request_id;
    scene_.story.say("client", id + " is job " + std::to_string(submitted->id.value));
    judge_.accepted(id, submitted->id);
    accepted_[id] = submitted->id;
    open_.erase(it);
  } else if (const auto* refused = std::get_if<Refused>(&reply->body)) {
    // In peace all nodes are known: what can never run is refused for good. Else it asks again.
    const bool never = refused->why.fact.starts_with("this cluster can never run it");
    scene_.story.say("client", "is refused: " + refused->why.fact);
    if (!scene_.faults.active && never) refused_ += open_.erase(reply->number);
  } else {
    open_.erase(reply->number);
  }
}

void Clients::meddle() {
  Random& random = scene_.random;
  if (random.one_in(4) || judge_.jobs().empty()) {
    const auto& node = nodes_[static_cast<std::size_t>(random.below(std::ssize(nodes_)))];
    const bool drain = random.one_in(2);
    scene_.story.say("client", (drain ? "drains " : "resumes ") + node);
    return ask(ActOnNodes{drain, {node}, drain ? "bad fan" : ""});
  }
  auto it = judge_.jobs().begin();
  std::advance(it, random.below(std::ssize(judge_.jobs())));
  const JobVerb verbs[] = {JobVerb::Cancel,  JobVerb::Hold,    JobVerb::Release, JobVerb::Release,
                           JobVerb::Requeue, JobVerb::Requeue, JobVerb::Preempt, JobVerb::Preempt};
  const JobVerb verb = verbs[random.below(8)];
  const Job& job = it->second;
  if (is_of_array(job) && random.one_in(2)) {  // those of a row, or one of them alone
    ArrayTasks tasks = tasks_of(job);
    if (random.one_in(2)) tasks = ArrayTasks({tasks.first()});
    const std::string text = format_array_tasks(tasks);
    scene_.story.say("client", std::string(name(verb)) + " " + format_job_ref(job.array_job, text));
    return ask(ActOnJobs{verb, {job.array_job}, {text}});
  }
  scene_.story.say("client", std::string(name(verb)) + " " + std::to_string(it->first.value));
  ask(ActOnJobs{verb, {it->first}});
}

void Clients::release_all() {
  ask(ActOnNodes{false, nodes_, ""});
  for (const auto& [id, job] : judge_.jobs())
    if (!is_final(job.state)) ask(ActOnJobs{JobVerb::Release, {id}});
}

}  // namespace cox::sim
