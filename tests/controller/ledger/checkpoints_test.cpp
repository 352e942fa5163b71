// Tests which checkpoints are kept, how their files are removed, and jobs that begin from the
// checkpoints of other jobs.
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/job/requeue.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

constexpr int exit_failed = 3;

class Checkpoints : public testing::Test, public Bench {
 protected:
  Checkpoints() { node("n1", 4); }

  // Returns a running job that has committed these steps.
  JobId saved(const std::vector<std::int64_t>& steps) {
    const JobId id = submit({.tasks = 1});
    ready(id);
    auto s = status_of(id, NodePhase::Running);
    s.ranks = {{0, RankPhase::Running, 0, 0, {}, now.wall, {}}};
    for (const std::int64_t step : steps) {
      s.ranks[0].saved.push_back({step, 5, 1, false});
      status("n1", s);
    }
    return id;
  }

  // Lets the running job commit a further step.
  void save(JobId id, std::int64_t step) {
    auto s = status_of(id, NodePhase::Running);
    s.ranks = {attempt(id).ranks.at(0)};
    s.ranks[0].saved.push_back({step, 5, 1, false});
    status("n1", s);
  }

  CheckpointList list(std::vector<JobId> ids = {}) {
    return std::get<CheckpointList>(ask(ListCheckpoints{std::move(ids), {}}).body);
  }

  std::vector<std::int64_t> steps_of(JobId id) {
    std::vector<std::int64_t> steps;
    for (const CheckpointView& view : list({id}).checkpoints)
      if (!view.checkpoint.pruned) steps.push_back(view.checkpoint.step);
    return steps;
  }

  // Confirms each order to remove the files of a checkpoint, as a worker does. Returns the removed
  // steps.
  std::vector<std::int64_t> remove() {
    std::vector<std::int64_t> steps;
    for (const auto& [peer, order] : take<RemoveCheckpoint>()) {
      if (order.step < 0) continue;
      if (std::ranges::find(steps, order.step) == steps.end()) steps.push_back(order.step);
      deliver("n1", CheckpointRemoved{"n1", order.key, order.step});
    }
    return steps;
  }

  Refusal why_refused(JobId from, std::int64_t step) {
    SubmitJob s;
    s.request_id = "resume" + std::to_string(++requests);
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.nodes = s.spec.tasks = 1;
    s.spec.resume_from = {from, step, {}, "", 0};
    const Reply reply = ask(s);
    const auto* refused = std::get_if<Refused>(&reply.body);
    return refused == nullptr ? Refusal{} : refused->why;
  }
  std::string refused_resume(JobId from, std::int64_t step = -1) {
    return why_refused(from, step).fact;
  }

  // Reports that n1, the job's only node, found the checkpoint damaged from which the job should
  // begin.
  void refuse_as_damaged(JobId id) {
    auto damaged = status_of(id, NodePhase::Gone);
    damaged.refused = "step 10 rank 0: hash differs";
    damaged.node_at_fault = false;
    damaged.resume_fault = ResumeFault::Differs;
    status("n1", damaged);
  }

  using Steps = std::vector<std::int64_t>;
};

TEST_F(Checkpoints, TheJobIdentityIsPartOfTheFolderAndOfTheLaunch) {
  const JobId id = submit({.tasks = 1});
  const LaunchSpec launch = take<Prepare>().at(0).second.launch;
  EXPECT_EQ(launch.job_identity.size(), 36u);
  EXPECT_EQ(launch.job_identity, job(id).job.identity);
  EXPECT_EQ(launch.job_checkpoint_dir,
            "/checkpoints/" + std::to_string(id.value) + "-" + launch.job_identity);
}

