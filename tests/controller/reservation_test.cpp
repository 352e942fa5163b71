// Advance reservations: how administrators create them, and how they affect jobs.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/moment_text.h"
#include "schedule/top/snapshot.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class ReservationStory : public testing::Test, public Bench {
 protected:
  Reply reserve(ReservationVerb verb, const std::string& name,
                std::vector<std::string> settings = {}) {
    return ask(ActOnReservation{verb, name, std::move(settings)});
  }
  std::string made(const std::string& name, std::vector<std::string> settings) {
    const Reply reply = reserve(ReservationVerb::Create, name, std::move(settings));
    const auto* acted = std::get_if<Acted>(&reply.body);
    return acted == nullptr ? "refused: " + refusal_of(reply) : acted->outcomes.front().done;
  }
  std::string in(std::int64_t seconds) const {
    return moment_text(now.wall + std::chrono::seconds{seconds});
  }
  ReservationView shown(const std::string& name) {
    const auto list = std::get<ReservationList>(ask(ListReservations{}).body);
    const auto found = std::ranges::find(
        list.reservations, name, [](const ReservationView& view) { return view.reservation.name; });
    EXPECT_NE(found, list.reservations.end()) << name;
    return found == list.reservations.end() ? ReservationView{} : *found;
  }
  JobId submit_in(const std::string& reservation, std::int64_t time_limit_s) {
    return submit({.time_limit_s = time_limit_s,
                   .with = [&](JobSpec& spec) { spec.reservation = reservation; }});
  }
  std::string refused_in(const std::string& reservation, std::int64_t time_limit_s,
                         std::int64_t nodes = 1) {
    SubmitJob s;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.nodes = s.spec.tasks = nodes;
    s.spec.time_limit_s = time_limit_s;
    s.spec.reservation = reservation;
    return refusal_of(ask(s));
  }
  // Submits a job of one node with the feature. Returns the note of the reply.
  std::string note(std::int64_t time_limit_s, const std::string& feature = "",
                   const std::string& reservation = "", bool held = false) {
    SubmitJob s;
    s.request_id = "note " + std::to_string(++notes);
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.tasks = 2;
    s.spec.nodes = 1;
    s.spec.time_limit_s = time_limit_s;
    s.spec.constraint = feature;
    s.spec.reservation = reservation;
    s.spec.hold = held;
    const Reply reply = ask(s);
    const auto* submitted = std::get_if<Submitted>(&reply.body);
    EXPECT_NE(submitted, nullptr) << refusal_of(reply);
    last = submitted->id;
    return submitted->note;
  }
  int notes = 0;
  JobId last{};
  JobView view(JobId id) { return std::get<JobDetail>(ask(ShowJob{id}).body).view; }
};

TEST_F(ReservationStory, NodesAreReservedForTheAllowedUsers) {
  node("n1", 2);
  node("n2", 2);
  EXPECT_EQ(made("r", {"Nodes=n1", "Users=ada", "Duration=60"}),
            "created on n1, from " + in(0) + " until " + in(3600));
  const JobId outside = submit({.tasks = 2, .time_limit_s = 60});
  const JobId inside = submit_in("r", 600);
  const JobId waiting = submit({.time_limit_s = 60});
  EXPECT_EQ(nodes(outside), "n2");
  EXPECT_EQ(nodes(inside), "n1");
  EXPECT_EQ(view(waiting).reason, WaitReason::ReqNodeNotAvail);
  EXPECT_NE(view(waiting).reason_detail.find("r, for user ada"), std::string::npos);
  EXPECT_TRUE(shown("r").active);
  EXPECT_EQ(shown("r").running, std::vector<JobId>{inside});
  const auto list = std::get<NodeList>(ask(ListNodes{}).body).nodes;
  EXPECT_EQ(list.front().reservations, std::vector<std::string>{"r"});
  EXPECT_TRUE(list.back().reservations.empty());
  reserve(ReservationVerb::Delete, "r");
  EXPECT_EQ(state(waiting), "CONFIGURING");
}

