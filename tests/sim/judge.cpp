#include "tests/sim/judge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/job/job_ref.h"

namespace cox::sim {

// ---- what the store has committed --------------------------------------------------------------

void Judge::turn_applied(const Turn& turn) {
  if (turn.term < term_)
    violated("a turn of term " + std::to_string(turn.term.value) + " is committed after term " +
             std::to_string(term_.value));
  term_ = turn.term;
  latest_ = std::max(latest_, turn.at);
  for (const auto& change : turn.changes) {
    usage_.see(change);
    dependencies_.see(change, latest_);
    std::visit([&](const auto& c) { apply(c); }, change);
    runs_.see(change);
    saves_.see(change, turn.at);
    books_.fold(change);
    limits_.see(change, turn.at);
  }
  usage_.check_turn(turn.at);
  check_arrays();
  check_crontabs();
  count_ways();
}

// Reports the job transitions of this turn to the coverage. A row does not show the trigger of a
// transition, so all triggers that lead from the old state to the new one count. From CONFIGURING
// to COMPLETING the attempt's reason to stop decides.
void Judge::count_ways() {
  for (const Way& way : std::exchange(ways_, {})) {
    if (coverage_ == nullptr) continue;
    const auto attempt = books_.attempts.find(way.key);
    const bool undone = way.from == JobState::Configuring && attempt != books_.attempts.end() &&
                        attempt->second.stop.why == StopWhy::LaunchUndone;
    for (const Transition& t : transitions) {
      if (t.from != way.from || t.to != way.to) continue;
      if (way.from == JobState::Configuring && way.to == JobState::Completing &&
          (t.trigger == Trigger::LaunchUndone) != undone)
        continue;
      coverage_->leaves(way.key.job, way.from, t.trigger, scene_.agenda.now());
    }
  }
}

// Checks that each task of an array is in exactly one row.
void Judge::check_arrays() {
  std::map<JobId, std::vector<std::int64_t>> tasks;
  for (const auto& [id, job] : books_.jobs) {
    if (!is_of_array(job)) continue;
    const auto own = tasks_of(job).all();
    auto& all = tasks[job.array_job];
    all.insert(all.end(), own.begin(), own.end());
  }
  for (auto& [array, all] : tasks) {
    const Job& first = books_.jobs.at(array);
    std::ranges::sort(all);
    if (all != parse_array(first.spec->array)->tasks.all())
      violated("array " + std::to_string(array.value) + " has lost a task, or has one twice");
  }
}

// Checks that each crontab line has a job of its own that has not ended.
void Judge::check_crontabs() {
  std::set<JobId> jobs;
  for (const auto& [key, line] : books_.cron_lines) {
    const std::string who = "line " + std::to_string(line.last_line) + " of a crontab";
    const auto job = books_.jobs.find(line.job);
    if (job == books_.jobs.end() || is_final(job->second.state))
      violated(who + " has no job that will run");
    if (!jobs.insert(line.job).second) violated(who + " shares its job with another line");
  }
}

void Judge::apply(const JobAdded& change) {
  const Job& job = change.job;
  if (coverage_ != nullptr) coverage_->comes(job.id, scene_.agenda.now());
  if (books_.jobs.contains(job.id))
    violated("job id " + std::to_string(job.id.value) + " was issued twice");
  const auto replied = replied_.find(job.id);
  if (replied != replied_.end() && replied->second != job.request_id)
    violated("job id " + std::to_string(job.id.value) + ", which a client got for " +
             replied->second + ", is issued again to a job of request " + *job.request_id);
  if (!job.request_id.empty() && !requests_.emplace(job.request_id, job.id).second)
    violated("one submission became two jobs: " + *job.request_id);
  added_[job.request_id] = term_;
  // A later leader may accept a late copy of a request that a former leader refused. So this is a
  // violation only if the request was first sent in the present term.
  if (refused_.contains(job.request_id) && sent_in_.at(job.request_id) == term_)
    violated("a refused submission runs: " + *job.request_id);
}

void Judge::apply(const JobChanged& change) {
  const std::string who = "job " + std::to_string(change.job.id.value);
  const auto it = books_.jobs.find(change.job.id);
  if (it == books_.jobs.end()) return violated(who + " changes but was never added");
  const Job& before = it->second;
  // The limit of running tasks is in the array's first row, and may change after that row ended.
  Job limited = before;
  limited.array_limit = change.job.array_limit;
  const bool is_requeued = is_final(before.state) && change.job.state == JobState::Pending;
  if (is_final(before.state) && !is_requeued && limited != change.job)
    return violated(who + " changes after it ended");
  if (before.state != change.state_left || before.attempt != change.attempt_left)
    return violated(who + ": the guard of a change does not hold");
  if (before.state == change.job.state) return;
  const auto known = [&](const Transition& t) {
    return t.from == before.state && t.to == change.job.state;
  };
  if (std::ranges::none_of(transitions, known))
    violated(who + " goes from " + std::string(name(before.state)) + " to " +
             std::string(name(change.job.state)));
  ways_.push_back({{change.job.id, change.job.attempt}, before.state, change.job.state});
  scene_.story.log("store",
                   who + " " + std::string(name(change.job.state)) + ": " + *change.job.why);
  if (is_final(change.job.state)) check_end(change.job);
}

void Judge::check_end(const Job& job) {
  const std::string who = "job " + std::to_string(job.id.value);
  const AttemptKey key{job.id, job.attempt};
  const auto attempt = books_.attempts.find(key);
  const Ended ended = ended_[key];
  if (job.state == JobState::Failed && ended.failures == 0)
    violated(who + " is FAILED though none of its ranks failed");
  const bool is_gang = attempt != books_.attempts.end() && attempt->second.nodes.size() > 1;
  if (job.state == JobState::Failed && is_gang && ended.lost_first)
    violated(who + " is FAILED though it lost a node before any rank failed");
  if (job.state == JobState::Completed && attempt != books_.attempts.end() &&
      ended.zeros != static_cast<std::int32_t>(attempt->second.ranks.size()))
    violated(who + " is COMPLETED though only " + std::to_string(ended.zeros) +
             " ranks ended with 0");
  if (job.state == JobState::Completed && !worked_out_.contains(key))
    violated(who + " is COMPLETED though its work is not done");
  if (running_ranks_[key] > 0 && !job.spec->no_fence)
    violated(who + " has ended and its ranks still run");
}

void Judge::check_times(const Attempt& attempt) {
  const auto job = books_.jobs.find(attempt.key.job);
  if (job == books_.jobs.end()) return;
  Wall earlier = job->second.submitted;
  for (const auto& [key, other] : books_.attempts)
    if (key.job == attempt.key.job && key < attempt.key) earlier = std::max(earlier, other.ended);
  for (const Wall moment : {attempt.began, attempt.went, attempt.ended}) {
    if (moment == Wall{}) continue;
    if (moment < earlier)
      violated("attempt " + text_of(attempt.key) + " has moments in the wrong order");
    earlier = moment;
  }
  if (attempt.stop_asked != Wall{} && attempt.stop_asked < attempt.began)
    violated("attempt " + text_of(attempt.key) + " is to stop before it begins");
}

void Judge::apply(const AttemptAdded& change) {
  const Attempt& attempt = change.attempt;
  check_times(attempt);
  const std::string who = "attempt " + text_of(attempt.key);
  for (const auto& [key, other] : books_.attempts)
    if (key.job == attempt.key.job && other.ended == Wall{})
      violated(who + " begins before attempt " + text_of(key) + " has ended");
  if (books_.attempts.contains(attempt.key)) violated(who + " begins twice");
}

// Returns whether the ended attempt changes only in what a node reports late while the job waits
// for its next start, and in whether its saves are set aside. Nothing reported may go back.
bool Judge::takes_late_saves(const Attempt& before, Attempt after) const {
  const Job& job = books_.jobs.at(after.key.job);
  const bool waits = job.state == JobState::Pending && job.attempt == after.key.attempt;
  const bool is_alike =
      after.nodes.size() == before.nodes.size() && after.ranks.size() == before.ranks.size();
  after.saves_set_aside = before.saves_set_aside;
  if (waits && is_alike) {
    after.outcome = before.outcome;
    for (std::size_t i = 0; i < after.nodes.size(); ++i) {
      AttemptNode& node = after.nodes[i];
      node.revision = std::min(node.revision, before.nodes[i].revision);
      if (node.note.starts_with(before.nodes[i].note)) node.note = before.nodes[i].note;
    }
    const auto newest = [](const std::vector<SavedStep>& saved) {
      return saved.empty() ? -1 : saved.back().step;
    };
    for (std::size_t i = 0; i < after.ranks.size(); ++i)
      if (newest(after.ranks[i].saved) >= newest(before.ranks[i].saved))
        after.ranks[i].saved = before.ranks[i].saved;
  }
  return after == before;
}

void Judge::apply(const AttemptChanged& change) {
  const Attempt& attempt = change.attempt;
  check_times(attempt);
  const std::string who = "attempt " + text_of(attempt.key);
  const auto it = books_.attempts.find(attempt.key);
  if (it == books_.attempts.end()) return violated(who + " changes but was never added");
  if (it->second.ended != Wall{} && !takes_late_saves(it->second, attempt))
    violated(who + " changes after it ended");
  if (it->second.suspension != attempt.suspension) resumed_since_.erase(attempt.key);
  // A gang of one node starts without a Go. After a restore to a copy in which an attempt had not
  // started, the controller records its start when a node reports that it ran, or is lost, although
  // not every node was seen ready.
  const bool needs_go =
      !starts_without_go(attempt.nodes.size()) && !gone_unrecorded_.contains(attempt.key);
  if (it->second.went == Wall{} && attempt.went != Wall{} && needs_go)
    for (const auto& n : attempt.nodes)
      if (!ready_.contains({attempt.key, n.grant.node}))
        violated(who + " gets its Go before node " + n.grant.node + " is ready");
}

void Judge::apply(const CheckpointAdded& change) {
  const Checkpoint& c = change.checkpoint;
  const auto next = books_.attempts.upper_bound(c.key);
  if (next != books_.attempts.end() && next->first.job == c.key.job)
    violated("step " + std::to_string(c.step) + " of " + text_of(c.key) + " is committed after " +
             text_of(next->first) + " has begun");
  const bool rank0 = books_.jobs[c.key.job].spec->checkpoint_by == CheckpointBy::Rank0;
  const std::size_t speakers = rank0 ? 1 : books_.attempts[c.key].ranks.size();
  for (std::size_t rank = 0; rank < speakers; ++rank)
    if (!saves_.is_lost(c.key, c.step) &&
        storage_.verify(c.key, c.step, static_cast<std::int32_t>(rank)) ==
            Storage::Verdict::NeverWhole)
      violated("step " + std::to_string(c.step) + " of " + text_of(c.key) +
               " is committed but rank " + std::to_string(rank) + " has not saved it");
  scene_.story.log("store", "checkpoint " + text_of(c.key) + " step " + std::to_string(c.step));
}

// ---- a restored database -----------------------------------------------------------------------

void Judge::make_backup() {
  backup_.emplace(Backup{books_, requests_, usage_, dependencies_, runs_, saves_});
}

// Goes back to the committed state of the backup. Processes that run, and replies that clients have
// received, stay.
void Judge::restore_backup() {
  for (const auto& [key, attempt] : books_.attempts) {
    const auto then = backup_->books.attempts.find(key);
    if (then == backup_->books.attempts.end())
      lost_attempts_.insert(key);
    else if (cox::is_suspended(then->second) && !cox::is_suspended(attempt))
      resumed_since_.insert(key);
  }
  for (const auto& [request, id] : requests_)
    if (!backup_->requests.contains(request)) lost_requests_.insert(request);
  books_ = backup_->books;
  for (const auto& [key, attempt] : books_.attempts)
    if (attempt.ended == Wall{} && attempt.went == Wall{}) gone_unrecorded_.insert(key);
  requests_ = backup_->requests;
  usage_.restore_from(backup_->usage);
  dependencies_.restore_from(backup_->dependencies);
  runs_.restore_from(backup_->runs);
  saves_.restore_from(backup_->saves);
}

// ---- the processes that really run -------------------------------------------------------------

void Judge::node_obeys(const std::string& node, Term term) {
  Term& newest = obeyed_[node];
  if (term < newest)
    violated("node " + node + " obeys term " + std::to_string(term.value) + " after term " +
             std::to_string(newest.value));
  newest = std::max(newest, term);
}

void Judge::output_emptied(const LaunchSpec& launch) {
  const AttemptKey key = launch.key;
  const auto next =
      started_.upper_bound({launch.job_identity, key, all_ranks(launch.spec, launch.nodes)});
  const bool is_later = next != started_.end() && std::get<0>(*next) == launch.job_identity &&
                        std::get<1>(*next).job == key.job;
  if (is_later && !launch.spec.no_fence)
    violated(text_of(key) + " empties the output that a later attempt writes");
}

void Judge::rank_starts(const LaunchSpec& launch, std::int32_t rank) {
  const AttemptKey key = launch.key;
  const std::string who = "rank " + std::to_string(rank) + " of " + text_of(key);
  if (!started_.insert({launch.job_identity, key, rank}).second)
    violated(who + " is started twice");
  for (const auto& n : launch.nodes)
    if (!ready_.contains({key, n.grant.node}))
      violated(who + " starts before node " + n.grant.node + " is ready");
  for (const auto& [other, count] : running_ranks_)
    if (other.job == key.job && other != key && count > 0 && !launch.spec.no_fence)
      violated(who + " starts while attempt " + text_of(other) + " still runs");
  running_ranks_[key] += 1;
  runs_.rank_starts(key);
  const NodeGrant& grant = launch.nodes[static_cast<std::size_t>(launch.node_index)].grant;
  const auto committed = books_.attempts.find(key);
  if (committed != books_.attempts.end() &&
      committed->second.nodes[static_cast<std::size_t>(launch.node_index)].grant != grant)
    violated(who + " does not have the resources that are committed for it");
  auto& here = running_on_[grant.node].try_emplace(key, grant, 0).first->second;
  here.second += 1;
  check_room(grant.node);
}

void Judge::check_room(const std::string& node) {
  const NodeResources& total = totals_[node];
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::set<std::int32_t> gpus;
  std::string who;
  bool gpu_twice = false;
  for (const auto& [key, part] : running_on_[node]) {
    if (!suspended_on_.contains({node, key})) cpus += part.first.cpus;
    memory_mb += part.first.memory_mb;
    for (const auto gpu : part.first.gpus) gpu_twice = gpu_twice || !gpus.insert(gpu).second;
    who += " " + text_of(key);
  }
  if (cpus > total.cpus || memory_mb > total.memory_mb || gpu_twice)
    violated("node " + node + " is over-committed by" + who);
}

void Judge::is_suspended(const LaunchSpec& launch) {
  const NodeGrant& grant = launch.nodes[static_cast<std::size_t>(launch.node_index)].grant;
  suspended_on_.insert({grant.node, launch.key});
}

void Judge::attempt_resumes(const LaunchSpec& launch) {
  const NodeGrant& grant = launch.nodes[static_cast<std::size_t>(launch.node_index)].grant;
  suspended_on_.erase({grant.node, launch.key});
  check_room(grant.node);
}

void Judge::rank_ends(const LaunchSpec& launch, std::int32_t rank, std::int32_t code,
                      std::int32_t signal) {
  const AttemptKey key = launch.key;
  if (!started_.contains({launch.job_identity, key, rank}))
    return violated("a rank ends that never started");
  running_ranks_[key] -= 1;
  const std::string& node = launch.nodes[static_cast<std::size_t>(launch.node_index)].grant.node;
  auto& on_node = running_on_[node];
  if (--on_node.at(key).second == 0) on_node.erase(key);
  Ended& ended = ended_[key];
  if (signal == 0 && code == 0) ended.zeros += 1;
  if (signal == 0 && code != 0) ended.failures += 1;
}

void Judge::step_done(AttemptKey key, std::int64_t step) {
  const auto it = books_.attempts.find(key);
  if (it == books_.attempts.end() && lost_attempts_.contains(key)) return;
  if (it == books_.attempts.end()) return violated("attempt " + text_of(key) + " runs uncommitted");
  const Attempt& attempt = it->second;
  const bool may_run = ending_.contains(key) || resumed_since_.contains(key);
  if (!may_run && cox::is_suspended(attempt))
    violated("attempt " + text_of(key) + " runs though it is suspended on all its nodes");
  const auto& resume = attempt.resume;
  if (resume && step <= resume->step)
    violated("attempt " + text_of(key) + " repeats step " + std::to_string(step) +
             ", which checkpoint step " + std::to_string(resume->step) + " holds");
}

void Judge::resumed_from_what_never_was(AttemptKey key, AttemptKey saved_by, std::int64_t step) {
  // A very late Prepare may be for an attempt that has ended; its checkpoint may have been pruned
  // since.
  const auto attempt = books_.attempts.find(key);
  if (attempt == books_.attempts.end() || attempt->second.ended != Wall{}) return;
  if (saves_.is_lost(saved_by, step)) return;
  violated("attempt " + text_of(key) + " is to resume from step " + std::to_string(step) +
           ", whose files are gone or were never whole");
}

void Judge::resumed_from_another_job(AttemptKey key, AttemptKey saved_by) {
  violated("attempt " + text_of(key) + " is to resume from what another job with the id " +
           std::to_string(saved_by.job.value) + " has saved");
}

// ---- clients and the controller's memory -------------------------------------------------------

void Judge::accepted(const std::string& request_id, JobId id) {
  replied_.emplace(id, request_id);
  if (lost_requests_.contains(request_id)) return;
  const auto it = requests_.find(request_id);
  if (it == requests_.end())
    return violated("job " + std::to_string(id.value) + " was accepted and is forgotten");
  if (it->second != id) violated("the retry of a submission was answered with another job");
}

void Judge::refused(const std::string& request_id) {
  const auto accepted = requests_.find(request_id);
  const bool runs =
      accepted != requests_.end() && !is_final(books_.jobs.at(accepted->second).state);
  // The late refusal of a former leader is no violation if a later leader accepted a copy of the
  // request.
  if (runs && sent_in_.at(request_id) == added_.at(request_id))
    violated("a refused submission runs: " + request_id);
  refused_.insert(request_id);
}

// Checks that each live job in the controller's memory equals its committed row. REQUIRES: no turn
// is in flight.
void Judge::controller_rests(const Controller& controller) {
  controller.verify();
  const Cluster& cluster = controller.cluster();
  for (const auto& [id, job] : books_.jobs) {
    if (is_final(job.state)) continue;
    const JobEntry* entry = cluster.job(id);
    if (entry == nullptr || !(entry->job == job))
      return violated("the controller's job " + std::to_string(id.value) +
                      " is not as it is committed");
  }
}

}  // namespace cox::sim
