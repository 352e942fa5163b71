#include "worker/io/processes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "common/base/limits.h"
#include "common/base/log_line.h"
#include "common/io/clock.h"
#include "common/io/log.h"
#include "common/job/supervisor_folder.h"
#include "common/messages/codec.h"
#include "worker/io/spawn.h"
#include "worker/io/spool_id.h"
#include "worker/supervisor/io/files/files.h"
#include "worker/supervisor/io/files/folder_lock.h"
#include "worker/supervisor/io/files/status_journal.h"
#include "worker/supervisor/io/fork_server.h"

namespace cox {

namespace {

namespace fs = std::filesystem;

constexpr fsfilcnt_t spool_files_min = 64;
constexpr long seek_again_ms = 10;
// The environment of a process that starts or ends is empty for a moment.
constexpr Milliseconds unexplained_patience{2'000};
// How long a fork server with a prefix may take to start.
constexpr Milliseconds server_patience{5'000};
// A larger log of supervisors is emptied when a fork server starts.
constexpr std::uintmax_t log_bytes_max = 16u << 20;

// Lets other users enter the folder: their ranks open the supervisor's socket in it by name. They
// cannot list it, and every file in it has a mode of its own.
Failure let_users_traverse(const std::string& folder) {
  if (::chmod(folder.c_str(), 0711) != 0) return io_refusal(folder, "open", errno);
  return std::nullopt;
}

// Returns one text, whether the fork server dies before or after it gets the order: the controller
// holds a job that fails on all nodes only if all give the same reason.
Refusal cannot_start() {
  return {std::string("its supervisor could not start; see ") + supervisor_folder::log_file +
              " in the spool folder",
          ""};
}

}  // namespace

Processes::Processes(std::string spool_dir, std::string supervisor_program, SitePrograms site,
                     std::vector<std::string> server_prefix, std::string worker)
    : spool_dir_(std::filesystem::absolute(spool_dir).lexically_normal().string()),
      supervisor_program_(std::move(supervisor_program)),
      site_(std::move(site)),
      server_prefix_(std::move(server_prefix)),
      worker_(std::move(worker)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      strays_(spool_dir_),
      verifications_(supervisor_program_) {
  CHECK(epoll_.is_open() && timer_.is_open());
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = timer_.get();
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer_.get(), &event) == 0);
}

Failure Processes::adopt() {
  if (Failure failure = make_folders(spool_dir_, 0700)) return failure;
  spool_.reset(::open(spool_dir_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!spool_.is_open()) return io_refusal(spool_dir_, "open", errno);
  if (::flock(spool_.get(), LOCK_EX | LOCK_NB) != 0)
    return Refusal{"another worker serves " + spool_dir_,
                   "stop it first: two workers would start the same jobs twice"};
  const auto former_path = check_spool_place(spool_dir_);
  if (!former_path) return former_path.refusal();
  if (!former_path->empty()) strays_.look_also_at(*former_path);
  if (Failure failure = let_users_traverse(spool_dir_)) return failure;
  const auto keys = attempts_with_folders(spool_dir_);
  if (!keys) return keys.refusal();
  std::set<AttemptKey> locked;
  for (const AttemptKey& key : *keys)
    if (has_lock_file(folder_of(key))) locked.insert(key);
  if (Failure failure = strays_.end_all(locked)) return failure;
  auto id = settle_spool_id(spool_dir_);
  if (!id) return id.refusal();
  spool_id_ = *std::move(id);
  for (const AttemptKey& key : *keys) adopt(key);
  // Only now: what seek() ends depends on all attempts.
  for (auto& [key, supervised] : attempts_) seek(key, supervised);
  set_timer();
  return std::nullopt;
}

void Processes::adopt(AttemptKey key) {
  const std::string folder = folder_of(key);
  const auto status = StatusJournal::read(folder);
  if (!StatusJournal::is_begun(folder) && lock_folder(folder)) {
    // No supervisor runs and there is no status: the supervisor never wrote one, or a crash of
    // the machine lost it. So no process of the user runs here.
    if (Failure failure = remove_tree(folder)) log_warning(about(key) + failure->fact);
    return;
  }
  Supervised& supervised = attempts_[key];
  supervised.folder = folder;
  if (status && status->key == key) supervised.last = *status;
  supervised.last.key = key;
  // The first poll() reports the attempt even if its supervisor has not replied yet: the controller
  // treats an attempt that the first hello omits as gone.
  supervised.has_news = true;
}

std::set<AttemptKey> Processes::known_except(AttemptKey key) const {
  std::set<AttemptKey> known;
  for (const auto& [other, supervised] : attempts_)
    if (other != key) known.insert(other);
  return known;
}

std::string Processes::folder_of(AttemptKey key) const {
  return attempt_folder(spool_dir_, key);
}

std::string Processes::reached(AttemptKey key) const {
  return opened_spool() + folder_of(key).substr(spool_dir_.size());
}

// ---- the worker's orders ---------------------------------------------------------------------

void Processes::served() {
  if (worker_.empty()) return;
  std::set<AttemptKey> known;
  for (const auto& [key, supervised] : attempts_) known.insert(key);
  if (const Failure failure = end_others(worker_, spool_dir_, known)) outlived_ = failure->fact;
}

// Returns the reason if the file system of the spool folder is nearly full: a launch that has no
// room for its files must fail at once, not while it writes them. An attempt in a folder that has
// replaced the opened one would not be found there.
std::string Processes::unfit() {
  if (!outlived_.empty()) return outlived_;
  struct statvfs room {};
  if (::statvfs(spool_dir_.c_str(), &room) != 0)
    return "its spool folder " + spool_dir_ + " cannot be examined: " + std::strerror(errno);
  std::error_code error;
  if (!fs::equivalent(spool_dir_, opened_spool(), error))
    return "its spool folder " + spool_dir_ + " was replaced while the worker ran";
  const auto free_bytes = static_cast<std::uintmax_t>(room.f_bavail) * room.f_frsize;
  const bool has_files = room.f_files == 0 || room.f_favail >= spool_files_min;  // 0: unlimited
  if (free_bytes >= limits::spool_bytes_min && has_files) return "";
  // The text has no numbers that change constantly, such as free bytes, because each change of the
  // text is sent to the controller.
  const std::string full = "the spool folder " + spool_dir_ + " is full: ";
  if (!has_files) return full + "no more files fit";
  return full + "less than " + std::to_string(limits::spool_bytes_min >> 20) + " MiB are free";
}

// A failed launch is reported after its epilog has ended, so the time limits of prolog and epilog
// are added.
Milliseconds Processes::programs_time() const {
  const int programs = (site_.prolog.empty() ? 0 : 1) + (site_.epilog.empty() ? 0 : 1);
  return programs * Milliseconds{site_.timeout_ms};
}

Failure Processes::prepare(const LaunchSpec& launch) {
  if (attempts_.contains(launch.key)) return std::nullopt;
  if (const std::string full = unfit(); !full.empty())
    return Refusal{full, "free space there; then the node takes jobs again by itself"};
  Supervised supervised;
  supervised.folder = folder_of(launch.key);
  supervised.last.key = launch.key;
  if (::mkdir(supervised.folder.c_str(), 0700) != 0)
    return io_refusal(supervised.folder, "make folder", errno);
  if (Failure failure = let_users_traverse(supervised.folder)) return failure;
  LaunchSpec written = launch;
  written.site = site_;  // this worker's prolog and epilog, never the controller's: root runs them
  // No supervisor starts before this file is complete. adopt() removes a folder whose supervisor
  // never started.
  Failure failure = write_file(supervised.folder + "/" + supervisor_folder::launch_file,
                               encode_launch(written), 0600, Outlives::Processes);
  if (!failure) failure = spawn(supervised);
  if (failure) {
    remove_tree(supervised.folder);
    return failure;
  }
  attempts_.emplace(launch.key, std::move(supervised));
  return std::nullopt;
}

Failure Processes::spawn(Supervised& supervised) {
  auto lock = lock_folder(supervised.folder);
  if (!lock) return lock.refusal();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return io_refusal(supervised.folder, "make a socket", errno);
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  const auto sent = [&] {
    return fork_server_.is_open() &&
           send_beginning(fork_server_.get(), supervised.folder, lock->get(), theirs.get());
  };
  if (!sent()) {
    if (Failure failure = start_fork_server()) return failure;
    if (!sent()) {
      log_warning(io_refusal(supervisor_program_, "start a supervisor", errno).fact);
      return cannot_start();
    }
  }
  watch(supervised, std::move(ours));
  return std::nullopt;
}

Failure Processes::start_fork_server() {
  if (!server_prefix_.empty()) {
    const auto pid = start_fork_server(server_prefix_);
    if (pid && is_server_ready(fork_server_.get(), server_patience)) return std::nullopt;
    if (pid) ::kill(*pid, SIGKILL);
    log_warning("cannot start the fork server with " + server_prefix_.front() +
                "; starting it without; systemd may warn about left-over processes");
    server_prefix_.clear();
  }
  const auto pid = start_fork_server({});
  return pid ? std::nullopt : Failure(pid.refusal());
}

Result<pid_t> Processes::start_fork_server(const std::vector<std::string>& prefix) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return io_refusal(supervisor_program_, "create a socket", errno);
  fork_server_.reset(ends[0]);
  const Descriptor theirs(ends[1]);
  SpawnRequest request;
  request.words = prefix;
  request.words.insert(request.words.end(), {supervisor_program_, "--serve", "3"});
  request.log_path = spool_dir_ + "/" + supervisor_folder::log_file;
  std::error_code none_yet;
  if (std::filesystem::file_size(request.log_path, none_yet) > log_bytes_max && !none_yet)
    std::filesystem::resize_file(request.log_path, 0, none_yet);
  request.descriptors = {theirs.get()};
  request.variables = {std::string(supervisor_folder::variable_spool) + "=" + spool_dir_,
                       std::string(supervisor_folder::variable_worker) + "=" + worker_};
  const auto pid = spawn_process(request);
  if (pid) children_.push_back(*pid);
  return pid;
}

void Processes::watch(Supervised& supervised, Descriptor socket) {
  supervised.stream = std::make_unique<FrameStream>(std::move(socket), limits::frame_bytes_max);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.fd = supervised.stream->fd();
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, event.data.fd, &event) == 0);
}

