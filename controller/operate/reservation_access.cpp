// Checks the users, accounts and QOS that an advance reservation is for. Unknown names are refused,
// since a typing error would reserve nodes that nobody may use.
#include <algorithm>
#include <set>

#include "common/base/nearest.h"
#include "common/base/text.h"
#include "controller/state/reservations.h"

namespace cox {
namespace {

// The names of one kind (users, accounts or QOS): those in a reservation, and those that exist.
struct Known {
  const char* what;
  std::vector<std::string> AdvanceReservation::*list;
  std::set<std::string> names;
  const char* where;  // for the hint: the command that lists the existing names
};

// Users are left out if no user is in an account, and accounts if there is only the root account:
// the cluster then accepts any names in jobs.
std::vector<Known> known_names(const Cluster& cluster) {
  Known users{"user", &AdvanceReservation::users, {}, "`sacctmgr show association` lists them"};
  Known accounts{"account", &AdvanceReservation::accounts, {}, "`cox show accounts` lists them"};
  for (const auto& [id, one] : cluster.accounting().accounts().all())
    (one.is_account() ? accounts : users)
        .names.insert(one.is_account() ? one.account : one.user_name);
  Known qos{"QOS", &AdvanceReservation::qos, {}, "`cox show qos` lists them"};
  for (const auto& [name, one] : cluster.accounting().qos()) qos.names.insert(name);
  std::vector<Known> known{qos};
  if (accounts.names.size() > 1) known.push_back(accounts);
  if (!users.names.empty()) known.push_back(users);
  return known;
}

std::string_view plain(const std::string& word) {
  return std::string_view(word).substr(word.starts_with("-") ? 1 : 0);
}

}  // namespace

Failure check_access(const Cluster& cluster, const AdvanceReservation& before,
                     const AdvanceReservation& r) {
  for (const Known& known : known_names(cluster)) {
    const auto& named_before = before.*known.list;
    for (const std::string& word : r.*known.list) {
      const std::string name(plain(word));
      if (known.names.contains(name)) continue;
      if (std::ranges::find(named_before, word) != named_before.end()) continue;
      const std::string suggestion = did_you_mean(name, {known.names.begin(), known.names.end()});
      return Refusal{known.what == std::string_view("user")
                         ? "user " + quoted(name) + " is in no account"
                         : std::string("there is no ") + known.what + " " + quoted(name),
                     suggestion.empty() ? known.where : suggestion};
    }
  }
  return std::nullopt;
}

}  // namespace cox
