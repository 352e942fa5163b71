// Tests crontabs in the controller: the job of a crontab line waits for its time and runs; when it
// has ended, the job of the line's next time follows.
#include "controller/admit/cron.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "common/base/text.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

// Each test begins at 22:13:20 on Tuesday, 2023-11-14, UTC.
class Cron : public testing::Test, public Bench {
 public:
  Cron() { node("n1", 2); }

  static CronLineAsked line(std::int32_t first, std::int32_t last, const std::string& schedule,
                            const std::function<void(JobSpec&)>& with = {}) {
    CronLineAsked asked;
    asked.first_line = first;
    asked.last_line = last;
    asked.schedule = schedule;
    asked.spec.name = "nightly";
    asked.spec.form = JobForm::Batch;
    asked.spec.work_dir = "/home/u";
    asked.script = "#!/bin/sh\nrun\n";
    asked.environment = std::string("A=1\0", 4);
    if (with) with(asked.spec);
    return asked;
  }
  UpdateCrontab update(std::vector<CronLineAsked> lines) {
    UpdateCrontab ask;
    ask.request_id = "crontab-" + std::to_string(++updates);
    ask.text = "# mine\n#SCRON -n1\n*/10 * * * * run\n@daily tidy\n";
    ask.lines = std::move(lines);
    return ask;
  }
  CrontabUpdated updated(const UpdateCrontab& asked) {
    const Reply reply = ask(asked);
    const auto* answer = std::get_if<CrontabUpdated>(&reply.body);
    EXPECT_NE(answer, nullptr) << refusal_of(reply);
    return answer == nullptr ? CrontabUpdated{} : *answer;
  }
  // Installs a crontab of one line with this schedule. Returns the job that waits for the line's
  // next time.
  JobId install(const std::string& schedule, const std::function<void(JobSpec&)>& with = {}) {
    const CrontabUpdated answer = updated(update({line(2, 3, schedule, with)}));
    EXPECT_FALSE(answer.refused) << answer.refused->fact;
    return answer.jobs.size() == 1 ? answer.jobs.front() : JobId{};
  }
  std::vector<CronLine> lines() const { return controller->cluster().crontabs().lines_of(1000); }
  JobId current() const { return lines().size() == 1 ? lines().front().job : JobId{}; }
  std::string text() const {
    const Crontab* crontab = controller->cluster().crontabs().of(1000);
    return crontab == nullptr ? "(none)" : crontab->text;
  }
  std::string eligible(JobId id) const { return moment_text(job(id).job.eligible); }
  void pass_minutes(std::int64_t minutes) {
    pass_with_beats(std::chrono::minutes{minutes}, {"n1"});
  }
  void run_to_end(JobId id, int code = 0) {
    ready(id);
    finish(id, code);
  }
  std::string act(JobVerb verb, JobId id) {
    const Reply reply = ask(ActOnJobs{verb, {id}});
    const auto& outcome = std::get<Acted>(reply.body).outcomes.at(0);
    return outcome.refused ? outcome.refused->fact : outcome.done;
  }
  std::string refused_line(const std::function<void(JobSpec&)>& with) {
    const CrontabUpdated answer = updated(update({line(2, 3, "* * * * *", with)}));
    return answer.refused ? answer.refused->fact : "(not refused)";
  }

  int updates = 0;
};

TEST_F(Cron, TheJobOfACrontabLineRunsAtItsTimeAndIsFollowedByTheNextJob) {
  const JobId first = install("*/10 * * * *");
  EXPECT_EQ(state(first), "PENDING");
  EXPECT_EQ(eligible(first), "2023-11-14T22:20:00Z");
  EXPECT_EQ(job(first).job.spec->begin, job(first).job.eligible);
  pass_minutes(6);
  EXPECT_EQ(state(first), "PENDING");
  pass_minutes(1);
  EXPECT_EQ(state(first), "CONFIGURING") << "it is 22:20:20";
  run_to_end(first);
  EXPECT_EQ(state(first), "COMPLETED");
  const JobId second = current();
  ASSERT_NE(second, first);
  EXPECT_EQ(state(second), "PENDING");
  EXPECT_EQ(eligible(second), "2023-11-14T22:30:00Z");
  EXPECT_EQ(job(second).job.spec->script_hash, job(first).job.spec->script_hash);
  EXPECT_EQ(job(second).job.spec->name, "nightly");
  pass_minutes(10);
  run_to_end(second, 1);
  EXPECT_EQ(state(second), "FAILED") << "the line continues after a failed job";
  EXPECT_EQ(eligible(current()), "2023-11-14T22:40:00Z");
}

