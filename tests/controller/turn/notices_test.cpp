// Tests notices about jobs: mail to users who ask for it, and runs of the site's own program for
// every job.
#include "controller/turn/notices.h"

#include <gtest/gtest.h>

#include "tests/controller/array_story.h"

namespace cox {
namespace {

class Notices : public JobArrays {
 protected:
  JobId asking_for(const std::string& types, const std::string& array = "") {
    return submit({.with = [&](JobSpec& spec) {
      spec.name = "train";
      spec.mail_type = types;
      spec.array = array;
    }});
  }
  JobId timed(const std::string& types, std::int64_t limit_s) {
    return submit({.with = [&](JobSpec& spec) {
      spec.name = "train";
      spec.mail_type = types;
      spec.time_limit_s = limit_s;
    }});
  }
  void run_and_end(JobId id, std::int32_t exit_code) {
    ready(id);
    now.boot += Milliseconds{90'000};
    now.wall += Milliseconds{90'000};
    AttemptStatus ended = status_of(id, NodePhase::Running);
    ended.ranks.emplace_back();
    ended.ranks[0].phase = RankPhase::Exited;
    ended.ranks[0].exit_code = exit_code;
    const std::string node = attempt(id).nodes.at(0).grant.node;
    status(node, ended);
    status(node, status_of(id, NodePhase::Gone));
  }
  // Returns "subject → recipient" for each notice that is a mail.
  std::vector<std::string> mail() {
    std::vector<std::string> all;
    for (const Notice& notice : controller->take<Notice>())
      if (!notice.to.empty()) all.push_back(mail_subject(notice) + " → " + notice.to);
    return all;
  }
  std::vector<std::string> events() {
    std::vector<std::string> all;
    for (const Notice& notice : controller->take<Notice>())
      all.push_back(event_name(notice) + " " + std::to_string(notice.job.id.value));
    return all;
  }
  using Texts = std::vector<std::string>;
};

TEST_F(Notices, MailIsSentForTheRequestedEvents) {
  node("n1", 2);
  const JobId id = asking_for("BEGIN,END");
  EXPECT_EQ(mail(), Texts{}) << "it is being prepared";
  run_and_end(id, 0);
  EXPECT_EQ(mail(), (Texts{"Slurm Job_id=1 Name=train Began, Queued time 00:00:00 → ada",
                           "Slurm Job_id=1 Name=train Ended, Run time 00:01:30, COMPLETED, "
                           "ExitCode 0 → ada"}));
  run_and_end(asking_for("FAIL"), 3);
  EXPECT_EQ(mail(), (Texts{"Slurm Job_id=2 Name=train Failed, Run time 00:01:30, FAILED, "
                           "ExitCode 3 → ada"}));
  run_and_end(asking_for("FAIL"), 0);
  run_and_end(asking_for(""), 1);
  EXPECT_EQ(mail(), Texts{});
}

TEST_F(Notices, AnArraySendsMailForItsFirstBeginAndItsLastEnd) {
  node("n1", 1);
  const JobId array = asking_for("ALL", "0-1");
  run_and_end(task(array, 0), 1);
  EXPECT_EQ(mail(), (Texts{"Slurm Array Summary Job_id=1_* (1) Name=train Began, Queued time "
                           "00:00:00 → ada"}));
  run_and_end(task(array, 1), 0);
  EXPECT_EQ(mail(), (Texts{"Slurm Array Summary Job_id=1_* (1) Name=train Ended, Mixed → ada"}));
}

TEST_F(Notices, AnArrayWhoseTasksBeginTogetherSendsOneMail) {
  node("n1", 3);
  const JobId array = asking_for("ALL", "0-2");
  for (int i = 0; i < 3; ++i) ready(task(array, i));
  EXPECT_EQ(mail(), (Texts{"Slurm Array Summary Job_id=1_* (1) Name=train Began, Queued time "
                           "00:00:00 → ada"}));
}

TEST_F(Notices, ATaskSendsItsOwnMailIfArrayTasksIsRequested) {
  node("n1", 1);
  const JobId array = asking_for("END,ARRAY_TASKS", "4-5");
  run_and_end(task(array, 4), 0);
  EXPECT_EQ(mail(), (Texts{"Slurm Job_id=1_4 Name=train Ended, Run time 00:01:30, COMPLETED, "
                           "ExitCode 0 → ada"}));
}

TEST_F(Notices, MailIsSentForEachRequestedShareOfTheTimeLimit) {
  node("n1", 2);
  const JobId id = timed("TIME_LIMIT,TIME_LIMIT_50,TIME_LIMIT_80,TIME_LIMIT_90", 100);
  ready(id);
  const std::string head = "Slurm Job_id=1 Name=train Reached ";
  pass_with_beats(Milliseconds{49'000}, {"n1"});
  EXPECT_EQ(mail(), Texts{});
  pass_with_beats(Milliseconds{2'000}, {"n1"});
  EXPECT_EQ(mail(), Texts{head + "50% of time limit, Run time 00:00:50 → ada"});
  pass(Milliseconds{40'000});
  EXPECT_EQ(mail(), Texts{head + "90% of time limit, Run time 00:01:31 → ada"})
      << "the last of two that are due";
  pass_with_beats(Milliseconds{8'000}, {"n1"});
  EXPECT_EQ(mail(), Texts{});
  pass_with_beats(Milliseconds{2'000}, {"n1"});
  finish(id, 143);
  EXPECT_EQ(state(id), "TIMEOUT");
  EXPECT_EQ(mail(), Texts{head + "time limit, Run time 00:01:41 → ada"});
}

TEST_F(Notices, MailForAShareOfTheTimeLimitFollowsTheCurrentLimit) {
  node("n1", 2);
  const JobId all = timed("ALL", 100), one = timed("TIME_LIMIT_80", 200);
  ready(all);
  ready(one);
  mail();
  pass_with_beats(Milliseconds{90'000}, {"n1"});
  EXPECT_EQ(mail(), Texts{}) << "ALL includes no share, and no job asked for mail at 50%";
  ask(UpdateJobs{{one}, {}, {"TimeLimit"}, {"2"}});
  pass_with_beats(Milliseconds{8'000}, {"n1"});
  EXPECT_EQ(mail(), Texts{"Slurm Job_id=2 Name=train Reached 80% of time limit, Run time "
                          "00:01:36 → ada"});
  pass_with_beats(Milliseconds{3'000}, {"n1"});
  finish(all, 143);
  EXPECT_EQ(mail(), Texts{"Slurm Job_id=1 Name=train Failed, Run time 00:01:41, TIMEOUT, "
                          "ExitCode 0 → ada"});
}

TEST_F(Notices, ANewControllerDoesNotRepeatTheMailOfAnEarlierOne) {
  node("n1", 2);
  const JobId id = timed("TIME_LIMIT_50,TIME_LIMIT_80", 100);
  ready(id);
  pass_with_beats(Milliseconds{60'000}, {"n1"});
  EXPECT_EQ(mail().size(), 1U);
  restart();
  pass(Milliseconds{5'000});
  EXPECT_EQ(state(id), "RUNNING");
  EXPECT_EQ(mail(), Texts{});
}

TEST_F(Notices, TheSitesProgramIsToldOfTheBeginRequeueAndEndOfAJobWithoutMail) {
  node("n1", 1);
  const JobId id = asking_for("");
  ready(id);
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  status("n1", status_of(id, NodePhase::Gone));
  EXPECT_EQ(events(), (Texts{"began 1", "requeued 1"}));
  run_and_end(id, 0);
  EXPECT_EQ(events(), (Texts{"began 1", "ended 1"}));
}

TEST(Mail, MailHasNoLinesInjectedByNames) {
  Notice notice;
  JobSpec spec;
  spec.name = "x\nBcc: everybody";
  spec.user_name = "ada";
  notice.job.spec = spec;
  notice.to = "ada\nCc: eve";
  const std::string text = mail_text(notice, "lab");
  EXPECT_EQ(text.find("\nBcc:"), std::string::npos);
  EXPECT_EQ(text.find("\nCc:"), std::string::npos);
}

}  // namespace
}  // namespace cox