TEST_F(Checkpoints, TheRemovalOfAnOldCheckpointIsRequestedUntilItIsDone) {
  const JobId id = saved({10, 20, 30});
  EXPECT_EQ(steps_of(id), (Steps{20, 30}));
  ASSERT_EQ(take<RemoveCheckpoint>().size(), 1u) << "the order is lost on the way";
  restart();
  node("n1", 4);
  pass_with_beats(Milliseconds{61'000}, {"n1"});
  EXPECT_EQ(remove(), (Steps{10}));
  pass_with_beats(Milliseconds{61'000}, {"n1"});
  EXPECT_TRUE(take<RemoveCheckpoint>().empty());
  EXPECT_EQ(list({id}).checkpoints.size(), 2u);
}

TEST_F(Checkpoints, NoCheckpointOfACompletedJobIsKept) {
  const JobId id = saved({10, 20});
  finish(id, 0);
  ASSERT_EQ(state(id), "COMPLETED");
  EXPECT_EQ(steps_of(id), Steps{});
  EXPECT_EQ(remove(), (Steps{10, 20}));
  const auto folders = take<RemoveCheckpoint>();
  ASSERT_EQ(folders.size(), 1u) << "the attempt's folder goes with its last checkpoint";
  EXPECT_EQ(folders[0].second.step, -1);
  EXPECT_TRUE(list().checkpoints.empty());
}

// The newest one may be the cause of the failure.
TEST_F(Checkpoints, TheNewestTwoCheckpointsOfAFailedJobAreKeptForAWhile) {
  config.checkpoints_kept_ended = config.min_job_age + Milliseconds{600'000};
  restart();
  node("n1", 4);
  const JobId id = saved({10, 20, 30});
  finish(id, exit_failed);
  ASSERT_EQ(state(id), "FAILED");
  EXPECT_EQ(steps_of(id), (Steps{20, 30}));
  EXPECT_EQ(remove(), (Steps{10}));
  pass_with_beats(config.min_job_age + Milliseconds{61'000}, {"n1"});
  EXPECT_EQ(controller->cluster().job(id), nullptr) << "memory has forgotten it";
  EXPECT_EQ(steps_of(id), (Steps{20, 30}));
  restart();
  node("n1", 4);
  EXPECT_EQ(steps_of(id), (Steps{20, 30})) << "a new controller knows of them too";
  pass_with_beats(Milliseconds{700'000}, {"n1"});
  EXPECT_EQ(remove(), (Steps{20, 30}));
  EXPECT_TRUE(list().checkpoints.empty());
}

// By a wrong time of day, everything would be old at once.
TEST_F(Checkpoints, NothingIsPrunedForItsAgeAfterAStepOfTheTimeOfDay) {
  const JobId id = saved({10, 20});
  finish(id, exit_failed);
  const Milliseconds year = 365 * std::chrono::hours{24};
  ASSERT_GT(year, config.checkpoints_kept_ended);
  now.wall += year;
  pass_with_beats(Milliseconds{121'000}, {"n1"});
  EXPECT_TRUE(remove().empty());
  EXPECT_EQ(std::get<ClusterView>(ask(ShowCluster{}).body).clock_doubt,
            "has stepped forward by 8760 h since this controller was started");
  restart();  // so a person says that the time is right
  node("n1", 4);
  pass_with_beats(Milliseconds{61'000}, {"n1"});
  EXPECT_EQ(remove(), (Steps{10, 20}));
}

TEST_F(Checkpoints, AUserMayRemoveTheCheckpointsOfAJobThatDoesNotRun) {
  const JobId id = saved({10, 20, 30});
  const auto acted = [&](std::int64_t step) {
    return std::get<Acted>(ask(RemoveCheckpoints{id, step}).body).outcomes.at(0);
  };
  EXPECT_TRUE(acted(-1).refused) << "it may have to resume from them";
  finish(id, exit_failed);
  remove();
  EXPECT_TRUE(acted(10).refused) << "it is removed already";
  EXPECT_FALSE(acted(20).refused);
  EXPECT_EQ(remove(), (Steps{20}));
  EXPECT_EQ(steps_of(id), (Steps{30}));
}

TEST_F(Checkpoints, OneThatRestsOnExitCodesAlonePrunesNothingUntilAJobHasResumedFromIt) {
  const JobId id = saved({10, 20});
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  auto left = status_of(id, NodePhase::Gone);
  left.ranks = {{0, RankPhase::Exited, 75, 0, {{30, 5, 1, true, true}}, now.wall, now.wall}};
  status("n1", left);
  EXPECT_EQ(steps_of(id), (Steps{10, 20, 30})) << "step 30 may be half written";
  pass_with_beats(Milliseconds{5'000}, {"n1"});
  ASSERT_EQ(attempt(id).resume->step, 30);
  ready(id);
  auto s = status_of(id, NodePhase::Running);
  s.ranks = {{0, RankPhase::Running, 0, 0, {{40, 5, 1, false}}, now.wall, {}}};
  status("n1", s);
  EXPECT_EQ(steps_of(id), (Steps{30, 40}));
}

TEST_F(Checkpoints, AStepInWhichNoRankHasAFileIsNone) {
  const JobId id = saved({10});
  auto s = status_of(id, NodePhase::Running);
  s.ranks = {{0, RankPhase::Running, 0, 0, {{10, 5, 1}, {20, 0, 0}}, now.wall, {}}};
  status("n1", s);
  status("n1", s);
  EXPECT_EQ(steps_of(id), (Steps{10}));
  std::vector<std::string> notes;
  const auto page = std::get<HistoryPage>(ask(ShowHistory{id}).body);
  for (const JobEvent& event : page.events)
    if (event.why.find("step-20") != std::string::npos) notes.push_back(event.why);
  EXPECT_EQ(notes, (std::vector<std::string>{
                       "step-20 is no checkpoint: no rank has saved a file in step-20/rank-R"}));
}

TEST_F(Checkpoints, AJobBeginsFromTheCheckpointOfAnotherJob) {
  const JobId source = saved({10, 20});
  finish(source, exit_failed);
  remove();
  take<Prepare>();
  const JobId id = submit({.tasks = 1, .with = [&](JobSpec& spec) {
                             spec.resume_from = {source, -1, {}, "", 0};
                           }});
  const LaunchSpec launch = take<Prepare>().at(0).second.launch;
  const std::string from = "step 20 of job " + std::to_string(source.value);
  EXPECT_EQ(job(id).job.why, "placed on n1, to resume from " + from);
  EXPECT_EQ(launch.resume, (ResumeFrom{AttemptNumber{1}, 20, source}));
  EXPECT_EQ(launch.resume_identity, job(source).job.identity);
  EXPECT_EQ(launch.resume_job_dir,
            "/checkpoints/" + std::to_string(source.value) + "-" + job(source).job.identity.text());
  EXPECT_EQ(launch.resume_ranks, 1);
  const auto acted = std::get<Acted>(ask(RemoveCheckpoints{source, -1}).body);
  const Refusal why = acted.outcomes.at(0).refused.value_or(Refusal{});
  const std::string user = std::to_string(id.value);
  EXPECT_EQ(why.fact, "job " + user + ", which has not ended, begins from " + from);
  EXPECT_EQ(why.hint, "cancel it first (`cox cancel " + user + "`), or wait for its end");
  ready(id);
  EXPECT_EQ(job(id).job.why, "its node is ready; it resumes from " + from);
  finish(id, exit_failed);
  EXPECT_FALSE(std::get<Acted>(ask(RemoveCheckpoints{source, -1}).body).outcomes.at(0).refused);
}

TEST_F(Checkpoints, WithoutAStepAJobBeginsFromTheNewestCheckpointAtItsStart) {
  const JobId source = saved({10, 20});
  const JobId id = submit({.tasks = 1, .with = [&](JobSpec& spec) {
                             spec.resume_from = {source, -1, {}, "", 0};
                             spec.hold = true;
                           }});
  const std::string of = " of job " + std::to_string(source.value);
  const auto shown = [&] { return std::get<JobDetail>(ask(ShowJob{id}).body).view.system_comment; };
  EXPECT_EQ(shown(), "it is to begin from step 20" + of +
                         " or a newer checkpoint of that job, if that verifies");
  for (const std::int64_t step : {30, 40, 50}) save(source, step);
  EXPECT_EQ(steps_of(source), (Steps{20, 40, 50})) << "the one of the submission is kept";
  EXPECT_EQ(shown(), "it is to begin from step 50" + of +
                         " or a newer checkpoint of that job, if that verifies");
  take<Prepare>();
  ask(ActOnJobs{JobVerb::Release, {id}});
  const LaunchSpec launch = take<Prepare>().at(0).second.launch;
  EXPECT_EQ(launch.resume, (ResumeFrom{AttemptNumber{1}, 50, source}));
  EXPECT_EQ(launch.resume_identity, job(source).job.identity);
  EXPECT_EQ(shown(), "") << "it has started";
  EXPECT_EQ(database->tables.jobs.at(id).spec->resume_from.step, 50);
  for (const std::int64_t step : {60, 70, 80}) save(source, step);
  EXPECT_EQ(steps_of(source), (Steps{50, 70, 80})) << "the one of the start is kept";
}

TEST_F(Checkpoints, WithoutAStepAJobPassesOverANewestCheckpointThatIsDamaged) {
  const JobId source = saved({10, 20});
  finish(source, exit_failed);
  const auto begins = [&](std::int64_t step) {
    return submit({.tasks = 1, .with = [&](JobSpec& spec) {
                     spec.resume_from = {source, step, {}, "", 0};
                     spec.hold = true;
                   }});
  };
  const JobId newest = begins(-1);
  const JobId named = begins(20);
  ask(ActOnJobs{JobVerb::Release, {named}});
  refuse_as_damaged(named);
  take<Prepare>();
  ask(ActOnJobs{JobVerb::Release, {newest}});
  EXPECT_EQ(take<Prepare>().at(0).second.launch.resume, (ResumeFrom{AttemptNumber{1}, 10, source}));
}

TEST_F(Checkpoints, AJobHeldForTheNewestOfAnotherJobCanBeReleasedToTheOneBefore) {
  const JobId source = saved({10, 20});
  finish(source, exit_failed);
  const JobId id = submit({.tasks = 1, .with = [&](JobSpec& spec) {
                             spec.resume_from = {source, -1, {}, "", 0};
                           }});
  refuse_as_damaged(id);
  take<Prepare>();
  const std::string number = std::to_string(source.value);
  EXPECT_EQ(*job(id).job.held_why, "the checkpoint from which it begins, step 20 of job " + number +
                                       ", is gone or does not verify; it can begin from step 10 "
                                       "of job " +
                                       number);
  ask(ActOnJobs{JobVerb::Release, {id}});
  EXPECT_EQ(take<Prepare>().at(0).second.launch.resume, (ResumeFrom{AttemptNumber{1}, 10, source}));
  refuse_as_damaged(id);
  const auto again = std::get<Acted>(ask(ActOnJobs{JobVerb::Release, {id}}).body).outcomes.at(0);
  ASSERT_TRUE(again.refused);
  EXPECT_NE(again.refused->fact.find("submit it again with another"), std::string::npos);
}

TEST_F(Checkpoints, ACheckpointThatAnotherJobBeginsFromIsKeptThoughItIsOld) {
  const JobId source = saved({10, 20});
  const JobId id = submit({.tasks = 1, .with = [&](JobSpec& spec) {
                             spec.resume_from = {source, 10, {}, "", 0};
                           }});
  auto s = status_of(source, NodePhase::Running);
  s.ranks = {{0, RankPhase::Running, 0, 0, {}, now.wall, {}}};
  for (const std::int64_t step : {30, 40}) {
    s.ranks[0].saved.push_back({step, 5, 1, false});
    status("n1", s);
  }
  EXPECT_EQ(steps_of(source), (Steps{10, 30, 40}));
  ready(id);
  finish(id, 0);
  s.ranks[0].saved.push_back({50, 5, 1, false});
  status("n1", s);
  EXPECT_EQ(steps_of(source), (Steps{40, 50}));
}

TEST_F(Checkpoints, AnEndedJobKeepsOnlyItsNewestTwoOnceNoOtherJobBeginsFromItsCheckpoints) {
  const JobId source = saved({10, 20});
  const auto begin_from_10 = [&](bool hold) {
    return submit({.tasks = 1, .with = [&](JobSpec& spec) {
                     spec.resume_from = {source, 10, {}, "", 0};
                     spec.hold = hold;
                   }});
  };
  const JobId runs = begin_from_10(false);
  const JobId held = begin_from_10(true);
  ready(runs);
  save(source, 30);
  finish(source, exit_failed);
  EXPECT_EQ(steps_of(source), (Steps{10, 20, 30}));
  finish(runs, 0);
  EXPECT_EQ(steps_of(source), (Steps{10, 20, 30})) << "the held job begins from it";
  ask(ActOnJobs{JobVerb::Cancel, {held}});
  EXPECT_EQ(steps_of(source), (Steps{20, 30}));
  EXPECT_EQ(remove(), (Steps{10}));
}

TEST_F(Checkpoints, ARequeuedJobIsHeldIfItsCheckpointIsDamagedAndTheOneThatItBeganFromIsGone) {
  const JobId source = saved({10, 20});
  const JobId id = submit({.tasks = 1, .with = [&](JobSpec& spec) {
                             spec.resume_from = {source, 10, {}, "", 0};
                           }});
  save(source, 30);
  finish(source, exit_failed);
  ready(id);
  auto s = status_of(id, NodePhase::Running);
  s.ranks = {{0, RankPhase::Running, 0, 0, {{30, 5, 1, false}}, now.wall, {}}};
  status("n1", s);
  finish(id, exit_failed);
  ASSERT_EQ(steps_of(source), (Steps{20, 30}));
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  pass_with_beats(requeue_after_end_delay, {"n1"});
  ASSERT_EQ(state(id), "CONFIGURING");
  refuse_as_damaged(id);
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_TRUE(job(id).job.held);
  EXPECT_EQ(job(id).job.held_why->find("its checkpoint of step 30 is damaged"), 0u);
  const auto acted = std::get<Acted>(ask(ActOnJobs{JobVerb::BeginAnew, {id}}).body).outcomes.at(0);
  ASSERT_TRUE(acted.refused);
  EXPECT_EQ(acted.refused->fact, "step 10 of job " + std::to_string(source.value) +
                                     ", from which job " + std::to_string(id.value) +
                                     " begins, is gone");
}

TEST_F(Checkpoints, AJobWhoseCheckpointSeemedDamagedToAnotherJobKeepsItsFiles) {
  const JobId source = saved({10, 20});
  const JobId id = submit({.tasks = 1, .with = [&](JobSpec& spec) {
                             spec.resume_from = {source, 20, {}, "", 0};
                           }});
  finish(source, exit_failed);
  refuse_as_damaged(id);
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  EXPECT_EQ(steps_of(source), (Steps{10, 20}));
}

TEST_F(Checkpoints, ASourceJobThatIsNoLongerInMemoryKeepsOnlyItsNewestTwoCheckpoints) {
  const JobId source = saved({10, 20});
  const JobId id = submit({.tasks = 1, .with = [&](JobSpec& spec) {
                             spec.resume_from = {source, 10, {}, "", 0};
                           }});
  ready(id);
  save(source, 30);
  finish(source, exit_failed);
  pass_with_beats(config.min_job_age + Milliseconds{61'000}, {"n1"});
  ASSERT_EQ(controller->cluster().job(source), nullptr);
  EXPECT_EQ(steps_of(source), (Steps{10, 20, 30}));
  finish(id, 0);
  EXPECT_EQ(steps_of(source), (Steps{20, 30}));
}

TEST_F(Checkpoints, CountsOfOneAreWrittenInTheSingular) {
  const JobId id = submit({.tasks = 1});
  ready(id);
  auto s = status_of(id, NodePhase::Running);
  s.ranks = {{0, RankPhase::Running, 0, 0, {{10, 1, 1, false}}, now.wall, {}}};
  status("n1", s);
  const auto is_recorded = [&](const JobEvent& event) {
    return event.why == "step 10 committed: 1 byte in 1 file by 1 rank";
  };
  EXPECT_TRUE(std::ranges::any_of(database->tables.events, is_recorded));
  const auto drained = std::get<Acted>(ask(ActOnNodes{true, {"n1"}, "bad fan"}).body);
  EXPECT_EQ(drained.outcomes.at(0).done, "draining: 1 job still runs");
  finish(id, exit_failed);
  const auto removed = std::get<Acted>(ask(RemoveCheckpoints{id, -1}).body);
  EXPECT_EQ(removed.outcomes.at(0).done, "1 checkpoint with 1 byte will be removed");
}

TEST_F(Checkpoints, AResumeFromAMissingCheckpointIsRefused) {
  const JobId source = saved({10});
  EXPECT_EQ(refused_resume(source), "");
  EXPECT_NE(refused_resume(source, 11).find("has no checkpoint of step 11"), std::string::npos);
  EXPECT_EQ(refused_resume(JobId{4711}), "there never was a job 4711 to resume from");
}

TEST_F(Checkpoints, ARefusalSaysWhyAJobHasNoCheckpointToResumeFrom) {
  const JobId done = saved({10});
  finish(done, 0);
  ASSERT_EQ(state(done), "COMPLETED");
  remove();
  const std::string is_gone =
      ": it is COMPLETED, and the checkpoints of a COMPLETED job are removed when it ends";
  EXPECT_EQ(refused_resume(done),
            "job " + std::to_string(done.value) + " has no checkpoint to resume from" + is_gone);
  EXPECT_NE(why_refused(done, -1).hint.find("checkpoints_kept_completed"), std::string::npos);
  const JobId failed = saved({10});
  finish(failed, exit_failed);
  EXPECT_EQ(refused_resume(failed, 11).find("COMPLETED"), std::string::npos);
  const JobId other = submit({.tasks = 1, .with = [&](JobSpec& spec) {
                                spec.resume_from = {failed, 10, {}, "", 0};
                              }});
  refuse_as_damaged(other);
  EXPECT_EQ(refused_resume(failed),
            "the checkpoint of step 10 of job " + std::to_string(failed.value) + " is damaged");
}

TEST_F(Checkpoints, AJobIsHeldIfTheCheckpointThatItBeginsFromIsDamaged) {
  const JobId source = saved({10});
  finish(source, exit_failed);
  const JobId id = submit({.tasks = 1, .with = [&](JobSpec& spec) {
                             spec.resume_from = {source, 10, {}, "", 0};
                           }});
  refuse_as_damaged(id);
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_TRUE(job(id).job.held);
  EXPECT_NE(job(id).job.held_why->find("does not verify"), std::string::npos);
  EXPECT_TRUE(list({source}).checkpoints.at(0).checkpoint.damaged);
  const std::vector<std::string> why = std::get<JobDetail>(ask(ShowJob{id}).body).why;
  ASSERT_EQ(why.size(), 1u);
  EXPECT_EQ(why[0], "the checkpoint from which it begins, step 10 of job " +
                        std::to_string(source.value) +
                        ", is gone or does not verify; submit it again with another "
                        "--resume-from; `cox cancel " +
                        std::to_string(id.value) + "` ends it");
}

TEST_F(Checkpoints, AReleaseIsRefusedIfTheJobWouldBeHeldAgainAtOnce) {
  const JobId source = saved({10});
  finish(source, exit_failed);
  const JobId id = submit({.tasks = 1, .with = [&](JobSpec& spec) {
                             spec.resume_from = {source, 10, {}, "", 0};
                           }});
  refuse_as_damaged(id);
  const auto why_not = [](const Reply& reply) {
    return std::get<Acted>(reply.body).outcomes.at(0).refused.value_or(Refusal{});
  };
  const Refusal why = why_not(ask(ActOnJobs{JobVerb::Release, {id}}));
  EXPECT_EQ(why.fact, "job " + std::to_string(id.value) +
                          " would be held again at once: " + *job(id).job.held_why);
  EXPECT_EQ(why.hint, "`cox cancel " + std::to_string(id.value) + "` ends it");
  EXPECT_EQ(why_not(ask(UpdateJobs{{id}, {""}, {"Priority"}, {"-1"}})).fact, why.fact);
  EXPECT_TRUE(job(id).job.held);
}

TEST_F(Checkpoints, NewIdsFollowTheNewestJobThatNodesHaveSeen) {
  config.accept_loss = true;  // nodes have run jobs, and the database has none
  restart();
  WorkerHello hello;
  hello.node.name = "n2";
  hello.node.total.cpus = 1;
  hello.session = "session-n2";
  hello.number = 1;
  hello.term_seen = controller->cluster().term();
  hello.newest_job = JobId{5'000};
  deliver("n2", hello);
  EXPECT_EQ(submit({.tasks = 1}), JobId{5'001});
}

}  // namespace
}  // namespace cox
