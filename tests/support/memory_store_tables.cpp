#include <algorithm>
#include <concepts>

#include "common/job/job_state.h"
#include "tests/support/memory_store.h"

namespace cox {
namespace {

constexpr const char* not_in_text = "22021";     // character_not_in_repertoire
constexpr const char* null_value = "23502";      // not_null_violation
constexpr const char* foreign_key = "23503";     // foreign_key_violation
constexpr const char* not_unique = "23505";      // unique_violation
constexpr const char* check_violated = "23514";  // check_violation
constexpr const char* guard_short = "CX002";

// ---- text: valid UTF-8 without NUL, as PostgreSQL requires --------------------------------------

int utf8_length(unsigned char first) {
  if (first < 0x80) return first == 0 ? 0 : 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

// Returns whether this second byte of a UTF-8 character is valid after the first: its range
// excludes overlong forms, surrogates and code points beyond U+10FFFF.
bool second_byte_fits(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0: return second >= 0xA0;
    case 0xED: return second <= 0x9F;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second <= 0x8F;
    default: return true;
  }
}

bool is_text(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const auto length = static_cast<std::size_t>(utf8_length(first));
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
    if (length > 1 && !second_byte_fits(first, static_cast<unsigned char>(text[i + 1])))
      return false;
    i += length;
  }
  return true;
}

// Visits all fields of a row and checks that PostgreSQL could store each text in them.
struct TextCheck {
  bool good = true;

  void look(const std::string& v) { good = good && is_text(v); }
  template <class T>
  void look(const std::vector<T>& v) {
    for (const auto& element : v) look(element);
  }
  template <class T>
  void look(const std::optional<T>& v) {
    if (v) look(*v);
  }
  template <class T>
  void look(const MostlyEmpty<T>& v) {
    look(*v);
  }
  void look(const UuidText& v) { look(v.text()); }
  template <class T>
  void look(const Shared<T>& v) {
    look(*v);
  }
  template <class T>
  void look(const T& v) {
    if constexpr (requires { v.fields([](const auto&...) {}); })
      v.fields([this](const auto&... fields) { (this->look(fields), ...); });
  }
};

template <class Row>
bool all_text(const Row& row) {
  TextCheck check;
  check.look(row);
  return check.good;
}

// ---- checks of single rows, as the CHECK constraints of sql/migrations do -----------------------

const char* job_problem(const Job& job) {
  if (!all_text(job)) return not_in_text;
  if (job.submitted == Wall{}) return null_value;
  const bool running = job.state == JobState::Running || job.state == JobState::Signaling ||
                       job.state == JobState::Suspended;
  const bool good =
      (job.ended != Wall{}) == is_final(job.state) &&
      (!is_live(job.state) || job.attempt.value >= 1) && (!running || job.started != Wall{}) &&
      (job.state != JobState::Completed || (job.exit_code == 0 && job.exit_signal == 0)) &&
      (job.dependencies.empty() || job.state == JobState::Pending || is_final(job.state)) &&
      job.attempt.value >= 0 && job.restarts >= 0 && job.spec->nodes >= 0 && job.spec->tasks >= 0;
  return good ? nullptr : check_violated;
}

const char* attempt_problem(const Attempt& attempt) {
  if (!all_text(attempt)) return not_in_text;
  if (attempt.began == Wall{}) return null_value;
  const bool timed = !attempt.suspension.suspended || !attempt.suspended_at.empty();
  return attempt.key.attempt.value >= 1 && timed ? nullptr : check_violated;
}

bool may_follow(JobState from, JobState to) {
  return from == to || std::ranges::any_of(transitions, [&](const Transition& t) {
           return t.from == from && t.to == to;
         });
}

bool is_same(const Association& a, const Association& b) {
  return a.account == b.account && a.user_name == b.user_name && a.partition == b.partition;
}

// ---- a turn, kept apart from the tables until all of it is valid --------------------------------

class Staging {
 public:
  explicit Staging(const MemoryTables& tables) : tables_(tables) {}

