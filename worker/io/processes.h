// The Launcher that starts real processes: one supervisor per attempt, each with a folder below the
// spool folder. Supervisors outlive this process; adopt() finds them again. A lock on the folder
// shows whether its supervisor lives; pids are never used for that.
//
//   STARTUP    adopt() once, before anything else.
//   OPERATION  call poll() when fd() is readable, and periodically (it also reaps children). Only
//              the start of a fork server with a prefix blocks, for a few seconds at most.
//   TEARDOWN   destroying it does not affect the supervisors.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/job/site_programs.h"
#include "worker/io/strays.h"
#include "worker/io/verifications.h"
#include "worker/launcher.h"
#include "worker/supervisor/io/containment.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/io/frame_stream.h"

namespace cox {

class Processes : public Launcher {
 public:
  // `site`: the prologs and epilogs that supervisors run. `server_prefix`: the words before the
  // command that starts the fork server, such as those of systemd-run, which put it into a scope.
  // If the server does not start with the prefix, it is started without it.
  // `worker`: the node and the controllers of this worker, by which served() finds attempts that
  // run from another spool folder; empty: it finds none.
  Processes(std::string spool_dir, std::string supervisor_program, SitePrograms site = {},
            std::vector<std::string> server_prefix = {}, std::string worker = "");

  // Creates the spool folder, locks it, ends what attempts have left whose folders are gone, and
  // adopts the supervisors that run there. After it the folder lists all that runs of the node.
  Failure adopt();
  // Returns the identity of the spool folder: random, made with the folder. REQUIRES: adopt().
  const std::string& spool_id() const { return spool_id_; }
  int fd() const { return epoll_.get(); }
  std::string folder_of(AttemptKey key) const;  // folder of the supervisor of this attempt
  // Returns a path to that folder through the spool folder that adopt() opened. It leads there also
  // while the spool folder's name is away, which says nothing about the supervisors.
  std::string reached(AttemptKey key) const;
  std::string opened_spool() const { return "/proc/self/fd/" + std::to_string(spool_.get()); }

  Failure prepare(const LaunchSpec& launch) override;
  void go(AttemptKey key, const GoOrder& order) override;
  void stop(AttemptKey key, const StopOrder& order) override;
  void suspend(AttemptKey key, const Suspension& order) override {
    send(key, Suspend{{}, key, order});
  }
  void renew_lease(AttemptKey key, Boot until) override { send(key, RenewLease{until}); }
  void launch_step(AttemptKey key, const StepLaunch& launch) override {
    send(key, LaunchStep{{}, key, launch});
  }
  void stop_step(AttemptKey key, std::int32_t number) override {
    send(key, StopStep{{}, key, number});
  }
  void signal(const SignalAttempt& order) override { send(order.key, order); }
  void acknowledge(AttemptKey key, std::int64_t revision) override;
  void forget(AttemptKey key) override;
  void remove_checkpoint(const std::string& job_checkpoint_dir, AttemptKey key,
                         std::int64_t step) override;
  void verify_checkpoint(const VerifyCheckpoint& order) override { verifications_.begin(order); }
  // Returns why the spool folder cannot take another attempt; empty: it can.
  void served() override;
  std::string unfit() override;
  Milliseconds programs_time() const override;
  std::vector<LauncherEvent> poll() override;

 private:
  // One attempt and its supervisor. While `stream` is null, there is no connection to the
  // supervisor, and seek() tries to make one.
  struct Supervised {
    std::string folder;
    std::unique_ptr<FrameStream> stream;
    // Set when the supervisor has died: the attempt's processes, which are being killed.
    std::optional<Containment> leftovers;
    // Since when nothing but processes is left of which it is not known whose they are.
    std::optional<Boot> unexplained_since{};
    // The supervisor has died, those processes are gone, and the attempt's epilog runs.
    bool runs_epilog = false;
    AttemptStatus last;
    bool has_news = false;
    bool has_ended = false;  // `last` is final
  };

  void adopt(AttemptKey key);
  Failure spawn(Supervised& supervised);
  Failure start_fork_server();
  Result<pid_t> start_fork_server(const std::vector<std::string>& prefix);
  void watch(Supervised& supervised, Descriptor socket);
  void send(AttemptKey key, const Message& message);
  void read(AttemptKey key, Supervised& supervised);
  void seek(AttemptKey key, Supervised& supervised);
  void on_death(AttemptKey key, Supervised& supervised, bool was_locked);
  std::set<AttemptKey> known_except(AttemptKey key) const;
  void collect(AttemptKey key, Supervised& supervised, std::vector<LauncherEvent>& events);
  bool start_epilog(AttemptKey key, Supervised& supervised);
  static void report_unexplained(Supervised& supervised);
  static LauncherEvent end_lost(AttemptKey key, Supervised& supervised);
  void reap(std::vector<LauncherEvent>& events);
  void reap_epilogs(std::vector<LauncherEvent>& events);
  void set_timer();

  const std::string spool_dir_;
  const std::string supervisor_program_;
  const SitePrograms site_;
  std::vector<std::string> server_prefix_;
  std::string worker_;
  std::string outlived_;  // why served() could not end what runs from other spool folders
  Descriptor epoll_;
  Descriptor timer_;
  Strays strays_;
  Verifications verifications_;
  std::string spool_id_;
  std::map<AttemptKey, Supervised> attempts_;
  Descriptor spool_;                          // the spool folder, locked: no other worker serves it
  Descriptor fork_server_;                    // connection to it; closed: start it first
  std::vector<pid_t> children_;               // pids of fork servers, to be reaped
  std::map<pid_t, CheckpointGone> removals_;  // checkpoints that are being removed, by pid
  std::map<pid_t, AttemptKey> epilogs_;  // attempts of lost supervisors whose epilog runs, by pid
};

}  // namespace cox
