// Tests which checkpoints users see, which they may remove or resume from, and which node removes
// the files.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class CheckpointLists : public testing::Test, public Bench {
 protected:
  CheckpointLists() {
    config.checkpoints_kept_ended = Milliseconds{7'200'000};
    restart();
    node("n1", 8);
  }
  // Sets how many checkpoints of a job are kept.
  void keep(std::int64_t number) {
    config.checkpoints_kept = number;
    restart();
    node("n1", 8);
  }

  // Returns a running job of one rank on n1 that has committed these steps.
  JobId saved(const std::vector<std::int64_t>& steps) {
    const JobId id = submit({.with = [](JobSpec& s) { s.name = "deep"; }});
    ready(id);
    auto s = status_of(id, NodePhase::Running);
    s.ranks = {{0, RankPhase::Running, 0, 0, {}, now.wall, {}}};
    for (const std::int64_t step : steps) {
      s.ranks[0].saved.push_back({step, 5, 1, false});
      status("n1", s);
    }
    return id;
  }
  JobId failed(const std::vector<std::int64_t>& steps) {
    const JobId id = saved(steps);
    finish(id, 3);
    return id;
  }
  CheckpointList list(std::vector<JobId> ids = {}, JobId after = {}) {
    return std::get<CheckpointList>(ask(ListCheckpoints{std::move(ids), after}).body);
  }
  // Returns the listed steps by job, such as "1: 20 30; 4: 10". A minus marks a step whose files
  // are being removed.
  static std::string text(const CheckpointList& list) {
    std::string text;
    JobId job;
    for (const CheckpointView& view : list.checkpoints) {
      const Checkpoint& c = view.checkpoint;
      if (c.key.job != job)
        text += (text.empty() ? "" : "; ") + std::to_string(c.key.job.value) + ":";
      job = c.key.job;
      text += (c.pruned ? " -" : " ") + std::to_string(c.step);
    }
    return text;
  }
  std::string removal(JobId id, std::int64_t step = -1, std::uint32_t uid = 1000) {
    const auto acted = std::get<Acted>(ask_as(uid, RemoveCheckpoints{id, step}).body);
    const auto& one = acted.outcomes.at(0);
    return one.what + ": " +
           (one.refused ? one.refused->fact + " / " + one.refused->hint : one.done);
  }
  // Returns the orders to remove files as "NODE JOB.ATTEMPT step STEP". An order without a step
  // removes the folder of the attempt.
  std::vector<std::string> orders() {
    std::vector<std::string> texts;
    for (const auto& [peer, order] : take<RemoveCheckpoint>())
      texts.push_back(peer.substr(7) + " " + std::to_string(order.key.job.value) + "." +
                      std::to_string(order.key.attempt.value) +
                      (order.step < 0 ? "" : " step " + std::to_string(order.step)));
    return texts;
  }
  void removed(JobId id, std::int64_t step) {
    deliver("n1", CheckpointRemoved{"n1", {id, AttemptNumber{1}}, step});
  }
  Refusal resume(JobId from, std::int64_t step = -1, std::uint32_t uid = 1000) {
    SubmitJob s;
    s.request_id = "resume" + std::to_string(++requests);
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.resume_from = {from, step, {}, "", 0};
    const Reply reply = ask_as(uid, s);
    const auto* refused = std::get_if<Refused>(&reply.body);
    return refused == nullptr ? Refusal{} : refused->why;
  }

  using Orders = std::vector<std::string>;
};

