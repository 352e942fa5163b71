// The real launcher: one supervisor process per attempt, each with a folder below the spool folder.
// Supervisors outlive this process; adopt() finds them again. Whether one lives is told by the lock
// on its folder, never by a pid.
//
//   STARTUP    adopt() once, before anything else.
//   OPERATION  poll fd() for POLLIN together with everything else; call poll() when it is readable,
//              and now and then anyway (it also reaps). Nothing here waits, except for a server of
//              supervisors that starts with a prefix.
//   TEARDOWN   destroying it leaves the supervisors alone.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/job/site_programs.h"
#include "worker/launcher.h"
#include "worker/supervisor/io/containment.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/io/frame_stream.h"

namespace cox {

class Processes : public Launcher {
 public:
  // `site`: what supervisors run around jobs and tasks. `server_prefix`: words that start the
  // server of supervisors somewhere else, as in a scope. If it does not come up by them, it starts
  // without them.
  Processes(std::string spool_dir, std::string supervisor_program, SitePrograms site = {},
            std::vector<std::string> server_prefix = {});

  // Makes the spool folder and takes over the supervisors that are there.
  Failure adopt();
  int fd() const { return epoll_.get(); }
  std::string folder_of(AttemptKey key) const;  // of its supervisor

  Failure prepare(const LaunchSpec& launch) override;
  void go(AttemptKey key, const GoOrder& order) override;
  void stop(AttemptKey key, const StopOrder& order) override;
  void suspend(AttemptKey key, const Suspension& order) override;
  void renew_lease(AttemptKey key, Boot until) override;
  void launch_step(AttemptKey key, const StepLaunch& launch) override;
  void stop_step(AttemptKey key, std::int32_t number) override;
  void signal(const SignalAttempt& order) override;
  void acknowledge(AttemptKey key, std::int64_t revision) override;
  void forget(AttemptKey key) override;
  void remove_checkpoint(const std::string& job_checkpoint_dir, AttemptKey key,
                         std::int64_t step) override;
  std::string unfit() override;  // the spool folder is full
  Milliseconds programs_time() const override;
  std::vector<LauncherEvent> poll() override;

 private:
  // Connected while `stream` is there, sought while it is not.
  struct Supervised {
    std::string folder;
    std::unique_ptr<FrameStream> stream;
    std::optional<Containment> leftovers;  // it has died; these are being removed
    bool runs_epilog = false;              // it has died, and these have gone
    AttemptStatus last;
    bool has_news = false;
    bool has_ended = false;  // said all there will ever be
  };

  Failure spawn(Supervised& supervised);
  Failure start_fork_server();
  Result<pid_t> start_fork_server(const std::vector<std::string>& prefix);
  void watch(Supervised& supervised, Descriptor socket);
  void send(AttemptKey key, const Message& message);
  void read(AttemptKey key, Supervised& supervised);
  void seek(AttemptKey key, Supervised& supervised);
  void on_death(AttemptKey key, Supervised& supervised);
  void collect(AttemptKey key, Supervised& supervised, std::vector<LauncherEvent>& events);
  bool start_epilog(AttemptKey key, Supervised& supervised);
  static LauncherEvent end_lost(AttemptKey key, Supervised& supervised);
  void reap(std::vector<LauncherEvent>& events);
  void reap_epilogs(std::vector<LauncherEvent>& events);
  void set_timer();

  const std::string spool_dir_;
  const std::string supervisor_program_;
  const SitePrograms site_;
  std::vector<std::string> server_prefix_;
  Descriptor epoll_;
  Descriptor timer_;
  std::map<AttemptKey, Supervised> attempts_;
  Descriptor spool_;                          // held: nobody else serves it
  Descriptor fork_server_;                    // closed: to be started
  std::vector<pid_t> children_;               // to be reaped: fork servers
  std::map<pid_t, CheckpointGone> removals_;  // that run
  std::map<pid_t, AttemptKey> epilogs_;       // of attempts whose supervisors were lost
};

}  // namespace cox
