// The administrators of a simulated run. Before it begins they set up accounts with users, limits
// of accounts and QOS, quotas, partitions and open hours of the week. During the run they change
// these by commands of sacctmgr and scontrol. Each seed has some of this, or nothing.
#pragma once

#include <string>
#include <vector>

#include "common/cluster/config.h"
#include "common/messages/messages.h"
#include "tests/sim/scene.h"
#include "tests/support/memory_store.h"

namespace cox::sim {

class Administration {
 public:
  explicit Administration(Scene& scene) : random_(scene.people) {}

  void set_up(ControllerConfig& config, MemoryTables& tables);

  // Returns whether administrators change anything during the run.
  bool meddles() const { return meddles_; }
  decltype(Request::body) random_change();
  // Returns the requests of administrators after which no limit keeps an accepted job from running.
  std::vector<decltype(Request::body)> requests_lifting_limits() const;

  // Returns a random user; "sim", the cluster owner, if the run has no accounts.
  std::string some_user(Random& random) const;
  // Sets the account, partitions, GPU type and time limit of a job of this user.
  void fill_in(JobSpec& spec, const std::string& user, Random& random) const;

 private:
  void add_hours_and_partitions(ControllerConfig& config, MemoryTables& tables);
  void add_accounts(MemoryTables& tables);
  void add_association(MemoryTables& tables, const std::string& account, const std::string& user,
                       const std::string& parent, std::vector<std::string> limits);
  std::string some_account() const;
  std::string some_limit_of_time() const;
  std::string some_limit_of_account() const;
  std::string some_limit_of_user() const;
  std::string some_limit_of_tier() const;
  std::string some_quota() const;
  std::string some_tres() const;
  std::string some_count(std::int64_t low, std::int64_t high) const;
  std::string change_of_accounts();

  Random& random_;
  bool meddles_ = false;
  bool has_accounts_ = false;
  bool has_tiers_ = false;  // with limits
  bool has_quotas_ = false;
  bool has_partitions_ = false;
};

}  // namespace cox::sim
