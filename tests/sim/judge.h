// The invariants of ARCHITECTURE.md, held against two truths: what the store has committed, and
// what really runs on the machines. Each part of the simulator tells the judge what it did; the
// first thing that must not be is the seed's violation.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "common/job/attempt.h"
#include "controller/change/store.h"
#include "controller/state/cluster.h"
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

  // A copy of the database is made, and is put back later.
  void is_backed_up();
  void goes_back();

  // The machines.
  // By the word of who led in this term.
  void node_obeys(const std::string& node, Term term);
  void node_ready(AttemptKey key, const std::string& node) { ready_.insert({key, node}); }
  void rank_starts(const LaunchSpec& launch, std::int32_t rank);
  // Nothing of it runs on this node, and its CPUs may be others'; it goes on, and they are its own.
  // What goes on to be ended does not get them back.
  void goes_on_to_end(AttemptKey key) { ending_.insert(key); }
  void stands_still(const LaunchSpec& launch);
  void goes_on(const LaunchSpec& launch);
  // The machine or the supervisor under a part of the attempt is lost, while ranks of it run.
  void is_lost_under(AttemptKey key) {
    if (ended_[key].failures == 0) ended_[key].lost_first = true;
  }
  void rank_cannot_start(AttemptKey key) { ended_[key].failures += 1; }
  // Exits by itself, or is ended by a signal.
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

  // The clients and the controller.
  void accepted(const std::string& request_id, JobId id);
  // One leader's word: a copy of the request may still reach a later one.
  void refused(const std::string& request_id);
  void asked(const std::string& request_id) { asked_.try_emplace(request_id, term_); }
  void turn_is_through() { dependencies_.comes_to_rest(); }
  void controller_rests(const Cluster& cluster);

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

  void judge_end(const Job& job);
  // What is written never goes back, though clocks do.
  void judge_moments(const Attempt& attempt);
  void count_ways();
  void judge_room(const std::string& node);
  void judge_arrays();
  void judge_crontabs();
  void violated(const std::string& what) { scene_.story.violated(what); }

  struct Way {  // of a job, in this turn
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
    std::int32_t failures = 0;  // other than 0, "saved" without a checkpoint among them
    bool lost_first = false;    // a part of it was lost before any rank had failed
  };

  Scene& scene_;
  const Storage& storage_;
  std::map<std::string, NodeResources> totals_;
  Coverage* coverage_ = nullptr;
  std::vector<Way> ways_;
  // As committed.
  Books books_;
  UsageJudge usage_{scene_, books_};
  LimitsJudge limits_{scene_, books_, usage_};
  DependencyJudge dependencies_{scene_, books_};
  RunJudge runs_{scene_, books_};
  CheckpointJudge saves_{scene_, books_};
  std::map<std::string, JobId> requests_;
  std::map<std::string, Term> asked_;  // by request id: the newest term when it was first asked
  std::map<std::string, Term> added_;  // likewise: the term in which it became a job
  std::optional<Backup> backup_;
  std::map<JobId, std::string> told_;     // request ids, by the job id in a client's reply
  std::set<AttemptKey> lost_attempts_;    // that a restored database does not have
  std::set<AttemptKey> gone_unrecorded_;  // perhaps: that it has as one that is prepared
  std::set<std::string> lost_requests_;   // likewise
  std::set<AttemptKey> resumed_since_;    // suspended in the restored copy, and not in reality
  std::set<std::string> refused_;         // request ids
  Term term_;                             // of the newest turn
  Wall latest_;  // of what turns said of the time: what has come stays so when a clock is set back
  // As it is.
  std::map<std::string, Term> obeyed_;  // the newest by each node
  std::set<std::pair<AttemptKey, std::string>> ready_;
  std::set<std::tuple<std::string, AttemptKey, std::int32_t>> started_;  // by the job's identity
  std::map<AttemptKey, std::int32_t> running_ranks_;
  std::map<std::string, std::map<AttemptKey, std::pair<NodeGrant, std::int32_t>>> running_on_;
  std::set<std::pair<std::string, AttemptKey>> standing_;
  std::set<AttemptKey> ending_;
  std::map<AttemptKey, Ended> ended_;
  std::set<AttemptKey> worked_out_;
};

}  // namespace cox::sim
