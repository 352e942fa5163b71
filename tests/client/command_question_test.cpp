// Tests which question each command sends the controller.
#include <gtest/gtest.h>

#include "client/cluster_lines.h"
#include "client/job_lines.h"
#include "tests/client/find_command.h"

namespace cox {
namespace {

template <class Body>
Body asked_by(std::string_view name, const LineWords& words) {
  const Question question = command_called(name).question(*parsed_line(name, words));
  const auto* body = std::get_if<Body>(&question);
  if (body == nullptr) ADD_FAILURE() << name << " sends another request";
  return body != nullptr ? *body : Body{};
}

TEST(CommandQuestion, about_jobs_contains_their_ids_and_array_tasks) {
  const auto history = asked_by<ShowHistory>("history", {"17_[4-6]"});
  EXPECT_EQ(history.id, JobId{17});
  EXPECT_EQ(history.task, 4);
  EXPECT_EQ(history.tasks, "4-6");
  EXPECT_EQ(asked_by<ShowHistory>("history", {"17"}).task, -1);
  EXPECT_EQ(asked_by<ShowJob>("show job", {"17_4"}).tasks, "");
  for (const auto& [name, verb] : {std::pair{"cancel", JobVerb::Cancel},
                                   {"hold", JobVerb::Hold},
                                   {"release", JobVerb::Release},
                                   {"requeue", JobVerb::Requeue},
                                   {"preempt", JobVerb::Preempt}}) {
    const auto act = asked_by<ActOnJobs>(name, {"17", "18_4"});
    EXPECT_EQ(act.verb, verb) << name;
    EXPECT_EQ(act.ids, (std::vector{JobId{17}, JobId{18}})) << name;
    EXPECT_EQ(act.tasks, (LineWords{"", "4"})) << name;
  }
  EXPECT_EQ(asked_by<ListCheckpoints>("checkpoints", {"17"}).ids, std::vector{JobId{17}});
  const auto remove = asked_by<RemoveCheckpoints>("checkpoints remove", {"17", "-s", "40"});
  EXPECT_EQ(remove.id, JobId{17});
  EXPECT_EQ(remove.step, 40);
  EXPECT_EQ(asked_by<VerifyCheckpoints>("checkpoints verify", {"17", "-s", "40"}).step, 40);
  const auto from = asked_by<ActOnJobs>("requeue", {"17", "--from", "40"});
  EXPECT_EQ(from.verb, JobVerb::RequeueFrom);
  EXPECT_EQ(from.step, 40);
  const auto list = asked_by<ListJobs>("queue", {"17_4", "-u", "ada", "-p", "gpu", "-t", "PD"});
  EXPECT_EQ(list.ids, std::vector{JobId{17}});
  EXPECT_EQ(list.tasks, LineWords{"4"});
  EXPECT_EQ(list.states, std::vector{JobState::Pending});
  EXPECT_EQ(list.user_name + list.partition, "adagpu");
}

TEST(CommandQuestion, about_nodes_partitions_and_reservations_contains_their_names) {
  const auto drain = asked_by<ActOnNodes>("drain", {"n[1-2]", "-r", "fan"});
  EXPECT_TRUE(drain.drain && !drain.fence);
  EXPECT_EQ(drain.nodes, (LineWords{"n1", "n2"}));
  EXPECT_EQ(drain.reason, "fan");
  const auto resume = asked_by<ActOnNodes>("resume", {"n1", "-r", "new fan"});
  EXPECT_FALSE(resume.drain || resume.fence);
  EXPECT_EQ(resume.reason, "new fan");
  const auto fence = asked_by<ActOnNodes>("fence", {"n1", "--confirm"});
  EXPECT_TRUE(fence.drain && fence.fence);
  EXPECT_EQ(fence.nodes, LineWords{"n1"});
  EXPECT_EQ(fence.reason, "to be fenced");
  for (const auto& [name, state] : {std::pair{"partition up", "UP"},
                                    {"partition down", "DOWN"},
                                    {"partition drain", "DRAIN"},
                                    {"partition inactive", "INACTIVE"}}) {
    const auto update = asked_by<UpdatePartitions>(name, {"gpu"});
    ASSERT_EQ(update.values.size(), 1u) << name;
    EXPECT_EQ(update.values[0].name + "=" + update.values[0].value, std::string("State=") + state);
  }
  for (const auto& [name, verb] : {std::pair{"reserve create", ReservationVerb::Create},
                                   {"reserve update", ReservationVerb::Update},
                                   {"reserve delete", ReservationVerb::Delete}}) {
    LineWords words{"class"};
    if (verb != ReservationVerb::Delete) words.insert(words.end(), {"Nodes=n1", "Users=ada"});
    const auto act = asked_by<ActOnReservation>(name, words);
    EXPECT_EQ(act.verb, verb) << name;
    EXPECT_EQ(act.name, "class");
    EXPECT_EQ(act.settings.size(), words.size() - 1);
  }
  asked_by<ListNodes>("nodes", {});
  asked_by<ListNodes>("show node", {"n1"});
  asked_by<ListNodes>("show partitions", {});
  asked_by<ListLicences>("show licenses", {});
  asked_by<ListAssociations>("show accounts", {});
  asked_by<ListReservations>("show reservations", {});
  asked_by<ListReservations>("show reservation", {"class"});
  asked_by<ShowCluster>("show qos", {});
}

}  // namespace
}  // namespace cox
