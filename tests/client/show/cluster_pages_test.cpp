// Tests whole pages of other commands of cox: reservations, checkpoints, QOS, the cluster,
// accounts, licences, and the results of requests.
#include <gtest/gtest.h>

#include <algorithm>

#include "client/show/show_accounts.h"
#include "client/show/show_acted.h"
#include "client/show/show_checkpoints.h"
#include "client/show/show_cluster.h"
#include "client/show/show_licences.h"
#include "client/show/show_reservations.h"
#include "client/show/show_tested.h"
#include "client/show/show_words.h"
#include "common/base/text.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

Screen coloured_noon() {
  Screen screen = at_noon();
  screen.colour = true;
  return screen;
}

ReservationView a_reservation_of_the_page() {
  ReservationView view;
  AdvanceReservation& one = view.reservation;
  one.name = "class";
  one.begin = before(at_noon(), minute_ms);
  one.end = before(at_noon(), -60 * minute_ms);
  one.nodes = {"n1", "n2"};
  one.nodes_asked = "n[1-2]";
  one.node_count = 2;
  one.features = "fast";
  one.tres = "cpu=8";
  one.partition = "main";
  one.users = {"ada"};
  one.flex = true;
  one.changed = before(at_noon(), 3 * minute_ms);
  one.changed_by = "user root";
  return view;
}

TEST(RefusalText, indents_each_line_of_a_log) {
  EXPECT_EQ(refusal_text({"there is no job 9", ""}), "cox: there is no job 9\n");
  EXPECT_EQ(refusal_text({"there is no job 9", "see cox queue"}),
            "cox: there is no job 9\n     see cox queue\n");
  EXPECT_EQ(refusal_text({"controller has ended; the end of log:", "  no \x1b[31mpage\n  bye\n"}),
            "cox: controller has ended; the end of log:\n       no ?[31mpage\n       bye\n");
}

TEST(ReservationPage, shows_the_request_and_the_jobs_in_it) {
  ReservationView view = a_reservation_of_the_page();
  EXPECT_EQ(show_reservation(view, at_noon()),
            "reservation  class\n"
            "state        INACTIVE\n"
            "begins       2026-11-21 12:59:00 (1 min ago)\n"
            "ends         2026-11-21 14:00:00 (in 1 h)\n"
            "nodes        2: n[1-2]\n"
            "asked for    Nodes=n[1-2] NodeCnt=2 Features=fast TRES=cpu=8 PartitionName=main\n"
            "for          user ada\n"
            "flags        FLEX\n"
            "changed      2026-11-21 12:57:00 (3 min ago) by user root\n");
  view.active = true;
  view.running = {JobId{4}, JobId{7}};
  view.waiting = {JobId{8}};
  view.reservation.node_count = 0;
  view.reservation.nodes_asked = "";
  EXPECT_EQ(show_reservation(view, at_noon()),
            "reservation     class\n"
            "state           ACTIVE\n"
            "begins          2026-11-21 12:59:00 (1 min ago)\n"
            "ends            2026-11-21 14:00:00 (in 1 h)\n"
            "nodes           2: n[1-2]\n"
            "asked for       Features=fast TRES=cpu=8 PartitionName=main\n"
            "for             user ada\n"
            "flags           FLEX\n"
            "jobs in it      4, 7\n"
            "jobs that wait  8\n"
            "changed         2026-11-21 12:57:00 (3 min ago) by user root\n");
}

Screen narrow_noon() {
  Screen screen = at_noon();
  screen.width = 80;
  return screen;
}

std::size_t longest_line(const std::string& page) {
  std::size_t longest = 0;
  for (const std::string_view line : split(page, '\n')) longest = std::max(longest, line.size());
  return longest;
}

