// Tests changes of an advance reservation: when it keeps its nodes, when it gets others, and what
// is recorded for the jobs that wait for it.
#include <gtest/gtest.h>

#include "common/base/moment_text.h"
#include "common/base/text.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class ReservationChanges : public testing::Test, public Bench {
 protected:
  using Settings = std::vector<std::string>;
  std::string in(std::int64_t seconds) const {
    return moment_text(now.wall + std::chrono::seconds{seconds});
  }
  // Creates or changes the reservation. Returns its nodes afterwards, such as "n1,n2", or the
  // refusal.
  std::string act(ReservationVerb verb, const std::string& name, const Settings& settings) {
    const Reply reply = ask(ActOnReservation{verb, name, settings});
    if (std::holds_alternative<Refused>(reply.body)) return refusal_of(reply);
    return joined(controller->cluster().reservations().all().at(name).nodes, ",");
  }
  std::string made(const std::string& name, Settings settings) {
    settings.insert(settings.end(), {"Users=ada", "Duration=60"});
    return act(ReservationVerb::Create, name, settings);
  }
  std::string updated(const std::string& name, const Settings& settings) {
    return act(ReservationVerb::Update, name, settings);
  }
};

TEST_F(ReservationChanges, NodesAreChosenForTheGpusAndGresOfTheReservation) {
  node("n1", 2, {}, {}, 2, "a100");
  node("n2", 2, {}, {}, 2, "h100");
  node("n3", 2, {}, {{"fpga", "xilinx", 2}, {"nic", "", 1}});
  node("n4", 2, {}, {{"fpga", "intel", 1}});
  const auto picked = [&](const std::string& tres) {
    const std::string nodes = made("r", {"TRES=" + tres});
    ask(ActOnReservation{ReservationVerb::Delete, "r", {}});
    return nodes;
  };
  EXPECT_EQ(picked("gres/gpu:h100=2"), "n2");
  EXPECT_EQ(picked("gres/gpu=3"), "n1,n2");
  EXPECT_EQ(picked("gres/fpga=3"), "n3,n4");
  EXPECT_EQ(picked("gres/fpga:intel=1"), "n4");
  EXPECT_EQ(picked("gres/nic=1"), "n3");
  EXPECT_EQ(picked("gres/nic=1,gres/fpga:intel=1"), "n3,n4");
  EXPECT_EQ(picked("cpu=2"), "n1");
  EXPECT_EQ(picked("cpu=3"), "n1,n2");
  EXPECT_EQ(picked("gres/fpga:xilinx=3"), "only 4 nodes match; still missing: gres/fpga:xilinx=1");
}

TEST_F(ReservationChanges, AReservationGetsOtherNodesOnlyIfItsRequestForNodesChanges) {
  PartitionConfig gpu;
  gpu.name = "gpu";
  gpu.nodes = {"n2"};
  config.partitions.push_back(gpu);
  restart();
  node("n1", 2);
  node("n2", 2, {"fast"}, {}, 1);
  EXPECT_EQ(made("r", {"NodeCnt=1"}), "n1");
  EXPECT_EQ(updated("r", {"Users+=bob"}), "n1");
  EXPECT_EQ(updated("r", {"Features=fast"}), "n2");
  EXPECT_EQ(updated("r", {"Features="}), "n2") << "it keeps what it has";
  EXPECT_EQ(made("s", {"NodeCnt=1"}), "n1");
  EXPECT_EQ(updated("s", {"PartitionName=gpu", "Flags=OVERLAP"}), "n2");
  EXPECT_EQ(made("t", {"TRES=cpu=2"}), "n1");
  EXPECT_EQ(updated("t", {"TRES=gres/gpu=1", "Flags=OVERLAP"}), "n2");
}

TEST_F(ReservationChanges, AReservationMovedInTimeKeepsItsNodesIfTheyAreFreeThen) {
  node("n1", 2);
  node("n2", 2);
  EXPECT_EQ(made("other", {"Nodes=n1", "StartTime=" + in(7200)}), "n1");
  EXPECT_EQ(made("r", {"NodeCnt=1"}), "n1");
  EXPECT_EQ(updated("r", {"StartTime=" + in(3600)}), "n1") << "it ends when the other begins";
  EXPECT_EQ(updated("r", {"Duration=61"}), "n2") << "a minute later it does not";
  EXPECT_EQ(made("s", {"NodeCnt=1"}), "n1");
  EXPECT_EQ(updated("s", {"StartTime=" + in(3601)}),
            "too few nodes: of 2 that match, 2 are reserved then (other, r) and 0 run jobs that "
            "end after it begins at " +
                in(3601) + "; still missing: 1 node");
}

