#include "controller/accounting/accounting_words.h"

#include "common/base/nearest.h"
#include "common/base/text.h"

namespace cox {

Refusal nothing_done(const AccountingRequest& request, const Refusal& why) {
  const auto words = [&]() -> std::string {
    switch (request.verb) {
      case AccountingVerb::Add: return "Nothing new added";
      case AccountingVerb::Modify: return "Nothing modified";
      case AccountingVerb::Delete: break;
    }
    return request.entity == AccountingEntity::Coordinator ? "Nothing removed" : "Nothing deleted";
  };
  return {words() + ": " + why.fact, why.hint};
}

Refusal no_such_account(const Accounts& all, const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto& [id, one] : all.all())
    if (one.is_account()) names.push_back(one.account);
  Refusal refusal{"there is no account " + quoted(name), did_you_mean(name, names)};
  if (refusal.hint.empty()) refusal.hint = "see `sacctmgr show account`, or add it first";
  return refusal;
}

Refusal no_such_user(const Accounts& all, const std::vector<std::string>& names,
                     const std::vector<std::string>& accounts,
                     const std::vector<std::string>& partitions) {
  std::string where = accounts.empty() ? "" : " in account " + joined(accounts, ", ");
  if (!partitions.empty()) where += " for partition " + joined(partitions, ", ");
  if (names.empty()) return {"there is no user" + where, "see `sacctmgr show association`"};
  std::vector<std::string> others;
  for (const Association* one : all.of_user(names.front()))
    others.push_back("account " + one->account +
                     (one->partition.empty() ? "" : " for partition " + one->partition));
  if (others.empty())
    return {"there is no user " + quoted(names.front()), "see `sacctmgr show user`"};
  return {"user " + names.front() + " is not" + where, "the user is in: " + joined(others, "; ")};
}

}  // namespace cox
