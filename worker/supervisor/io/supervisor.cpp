#include "worker/supervisor/io/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/base/limits.h"
#include "common/base/log_line.h"
#include "common/io/clock.h"
#include "common/io/crash_point.h"
#include "common/job/supervisor_folder.h"
#include "common/messages/codec.h"
#include "worker/supervisor/io/child.h"
#include "worker/supervisor/io/files/files.h"
#include "worker/supervisor/io/process_identity.h"

namespace cox {

using namespace supervisor;

namespace {

// Limit on connections, far below the limit on descriptors. More peers wait until they are
// accepted.
constexpr std::size_t peers_max = 256;
// Limit on one frame from a peer that may not give orders (a rank or task): its reports are small,
// while an order may name 100,000 ranks.
constexpr std::size_t frame_bytes_from_tasks_max = 64u << 10;
constexpr Milliseconds sweep_again{20};
constexpr Milliseconds sweep_again_unkillable{1'000};
constexpr Milliseconds freeze_again{10};  // first pause before the next try; doubles with each try
constexpr Milliseconds freeze_again_max{1'000};
constexpr Milliseconds write_again{1'000};
// How long to wait for ranks that are starting, so that one status reports the start of all of
// them.
constexpr Milliseconds starting_max{20};

bool is_whole(const LaunchSpec& launch) {
  const auto nodes = static_cast<std::int64_t>(launch.nodes.size());
  if (launch.node_index < 0 || launch.node_index >= nodes) return false;
  return launch.spec.form != JobForm::Gang || !launch.spec.command.empty();
}

// Returns whether the peer may give orders: the kernel reports that it runs as root or as the
// worker's user.
bool may_order(const FrameStream& stream) {
  const uid_t uid = stream.peer_uid();
  return uid == 0 || uid == ::geteuid();
}

// Returns the newest saved training step of each rank that has saved any.
std::vector<std::int64_t> newest_saved(const AttemptStatus& status) {
  std::vector<std::int64_t> steps;
  for (const RankStatus& rank : status.ranks)
    if (!rank.saved.empty()) steps.push_back(rank.saved.back().step);
  return steps;
}

}  // namespace

Result<Supervisor> Supervisor::start(const std::string& folder, Descriptor lock,
                                     Descriptor worker) {
  const std::string path = folder + "/" + supervisor_folder::launch_file;
  const auto bytes = read_file(path, limits::frame_bytes_max);
  if (!bytes) return io_refusal(path, "read", errno);
  auto launch = decode_launch(*bytes);
  if (!launch) return Refusal{path + ": " + launch.refusal().fact, ""};
  if (!is_whole(*launch))
    return Refusal{path + ": its node index is invalid, or it has no command", ""};
  Supervisor supervisor(folder, std::move(*launch), std::move(lock));
  if (Failure failure = supervisor.open(std::move(worker))) return *failure;
  return supervisor;
}

Failure Supervisor::give_to_user(const std::string& path) const {
  if (launch_.spec.uid == ::geteuid()) return std::nullopt;
  // No other user can replace the file by a link, because the folder belongs to this process's
  // user.
  if (::lchown(path.c_str(), launch_.spec.uid, launch_.spec.gid) == 0) return std::nullopt;
  return io_refusal(path, "give to the user", errno);
}

void Supervisor::say(const std::string& line) const {
  std::fprintf(stderr, "%s%s\n", about(launch_.key).c_str(), line.c_str());
}

Supervisor::Supervisor(std::string folder, LaunchSpec launch, Descriptor lock)
    : folder_(std::move(folder)),
      lock_(std::move(lock)),
      launch_(launch),
      supervision_(std::move(launch), read_clock()),
      journal_(folder_) {}

Failure Supervisor::open(Descriptor worker) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
  signals_.reset(::signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK));
  timer_.reset(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!signals_.is_open() || !timer_.is_open()) return io_refusal(folder_, "watch", errno);
  feed(Begun{});  // begins to prepare the node, in a child process
  auto containment = Containment::make(folder_, launch_.key);
  if (!containment) return containment.refusal();
  containment_ = std::move(*containment);
  if (!write_identity(lock_.get())) return io_refusal(folder_, "write the identity in", errno);
  auto listener = listen_in(folder_, supervisor_folder::socket_file);
  if (!listener) return listener.refusal();
  const std::string socket = folder_ + "/" + supervisor_folder::socket_file;
  if (Failure failure = give_to_user(socket)) return failure;
  listener_ = std::move(*listener);
  if (worker.is_open()) {
    peers_.emplace(next_peer_++,
                   Peer{FrameStream(std::move(worker), limits::frame_bytes_max), true});
  }
  return std::nullopt;
}

void Supervisor::run() {
  while (true) {
    // The status goes to disk first, then to the peers; then the ranks get the answers about saved
    // steps.
    if (is_dirty_ && !waits_for_ranks() && !publish()) retry_at_ = read_clock().boot + write_again;
    if (!is_dirty_) {
      answer_saves();
      if (is_finishing_) break;
    }
    turn();
  }
  containment_.remove();
  // If the attempt has several nodes, the controller orders this when all of them have ended.
  if (!launch_.job_checkpoint_dir.empty() && starts_without_go(launch_.nodes.size()))
    remove_empty_folders(launch_.job_checkpoint_dir, launch_.key.attempt);
}

bool Supervisor::waits_for_ranks() {
  const Boot until = started_at_ + starting_max;
  const auto is_starting = [](const RankProcess& process) { return !process.is_known; };
  if (read_clock().boot >= until || std::none_of(ranks_.begin(), ranks_.end(), is_starting))
    return false;
  if (!retry_at_ || until < *retry_at_) retry_at_ = until;
  return true;
}

void Supervisor::turn() {
  wait();
  accept_peers();
  read_peers();  // before exits: a rank reports a saved step and then exits
  // An attempt may start its ranks as soon as it is prepared. So its first status must be on disk
  // before the result of preparing is read.
  if (!is_dirty_) read_file_works();
  read_reports();
  read_stepd();
  read_program();
  reap();
  watch_programs();
  sweep();
  freeze_or_thaw();
  look_at_output();
  // No event reports that another attempt has released a lent CPU, so every turn tries.
  if (stepd_ && !is_frozen_) stepd_->take_back_cpus();
  feed(Tick{});
  for (const std::int64_t peer : lost_peers_) peers_.erase(peer);
  lost_peers_.clear();
}

// ---- waiting ---------------------------------------------------------------------------------

void Supervisor::wait() {
  set_timer();
  std::vector<pollfd> watched = {{signals_.get(), POLLIN, 0}, {timer_.get(), POLLIN, 0}};
  if (peers_.size() < peers_max) watched.push_back({listener_.get(), POLLIN, 0});
  for (const auto& [number, peer] : peers_) {
    const short events = peer.stream.wants_write() ? POLLIN | POLLOUT : POLLIN;
    watched.push_back({peer.stream.fd(), events, 0});
  }
  for (const FileWork& work : works_) {
    if (!is_dirty_) watched.push_back({work.fd(), POLLIN, 0});
  }
  for (const RankProcess& process : ranks_) {
    if (!process.is_known) watched.push_back({process.report.get(), POLLIN, 0});
  }
  if (program_ && program_->fd() >= 0) watched.push_back({program_->fd(), POLLIN, 0});
  if (stepd_) {
    const short events = stepd_->wants_write() ? POLLIN | POLLOUT : POLLIN;
    watched.push_back({stepd_->fd(), events, 0});
  }
  ::poll(watched.data(), watched.size(), -1);
  retry_at_.reset();  // the functions that turn() calls set it again if needed
  std::uint64_t ticks = 0;
  while (::read(timer_.get(), &ticks, sizeof ticks) > 0) continue;
  signalfd_siginfo ignored{};
  while (::read(signals_.get(), &ignored, sizeof ignored) > 0) continue;
}

void Supervisor::set_timer() {
  std::optional<Boot> next = supervision_.wakeup();
  if (retry_at_ && (!next || *retry_at_ < *next)) next = retry_at_;
  itimerspec at{};
  if (next) {
    // A value of zero would disarm the timer. A time in the past expires at once.
    const std::int64_t ms = std::max<std::int64_t>(to_ms(*next), 1);
    at.it_value.tv_sec = ms / 1000;
    at.it_value.tv_nsec = ms % 1000 * 1'000'000;
  }
  CHECK(::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr) == 0);
}

// ---- peers -----------------------------------------------------------------------------------

void Supervisor::accept_peers() {
  while (peers_.size() < peers_max) {
    Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.is_open()) return;
    FrameStream stream(std::move(socket), frame_bytes_from_tasks_max);
    if (may_order(stream))
      stream.allow_frames(limits::frame_bytes_max);
    else if (stream.peer_uid() != launch_.spec.uid)
      continue;
    peers_.emplace(next_peer_++, Peer{std::move(stream), false});
  }
}

