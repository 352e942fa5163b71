// Decides requests of sacctmgr about accounts, users and coordinators.
#include "common/base/text.h"
#include "controller/accounting/accounting_coordinators.h"
#include "controller/accounting/association_changes.h"

namespace cox {
namespace {

Failure decide_coordinators(AssociationChanges& changes, const AccountingRequest& request) {
  std::vector<std::string> lines;
  auto changed = with_coordinators(changes.accounts(), request, lines);
  if (!changed) return changed.refusal();
  for (std::string& line : lines) changes.say(std::move(line));
  for (Association& one : *changed) changes.put(std::move(one));
  return std::nullopt;
}

Failure decide(AssociationChanges& changes, const AccountingRequest& request) {
  switch (request.entity) {
    case AccountingEntity::Account: return decide_accounts(changes, request);
    case AccountingEntity::User: return decide_users(changes, request);
    case AccountingEntity::Coordinator: return decide_coordinators(changes, request);
    case AccountingEntity::Qos: CHECK(false && "accounting_qos.cpp rules on tiers");
  }
  CHECK(false && "unknown AccountingEntity");
}

}  // namespace

Result<AccountingRuling> rule_on_associations(const Cluster& cluster, AccountingBooks& books,
                                              const AccountingRequest& request) {
  AssociationChanges changes(cluster, books);
  if (auto f = decide(changes, request)) return *f;
  return changes.ruling(request);
}

}  // namespace cox
