// Tests which submissions a limit refuses: none that just meets it, and all beyond it, each with a
// whole sentence.
#include <gtest/gtest.h>

#include "common/job/job.h"
#include "controller/limits/qos_limits.h"

namespace cox {
namespace {

using SpecEdit = std::function<void(JobSpec&)>;

JobSpec spec_with(const SpecEdit& edit) {
  JobSpec spec;
  spec.user_name = "ada";
  spec.account = "lattice";
  spec.qos = "gold";
  spec.nodes = spec.tasks = spec.cpus_per_task = 1;
  if (edit) edit(spec);
  return spec;
}

std::string refusal_text(const Failure& failure) {
  return failure ? failure->fact + " / " + failure->hint : "";
}

Qos gold_with(const std::function<void(QosLimits&)>& set) {
  Qos qos;
  qos.name = "gold";
  set(qos.limits);
  return qos;
}

// Returns the refusal of this job by a QOS gold with MaxTRESPerJob=`tres`; "" if it is allowed.
std::string at_most(const std::string& tres, const SpecEdit& edit) {
  const Qos gold = gold_with([&](QosLimits& l) { l.max_tres_per_job = *parse_tres(tres); });
  const Failure failure = check_qos_limits(gold, spec_with(edit), "");
  return failure ? failure->fact : "";
}

TEST(CheckLimits, EachTresIsCountedOverTheWholeJob) {
  struct Row {
    const char* fits;
    const char* too_small;
    const char* asks_for;
    SpecEdit job;
  };
  const std::vector<Row> rows{
      {"node=3", "node=2", "3", [](JobSpec& s) { s.nodes = 3; }},
      {"cpu=6", "cpu=5", "6", [](JobSpec& s) { s.tasks = 3, s.cpus_per_task = 2; }},
      {"mem=20M", "mem=19M", "20M", [](JobSpec& s) { s.nodes = 2, s.memory_mb_per_node = 10; }},
      {"gres/gpu=6", "gres/gpu=5", "6", [](JobSpec& s) { s.nodes = 2, s.gpus_per_node = 3; }},
      {"gres/gpu:h100=6", "gres/gpu:h100=5", "6",
       [](JobSpec& s) { s.nodes = 2, s.gpus_per_node = 3, s.gpu_type = "h100"; }},
      {"gres/nic=4", "gres/nic=3", "4", [](JobSpec& s) { s.nodes = 2, s.gres = "nic:2"; }},
      {"gres/nic:ib=2", "gres/nic:ib=1", "2", [](JobSpec& s) { s.gres = "nic:ib:2"; }},
      {"license/ansys=2", "license/ansys=1", "2",
       [](JobSpec& s) { s.nodes = 2, s.licences = "matlab:5,ansys:2"; }}};
  for (const auto& [fits, too_small, asks_for, job] : rows) {
    EXPECT_EQ(at_most(fits, job), "");
    EXPECT_EQ(at_most(too_small, job), "QOS gold has MaxTRESPerJob=" + std::string(too_small) +
                                           ", and the job asks for " + asks_for);
  }
}

TEST(CheckLimits, ALimitOfATypeOfGpuCountsThatTypeAlone) {
  for (const char* other : {"", "h200", "h100+h200", "h200+h100"})
    EXPECT_EQ(
        at_most("gres/gpu:h100=1", [&](JobSpec& s) { s.gpus_per_node = 2, s.gpu_type = other; }),
        "")
        << other;
  EXPECT_EQ(at_most("gres/nic:ib=1", [](JobSpec& s) { s.gres = "nic:eth:2,tape:2"; }), "");
  EXPECT_EQ(at_most("gres/nic=2", [](JobSpec& s) { s.gres = "nic:ib:2,nic:eth:1"; }),
            "QOS gold has MaxTRESPerJob=gres/nic=2, and the job asks for 3");
  EXPECT_EQ(at_most("license/ansys=1", [](JobSpec& s) { s.licences = "matlab:2"; }), "");
}

TEST(CheckLimits, AllComponentsOfAHeterogeneousJobCountAndItsLicencesOnce) {
  const auto three = [](JobSpec& s) {
    s.nodes = s.tasks = 2;
    s.licences = "ansys:3";
    JobSize other;
    other.nodes = other.tasks = 4;
    other.cpus_per_task = 1;
    s.components = {other, other};
  };
  EXPECT_EQ(at_most("node=10,license/ansys=3", three), "");
  EXPECT_EQ(at_most("node=9", three), "QOS gold has MaxTRESPerJob=node=9, and the job asks for 10");
  EXPECT_EQ(at_most("license/ansys=2", three),
            "QOS gold has MaxTRESPerJob=license/ansys=2, and the job asks for 3");
}

// Each row has one limit, which a job of two CPUs and one hour just meets.
TEST(CheckLimits, EachLimitOfAQosHoldsAndIsNamed) {
  struct Row {
    std::function<void(QosLimits&)> fits;
    std::function<void(QosLimits&)> refuses;
    const char* refusal;
  };
  const auto tres = [](const char* text) { return *parse_tres(text); };
  const std::vector<Row> rows{
      {[&](QosLimits& l) { l.max_tres_per_user = tres("cpu=2"); },
       [&](QosLimits& l) { l.max_tres_per_user = tres("cpu=1"); },
       "QOS gold has MaxTRESPerUser=cpu=1, and the job asks for 2"},
      {[&](QosLimits& l) { l.grp_tres = tres("cpu=2"); },
       [&](QosLimits& l) { l.grp_tres = tres("cpu=1"); },
       "QOS gold has GrpTRES=cpu=1, and the job asks for 2"},
      {[&](QosLimits& l) { l.min_tres_per_job = tres("cpu=2"); },
       [&](QosLimits& l) { l.min_tres_per_job = tres("cpu=3"); },
       "QOS gold has MinTRESPerJob=cpu=3, and the job asks for 2"},
      {[&](QosLimits& l) { l.grp_tres_mins = tres("cpu=120"); },
       [&](QosLimits& l) { l.grp_tres_mins = tres("cpu=119"); },
       "QOS gold has GrpTRESMins=cpu=119, and the job asks for 120: cpu=2 for 01:00:00"},
      {[](QosLimits& l) { l.grp_wall_s = 3600; }, [](QosLimits& l) { l.grp_wall_s = 3599; },
       "QOS gold has GrpWall=00:59:59, and the job asks for 01:00:00"},
      {[](QosLimits& l) { l.max_wall_s = 3600; }, [](QosLimits& l) { l.max_wall_s = 3599; },
       "QOS gold has MaxWall=00:59:59, and the job asks for 01:00:00"}};
  const JobSpec spec = spec_with([](JobSpec& s) { s.tasks = 2, s.time_limit_s = 3600; });
  for (const Row& row : rows) {
    EXPECT_EQ(refusal_text(check_qos_limits(gold_with(row.fits), spec, "")), "") << row.refusal;
    const Failure failure = check_qos_limits(gold_with(row.refuses), spec, "");
    EXPECT_EQ(failure ? failure->fact : "", row.refusal);
  }
  const Qos walled = gold_with([](QosLimits& l) { l.max_wall_s = 3600; });
  EXPECT_EQ(refusal_text(check_qos_limits(walled, spec_with({}), "the default of QOS gold")),
            "QOS gold has MaxWall=01:00:00, and the job asks for UNLIMITED (no --time was given: "
            "that is the default of QOS gold) / ask for less with --time, or for another QOS or "
            "account");
  const Qos small = gold_with([&](QosLimits& l) { l.max_tres_per_job = tres("cpu=1"); });
  EXPECT_EQ(refusal_text(check_qos_limits(small, spec, "")),
            "QOS gold has MaxTRESPerJob=cpu=1, and the job asks for 2 / ask for another amount, or "
            "for another QOS or account; `cox show qos` and `sacctmgr show association` list them");
}

TEST(CheckLimits, ARefusalByGrpTresMinsSaysHowLongTheJobMayRun) {
  const auto minutes = [](const char* most, const SpecEdit& edit,
                          const schedule::Whole& whole = {}) {
    const Qos gold = gold_with([&](QosLimits& l) { l.grp_tres_mins = *parse_tres(most); });
    return refusal_text(check_qos_limits(gold, spec_with(edit), "", whole));
  };
  const auto two_hours = [](JobSpec& s) { s.tasks = 2, s.time_limit_s = 7200; };
  const std::string has = "QOS gold has GrpTRESMins=cpu=100, and the job ";
  EXPECT_EQ(
      minutes("cpu=100", [](JobSpec& s) { s.tasks = 2; }),
      has +
          "needs a time limit for it / give one with --time; at most --time=00:50:00 fits, and "
          "less while some of it is used");
  EXPECT_EQ(minutes("cpu=100", two_hours),
            has +
                "asks for 240: cpu=2 for 02:00:00 / ask for less time with --time, or for "
                "fewer CPUs, or for another QOS or account; at most --time=00:50:00 fits, and less "
                "while some of it is used");
  EXPECT_EQ(minutes("gres/gpu=1", two_hours), "") << "the job asks for no GPU";
  EXPECT_EQ(minutes("cpu=0", two_hours),
            "QOS gold has GrpTRESMins=cpu=0, and the job asks for 240: cpu=2 for 02:00:00 / ask "
            "for fewer CPUs, or for another QOS or account");
  EXPECT_TRUE(minutes("node=0", two_hours)
                  .ends_with("/ ask for fewer nodes, or for another QOS or account"));
  schedule::WholeNode whole;
  whole.cpus = 8;
  EXPECT_EQ(minutes("cpu=960", two_hours, whole), "");
  EXPECT_EQ(
      minutes("cpu=959", two_hours, whole),
      "QOS gold has GrpTRESMins=cpu=959, and the job asks for 960: cpu=8 (whole nodes, "
      "which the job has to itself) for 02:00:00 / ask for less time with --time, or for fewer "
      "CPUs, or for another QOS or account; at most --time=01:59:52 fits, and less while "
      "some of it is used");
  whole.cpus = 2;
  EXPECT_EQ(minutes("cpu=239", two_hours, whole).find("to itself"), std::string::npos);
}

TEST(CheckLimits, ARefusalByGrpTresMinsNamesTheLongestTimeThatFitsAndTheSourceOfTheTime) {
  const auto minutes = [](std::int64_t cpus, std::int64_t time_s, const TimeFrom& from) {
    const Qos gold = gold_with([&](QosLimits& l) {
      l.grp_tres_mins = {{Tres::Cpus, "", "", cpus}};
    });
    const JobSpec spec = spec_with([&](JobSpec& s) { s.tasks = 2, s.time_limit_s = time_s; });
    return refusal_text(check_qos_limits(gold, spec, from));
  };
  EXPECT_EQ(minutes(1'000'000'000, 0, ""),
            "QOS gold has GrpTRESMins=cpu=1000000000, and the job needs a time limit for it / "
            "give one with --time; at most --time=366-00:00:00 fits, and less while some of it is "
            "used")
      << "the longest time limit there is";
  EXPECT_EQ(minutes(119, 3600, "the default of partition main").substr(0, 156),
            "QOS gold has GrpTRESMins=cpu=119, and the job asks for 120: cpu=2 for 01:00:00 (no "
            "--time was given: that is the default of partition main) / ask for less t");
  EXPECT_EQ(minutes(0, 0, ""),
            "QOS gold has GrpTRESMins=cpu=0, and the job needs a time limit for it / give one "
            "with --time");
}

TEST(CheckLimits, GresAndLicencesThatCannotBeParsedCountAsNothing) {
  EXPECT_EQ(at_most("gres/nic=0", [](JobSpec& s) { s.gres = "nic:x:y:z"; }), "");
  EXPECT_EQ(at_most("gres/nic=0", [](JobSpec&) {}), "");
  EXPECT_EQ(at_most("license/ansys=0", [](JobSpec& s) { s.licences = "ansys:x"; }), "");
  EXPECT_EQ(at_most("license/ansys=0", [](JobSpec&) {}), "");
  EXPECT_EQ(
      at_most("gres/gpu:h100=0", [](JobSpec& s) { s.gpus_per_node = 1, s.gpu_type = "h100:x:y"; }),
      "");
}

// Submitted so far: two jobs of ada and one of bob. They count for the QOS and for all accounts of
// the two users.
class CheckSubmitLimits : public testing::Test {
 protected:
  CheckSubmitLimits() {
    Association root, physics, lattice, ada, bob;
    root.account = "root";
    physics.account = "physics";
    physics.parent = "root";
    lattice.account = ada.account = bob.account = "lattice";
    lattice.parent = "physics";
    ada.user_name = "ada";
    bob.user_name = "bob";
    for (Association* one : {&root, &physics, &lattice, &ada, &bob}) {
      one->id = accounts.next();
      accounts.put(*one);
    }
    submit("ada", 2);
    submit("bob", 1);
  }
  void submit(const std::string& user, std::int64_t jobs) {
    const JobSpec spec = spec_with([&](JobSpec& s) { s.user_name = user; });
    in_use.count_submitted({&gold}, spec, accounts, jobs);
  }
  std::string of_all(std::int64_t most, std::int64_t more, const std::string& array = "") {
    gold.limits.grp_submit_jobs = most;
    const JobSpec spec = spec_with([&](JobSpec& s) { s.array = array; });
    return refusal_text(check_submit_limits(gold, in_use, spec, more));
  }
  void limit(const std::string& account, const std::string& user,
             const std::function<void(AssociationLimits&)>& set) {
    Association one = *accounts.find(account, user, "");
    one.limits = {};
    set(one.limits);
    accounts.put(one);
  }
  std::string of_accounts(std::int64_t jobs, const JobSpec& spec = spec_with({})) {
    std::map<AssociationId, std::int64_t> more;
    count_submitted(more, accounts, spec, jobs);
    return refusal_text(check_submit_limits(accounts, in_use, spec, more));
  }

  Qos gold = gold_with([](QosLimits&) {});
  Accounts accounts;
  LimitRegistry in_use;
};

TEST_F(CheckSubmitLimits, ARefusalSaysHowManyJobsMayBeSubmittedNow) {
  const std::string elsewhere = "choose another QOS or account";
  const std::string has = "QOS gold has GrpSubmitJobs=";
  const std::string there = "there are 3 jobs that wait or run (ada 2, bob 1)";
  const std::string shows = ", or " + elsewhere + "; `cox queue` shows them";
  EXPECT_EQ(of_all(4, 1), "");
  EXPECT_EQ(of_all(3, 1), has + "3, and " + there + " / wait until some have ended" + shows);
  EXPECT_EQ(of_all(4, 2), has + "4, and " + there +
                              "; the request asks for 2 jobs more / submit at most 1 now, wait "
                              "until some have ended" +
                              shows);
  EXPECT_EQ(of_all(3, 2, "0-1"), has + "3, and " + there +
                                     "; the array asks for 2 tasks more / wait until some have "
                                     "ended" +
                                     shows);
  EXPECT_EQ(of_all(4, 5, "0-4"),
            has + "4: the array asks for 5 tasks, and at most 4 may wait or run; now " + there +
                " / submit at most 1 now, and more when some have ended, or " + elsewhere);
  EXPECT_EQ(of_all(3, 4, "0-1"),
            has + "3: the request asks for 4 jobs, and at most 3 may wait or run; now " + there +
                " / wait until some have ended, and submit at most 3 at a time, or " + elsewhere);
  EXPECT_EQ(of_all(0, 1), has + "0, so no job may be submitted / " + elsewhere);
  gold.limits = {};
  in_use.forget_submitted();
  EXPECT_EQ(of_all(1, 2), has +
                              "1: the request asks for 2 jobs, and at most 1 may wait or run / "
                              "submit at most 1 at a time, or " +
                              elsewhere);
}

TEST_F(CheckSubmitLimits, TheJobsOfEachUserAreCountedSeparately) {
  gold.limits.max_submit_jobs_per_user = 3;
  EXPECT_EQ(refusal_text(check_submit_limits(gold, in_use, spec_with({}), 1)), "");
  gold.limits.max_submit_jobs_per_user = 2;
  EXPECT_EQ(check_submit_limits(gold, in_use, spec_with({}), 1)->fact,
            "QOS gold has MaxSubmitJobsPerUser=2, and ada has 2 jobs that wait or run");
  const JobSpec bobs = spec_with([](JobSpec& s) { s.user_name = "bob"; });
  EXPECT_EQ(refusal_text(check_submit_limits(gold, in_use, bobs, 1)), "");
  gold.limits.max_submit_jobs_per_user = 1;
  EXPECT_EQ(check_submit_limits(gold, in_use, bobs, 1)->fact,
            "QOS gold has MaxSubmitJobsPerUser=1, and bob has 1 job that waits or runs");
}

TEST_F(CheckSubmitLimits, TheLimitsOfAllAccountsUpToTheRootApply) {
  EXPECT_EQ(of_accounts(1'000), "");
  limit("physics", "", [](AssociationLimits& l) { l.grp_submit_jobs = 4; });
  EXPECT_EQ(of_accounts(1), "");
  EXPECT_EQ(
      of_accounts(2).substr(0, 85),
      "account physics has GrpSubmitJobs=4, and there are 3 jobs that wait or run (ada 2, bo");
  limit("physics", "", [](AssociationLimits& l) { l.max_submit_jobs = 2; });
  EXPECT_EQ(of_accounts(1).substr(0, 72),
            "account physics has MaxSubmitJobs=2, and ada has 2 jobs that wait or run");
  limit("lattice", "ada", [](AssociationLimits& l) { l.max_submit_jobs = 3; });
  EXPECT_EQ(of_accounts(1), "") << "the user's own limit replaces that of an account above";
  EXPECT_EQ(of_accounts(2).substr(0, 53), "user ada in account lattice has MaxSubmitJobs=3, and ");
}

TEST_F(CheckSubmitLimits, OneJobIsWrittenInTheSingular) {
  submit("bob", -1);
  submit("ada", -1);
  EXPECT_EQ(of_all(1, 1),
            "QOS gold has GrpSubmitJobs=1, and there is 1 job that waits or runs (ada 1) / wait "
            "until some have ended, or choose another QOS or account; `cox queue` shows them");
  submit("ada", -1);
  EXPECT_EQ(of_all(1, 1), "");
  EXPECT_EQ(in_use.submitters(gold), "");
}

TEST_F(CheckSubmitLimits, AUserWithoutAnAccountIsBoundByNoLimitOfAccounts) {
  limit("root", "", [](AssociationLimits& l) { l.grp_submit_jobs = 0; });
  const JobSpec eves = spec_with([](JobSpec& s) { s.user_name = "eve"; });
  EXPECT_EQ(of_accounts(1, eves), "");
  EXPECT_EQ(of_accounts(1),
            "account root has GrpSubmitJobs=0, so no job may be submitted / choose another QOS or "
            "account");
}

TEST_F(CheckSubmitLimits, TheThreeUsersWithTheMostJobsAreNamed) {
  EXPECT_EQ(in_use.submitters(gold), "ada 2, bob 1");
  submit("cem", 3);
  EXPECT_EQ(in_use.submitters(gold), "cem 3, ada 2, bob 1");
  submit("dan", 1);
  EXPECT_EQ(in_use.submitters(gold), "cem 3, ada 2, bob 1, ...");
  submit("cem", -3);
  submit("dan", -1);
  EXPECT_EQ(in_use.submitters(gold), "ada 2, bob 1");
  EXPECT_EQ(in_use.submitters(AssociationId{2}), "ada 2, bob 1") << "account physics";
  EXPECT_EQ(in_use.submitted(AssociationId{4}), 2) << "ada's own";
  EXPECT_EQ(in_use.submitted(gold), 3);
  EXPECT_EQ(in_use.submitted(gold, "bob"), 1);
}

class CheckAssociationLimits : public CheckSubmitLimits {
 protected:
  std::string fact(const SpecEdit& edit, PreemptionYield yields = PreemptionYield::Wholly) {
    const Failure failure =
        check_association_limits(gold, yields, accounts, {}, spec_with(edit), "");
    return failure ? failure->fact : "";
  }
  const SpecEdit two_for_an_hour = [](JobSpec& s) { s.tasks = 2, s.time_limit_s = 3600; };
};

TEST_F(CheckAssociationLimits, EachLimitOfAnAssociationHoldsUnlessTheQosHasTheSame) {
  struct Row {
    std::function<void(AssociationLimits&)> fits;
    std::function<void(AssociationLimits&)> refuses;
    const char* refusal;
    std::function<void(QosLimits&)> instead;  // the same limit of a QOS; null if QOS lack it
  };
  const auto tres = [](const char* text) { return *parse_tres(text); };
  for (const Row& row : std::vector<Row>{
           {[&](auto& l) { l.max_tres_per_job = tres("cpu=2"); },
            [&](auto& l) { l.max_tres_per_job = tres("cpu=1"); },
            "MaxTRES=cpu=1, and the job asks "
            "for 2",
            [&](QosLimits& l) { l.max_tres_per_job = tres("node=9"); }},
           {[&](auto& l) { l.max_tres_mins_per_job = tres("cpu=120"); },
            [&](auto& l) { l.max_tres_mins_per_job = tres("cpu=119"); },
            "MaxTRESMins=cpu=119, and the job asks for 120: cpu=2 for 01:00:00",
            {}},
           {[&](auto& l) { l.max_wall_s = 3600; }, [&](auto& l) { l.max_wall_s = 3599; },
            "MaxWall=00:59:59, and the job asks for 01:00:00",
            [](QosLimits& l) { l.max_wall_s = 7200; }},
           {[&](auto& l) { l.grp_tres = tres("cpu=2"); },
            [&](auto& l) { l.grp_tres = tres("cpu=1"); }, "GrpTRES=cpu=1, and the job asks for 2",
            [&](QosLimits& l) { l.grp_tres = tres("cpu=9"); }},
           {[&](auto& l) { l.grp_tres_mins = tres("cpu=120"); },
            [&](auto& l) { l.grp_tres_mins = tres("cpu=119"); },
            "GrpTRESMins=cpu=119, and the job asks for 120: cpu=2 for 01:00:00",
            [&](QosLimits& l) { l.grp_tres_mins = tres("cpu=999"); }},
           {[&](auto& l) { l.grp_wall_s = 3600; }, [&](auto& l) { l.grp_wall_s = 3599; },
            "GrpWall=00:59:59, and the job asks for 01:00:00",
            [](QosLimits& l) { l.grp_wall_s = 7200; }}}) {
    limit("physics", "", row.fits);
    EXPECT_EQ(fact(two_for_an_hour), "") << row.refusal;
    limit("physics", "", row.refuses);
    EXPECT_EQ(fact(two_for_an_hour), "account physics has " + std::string(row.refusal));
    if (!row.instead) continue;
    row.instead(gold.limits);
    EXPECT_EQ(fact(two_for_an_hour), "") << row.refusal;
    gold.limits = {};
  }
}

TEST_F(CheckAssociationLimits, AQosReplacesOnlyALimitOfTheSameTres) {
  limit("physics", "", [](AssociationLimits& l) {
    l.grp_tres = *parse_tres("cpu=1");
    l.grp_tres_mins = *parse_tres("node=1");
  });
  gold.limits.grp_tres = *parse_tres("node=9");
  EXPECT_EQ(fact(two_for_an_hour), "account physics has GrpTRES=cpu=1, and the job asks for 2");
  gold.limits.grp_tres = *parse_tres("cpu=9");
  gold.limits.grp_tres_mins = *parse_tres("cpu=999");
  EXPECT_EQ(fact(two_for_an_hour),
            "account physics has GrpTRESMins=node=1, and the job asks for 60: node=1 for 01:00:00");
}

TEST_F(CheckAssociationLimits, TheNearestLimitOfAJobHoldsAndNamesItsOwner) {
  limit("physics", "",
        [](AssociationLimits& l) { l.max_tres_mins_per_job = *parse_tres("cpu=60"); });
  const JobSpec spec = spec_with(two_for_an_hour);
  const auto refusal = [&] {
    return refusal_text(
        check_association_limits(gold, PreemptionYield::Wholly, accounts, {}, spec, "default"));
  };
  EXPECT_EQ(refusal(),
            "account physics has MaxTRESMins=cpu=60, and the job asks for 120: cpu=2 for 01:00:00 "
            "(no --time was given: that is default) / ask for less time with --time, or for fewer "
            "CPUs, or for another QOS or account; at most --time=00:30:00 fits");
  limit("lattice", "ada",
        [](AssociationLimits& l) { l.max_tres_mins_per_job = *parse_tres("cpu=120"); });
  EXPECT_EQ(refusal(), "") << "the user's own limit replaces that of an account above";
  const JobSpec eves = spec_with([](JobSpec& s) { s.user_name = "eve", s.tasks = 999; });
  limit("root", "", [](AssociationLimits& l) { l.grp_tres = *parse_tres("cpu=1"); });
  EXPECT_EQ(
      refusal_text(check_association_limits(gold, PreemptionYield::Never, accounts, {}, eves, "")),
      "")
      << "eve is in no account";
}

TEST_F(CheckAssociationLimits, JobsThatCannotBePreemptedStayWithinWhatTheirAccountDeserves) {
  limit("physics", "", [](AssociationLimits& l) { l.deserved = *parse_tres("cpu=1,gres/gpu=1"); });
  const auto two_gpus = [](JobSpec& s) { s.gpus_per_node = 2; };
  EXPECT_EQ(fact(two_gpus), "");
  EXPECT_EQ(fact([](JobSpec& s) { s.gpus_per_node = 1; }, PreemptionYield::Never), "");
  EXPECT_EQ(fact(two_for_an_hour, PreemptionYield::CpusAlone), "");
  EXPECT_EQ(fact(two_for_an_hour, PreemptionYield::Never),
            "account physics deserves cpu=1, and jobs of QOS gold cannot be preempted, so they may "
            "use no more; the job asks for 2");
  EXPECT_EQ(fact(two_gpus, PreemptionYield::CpusAlone),
            "account physics deserves gres/gpu=1, and jobs of QOS gold are only suspended, which "
            "frees just their CPUs, so they may use no more; the job asks for 2");
}

}  // namespace
}  // namespace cox