void Supervisor::read_peers() {
  for (auto& [number, peer] : peers_) {
    std::vector<Message> messages;
    if (!peer.stream.read(messages) || !peer.stream.flush()) lost_peers_.insert(number);
    for (const Message& message : messages) receive(number, message);
  }
}

void Supervisor::receive(std::int64_t number, const Message& message) {
  Peer& peer = peers_.at(number);
  if (const auto* done = std::get_if<CheckpointDone>(&message)) {
    feed(SaveRequested{{done->job_step, done->rank}, done->step, number});
    return;
  }
  if (std::holds_alternative<WorkFinished>(message)) {
    feed(FinishReported{number});
    return;
  }
  if (const auto* said = std::get_if<ProgressReport>(&message)) {
    feed(ProgressReported{said->progress});
    return;
  }
  if (!may_order(peer.stream)) {
    lost_peers_.insert(number);
  } else if (const auto* go = std::get_if<Go>(&message); go && go->key == launch_.key) {
    feed(GoOrdered{go->order});
  } else if (const auto* stop = std::get_if<Stop>(&message); stop && stop->key == launch_.key) {
    feed(StopOrdered{stop->order});
  } else if (const auto* still = std::get_if<Suspend>(&message);
             still && still->key == launch_.key) {
    feed(SuspensionOrdered{still->order});
  } else if (const auto* step = std::get_if<LaunchStep>(&message);
             step && step->key == launch_.key) {
    feed(StepOrdered{step->launch});
  } else if (const auto* end = std::get_if<StopStep>(&message); end && end->key == launch_.key) {
    feed(StepStopOrdered{end->number});
  } else if (const auto* signal = std::get_if<SignalAttempt>(&message);
             signal && signal->key == launch_.key) {
    feed(SignalOrdered{signal->signal, signal->step, signal->to_steps, signal->to_batch,
                       signal->to_children});
  } else if (const auto* known = std::get_if<StatusAck>(&message);
             known && known->key == launch_.key) {
    feed(Acknowledged{known->revision});
  } else if (const auto* renew = std::get_if<RenewLease>(&message)) {
    feed(LeaseRenewed{renew->until});
    if (!peer.is_watching) {
      peer.is_watching = true;
      send_status(number);
    }
  } else {
    lost_peers_.insert(number);
  }
}

