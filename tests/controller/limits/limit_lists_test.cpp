// Tests the list of limits that bind one job: their names and reasons in messages, and how much
// each allows.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "common/job/job.h"
#include "controller/limits/qos_limits.h"

namespace cox {
namespace {

// The limits of one job of ada in account lattice, which is below physics.
class LimitLists : public testing::Test {
 protected:
  LimitLists() {
    gold.name = "gold";
    spec.user_name = "ada";
    spec.account = "lattice";
    spec.qos = "gold";
    spec.time_limit_s = 3600;
    Association root, physics, lattice, ada;
    root.account = "root";
    physics.account = "physics";
    physics.parent = "root";
    lattice.account = ada.account = "lattice";
    lattice.parent = "physics";
    ada.user_name = "ada";
    for (Association* one : {&root, &physics, &lattice, &ada}) {
      one->id = accounts.next();
      accounts.put(*one);
    }
  }
  void limit(const std::string& account, const std::string& user,
             const std::function<void(AssociationLimits&)>& set) {
    Association one = *accounts.find(account, user, "");
    set(one.limits);
    accounts.put(one);
  }
  // Returns a line "REASON OWNER: LIMIT COUNT" for each limit that binds the job. A limit of
  // TRES-minutes also shows the seconds for which the job counts.
  std::string lines(LimitRegistry& in_use, const Binding& binding,
                    const Binding& everywhere) const {
    std::string text;
    for (const schedule::Limit& one :
         *in_use.of(binding, everywhere, PreemptionYield::Wholly, spec, accounts)) {
      const schedule::LimitName shown = in_use.name_of(one);
      text += std::string(name(shown.reason)) + " " + shown.text + " " +
              std::to_string(one.most.count) +
              (one.seconds > 0 ? " for " + std::to_string(one.seconds) + " s" : "") + "\n";
    }
    return text;
  }
  std::string lines() const {
    LimitRegistry in_use;
    return lines(in_use, {&gold}, {&gold});
  }