  void operator()(const JobAdded& c) {
    refuse(job_problem(c.job), "job");
    if (find(jobs_, tables_.jobs, c.job.id)) refuse(not_unique, "job");
    if (c.job.state != JobState::Pending) refuse(check_violated, "job: begins as PENDING");
    const auto& request = c.job.request_id;
    if (!request.empty()) {
      if (find(requests_, tables_.jobs_by_request, request)) refuse(not_unique, "job_by_request");
      requests_[request] = c.job.id;
    }
    jobs_[c.job.id] = c.job;
    if (c.script) blobs_[c.script->hash] = c.script->content;
    if (c.environment) blobs_[c.environment->hash] = c.environment->content;
  }
  void operator()(const JobChanged& c) {
    refuse(job_problem(c.job), "job");
    const Job* const left = find(jobs_, tables_.jobs, c.job.id);
    if (left == nullptr || left->state != c.state_left || left->attempt != c.attempt_left)
      return refuse(guard_short, "guard: the job is not in the state it should leave");
    if (!may_follow(c.state_left, c.job.state)) refuse(check_violated, "job: illegal transition");
    jobs_[c.job.id] = c.job;
  }
  void operator()(const JobRespecified& c) {
    refuse(job_problem(c.job), "job");
    const Job* const known = find(jobs_, tables_.jobs, c.job.id);
    if (known == nullptr) return refuse(guard_short, "guard: no such job");
    Job job = *known;
    job.spec = c.job.spec;
    jobs_[c.job.id] = std::move(job);
  }
  void operator()(const AttemptAdded& c) {
    refuse(attempt_problem(c.attempt), "attempt");
    if (!find(jobs_, tables_.jobs, c.attempt.key.job)) refuse(foreign_key, "attempt: no such job");
    if (find(attempts_, tables_.attempts, c.attempt.key)) refuse(not_unique, "attempt");
    attempts_[c.attempt.key] = c.attempt;
  }
  void operator()(const AttemptChanged& c) {
    refuse(attempt_problem(c.attempt), "attempt");
    if (!find(attempts_, tables_.attempts, c.attempt.key))
      refuse(guard_short, "guard: no such attempt");
    attempts_[c.attempt.key] = c.attempt;
  }
  void operator()(const CheckpointAdded& c) {
    if (c.checkpoint.committed == Wall{}) refuse(null_value, "checkpoint");
    if (!find(attempts_, tables_.attempts, c.checkpoint.key))
      refuse(foreign_key, "checkpoint: no such attempt");
    if (find(checkpoints_, tables_.checkpoints, key_of(c.checkpoint)))
      refuse(not_unique, "checkpoint");
    checkpoints_[key_of(c.checkpoint)] = c.checkpoint;
  }
  void operator()(const CheckpointChanged& c) {
    if (c.checkpoint.committed == Wall{}) refuse(null_value, "checkpoint");
    if (!find(checkpoints_, tables_.checkpoints, key_of(c.checkpoint)))
      refuse(guard_short, "guard: no such checkpoint");
    checkpoints_[key_of(c.checkpoint)] = c.checkpoint;
  }
  void operator()(const NodeChanged& c) {
    if (!all_text(c.node)) refuse(not_in_text, "node");
    nodes_[c.node.name] = c.node;
  }
  void operator()(const NodeEventAdded& c) {
    if (!all_text(c.event)) refuse(not_in_text, "node_event");
    if (c.event.at == Wall{}) refuse(null_value, "node_event");
    if (!find(nodes_, tables_.nodes, c.event.node)) refuse(foreign_key, "node_event: no such node");
    node_events_.push_back(c.event);
  }
  void operator()(const PartitionChanged& c) {
    if (!all_text(c.partition)) refuse(not_in_text, "partition");
    if (c.partition.name.empty()) refuse(check_violated, "partition");
    if (c.partition.changed == Wall{}) refuse(null_value, "partition");
    partitions_[c.partition.name] = c.partition;
  }
  void operator()(const PartitionRemoved& c) { partitions_[c.name] = std::nullopt; }
  void operator()(const EventAdded& c) {
    if (!all_text(c.event)) refuse(not_in_text, "job_event");
    if (c.event.at == Wall{}) refuse(null_value, "job_event");
    events_.push_back(c.event);
  }
  void operator()(const WaitPut& c) {
    const JobWait& wait = c.wait;
    if (!all_text(wait)) refuse(not_in_text, "job_wait");
    if (wait.first_evaluated == Wall{} || wait.last_evaluated == Wall{})
      refuse(null_value, "job_wait");
    if (!find(jobs_, tables_.jobs, wait.job)) refuse(foreign_key, "job_wait: no such job");
    waits_[wait.job] = wait;
  }
  void operator()(const WaitRemoved& c) { waits_[c.id] = std::nullopt; }
  void operator()(const AssociationPut& c) {
    const Association& one = c.association;
    if (!all_text(one)) refuse(not_in_text, "association");
    const bool good = one.is_account() ? one.partition.empty() && !one.is_default &&
                                             one.parent.empty() == (one.account == root_account)
                                       : one.parent.empty() && one.limits.guarantee.empty() &&
                                             one.limits.deserved.empty();
    if (!good || one.id.value <= 0 || one.account.empty() || one.shares < 0)
      refuse(check_violated, "association");
    for (const auto& [id, known] : tables_.associations)
      if (id != one.id && !associations_.contains(id) && is_same(known, one))
        refuse(not_unique, "association");
    for (const auto& [id, staged] : associations_)
      if (id != one.id && staged && is_same(*staged, one)) refuse(not_unique, "association");
    associations_[one.id] = one;
  }
  void operator()(const AssociationRemoved& c) {
    if (!tables_.associations.contains(c.id) && !associations_.contains(c.id))
      refuse(guard_short, "guard: no such association");
    associations_[c.id] = std::nullopt;
  }
  void operator()(const QosPut& c) {
    if (!all_text(c.qos)) refuse(not_in_text, "qos");
    qos_[c.qos.name] = c.qos;
  }
  void operator()(const QosRemoved& c) {
    if (!is_in_tables(c.name) && !qos_.contains(c.name)) refuse(guard_short, "guard: no such qos");
    qos_[c.name] = std::nullopt;
    qos_usage_.erase(c.name);
    qos_gone_.insert(c.name);
  }
  void operator()(const QosUsed& c) {
    if (!all_text(c.usage)) refuse(not_in_text, "qos_usage");
    if (c.usage.at == Wall{}) refuse(null_value, "qos_usage");
    if (!has_qos(c.usage.qos)) refuse(foreign_key, "qos_usage: no such qos");
    qos_usage_[c.usage.qos] = c.usage;
  }
  void operator()(const RequestAnswered& c) { answers_.push_back(c); }
  void operator()(const EstimateResolved& c) {
    const StartEstimate& e = c.estimate;
    if (e.estimated == Wall{} || e.actual == Wall{} || e.made == Wall{})
      refuse(null_value, "start_estimate");
    if (!find(jobs_, tables_.jobs, e.job)) refuse(foreign_key, "start_estimate: no such job");
    const AttemptKey key{e.job, e.attempt};
    if (find(estimates_, tables_.estimates, key)) refuse(not_unique, "start_estimate");
    estimates_[key] = e;
  }
  void operator()(const JobForgotten&) {}
  void operator()(const StepPut& c) {
    const Step& one = c.step;
    if (!all_text(one)) refuse(not_in_text, "step");
    if (one.created == Wall{}) refuse(null_value, "step");
    if (!find(attempts_, tables_.attempts, one.key.attempt)) refuse(foreign_key, "step");
    const bool runs = one.state == JobState::Running;
    const bool is_over = !runs && one.state != JobState::Pending;
    if ((runs && (one.nodes.empty() || one.started == Wall{})) || is_over != (one.ended != Wall{}))
      refuse(check_violated, "step");
    const auto known = tables_.steps.find(one.key);
    if (known != tables_.steps.end() && known->second.ended != Wall{}) refuse(guard_short, "step");
    steps_[one.key] = one;
  }
  void operator()(const ReservationPut& c) {
    const AdvanceReservation& one = c.reservation;
    if (!all_text(one)) refuse(not_in_text, "reservation");
    if (one.begin == Wall{} || one.changed == Wall{}) refuse(null_value, "reservation");
    if (one.end <= one.begin || one.name.empty()) refuse(check_violated, "reservation");
    reservations_[one.name] = one;
  }
  void operator()(const ReservationRemoved& c) { reservations_[c.name] = std::nullopt; }
  void operator()(const FailoverChanged& c) { failovers_[c.failover.term] = c.failover; }
  void operator()(const CrontabPut& c) {
    if (!all_text(c.crontab)) refuse(not_in_text, "crontab");
    if (c.crontab.changed == Wall{}) refuse(null_value, "crontab");
    crontabs_[c.crontab.uid] = c.crontab;
  }
  void operator()(const CrontabRemoved& c) { crontabs_[c.uid] = std::nullopt; }
  void operator()(const CronLinePut& c) {
    const CronLine& line = c.line;
    if (!all_text(line)) refuse(not_in_text, "crontab_line");
    if (line.first_line <= 0 || line.last_line < line.first_line || line.schedule.empty())
      refuse(check_violated, "crontab_line");
    if (!find(jobs_, tables_.jobs, line.job)) refuse(foreign_key, "crontab_line: no such job");
    cron_lines_[key_of(line)] = line;
  }
  void operator()(const CronLineRemoved& c) { cron_lines_[c.key] = std::nullopt; }