void Processes::send(AttemptKey key, const Message& message) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end() || !found->second.stream) return;
  if (!found->second.stream->send(message)) found->second.stream.reset();
  set_timer();
}

void Processes::go(AttemptKey key, const GoOrder& order) {
  Go go;
  go.key = key;
  go.order = order;
  send(key, go);
}

void Processes::stop(AttemptKey key, const StopOrder& order) {
  const auto lost = attempts_.find(key);
  if (lost != attempts_.end() && lost->second.leftovers && lost->second.last.stop != order.why) {
    // No supervisor is left to carry the order out; the report lets the controller decide anew what
    // becomes of the job.
    lost->second.last.stop = order.why;
    lost->second.last.revision += 1;
    lost->second.has_news = true;
  }
  Stop stop;
  stop.key = key;
  stop.order = order;
  send(key, stop);
}

void Processes::acknowledge(AttemptKey key, std::int64_t revision) {
  send(key, StatusAck{key, revision});
}

void Processes::forget(AttemptKey key) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end()) return;
  Containment::remove_cgroup(reached(key));
  if (Failure failure = remove_tree(reached(key))) log_warning(about(key) + failure->fact);
  attempts_.erase(found);
}

void Processes::remove_checkpoint(const std::string& job_checkpoint_dir, AttemptKey key,
                                  std::int64_t step) {
  const auto is_same = [&](const auto& removal) {
    return removal.second.key == key && removal.second.step == step;
  };
  if (std::ranges::any_of(removals_, is_same)) return;  // already running
  SpawnRequest request;
  request.words = {supervisor_program_, "--remove-checkpoint", job_checkpoint_dir,
                   std::to_string(key.attempt.value), std::to_string(step)};
  const auto pid = spawn_process(request);
  if (pid) {
    removals_[*pid] = {key, step};
  } else {
    log_warning(about(key) + "step=" + std::to_string(step) +
                " folder=" + quoted_value(job_checkpoint_dir) +
                " its checkpoint cannot be removed why=" + quoted_value(pid.refusal().fact));
  }
}

