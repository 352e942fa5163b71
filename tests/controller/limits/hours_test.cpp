// Tests limits for hours of the week in the controller: partitions that are open and quotas that
// hold only by night.
#include <gtest/gtest.h>

#include "common/base/moment_text.h"
#include "common/base/text.h"
#include "common/syntax/accounting_request.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

// Partition main is always open, partition night by night. The week begins on Monday, 2026-11-23.
class ByHours : public testing::Test, public Bench {
 protected:
  // No node becomes silent within 10,000 hours, and no lease ends, so a test may let hours pass
  // without heartbeats.
  ByHours() {
    config.node_timeout = std::chrono::hours{10'000};
    config.lease = Milliseconds{0};
    config.hours["nights"] = *parse_week_hours("Mon-Fri 18:00-08:00");
    config.hours["weekends"] = *parse_week_hours("Sat 08:00-24:00, Sun");
    PartitionConfig night;
    night.name = "night";
    night.hours = "nights";
    config.partitions.push_back(night);
    now.wall = moment("23T17:00:00");
    restart();
    node("n1", 8);
  }
  static Wall moment(const std::string& day_and_clock) {
    return *parse_moment("2026-11-" + day_and_clock + "Z");
  }
  void until(const std::string& day_and_clock) { pass(moment(day_and_clock) - now.wall); }

  static Ask in(const std::string& partitions) {
    return {.with = [partitions](JobSpec& s) { s.partition = partitions; }};
  }
  JobId start_in(const std::string& partitions) {
    const JobId id = submit(in(partitions));
    ready(id);
    return id;
  }
  JobDetail detail(JobId id) { return std::get<JobDetail>(ask(ShowJob{id}).body); }
  std::string reason(JobId id) { return std::string(name(detail(id).view.reason)); }
  std::string why(JobId id) { return detail(id).why.back(); }
  PartitionView partition_night() {
    return std::get<NodeList>(ask(ListNodes{}).body).partitions.at(1);
  }
};

TEST_F(ByHours, AClosedPartitionAcceptsJobsAndStartsThemWhenItOpens) {
  const JobId waiting = submit(in("night"));
  const JobId elsewhere = submit(in("night,main"));
  EXPECT_EQ(attempt(elsewhere).partition, "main");
  EXPECT_EQ(state(waiting), "PENDING");
  EXPECT_EQ(reason(waiting), "PartitionDown");
  EXPECT_EQ(why(waiting),
            "partition night is closed until 2026-11-23T18:00:00Z (hours nights: Mon-Fri "
            "18:00-08:00)");
  EXPECT_TRUE(partition_night().closed);
  EXPECT_EQ(partition_night().turns, moment("23T18:00:00"));
  until("23T17:59:59");
  EXPECT_EQ(state(waiting), "PENDING");
  EXPECT_EQ(store.tables().waits.at(waiting).reason, "PartitionDown");
  until("23T18:00:00");
  EXPECT_EQ(state(waiting), "CONFIGURING");
  EXPECT_FALSE(partition_night().closed);
  EXPECT_EQ(partition_night().hours, "nights: Mon-Fri 18:00-08:00");
  EXPECT_EQ(partition_night().turns, moment("24T08:00:00"));
}

TEST_F(ByHours, AJobThatWaitsForAPartitionToOpenHasAnExpectedStart) {
  const JobId waiting = submit(in("night"));
  EXPECT_EQ(detail(waiting).view.expected_start, moment("23T18:00:00"));
  pass(std::chrono::seconds{30});
  EXPECT_EQ(store.tables().waits.at(waiting).expected_start, moment("23T18:00:00"));
}

TEST_F(ByHours, AJobWhoseDeadlineIsBeforeThePartitionOpensIsRefused) {
  SubmitJob s;
  s.spec.command = {"train"};
  s.spec.work_dir = "/home/u";
  s.spec.partition = "night";
  s.spec.time_limit_s = 600;
  s.spec.deadline = moment("23T18:09:59");
  EXPECT_EQ(refusal_of(ask(s)),
            "it cannot end by its deadline: it must start by 2026-11-23T17:59:59Z, and "
            "partition night is closed until 2026-11-23T18:00:00Z (hours nights: Mon-Fri "
            "18:00-08:00)");
  s.spec.deadline = moment("23T18:10:00");
  EXPECT_EQ(refusal_of(ask(s)), "");
}

TEST_F(ByHours, APartitionThatClosesLetsJobsRunOnAndStartsNoOthers) {
  until("23T20:00:00");
  const JobId running = start_in("night");
  const JobId first = submit({.tasks = 8, .with = [](JobSpec& s) { s.partition = "night"; }});
  EXPECT_EQ(reason(first), "Resources");
  until("24T08:00:00");
  EXPECT_EQ(state(running), "RUNNING");
  EXPECT_EQ(reason(first), "PartitionDown");
  finish(running, 0);
  EXPECT_EQ(state(first), "PENDING") << "there is room, and the partition is closed";
  until("24T18:00:00");
  EXPECT_EQ(state(first), "CONFIGURING");
}

TEST_F(ByHours, AControllerThatStartsByNightAppliesTheHoursOfTheNight) {
  const JobId by_day = submit(in("night"));
  now.wall = moment("24T02:00:00");
  restart();
  node("n1", 8);
  EXPECT_EQ(state(by_day), "CONFIGURING");
  ready(by_day);
  const JobId second = submit({.tasks = 8, .with = [](JobSpec& s) { s.partition = "night"; }});
  now.wall = moment("24T12:00:00");
  restart();
  EXPECT_EQ(reason(second), "PartitionDown") << "by day the hours of the day apply";
}

TEST_F(ByHours, APartitionThatIsDownIsNotOpenedByItsHours) {
  ask(UpdatePartitions{{"night"}, {{"State", "DOWN"}}});
  const JobId waiting = submit(in("night"));
  const std::string is_down = "partition night is DOWN; `cox partition up night` opens it again";
  EXPECT_EQ(why(waiting), is_down) << "its hours would open it at 18:00";
  until("23T18:00:00");
  EXPECT_EQ(why(waiting), is_down);
  ask(UpdatePartitions{{"night"}, {{"State", "UP"}}});
  EXPECT_EQ(state(waiting), "CONFIGURING");
}

// Quotas of the account physics, which the user ada charges.
class QuotaByHours : public ByHours {
 protected:
  QuotaByHours() {
    sacctmgr("add account physics");
    sacctmgr("add user ada account=physics");
  }
  std::string sacctmgr(const std::string& command) {
    const Reply reply = ask(Administer{*split_words(command), false});
    const auto* done = std::get_if<Administered>(&reply.body);
    pass(Milliseconds{0});
    return done != nullptr ? joined(done->lines, "\n") : refusal_of(reply);
  }
  JobId submit_of(std::int64_t tasks) { return submit({.tasks = tasks}); }
  std::string refusal(std::int64_t tasks) {
    SubmitJob s;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.tasks = tasks;
    return refusal_of(ask(s));
  }
  TresList limit() {
    return controller->cluster().accounting().accounts().account("physics")->limits.grp_tres;
  }
};

TEST_F(QuotaByHours, AHigherQuotaHoldsByNightAndThePendingReasonSaysWhich) {
  sacctmgr("modify account physics set grptres=cpu=2,cpu=6@nights");
  const JobId first = submit_of(2);
  ready(first);
  const JobId second = submit_of(3);
  EXPECT_EQ(reason(second), "AssocGrpCpuLimit");
  EXPECT_EQ(why(second),
            "account physics: GrpTRES cpu is 2: 2 in use by job 1 of ada, and it asks "
            "for 3; it cannot start before 2026-11-23T18:00:00Z when other hours begin")
      << "whatever becomes of job 1";
  until("23T18:00:00");
  EXPECT_EQ(state(second), "CONFIGURING");
  ready(second);
  const JobId third = submit_of(2);
  EXPECT_EQ(why(third),
            "account physics: GrpTRES cpu (hours nights) is 6 until 2026-11-24T08:00:00Z, when "
            "other hours begin: 5 in use by jobs 2, 1 of ada, and it asks for 2");
  until("24T08:00:00");
  EXPECT_EQ(state(second), "RUNNING") << "no running job is stopped";
  finish(second, 0);
  EXPECT_EQ(why(third),
            "account physics: GrpTRES cpu is 2 until 2026-11-24T18:00:00Z, when other hours begin: "
            "2 in use by job 1 of ada, and it asks for 2");
  finish(first, 0);
  EXPECT_EQ(state(third), "CONFIGURING");
}

// What a subaccount deserves counts as deserved by its parent account. So jobs that cannot be
// preempted of the parent's other users may use it, but only in the hours of that share.
TEST_F(QuotaByHours, WhatASubaccountDeservesByNightCountsForItsParentByNightOnly) {
  sacctmgr("add account lattice parent=physics");
  sacctmgr("modify account physics set deserved=cpu=2");
  sacctmgr("modify account lattice set deserved=cpu=2,cpu=5@nights");
  const JobId first = submit({.tasks = 4, .qos = "critical"});
  const JobId second = submit({.tasks = 4, .qos = "critical"});
  EXPECT_EQ(state(first), "PENDING");
  until("23T18:00:00");
  ASSERT_EQ(state(first), "CONFIGURING");
  ready(first);
  until("24T08:00:00");
  finish(first, 0);
  EXPECT_EQ(state(second), "PENDING") << "the night is over";
  until("24T18:00:00");
  EXPECT_EQ(state(second), "CONFIGURING");
}

TEST_F(QuotaByHours, ARestartByNightAppliesTheQuotaOfTheNight) {
  sacctmgr("modify account physics set grptres=cpu=2,cpu=6@nights");
  const JobId job = submit_of(5);
  EXPECT_EQ(state(job), "PENDING");
  now.wall = moment("24T02:00:00");
  restart();
  node("n1", 8);
  EXPECT_EQ(state(job), "CONFIGURING");
}

TEST_F(QuotaByHours, QuotasForRemovedHoursAreIgnoredAndLogged) {
  sacctmgr("modify account physics set grptres=cpu=2,cpu=6@nights");
  config.hours.erase("nights");
  config.partitions.pop_back();
  controller->take<LogLine>();
  restart();
  node("n1", 8);
  std::string log;
  for (const LogLine& line : controller->take<LogLine>()) log += line.text + "\n";
  EXPECT_NE(log.find("account=\"physics\" message=\"unknown hours \\\"nights\\\"\""),
            std::string::npos)
      << log;
  until("23T18:00:00");
  EXPECT_EQ(refusal(3), "account physics has GrpTRES=cpu=2, and the job asks for 3");
}

TEST_F(QuotaByHours, AJobIsRefusedOnlyIfNoHoursWouldAllowIt) {
  sacctmgr("modify account physics set grptres=cpu=2,cpu=6@nights,cpu=4@weekends");
  EXPECT_EQ(refusal(7), "account physics has GrpTRES=cpu=6@nights, and the job asks for 7");
  EXPECT_EQ(refusal(6), "");
  sacctmgr("modify account physics set grptres=cpu=-1");
  EXPECT_EQ(refusal(7), "") << "by day there is no limit";
  config.hours["days"] = *parse_week_hours("08:00-18:00");
  config.hours["nights"] = *parse_week_hours("18:00-08:00");
  restart();
  sacctmgr("modify account physics set grptres=cpu=-1@weekends,cpu=1@days");
  EXPECT_EQ(refusal(7), "account physics has GrpTRES=cpu=6@nights, and the job asks for 7")
      << "days and nights cover the whole week";
}

TEST_F(QuotaByHours, UnknownAndOverlappingHoursAreRefused) {
  config.hours["fridays"] = *parse_week_hours("Fri");
  restart();
  struct Row {
    const char* limit;
    const char* refusal;
  };
  for (const auto& [limit, refusal] :
       std::vector<Row>{{"grptres=cpu=4@night", "unknown hours \"night\""},
                        {"grptres=cpu=4@", "grptres: \"cpu=4@\" names no hours"},
                        {"grptres=cpu=4@nights,mem=1G@fridays,cpu=2@fridays",
                         "GrpTRES has cpu for hours nights and for hours fridays, which overlap"},
                        {"grptresmins=cpu=4@nights",
                         "grptresmins: cpu=4@nights names hours, which are not allowed here"}})
    EXPECT_EQ(sacctmgr(std::string("modify account physics set ") + limit), refusal);
  EXPECT_EQ(limit(), TresList{});
  sacctmgr("modify account physics set grptres=cpu=4@nights,cpu=2,mem=1G@fridays");
  sacctmgr("modify account physics set grptres=cpu=-1@nights,mem=2G@fridays");
  EXPECT_EQ(format_tres(limit()), "cpu=2,mem=2G@fridays")
      << "each TRES and its hours are set separately";
}

}  // namespace
}  // namespace cox