  // Checks that the crontab of each added line exists. Runs after all changes of the turn are
  // staged.
  void check_cron_lines() {
    for (const auto& [key, line] : cron_lines_) {
      if (!line) continue;
      const auto staged = crontabs_.find(key.first);
      const bool is_there = staged == crontabs_.end() ? tables_.crontabs.contains(key.first)
                                                      : staged->second.has_value();
      if (!is_there) refuse(foreign_key, "crontab_line: no such crontab");
    }
  }

  void operator()(const EventTriggerPut& c) {
    const EventTrigger& one = c.trigger;
    if (!all_text(one)) refuse(not_in_text, "event_trigger");
    if (one.set_at == Wall{}) refuse(null_value, "event_trigger");
    if (one.id.value <= 0 || !one.program.starts_with('/')) refuse(check_violated, "event_trigger");
    triggers_[one.id] = one;
  }
  void operator()(const EventTriggerRemoved& c) { triggers_[c.id] = std::nullopt; }

  // Checks that no job has two live attempts. Runs after all changes of the turn are staged.
  void check_live_attempts() {
    for (const auto& [key, attempt] : attempts_) {
      int live = 0;
      auto known = tables_.attempts.lower_bound({key.job, AttemptNumber{}});
      for (; known != tables_.attempts.end() && known->first.job == key.job; ++known)
        live += !attempts_.contains(known->first) && known->second.ended == Wall{};
      auto staged = attempts_.lower_bound({key.job, AttemptNumber{}});
      for (; staged != attempts_.end() && staged->first.job == key.job; ++staged)
        live += staged->second.ended == Wall{};
      if (live > 1) refuse(not_unique, "attempt_live_once_per_job");
    }
  }

