// Whom an advance reservation is for: names that nobody has are refused, for a slip of the pen
// would keep nodes for nobody.
#include <algorithm>
#include <set>

#include "common/base/nearest.h"
#include "common/base/text.h"
#include "controller/state/reservations.h"

namespace cox {
namespace {

// One of the lists of a reservation, and what there is of its kind.
struct Known {
  const char* what;
  std::vector<std::string> AdvanceReservation::*list;
  std::set<std::string> names;
  const char* where;  // they are seen
};

// As long as nobody is in an account, users are not known; and as long as there is but the root,
// nor are accounts: whatever jobs name is only noted down then.
std::vector<Known> known_names(const Cluster& cluster) {
  Known users{"user", &AdvanceReservation::users, {}, "`sacctmgr show association` has them"};
  Known accounts{"account", &AdvanceReservation::accounts, {}, "`cox show accounts` lists them"};
  for (const auto& [id, one] : cluster.accounts().all())
    (one.is_account() ? accounts : users)
        .names.insert(one.is_account() ? one.account : one.user_name);
  Known qos{"QOS", &AdvanceReservation::qos, {}, "`cox show qos` lists them"};
  for (const auto& [name, one] : cluster.qos()) qos.names.insert(name);
  std::vector<Known> known{qos};
  if (accounts.names.size() > 1) known.push_back(accounts);
  if (!users.names.empty()) known.push_back(users);
  return known;
}

std::string_view plain(const std::string& word) {
  return std::string_view(word).substr(word.starts_with("-") ? 1 : 0);
}

}  // namespace

Failure check_whom(const Cluster& cluster, const AdvanceReservation& before,
                   const AdvanceReservation& r) {
  for (const Known& known : known_names(cluster)) {
    const auto& named_before = before.*known.list;
    for (const std::string& word : r.*known.list) {
      const std::string name(plain(word));
      if (known.names.contains(name)) continue;
      if (std::ranges::find(named_before, word) != named_before.end()) continue;
      const std::string meant = did_you_mean(name, {known.names.begin(), known.names.end()});
      return Refusal{known.what == std::string_view("user")
                         ? "user " + quoted(name) + " is in no account"
                         : std::string("there is no ") + known.what + " " + quoted(name),
                     meant.empty() ? known.where : meant};
    }
  }
  return std::nullopt;
}

}  // namespace cox
