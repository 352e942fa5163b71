// Tests COX_FIELDS, the list of a struct's fields: names and references of the fields, and the
// check that the list has every member of the struct.
#include "common/base/fields.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/shared.h"

namespace cox {
namespace {

struct Size {
  std::int64_t nodes = 3;
  std::optional<bool> asked{};

  COX_FIELDS(nodes, asked);
};

struct Order : Size {
  using Base = Size;

  std::string name = "a";
  Shared<Size> other{};
  std::vector<std::string> words{};
  int shown = 0;
  static constexpr std::size_t unlisted_members = 1;  // for `shown`

  COX_FIELDS(name, nodes, other, words, asked);
};

struct Empty {
  COX_FIELDS();
};

struct Forgetful {
  int kept = 0;
  int forgotten = 0;

  COX_FIELDS(kept);
};

template <class T>
std::vector<std::string> listed_names() {
  std::vector<std::string> names;
  T value;
  each_field(value, [&](std::string_view name, auto&) { names.emplace_back(name); });
  return names;
}

constexpr std::string_view shouted(std::string_view field) {
  return field == "nodes" ? "NODES" : field;
}

}  // namespace

TEST(Fields, HaveTheNamesOfTheirMembersInTheOrderOfTheList) {
  EXPECT_EQ(listed_names<Size>(), (std::vector<std::string>{"nodes", "asked"}));
  EXPECT_EQ(listed_names<Order>(),
            (std::vector<std::string>{"name", "nodes", "other", "words", "asked"}));
  EXPECT_EQ(listed_names<Empty>(), std::vector<std::string>{});
}

TEST(Fields, AreReferencesToTheMembers) {
  Size size;
  each_field<shouted>(size, [](std::string_view name, auto& field) {
    if constexpr (std::is_same_v<decltype(field), std::int64_t&>) {
      EXPECT_EQ(name, "NODES");
      field = 4;
    }
  });
  EXPECT_EQ(size.nodes, 4);
}

TEST(Fields, AListThatLacksAMemberOfItsStructHasASmallerCount) {
  EXPECT_EQ(own_member_count<Order>(), 5U) << "the base class counts as one";
  EXPECT_EQ(member_count<Order>(), 5U);
  EXPECT_EQ(member_count<Empty>(), 0U);
  EXPECT_EQ(field_count<Empty>(), 0U);
  EXPECT_EQ(field_count<Forgetful>(), 1U);
  EXPECT_EQ(member_count<Forgetful>(), 2U) << "using its incomplete list would not compile";
}

}  // namespace cox