  const char* sqlstate() const { return sqlstate_; }
  const std::string& message() const { return message_; }

  void make_true(MemoryTables& tables) {
    for (auto& [id, job] : jobs_) tables.jobs[id] = std::move(job);
    for (auto& [key, attempt] : attempts_) tables.attempts[key] = std::move(attempt);
    for (auto& [key, checkpoint] : checkpoints_) tables.checkpoints[key] = checkpoint;
    for (auto& [name, node] : nodes_) tables.nodes[name] = std::move(node);
    for (auto& event : node_events_) tables.node_events.push_back(std::move(event));
    for (auto& [name, partition] : partitions_) {
      if (partition) tables.partitions[name] = std::move(*partition);
      if (!partition) tables.partitions.erase(name);
    }
    for (auto& [id, wait] : waits_) {
      if (wait) tables.waits[id] = std::move(*wait);
      if (!wait) tables.waits.erase(id);
    }
    for (auto& [id, association] : associations_) {
      if (association) tables.associations[id] = std::move(*association);
      if (!association) tables.associations.erase(id);
    }
    for (auto& [name, qos] : qos_) {
      std::erase_if(tables.qos, [&](const Qos& known) { return known.name == name; });
      if (qos) tables.qos.push_back(std::move(*qos));
    }
    for (const std::string& name : qos_gone_) tables.qos_usage.erase(name);
    for (auto& [name, used] : qos_usage_) tables.qos_usage[name] = std::move(used);
    for (RequestAnswered& answer : answers_) {
      std::erase_if(tables.asked, [&](const SqlRequest& asked) { return asked.id == answer.id; });
      tables.answered.push_back(std::move(answer));
    }
    for (auto& [name, one] : reservations_) {
      if (one) tables.reservations[name] = std::move(*one);
      if (!one) tables.reservations.erase(name);
    }
    for (auto& [uid, crontab] : crontabs_) {
      if (crontab) tables.crontabs[uid] = std::move(*crontab);
      if (!crontab) tables.crontabs.erase(uid);
    }
    for (auto& [key, line] : cron_lines_) {
      if (line) tables.cron_lines[key] = std::move(*line);
      if (!line) tables.cron_lines.erase(key);
    }
    for (auto& [id, one] : triggers_) {
      if (one) tables.triggers[id] = std::move(*one);
      if (!one) tables.triggers.erase(id);
    }
    for (auto& [key, step] : steps_) tables.steps[key] = std::move(step);
    for (Failover& known : tables.failovers)
      if (const auto news = failovers_.find(known.term); news != failovers_.end())
        known = news->second;
    tables.estimates.merge(estimates_);
    tables.blobs.merge(blobs_);
    tables.jobs_by_request.merge(requests_);
    for (auto& event : events_) {
      event.sequence = ++tables.last_sequence;
      tables.events.push_back(std::move(event));
    }
  }