TEST(ReservationsPage, lists_each_with_its_state_and_its_jobs) {
  ReservationList list;
  list.reservations.resize(3, a_reservation_of_the_page());
  list.reservations[0].active = true;
  list.reservations[0].running = {JobId{4}, JobId{7}};
  list.reservations[1].reservation.name = "lab";
  list.reservations[1].waiting = {JobId{8}};
  list.reservations[2].reservation.name = "none";
  EXPECT_EQ(show_reservations(list, coloured_noon()),
            "\033[1mRESERVATION\033[0m  \033[1mSTATE\033[0m     \033[1mBEGINS\033[0m               "
            "\033[1mENDS\033[0m                 \033[1mNODES\033[0m  \033[1mNODELIST\033[0m  "
            "\033[1mFLAGS\033[0m  \033[1mFOR\033[0m       \033[1mJOBS\033[0m\n"
            "class        \033[32mACTIVE\033[0m    2026-11-21 12:59:00  2026-11-21 14:00:00      2 "
            " n[1-2]    FLEX   user ada  2 run, 0 wait\n"
            "lab          INACTIVE  2026-11-21 12:59:00  2026-11-21 14:00:00      2  n[1-2]    "
            "FLEX   user ada  0 run, 1 wait\n"
            "none         INACTIVE  2026-11-21 12:59:00  2026-11-21 14:00:00      2  n[1-2]    "
            "FLEX   user ada\n");
  const std::string page = show_reservations(list, narrow_noon());
  EXPECT_LE(longest_line(page), 80U) << page;
  for (const char* kept : {"RESERVATION", "BEGINS", "n[1-2]", "user ada", "2 run, 0 wait"})
    EXPECT_NE(page.find(kept), std::string::npos) << kept << " in\n" << page;
  EXPECT_EQ(show_reservations({}, at_noon()),
            "There are no reservations. An administrator makes one with `cox reserve create`.\n");
}

TEST(CheckpointsPage, shows_each_with_its_state_and_when_it_is_removed) {
  CheckpointList list;
  list.checkpoints.resize(4);
  for (std::size_t i = 0; i < 4; ++i) {
    CheckpointView& view = list.checkpoints[i];
    view.job_name = "digits";
    view.user_name = "ada";
    view.state = JobState::Running;
    view.checkpoint.key.job = JobId{17};
    view.checkpoint.key.attempt = AttemptNumber{2};
    view.checkpoint.step = static_cast<std::int64_t>(10 * i);
    view.checkpoint.bytes = 1024;
    view.checkpoint.committed = before(at_noon(), 3 * minute_ms);
  }
  list.checkpoints[1].kept_until = before(at_noon(), -5 * minute_ms);
  list.checkpoints[1].checkpoint.damaged = true;
  list.checkpoints[2].checkpoint.pruned = true;
  list.checkpoints[2].checkpoint.damaged = true;
  list.checkpoints[2].kept_until = before(at_noon(), -5 * minute_ms);
  list.checkpoints[3].job_name = "x\033[2J";
  EXPECT_EQ(
      show_checkpoints(list, at_noon()),
      "JOB  NAME    USER  STATE    STEP  ATTEMPT     SIZE  SAVED      CHECKPOINT     REMOVED\n"
      " 17  digits  ada   RUNNING     0        2  1.0 KiB  3 min ago  good           no\n"
      " 17  digits  ada   RUNNING    10        2  1.0 KiB  3 min ago  damaged        in 5 min\n"
      " 17  digits  ada   RUNNING    20        2  1.0 KiB  3 min ago  being removed  now\n"
      " 17  x?[2J   ada   RUNNING    30        2  1.0 KiB  3 min ago  good           no\n"
      "4 checkpoints, 4.0 KiB\n");
  list.checkpoints[0].job_name = "a_long_name_of_a_training_run";
  const std::string page = show_checkpoints(list, narrow_noon());
  EXPECT_LE(longest_line(page), 80U) << page;
  for (const char* kept : {"STEP", "SIZE", "being removed", "in 5 min"})
    EXPECT_NE(page.find(kept), std::string::npos) << kept << " in\n" << page;
  list.checkpoints[0].job_name = "digits";
  list.checkpoints.resize(1);
  EXPECT_EQ(show_checkpoints(list, at_noon()),
            "JOB  NAME    USER  STATE    STEP  ATTEMPT     SIZE  SAVED      CHECKPOINT  REMOVED\n"
            " 17  digits  ada   RUNNING     0        2  1.0 KiB  3 min ago  good        no\n"
            "1 checkpoint, 1.0 KiB\n");
  list.checkpoints[0].array_job = JobId{16};
  list.checkpoints[0].array_task = 3;
  EXPECT_EQ(show_checkpoints(list, at_noon()),
            " JOB  NAME    USER  STATE    STEP  ATTEMPT     SIZE  SAVED      CHECKPOINT  REMOVED\n"
            "16_3  digits  ada   RUNNING     0        2  1.0 KiB  3 min ago  good        no\n"
            "1 checkpoint, 1.0 KiB\n");
  EXPECT_EQ(show_checkpoints({}, at_noon()), "No checkpoints.\n");
}