TEST_F(ReservationChanges, AReservationThatBeginsToRecurAvoidsNodesReservedLater) {
  node("n1", 2);
  node("n2", 2);
  constexpr std::int64_t day = 24 * 3600;
  EXPECT_EQ(made("other", {"Nodes=n1", "StartTime=" + in(day)}), "n1");
  EXPECT_EQ(made("r", {"NodeCnt=1"}), "n1");
  EXPECT_EQ(updated("r", {"Flags=DAILY"}), "n2");
}

TEST_F(ReservationChanges, NodesOfAReservationAreNotCheckedAgainWhileItsTimeStays) {
  node("n1", 2);
  node("n2", 2);
  ready(submit({.tasks = 2}));
  ready(submit({.tasks = 2}));
  EXPECT_EQ(made("r", {"NodeCnt=1", "Flags=IGNORE_JOBS"}), "n1");
  EXPECT_EQ(updated("r", {"Flags=-IGNORE_JOBS"}), "n1") << "the job without a limit is left to run";
}

TEST_F(ReservationChanges, AReservationThatWouldHaveEndedIsRefusedUnlessItRecurs) {
  node("n1", 2);
  const auto until = [&](std::int64_t seconds, const std::string& flags) {
    const Settings settings{"Nodes=n1", "Users=ada", "StartTime=" + in(-600),
                            "EndTime=" + in(seconds), flags};
    return act(ReservationVerb::Create, "r" + std::to_string(++requests), settings);
  };
  EXPECT_EQ(until(0, "Flags=OVERLAP"),
            "the reservation would end at " + in(0) + ", which has passed");
  EXPECT_EQ(until(1, "Flags=OVERLAP"), "n1");
  EXPECT_EQ(until(0, "Flags=OVERLAP,DAILY"), "n1") << "it comes again tomorrow";
}

TEST_F(ReservationChanges, AChangeIsRecordedOnlyForJobsThatWaitForTheReservation) {
  node("n1", 2);
  EXPECT_EQ(made("r", {"Nodes=n1", "StartTime=" + in(600)}), "n1");
  EXPECT_EQ(made("s", {"Nodes=n1", "StartTime=" + in(36'000)}), "n1");
  const auto submit_in = [&](const std::string& name) {
    return submit({.time_limit_s = 60, .with = [&](JobSpec& s) { s.reservation = name; }});
  };
  const JobId first = submit_in("r");
  const JobId second = submit_in("s");
  const auto notes = [&](JobId id) {
    std::string text;
    for (const JobEvent& event : database->tables.events)
      if (event.job == id && event.what == "reservation") text += event.why + "\n";
    return text;
  };
  updated("r", {"Users+=bob"});
  const std::string is_now =
      "reservation r is now on n1, from " + in(600) + " until " + in(4200) + "\n";
  EXPECT_EQ(notes(first), is_now);
  EXPECT_EQ(notes(second), "");
  ask(ActOnReservation{ReservationVerb::Delete, "r", {}});
  EXPECT_EQ(made("r", {"Nodes=n1", "StartTime=" + in(600)}), "n1");
  EXPECT_EQ(notes(first), is_now +
                              "reservation r is deleted; the job waits until there is one of "
                              "that name, or it is cancelled\n")
      << "its return is no event";
}

TEST_F(ReservationChanges, AJobWithATimeLimitNeedsTimeToSaveBeforeTheEndOfItsReservation) {
  node("n1", 2);
  EXPECT_EQ(made("r", {"Nodes=n1"}), "n1");
  const auto refused = [&](std::int64_t seconds) {
    SubmitJob asked;
    asked.spec.command = {"train"};
    asked.spec.work_dir = "/home/u";
    asked.spec.nodes = asked.spec.tasks = 1;
    asked.spec.time_limit_s = seconds;
    asked.spec.checkpoint_signal = 10;
    asked.spec.requeue_on_timeout = true;
    asked.spec.reservation = "r";
    return refusal_of(ask(asked));
  };
  EXPECT_EQ(refused(3'540), "");
  EXPECT_EQ(refused(3'541),
            "it asks for 00:59:01 and 00:01:00 to save, but only 01:00:00 is left until "
            "reservation r ends at " +
                in(3'600));
  pass(Milliseconds{3'570'000});
  EXPECT_EQ(refused(0), "") << "a job without a time limit gets the 30 s that are left";
}

}  // namespace
}  // namespace cox