// Sends the status to a peer. REQUIRES: the status is on disk, except for the present value of
// ran_ms.
void Supervisor::send_status(std::int64_t number) {
  if (is_dirty_) return;  // the status is not on disk yet: publish() will send it
  StatusReport report;
  report.node = launch_.nodes[static_cast<std::size_t>(launch_.node_index)].grant.node;
  report.status = supervision_.status();
  if (!peers_.at(number).stream.send(report)) lost_peers_.insert(number);
}

bool Supervisor::publish() {
  crash_point("supervisor.before_status");
  // A status with a newly saved step must survive a crash of the machine, because the save is then
  // confirmed to the rank. Any other status need only survive a crash of the programs.
  auto saved = newest_saved(supervision_.status());
  const auto outlives = saved == saved_reported_ ? Outlives::Processes : Outlives::Machine;
  if (Failure failure = journal_.write(supervision_.status(), outlives)) {
    say("cannot write the status why=" + quoted_value(failure->fact));
    return false;
  }
  saved_reported_ = std::move(saved);
  crash_point("supervisor.after_status");
  is_dirty_ = false;
  for (const auto& [number, peer] : peers_) {
    if (peer.is_watching) send_status(number);
  }
  return true;
}

void Supervisor::answer_saves() {
  for (const AnswerSave& action : answers_) {
    const auto peer = peers_.find(action.token);
    if (peer == peers_.end()) continue;
    const CheckpointAnswer answer{action.saved, action.refused, false, action.may_retry};
    if (!peer->second.stream.send(answer)) lost_peers_.insert(action.token);
  }
  answers_.clear();
}

// ---- processes -------------------------------------------------------------------------------

void Supervisor::read_file_works() {
  std::vector<Event> outcomes;
  std::erase_if(works_, [&](FileWork& work) {
    if (!work.read()) return false;
    outcomes.push_back(work.take());
    return true;
  });
  for (Event& outcome : outcomes) {
    if (auto* prepared = std::get_if<Prepared>(&outcome)) {
      prepared->master_port = ports_ ? ports_->first() : 0;
      crash_point("supervisor.before_ready");
    } else if (const auto* seen = std::get_if<OutputChecked>(&outcome)) {
      on_output_checked(*seen);
    }
    feed(outcome);
  }
}

void Supervisor::read_reports() {
  for (RankProcess& process : ranks_) {
    if (!process.is_known) read_report(process);
  }
}

void Supervisor::read_report(RankProcess& process) {
  char buffer[4096];
  ssize_t n = 0;
  while ((n = ::read(process.report.get(), buffer, sizeof buffer)) > 0) {
    process.failure.append(buffer, static_cast<std::size_t>(n));
  }
  if (n < 0) return;  // not yet
  process.is_known = true;
  process.report.reset();
  if (process.failure.empty()) {
    feed(RankStarted{process.rank});
    return;
  }
  const StartFailure failure = parse_start_failure(process.failure);
  feed(RankStartFailed{process.rank, failure.exit_code, failure.note});
}