TEST(OrphansPage, lists_folders_without_a_checkpoint_and_without_a_live_attempt) {
  CheckpointList list;
  list.checkpoints.resize(1);
  list.checkpoints[0].folder = "/ckpt/17-a/attempt-1/step-10";
  list.live_folders = {"/ckpt/18-b/attempt-1"};
  const std::vector<CheckpointFolder> found = {
      {"/ckpt/17-a/attempt-1/step-10", 1},    // known
      {"/ckpt/17-a/attempt-1/step-20", 512},  // an orphan
      {"/ckpt/18-b/attempt-1", 2},            // live
      {"/ckpt/18-b/attempt-1/step-5", 3},     // inside the folder of a live attempt
      {"/ckpt/18-b", 4},                      // contains the folder of a live attempt
      // Begins with the name of the live attempt-1, but is another folder.
      {"/ckpt/18-b/attempt-10", 1024},
      {"/ckpt/18", 2048},  // a beginning of the live folder's name, but another folder
  };
  const std::vector<CheckpointFolder> orphans = orphans_of(list, found);
  EXPECT_EQ(show_orphans(orphans),
            "512 B  /ckpt/17-a/attempt-1/step-20\n"
            "1.0 KiB  /ckpt/18-b/attempt-10\n"
            "2.0 KiB  /ckpt/18\n"
            "3 folders, 3.5 KiB\n"
            "No job can resume from these; remove them with rm -r if nobody needs them.\n");
  EXPECT_EQ(show_orphans({orphans[0]}),
            "512 B  /ckpt/17-a/attempt-1/step-20\n"
            "1 folder, 512 B\n"
            "No job can resume from these; remove them with rm -r if nobody needs them.\n");
  EXPECT_EQ(show_orphans({}), "Every checkpoint folder belongs to a checkpoint in the database.\n");
}