TEST_F(CheckpointLists, TheListOfCheckpointsSaysWhereTheFilesAreAndHowLongTheyAreKept) {
  const JobId runs = saved({10, 20});
  const JobId over = failed({30});
  const Wall ended = now.wall;
  pass_with_beats(Milliseconds{5'000}, {"n1"});
  const auto folder = [&](JobId id) {
    return "/checkpoints/" + std::to_string(id.value) + "-" + job(id).job.identity.text();
  };
  const CheckpointList all = list();
  EXPECT_EQ(text(all), "1: 10 20; 2: 30");
  EXPECT_EQ(all.root, "/checkpoints");
  EXPECT_EQ(all.live_folders, std::vector<std::string>{folder(runs) + "/attempt-1"});
  ASSERT_EQ(all.checkpoints.size(), 3u);
  const CheckpointView& second = all.checkpoints[1];
  EXPECT_EQ(second.job_name, "deep");
  EXPECT_EQ(second.user_name, "ada");
  EXPECT_EQ(second.state, JobState::Running);
  EXPECT_EQ(second.ended, Wall{});
  EXPECT_EQ(second.kept_until, Wall{}) << "the job has not ended";
  EXPECT_EQ(second.folder, folder(runs) + "/attempt-1/step-20");
  const CheckpointView& third = all.checkpoints[2];
  EXPECT_EQ(third.state, JobState::Failed);
  EXPECT_EQ(third.ended, ended);
  EXPECT_EQ(third.kept_until, ended + config.checkpoints_kept_ended);
  EXPECT_EQ(third.folder, folder(over) + "/attempt-1/step-30");
  const CheckpointList named = list({over});
  EXPECT_EQ(text(named), "2: 30");
  EXPECT_TRUE(named.live_folders.empty());
}

TEST_F(CheckpointLists, ACheckpointInUseOrBeingRemovedHasNoKeptUntilTime) {
  keep(1);
  const JobId source = failed({10, 20});
  const auto kept_until = [&](std::size_t row) {
    return list({source}).checkpoints.at(row).kept_until;
  };
  EXPECT_EQ(text(list()), "1: -10 20");
  EXPECT_EQ(kept_until(0), Wall{}) << "its files are being removed";
  EXPECT_EQ(kept_until(1), now.wall + config.checkpoints_kept_ended);
  removed(source, 20);
  EXPECT_EQ(text(list()), "1: -10 20") << "no worker was asked to remove step 20";
  removed(source, 10);
  EXPECT_EQ(text(list()), "1: 20");
  submit({.with = [&](JobSpec& s) {
    s.resume_from = {source, 20, {}, "", 0};
    s.hold = true;
  }});
  EXPECT_EQ(kept_until(0), Wall{});
}

TEST_F(CheckpointLists, TheNewestCheckpointOfACompletedJobIsKeptIfConfigured) {
  config.checkpoints_kept_completed = Milliseconds{600'000};
  restart();
  node("n1", 8);
  const JobId id = saved({10, 20});
  finish(id, 0);
  removed(id, 10);
  EXPECT_EQ(text(list()), "1: 20");
  EXPECT_EQ(list().checkpoints.at(0).kept_until, now.wall + Milliseconds{600'000});
  EXPECT_EQ(resume(id, 10).fact, "job 1 has no checkpoint of step 10 to resume from");
  EXPECT_EQ(resume(id, 10).hint, "'cox checkpoints 1' lists those it has");
  pass_with_beats(Milliseconds{540'000}, {"n1"});
  EXPECT_EQ(text(list()), "1: 20");
  pass_with_beats(Milliseconds{121'000}, {"n1"});
  EXPECT_EQ(text(list()), "1: -20");
}

TEST_F(CheckpointLists, AllJobsWithCheckpointsAreListedEvenIfTheyAreNoLongerInMemory) {
  const JobId forgotten = failed({10});
  const JobId without = submit({});
  ready(without);
  const JobId runs = saved({30});
  pass_with_beats(config.min_job_age + Milliseconds{1'000}, {"n1"});
  ASSERT_EQ(controller->cluster().job(forgotten), nullptr);
  const JobId over = failed({40});
  EXPECT_EQ(text(list()), "1: 10; 3: 30; 4: 40");
  EXPECT_EQ(text(list({over, forgotten})), "4: 40; 1: 10") << "in the order that was asked for";
  EXPECT_EQ(text(list({without})), "");
  EXPECT_EQ(text(list({}, forgotten)), "3: 30; 4: 40");
  EXPECT_EQ(text(list({}, runs)), "4: 40");
  EXPECT_EQ(text(list({}, over)), "");
}

TEST_F(CheckpointLists, APageEndsWithAWholeJob) {
  const JobId first = failed({1, 2});
  const Job known = database->tables.jobs.at(first);
  const auto fill = [&](std::int64_t jobs) {
    for (std::int64_t i = 2; i <= jobs; ++i) {
      Job one = known;
      one.id = JobId{i};
      one.request_id.clear();
      database->tables.jobs[one.id] = one;
      Attempt attempt = database->tables.attempts.at({first, AttemptNumber{1}});
      attempt.key.job = one.id;
      database->tables.attempts[attempt.key] = attempt;
      for (const std::int64_t step : {1, 2}) {
        Checkpoint c{attempt.key, step, 5, 1, now.wall, false, false};
        database->tables.checkpoints[{c.key.job, c.key.attempt, c.step}] = c;
      }
    }
    restart();
  };
  const auto half = static_cast<std::int64_t>(limits::page_rows_max / 2);
  fill(half);
  EXPECT_EQ(list().checkpoints.size(), limits::page_rows_max);
  EXPECT_FALSE(list().more);
  fill(half + 1);
  EXPECT_EQ(list().checkpoints.size(), limits::page_rows_max);
  EXPECT_TRUE(list().more);
  const CheckpointList rest = list({}, JobId{half});
  EXPECT_EQ(text(rest), std::to_string(half + 1) + ": 1 2");
  EXPECT_FALSE(rest.more);
}

TEST_F(CheckpointLists, CheckpointsAreRemovedByTheJobsUserOrTheClusterOwner) {
  const JobId runs = saved({10, 20});
  EXPECT_EQ(removal(runs),
            "1: job 1 is running and may have to resume from its checkpoints / cancel it first, or "
            "wait for its end");
  const JobId over = failed({10});
  EXPECT_EQ(removal(over, 11),
            "2: job 2 has no checkpoint of step 11 / 'cox checkpoints' lists all checkpoints");
  EXPECT_EQ(removal(JobId{9}),
            "9: job 9 has no checkpoint / 'cox checkpoints' lists all checkpoints");
  config.owner_uid = 7;
  restart();
  EXPECT_EQ(removal(over, 10, 2000), "2: job 2 belongs to ada / ");
  EXPECT_EQ(removal(over, 10, 7), "2: 1 checkpoint with 5 bytes will be removed");
  EXPECT_EQ(removal(over, 10, 7),
            "2: job 2 has no checkpoint of step 10 / 'cox checkpoints' lists all checkpoints");
}

TEST_F(CheckpointLists, AllCheckpointsOfAJobCanBeRemovedAtOnce) {
  config.checkpoints_kept = 3;
  restart();
  node("n1", 8);
  const JobId id = saved({10, 20, 30});
  ask(ActOnJobs{JobVerb::RequeueHold, {id}});
  finish(id, 143);
  ASSERT_EQ(state(id), "PENDING");
  EXPECT_EQ(text(list()), "1: 10 20 30");
  EXPECT_EQ(removal(id), "1: 3 checkpoints with 15 bytes will be removed");
  EXPECT_EQ(text(list()), "1: -10 -20 -30");
}

TEST_F(CheckpointLists, ACheckpointThatJobsBeginFromCannotBeRemoved) {
  const JobId source = failed({10});
  const auto begin = [&] {
    return submit({.with = [&](JobSpec& s) {
      s.resume_from = {source, 10, {}, "", 0};
      s.hold = true;
    }});
  };
  const JobId first = begin();
  const std::string needed = "1: job 2, which has not ended, begins from step 10 of job 1";
  const std::string hint = " / cancel it first (`cox cancel 2`), or wait for its end";
  EXPECT_EQ(removal(source), needed + hint);
  const JobId second = begin();
  EXPECT_EQ(removal(source), needed + "; 1 other job too" + hint);
  begin();
  EXPECT_EQ(removal(source), needed + "; 2 other jobs too" + hint);
  for (const JobId id : {first, second}) ask(ActOnJobs{JobVerb::Cancel, {id}});
  EXPECT_EQ(removal(source).substr(0, 9), "1: job 4,");
}

TEST_F(CheckpointLists, AJobBeginsOnlyFromCheckpointsOfItsUser) {
  const JobId source = failed({10});
  config.owner_uid = 7;
  restart();
  EXPECT_EQ(resume(source, -1, 7).fact,
            "job 1 belongs to ada; a job resumes only from a checkpoint of the same user");
}

TEST_F(CheckpointLists, ARefusalSaysWhyAForgottenJobHasNoCheckpoint) {
  const JobId completed = saved({10});
  finish(completed, 0);
  removed(completed, 10);
  EXPECT_EQ(resume(completed).fact,
            "job 1 has no checkpoint to resume from: it is COMPLETED, and the checkpoints of a "
            "COMPLETED job are removed when it ends");
  pass_with_beats(config.min_job_age + Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(resume(completed).fact, "job 1 has no checkpoint to resume from");
  EXPECT_EQ(resume(completed).hint,
            "'cox checkpoints 1' lists those it has; those of a COMPLETED job were removed when it "
            "ended");
}

TEST_F(CheckpointLists, OnlyNodesThatSeeTheCheckpointFolderAreAskedToRemoveFiles) {
  const JobId first = failed({10}), second = failed({10});
  node("n2", 2);
  orders();
  removal(first);
  removal(second);
  EXPECT_EQ(orders(), (Orders{"n2 1.1 step 10", "n1 2.1 step 10"})) << "the work is shared";
  pass_with_beats(config.node_timeout + Milliseconds{2'000}, {"n1"});
  orders();
  pass_with_beats(Milliseconds{61'000}, {"n1"});
  EXPECT_EQ(orders(), (Orders{"n1 1.1 step 10", "n1 2.1 step 10"})) << "n2 is silent";
  WorkerHello blind;
  blind.node = *controller->cluster().node("n1");
  blind.session = session["n1"];
  blind.number = ++numbers["n1"];
  blind.term_seen = controller->cluster().term();
  blind.shares_checkpoints = false;
  deliver("n1", blind);
  orders();
  pass_with_beats(Milliseconds{61'000}, {"n1"});
  EXPECT_EQ(orders(), Orders{}) << "no node sees the folder";
}

TEST_F(CheckpointLists, TheFolderOfAnAttemptIsRemovedAfterItsLastCheckpoint) {
  keep(1);
  const JobId id = failed({10, 20});
  EXPECT_EQ(orders(), Orders{"n1 1.1 step 10"});
  removed(id, 10);
  EXPECT_EQ(orders(), Orders{}) << "step 20 is still there";
  removal(id);
  EXPECT_EQ(orders(), Orders{"n1 1.1 step 20"});
  removed(id, 20);
  EXPECT_EQ(orders(), Orders{"n1 1.1"});
  removed(id, 20);
  EXPECT_EQ(orders(), Orders{}) << "a repeat of the worker changes nothing";
}

TEST_F(CheckpointLists, TheCheckpointFolderOfAGangThatSavedNothingIsRemoved) {
  node("n2", 8);
  const auto run = [&](std::int64_t nodes) {
    const JobId id = submit({.nodes = nodes, .tasks = nodes});
    ready(id);
    finish(id, 0);
    return orders().size();
  };
  EXPECT_EQ(run(1), 0u) << "the worker of a single node does it";
  EXPECT_EQ(run(2), 1u);
}

}  // namespace
}  // namespace cox