// ---- events of supervisors -------------------------------------------------------------------

std::vector<LauncherEvent> Processes::poll() {
  std::uint64_t ticks = 0;
  while (::read(timer_.get(), &ticks, sizeof ticks) > 0) continue;
  std::vector<LauncherEvent> events;
  for (auto& [key, supervised] : attempts_) {
    if (supervised.stream) read(key, supervised);
    if (!supervised.stream && !supervised.has_ended) seek(key, supervised);
    collect(key, supervised, events);
  }
  reap(events);
  set_timer();
  return events;
}

void Processes::read(AttemptKey key, Supervised& supervised) {
  std::vector<Message> messages;
  const bool lives = supervised.stream->read(messages) && supervised.stream->flush();
  for (Message& message : messages) {
    auto* report = std::get_if<StatusReport>(&message);
    const bool is_news =
        report && report->status.key == key && report->status.revision >= supervised.last.revision;
    if (!is_news) continue;
    supervised.last = std::move(report->status);
    supervised.has_news = true;
  }
  if (!lives) supervised.stream.reset();
}

// Connects to the supervisor again if it lives, or handles its death. Does nothing if the
// supervisor lives and does not listen yet.
void Processes::seek(AttemptKey key, Supervised& supervised) {
  if (supervised.leftovers || supervised.runs_epilog) return;
  const std::string folder = reached(key);
  if (!has_lock_file(folder)) {
    // The lock was removed, so it does not show whether the supervisor lives. It is ended.
    if (strays_.end(known_except(key))) on_death(key, supervised, false);
    return;
  }
  if (lock_folder(folder)) {
    on_death(key, supervised, true);
    return;
  }
  auto socket = connect_in(folder, supervisor_folder::socket_file);
  if (!socket) return;
  watch(supervised, std::move(*socket));
  // A RenewLease with a time in the past prolongs no lease. A supervisor sends every status to a
  // peer from which it has received a RenewLease.
  if (!supervised.stream->send(RenewLease{})) supervised.stream.reset();
}