 private:
  bool is_in_tables(const std::string& qos) const {
    return std::ranges::any_of(tables_.qos, [&](const Qos& q) { return q.name == qos; });
  }
  bool has_qos(const std::string& name) const {
    const auto staged = qos_.find(name);
    return staged == qos_.end() ? is_in_tables(name) : staged->second.has_value();
  }
  template <class Map>
  static const typename Map::mapped_type* find(const Map& staged, const Map& known,
                                               const typename Map::key_type& key) {
    if (const auto at = staged.find(key); at != staged.end()) return &at->second;
    const auto at = known.find(key);
    return at == known.end() ? nullptr : &at->second;
  }
  void refuse(const char* sqlstate, const char* message) {
    if (sqlstate == nullptr || sqlstate_ != nullptr) return;
    sqlstate_ = sqlstate;
    message_ = message;
  }

  const MemoryTables& tables_;
  std::map<JobId, Job> jobs_;
  std::map<AttemptKey, Attempt> attempts_;
  std::map<CheckpointKey, Checkpoint> checkpoints_;
  std::map<StepKey, Step> steps_;
  std::map<std::string, Node> nodes_;
  std::vector<NodeEvent> node_events_;
  std::map<std::string, std::optional<Partition>> partitions_;
  std::map<std::string, std::string> blobs_;
  std::map<std::string, JobId> requests_;
  std::vector<JobEvent> events_;
  std::map<JobId, std::optional<JobWait>> waits_;  // empty: gone
  std::map<AttemptKey, StartEstimate> estimates_;
  std::map<AssociationId, std::optional<Association>> associations_;  // empty: gone
  std::map<std::string, QosUsage> qos_usage_;
  std::set<std::string> qos_gone_;                 // deleted in this turn; qos_ may add it again
  std::map<std::string, std::optional<Qos>> qos_;  // likewise
  std::vector<RequestAnswered> answers_;
  std::map<std::string, std::optional<AdvanceReservation>> reservations_;  // empty: gone
  std::map<Term, Failover> failovers_;
  std::map<std::uint32_t, std::optional<Crontab>> crontabs_;        // empty: deleted
  std::map<CronLineKey, std::optional<CronLine>> cron_lines_;       // empty: deleted
  std::map<EventTriggerId, std::optional<EventTrigger>> triggers_;  // empty: deleted
  const char* sqlstate_ = nullptr;  // of the first rejection; null: none
  std::string message_;
};

}  // namespace

std::optional<TurnRejected> apply_turn(MemoryTables& tables, const Turn& turn) {
  Staging staging(tables);
  for (const Change& change : turn.changes) std::visit(staging, change);
  staging.check_live_attempts();
  staging.check_cron_lines();
  if (staging.sqlstate() != nullptr)
    return TurnRejected{turn.number, staging.sqlstate(), staging.message()};
  staging.make_true(tables);
  tables.turn = turn.number;
  return std::nullopt;
}

}  // namespace cox
