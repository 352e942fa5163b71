// Checks the invariants of ARCHITECTURE.md against two truths: what the store has committed, and
// what really runs on the machines. Each part of the simulator reports to the judge what it did.
// The first broken invariant is the seed's violation.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "common/job/attempt.h"
#include "controller/change/store.h"
#include "controller/turn/controller.h"
#include "tests/sim/books.h"
#include "tests/sim/checkpoint_judge.h"
#include "tests/sim/coverage.h"
#include "tests/sim/dependency_judge.h"
#include "tests/sim/limits_judge.h"
#include "tests/sim/run_judge.h"
#include "tests/sim/scene.h"
#include "tests/sim/storage.h"
#include "tests/sim/usage_judge.h"

namespace cox::sim {

class Judge {
 public:
  Judge(Scene& scene, const Storage& storage) : scene_(scene), storage_(storage) {}

  void begin(const ControllerConfig& config, const MemoryTables& tables) {
    books_.begin(config, tables);
  }

  void count_in(Coverage& coverage) { coverage_ = &coverage; }

  void node_is(const std::string& node, const NodeResources& total) { totals_[node] = total; }

  // The store.
  void turn_applied(const Turn& turn);

  // The first is called when a copy of the database is made, the second when the copy is restored.
  void make_backup();
  void restore_backup();

  // The machines.

  // Called when the node obeys a message of the leader of this term. Later it may obey no lower
  // term.
  void node_obeys(const std::string& node, Term term);
  void node_ready(AttemptKey key, const std::string& node) { ready_.insert({key, node}); }
  void rank_starts(const LaunchSpec& launch, std::int32_t rank);
  void output_emptied(const LaunchSpec& launch);
  // Called when the node resumes the attempt only to end it; when all of its processes on the node
  // are suspended, so that other jobs may use its CPUs; and when they resume and have these CPUs
  // again.
  void resumes_only_to_end(AttemptKey key) { ending_.insert(key); }
  void is_suspended(const LaunchSpec& launch);
  void attempt_resumes(const LaunchSpec& launch);
  // Called when a machine or supervisor of the attempt is lost while its ranks run there.
  void is_lost_under(AttemptKey key) {
    if (ended_[key].failures == 0) ended_[key].lost_first = true;
  }
  void rank_cannot_start(AttemptKey key) { ended_[key].failures += 1; }
  // Called when a rank exits with `code`, or is killed by `signal` (0: it exited).
  void rank_ends(const LaunchSpec& launch, std::int32_t rank, std::int32_t code,
                 std::int32_t signal);
  void rank_signalled(const LaunchSpec& launch, std::int32_t rank, std::int32_t signal) {
    runs_.signalled(launch, rank, signal);
  }
  void resumed_from_what_never_was(AttemptKey key, AttemptKey saved_by, std::int64_t step);
  void resumed_from_another_job(AttemptKey key, AttemptKey saved_by);
  void checkpoint_removed(AttemptKey key, std::int64_t step) { saves_.removed(key, step); }

  // The programs.
  void step_done(AttemptKey key, std::int64_t step);
  void work_done(AttemptKey key) { worked_out_.insert(key); }

  // Reports of the clients and of the controller.
  void accepted(const std::string& request_id, JobId id);
  // Called when a client gets the refusal of a submission. A copy of the request may still reach a
  // later leader, which may accept it.
  void refused(const std::string& request_id);
  void submission_sent(const std::string& request_id) { sent_in_.try_emplace(request_id, term_); }
  void turn_finished() { dependencies_.check_overdue(); }
  void controller_rests(const Controller& controller);

  const std::map<JobId, Job>& jobs() const { return books_.jobs; }
  bool can_be_begun_from(JobId id) const { return saves_.has_sound(id); }

 private:
  void apply(const JobAdded& change);
  void apply(const JobChanged& change);
  void apply(const AttemptAdded& change);
  void apply(const AttemptChanged& change);
  void apply(const CheckpointAdded& change);
  template <class Other>
  void apply(const Other&) {}

  void check_end(const Job& job);
  // Checks that the times of the attempt's row are in order, even if a clock was set back.
  void check_times(const Attempt& attempt);
  bool takes_late_saves(const Attempt& before, Attempt after) const;
  void count_ways();
  void check_room(const std::string& node);
  void check_arrays();
  void check_crontabs();
  void violated(const std::string& what) { scene_.story.violated(what); }

  struct Way {  // a transition of a job in this turn
    AttemptKey key;
    JobState from;
    JobState to;
  };

  struct Backup {
    Books books;
    std::map<std::string, JobId> requests;
    UsageJudge usage;
    DependencyJudge dependencies;
    RunJudge runs;
    CheckpointJudge saves;
  };

  struct Ended {
    std::int32_t zeros = 0;
    // Ranks that could not start, or exited with a code other than 0. A code of 75 counts too.
    std::int32_t failures = 0;
    bool lost_first = false;  // a machine or supervisor was lost before any rank had failed
  };

  Scene& scene_;
  const Storage& storage_;
  std::map<std::string, NodeResources> totals_;
  Coverage* coverage_ = nullptr;
  std::vector<Way> ways_;
  // State as committed.
  Books books_;
  UsageJudge usage_{scene_, books_};
  LimitsJudge limits_{scene_, books_, usage_};
  DependencyJudge dependencies_{scene_, books_};
  RunJudge runs_{scene_, books_};
  CheckpointJudge saves_{scene_, books_};
  std::map<std::string, JobId> requests_;
  // By request id: the newest committed term when the request was first sent.
  std::map<std::string, Term> sent_in_;
  std::map<std::string, Term> added_;  // by request id: the term in which the request became a job
  std::optional<Backup> backup_;
  std::map<JobId, std::string> replied_;  // request ids, by the job id in a client's reply
  std::set<AttemptKey> lost_attempts_;    // attempts that a restored database lacks
  // Attempts that the restored database shows as not yet started, though they may have started.
  std::set<AttemptKey> gone_unrecorded_;
  std::set<std::string> lost_requests_;  // request ids that a restored database lacks
  // Attempts that the restored database shows as suspended, though they were resumed since.
  std::set<AttemptKey> resumed_since_;
  std::set<std::string> refused_;  // request ids
  Term term_;                      // the term of the newest committed turn
  // The latest time that any committed turn had. A turn may have an earlier time, after a clock was
  // set back.
  Wall latest_;
  // What really happened on the machines.
  std::map<std::string, Term> obeyed_;  // the newest term that each node obeyed
  std::set<std::pair<AttemptKey, std::string>> ready_;
  // (the job's identity, attempt, rank) of each rank that was started
  std::set<std::tuple<std::string, AttemptKey, std::int32_t>> started_;
  std::map<AttemptKey, std::int32_t> running_ranks_;
  std::map<std::string, std::map<AttemptKey, std::pair<NodeGrant, std::int32_t>>> running_on_;
  std::set<std::pair<std::string, AttemptKey>> suspended_on_;
  std::set<AttemptKey> ending_;
  std::map<AttemptKey, Ended> ended_;
  std::set<AttemptKey> worked_out_;
};

}  // namespace cox::sim
