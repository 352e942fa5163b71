// One node's machine: its disk (supervisors' folders, the worker's term), its supervisors, each the
// real Supervision in virtual time, and its ranks. It outlives its worker, for which it is the
// Launcher and the TermStore; its disk outlives a reboot.
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

// The programs of all attempts, and what all machines share.
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
  std::map<std::string, Behaviour> behaviours_;  // by the folder a job works in, which is its own
  std::map<std::pair<std::string, AttemptKey>, std::unique_ptr<Gang>> gangs_;  // by identity
};

class Machine final : public Launcher, public TermStore, public RankHost {
 public:
  // wake: the worker has something to poll.
  Machine(Scene& scene, Judge& judge, Storage& storage, Shared& shared, Node node,
          std::function<void()> wake);

  const Node& node() const { return node_; }
  Now now() const { return clock_.now(); }
  bool empty() const { return folders_.empty(); }
  std::string text() const;

  // Faults.
  void set_wall_off_by(Milliseconds off) { clock_.set_wall_off_by(off); }
  void reboot();
  void kill_supervisor();
  // The worker dies at its next effect, or has died: no effect of its turn happens any more.
  // What has effect until it is called again is by the word of who led in this term.
  void commanded_by(std::optional<Term> term) { commanded_by_ = term; }
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
    std::int64_t life = 0;                     // of the supervisor: callbacks of another are void
    std::unique_ptr<Supervision> supervision;  // null: its process is gone
    std::optional<AttemptStatus> disk;         // as last published
    bool lost = false;                         // it died before it was done
    std::set<std::int32_t> running;            // ranks
    std::optional<std::int64_t> freezing;      // for which order
    bool frozen = false;
    std::set<std::int32_t> steps;  // that run
    std::set<std::int32_t> steps_begun;
    std::int64_t exits_on_the_way = 0;
    std::int64_t file_work = 0;                // what is under way belongs to an earlier number
    Milliseconds inbox{0};                     // its socket keeps the order
    std::vector<supervisor::Event> follow_up;  // of the actions being carried out

    AttemptStatus status() const {
      AttemptStatus unpublished;
      unpublished.key = launch.key;
      return disk.value_or(unpublished);
    }
  };

  bool effect();  // false: the worker died before it
  void take_anothers_step(LaunchSpec& launch) const;
  void start_supervisor(Folder& folder);
  void feed(AttemptKey key, const supervisor::Event& event);
  // Feeds it then, unless that supervisor is gone.
  void feed_later(Folder& folder, Milliseconds delay, supervisor::Event event);
  void tell(AttemptKey key, supervisor::Event event);  // by the worker, over the socket
  void wake_at(Folder& folder);
  void supervisor_dies(Folder& folder);
  void end_ranks(Folder& folder);  // SIGKILL from outside
  // What the worker learns of a supervisor that died before it was done.
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
  void say(const std::string& what) { scene_.story.say(node_.name, what); }

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
  std::vector<LauncherEvent> said_;
};

}  // namespace cox::sim