TEST(QosPage, shows_the_preemption_and_the_limits_of_each) {
  ClusterView view;
  const auto add = [&view](const std::string& name, PreemptMode mode, std::int64_t grace_ms) {
    Qos& qos = view.tiers.emplace_back();
    qos.name = name;
    qos.tier = static_cast<std::int32_t>(view.tiers.size());
    qos.preempt_mode = mode;
    qos.grace_ms = grace_ms;
  };
  add("off", PreemptMode::Off, 60'000);
  add("suspend", PreemptMode::Suspend, 60'000);
  add("save", PreemptMode::Checkpoint, 60'000);
  add("at-once", PreemptMode::Checkpoint, 0);
  add("requeue", PreemptMode::Requeue, 1'000);
  add("cancel", PreemptMode::Cancel, 0);
  QosLimits& limits = view.tiers[0].limits;
  limits.kept_tres = *parse_tres("cpu=1");
  limits.grp_tres = *parse_tres("cpu=2");
  limits.grp_jobs = 3;
  limits.grp_submit_jobs = 4;
  limits.grp_tres_mins = *parse_tres("cpu=5");
  limits.grp_wall_s = 360;
  limits.max_tres_per_user = *parse_tres("cpu=7");
  limits.max_jobs_per_user = 8;
  limits.max_submit_jobs_per_user = 9;
  limits.max_tres_per_job = *parse_tres("cpu=10");
  limits.min_tres_per_job = *parse_tres("cpu=11");
  limits.max_wall_s = 720;
  EXPECT_EQ(show_qos(view, at_noon()),
            "QOS      TIER  PREEMPTION                               LIMITS\n"
            "off         1  never preempted                          KeptTRES=cpu=1  "
            "GrpTRES=cpu=2  GrpJobs=3  GrpSubmitJobs=4  GrpTRESMins=cpu=5  GrpWall=00:06:00  "
            "MaxTRESPerUser=cpu=7  MaxJobsPerUser=8  MaxSubmitJobsPerUser=9  MaxTRESPerJob=cpu=10  "
            "MinTRESPerJob=cpu=11  MaxWall=00:12:00\n"
            "suspend     2  preempted: suspended, and resumed later  none\n"
            "save        3  preempted: requeued, with 60 s to save   none\n"
            "at-once     4  preempted: requeued at once              none\n"
            "requeue     5  preempted: requeued, with 1 s to stop    none\n"
            "cancel      6  preempted: cancelled at once             none\n");
}

TEST(ClusterPage, shows_nodes_jobs_the_database_and_each_qos) {
  ClusterView view;
  view.name = "lake";
  view.version = "0.1.0";
  view.term = Term{4};
  view.nodes = 7;
  view.nodes_responding = 6;
  view.jobs_pending = 5;
  view.jobs_live = 3;
  view.database = "away since 2026-11-21T11:59:00Z";
  view.tiers.resize(1);
  view.tiers[0].name = "standard";
  view.tiers[0].tier = 1;
  view.estimates = {10, 30'000, 300'000, 774};
  NodeView drained;
  drained.node.name = "n4";
  drained.node.drained_by = DrainedBy::Failures;
  drained.node.reason = "4 failures lately";
  EXPECT_EQ(show_cluster(view, {drained}, at_noon()),
            "cluster           lake\n"
            "version           0.1.0\n"
            "term              4\n"
            "database          away since 2026-11-21 12:59:00 (1 min ago)\n"
            "nodes             6 of 7 responding\n"
            "jobs              3 running, 5 pending\n"
            "drained           n4 is drained for a fault of its own: 4 failures lately -> find the "
            "cause in the log of cox-worker there, then 'cox resume n4'\n"
            "qos standard      tier 1; preempted: requeued, with 60 s to save\n"
            "estimated starts  of 10, half were off by 30 s or less, nine of ten by 5 min or less; "
            "77 % by a minute or a tenth of the wait at most\n");
}

TEST(AccountsPage, shows_the_tree_with_shares_usage_and_limits) {
  AssociationList list;
  list.associations.resize(5);
  const auto set = [&list](std::size_t at, const std::string& account, const std::string& user,
                           const std::string& parent) -> AssociationView& {
    Association& one = list.associations[at].association;
    one.account = account;
    one.user_name = user;
    one.parent = parent;
    return list.associations[at];
  };
  set(0, "root", "", "");
  AssociationView& physics = set(1, "physics", "", "root");
  physics.association.shares_of_parent = true;
  physics.held = *parse_tres("cpu=3,node=1");
  physics.held[1].count = 0;
  physics.minutes_used = *parse_tres("cpu=110");
  physics.association.limits.grp_wall_s = 3600;
  physics.wall_used_s = 1;
  physics.association.qos = {"high", "low"};
  AssociationView& ada = set(2, "physics", "ada", "");
  ada.association.shares = 3;
  ada.association.partition = "gpu";
  ada.association.is_default = true;
  ada.shares_part = 0.25;
  ada.usage_part = 0.5;
  ada.fair_share = 0.125;
  ada.running = 2;
  ada.submitted = 5;
  ada.association.qos = {"high"};
  AssociationLimits& limits = set(3, "art", "", "root").association.limits;
  limits.guarantee = *parse_tres("cpu=1");
  limits.deserved = *parse_tres("cpu=2");
  limits.grp_tres = *parse_tres("cpu=3");
  limits.grp_jobs = 4;
  limits.grp_submit_jobs = 5;
  limits.grp_tres_mins = *parse_tres("cpu=6");
  limits.grp_wall_s = 420;
  limits.max_tres_per_job = *parse_tres("cpu=8");
  limits.max_tres_mins_per_job = *parse_tres("cpu=9");
  limits.max_jobs = 10;
  limits.max_submit_jobs = 11;
  limits.max_wall_s = 720;
  set(4, "art", "bob", "");
  EXPECT_EQ(show_accounts(list, coloured_noon()),
            "\033[1mACCOUNT OR USER\033[0m   \033[1mSHARES\033[0m  \033[1mENTITLED\033[0m   "
            "\033[1mUSED\033[0m  \033[1mFAIRSHARE\033[0m  \033[1mRUN\033[0m  \033[1mWAIT\033[0m  "
            "\033[1mHAS\033[0m                                         \033[1mLIMITS\033[0m\n"
            "\033[1mroot\033[0m                          0.0%   0.0%               0     0\n"
            "\033[1m  physics\033[0m         parent      0.0%   0.0%               0     0  cpu=3 "
            "GrpTRESMins=cpu=110 GrpWall=00:00:01  GrpWall=01:00:00 QOS=high,low\n"
            "    ada in gpu *       3     25.0%  50.0%      0.125    2     3                       "
            "                       QOS=high\n"
            "\033[1m  art\033[0m                  1      0.0%   0.0%               0     0  "
            "GrpWall=00:00:00                            Guarantee=cpu=1 Deserved=cpu=2 "
            "GrpTRES=cpu=3 GrpJobs=4 GrpSubmitJobs=5 GrpTRESMins=cpu=6 GrpWall=00:07:00 "
            "MaxTRES=cpu=8 MaxTRESMins=cpu=9 MaxJobs=10 MaxSubmitJobs=11 MaxWall=00:12:00\n"
            "    bob                1      0.0%   0.0%      0.000    0     0\n"
            "* the account of jobs that name none\n");
  list.associations.resize(1);
  EXPECT_EQ(show_accounts(list, at_noon()),
            "There are no accounts; jobs run without them. An administrator adds them with "
            "sacctmgr add account NAME.\n");
}

TEST(ActedPage, names_each_refused_job_or_node_once) {
  const Acted acted{{{"17", "cancelled", {}},
                     {"n1", "", Refusal{"node n1 is unknown", ""}},
                     {"18", "", Refusal{"it has ended", "see sacct"}}}};
  const Shown shown = show_acted(acted, at_noon());
  EXPECT_EQ(shown.out, "17: cancelled\n");
  EXPECT_EQ(shown.err, "cox: node n1 is unknown\ncox: 18: it has ended\n     see sacct\n");
  EXPECT_EQ(show_acted({{acted.outcomes[0]}}, at_noon()).exit_code, exit_ok);
}

TEST(TestedPage, says_when_a_job_would_start_and_how_certain_that_is) {
  JobTested tested;
  tested.view = a_job(JobState::Pending).view;
  tested.view.partition = "main";
  tested.view.reason = WaitReason::Resources;
  tested.view.reason_detail = "2 nodes are busy";
  tested.why = {"2 nodes are busy"};
  EXPECT_EQ(show_tested(tested, at_noon()), "It would wait. Reason: Resources\n2 nodes are busy\n");
  EXPECT_EQ(show_tested_as_slurm(tested, at_noon()),
            "sbatch: Job 17 to wait: Resources: 2 nodes are busy\n");
  tested.at_the_latest = true;
  tested.view.expected_start = at_noon().now;
  const auto last_line = [&tested] {
    const std::string page = show_tested(tested, at_noon());
    return page.substr(page.rfind('\n', page.size() - 2) + 1);
  };
  EXPECT_EQ(last_line(), "It would start now (2026-11-21 13:00:00) on n[1-2].\n");
  tested.view.expected_start = before(at_noon(), -minute_ms);
  tested.view.at_the_earliest = true;
  tested.view.nodes.clear();
  EXPECT_EQ(last_line(),
            "It would start in 1 min (2026-11-21 13:01:00) at the earliest: jobs ahead of it may "
            "delay it.\n");
  tested.view.job.spec.change().cpus_per_task = 2;
  tested.view.job.spec.change().components.resize(1);
  tested.view.job.spec.change().components[0].tasks = 3;
  tested.view.job.spec.change().components[0].cpus_per_task = 5;
  EXPECT_EQ(show_tested_as_slurm(tested, at_noon()),
            "sbatch: Job 17 to start at 2026-11-21T13:01:00 using 23 processors in partition "
            "main\n");
  tested.view.reason = WaitReason::JobHeldUser;
  EXPECT_EQ(show_tested(tested, at_noon()), "It would wait until it is released.\n");
  tested.starts_now = true;
  EXPECT_EQ(show_tested(tested, at_noon()), "It would start now.\n");
}

TEST(LicencesPage, names_the_tasks_of_arrays_that_hold_licences) {
  LicenceList list{{{"matlab", 3, 2, {JobId{4}, JobId{7}}, {"4", "17_3"}}}};
  EXPECT_EQ(show_licences(list, at_noon()),
            "LICENCE  TOTAL  USED  FREE  JOBS\n"
            "matlab       3     2     1  4,17_3\n");
  EXPECT_EQ(show_licences({}, at_noon()),
            "The cluster has no licences. An administrator lists them as licences in "
            "[scheduling].\n");
}

}  // namespace
}  // namespace cox
