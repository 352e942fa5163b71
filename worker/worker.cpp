#include "worker/worker.h"

#include <algorithm>
#include <utility>

#include "common/base/log_line.h"
#include "worker/attempt_lines.h"

namespace cox {
namespace {

constexpr Milliseconds hello_again_first{1'000};
constexpr Milliseconds hello_again_most{4'000};
constexpr Milliseconds report_again{2'000};
// How long the shared checkpoint folder may be missing before the node is unfit. It may be mounted
// after the worker starts, and the controller of a new cluster creates its marker file first.
constexpr Milliseconds folder_patience{30'000};
constexpr std::size_t lists_remembered_max = 64;
constexpr std::size_t forgotten_jobs_max = 4096;

}  // namespace

Worker::Worker(Node node, std::string session, bool shares_checkpoints, Launcher& launcher,
               TermStore& terms, std::string cluster_name)
    : node_(std::move(node)),
      session_(std::move(session)),
      cluster_name_(std::move(cluster_name)),
      shares_checkpoints_(shares_checkpoints),
      launcher_(launcher),
      terms_(terms),
      term_(terms.load()),
      newest_job_(terms.newest_job()),
      hello_again_(hello_again_first, hello_again_most, seed_from(session_)) {}

void Worker::receive(const Message& message, Now now) {
  std::visit([&](const auto& m) { on(m, now); }, message);
}

// Returns whether a command of this term may be obeyed: the term is at least as high as that of all
// earlier commands. Stores a higher term first.
bool Worker::accept_term(Term term) {
  if (term < term_) {
    remarks_.push_back("refused a command of an older term=" + std::to_string(term.value) +
                       " obeyed=" + std::to_string(term_.value));
    return false;
  }
  if (term > term_) {
    if (const Failure failure = terms_.keep(term)) {
      note_unstored_term(term, failure->fact);
      return false;
    }
    term_unfit_.clear();
    older_leader_.reset();
    term_ = term;
  }
  return true;
}

// Called if a new term cannot be stored. Makes the worker unfit and repeats hellos until the term
// can be stored. Obeying an unstored term would be unsafe: after a restart the worker would obey
// the previous leader again.
void Worker::note_unstored_term(Term term, const std::string& why) {
  welcomed_ = false;
  if (term_unfit_ == why) return;
  term_unfit_ = why;
  remarks_.push_back("cannot obey a new leader term=" + std::to_string(term.value) +
                     " why=" + quoted_value(why));
}

void Worker::on(const Welcome& m, Now now) {
  const bool new_leader = m.term > term_;
  if (m.session != session_ || !accept_term(m.term)) return;
  if (!welcomed_) remarks_.push_back("welcomed cluster=" + quoted_value(m.cluster_name));
  rejected_.clear();
  if (!std::exchange(was_served_, true)) launcher_.served();
  welcomed_ = true;
  hello_again_.succeeded();
  if (m.heartbeat_ms > 0) heartbeat_ = Milliseconds{m.heartbeat_ms};
  // A hello with the new term is sent, so that the new leader can distinguish it from hellos that
  // were sent before its takeover.
  if (new_leader) send_hello(now);
}

// Answers a leader of an older term that does not know this worker with a hello. That is how the
// leader learns the newer term, and that the node has run jobs. The worker does not obey it.
void Worker::answer_older_leader(Term term, Now now) {
  if (std::exchange(older_leader_, term) != term)
    warnings_.push_back("the controller leads an older term than this worker has obeyed term=" +
                        std::to_string(term.value) + " obeyed=" + std::to_string(term_.value) +
                        " hint=" +
                        quoted_value("its database is another one or an older copy, unless it is a "
                                     "former leader: check `database` in [controller]"));
  send_hello(now);
}

void Worker::on(const HeartbeatAck& m, Now now) {
  if (m.session != session_) return;
  if (m.hello_wanted && m.term < term_) return answer_older_leader(m.term, now);
  if (!accept_term(m.term)) return;
  if (m.hello_wanted) {
    welcomed_ = false;
    hello_again_.succeeded();
    send_hello(now);
    return;
  }
  acked_ = std::max(acked_, m.number);
  const auto sent = listed_at_.find(m.number);
  if (sent == listed_at_.end()) return;
  if (m.lease_ms > 0)
    for (const auto& [key, entry] : attempts_)
      if (entry.supervised && entry.status.phase != NodePhase::Gone)
        launcher_.renew_lease(key, sent->second + Milliseconds{m.lease_ms});
}

void Worker::on(const Prepare& m, Now now) {
  if (!accept_term(m.term)) return;
  const AttemptKey key = m.launch.key;
  if (const auto known = attempts_.find(key); known != attempts_.end()) {
    report(known->second, now);
    return;
  }
  // A copy of a Prepare may arrive after the attempt's end was acknowledged. The attempt must not
  // run again.
  if (const auto ended = forgotten_.find(key.job);
      ended != forgotten_.end() && key.attempt <= ended->second)
    return;
  if (key.job > newest_job_) terms_.note_newest_job(newest_job_ = key.job);
  Entry entry;
  entry.status.key = key;
  entry.received = now.boot;
  if (const Failure failure = launcher_.prepare(launch_of(m))) {
    entry.supervised = false;
    entry.status.revision = 1;
    entry.status.phase = NodePhase::Gone;
    entry.status.refused = failure->fact;
    remarks_.push_back(about(key) + "cannot be prepared why=" + quoted_value(failure->fact));
  } else {
    remarks_.push_back(start_line(m.launch));
  }
  auto& kept = attempts_[key] = std::move(entry);
  if (kept.supervised) return;
  // Sends why the node is unfit, so that the controller has this before the refusal.
  look_at_launcher(now);
  report(kept, now);
}

LaunchSpec Worker::launch_of(const Prepare& m) const {
  LaunchSpec launch = m.launch;
  launch.go_when_ready = false;
  launch.lease_from = Boot{};
  const auto after = listed_at_.upper_bound(m.number);
  if (m.session != session_ || after == listed_at_.begin()) return launch;
  // The newest list that the controller had: it has heard of this node since then.
  launch.lease_from = std::prev(after)->second;
  launch.go_when_ready = after == listed_at_.end() && starts_without_go(launch.nodes.size());
  return launch;
}

bool Worker::is_supervised(AttemptKey key) const {
  const auto known = attempts_.find(key);
  return known != attempts_.end() && known->second.supervised;
}

void Worker::on(const Go& m, Now) {
  if (accept_term(m.term) && attempts_.contains(m.key)) launcher_.go(m.key, m.order);
}

// These orders are ignored if the attempt is not on this node. The next heartbeat does not list it,
// which shows that to the controller.
void Worker::on(const LaunchStep& m, Now) {
  if (accept_term(m.term) && is_supervised(m.key)) launcher_.launch_step(m.key, m.launch);
}

void Worker::on(const StopStep& m, Now) {
  if (accept_term(m.term) && is_supervised(m.key)) launcher_.stop_step(m.key, m.number);
}

void Worker::on(const SignalAttempt& m, Now) {
  if (accept_term(m.term) && is_supervised(m.key)) launcher_.signal(m);
}

void Worker::on(const Stop& m, Now) {
  const auto known = attempts_.find(m.key);
  if (accept_term(m.term) && known != attempts_.end() && known->second.supervised)
    launcher_.stop(m.key, m.order);
}

void Worker::on(const Suspend& m, Now) {
  if (accept_term(m.term) && is_supervised(m.key)) launcher_.suspend(m.key, m.order);
}

void Worker::on(const StatusAck& m, Now) {
  // A controller of the previous version sends no term.
  if (m.term != Term{} && !accept_term(m.term)) return;
  const auto it = attempts_.find(m.key);
  if (it == attempts_.end()) return;
  Entry& entry = it->second;
  entry.acked = std::max(entry.acked, m.revision);
  const auto is_gone = [](const StepStatus& step) { return step.phase == StepPhase::Gone; };
  if (entry.supervised && std::ranges::any_of(entry.status.steps, is_gone))
    launcher_.acknowledge(m.key, m.revision);
  if (entry.status.phase != NodePhase::Gone || entry.acked < entry.status.revision) return;
  if (entry.supervised) launcher_.forget(m.key);
  attempts_.erase(it);
  AttemptNumber& newest = forgotten_[m.key.job];
  newest = std::max(newest, m.key.attempt);
  if (forgotten_.size() > forgotten_jobs_max) forgotten_.erase(forgotten_.begin());
}

void Worker::on(const RemoveCheckpoint& m, Now) {
  if (accept_term(m.term)) launcher_.remove_checkpoint(m.job_checkpoint_dir, m.key, m.step);
}

void Worker::on(const VerifyCheckpoint& m, Now) {
  if (accept_term(m.term)) launcher_.verify_checkpoint(m);
}

void Worker::on(const Rejected& m, Now) {
  if (!m.session.empty() && m.session != session_) return;
  if (m.ends_worker) refused_ = m.why.fact;
  if (std::exchange(rejected_, m.why.fact) == m.why.fact) return;
  remarks_.push_back("rejected by the controller why=" + quoted_value(m.why.fact) +
                     " hint=" + quoted_value(m.why.hint));
}

void Worker::run(Now now) {
  for (auto& event : launcher_.poll()) {
    if (auto* reported_status = std::get_if<SupervisorReported>(&event)) {
      take_status(std::move(reported_status->status), now);
      continue;
    }
    if (const auto* gone = std::get_if<CheckpointGone>(&event)) {
      outgoing_.push_back(CheckpointRemoved{node_.name, gone->key, gone->step});
      continue;
    }
    if (auto* verified = std::get_if<CheckpointVerified>(&event)) {
      verified->node = node_.name;
      outgoing_.push_back(std::move(*verified));
      continue;
    }
    auto& lost = std::get<SupervisorLost>(event);
    lost.last.phase = NodePhase::Gone;
    lost.last.supervisor_lost = true;
    lost.last.revision += 1;
    remarks_.push_back(about(lost.key) + "its supervisor is lost");
    take_status(std::move(lost.last), now);
  }
}

void Worker::take_status(AttemptStatus status, Now now) {
  if (!attempts_.contains(status.key) && status.phase != NodePhase::Gone)
    remarks_.push_back(about(status.key) + "goes on under its supervisor");
  Entry& entry = attempts_[status.key];
  entry.received = now.boot;
  const bool news = status.revision > entry.status.revision || entry.status.key != status.key;
  if (!news) {
    entry.status.ran_ms = std::max(entry.status.ran_ms, status.ran_ms);
    return;
  }
  const bool ends = status.phase == NodePhase::Gone && entry.status.phase != NodePhase::Gone;
  entry.status = std::move(status);
  if (ends) remarks_.push_back(end_line(entry.status));
  // The phase Preparing is not reported: the controller assumes it after its Prepare, and
  // heartbeats have it.
  if (entry.status.phase == NodePhase::Preparing) {
    entry.reported = now.boot;
  } else {
    report(entry, now);
  }
}

std::int64_t Worker::ran_ms(const Entry& entry, Now now) const {
  const bool is_suspended_now =
      entry.status.phase == NodePhase::Running && entry.status.suspension.suspended;
  const bool runs = !is_suspended_now && (entry.status.phase == NodePhase::Running ||
                                          entry.status.phase == NodePhase::Stopping);
  return runs ? entry.status.ran_ms + (now.boot - entry.received).count() : entry.status.ran_ms;
}

void Worker::report(Entry& entry, Now now) {
  if (!welcomed_) return;
  entry.reported = now.boot;
  StatusReport report{node_.name, entry.status, session_, ++number_};
  report.status.ran_ms = ran_ms(entry, now);
  outgoing_.push_back(std::move(report));
}

void Worker::send_hello(Now now) {
  hello_again_.failed(now.boot);
  if (started_ == Boot{}) started_ = now.boot;
  WorkerHello hello{
      node_,        session_,        ++number_, term_,       shares_checkpoints_,
      {},           to_ms(started_), unfit(),   newest_job_, launcher_.programs_time().count(),
      cluster_name_};
  for (auto& [key, entry] : attempts_) {
    hello.attempts.push_back(entry.status);
    hello.attempts.back().ran_ms = ran_ms(entry, now);
  }
  note_list(hello.number, now);
  outgoing_.push_back(std::move(hello));
}

void Worker::note_list(std::int64_t number, Now now) {
  listed_at_[number] = now.boot;
  if (listed_at_.size() > lists_remembered_max) listed_at_.erase(listed_at_.begin());
}

void Worker::set_shares_checkpoints(bool shares, Now now) {
  if (shares == shares_checkpoints_) return;
  shares_checkpoints_ = shares;
  if (shares)
    folder_unfit_.clear();
  else
    folder_missing_ = now.boot;
  send_hello(now);
}

void Worker::set_health(std::optional<std::string> unfit, Now now) {
  if (unfit == health_) return;
  health_ = std::move(unfit);
  if (welcomed_) beat(now);
}

std::optional<std::string> Worker::unfit() const {
  if (!term_unfit_.empty()) return term_unfit_;
  if (!launcher_unfit_.empty()) return launcher_unfit_;
  if (!gpus_unfit_.empty()) return gpus_unfit_;
  return folder_unfit_.empty() ? health_ : folder_unfit_;
}

void Worker::look_at_launcher(Now now) {
  std::string why = launcher_.unfit();
  if (why == launcher_unfit_) return;
  launcher_unfit_ = std::move(why);
  remarks_.push_back(launcher_unfit_.empty()
                         ? "it can launch again"
                         : "cannot launch why=" + quoted_value(launcher_unfit_));
  if (welcomed_) beat(now);
}

void Worker::look_at_folder(Now now) {
  if (shares_checkpoints_ || !folder_unfit_.empty()) return;
  if (now.boot - std::max(folder_missing_, started_) < folder_patience) return;
  folder_unfit_ = no_checkpoint_folder;
  beat(now);
}

void Worker::beat(Now now) {
  last_beat_ = now.boot;
  const std::int64_t confirmed = acked_ == beat_ ? acked_ : 0;
  Heartbeat beat{node_.name, session_, ++number_, {}, unfit(), confirmed, load_};
  beat_ = beat.number;
  for (const auto& [key, entry] : attempts_)
    beat.attempts.push_back({key, entry.status.revision, entry.status.phase, ran_ms(entry, now),
                             entry.status.suspension.number});
  note_list(beat.number, now);
  outgoing_.push_back(std::move(beat));
}

void Worker::tick(Now now) {
  if (!welcomed_) {
    if (hello_again_.is_due(now.boot)) send_hello(now);
    return;
  }
  if (!launcher_unfit_.empty()) look_at_launcher(now);
  look_at_folder(now);
  if (now.boot - last_beat_ >= heartbeat_) beat(now);
  for (auto& [key, entry] : attempts_)
    if (entry.acked < entry.status.revision && now.boot - entry.reported >= report_again)
      report(entry, now);
}

std::vector<Message> Worker::take_outgoing() {
  return std::exchange(outgoing_, {});
}
std::vector<std::string> Worker::take_remarks() {
  return std::exchange(remarks_, {});
}
std::vector<std::string> Worker::take_warnings() {
  return std::exchange(warnings_, {});
}

}  // namespace cox