  Qos gold;
  Accounts accounts;
  JobSpec spec;
};

TEST_F(LimitLists, EachLimitOfAQosHasItsNameAndItsReason) {
  gold.limits.grp_jobs = 3;
  gold.limits.grp_tres = *parse_tres("node=1,cpu=2,mem=3M,gres/gpu=4,gres/nic=5,license/ansys=6");
  gold.limits.max_jobs_per_user = 7;
  gold.limits.max_tres_per_user =
      *parse_tres("node=8,cpu=9,mem=10M,gres/gpu=11,gres/nic=12,license/ansys=13");
  gold.limits.grp_tres_mins =
      *parse_tres("node=14,cpu=15,mem=16M,gres/gpu=17,gres/nic=18,license/ansys=19");
  gold.limits.grp_wall_s = 61;
  EXPECT_EQ(lines(),
            "QOSGrpJobsLimit QOS gold: GrpJobs 3\n"
            "QOSGrpNodeLimit QOS gold: GrpTRES node 1\n"
            "QOSGrpCpuLimit QOS gold: GrpTRES cpu 2\n"
            "QOSGrpMemLimit QOS gold: GrpTRES mem 3\n"
            "QOSGrpGRES QOS gold: GrpTRES gres/gpu 4000\n"
            "QOSGrpGRES QOS gold: GrpTRES gres/nic 5\n"
            "QOSGrpLicense QOS gold: GrpTRES license/ansys 6\n"
            "QOSMaxJobsPerUserLimit QOS gold: MaxJobsPerUser of user ada 7\n"
            "QOSMaxNodePerUserLimit QOS gold: MaxTRESPerUser node of user ada 8\n"
            "QOSMaxCpuPerUserLimit QOS gold: MaxTRESPerUser cpu of user ada 9\n"
            "QOSMaxMemoryPerUser QOS gold: MaxTRESPerUser mem of user ada 10\n"
            "QOSMaxGRESPerUser QOS gold: MaxTRESPerUser gres/gpu of user ada 11000\n"
            "QOSMaxGRESPerUser QOS gold: MaxTRESPerUser gres/nic of user ada 12\n"
            "QOSMaxLicensePerUser QOS gold: MaxTRESPerUser license/ansys of user ada 13\n"
            "QOSGrpNodeMinutes QOS gold: GrpTRESMins node 840 for 3600 s\n"
            "QOSGrpCPUMinutesLimit QOS gold: GrpTRESMins cpu 900 for 3600 s\n"
            "QOSGrpMemoryMinutes QOS gold: GrpTRESMins mem 960 for 3600 s\n"
            "QOSGrpGRESMinutes QOS gold: GrpTRESMins gres/gpu 1020000 for 3600 s\n"
            "QOSGrpGRESMinutes QOS gold: GrpTRESMins gres/nic 1080 for 3600 s\n"
            "QOSGrpLicense QOS gold: GrpTRESMins license/ansys 1140 for 3600 s\n"
            "QOSGrpWallLimit QOS gold: GrpWall 120 for 3600 s\n")
      << "minutes are rounded up, and counted in seconds";
}

TEST_F(LimitLists, EachLimitOfAnAccountHasItsNameAndItsReason) {
  limit("physics", "", [](AssociationLimits& l) {
    l.grp_jobs = 3;
    l.grp_tres = *parse_tres("node=1,cpu=2,mem=3M,gres/gpu=4,gres/nic=5,license/ansys=6");
    l.grp_tres_mins = *parse_tres("node=14,cpu=15,mem=16M,gres/gpu=17,gres/nic=18");
    l.grp_wall_s = 60;
  });
  limit("lattice", "ada", [](AssociationLimits& l) { l.max_jobs = 9; });
  limit("lattice", "", [](AssociationLimits& l) { l.grp_jobs = 8; });
  EXPECT_EQ(lines(),
            "AssocGrpJobsLimit account lattice: GrpJobs 8\n"
            "AssocGrpJobsLimit account physics: GrpJobs 3\n"
            "AssocGrpNodeLimit account physics: GrpTRES node 1\n"
            "AssocGrpCpuLimit account physics: GrpTRES cpu 2\n"
            "AssocGrpMemLimit account physics: GrpTRES mem 3\n"
            "AssocGrpGRES account physics: GrpTRES gres/gpu 4000\n"
            "AssocGrpGRES account physics: GrpTRES gres/nic 5\n"
            "AssocGrpLicense account physics: GrpTRES license/ansys 6\n"
            "AssocGrpNodeMinutes account physics: GrpTRESMins node 840 for 3600 s\n"
            "AssocGrpCPUMinutesLimit account physics: GrpTRESMins cpu 900 for 3600 s\n"
            "AssocGrpMemMinutes account physics: GrpTRESMins mem 960 for 3600 s\n"
            "AssocGrpGRESMinutes account physics: GrpTRESMins gres/gpu 1020000 for 3600 s\n"
            "AssocGrpGRESMinutes account physics: GrpTRESMins gres/nic 1080 for 3600 s\n"
            "AssocGrpWallLimit account physics: GrpWall 60 for 3600 s\n"
            "AssocMaxJobsLimit user ada in account lattice: MaxJobs 9\n");
}

TEST_F(LimitLists, ALimitOfAQosReplacesThatOfTheAccountsIfTheQosBindsTheJobInAllPartitions) {
  limit("physics", "", [](AssociationLimits& l) {
    l.grp_jobs = 3;
    l.grp_tres = *parse_tres("node=1,cpu=2");
    l.grp_tres_mins = *parse_tres("node=3,cpu=4");
    l.grp_wall_s = 60;
    l.max_jobs = 5;
  });
  gold.limits.grp_jobs = 6;
  gold.limits.grp_tres = *parse_tres("cpu=7");
  gold.limits.grp_tres_mins = *parse_tres("cpu=8");
  gold.limits.grp_wall_s = 540;
  gold.limits.max_jobs_per_user = 10;
  EXPECT_EQ(lines(),
            "QOSGrpJobsLimit QOS gold: GrpJobs 6\n"
            "QOSGrpCpuLimit QOS gold: GrpTRES cpu 7\n"
            "QOSMaxJobsPerUserLimit QOS gold: MaxJobsPerUser of user ada 10\n"
            "QOSGrpCPUMinutesLimit QOS gold: GrpTRESMins cpu 480 for 3600 s\n"
            "QOSGrpWallLimit QOS gold: GrpWall 540 for 3600 s\n"
            "AssocGrpNodeLimit account physics: GrpTRES node 1\n"
            "AssocGrpNodeMinutes account physics: GrpTRESMins node 180 for 3600 s\n");
  Qos own;
  own.name = "own";
  LimitRegistry in_use;
  EXPECT_EQ(lines(in_use, {&gold, &own}, {&own}),
            "QOSGrpJobsLimit QOS gold: GrpJobs 6\n"
            "QOSGrpCpuLimit QOS gold: GrpTRES cpu 7\n"
            "QOSMaxJobsPerUserLimit QOS gold: MaxJobsPerUser of user ada 10\n"
            "QOSGrpCPUMinutesLimit QOS gold: GrpTRESMins cpu 480 for 3600 s\n"
            "QOSGrpWallLimit QOS gold: GrpWall 540 for 3600 s\n"
            "AssocGrpJobsLimit account physics: GrpJobs 3\n"
            "AssocGrpNodeLimit account physics: GrpTRES node 1\n"
            "AssocGrpCpuLimit account physics: GrpTRES cpu 2\n"
            "AssocGrpNodeMinutes account physics: GrpTRESMins node 180 for 3600 s\n"
            "AssocGrpCPUMinutesLimit account physics: GrpTRESMins cpu 240 for 3600 s\n"
            "AssocGrpWallLimit account physics: GrpWall 60 for 3600 s\n"
            "AssocMaxJobsLimit user ada in account lattice: MaxJobs 5\n")
      << "gold is the QOS of one of the job's partitions";
}

TEST_F(LimitLists, AJobWithoutATimeLimitIsChargedForTheLongestTimeLimit) {
  gold.limits.grp_tres_mins = *parse_tres("cpu=15");
  spec.time_limit_s = 0;
  EXPECT_EQ(lines(), "QOSGrpCPUMinutesLimit QOS gold: GrpTRESMins cpu 900 for " +
                         std::to_string(limits::time_limit_s_max) + " s\n");
}

TEST_F(LimitLists, AUserWithoutAnAccountHasOnlyTheLimitsOfTheQos) {
  limit("root", "", [](AssociationLimits& l) { l.grp_jobs = 1, l.max_jobs = 1; });
  gold.limits.grp_jobs = 2;
  spec.user_name = "eve";
  EXPECT_EQ(lines(), "QOSGrpJobsLimit QOS gold: GrpJobs 2\n");
}

TEST_F(LimitLists, ALimitForNamedHoursHoldsDuringThoseHours) {
  limit("physics", "", [](AssociationLimits& l) {
    l.grp_tres = *parse_tres_by_hours("cpu=4,cpu=8@nights,node=2");
  });
  LimitRegistry in_use;
  const auto hours = [&] {
    std::vector<std::size_t> counts;
    for (const schedule::Limit& one :
         *in_use.of({&gold}, {&gold}, PreemptionYield::Wholly, spec, accounts))
      counts.push_back(in_use.hours_of(one).count("nights"));
    return counts;
  };
  EXPECT_EQ(lines(in_use, {&gold}, {&gold}),
            "AssocGrpCpuLimit account physics: GrpTRES cpu 4\n"
            "AssocGrpNodeLimit account physics: GrpTRES node 2\n");
  EXPECT_EQ(hours(), (std::vector<std::size_t>{1, 0})) << "the limit of CPUs may differ by night";
  in_use.set_open_hours({"nights"});
  EXPECT_EQ(lines(in_use, {&gold}, {&gold}),
            "AssocGrpCpuLimit account physics: GrpTRES cpu (hours nights) 8\n"
            "AssocGrpNodeLimit account physics: GrpTRES node 2\n");
  EXPECT_EQ(hours(), (std::vector<std::size_t>{1, 0}));
}

TEST_F(LimitLists, TheThrottleOfAnArrayIsTheFirstLimitOfItsTasks) {
  gold.limits.grp_jobs = 2;
  LimitRegistry in_use;
  const auto& plain = in_use.of({&gold}, {&gold}, PreemptionYield::Wholly, spec, accounts);
  const Shared<schedule::Limits> list = in_use.of_array(plain, JobId{17}, 4);
  ASSERT_EQ(list->size(), 2U);
  const schedule::LimitName shown = in_use.name_of(list->at(0));
  EXPECT_EQ(shown.reason, WaitReason::JobArrayTaskLimit);
  EXPECT_EQ(shown.text + ", of " + shown.owner, "ArrayTaskThrottle of array 17, of array 17");
  EXPECT_EQ(list->at(0).most.count, 4);
  EXPECT_EQ(list->at(1), plain->at(0));
  EXPECT_TRUE(in_use.of_array(plain, JobId{17}, 4).is(list)) << "the same list";
  EXPECT_EQ(in_use.of_array(plain, JobId{17}, 5)->at(0).most.count, 5);
}

TEST_F(LimitLists, OneLimitIsSharedByAllJobsThatItBinds) {
  gold.limits.grp_jobs = 2;
  gold.limits.max_jobs_per_user = 3;
  LimitRegistry in_use;
  const schedule::Limits adas =
      *in_use.of({&gold}, {&gold}, PreemptionYield::Wholly, spec, accounts);
  spec.user_name = "bob";
  const schedule::Limits bobs =
      *in_use.of({&gold}, {&gold}, PreemptionYield::Wholly, spec, accounts);
  ASSERT_EQ(adas.size(), 2U);
  ASSERT_EQ(bobs.size(), 2U);
  EXPECT_EQ(adas[0].id, bobs[0].id) << "all jobs of the QOS share it";
  EXPECT_NE(adas[1].id, bobs[1].id) << "each user has one";
}

}  // namespace
}  // namespace cox