void Supervisor::reap() {
  int status = 0;
  rusage usage{};
  for (pid_t pid = 0; (pid = ::wait4(-1, &status, WNOHANG, &usage)) > 0;) {
    const auto found = std::find_if(ranks_.begin(), ranks_.end(),
                                    [&](const RankProcess& p) { return p.pid == pid; });
    std::erase(abandoned_, pid);
    if (reap_program(pid, status)) continue;
    // A child that worked on files, or an orphaned process of a rank.
    if (found == ranks_.end()) continue;
    RankProcess process = std::move(*found);
    ranks_.erase(found);
    on_exit(process, status, usage_of(usage));
  }
}

void Supervisor::on_exit(RankProcess& process, int wait_status, const StepUsage& usage) {
  // The child's end of the report pipe is closed, at the latest by the exit, so all of it can be
  // read.
  if (!process.is_known) read_report(process);
  if (!process.is_known || !process.failure.empty()) return;
  RankExited exited;
  exited.rank = process.rank;
  exited.usage = usage;
  if (WIFSIGNALED(wait_status)) {
    exited.exit_signal = WTERMSIG(wait_status);
  } else {
    exited.exit_code = WEXITSTATUS(wait_status);
  }
  const std::int64_t oom_kills = containment_.oom_kills().value_or(oom_kills_);
  exited.out_of_memory = oom_kills > oom_kills_;
  oom_kills_ = oom_kills;
  const std::string socket = folder_ + "/" + supervisor_folder::socket_file;
  exited.cut_off = ::access(socket.c_str(), F_OK) != 0;
  end_rank(exited);
}

std::vector<pid_t> Supervisor::own_children() const {
  std::vector<pid_t> pids = abandoned_;
  for (const FileWork& work : works_) pids.push_back(work.pid());
  if (program_) pids.push_back(program_->pid());
  return pids;
}

void Supervisor::sweep() {
  if (!is_sweeping_) return;
  for (const RankProcess& process : ranks_) ::kill(process.pid, SIGKILL);
  for (const RankEpilog& epilog : epilogs_) ::kill(epilog.pid, SIGKILL);
  const bool empty = containment_.kill_all(own_children());
  if (!empty || !ranks_.empty() || !epilogs_.empty() || is_writing_end()) {
    const Boot now = read_clock().boot;
    if (kills_since_ == Boot{}) kills_since_ = now;
    const Milliseconds limit{launch_.unkillable_ms};
    const bool is_long = limit > Milliseconds{0} && now - kills_since_ >= limit;
    if (is_long) feed(Unkillable{containment_.kill_failure(own_children())});
    retry_at_ = now + (is_long ? sweep_again_unkillable : sweep_again);
    return;
  }
  is_sweeping_ = false;
  // The supervisor removes this folder, and not the worker, since that may take long.
  remove_mpi_folder();
  feed(Emptied{});
}

// Starts a check of the ranks' output files when it is due. Only one check runs at a time. It runs
// in a child, so a hanging disk blocks only that child.
void Supervisor::look_at_output() {
  if (ranks_.empty() || std::ranges::any_of(works_, &FileWork::is_look)) return;
  const Boot now = read_clock().boot;
  if (now >= look_at_) {
    look_at_ = now + output_look_seldom;  // replaced when the check has ended
    std::vector<std::int32_t> ranks;
    for (const RankProcess& process : ranks_) ranks.push_back(process.rank);
    if (auto work = FileWork::look(launch_, ranks)) works_.push_back(std::move(*work));
  }
  retry_at_ = retry_at_ ? std::min(*retry_at_, look_at_) : look_at_;
}

void Supervisor::on_output_checked(const OutputChecked& seen) {
  const Boot now = read_clock().boot;
  look_at_ =
      now + pause_until_look(output_usage_, seen.taken, now - looked_at_, launch_.log_bytes_max);
  looked_at_ = now;
  output_usage_ = seen.taken;
}

void Supervisor::freeze_or_thaw() {
  if (is_thawing_) {
    is_thawing_ = !containment_.thaw_all(own_children());
  } else if (freezing_ && containment_.freeze_all(own_children())) {
    // The CPUs are lent before Frozen is reported: a job that starts in place of this one claims
    // CPUs at once.
    if (stepd_) stepd_->lend_cpus();
    is_frozen_ = true;
    feed(Frozen{*std::exchange(freezing_, std::nullopt)});
  }
  if (!is_thawing_ && !freezing_) return;
  freeze_pause_ = std::clamp(2 * freeze_pause_, freeze_again, freeze_again_max);
  const Boot again = read_clock().boot + freeze_pause_;
  retry_at_ = retry_at_ ? std::min(*retry_at_, again) : again;
}

}  // namespace cox
