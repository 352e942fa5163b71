// Tests the alternatives of a job's request (such as its GPU types), and the order in which they
// are tried.
#include "schedule/place/alternatives.h"

#include <gtest/gtest.h>

#include "schedule/place/components.h"

namespace cox::schedule {
namespace {

using Groups = std::vector<std::vector<std::string>>;

const std::vector<std::string> types_there = {"a100", "h100", ""};

// Returns "[type] [type]", the GPU types of each alternative in order.
std::string types_of(const Request& chain) {
  std::string text;
  for (const Request& one : unchained(chain)) {
    for (const std::string& type : one.gpu_types) text += "[" + type + "]";
    text += one.gpu_types.empty() ? "any " : " ";
  }
  return text;
}

Request with_gpus(std::int64_t nodes, std::int64_t gpus, std::vector<std::string> types = {}) {
  Request request;
  request.nodes = request.tasks = nodes;
  request.gpus_per_node = gpus;
  request.gpu_types = std::move(types);
  return request;
}

std::string divided(const Request& request, DivideByType which) {
  return types_of(*by_gpu_type(request, types_there, which));
}

}  // namespace

// GPU type a is twice as fast as b, and its price is three times as high. Type c has no price, so
// it counts like the most expensive one, a.
TEST(GpuGroups, are_ordered_by_speed_cost_or_both) {
  const std::vector<GpuTypeWish> types = {{"a", 2'000}, {"b", 1'000}, {"c", 1'500}};
  const std::vector<GpuPrice> prices = {{"b", 1'000}, {"a", 3'000}};
  const auto order = [&](Preference choice) {
    return gpu_groups(types, prices, choice, EqualTypes::Together);
  };
  EXPECT_EQ(order(Preference::Speed), (Groups{{"a"}, {"c"}, {"b"}}));
  EXPECT_EQ(order(Preference::Cost), (Groups{{"b"}, {"a"}, {"c"}})) << "1, 1.5 and 2";
  EXPECT_EQ(order(Preference::Balanced), (Groups{{"a"}, {"b"}, {"c"}})) << "0.75, 1 and 1.33";
  EXPECT_EQ(gpu_groups(types, {}, Preference::Cost, EqualTypes::Together),
            (Groups{{"a"}, {"c"}, {"b"}}))
      << "without prices all cost the same";
}

TEST(GpuGroups, equally_good_types_are_one_group_unless_kept_apart) {
  const std::vector<GpuTypeWish> types = {{"a"}, {"b"}, {"c", 500}, {"d", 500}};
  EXPECT_EQ(gpu_groups(types, {}, Preference::Speed, EqualTypes::Together),
            (Groups{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(gpu_groups(types, {}, Preference::Speed, EqualTypes::Apart),
            (Groups{{"a"}, {"b"}, {"c"}, {"d"}}));
}

TEST(GpuGroups, a_group_of_joined_types_is_as_good_as_the_worst_of_them) {
  const std::vector<GpuTypeWish> types = {{"slow", 500}, {"fast", 2'000, true}, {"middle", 700}};
  EXPECT_EQ(gpu_groups(types, {}, Preference::Speed, EqualTypes::Apart),
            (Groups{{"middle"}, {"slow", "fast"}}));
  const std::vector<GpuTypeWish> alone = {{"first", 1'000, true}};
  EXPECT_EQ(gpu_groups(alone, {}, Preference::Speed, EqualTypes::Apart), (Groups{{"first"}}));
}

TEST(ByGpuType, each_type_is_an_alternative_of_its_own) {
  EXPECT_EQ(divided(with_gpus(1, 1), DivideByType::All), "[a100] [h100] [] ");
  EXPECT_EQ(divided(with_gpus(1, 1, {"l40", "a100"}), DivideByType::All), "[l40] [a100] ");
  EXPECT_EQ(divided(with_gpus(1, 1, {"l40"}), DivideByType::All), "[l40] ");
  EXPECT_EQ(divided(with_gpus(1, 0), DivideByType::All), "any ");
  EXPECT_EQ(types_of(*by_gpu_type(with_gpus(1, 1), {}, DivideByType::All)), "any ");
}

TEST(ByGpuType, a_request_without_a_type_is_divided_if_its_gpus_could_differ) {
  for (const DivideByType which : {DivideByType::Untyped, DivideByType::UntypedMixed}) {
    const std::string some = "[a100] [h100] [] ";
    EXPECT_EQ(divided(with_gpus(2, 1), which), some);
    EXPECT_EQ(divided(with_gpus(1, 1), which), "any ");
    EXPECT_EQ(divided(with_gpus(2, 1, {"a100", "l40"}), which), "[a100][l40] ");
    Request grows = with_gpus(1, 1);
    grows.nodes_most = 1;
    EXPECT_EQ(divided(grows, which), "any ");
    grows.nodes_most = 2;
    EXPECT_EQ(divided(grows, which), some);
    Request of_sizes = with_gpus(1, 1);
    of_sizes.sizes = {1};
    EXPECT_EQ(divided(of_sizes, which), some);
  }
  EXPECT_EQ(divided(with_gpus(1, 2), DivideByType::Untyped), "any ");
  EXPECT_EQ(divided(with_gpus(1, 2), DivideByType::UntypedMixed), "[a100] [h100] [] ");
}

TEST(ByGpuType, alternatives_beyond_the_limit_are_not_divided) {
  std::vector<std::string> types;
  for (std::size_t i = 0; i < alternatives_max; ++i) types.push_back("t" + std::to_string(i));
  const Request one = with_gpus(1, 1);
  const auto count = [&](const Request& chain) {
    return unchained(*by_gpu_type(chain, types, DivideByType::All)).size();
  };
  EXPECT_EQ(count(one), alternatives_max);
  types.push_back("one too many");
  EXPECT_EQ(count(one), 1U);
  types.resize(alternatives_max - 1);
  EXPECT_EQ(count(*chained({one, one})), alternatives_max) << "the second alternative is kept";
  types.push_back("and no more");
  EXPECT_EQ(count(*chained({one, one})), 2U);
}

TEST(ByGpuType, each_component_is_divided_by_itself_the_last_one_first) {
  Request first = with_gpus(1, 1, {"a", "b"});
  const Request second = with_gpus(1, 1, {"c", "d"});
  first.licences = {{"matlab", 2}};
  std::string text;
  for (const Request& one :
       unchained(*by_gpu_type(together({first, second}), types_there, DivideByType::All))) {
    for (const Shared<Request>& component : one.components)
      text += types_of(*component) + "of " + std::to_string(component->licences.size()) + " ";
    text += "with " + std::to_string(one.licences.front().count) + "; ";
  }
  EXPECT_EQ(text,
            "[a] of 0 [c] of 0 with 2; [a] of 0 [d] of 0 with 2; "
            "[b] of 0 [c] of 0 with 2; [b] of 0 [d] of 0 with 2; ");
}

TEST(ByGpuType, combinations_of_components_are_bounded) {
  std::vector<std::string> types;
  for (int i = 0; i < 9; ++i) types.push_back("t" + std::to_string(i));
  const Request one = with_gpus(1, 1);
  const Request both = together({one, one});
  const auto alternatives_of = [&](const Request& chain) {
    return unchained(*by_gpu_type(chain, types, DivideByType::All));
  };
  EXPECT_EQ(alternatives_of(both).size(), alternatives_max) << "81 would be too many";
  EXPECT_EQ(alternatives_of(*chained({both, with_gpus(1, 0)})).size(), alternatives_max);
  types.resize(8);
  EXPECT_EQ(alternatives_of(both).size(), 64U);
}

}  // namespace cox::schedule