TEST_F(Cron, ARunThatOutlastsItsIntervalIsFollowedByTheFirstTimeAfterIt) {
  const JobId first = install("*/10 * * * *");
  pass_minutes(7);
  ready(first);
  pass_minutes(25);
  EXPECT_EQ(state(first), "RUNNING");
  EXPECT_EQ(current(), first);
  finish(first, 0);
  EXPECT_EQ(eligible(current()), "2023-11-14T22:50:00Z") << "it is 22:45:20";
}

TEST_F(Cron, ARunThatEndsWithinItsMinuteIsNotRepeatedInThatMinute) {
  const JobId first = install("* * * * *");
  EXPECT_EQ(eligible(first), "2023-11-14T22:14:00Z");
  pass_with_beats(Milliseconds{41'000}, {"n1"});
  run_to_end(first);
  EXPECT_EQ(eligible(current()), "2023-11-14T22:15:00Z");
  now.wall -= std::chrono::minutes{5};
  const JobId second = current();
  pass_minutes(7);
  asked_to_stop = false;  // it ended before the order to stop, for a late launch, had come
  run_to_end(second);
  EXPECT_GT(job(current()).job.eligible, job(second).job.eligible) << "though clocks were set back";
}

TEST_F(Cron, CrontabTimesAreLocalTimesOfTheController) {
  config.time_zone = TimeZone{3600, {}};
  restart();
  node("n1", 2);
  EXPECT_EQ(eligible(install("30 23 * * *")), "2023-11-14T22:30:00Z");
}

TEST_F(Cron, LinesAndTheirJobsSurviveARestart) {
  const JobId first = install("*/10 * * * *");
  const auto before = lines();
  const std::string kept = text();
  restart();
  node("n1", 2);
  EXPECT_EQ(lines(), before);
  EXPECT_EQ(text(), kept);
  pass_minutes(7);
  run_to_end(first);
  const JobId second = current();
  ASSERT_NE(second, first);
  restart();
  node("n1", 2);
  EXPECT_EQ(current(), second);
  EXPECT_EQ(eligible(second), "2023-11-14T22:30:00Z");
  pass_minutes(10);
  EXPECT_EQ(state(second), "CONFIGURING");
}

TEST_F(Cron, TheNextJobIsSubmittedInTheTurnThatEndsThePreviousOne) {
  const JobId first = install("*/10 * * * *");
  pass_minutes(7);
  ready(first);
  store.next_commit = MemoryStore::Fate::Ambiguous;
  finish(first, 0);
  restart();  // the outcome of the commit is unknown until the restarted controller loads the state
  node("n1", 2);
  EXPECT_EQ(state(first), "COMPLETED");
  EXPECT_EQ(eligible(current()), "2023-11-14T22:30:00Z");
}

TEST_F(Cron, JobsOfACrontabShowTheirSchedule) {
  const JobId first = install("0 0 * * 1,2,3-5");
  const Reply reply = ask(ShowJob{first});
  EXPECT_EQ(std::get<JobDetail>(reply.body).view.crontab_spec, "0 0 * * 1-5");
  const JobId other = submit({});
  const Reply other_reply = ask(ShowJob{other});
  EXPECT_EQ(std::get<JobDetail>(other_reply.body).view.crontab_spec, "");
}

TEST_F(Cron, ACronJobIsCancelledOnlyTogetherWithItsLine) {
  const JobId first = install("*/10 * * * *");
  EXPECT_EQ(act(JobVerb::Cancel, first), "Cannot cancel scrontab jobs without --cron flag.");
  EXPECT_EQ(state(first), "PENDING");
  EXPECT_EQ(act(JobVerb::CancelCron, first), "cancelled; its crontab line is disabled");
  EXPECT_EQ(state(first), "CANCELLED");
  EXPECT_TRUE(lines().empty());
  EXPECT_EQ(text(), "# mine\n#DISABLED: #SCRON -n1\n#DISABLED: */10 * * * * run\n@daily tidy\n");
  EXPECT_EQ(act(JobVerb::CancelCron, first), "had already ended: CANCELLED");
  const JobId other = submit({});
  EXPECT_EQ(act(JobVerb::CancelCron, other), "being cancelled")
      << "the verb cancels other jobs too";
}

TEST_F(Cron, ACancelledRunIsNotFollowedByAnother) {
  const JobId first = install("*/10 * * * *");
  pass_minutes(7);
  ready(first);
  EXPECT_EQ(act(JobVerb::Cancel, first), "Cannot cancel scrontab jobs without --cron flag.");
  EXPECT_EQ(act(JobVerb::CancelCron, first), "being cancelled; its crontab line is disabled");
  finish(first, 0);
  EXPECT_EQ(state(first), "CANCELLED");
  EXPECT_TRUE(lines().empty());
}

TEST_F(Cron, ACronJobCannotBeHeldOrChanged) {
  const std::string modify = "Cannot modify scrontab jobs through scontrol";
  const JobId first = install("*/10 * * * *");
  EXPECT_EQ(act(JobVerb::Hold, first), modify);
  EXPECT_EQ(act(JobVerb::RequeueHold, first), modify);
  const Reply reply = ask(UpdateJobs{{first}, {}, {"TimeLimit"}, {"10"}});
  const auto& outcome = std::get<Acted>(reply.body).outcomes.at(0);
  ASSERT_TRUE(outcome.refused);
  EXPECT_EQ(outcome.refused->fact, modify);
  EXPECT_EQ(outcome.refused->hint, "`scrontab -e` changes the job's crontab line");
}

TEST_F(Cron, ARequeuedCronJobSkipsToItsNextTime) {
  const JobId first = install("*/10 * * * *");
  EXPECT_EQ(act(JobVerb::Requeue, first),
            "skips its next time; it waits until 2023-11-14T22:30:00Z");
  EXPECT_EQ(eligible(first), "2023-11-14T22:30:00Z");
  pass_minutes(10);
  EXPECT_EQ(state(first), "PENDING") << "it is 22:23:20";
  restart();
  node("n1", 2);
  EXPECT_EQ(eligible(first), "2023-11-14T22:30:00Z");
  pass_minutes(7);
  ready(first);
  EXPECT_EQ(state(first), "RUNNING");
  act(JobVerb::Requeue, first);
  finish(first, 143);
  EXPECT_EQ(state(first), "PENDING");
  EXPECT_EQ(current(), first);
  EXPECT_EQ(eligible(first), "2023-11-14T22:40:00Z") << "it waits for the next time";
}

TEST_F(Cron, ACrontabIsReplacedAsAWhole) {
  const CrontabUpdated before =
      updated(update({line(2, 3, "*/10 * * * *"), line(4, 4, "0 0 * * *")}));
  ASSERT_EQ(before.jobs.size(), 2u);
  pass_minutes(7);
  ready(before.jobs[0]);
  const CrontabUpdated after = updated(update({line(3, 3, "* * * * *")}));
  ASSERT_EQ(after.jobs.size(), 1u);
  EXPECT_EQ(state(before.jobs[0]), "RUNNING") << "it runs on";
  EXPECT_EQ(state(before.jobs[1]), "CANCELLED");
  EXPECT_EQ(job(before.jobs[1]).job.why, "its crontab was replaced by ada");
  finish(before.jobs[0], 0);
  EXPECT_EQ(current(), after.jobs[0]) << "the job of the old line is not repeated";
  EXPECT_EQ(act(JobVerb::Cancel, before.jobs[1]), "had already ended: CANCELLED");
}

TEST_F(Cron, ACrontabCanBeReplacedWhenItsJobsFillTheSubmitLimit) {
  for (Qos& qos : database->tables.qos)
    if (qos.name == "standard") qos.limits.max_submit_jobs_per_user = 2;
  pass_with_beats(Milliseconds{2'000}, {"n1"});
  const UpdateCrontab two = update({line(2, 3, "*/10 * * * *"), line(4, 4, "0 0 * * *")});
  const CrontabUpdated before = updated(two);
  ASSERT_EQ(before.jobs.size(), 2u);
  EXPECT_EQ(updated(update(two.lines)).jobs.size(), 2u) << "the old jobs leave room for the new";
  UpdateCrontab three = update(two.lines);
  three.lines.push_back(three.lines.back());
  three.lines.back().first_line = three.lines.back().last_line = 5;
  three.text += "@hourly tidy\n";
  const auto refused = updated(three).refused;
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->fact.find("MaxSubmitJobsPerUser=2"), std::string::npos) << refused->fact;
  pass_minutes(7);
  ready(lines().front().job);
  const auto one_runs = updated(update(two.lines)).refused;
  EXPECT_TRUE(one_runs) << "a job that runs goes on, and counts";
}

TEST_F(Cron, ALineMayMoveToAnotherAccountBelowTheSameSubmitLimit) {
  const auto sacctmgr = [&](const std::string& command) {
    const Reply reply = ask(Administer{*split_words(command), false});
    EXPECT_TRUE(std::holds_alternative<Administered>(reply.body)) << refusal_of(reply);
    pass(Milliseconds{0});
  };
  sacctmgr("add account physics grpsubmitjobs=1");
  sacctmgr("add account lattice parent=physics");
  sacctmgr("add account plasma parent=physics grpsubmitjobs=1");
  sacctmgr("add user ada account=lattice,plasma");
  const auto charged_to = [](const std::string& account) {
    return [account](JobSpec& spec) { spec.account = account; };
  };
  install("*/10 * * * *", charged_to("lattice"));
  const JobId moved = install("*/10 * * * *", charged_to("plasma"));
  EXPECT_EQ(job(moved).job.spec->account, "plasma");
  const CrontabUpdated two = updated(update({line(2, 3, "0 0 * * *", charged_to("lattice")),
                                             line(4, 4, "0 0 * * *", charged_to("plasma"))}));
  ASSERT_TRUE(two.refused) << "both are below the limit of physics";
  EXPECT_NE(two.refused->fact.find("GrpSubmitJobs=1"), std::string::npos) << two.refused->fact;
}

TEST_F(Cron, ACrontabCanBeRemoved) {
  const JobId first = install("*/10 * * * *");
  UpdateCrontab remove;
  remove.remove = true;
  updated(remove);
  EXPECT_EQ(state(first), "CANCELLED");
  EXPECT_EQ(text(), "(none)");
  updated(remove);  // a crontab that does not exist may be removed, as in Slurm
  EXPECT_FALSE(std::get<CrontabShown>(ask(ShowCrontab{}).body).exists);
  restart();
  EXPECT_EQ(text(), "(none)");
}

TEST_F(Cron, ACrontabIsShownToItsUserAndTheClusterOwner) {
  install("*/10 * * * *");
  const auto shown = std::get<CrontabShown>(ask(ShowCrontab{}).body);
  EXPECT_TRUE(shown.exists);
  EXPECT_EQ(shown.text, text());
  EXPECT_TRUE(std::get<CrontabShown>(ask(ShowCrontab{"ada"}).body).exists);
  EXPECT_FALSE(std::get<CrontabShown>(ask(ShowCrontab{"eve"}).body).exists);
  user = "eve";
  EXPECT_EQ(refusal_of(ask_as(1001, ShowCrontab{"ada"})),
            "only the cluster's own user may access the crontab of another user");
  EXPECT_FALSE(std::get<CrontabShown>(ask_as(1001, ShowCrontab{}).body).exists);
  UpdateCrontab remove;
  remove.user_name = "ada";
  remove.remove = true;
  EXPECT_EQ(refusal_of(ask_as(1001, remove)),
            "only the cluster's own user may access the crontab of another user");
  EXPECT_NE(text(), "(none)");
}

TEST_F(Cron, ACrontabOfAnotherUserIsNotInstalled) {
  UpdateCrontab of_eve = update({line(2, 3, "* * * * *")});
  of_eve.user_name = "eve";
  EXPECT_EQ(refusal_of(ask(of_eve)),
            "this cluster runs only the jobs of ada; a crontab of eve would never run");
  user = "eve";
  const Reply reply = ask_as(1001, update({line(2, 3, "* * * * *")}));
  const auto* answer = std::get_if<CrontabUpdated>(&reply.body);
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer->refused.value_or(Refusal{}).fact,
            "this cluster runs the jobs of uid 1000 only; you are uid 1001");
  EXPECT_EQ(refusal_of(ask_as(1001, update({}))),
            "this cluster runs only the jobs of its own user");
}

TEST_F(Cron, ACrontabWithARefusedLineChangesNothing) {
  const JobId first = install("*/10 * * * *");
  const std::string before = text();
  const CrontabUpdated answer =
      updated(update({line(2, 3, "* * * * *"),
                      line(4, 4, "0 0 * * *", [](JobSpec& s) { s.partition = "nowhere"; })}));
  ASSERT_TRUE(answer.refused);
  EXPECT_EQ(answer.refused->fact, "there is no partition \"nowhere\"");
  EXPECT_EQ(answer.first_refused, 4);
  EXPECT_EQ(answer.last_refused, 4);
  EXPECT_EQ(current(), first);
  EXPECT_EQ(text(), before);
}

TEST_F(Cron, OptionsForASingleRunAreRefused) {
  const std::string end = " is not allowed in a crontab";
  EXPECT_EQ(refused_line([](JobSpec& s) { s.array = "1-3"; }), "--array" + end);
  EXPECT_EQ(refused_line([](JobSpec& s) { s.hold = true; }), "--hold" + end);
  EXPECT_EQ(refused_line([](JobSpec& s) { s.deadline = wall_from_ms(1'800'000'000'000); }),
            "--deadline" + end);
  EXPECT_EQ(refused_line([](JobSpec& s) { s.components.resize(1); }), "a heterogeneous job" + end);
  EXPECT_EQ(refused_line([](JobSpec& s) { s.resume_from.job = JobId{1}; }), "--resume-from" + end);
  EXPECT_EQ(refused_line([](JobSpec& s) { s.dependency = "afterany:1"; }),
            "--dependency (except singleton)" + end);
  EXPECT_EQ(refused_line([](JobSpec& s) { s.form = JobForm::Allocation; }),
            "anything but a batch job" + end);
  EXPECT_EQ(text(), "(none)");
}

TEST_F(Cron, MalformedCrontabsAreRefused) {
  const auto refused = [&](const UpdateCrontab& asked) {
    const Reply reply = ask(asked);
    const auto* answer = std::get_if<CrontabUpdated>(&reply.body);
    return answer != nullptr && answer->refused ? answer->refused->fact : refusal_of(reply);
  };
  EXPECT_EQ(refused(update({line(4, 3, "* * * * *")})), "the lines 4 to 3 are not in this crontab");
  EXPECT_EQ(refused(update({line(0, 3, "* * * * *")})), "the lines 0 to 3 are not in this crontab");
  EXPECT_EQ(refused(update({line(4, 5, "* * * * *")})), "the lines 4 to 5 are not in this crontab");
  EXPECT_EQ(refused(update({line(2, 3, "* * * * *"), line(3, 4, "* * * * *")})),
            "the lines 3 to 4 are not in this crontab");
  EXPECT_EQ(refused(update({line(2, 3, "nonsense")})),
            "\"nonsense\" is not a valid minute of a crontab");
  UpdateCrontab binary = update({});
  binary.text = std::string("a\0b", 3);
  EXPECT_EQ(refused(binary), "the crontab is not valid UTF-8, or has a NUL byte");
  UpdateCrontab large = update({});
  large.text.assign(limits::crontab_bytes_max + 1, 'a');
  EXPECT_EQ(refused(large), "the crontab has 65537 bytes; the limit is 65536");
  UpdateCrontab many = update({});
  many.text.assign(limits::crontab_lines_max + 1, '\n');
  for (std::size_t i = 1; i <= limits::crontab_lines_max + 1; ++i)
    many.lines.push_back(
        line(static_cast<std::int32_t>(i), static_cast<std::int32_t>(i), "* * * * *"));
  EXPECT_EQ(refused(many), "the crontab has 101 lines with jobs; the limit is 100");
}

TEST_F(Cron, ARepeatedRequestIsAnsweredWithoutBeingAppliedAgain) {
  const UpdateCrontab asked = update({line(2, 3, "*/10 * * * *")});
  const CrontabUpdated first = updated(asked);
  EXPECT_EQ(updated(asked).jobs, first.jobs);
  EXPECT_EQ(current(), first.jobs.front());
  EXPECT_EQ(controller->cluster().jobs().unfinished().size(), 1u);
}

TEST_F(Cron, ACronJobMayBeASingleton) {
  const JobId first = install("* * * * *", [](JobSpec& s) { s.dependency = "singleton"; });
  pass_minutes(1);
  run_to_end(first);
  EXPECT_EQ(state(first), "COMPLETED");
  const JobId second = current();
  pass_minutes(1);
  EXPECT_EQ(state(second), "CONFIGURING");
}

TEST_F(Cron, ACrontabMayHaveNoJobs) {
  const JobId first = install("*/10 * * * *");
  const CrontabUpdated answer = updated(update({}));
  EXPECT_TRUE(answer.jobs.empty());
  EXPECT_EQ(state(first), "CANCELLED");
  EXPECT_TRUE(lines().empty());
  EXPECT_NE(text(), "(none)");
}

TEST_F(Cron, TheHistoryShowsTheCrontabLineOfAJob) {
  const auto notes = [&](JobId id) {
    std::string text;
    for (const JobEvent& event : database->tables.events)
      if (event.job == id && event.what == "crontab")
        text += event.why + " by " + event.actor + ";";
    return text;
  };
  const JobId first = install("*/10 * * * *");
  EXPECT_EQ(notes(first), "line 3 of the crontab by user ada;");
  act(JobVerb::Requeue, first);
  EXPECT_EQ(notes(first),
            "line 3 of the crontab by user ada;waits until its next time, 2023-11-14T22:30:00Z by "
            "controller;");
  pass_minutes(17);
  run_to_end(first);
  EXPECT_EQ(notes(current()), "line 3 of the crontab, after job 1 by controller;");
}

TEST_F(Cron, ACrontabMayBeAsLargeAsItsLimits) {
  UpdateCrontab most = update({});
  most.text.assign(limits::crontab_bytes_max, '\n');
  for (std::size_t i = 1; i <= limits::crontab_lines_max; ++i)
    most.lines.push_back(
        line(static_cast<std::int32_t>(i), static_cast<std::int32_t>(i), "0 0 * * *"));
  EXPECT_EQ(updated(most).jobs.size(), limits::crontab_lines_max);
  EXPECT_EQ(lines().size(), limits::crontab_lines_max);
  config.max_jobs = static_cast<std::int64_t>(limits::crontab_lines_max) + 1;
  restart();
  EXPECT_EQ(refusal_of(ask(update({line(2, 3, "* * * * *"), line(4, 4, "* * * * *")}))),
            "100 jobs wait or run already; the limit is 101 (max_jobs)");
  EXPECT_EQ(updated(update({line(2, 3, "* * * * *")})).jobs.size(), 1u);
}

TEST_F(Cron, ACronJobMayAlwaysBeRequeuedThoughItAskedForNoRequeue) {
  const JobId first = install("*/10 * * * *", [](JobSpec& s) { s.requeue = false; });
  EXPECT_TRUE(job(first).job.spec->requeue);
}

TEST_F(Cron, TheOwnerOfTheClusterReadsAndRemovesTheCrontabsOfOthers) {
  const JobId first = install("*/10 * * * *");
  config.owner_uid = 7;
  restart();
  user = "root";
  const auto shown = std::get<CrontabShown>(ask_as(7, ShowCrontab{"ada"}).body);
  EXPECT_TRUE(shown.exists);
  EXPECT_EQ(shown.text, text());
  EXPECT_FALSE(std::get<CrontabShown>(ask_as(7, ShowCrontab{}).body).exists) << "root has none";
  UpdateCrontab remove;
  remove.user_name = "ada";
  remove.remove = true;
  EXPECT_EQ(refusal_of(ask_as(7, remove)), "");
  EXPECT_EQ(text(), "(none)");
  EXPECT_EQ(state(first), "CANCELLED");
  EXPECT_EQ(job(first).job.why, "its crontab was removed by root");
}

TEST_F(Cron, ASingletonWaitsForOtherJobsOfItsName) {
  const JobId other = submit({.with = [](JobSpec& s) { s.name = "nightly"; }});
  ready(other);
  const JobId first = install("* * * * *", [](JobSpec& s) { s.dependency = "singleton"; });
  pass_minutes(2);
  EXPECT_EQ(state(first), "PENDING") << "the other job runs";
  finish(other, 0);
  EXPECT_EQ(state(first), "CONFIGURING");
  const JobId later = submit({.with = [](JobSpec& s) {
    s.name = "nightly";
    s.hold = true;
  }});
  run_to_end(first);
  pass_minutes(2);
  EXPECT_EQ(state(current()), "PENDING") << "it is younger than the held job";
  ask(ActOnJobs{JobVerb::Cancel, {later}});
  EXPECT_EQ(state(current()), "CONFIGURING");
}

}  // namespace
}  // namespace cox
