// Tests which snapshots of the scheduler's input are refused, since they may be written by hand,
// and the largest values that are allowed.
#include "schedule/top/snapshot_check.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

Input an_input() {
  Input input;
  input.world = world_from(
      "node n1,n2\n"
      "runs 1 n1:1\n"
      "runs 2 n1:1\n"
      "wants 3\n"
      "wants 4\n"
      "account root_below guarantee=1 deserved=2 shares=3\n"
      "account other_tree of=h100");
  input.ended = {{JobId{1}, 1, 0}, {JobId{2}, 1, 63}};
  return input;
}

// Returns the refusal of the input after this change; "" if the input is still allowed.
std::string refusal_after(const std::function<void(Input&)>& change) {
  Input input = an_input();
  change(input);
  try {
    check(input);
  } catch (const Wrong& wrong) {
    return wrong.fact;
  }
  return "";
}

std::string refusal_of(const Request& request) {
  try {
    check_request(request);
  } catch (const Wrong& wrong) {
    return wrong.fact;
  }
  return "";
}

Limits limit_numbered(std::int32_t number) {
  Limits limits(1);
  limits.front().id = number;
  return limits;
}

constexpr std::int64_t quota_max = std::int64_t{1} << 50;

}  // namespace

TEST(SnapshotCheck, allows_an_input_as_the_scheduler_writes_it) {
  EXPECT_EQ(refusal_after([](Input&) {}), "");
}

TEST(SnapshotCheck, refuses_unknown_policies) {
  const std::string fact = "its settings name an unknown policy";
  EXPECT_EQ(refusal_after([](Input& i) { i.settings.order = static_cast<OrderPolicy>(99); }), fact);
  EXPECT_EQ(
      refusal_after([](Input& i) { i.settings.placement = static_cast<PlacementPolicy>(99); }),
      fact);
  EXPECT_EQ(refusal_after([](Input& i) { i.settings.gpu_choice = static_cast<Preference>(99); }),
            fact);
}

TEST(SnapshotCheck, refuses_numbers_of_limits_that_are_out_of_range) {
  const std::string fact = "a limit has an invalid number";
  for (const auto& [number, expected] :
       {std::pair(-1, fact), {0, ""}, {9'999'999, ""}, {10'000'000, fact}}) {
    const auto n = number;
    EXPECT_EQ(refusal_after([n](Input& i) { i.world.running[1].limits = limit_numbered(n); }),
              expected)
        << number;
    EXPECT_EQ(refusal_after([n](Input& i) { i.world.pending[1].limits = limit_numbered(n); }),
              expected)
        << number;
  }
}

// Quotas 0 (the root) and 1 are one tree, quotas 2 (the root) and 3 another.
TEST(SnapshotCheck, refuses_quotas_that_are_not_trees) {
  const auto refused = [](std::size_t at, const std::function<void(Quota&)>& change) {
    return refusal_after([&](Input& i) { change(i.world.quotas.at(at)); }) ==
           "its quotas are not trees";
  };
  EXPECT_TRUE(refused(0, [](Quota& q) { q.parent = 0; })) << "the first has no parent";
  EXPECT_TRUE(refused(1, [](Quota& q) { q.parent = 1; })) << "nobody is its own parent";
  EXPECT_TRUE(refused(3, [](Quota& q) { q.parent = 1; })) << "the parent is in its own tree";
  EXPECT_FALSE(refused(2, [](Quota& q) { q.parent = 1; })) << "a tree of three levels and more";
  EXPECT_TRUE(refused(3, [](Quota& q) { q.limit = 100; })) << "each limit occurs once";
  for (const Tres what : {Tres::Jobs, Tres::Licences})
    EXPECT_TRUE(refused(3, [&](Quota& q) { q.what.what = what; })) << "no node has these";
  EXPECT_FALSE(refused(3, [](Quota& q) { q.what.what = Tres::Gres; }));
}

