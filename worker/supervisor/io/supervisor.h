// The supervisor's loop: one thread, one poll. It turns messages, exits, time and results of file
// work into events for Supervision, and carries out the actions that Supervision returns.
//
//   STARTUP    the worker has locked the attempt's folder; start() reads its file `launch`, begins
//              to prepare the node and listens.
//   OPERATION  each turn waits, handles all input, writes the status to disk, then sends it.
//   TEARDOWN   run() returns once Gone is on disk. If the supervisor is killed, its ranks die too.
//
// A worker that connects later sends a RenewLease, even one with a time in the past. From then on
// it gets every status.
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
  // Starts a supervisor. `folder`: of the attempt. `lock`: the lock on it. `worker`: the connection
  // to the worker that started it; may be closed.
  static Result<Supervisor> start(const std::string& folder, Descriptor lock, Descriptor worker);
  void run();

 private:
  struct Peer {
    FrameStream stream;
    bool is_watching = false;
  };
  // The task epilog that runs for a rank that has exited.
  struct RankEpilog {
    supervisor::RankExited exited;  // the rank's exit, reported when the epilog has ended
    pid_t pid = 0;                  // pid of the epilog, and number of its process group
    Boot until{};                   // when the epilog is killed
  };

  Supervisor(std::string folder, LaunchSpec launch, Descriptor lock);
  // Makes the job's user the owner of a file that the ranks need.
  Failure give_to_user(const std::string& path) const;
  void say(const std::string& line) const;  // logs the line after job and attempt
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
  void on_output_checked(const supervisor::OutputChecked& seen);
  void end_rank(supervisor::RankExited exited);  // runs the task epilog, then reports the exit
  bool reap_program(pid_t pid, int wait_status);
  void read_program();
  void watch_programs();
  void look_again_by(Boot at);
  void read_stepd();
  void send_to_stepd(const Message& message);
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
  // If the job asks for a container, changes the command so that it runs in one. Fails if this node
  // runs no containers.
  Failure put_into_container(RankCommand& command) const;
  bool waits_for_ranks();
  bool publish();  // false: the status could not be written; try again
  void answer_saves();
  void send_status(std::int64_t peer);
  std::vector<pid_t> own_children() const;
  void write_end(const RankProcess& process, StopWhy why);
  bool is_writing_end() const;

  std::string folder_;
  Descriptor lock_;
  LaunchSpec launch_;
  Supervision supervision_;
  StatusJournal journal_;
  Containment containment_;
  std::optional<ReservedPorts> ports_;
  Descriptor listener_;
  Descriptor timer_;
  Descriptor signals_;
  std::map<std::int64_t, Peer> peers_;
  std::set<std::int64_t> lost_peers_;
  std::int64_t next_peer_ = 1;
  std::vector<RankProcess> ranks_;  // not yet reaped
  std::vector<RankEpilog> epilogs_;
  std::optional<NodeProgramRun> program_;  // the running prolog or epilog of the node
  NodeProgram program_kind_ = NodeProgram::None;
  std::vector<FileWork> works_;
  // Pids of children that still have to be reaped: file work and site programs that were given up,
  // and `end_writer_`.
  std::vector<pid_t> abandoned_;
  // Answers about saved steps, sent when the status is on disk.
  std::vector<supervisor::AnswerSave> answers_;
  std::optional<StepDaemon> stepd_;
  bool is_stepd_lost_ = false;
  GoOrder go_order_;
  std::int64_t oom_kills_ = 0;
  // When to try again: to kill or suspend all processes, or to write the status.
  std::optional<Boot> retry_at_;
  Boot started_at_{};        // when the ranks were started
  pid_t end_writer_ = 0;     // pid of the child that writes the line of cancelled_line.h
  Boot end_writer_until_{};  // how long the attempt's end waits for end_writer_
  bool is_sweeping_ = false;
  Boot kills_since_{};  // when SIGKILL first left a process; Boot{}: it has not
  // Number of the order to suspend that is being carried out.
  std::optional<std::int64_t> freezing_;
  bool is_thawing_ = false;
  bool is_frozen_ = false;        // all processes are suspended, and their CPUs are lent
  Milliseconds freeze_pause_{0};  // pause before the next try to suspend or resume
  Boot look_at_{};                // when to check the ranks' output files next
  Boot looked_at_{};
  OutputUsage output_usage_;  // at looked_at_
  // Newest training step that each rank has saved, as in the status on disk.
  std::vector<std::int64_t> saved_reported_;
  bool is_dirty_ = false;
  bool is_finishing_ = false;
};

}  // namespace cox
