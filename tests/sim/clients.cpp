#include "tests/sim/clients.h"

#include <signal.h>

#include <algorithm>

#include "common/job/job_ref.h"
#include "common/syntax/accounting_request.h"

namespace cox::sim {
namespace {

constexpr std::uint64_t stream_of_jobs = 10'000;
constexpr std::uint64_t stream_of_crontabs = 20'000;
constexpr std::int64_t too_short_s = 2;  // a time limit in which a job can save nothing

// Returns whether the job is held and cannot progress: its time limit is too short to save
// anything, or it begins from the checkpoint of another job. Clients cancel such a job at the end,
// because a release would not help.
bool is_given_up(const Job& job) {
  const JobSpec& spec = *job.spec;
  const bool is_too_short = spec.time_limit_s > 0 && spec.time_limit_s <= too_short_s;
  return !job.held_why.empty() && (is_too_short || spec.resume_from.job != JobId{});
}

}  // namespace

void Clients::plan_submissions(std::int64_t jobs, const std::set<std::int64_t>& without,
                               Milliseconds until) {
  depend_ = scene_.people.one_in(2);
  for (std::int64_t i = 0; i < jobs; ++i) {
    Random random(scene_.setting.seed, stream_of_jobs + static_cast<std::uint64_t>(i));
    const Milliseconds at = random.time(5'000, until.count());
    if (without.contains(i)) continue;
    planned_ += 1;
    scene_.agenda.after(at, [this, i, random] { submit(i, random); });
  }
}

void Clients::plan_crontab(Milliseconds until) {
  Random random(scene_.setting.seed, stream_of_crontabs);
  const bool comes = random.one_in(2);
  const Milliseconds at = random.time(5'000, until.count());
  if (comes) scene_.agenda.after(at, [this, random] { install_crontab(random); });
}

// Installs a crontab of two small jobs that end by themselves. One runs every minute, the other
// every second minute, until the crontab is removed.
void Clients::install_crontab(Random random) {
  crontab_of_ = administration_.some_user(random);
  UpdateCrontab update;
  update.request_id = "crontab";
  update.text = "* * * * * work\n*/2 * * * * work\n";
  for (const std::int32_t number : {1, 2}) {
    CronLineAsked line;
    line.first_line = line.last_line = number;
    line.schedule = number == 1 ? "* * * * *" : "*/2 * * * *";
    line.spec.name = "cron-" + std::to_string(number);
    line.spec.form = JobForm::Batch;
    line.spec.work_dir = "/home/sim/" + line.spec.name;
    line.spec.time_limit_s = 60;
    line.script = "#!/bin/sh\n";
    Behaviour behaviour;
    behaviour.steps = random.between(3, 10);
    behaviour.step_time = random.time(200, 1500);
    shared_.behave(line.spec.work_dir, behaviour);
    update.lines.push_back(std::move(line));
  }
  scene_.story.log("client", "installs a crontab");
  send_request(std::move(update), crontab_of_);
}

Behaviour Clients::random_behaviour(Random& random) {
  Behaviour b;
  // Half of the programs save as the checkpoint protocol asks (the first three manners); the others
  // get one of the first six manners at random.
  b.manner = random.one_in(2) ? static_cast<Manner>(random.below(3))
                              : static_cast<Manner>(random.below(6));
  b.steps = random.between(3, 40);
  b.step_time = random.time(200, 1500);
  b.save_every = random.one_in(2) ? random.between(2, 10) : 0;
  // Drawn without a further random number, so that the other draws of the seed stay as they are.
  if (b.manner == Manner::RankExits0WhenAsked && b.save_every == 0)
    b.manner = Manner::AllExit0WhenAsked;
  b.fail_at = random.one_in(10) ? random.between(1, 40) : 0;
  b.fails_with_its_peers = random.one_in(2);
  if (random.one_in(6) && scene_.faults.in_use(Fault::IgnoredSignals))
    b.manner = Manner::IgnoresSignals;
  return b;
}

JobSpec Clients::random_spec(std::int64_t index, const std::string& user, Random& random) {
  JobSpec s;
  s.name = "job-" + std::to_string(index);
  s.form = random.one_in(5) ? JobForm::Batch : JobForm::Gang;
  if (s.form == JobForm::Gang) s.command = {"train"};
  s.work_dir = "/home/sim/" + std::to_string(index);
  s.nodes = random.between(1, 3);
  s.tasks = s.nodes * random.between(1, 2);
  s.cpus_per_task = random.between(1, 2);
  if (random.one_in(4)) s.gpus_per_node = random.between(1, 2);
  if (random.one_in(4)) s.memory_mb_per_node = random.between(100, 900);
  s.exclusive = random.one_in(12);
  // These fields follow from the job's index and need no random number, so that the other random
  // draws of the seed stay as they are.
  s.contiguous = index % 8 == 3;
  s.min_cpus = index % 8 == 5 ? 2 : 0;
  s.exclusive_user = index % 8 == 7;
  const char* qos[] = {"critical", "standard",   "standard", "paused",
                       "paused",   "besteffort", "patient",  "spare"};
  s.qos = qos[random.below(8)];
  if (random.one_in(4)) s.time_limit_s = random.between(5, 30);
  if (random.one_in(2)) s.checkpoint_signal = SIGUSR1;
  if (random.one_in(2)) s.signal = {s.checkpoint_signal, random.between(1, 10), false};
  if (s.signal.number == 0) s.signal = {};
  if (random.one_in(4)) s.checkpoint_by = CheckpointBy::Rank0;
  s.requeue = !random.one_in(8);
  s.requeue_on_timeout = random.one_in(4);
  s.requeue = s.requeue || s.requeue_on_timeout;
  s.no_fence = random.one_in(8);
  s.hold = random.one_in(12);
  if (random.one_in(6)) s.array = random.one_in(2) ? "0-4%2" : "1,4-8:2";
  administration_.fill_in(s, user, random);
  if (depend_ && random.one_in(2)) depend_on_others(s, random);
  return s;
}

void Clients::depend_on_others(JobSpec& spec, Random& random) {
  if (random.one_in(2)) spec.kill_on_invalid_dependency = random.one_in(2);
  if (random.one_in(6)) {
    spec.name = "chain";
    spec.dependency = "singleton";
    return;
  }
  if (accepted_.empty()) return;
  spec.dependency = some_dependency(spec, random);
  if (random.one_in(3))
    spec.dependency += (random.one_in(2) ? "," : "?") + some_dependency(spec, random);
}

std::string Clients::some_dependency(JobSpec& spec, Random& random) {
  auto it = accepted_.begin();
  std::advance(it, random.below(std::ssize(accepted_)));
  const JobId id = it->second;
  const Job& on = judge_.jobs().at(id);
  const std::string text = std::to_string(id.value);
  if (is_of_array(on) && random.one_in(2)) {
    spec.array = on.spec->array;
    return "aftercorr:" + text;
  }
  const char* kinds[] = {"afterok", "afterok", "afterany", "afternotok", "after"};
  const std::string kind = kinds[random.below(5)];
  const auto first = is_of_array(on) ? parse_array(on.spec->array)->tasks.first() : -1;
  const std::string task = first >= 0 && random.one_in(2) ? "_" + std::to_string(first) : "";
  return kind + ":" + text + task + (kind == "after" && random.one_in(3) ? "+1" : "");
}

// Makes a job that is requeued at each time limit able to end: in each attempt it progresses and
// saves before the limit.
void Clients::be_able_to_end(JobSpec& spec, Behaviour& behaviour, Random& random) {
  spec.time_limit_s = random.between(30, 60);
  spec.signal.seconds_before = std::min<std::int64_t>(spec.signal.seconds_before, 5);
  behaviour.manner = Manner::SavesAndExits75;
  behaviour.step_time = random.time(200, 600);
  behaviour.save_every = 2;
}

// Varies at random how the job is signalled, how it ends, and from which checkpoint it begins.
// These are the last random draws for a job, so that they do not change its other draws.
void Clients::vary_end(JobSpec& spec, Behaviour& behaviour, Random& random) {
  if (random.one_in(8)) behaviour.exit_75_at = random.between(1, 20);
  if (random.one_in(4)) {
    spec.signal = {SIGUSR2, random.between(1, 5), false};
    if (random.one_in(2)) spec.checkpoint_signal = 0;
  }
  const bool gets_on = spec.time_limit_s == 0 || spec.requeue_on_timeout;
  if (gets_on && random.one_in(2))
    behaviour.ask_for_requeue = [this](JobId id) {
      scene_.story.log("client", text_of(id) + " requeues itself");
      send_request(ActOnJobs{JobVerb::Requeue, {id}});
    };
  const bool gets_nowhere = random.one_in(12);
  const bool begins_from_another = random.one_in(3);
  if (gets_nowhere) return get_nowhere(spec, behaviour);
  if (begins_from_another) begin_from_another(spec, random);
}

// Makes the job too short to save anything before the time limit that requeues it.
void Clients::get_nowhere(JobSpec& spec, Behaviour& behaviour) {
  spec.time_limit_s = too_short_s;
  spec.requeue = spec.requeue_on_timeout = true;
  spec.checkpoint_signal = 0;
  spec.signal = {};
  spec.array.clear();
  spec.dependency.clear();
  behaviour = {};
  behaviour.manner = Manner::RankDiesWhenAsked;
  behaviour.steps = 100'000;
}

// Sets --resume-from to a random accepted job that has a sound checkpoint, if there is one, and
// takes over its --checkpoint-by.
void Clients::begin_from_another(JobSpec& spec, Random& random) {
  std::vector<JobId> sources;
  for (const auto& [request, id] : accepted_)
    if (judge_.can_be_begun_from(id)) sources.push_back(id);
  if (sources.empty()) return;
  spec.resume_from.job = sources[static_cast<std::size_t>(random.below(std::ssize(sources)))];
  spec.checkpoint_by = judge_.jobs().at(spec.resume_from.job).spec->checkpoint_by;
}

void Clients::submit(std::int64_t index, Random random) {
  SubmitJob submit;
  submit.request_id = "request-" + std::to_string(index);
  const std::string user = administration_.some_user(random);
  submit.spec = random_spec(index, user, random);
  if (submit.spec.form == JobForm::Batch) submit.script = "#!/bin/sh\n";
  submit.environment = std::string("A=1\0", 4);
  Behaviour behaviour = random_behaviour(random);
  if (submit.spec.requeue_on_timeout) be_able_to_end(submit.spec, behaviour, random);
  vary_end(submit.spec, behaviour, random);
  shared_.behave(submit.spec.work_dir, behaviour);
  send_request(submit, user);
}

void Clients::send_request(decltype(Request::body) body, const std::string& user) {
  const std::int64_t number = next_number_++;
  if (const auto* submit = std::get_if<SubmitJob>(&body))
    judge_.submission_sent(submit->request_id);
  open_[number] = {
      Request{number, std::move(body)}, user,
      std::make_unique<LeaderConnection>(scene_, network_, "client-" + user, controllers_)};
  send_until_answered(number);
}

void Clients::send_until_answered(std::int64_t number) {
  const auto it = open_.find(number);
  if (it == open_.end()) return;
  it->second.connection->send_to_leader({it->second.request});
  scene_.agenda.after(scene_.random.time(500, 3000),
                      [this, number] { send_until_answered(number); });
}

void Clients::receive(const std::string& from, const Message& message) {
  std::int64_t number = 0;
  if (const auto* reply = std::get_if<Reply>(&message)) number = reply->number;
  if (const auto* refused = std::get_if<NotLeader>(&message)) number = refused->number;
  // A reply has the number of its request, also if the request was repeated.
  const auto it = open_.find(number);
  if (it == open_.end()) return;
  for (const Message& accepted : it->second.connection->take(from, message))
    if (const auto* reply = std::get_if<Reply>(&accepted)) handle_reply(*reply);
}

void Clients::handle_reply(const Reply& reply) {
  const auto it = open_.find(reply.number);
  if (it == open_.end()) return;
  if (const auto* submitted = std::get_if<Submitted>(&reply.body)) {
    const std::string id = std::get<SubmitJob>(it->second.request.body).request_id;
    scene_.story.log("client", id + " is job " + std::to_string(submitted->id.value));
    judge_.accepted(id, submitted->id);
    accepted_[id] = submitted->id;
    open_.erase(it);
    forget_lost_jobs();
  } else if (const auto* refused = std::get_if<Refused>(&reply.body)) {
    handle_refusal(reply.number, *refused);
  } else {
    open_.erase(it);
  }
}

void Clients::forget_lost_jobs() {
  lost_ += std::erase_if(accepted_,
                         [this](const auto& one) { return !judge_.jobs().contains(one.second); });
}

// While faults last, a refused submission is sent again later as a new request, since nodes
// register and limits change; afterwards it is given up. Another request is sent again only if the
// refusal says that a retry may help.
void Clients::handle_refusal(std::int64_t number, const Refused& refused) {
  const auto it = open_.find(number);
  if (it == open_.end()) return;
  scene_.story.log("client", "is refused: " + refused.why.fact);
  if (has_unknown_outcome(refused)) return;
  const auto* submit = std::get_if<SubmitJob>(&it->second.request.body);
  if (submit != nullptr) judge_.refused(submit->request_id);
  if (refused.retry || (submit != nullptr && scene_.faults.active()))
    return send_as_new_request(number);
  if (submit != nullptr) refused_ += 1;
  open_.erase(it);
}

void Clients::send_as_new_request(std::int64_t number) {
  const auto it = open_.find(number);
  const std::int64_t next = next_number_++;
  Open& open = open_[next] = std::move(it->second);
  open_.erase(it);
  open.request.number = next;
  if (auto* submit = std::get_if<SubmitJob>(&open.request.body)) {
    submit->request_id += "'";
    judge_.submission_sent(submit->request_id);
  }
  scene_.agenda.after(scene_.random.time(500, 3'000), [this, next] { send_until_answered(next); });
}

void Clients::meddle() {
  Random& random = scene_.people;
  if (administration_.meddles() && random.one_in(2)) {
    const auto change = administration_.random_change();
    if (const auto* words = std::get_if<Administer>(&change))
      scene_.story.log("administrator", quoted_words(words->words));
    return send_request(change);
  }
  if (random.one_in(4) || judge_.jobs().empty()) return meddle_with_nodes();
  auto it = judge_.jobs().begin();
  std::advance(it, random.below(std::ssize(judge_.jobs())));
  const JobVerb verbs[] = {JobVerb::Cancel,  JobVerb::Hold,    JobVerb::Release, JobVerb::Release,
                           JobVerb::Requeue, JobVerb::Requeue, JobVerb::Preempt, JobVerb::Preempt};
  const JobVerb verb = verbs[random.below(8)];
  if (is_of_array(it->second) && random.one_in(2)) return meddle_with_array(it->second, verb);
  scene_.story.log("client", std::string(name(verb)) + " " + std::to_string(it->first.value));
  send_request(ActOnJobs{verb, {it->first}});
}

void Clients::meddle_with_nodes() {
  Random& random = scene_.people;
  const auto& node = nodes_[static_cast<std::size_t>(random.below(std::ssize(nodes_)))];
  const bool drain = random.one_in(2);
  scene_.story.log("client", (drain ? "drains " : "resumes ") + node);
  send_request(ActOnNodes{drain, {node}, drain ? "bad fan" : ""});
}

// Acts on an array through one of its rows, which stands for several tasks: on all of these tasks
// or on one of them. One time in three it changes instead how many tasks of the array may run at
// once.
void Clients::meddle_with_array(const Job& job, JobVerb verb) {
  Random& random = scene_.people;
  if (random.one_in(3)) {
    const std::string most = std::to_string(random.between(0, 2));
    scene_.story.log("client",
                     "lets " + most + " tasks run of array " + std::to_string(job.array_job.value));
    return send_request(UpdateJobs{{job.array_job}, {}, {"ArrayTaskThrottle"}, {most}});
  }
  ArrayTasks tasks = tasks_of(job);
  if (random.one_in(2)) tasks = ArrayTasks({tasks.first()});
  const std::string text = format_array_tasks(tasks);
  scene_.story.log("client", std::string(name(verb)) + " " + format_job_ref(job.array_job, text));
  send_request(ActOnJobs{verb, {job.array_job}, {text}});
}

void Clients::lift_limits() {
  // Drops earlier requests of administrators that have no reply yet: repeated later, they could set
  // limits again.
  std::erase_if(open_, [](const auto& open) {
    return std::holds_alternative<Administer>(open.second.request.body);
  });
  for (const auto& lifts : administration_.requests_lifting_limits()) send_request(lifts);
}

void Clients::release_all() {
  send_request(ActOnNodes{false, nodes_, ""});
  if (!crontab_of_.empty()) {
    UpdateCrontab remove;
    remove.remove = true;
    send_request(std::move(remove), crontab_of_);
  }
  for (const auto& [id, job] : judge_.jobs()) {
    if (is_final(job.state)) continue;
    const bool in_vain =
        is_given_up(job) || std::ranges::any_of(job.dependencies, &Dependency::never);
    // Files that a restored database lists may be gone for good.
    const bool anew = !job.held_why.empty() && scene_.people.one_in(2);
    const JobVerb verb = anew ? JobVerb::BeginAnew : JobVerb::Release;
    send_request(ActOnJobs{in_vain ? JobVerb::Cancel : verb, {id}});
  }
}

}  // namespace cox::sim