// `was_locked`: the folder was complete, so a missing status means that there never was one.
void Processes::on_death(AttemptKey key, Supervised& supervised, bool was_locked) {
  const std::string folder = reached(key);
  const auto status = StatusJournal::read(folder);
  if (status && status->key == key) supervised.last = *status;
  if (ended_without_fault(folder)) supervised.last.node_at_fault = false;
  // No status was written, so no rank was started: a supervisor writes the first status before.
  if (was_locked && !StatusJournal::is_begun(folder)) {
    supervised.last.revision += 1;
    supervised.last.phase = NodePhase::Gone;
    supervised.last.refused = cannot_start().fact;
  }
  if (supervised.last.phase == NodePhase::Gone) {
    supervised.has_ended = true;
    supervised.has_news = true;
    return;
  }
  log_warning(about(key) + "its supervisor is lost");
  supervised.leftovers = Containment::find(supervised.folder, folder);
}

void Processes::collect(AttemptKey key, Supervised& supervised,
                        std::vector<LauncherEvent>& events) {
  if (supervised.leftovers && supervised.leftovers->kill_all({})) {
    supervised.leftovers->remove();
    supervised.leftovers.reset();
    if (!start_epilog(key, supervised)) events.push_back(end_lost(key, supervised));
  } else if (supervised.leftovers) {
    report_unexplained(supervised);
  }
  if (!std::exchange(supervised.has_news, false)) return;
  events.push_back(SupervisorReported{supervised.last});
}

