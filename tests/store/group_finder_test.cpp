// Tests how the controller looks up the groups of the host in a thread of their own.
#include "controller/io/group_finder.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "common/io/clock.h"
#include "tests/patience.h"

namespace cox {
namespace {

constexpr std::uint32_t owner = 1000;

PeerMessage change(std::uint32_t uid, const std::string& name, const std::string& value) {
  PeerMessage incoming;
  incoming.caller.uid = uid;
  incoming.message =
      Request{1, UpdatePartitions{{"night"}, {{name, value}}, PartitionVerb::Update}};
  return incoming;
}

class GroupFinderTest : public testing::Test {
 protected:
  GroupFinderTest() { config.owner_uid = owner; }
  // Waits until a lookup has ended or took too long, up to a deadline. Returns what is ready then.
  static GroupFinder::Ready ready(GroupFinder& finder, Poller& poller) {
    const Boot end = read_clock().boot + patience();
    while (read_clock().boot < end) {
      GroupFinder::Ready one = finder.turn(read_clock().boot);
      if (!one.incoming.empty() || one.found) return one;
      poller.wait(Milliseconds{500});
    }
    ADD_FAILURE() << "no lookup ended in time";
    return {};
  }
  ControllerConfig config;
  std::unique_ptr<Poller> poller = Poller::create();
};

TEST_F(GroupFinderTest, ARequestThatNamesGroupsGetsThem) {
  GroupFinder finder(config, *poller);
  const Boot now = read_clock().boot;
  PeerMessage other = change(owner, "MaxTime", "60");
  EXPECT_FALSE(finder.takes(other, now));
  PeerMessage of_another_user = change(owner + 1, "AllowGroups", "root");
  EXPECT_FALSE(finder.takes(of_another_user, now));
  PeerMessage incoming = change(owner, "allowgroups", "root,no-such-group");
  ASSERT_TRUE(finder.takes(incoming, now));
  const GroupFinder::Ready one = ready(finder, *poller);
  ASSERT_EQ(one.incoming.size(), 1U);
  const HostGroups& groups = one.incoming[0].groups;
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups.at("root")->gid, 0U);
  EXPECT_FALSE(groups.at("no-such-group"));
}

TEST_F(GroupFinderTest, ARequestContinuesWithoutALateLookup) {
  GroupFinder finder(config, *poller);
  const Boot now = read_clock().boot;
  PeerMessage incoming = change(owner, "AllowGroups", "root");
  ASSERT_TRUE(finder.takes(incoming, now - Milliseconds{limits::group_lookup_ms_max}));
  EXPECT_EQ(ready(finder, *poller).incoming.size(), 1U);
}

TEST_F(GroupFinderTest, AGroupIsLookedUpAgainAfterTheInterval) {
  GroupFinder finder(config, *poller);
  const Boot now = read_clock().boot;
  finder.look_up({"no-such-group"}, true, now);
  const GroupFinder::Ready first = ready(finder, *poller);
  ASSERT_TRUE(first.found);
  EXPECT_FALSE(first.found->groups.at("no-such-group"));
  finder.look_up({"no-such-group", "root"}, true, now);
  const GroupFinder::Ready second = ready(finder, *poller);
  ASSERT_TRUE(second.found);
  EXPECT_EQ(second.found->groups.size(), 1U) << "the other group was looked up a moment ago";
  finder.look_up({"no-such-group"}, true, now + Milliseconds{limits::group_lookup_interval_ms});
  EXPECT_TRUE(ready(finder, *poller).found);
}

PeerMessage submission() {
  PeerMessage incoming;
  incoming.caller.uid = owner + 1;
  incoming.message = Request{2, SubmitJob{}};
  return incoming;
}

TEST_F(GroupFinderTest, SubmissionsWaitForTheFirstLookup) {
  GroupFinder finder(config, *poller);
  const Boot now = read_clock().boot;
  PeerMessage early = submission();
  ASSERT_TRUE(finder.takes(early, now)) << "the controller has not loaded its partitions yet";
  finder.look_up({"root", "no-such-group"}, true, now);
  PeerMessage late = submission();
  ASSERT_TRUE(finder.takes(late, now));
  PeerMessage other = change(owner + 1, "MaxTime", "60");
  EXPECT_FALSE(finder.takes(other, now)) << "only requests that need groups wait";
  const GroupFinder::Ready found = ready(finder, *poller);
  ASSERT_TRUE(found.found);
  EXPECT_TRUE(found.incoming.empty()) << "the controller must have the groups first";
  finder.look_up({"no-such-group"}, true, now);
  EXPECT_EQ(ready(finder, *poller).incoming.size(), 2U);
  PeerMessage next = submission();
  EXPECT_FALSE(finder.takes(next, now)) << "a group that the host lacks delays nobody";
}

TEST_F(GroupFinderTest, ALookupThatHangsDelaysSubmissionsOnlyForATime) {
  GroupFinder finder(config, *poller);
  const Boot now = read_clock().boot;
  const Boot end = now + Milliseconds{limits::group_lookup_ms_max};
  finder.look_up({"root"}, true, now);
  PeerMessage incoming = submission();
  ASSERT_TRUE(finder.takes(incoming, now));
  EXPECT_EQ(finder.turn(end).incoming.size(), 1U);
  PeerMessage next = submission();
  EXPECT_FALSE(finder.takes(next, end));
}

TEST_F(GroupFinderTest, WithoutGroupsNothingWaits) {
  GroupFinder finder(config, *poller);
  finder.look_up({}, true, read_clock().boot);
  PeerMessage incoming = submission();
  EXPECT_FALSE(finder.takes(incoming, read_clock().boot));
  GroupFinder loading(config, *poller);
  ASSERT_TRUE(loading.takes(incoming, read_clock().boot));
  EXPECT_EQ(loading.drop_all().size(), 1U) << "at the end such a request is turned away";
}

}  // namespace
}  // namespace cox
