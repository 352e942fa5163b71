// The supervisor's loop: one thread, one poll. It turns what happens (messages, exits, time, files)
// into events for Supervision and carries out the actions that come back.
//
//   STARTUP    the worker has locked the folder; start() reads `launch`, prepares and listens.
//   OPERATION  a turn: wait, take in all there is, then write the status down, then tell it.
//   TEARDOWN   run() returns once Gone is written down. Being killed takes the ranks along.
//
// A peer that renews the lease (be it with a time long past) is told every status from then on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/job/attempt.h"
#include "worker/supervisor/io/containment.h"
#include "worker/supervisor/io/file_work.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/io/files/status_journal.h"
#include "worker/supervisor/io/frame_stream.h"
#include "worker/supervisor/io/node_program_run.h"
#include "worker/supervisor/io/port.h"
#include "worker/supervisor/io/rank_process.h"
#include "worker/supervisor/io/step_daemon.h"
#include "worker/supervisor/supervision.h"

namespace cox {

class Supervisor {
 public:
  // `lock`: of the folder. `worker`: the connection the starting worker left open; may be closed.
  static Result<Supervisor> start(const std::string& folder, Descriptor lock, Descriptor worker);
  void run();

 private:
  struct Peer {
    FrameStream stream;
    bool is_watching = false;
  };
  // A rank has exited, and the site's task epilog runs for it.
  struct RankEpilog {
    supervisor::RankExited exited;  // reported when the epilog has ended
    pid_t pid = 0;                  // also its process group
    Boot until{};                   // then it is killed
  };

  Supervisor(std::string folder, LaunchSpec launch, Descriptor lock);
  // A file of ours that the ranks need; they may be of another user.
  Failure give_to_user(const std::string& path) const;
  void say(const std::string& line) const;  // into its log, with whose it is
  Failure open(Descriptor worker);

  void turn();
  void wait();
  void set_timer();
  void accept_peers();
  void read_peers();
  void receive(std::int64_t peer, const Message& message);
  void read_file_works();
  void read_reports();
  void reap();
  void on_exit(RankProcess& process, int wait_status, const StepUsage& usage);
  void read_report(RankProcess& process);
  void sweep();
  void freeze_or_thaw();
  void look_at_output();
  void on_seen(const supervisor::OutputSeen& seen);
  void end_rank(supervisor::RankExited exited);  // after its task epilog
  bool reap_program(pid_t pid, int wait_status);
  void read_program();
  void watch_programs();
  void look_again_by(Boot at);
  void read_stepd();
  void tell_stepd(const Message& message);
  Failure make_mpi_folder() const;
  void remove_mpi_folder() const;

  void feed(const supervisor::Event& event);
  void execute(const supervisor::RunNodeProgram& action);
  void execute(const supervisor::PrepareNode& action);
  void execute(const supervisor::StartRanks& action);
  void execute(const supervisor::WriteReason& action);
  void execute(const supervisor::SignalRanks& action);
  void execute(const supervisor::BeginStep& action);
  void execute(const supervisor::EndStep& action);
  void execute(const supervisor::SignalSteps& action);
  void execute(const supervisor::FreezeEverything& action);
  void execute(const supervisor::ThawEverything& action);
  void execute(const supervisor::KillEverything& action);
  void execute(const supervisor::Seal& action);
  void execute(const supervisor::AbandonFileWork& action);
  void execute(const supervisor::AnswerSave& action);
  void execute(const supervisor::Publish& action);
  void execute(const supervisor::Finish& action);

  RankCommand command_of(std::int32_t rank, const GoOrder& order) const;
  // Refused if the job asks for a container and this node runs no containers.
  Failure put_into_container(RankCommand& command) const;
  bool waits_for_ranks();
  bool publish();  // false: the disk refused; to be tried again
  void answer_saves();
  void tell(std::int64_t peer);
  std::vector<pid_t> own_children() const;
  void tell_end(const RankProcess& process, StopWhy why);
  bool is_telling() const;

  std::string folder_;
  Descriptor lock_;
  LaunchSpec launch_;
  Supervision supervision_;
  StatusJournal journal_;
  Containment containment_;
  std::optional<ReservedPort> port_;
  Descriptor listener_;
  Descriptor timer_;
  Descriptor signals_;
  std::map<std::int64_t, Peer> peers_;
  std::set<std::int64_t> lost_peers_;
  std::int64_t next_peer_ = 1;
  std::vector<RankProcess> ranks_;  // not yet reaped
  std::vector<RankEpilog> epilogs_;
  std::optional<NodeProgramRun> program_;  // the prolog or the epilog of the node
  NodeProgram program_kind_ = NodeProgram::None;
  std::vector<FileWork> works_;
  // Works and programs given up and the teller, not yet reaped.
  std::vector<pid_t> abandoned_;
  std::vector<supervisor::AnswerSave> answers_;  // until the status is written down
  std::optional<StepDaemon> stepd_;
  bool is_stepd_lost_ = false;
  GoOrder go_order_;
  std::int64_t oom_kills_ = 0;
  std::optional<Boot> retry_at_;  // of a sweep, a freeze or of a status that could not be written
  Boot started_at_{};             // the ranks
  pid_t teller_ = 0;              // of an end, while it is in abandoned_
  Boot tells_until_{};            // so long it is waited for
  bool is_sweeping_ = false;
  Boot kills_since_{};                    // Boot{}: not yet, or what there was has gone at once
  std::optional<std::int64_t> freezing_;  // for which order
  bool is_thawing_ = false;
  bool stands_ = false;           // since it was frozen: its CPUs are lent
  Milliseconds freeze_pause_{0};  // until the next try of either
  Boot look_at_{};                // when to look at the ranks' output next
  Boot looked_at_{};
  OutputTaken output_taken_;  // at that look
  // Newest saved steps in the status on disk.
  std::vector<std::int64_t> saved_told_;
  bool is_dirty_ = false;
  bool is_finishing_ = false;
};

}  // namespace cox