TEST_F(ReservationStory, AJobWaitsForItsReservationAndShowsWhenItIsDeleted) {
  node("n1", 2);
  made("r", {"Nodes=n1", "Users=ada", "StartTime=" + in(600), "Duration=60"});
  const JobId id = submit_in("r", 600);
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_EQ(view(id).reason, WaitReason::Reservation);
  EXPECT_EQ(view(id).expected_start, now.wall + Milliseconds{600'000});
  reserve(ReservationVerb::Delete, "r");
  EXPECT_EQ(view(id).reason, WaitReason::ReservationDeleted);
  const auto history = std::get<HistoryPage>(ask(ShowHistory{id, 0}).body).events;
  EXPECT_EQ(history.back().what, "reservation");
  EXPECT_EQ(history.back().actor, "user ada");
  made("r", {"Nodes=n1", "Users=ada", "StartTime=" + in(600), "Duration=60"});
  pass_with_beats(Milliseconds{601'000}, {"n1"});
  EXPECT_EQ(state(id), "CONFIGURING") << "it begins by itself";
}

// The job is as long as the reservation, and no pass runs exactly at the begin.
TEST_F(ReservationStory, AJobAsLongAsItsReservationStartsAtItsBegin) {
  node("n1", 2);
  made("r", {"Nodes=n1", "Users=ada", "StartTime=" + in(12), "Duration=5"});
  const JobId id = submit_in("r", 300);
  EXPECT_EQ(view(id).expected_start, now.wall + Milliseconds{12'000});
  pass_with_beats(Milliseconds{12'700}, {"n1"});
  EXPECT_EQ(state(id), "CONFIGURING");
}

// A second reservation has the node for the same time, so nothing starts at the begin.
TEST_F(ReservationStory, ThePendingReasonChangesWhenTheReservationBegins) {
  node("n1", 2);
  made("r", {"Nodes=n1", "Users=ada", "StartTime=" + in(60), "Duration=5"});
  made("m", {"Nodes=n1", "Flags=MAINT,OVERLAP", "StartTime=" + in(60), "Duration=60"});
  const JobId id = submit_in("r", 300);
  EXPECT_TRUE(view(id).reason_detail.starts_with("reservation r begins at "));
  pass_with_beats(Milliseconds{61'000}, {"n1"});
  EXPECT_TRUE(view(id).reason_detail.starts_with("reservation r has begun"))
      << view(id).reason_detail;
}

TEST_F(ReservationStory, TheNoteToASubmissionNamesFirstTheLongestTimeThatWouldStartNow) {
  node("n1", 2);
  node("n2", 2);
  for (int i = 1; i <= 4; ++i)
    made("soon" + std::to_string(i),
         {"Nodes=n1", "Users=bob", "StartTime=" + in(300 * i), "Duration=2"});
  made("late", {"Nodes=n2", "Users=bob", "StartTime=" + in(7200), "Duration=60"});
  const std::string text = note(10'800);
  EXPECT_TRUE(text.starts_with("n2 is reserved from " + in(7200) +
                               ": late, for user bob; with --time=120 or less it would start now"))
      << text;
  EXPECT_EQ(text.find("--time=5"), std::string::npos) << text;
}

TEST_F(ReservationStory, SubmissionsToAReservationAreChecked) {
  node("n1", 2);
  node("n2", 2);
  made("mine", {"Nodes=n1", "Users=ada", "Duration=60"});
  made("others", {"Nodes=n2", "Users=bob", "QOS=critical", "Duration=60"});
  EXPECT_EQ(refused_in("mnie", 60), "there is no reservation \"mnie\"");
  EXPECT_EQ(refused_in("others", 60),
            "a job of user ada, QOS standard may not use reservation others: it is for user bob "
            "and QOS critical");
  EXPECT_EQ(
      refused_in("mine", 3601),
      "it asks for 01:00:01, but only 01:00:00 is left until reservation mine ends at " + in(3600));
  EXPECT_TRUE(refused_in("mine", 60, 2)
                  .starts_with("reservation mine with its 1 node can never run it: asks for 2 "
                               "nodes with 1 CPU each, in reservation mine; reservation mine has"))
      << refused_in("mine", 60, 2);
}

TEST_F(ReservationStory, TheNoteToALongJobNamesTheReservationAhead) {
  node("n1", 2);
  made("maint", {"Nodes=ALL", "Flags=MAINT", "StartTime=" + in(600), "Duration=60"});
  EXPECT_EQ(note(601), "n1 is reserved from " + in(600) +
                           ": maint, for maintenance; with --time=10 or less it would start now");
  EXPECT_EQ(note(600), "");
}

TEST_F(ReservationStory, AJobThatNoReservationDelaysGetsNoNote) {
  for (const char* name : {"n1", "n2", "n3"}) node(name, 2, {name});
  made("far", {"Nodes=n1", "Users=bob", "StartTime=" + in(9000), "Duration=60"});
  made("on", {"Nodes=n2", "Users=bob", "Duration=60"});
  EXPECT_EQ(note(0), "") << "n3 will do";
  EXPECT_EQ(note(0, "n3"), "") << "now it waits for the job there";
  EXPECT_EQ(note(9001), "n1 is reserved from " + in(9000) + ": far, for user bob; " +
                            "with --time=150 or less it would start now\nn2 is reserved until " +
                            in(3600) + ": on, for user bob")
      << "n3 is busy by now";
  EXPECT_EQ(note(8000, "n1"), "") << "it ends before";
  EXPECT_EQ(note(60, "n2"), "n2 is reserved until " + in(3600) + ": on, for user bob");
  made("mine", {"Nodes=n2", "Users=ada", "Duration=60", "Flags=OVERLAP"});
  EXPECT_EQ(note(60, "n2", "mine"), "") << "it may use it";
  EXPECT_EQ(note(60, "n2", "mine", true), "") << "a held job gets none";
}

TEST_F(ReservationStory, TheNoteAboutManyReservationsIsShort) {
  for (int i = 1; i <= 60; ++i) node("n" + std::to_string(i * 7 % 61 * 3), 2);
  std::string users = "ada1";
  for (int i = 2; i <= 40; ++i) users += ",averylongname" + std::to_string(i);
  for (int i = 1; i <= 7; ++i)
    made("course" + std::to_string(i), {"Nodes=ALL", "Users=" + users, "Flags=OVERLAP",
                                        "StartTime=" + in(3600 * i), "Duration=30"});
  const std::string nodes = "n[3,6,9,12,15,18,21,24,27,30,33,36,39] and 47 more are reserved from ";
  EXPECT_EQ(note(360'000), nodes + in(3600) +
                               ": course1, for users ada1, averylongname2, 38 more; " +
                               "with --time=60 or less it would start now\n" + nodes + in(7200) +
                               ": course2, for users ada1, averylongname2, 38 more\n" + nodes +
                               in(10800) + ": course3, for users ada1, averylongname2, 38 more\n" +
                               "and 4 reservations more; `cox show reservations` lists them");
  const auto detail = std::get<JobDetail>(ask(ShowJob{last}).body);
  EXPECT_EQ(detail.view.reason_detail,
            "needs 1 node with 2 CPUs: no node qualifies now; 60 nodes are reserved from " +
                in(3600) + ": course1 and 6 more; expected at " + in(7 * 3600 + 1800));
  EXPECT_EQ(detail.view.reason, WaitReason::ReqNodeNotAvail);
  for (const std::string& line : detail.why) EXPECT_LT(line.size(), 170u) << line;
}

TEST_F(ReservationStory, NodesWithoutReservationsAndJobsAreChosenForAReservation) {
  node("n1", 2, {"fast"}, {}, 4);
  node("n2", 2, {"fast"}, {}, 4);
  node("n3", 2, {}, {}, 4);
  const JobId endless = submit({.constraint = "fast"});
  EXPECT_EQ(nodes(endless), "n1");
  EXPECT_EQ(made("a", {"NodeCnt=1", "Users=bob", "Duration=60"}).substr(0, 13), "created on n2");
  EXPECT_EQ(made("b", {"TRES=gres/gpu=4", "Users=bob", "Duration=60"}).substr(0, 13),
            "created on n3");
  EXPECT_EQ(made("c", {"NodeCnt=1", "Users=bob", "Duration=60"}),
            "refused: too few nodes: of 3 that match, 2 are reserved then (a, b) and 1 runs jobs "
            "that end after it begins at " +
                in(0) + " (job 1 of ada); still missing: 1 node");
  EXPECT_EQ(made("d", {"Nodes=n1", "Users=bob", "Duration=60"}),
            "refused: job 1 of ada runs on n1 without a time limit, and reservation d begins at " +
                in(0));
  EXPECT_EQ(made("d", {"Nodes=n2", "Users=bob", "Duration=60"}),
            "refused: node n2 is reserved then: a, from " + in(0) + " until " + in(3600));
  EXPECT_EQ(made("d", {"Nodes=n2", "Users=bob", "Duration=60", "Flags=OVERLAP"}).substr(0, 13),
            "created on n2");
  EXPECT_EQ(made("e", {"Features=fast", "Users=bob", "Duration=60", "StartTime=" + in(7200),
                       "Flags=IGNORE_JOBS"})
                .substr(0, 17),
            "created on n[1-2]");
  EXPECT_EQ(made("f", {"Nodes=n9", "Users=bob", "Duration=60"}),
            "refused: there is no node \"n9\"");
}

// If no time would help, the refusal suggests neither a later begin nor to ignore jobs.
TEST_F(ReservationStory, TheRefusalOfAReservationSaysIfNoTimeWouldHelp) {
  node("n1", 2, {"fast"});
  node("n2", 2);
  const auto refused = [&](const std::string& which) {
    const Reply reply = reserve(ReservationVerb::Create, "r", {which, "Users=bob", "Duration=60"});
    return refusal_of(reply) + " | " + std::get<Refused>(reply.body).why.hint;
  };
  EXPECT_EQ(refused("Features=nope"),
            "no node has feature nope | `cox nodes` lists what there is, `cox show node NAME` its "
            "features");
  EXPECT_EQ(refused("NodeCnt=3"), "only 2 nodes match; still missing: 1 node | ask for less");
  EXPECT_EQ(refused("TRES=gres/gpu:b200=4"),
            "the cluster has no gres/gpu:b200 | `cox nodes` lists what there is");
  made("small", {"Nodes=n1", "Users=ada", "Duration=60"});
  EXPECT_EQ(refused_in("small", 60, 2),
            "reservation small with its 1 node can never run it: asks for 2 nodes with 1 CPU each, "
            "in reservation small; reservation small has 1 node, of which 1 is large enough for at "
            "least one task; ask for fewer nodes or less per node");
}

TEST_F(ReservationStory, ARefusalNamesTheTimeOfALaterOccurrenceThatConflicts) {
  node("n1", 2);
  made("daily", {"Nodes=n1", "Users=ada", "Duration=60", "Flags=DAILY"});
  constexpr std::int64_t day = 24 * 3600;
  EXPECT_EQ(
      made("late", {"Nodes=n1", "Users=bob", "Duration=60", "StartTime=" + in(day + 1800)}),
      "refused: node n1 is reserved then: daily, from " + in(day) + " until " + in(day + 3600));
}

TEST_F(ReservationStory, TheNoteIsOnlyAboutTheNodesThatTheJobNames) {
  for (const char* name : {"n1", "n2", "n3"}) node(name, 2);
  made("one", {"Nodes=n1", "Users=bob", "Duration=60"});
  made("two", {"Nodes=n[2-3]", "Users=bob", "Duration=60"});
  SubmitJob s;
  s.spec.command = {"train"};
  s.spec.work_dir = "/home/u";
  s.spec.nodelist = {"n1"};
  s.spec.time_limit_s = 60;
  EXPECT_EQ(std::get<Submitted>(ask(s).body).note,
            "n1 is reserved until " + in(3600) + ": one, for user bob");
}

TEST_F(ReservationStory, TheNodesOfAReservationMustBeInItsPartition) {
  PartitionConfig gpu;
  gpu.name = "gpu";
  gpu.nodes = {"n2", "n3"};
  config.partitions.push_back(gpu);
  restart();
  for (const char* name : {"n1", "n2", "n3"}) node(name, 2);
  EXPECT_EQ(made("a", {"Nodes=n[1-2]", "PartitionName=gpu", "Users=bob", "Duration=60"}),
            "refused: node n1 is not in partition gpu");
  EXPECT_EQ(made("a", {"Nodes=n2", "PartitionName=gpq", "Users=bob", "Duration=60"}),
            "refused: there is no partition \"gpq\"");
  EXPECT_EQ(made("a", {"Nodes=n2", "PartitionName=gpu", "Users=bob", "Duration=60"}).substr(0, 13),
            "created on n2");
  EXPECT_EQ(refusal_of(reserve(ReservationVerb::Update, "a", {"Nodes+=n1"})),
            "node n1 is not in partition gpu");
  EXPECT_EQ(refusal_of(reserve(ReservationVerb::Update, "a", {"Nodes+=n1", "PartitionName="})), "");
  EXPECT_EQ(
      made("b", {"Nodes=ALL", "PartitionName=gpu", "Users=bob", "Duration=60", "Flags=OVERLAP"})
          .substr(0, 17),
      "created on n[2-3]");
}

TEST_F(ReservationStory, TheUsersAccountsAndQosOfAReservationMustExist) {
  node("n1", 2);
  const auto refused = [&](const std::string& allowed) {
    const Reply reply = reserve(ReservationVerb::Create, "r", {"Nodes=n1", "Duration=60", allowed});
    const auto* why = std::get_if<Refused>(&reply.body);
    if (why != nullptr) return why->why.fact + " | " + why->why.hint;
    reserve(ReservationVerb::Delete, "r");
    return std::string();
  };
  EXPECT_EQ(refused("QOS=critcal"), "there is no QOS \"critcal\" | did you mean critical?");
  EXPECT_EQ(refused("Accounts=whatever"), "") << "it is only recorded, as for a job";
  ask(Administer{{"add", "account", "physics"}, false});
  EXPECT_EQ(refused("Accounts=fysics"), "there is no account \"fysics\" | did you mean physics?");
  EXPECT_EQ(refused("Accounts=-fysics"), "there is no account \"fysics\" | did you mean physics?");
  EXPECT_EQ(refused("Accounts=Physics"), "");
  EXPECT_EQ(refused("Users=alcie"), "") << "nobody is in an account";
  ask(Administer{{"add", "user", "alice", "account=physics"}, false});
  EXPECT_EQ(refused("Users=alcie"), "user \"alcie\" is in no account | did you mean alice?");
  EXPECT_EQ(refused("Users=mallory"),
            "user \"mallory\" is in no account | `sacctmgr show association` lists them");
  EXPECT_EQ(refused("Users=-alice"), "");
  made("r", {"Nodes=n1", "Duration=60", "Users=alice", "Accounts=physics"});
  ask(Administer{{"delete", "user", "alice"}, false});
  ask(Administer{{"add", "user", "bob", "account=physics"}, false});
  EXPECT_EQ(refusal_of(reserve(ReservationVerb::Update, "r", {"Users+=bob"})), "")
      << "a user who has left since is ignored";
}

TEST_F(ReservationStory, RunningJobsKeepTheirNodesEvenIfTheyMayUseTheReservation) {
  node("n1", 2);
  const JobId own = submit({.time_limit_s = 600});
  ready(own);
  const std::vector<std::string> settings{"Nodes=n1", "Users=ada", "Duration=60"};
  const auto later = [&](std::int64_t seconds, const std::string& flags) {
    auto all = settings;
    all.push_back("StartTime=" + in(seconds));
    all.push_back("Flags=" + flags);
    return made("r", all);
  };
  EXPECT_EQ(later(0, "FLEX"), "refused: job 1 of ada runs on n1 until " + in(600) +
                                  " at the latest, and reservation r begins at " + in(0));
  EXPECT_EQ(later(599, "MAGNETIC").substr(0, 7), "refused");
  EXPECT_EQ(later(600, "MAGNETIC").substr(0, 13), "created on n1") << "it is over by then";
  reserve(ReservationVerb::Delete, "r");
  EXPECT_EQ(later(0, "IGNORE_JOBS").substr(0, 13), "created on n1");
  EXPECT_EQ(state(own), "RUNNING") << "it is left to run";
}

TEST_F(ReservationStory, AJobThatIsEndingDoesNotBlockAReservation) {
  node("n1", 2);
  const JobId endless = submit({});
  ready(endless);
  const std::vector<std::string> settings{"Nodes=n1", "Users=ada", "Duration=60"};
  EXPECT_EQ(made("r", settings),
            "refused: job 1 of ada runs on n1 without a time limit, and reservation r begins at " +
                in(0));
  ask(ActOnJobs{JobVerb::Cancel, {endless}});
  EXPECT_EQ(state(endless), "COMPLETING");
  EXPECT_EQ(made("r", settings).substr(0, 13), "created on n1");
}

TEST_F(ReservationStory, JobsInAReservationDoNotBlockItsExtension) {
  node("n1", 4);
  made("r", {"Nodes=n1", "Users=ada", "Duration=60", "Flags=MAGNETIC"});
  ready(submit_in("r", 600));
  ready(submit({.time_limit_s = 600}));
  EXPECT_EQ(shown("r").running.size(), 2u) << "one named it, one did not";
  EXPECT_EQ(refusal_of(reserve(ReservationVerb::Update, "r", {"Duration+=60"})), "");
}

TEST_F(ReservationStory, AReservationThatGrowsKeepsItsNodes) {
  for (const char* name : {"n1", "n2", "n3"}) node(name, 2);
  const JobId elsewhere = submit({.time_limit_s = 60});
  EXPECT_EQ(nodes(elsewhere), "n1");
  made("r", {"NodeCnt=1", "Users=ada", "Duration=60"});
  EXPECT_EQ(shown("r").reservation.nodes, std::vector<std::string>{"n2"});
  EXPECT_EQ(nodes(submit_in("r", 600)), "n2");
  finish(elsewhere, 0);
  reserve(ReservationVerb::Update, "r", {"NodeCnt+=1"});
  EXPECT_EQ(shown("r").reservation.nodes, (std::vector<std::string>{"n1", "n2"}));
}

TEST_F(ReservationStory, AWeekdayReservationMadeOnASundayBeginsOnMonday) {
  now.wall = *parse_moment("2026-11-22T09:00:00Z");  // a Sunday
  restart();
  node("n1", 2);
  EXPECT_EQ(made("week", {"Nodes=n1", "Users=bob", "StartTime=" + in(3600), "Duration=60",
                          "Flags=WEEKDAY"}),
            "created on n1, from 2026-11-23T10:00:00Z until 2026-11-23T11:00:00Z, weekday");
  EXPECT_EQ(note(7200), "") << "nothing is reserved today";
  EXPECT_EQ(moment_text(shown("week").reservation.begin), "2026-11-23T10:00:00Z");
}

TEST_F(ReservationStory, AStoredReservationOnAWrongDayIsMovedToItsNextDay) {
  now.wall = *parse_moment("2026-11-22T09:00:00Z");
  restart();
  node("n1", 2);
  made("week", {"Nodes=n1", "Users=bob", "StartTime=" + in(3600), "Duration=60", "Flags=WEEKDAY"});
  auto& stored = database->tables.reservations.at("week");
  stored.begin -= std::chrono::hours{24};
  stored.end -= std::chrono::hours{24};
  restart();
  pass(Milliseconds{1'000});
  EXPECT_EQ(moment_text(shown("week").reservation.begin), "2026-11-23T10:00:00Z");
}

TEST_F(ReservationStory, AChangeOfAReservationAppliesAtOnceAndSurvivesARestart) {
  node("n1", 2);
  node("n2", 2);
  made("r", {"Nodes=n1", "Users=bob", "Duration=60"});
  reserve(ReservationVerb::Update, "r", {"Nodes=n2", "Users+=ada"});
  EXPECT_EQ(shown("r").reservation.nodes, std::vector<std::string>{"n2"});
  EXPECT_EQ(shown("r").reservation.users, (std::vector<std::string>{"bob", "ada"}));
  EXPECT_EQ(shown("r").reservation.changed_by, "user ada");
  const auto before = shown("r").reservation;
  restart();
  EXPECT_EQ(shown("r").reservation, before);
  node("n1", 2);
  node("n2", 2);
  const JobId id = submit({.time_limit_s = 60});
  EXPECT_EQ(nodes(id), "n1");
  EXPECT_EQ(nodes(submit_in("r", 60)), "n2");
}

TEST_F(ReservationStory, AReservationIsDeletedAtItsEndUnlessItRecurs) {
  node("n1", 2);
  made("once", {"Nodes=n1", "Users=bob", "Duration=1"});
  made("daily", {"Nodes=n1", "Users=bob", "Duration=1", "Flags=DAILY,OVERLAP"});
  const Wall begin = shown("daily").reservation.begin;
  pass(Milliseconds{61'000});
  EXPECT_FALSE(controller->cluster().reservations().all().contains("once"));
  EXPECT_EQ(shown("daily").reservation.begin, begin + std::chrono::hours{24});
  EXPECT_FALSE(shown("daily").active);
}

TEST_F(ReservationStory, AMagneticReservationTakesJobsThatDoNotNameIt) {
  node("n1", 2);
  node("n2", 2);
  const JobId before = submit({.nodes = 2, .tasks = 4, .time_limit_s = 60});
  ready(before);
  const JobId id = submit({.tasks = 2, .time_limit_s = 60});
  EXPECT_EQ(state(id), "PENDING");
  made("r", {"Nodes=n2", "Users=ada", "Duration=60", "Flags=MAGNETIC,IGNORE_JOBS"});
  finish(before, 0);
  EXPECT_EQ(nodes(id), "n2");
  EXPECT_EQ(shown("r").running, std::vector<JobId>{id});
  const JobId second = submit({.tasks = 2, .time_limit_s = 60});
  EXPECT_EQ(nodes(second), "n1") << "the reservation is full";
  reserve(ReservationVerb::Update, "r", {"Flags=-MAGNETIC"});
  EXPECT_TRUE(shown("r").running.empty());
}

TEST_F(ReservationStory, AJobWithoutATimeLimitEndsWithItsReservation) {
  node("n1", 2);
  made("r", {"Nodes=n1", "Users=ada", "Duration=60"});
  const JobId id = submit_in("r", 0);
  EXPECT_EQ(state(id), "CONFIGURING");
  EXPECT_EQ(attempt(id).time_limit_s, 3600);
  const JobId second = submit_in("r", 0);
  ready(id);
  ready(second);
  const JobId waiting = submit_in("r", 0);
  EXPECT_EQ(view(waiting).reason, WaitReason::Resources) << view(waiting).reason_detail;
  EXPECT_NE(view(waiting).reason_detail.find("busy: n1 by job 1 of ada (1 of 2 CPUs)"),
            std::string::npos)
      << view(waiting).reason_detail;
  finish(second, 0);
  EXPECT_EQ(state(waiting), "CONFIGURING");
  EXPECT_EQ(attempt(waiting).time_limit_s, 3600);
}

TEST_F(ReservationStory, AJobWithoutATimeLimitWaitsForTheBeginAndShowsItsTime) {
  node("n1", 2);
  made("r", {"Nodes=n1", "Users=ada", "StartTime=" + in(600), "Duration=60"});
  const JobId id = submit_in("r", 0);
  EXPECT_EQ(view(id).reason_detail,
            "reservation r begins at " + in(600) + ", and ends at " + in(4200) +
                "; without --time the job gets the time that is left of it then");
  EXPECT_EQ(view(id).expected_start, now.wall + Milliseconds{600'000});
}

TEST_F(ReservationStory, ASnapshotOfTheSchedulerHasTheReservations) {
  node("n1", 2);
  made("r", {"Nodes=n1", "Users=bob", "Duration=60"});
  submit({.time_limit_s = 60});
  const auto part = std::get<SnapshotPart>(ask(TakeSnapshot{}).body);
  const auto input = schedule::input_from(part.data);
  ASSERT_TRUE(input.ok()) << input.refusal().fact;
  EXPECT_EQ(input->world.reservations.at(0).name, "r");
  const auto scheduler = schedule::scheduler_from(*input);
  EXPECT_TRUE(scheduler->plan(input->now, schedule::ExplainDepth::nothing()).starts.empty());
}

}  // namespace
}  // namespace cox
