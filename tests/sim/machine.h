// One node's machine: its disk (supervisors' folders, the worker's term), its ranks, and its
// supervisors, each a real Supervision in virtual time. It outlives its worker, for which it is the
// Launcher and the TermStore. Its disk outlives a reboot.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/cluster/node.h"
#include "tests/sim/clock.h"
#include "tests/sim/program.h"
#include "worker/launcher.h"
#include "worker/supervisor/supervision.h"
#include "worker/term_store.h"

namespace cox::sim {

// What all machines share: the programs of all attempts, as gangs of ranks.
class Shared {
 public:
  Shared(Scene& scene, Judge& judge) : scene_(scene), judge_(judge) {}
  void behave(const std::string& work_dir, Behaviour behaviour) {
    behaviours_[work_dir] = behaviour;
  }
  Gang& gang(const LaunchSpec& launch, Storage& storage);

 private:
  Scene& scene_;
  Judge& judge_;
  // How a job's programs behave, by its work_dir, which no other job has.
  std::map<std::string, Behaviour> behaviours_;
  std::map<std::pair<std::string, AttemptKey>, std::unique_ptr<Gang>> gangs_;  // by identity
};

class Machine final : public Launcher, public TermStore, public RankHost {
 public:
  // wake: called when the worker has something to poll.
  Machine(Scene& scene, Judge& judge, Storage& storage, Shared& shared, Node node,
          std::function<void()> wake);

  const Node& node() const { return node_; }
  Now now() const { return clock_.now(); }
  // Returns whether nothing runs, and the controller knows the end of all that the worker knows.
  bool is_empty() const;
  std::string text() const;

  // Faults.
  void set_wall_off_by(Milliseconds off) { clock_.set_wall_off_by(off); }
  void reboot();
  void change_spool();
  void kill_supervisor();
  // Sets the term of the leader whose message the worker handles from now on, for the judge.
  // Nothing: the worker acts by itself.
  void commanded_by(std::optional<Term> term) { commanded_by_ = term; }
  // A doomed worker dies at its next effect or is dead: no further effect of its turn happens.
  bool worker_is_doomed() const { return doomed_; }
  void worker_dies() { doomed_ = true; }
  void worker_starts();

  // Launcher.
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
  void verify_checkpoint(const VerifyCheckpoint& order) override;
  std::string unfit() override { return ""; }
  std::vector<LauncherEvent> poll() override;

  // TermStore.
  Term load() override { return term_; }
  Failure keep(Term term) override;
  JobId newest_job() override;
  void note_newest_job(JobId job) override;

  // RankHost.
  void rank_exits(AttemptKey key, std::int32_t rank, std::int32_t code,
                  std::int32_t signal) override;
  void rank_asks_to_save(AttemptKey key, std::int32_t rank, std::int64_t step) override;

 private:
  struct Folder {
    LaunchSpec launch;
    // Number of the supervisor's process; callbacks for another number are dropped.
    std::int64_t life = 0;
    std::unique_ptr<Supervision> supervision;  // null: the supervisor's process is gone
    std::optional<AttemptStatus> disk;         // as last published
    // It is in a spool folder that the worker does not have any more.
    bool is_stray = false;
    bool lost = false;               // the supervisor died before it had finished
    std::set<std::int32_t> running;  // ranks
    // Number of the order to suspend that is being carried out.
    std::optional<std::int64_t> freezing;
    bool frozen = false;
    std::set<std::int32_t> steps;  // running steps
    std::set<std::int32_t> steps_begun;
    std::int64_t exits_on_the_way = 0;
    // How often file work was abandoned: the result of work begun before is dropped.
    std::int64_t file_work = 0;
    // When the newest message to the supervisor arrives; later ones arrive no earlier.
    Milliseconds inbox{0};
    // Events that the supervisor's current actions caused, fed after them.
    std::vector<supervisor::Event> follow_up;

    AttemptStatus status() const {
      AttemptStatus unpublished;
      unpublished.key = launch.key;
      return disk.value_or(unpublished);
    }
  };

  bool effect();  // an effect of the worker begins; false: the worker died before it
  void take_anothers_step(LaunchSpec& launch) const;
  void start_supervisor(Folder& folder);
  void feed(AttemptKey key, const supervisor::Event& event);
  // Feeds the event after the delay, unless the supervisor is gone by then.
  void feed_later(Folder& folder, Milliseconds delay, supervisor::Event event);
  // Sends an event from the worker to the supervisor.
  void send_to_supervisor(AttemptKey key, supervisor::Event event);
  void wake_at(Folder& folder);
  void supervisor_dies(Folder& folder);
  void end_ranks(Folder& folder);  // SIGKILL from outside
  // Returns the event by which the worker learns that a supervisor died before it had finished.
  LauncherEvent loss_of(const Folder& folder) const;

  void act(Folder& folder, const supervisor::Action& action);
  void act_one(Folder& folder, const supervisor::RunNodeProgram& action);
  void act_one(Folder& folder, const supervisor::PrepareNode& action);
  void act_one(Folder& folder, const supervisor::StartRanks& action);
  void act_one(Folder& folder, const supervisor::WriteReason&) { (void)folder; }
  void act_one(Folder& folder, const supervisor::SignalRanks& action);
  void act_one(Folder& folder, const supervisor::BeginStep& action);
  void act_one(Folder& folder, const supervisor::EndStep& action);
  void act_one(Folder& folder, const supervisor::SignalSteps& action);
  void end_step(Folder& folder, std::int32_t number, Milliseconds after, std::int32_t signal);
  void act_one(Folder& folder, const supervisor::FreezeEverything& action);
  void act_one(Folder& folder, const supervisor::ThawEverything& action);
  void act_one(Folder& folder, const supervisor::KillEverything& action);
  void act_one(Folder& folder, const supervisor::Seal& action);
  void act_one(Folder& folder, const supervisor::AbandonFileWork&) { ++folder.file_work; }
  void act_one(Folder& folder, const supervisor::AnswerSave& action);
  void act_one(Folder& folder, const supervisor::Publish& action);
  void act_one(Folder& folder, const supervisor::Finish& action);
  void set_frozen(Folder& folder, bool frozen);
  void kill_what_is_left(AttemptKey key, std::int64_t life);
  supervisor::Event prepare_outcome(const Folder& folder, const supervisor::PrepareNode& action);

  Folder* find(AttemptKey key, std::int64_t life);
  void log(const std::string& what) { scene_.story.log(node_.name, what); }

  Scene& scene_;
  Judge& judge_;
  Storage& storage_;
  Shared& shared_;
  Node node_;
  std::function<void()> wake_;
  bool doomed_ = true;
  Term term_;
  JobId newest_job_;
  std::optional<Term> commanded_by_;
  Clock clock_;
  std::int64_t next_life_ = 1;
  std::map<AttemptKey, Folder> folders_;
  std::vector<LauncherEvent> launcher_events_;
};

}  // namespace cox::sim