TEST(SnapshotCheck, refuses_amounts_of_quotas_that_are_out_of_range) {
  for (std::int64_t Quota::*const amount : {&Quota::guarantee, &Quota::deserved, &Quota::shares}) {
    const auto refused = [&](std::int64_t value) {
      return refusal_after([&](Input& i) { i.world.quotas[3].*amount = value; }) ==
             "its quotas are not trees";
    };
    EXPECT_TRUE(refused(-1));
    EXPECT_FALSE(refused(0));
    EXPECT_FALSE(refused(quota_max));
    EXPECT_TRUE(refused(quota_max + 1));
  }
}

TEST(SnapshotCheck, refuses_duplicate_nodes_and_jobs) {
  EXPECT_EQ(refusal_after([](Input& i) { i.world.nodes[1].name = "n1"; }),
            "two nodes are called n1");
  EXPECT_EQ(refusal_after([](Input& i) { i.world.running[1].id = JobId{1}; }),
            "job 1 occurs twice");
  EXPECT_EQ(refusal_after([](Input& i) { i.world.pending[1].id = JobId{3}; }),
            "job 3 occurs twice");
  EXPECT_EQ(refusal_after([](Input& i) { i.world.pending[1].id = JobId{2}; }),
            "job 2 occurs twice");
  EXPECT_EQ(refusal_after([](Input& i) { i.ended[1].id = JobId{1}; }), "job 1 occurs twice");
}

TEST(SnapshotCheck, refuses_counts_beyond_their_limits) {
  const auto with_gpus = [](std::size_t count) {
    return refusal_after([count](Input& i) { i.world.nodes[1].total.gpus.resize(count); });
  };
  EXPECT_EQ(with_gpus(64), "");
  EXPECT_EQ(with_gpus(65), "node n2 has more than 64 GPUs");
  EXPECT_EQ(refusal_after([](Input& i) { i.world.pending[0].copies = 0; }), "a job has no copies");
  const auto with_ended = [](std::int64_t count) {
    return refusal_after([count](Input& i) {
      i.ended.clear();
      for (std::int64_t id = 1; id <= count; ++id) i.ended.push_back({JobId{id}, 1, 0});
    });
  };
  EXPECT_EQ(with_ended(16'384), "");
  EXPECT_EQ(with_ended(16'385), "it has too many ended jobs");
  for (const std::int64_t bin : {-1, 64})
    EXPECT_EQ(refusal_after([bin](Input& i) { i.ended[0].bin = bin; }),
              "an ended job has an invalid service");
}

TEST(SnapshotCheck, refuses_a_request_that_counts_more_than_eight_features) {
  const auto counting = [](int parts) {
    Request request;
    for (int i = 0; i < parts; ++i)
      request.constraint += (i == 0 ? "[" : "&") + ("f" + std::to_string(i)) + "*1";
    request.constraint += "]";
    return request;
  };
  const std::string fact = "a request counts too many features";
  EXPECT_EQ(refusal_of(counting(8)), "");
  EXPECT_EQ(refusal_of(counting(9)), fact);
  Request chain;
  chain.otherwise = counting(9);
  EXPECT_EQ(refusal_of(chain), fact) << "an alternative";
  Request both;
  both.components = {Request{}, counting(9)};
  EXPECT_EQ(refusal_of(both), fact) << "a component";
}

TEST(SnapshotCheck, refuses_components_that_have_components_or_alternatives) {
  const std::string fact = "a component of a request has components or alternatives";
  Request with_components;
  with_components.components = {Request{}};
  Request with_alternative;
  with_alternative.otherwise = Request{};
  EXPECT_EQ(refusal_of(with_components), "");
  EXPECT_EQ(refusal_of(with_alternative), "");
  for (const Request& component : {with_components, with_alternative}) {
    Request request;
    request.components = {Request{}, component};
    EXPECT_EQ(refusal_of(request), fact);
  }
}

}  // namespace cox::schedule