// Reports that the attempt may run on. Its job must not start again until a person has looked: what
// is left is perhaps another program of the same user, so it is not killed.
void Processes::report_unexplained(Supervised& supervised) {
  const auto& pids = supervised.leftovers->unexplained();
  const Boot now = read_clock().boot;
  if (pids.empty()) supervised.unexplained_since.reset();
  if (pids.empty() || supervised.last.kill_failure != KillFailure::None) return;
  if (!supervised.unexplained_since) supervised.unexplained_since = now;
  if (now - *supervised.unexplained_since < unexplained_patience) return;
  supervised.last.kill_failure = KillFailure::Runs;
  supervised.last.supervisor_lost = true;
  supervised.last.note = unexplained_text(pids);
  supervised.last.revision += 1;
  supervised.has_news = true;
}

LauncherEvent Processes::end_lost(AttemptKey key, Supervised& supervised) {
  supervised.runs_epilog = false;
  supervised.has_ended = true;
  supervised.has_news = false;
  return SupervisorLost{key, supervised.last};
}

// Starts the epilog of an attempt whose supervisor is lost. Returns false if the site has no epilog
// or it cannot be started.
bool Processes::start_epilog(AttemptKey key, Supervised& supervised) {
  if (site_.epilog.empty()) return false;
  SpawnRequest request;
  request.words = {supervisor_program_, "--run-epilog", supervised.folder};
  request.log_path = spool_dir_ + "/" + supervisor_folder::log_file;
  const auto pid = spawn_process(request);
  if (!pid) {
    supervised.last.site_error = "Epilog error: " + pid.refusal().fact;
    return false;
  }
  epilogs_[*pid] = key;
  supervised.runs_epilog = true;
  return true;
}

void Processes::reap_epilogs(std::vector<LauncherEvent>& events) {
  std::erase_if(epilogs_, [&](const auto& epilog) {
    int status = 0;
    const pid_t ended = ::waitpid(epilog.first, &status, WNOHANG);
    if (ended == 0) return false;
    const auto found = attempts_.find(epilog.second);
    if (found == attempts_.end()) return true;
    if (ended != epilog.first || status != 0)
      found->second.last.site_error =
          std::string("Epilog error: see ") + supervisor_folder::log_file + " in the spool folder";
    events.push_back(end_lost(epilog.second, found->second));
    return true;
  });
}

void Processes::reap(std::vector<LauncherEvent>& events) {
  reap_epilogs(events);
  verifications_.reap(events);
  std::erase_if(children_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
  std::erase_if(removals_, [&](const auto& removal) {
    int status = 0;
    const pid_t ended = ::waitpid(removal.first, &status, WNOHANG);
    if (ended == 0) return false;
    const bool is_gone = ended == removal.first && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (is_gone && removal.second.step >= 0) events.push_back(removal.second);
    return true;
  });
}

void Processes::set_timer() {
  bool wanted = false;
  for (const auto& [key, supervised] : attempts_) {
    // The periodic poll() is enough for one that waits for a person.
    const bool sought = !supervised.stream && !supervised.has_ended && !supervised.runs_epilog &&
                        supervised.last.kill_failure == KillFailure::None;
    const bool unsent = supervised.stream && supervised.stream->wants_write();
    wanted = wanted || sought || unsent || supervised.has_news;
  }
  wanted = wanted || !removals_.empty() || !epilogs_.empty();
  itimerspec in{};
  if (wanted) in.it_value.tv_nsec = seek_again_ms * 1'000'000;
  CHECK(::timerfd_settime(timer_.get(), 0, &in, nullptr) == 0);
}

}  // namespace cox
