// Tests Fair Tree, which ranks users level by level by their usage compared with their shares; and
// the decay of usage.
#include "schedule/queue/fair_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "schedule/model/usage.h"

namespace cox::schedule {
namespace {

using std::chrono::hours;

// A tree of accounts and users by name. A user's usage is added to all accounts above.
class Tree {
 public:
  Tree& account(const std::string& name, const std::string& parent, std::int64_t shares) {
    return add(name, parent, {-1, shares, false, 0, false});
  }
  Tree& user(const std::string& name, const std::string& parent, std::int64_t shares,
             double usage) {
    add(name, parent, {-1, shares, false, 0, true});
    for (std::int32_t at = at_[name]; at >= 0; at = nodes_[static_cast<std::size_t>(at)].parent)
      nodes_[static_cast<std::size_t>(at)].usage += usage;
    return *this;
  }
  FairNode& node(const std::string& name) { return nodes_[static_cast<std::size_t>(at_[name])]; }
  std::map<std::string, double> factors() const {
    const std::vector<double> all = fair_tree(nodes_);
    std::map<std::string, double> factors;
    for (const auto& [name, at] : at_)
      if (nodes_[static_cast<std::size_t>(at)].is_user)
        factors[name] = all[static_cast<std::size_t>(at)];
    return factors;
  }

 private:
  Tree& add(const std::string& name, const std::string& parent, FairNode node) {
    node.parent = parent.empty() ? -1 : at_.at(parent);
    at_[name] = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back(node);
    return *this;
  }

  std::vector<FairNode> nodes_;
  std::map<std::string, std::int32_t> at_;
};

// A small version of the example in Slurm's fair_tree.shtml: accounts are ranked first, and their
// users within them.
TEST(FairTree, AUserOfABetterAccountRanksBeforeAllUsersOfAWorseOne) {
  Tree tree;
  tree.account("root", "", 1);
  tree.account("physics", "root", 50).account("biology", "root", 50);
  tree.user("ada", "physics", 1, 90).user("bob", "physics", 1, 0);
  tree.user("eve", "biology", 1, 15).user("dan", "biology", 1, 5);
  const auto factors = tree.factors();
  EXPECT_EQ(factors.at("dan"), 1.0) << "biology had 20 of 110, and dan least of it";
  EXPECT_EQ(factors.at("eve"), 0.75);
  EXPECT_EQ(factors.at("bob"), 0.5) << "he used nothing, and his account too much";
  EXPECT_EQ(factors.at("ada"), 0.25);
}

TEST(FairTree, UsageIsWeighedAgainstTheSharesOfTheAccount) {
  Tree tree;
  tree.account("root", "", 1).account("large", "root", 80).account("small", "root", 20);
  tree.user("ada", "large", 1, 70).user("bob", "small", 1, 30);
  EXPECT_GT(tree.factors().at("ada"), tree.factors().at("bob"));
}

TEST(FairTree, EqualSiblingsShareARankAndEqualAccountsAreOneLevel) {
  Tree tree;
  tree.account("root", "", 1).account("a", "root", 1).account("b", "root", 1);
  tree.user("a1", "a", 1, 10).user("a2", "a", 1, 30).user("b1", "b", 1, 30).user("b2", "b", 1, 10);
  const auto factors = tree.factors();
  EXPECT_EQ(factors.at("a1"), 1.0);
  EXPECT_EQ(factors.at("b2"), 1.0);
  EXPECT_EQ(factors.at("a2"), 0.5);
  EXPECT_EQ(factors.at("b1"), 0.5);
}

TEST(FairTree, AUserEqualToAnAccountGetsTheRankOfItsBestUser) {
  Tree tree;
  tree.account("root", "", 1).account("a", "root", 1);
  tree.user("lone", "root", 1, 20).user("a1", "a", 1, 5).user("a2", "a", 1, 15);
  const auto factors = tree.factors();
  EXPECT_EQ(factors.at("lone"), 1.0);
  EXPECT_EQ(factors.at("a1"), 1.0);
  EXPECT_LT(factors.at("a2"), factors.at("a1"));
}

TEST(FairTree, AUserWithoutSharesRanksLastAndOneWithoutUsageFirst) {
  Tree tree;
  tree.account("root", "", 1);
  tree.user("guest", "root", 0, 0).user("ada", "root", 1, 9).user("new", "root", 1, 0);
  const auto factors = tree.factors();
  EXPECT_EQ(factors.at("new"), 1.0);
  EXPECT_GT(factors.at("ada"), factors.at("guest"));
}

TEST(FairTree, UsersOfAnAccountWithFairshareParentRankInItsParent) {
  Tree tree;
  tree.account("root", "", 1).account("a", "root", 1).account("team", "a", 1);
  tree.node("team").of_parent = true;
  tree.user("ada", "a", 1, 30).user("tim", "team", 1, 10);
  const auto factors = tree.factors();
  EXPECT_EQ(factors.at("tim"), 1.0) << "he ranks as a sibling of ada, who used more";
  EXPECT_EQ(factors.at("ada"), 0.5);
}

TEST(FairTree, EveryUserHasARankAndBetterAccountsHaveTheBetterRanks) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    Tree tree;
    tree.account("root", "", 1);
    std::map<std::string, double> level;  // each account's shares divided by its usage
    for (int a = 0; a < 4; ++a) {
      const std::string account = "a" + std::to_string(a);
      const auto shares = static_cast<std::int64_t>(1 + random() % 5);
      tree.account(account, "root", shares);
      double used = 0;
      for (int u = 0; u < 3; ++u) {
        const double usage = static_cast<double>(1 + random() % 100);
        tree.user(account + "u" + std::to_string(u), account,
                  static_cast<std::int64_t>(1 + random() % 3), usage);
        used += usage;
      }
      level[account] = static_cast<double>(shares) / used;
    }
    const auto factors = tree.factors();
    for (const auto& [one, one_factor] : factors) {
      EXPECT_GT(one_factor, 0.0);
      EXPECT_LE(one_factor, 1.0);
      for (const auto& [other, other_factor] : factors)
        if (level[one.substr(0, 2)] > level[other.substr(0, 2)] * (1 + 1e-9)) {
          EXPECT_GT(one_factor, other_factor) << "seed " << seed << ": " << one << " " << other;
        }
    }
  }
}

TEST(Usage, HalvesWithEachHalfLifeHoweverOftenItIsUpdated) {
  const Milliseconds week = hours{168};
  EXPECT_DOUBLE_EQ(decay(week, week), 0.5);
  EXPECT_DOUBLE_EQ(decay(Milliseconds{0}, week), 1.0);
  EXPECT_DOUBLE_EQ(decay(hours{1000}, Milliseconds{0}), 1.0)
      << "without a half-life nothing decays";
  double in_steps = 0;
  for (int hour = 0; hour < 500; ++hour)
    in_steps = in_steps * decay(hours{1}, week) + decayed_seconds(hours{1}, week);
  EXPECT_NEAR(in_steps, decayed_seconds(hours{500}, week), 1e-6 * in_steps);
  EXPECT_NEAR(decayed_seconds(Milliseconds{1000}, week), 1.0, 1e-5);
  EXPECT_DOUBLE_EQ(decayed_seconds(hours{2}, Milliseconds{0}), 7200.0);
  EXPECT_DOUBLE_EQ(counted_seconds(Milliseconds{1}, hours{1}, Milliseconds{0}), 3600.0);
}

}  // namespace
}  // namespace cox::schedule
