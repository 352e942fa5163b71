// Advance reservations as an administrator makes them, and as jobs meet them.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/moment_text.h"
#include "schedule/snapshot.h"
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
  JobView view(JobId id) { return std::get<JobDetail>(ask(ShowJob{id}).body).view; }
};

TEST_F(ReservationStory, NodesAreKeptForWhoMayUseThem) {
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

TEST_F(ReservationStory, WhoAsksForOneWaitsForItAndIsToldWhenItGoes) {
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

TEST_F(ReservationStory, SubmissionsAreJudged) {
  node("n1", 2);
  node("n2", 2);
  made("mine", {"Nodes=n1", "Users=ada", "Duration=60"});
  made("others", {"Nodes=n2", "Users=bob", "QOS=critical", "Duration=60"});
  EXPECT_EQ(refused_in("mnie", 60), "there is no reservation \"mnie\"");
  EXPECT_EQ(refused_in("others", 60),
            "a job of user ada, QOS standard may not use reservation others: it is for user bob, "
            "QOS critical");
  EXPECT_EQ(refused_in("mine", 3601),
            "it asks for 3601 s, and must be over when reservation mine "
            "ends at " +
                in(3600) + ": 3600 s are left of it");
  EXPECT_TRUE(refused_in("mine", 60, 2)
                  .starts_with("reservation mine with its 1 node can never "
                               "run it: "))
      << refused_in("mine", 60, 2);
}

TEST_F(ReservationStory, ALongJobIsToldWhenItIsSubmitted) {
  node("n1", 2);
  made("maint", {"Nodes=ALL", "Flags=MAINT", "StartTime=" + in(600), "Duration=60"});
  SubmitJob s;
  s.spec.command = {"train"};
  s.spec.work_dir = "/home/u";
  s.spec.time_limit_s = 601;
  const auto note = std::get<Submitted>(ask(s).body).note;
  EXPECT_NE(note.find("reservation maint begins at " + in(600) + " on 1 node"), std::string::npos)
      << note;
  s.request_id = "another";
  s.spec.time_limit_s = 600;
  EXPECT_EQ(std::get<Submitted>(ask(s).body).note, "");
}

TEST_F(ReservationStory, NodesArePickedWhereNobodyIsInTheWay) {
  node("n1", 2, {"fast"}, {}, 4);
  node("n2", 2, {"fast"}, {}, 4);
  node("n3", 2, {}, {}, 4);
  const JobId endless = submit({.constraint = "fast"});
  EXPECT_EQ(nodes(endless), "n1");
  EXPECT_EQ(made("a", {"NodeCnt=1", "Users=bob", "Duration=60"}).substr(0, 13), "created on n2");
  EXPECT_EQ(made("b", {"TRES=gres/gpu=4", "Users=bob", "Duration=60"}).substr(0, 13),
            "created on n3");
  EXPECT_EQ(made("c", {"NodeCnt=1", "Users=bob", "Duration=60"}),
            "refused: too few nodes: of 3 that match 2 are reserved then (a, b) and 1 runs jobs "
            "beyond its begin at " +
                in(0) + " (job 1 of ada); 1 node more would be needed");
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

TEST_F(ReservationStory, ItIsChangedLiveAndARestartKeepsIt) {
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

TEST_F(ReservationStory, ItGoesWhenItIsOverOrComesAgain) {
  node("n1", 2);
  made("once", {"Nodes=n1", "Users=bob", "Duration=1"});
  made("daily", {"Nodes=n1", "Users=bob", "Duration=1", "Flags=DAILY,OVERLAP"});
  const Wall begin = shown("daily").reservation.begin;
  pass(Milliseconds{61'000});
  EXPECT_FALSE(controller->cluster().reservations().contains("once"));
  EXPECT_EQ(shown("daily").reservation.begin, begin + std::chrono::hours{24});
  EXPECT_FALSE(shown("daily").active);
}

TEST_F(ReservationStory, AMagneticOneDrawsIn) {
  node("n1", 2);
  node("n2", 2);
  const JobId before = submit({.nodes = 2, .tasks = 4, .time_limit_s = 60});
  ready(before);
  const JobId id = submit({.tasks = 2, .time_limit_s = 60});
  EXPECT_EQ(state(id), "PENDING");
  made("r", {"Nodes=n2", "Users=ada", "Duration=60", "Flags=MAGNETIC"});
  finish(before, 0);
  EXPECT_EQ(nodes(id), "n2");
  EXPECT_EQ(shown("r").running, std::vector<JobId>{id});
  const JobId second = submit({.tasks = 2, .time_limit_s = 60});
  EXPECT_EQ(nodes(second), "n1") << "in it there is no room";
  reserve(ReservationVerb::Update, "r", {"Flags=-MAGNETIC"});
  EXPECT_TRUE(shown("r").running.empty());
}

TEST_F(ReservationStory, AJobWithoutATimeLimitIsOverWhenItIs) {
  node("n1", 2);
  made("r", {"Nodes=n1", "Users=ada", "Duration=60"});
  const JobId id = submit_in("r", 0);
  EXPECT_EQ(state(id), "CONFIGURING");
  EXPECT_EQ(attempt(id).time_limit_s, 3600);
}

TEST_F(ReservationStory, ASnapshotHasThem) {
  node("n1", 2);
  made("r", {"Nodes=n1", "Users=bob", "Duration=60"});
  submit({.time_limit_s = 60});
  const auto part = std::get<SnapshotPart>(ask(TakeSnapshot{}).body);
  const auto input = schedule::input_from(part.data);
  ASSERT_TRUE(input.ok()) << input.refusal().fact;
  ASSERT_EQ(input->world.reservations.size(), 1u);
  EXPECT_EQ(input->world.reservations.front().name, "r");
  EXPECT_TRUE(
      schedule::engine_from(*input)->plan(input->now, schedule::Telling::nothing()).starts.empty());
}

}  // namespace
}  // namespace cox
