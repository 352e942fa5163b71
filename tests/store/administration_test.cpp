// Tests of the suite that runs over both stores (PostgreSQL and memory): changes of administrators
// to accounts, QOS, partitions, reservations and triggers.
#include <algorithm>

#include "tests/store/store_suite.h"

namespace cox::test {
namespace {

Association an_account(std::int64_t id, const std::string& name, const std::string& parent) {
  Association one;
  one.id = AssociationId{id};
  one.account = name;
  one.parent = parent;
  return one;
}

TEST_P(StoreSuite, AccountsAreLoadedAsLastPutParentsFirst) {
  Controller controller(*database);
  const std::vector<Association> seeded = load(controller.store(), false).associations;
  ASSERT_EQ(seeded, std::vector<Association>{an_account(1, "root", "")});
  Association physics = an_account(3, "physics", "root");
  physics.shares = 7;
  physics.shares_of_parent = true;
  physics.qos = {"standard", "it's \"{"};
  physics.default_qos = "standard";
  physics.description = "a b";
  physics.organization = "org";
  AssociationLimits& l = physics.limits;
  l.grp_tres = *parse_tres_by_hours("cpu=4,cpu=8@nights,mem=2G,gres/gpu:h100=1.5");
  l.grp_jobs = 1, l.grp_submit_jobs = 2, l.grp_wall_s = 3, l.max_jobs = 0, l.max_submit_jobs = 5;
  l.grp_tres_mins = *parse_tres("cpu=100");
  l.max_tres_per_job = *parse_tres("node=2");
  l.max_tres_mins_per_job = *parse_tres("license/matlab=2");
  l.max_wall_s = 60;
  l.guarantee = *parse_tres("gres/gpu:h100=4");
  l.deserved = *parse_tres("gres/gpu:h100=8,cpu=64");
  physics.usage = {{"billing", 0.1}, {"gres/gpu:h100", 1.25e12}};
  physics.usage_at = at(5);
  Association ada;
  ada.id = AssociationId{4};
  ada.account = "lattice";
  ada.user_name = "ada";
  ada.partition = "long";
  ada.is_default = true;
  const Association lattice = an_account(2, "lattice", "physics");
  controller.commit({AssociationPut{physics}, AssociationPut{lattice}, AssociationPut{ada}});
  EXPECT_EQ(load(controller.store(), false).associations,
            (std::vector<Association>{seeded.front(), physics, lattice, ada}));
  physics.limits = {};
  physics.usage_at = at(6);
  controller.commit({AssociationRemoved{ada.id}, AssociationPut{physics}});
  EXPECT_EQ(load(controller.store(), false).associations,
            (std::vector<Association>{seeded.front(), physics, lattice}));
  Association twin = lattice;
  twin.id = AssociationId{9};
  EXPECT_EQ(controller.commit_refused({AssociationPut{twin}}).sqlstate, "23505");
  EXPECT_EQ(controller.commit_refused({AssociationRemoved{ada.id}}).sqlstate, "CX002");
  EXPECT_EQ(controller.commit_refused({AssociationPut{an_account(9, "stray", "")}}).sqlstate,
            "23514");
  ada.limits.deserved = *parse_tres("cpu=1");
  EXPECT_EQ(controller.commit_refused({AssociationPut{ada}}).sqlstate, "23514")
      << "only an account can have a quota";
}

TEST_P(StoreSuite, QosAreLoadedUntilTheyAreRemoved) {
  Controller controller(*database);
  Qos night{"night", 0, PreemptMode::Cancel, 5'000, 2, 60, {}};
  night.limits.grp_tres = *parse_tres("gres/gpu=8");
  night.limits.max_wall_s = 3600;
  night.limits.grp_tres_mins = *parse_tres("cpu=600,gres/gpu:h100=60");
  night.limits.grp_wall_s = 7200;
  night.limits.kept_tres = *parse_tres("gres/gpu=2");
  controller.commit({QosPut{night}});
  const auto tiers = [&] { return load(controller.store(), false).qos; };
  EXPECT_EQ(tiers().size(), 4u);
  const auto with = tiers();
  EXPECT_NE(std::ranges::find(with, night), with.end());
  controller.commit({QosRemoved{"night"}});
  EXPECT_EQ(tiers().size(), 3u);
  EXPECT_EQ(controller.commit_refused({QosRemoved{"night"}}).sqlstate, "CX002");
}

TEST_P(StoreSuite, TheUsageOfAQosIsLoadedAndIsRemovedWithTheQos) {
  Controller controller(*database);
  const auto used = [&] { return load(controller.store(), false).qos_usage; };
  EXPECT_TRUE(used().empty());
  const QosUsage standard{"standard", {{"billing", 0.1}, {"gres/gpu:h100", 1.25e12}}, at(5)};
  const QosUsage night{"night", {{"wall", 60}}, at(6)};
  const QosUsage passing{"night", {{"cpu", 1}}, at(4)};
  controller.commit({QosUsed{standard}, QosPut{{"night", 0, PreemptMode::Cancel, 0, {}, {}, {}}},
                     QosUsed{passing}, QosUsed{night}});
  EXPECT_EQ(used(), (std::vector<QosUsage>{night, standard}));
  const QosUsage forgotten{"standard", {}, at(5)};
  controller.commit({QosUsed{forgotten}, QosUsed{passing}, QosRemoved{"night"}});
  EXPECT_EQ(used(), std::vector<QosUsage>{forgotten});
  EXPECT_EQ(controller.commit_refused({QosUsed{night}}).sqlstate, "23503");
  EXPECT_EQ(controller.commit_refused({QosUsed{{"standard", {}, Wall{}}}}).sqlstate, "23502");
}

TEST_P(StoreSuite, TheNewestStateOfAPartitionIsLoaded) {
  Controller controller(*database);
  EXPECT_TRUE(controller.loaded.partitions.empty());
  Partition gpu{"gpu", PartitionState::Down, "bad switch", at(1)};
  const Partition cpu{"cpu", PartitionState::Inactive, "", at(1)};
  controller.commit({PartitionChanged{gpu}, PartitionChanged{cpu}});
  EXPECT_EQ(load(controller.store(), false).partitions, (std::vector<Partition>{cpu, gpu}));
  gpu.state = PartitionState::Drain;
  gpu.reason = "it's \"repaired\"";
  const Partition passing{"gpu", PartitionState::Up, "", at(2)};
  gpu.changed = at(3);
  controller.commit({PartitionChanged{passing}, PartitionChanged{gpu}});
  EXPECT_EQ(load(controller.store(), false).partitions, (std::vector<Partition>{cpu, gpu}));
  EXPECT_EQ(
      controller.commit_refused({PartitionChanged{{"", PartitionState::Up, "", at(1)}}}).sqlstate,
      "23514");
}

TEST_P(StoreSuite, CreatedPartitionsAreLoadedUntilTheyAreDeleted) {
  Controller controller(*database);
  const Partition night{
      "night", PartitionState::Up, "", at(1), {"Nodes=n[1-2]", "QOS=it's \"x\", {y}"}};
  controller.commit({PartitionChanged{night}});
  EXPECT_EQ(load(controller.store(), false).partitions, std::vector<Partition>{night});
  Partition other = night;
  other.made_with = {"Nodes=ALL"};
  controller.commit({PartitionChanged{other}});
  EXPECT_EQ(load(controller.store(), false).partitions, std::vector<Partition>{other});
  controller.commit({PartitionRemoved{"night"}});
  EXPECT_TRUE(load(controller.store(), false).partitions.empty());
  controller.commit({PartitionChanged{night}, PartitionRemoved{"night"}});
  EXPECT_TRUE(load(controller.store(), false).partitions.empty());
}

TEST_P(StoreSuite, AdvanceReservationsAreLoadedUntilTheyAreDeleted) {
  Controller controller(*database);
  AdvanceReservation full;
  full.name = "full";
  full.begin = at(10);
  full.end = at(20);
  full.recurrence = Recurrence::Weekday;
  full.nodes = {"n1", "n 2"};
  full.nodes_asked = "ALL";
  full.node_count = 2;
  full.features = "fast&ib";
  full.tres = "gres/gpu=8";
  full.partition = "main";
  full.users = {"alice", "-bob"};
  full.accounts = {"physics"};
  full.qos = {"critical"};
  full.maint = full.magnetic = full.flex = full.overlap = full.ignore_jobs = true;
  full.changed = at(1);
  full.changed_by = "user root";
  full.static_alloc = full.replace_down = true;
  full.purge_idle_s = 600;
  AdvanceReservation bare;
  bare.name = "bare";
  bare.begin = at(1);
  bare.end = at(2);
  bare.changed = at(1);
  controller.commit({ReservationPut{full, "created"}, ReservationPut{bare, "created"}});
  EXPECT_EQ(load(controller.store(), false).reservations,
            (std::vector<AdvanceReservation>{bare, full}));
  full.nodes = {"n3"};
  full.recurrence = Recurrence::None;
  full.maint = false;
  full.users.clear();
  full.changed_by = "controller";
  controller.commit({ReservationPut{bare, "updated"}, ReservationPut{full, "updated"},
                     ReservationRemoved{"bare", "deleted", "user root", at(3)}});
  EXPECT_EQ(load(controller.store(), false).reservations, std::vector<AdvanceReservation>{full});
  AdvanceReservation wrong = full;
  wrong.end = wrong.begin;
  EXPECT_EQ(controller.commit_refused({ReservationPut{wrong, "updated"}}).sqlstate, "23514");
  controller.commit({ReservationRemoved{"full", "over", "controller", at(4)}});
  EXPECT_TRUE(load(controller.store(), false).reservations.empty());
}

TEST_P(StoreSuite, EventTriggersAreLoadedUntilTheyAreDeleted) {
  Controller controller(*database);
  EXPECT_TRUE(controller.loaded.triggers.empty());
  EventTrigger full;
  full.id = EventTriggerId{2};
  full.event = TriggerEvent::ControllerStarted;
  full.job = JobId{17};
  full.nodes = {"n1", "n 2"};
  full.offset_s = -60;
  full.program = "/bin/tell it's \"x\", {y}";
  full.permanent = true;
  full.user_name = "ada";
  full.uid = 4'294'967'294;
  full.gid = 1000;
  full.set_at = at(1);
  full.due = at(9);
  full.happened_on = {"n1"};
  EventTrigger bare;
  bare.id = EventTriggerId{1};
  bare.program = "/bin/tell";
  bare.set_at = at(2);
  controller.commit({EventTriggerPut{full}, EventTriggerPut{bare}});
  EXPECT_EQ(load(controller.store(), false).triggers, (std::vector<EventTrigger>{bare, full}));
  EventTrigger anew = full;
  anew.event = TriggerEvent::Idle;
  anew.job = JobId{};
  anew.nodes.clear();
  anew.offset_s = 60;
  anew.program = "/bin/other";
  anew.permanent = false;
  anew.user_name = "eve";
  anew.uid = anew.gid = 7;
  anew.set_at = at(3);
  anew.due = Wall{};
  anew.happened_on.clear();
  controller.commit({EventTriggerPut{full}, EventTriggerPut{anew}, EventTriggerRemoved{bare.id}});
  EXPECT_EQ(load(controller.store(), false).triggers, std::vector<EventTrigger>{anew});
  EventTrigger wrong = anew;
  wrong.program = "tell";
  EXPECT_EQ(controller.commit_refused({EventTriggerPut{wrong}}).sqlstate, "23514");
  controller.commit(
      {EventTriggerPut{bare}, EventTriggerRemoved{bare.id}, EventTriggerRemoved{anew.id}});
  EXPECT_TRUE(load(controller.store(), false).triggers.empty());
}

}  // namespace
}  // namespace cox::test
