// What administrators want of accounts, users and tiers, by command or by SQL.
#include "common/limits.h"
#include "common/text.h"
#include "controller/account_use.h"
#include "controller/accounting.h"
#include "controller/fair_share.h"
#include "controller/react.h"

namespace cox {
namespace {

// As much of it as the row takes.
std::string kept_command(const std::vector<std::string>& words) {
  constexpr std::size_t command_bytes_max = 8'000;
  return cut_text(quoted_words(words), command_bytes_max);
}

}  // namespace

void on_administer(Reaction& r, const PeerSaid& said, std::int64_t number, const Administer& ask) {
  if (said.caller.uid != r.cluster().config().owner_uid)
    return r.reply(said.peer, number,
                   Refused{{"you are uid " + std::to_string(said.caller.uid) +
                                "; accounts are changed by uid " +
                                std::to_string(r.cluster().config().owner_uid),
                            "ask the administrator of this cluster"}});
  AccountingBooks books(r.cluster());
  auto ruling = rule_on_accounting(r.cluster(), books, ask.words);
  if (!ruling) return r.reply(said.peer, number, Refused{ruling.refusal()});
  if (!ask.test) {
    ruling->changes.emplace_back(RequestAnswered{0, "user " + said.caller.user_name,
                                                 kept_command(ask.words), false,
                                                 stored_answer(ruling->lines)});
    r.administer(std::move(ruling->changes));
  }
  r.reply(said.peer, number, Administered{std::move(ruling->lines)});
}

void on_asked_by_sql(Reaction& r, const AskedBySql& asked) {
  if (!asked.refused.empty())
    return r.administer({RequestAnswered{
        asked.id, asked.by, asked.command, true, {"the database refuses it: " + asked.refused}}});
  auto ruling = rule_on_accounting_lines(r.cluster(), asked.command);
  if (!ruling) {
    const Refusal& why = ruling.refusal();
    r.administer({RequestAnswered{asked.id, asked.by, asked.command, true, {why.fact, why.hint}}});
    return;
  }
  ruling->changes.emplace_back(
      RequestAnswered{asked.id, asked.by, asked.command, false, std::move(ruling->lines)});
  r.administer(std::move(ruling->changes));
}

AssociationList list_associations(const Cluster& cluster, const ListAssociations& ask, Now now) {
  const Accounts& accounts = cluster.accounts();
  const auto shares = fair_shares(cluster, now);
  const auto uses = account_uses(cluster, now);
  std::map<AssociationId, std::int64_t> running;
  for (const JobId id : cluster.live())
    if (const Association* own = accounts.of(*cluster.job(id)->job.spec))
      for (const Association* one : accounts.chain(*own)) running[one->id] += 1;
  AssociationList list;
  list.cluster = cluster.config().cluster_name;
  for (auto at = accounts.all().upper_bound(ask.after); at != accounts.all().end(); ++at) {
    list.more = list.associations.size() == limits::page_rows_max;
    if (list.more) break;
    AssociationView& view = list.associations.emplace_back();
    view.association = at->second;
    view.submitted = cluster.limits_in_use().submitted(at->first);
    view.running = running[at->first];
    const FairShare& share = shares.at(at->first);
    view.usage = share.usage;
    view.usage_part = share.usage_part;
    view.shares_part = share.shares_part;
    view.fair_share = share.factor;
    const AccountUse& use = uses.at(at->first);
    view.held = use.held;
    view.minutes_used = use.minutes;
    view.wall_used_s = use.wall_s;
  }
  return list;
}

}  // namespace cox
