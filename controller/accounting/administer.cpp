#include "controller/accounting/administer.h"

#include <algorithm>
#include <iterator>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/accounting/account_use.h"
#include "controller/accounting/accounting.h"
#include "controller/accounting/accounting_coordinators.h"
#include "controller/feed/fair_share.h"

namespace cox {
namespace {

constexpr std::size_t command_bytes_max = 8'000;

// Returns the command as text, cut to the length that is stored.
std::string kept_command(const std::vector<std::string>& words) {
  return cut_text(quoted_words(words), command_bytes_max);
}

using Words = std::vector<std::string>;
using Requests = std::vector<AccountingRequest>;

// Parses all requests. If there are several, a refusal names the request. REQUIRES: at least one.
Result<Requests> parse_all(const std::vector<Words>& asked) {
  Requests requests;
  for (const Words& words : asked) {
    auto request = parse_accounting(words);
    if (!request && asked.size() > 1)
      return Refusal{kept_command(words) + ": " + request.refusal().fact, request.refusal().hint};
    if (!request) return request.refusal();
    requests.push_back(std::move(*request));
  }
  return requests;
}

// Decides all requests, each as if the ones before it were done. If one is refused, all are.
Result<AccountingRuling> rule_on_all(const Cluster& cluster, const Requests& requests) {
  AccountingBooks books(cluster);
  AccountingRuling all;
  for (const AccountingRequest& request : requests) {
    auto one = rule_on_accounting(cluster, books, request);
    if (!one) return one.refusal();
    std::ranges::move(one->changes, std::back_inserter(all.changes));
    std::ranges::move(one->lines, std::back_inserter(all.lines));
  }
  return all;
}

Result<AccountingRuling> rule_on_asked(const Cluster& cluster, const Caller& caller,
                                       const Administer& ask) {
  const bool is_owner = caller.uid == cluster.config().owner_uid;
  if (!is_owner && !cluster.accounting().accounts().is_coordinator(caller.user_name))
    return Refusal{"only uid " + std::to_string(cluster.config().owner_uid) +
                       " may change accounts; you are uid " + std::to_string(caller.uid),
                   "ask the administrator of this cluster"};
  if (ask.rest.size() >= limits::accounting_requests_max)
    return Refusal{"more than " + std::to_string(limits::accounting_requests_max) +
                       " requests at once, the limit",
                   "load the file in parts"};
  std::vector<Words> asked{ask.words};
  asked.insert(asked.end(), ask.rest.begin(), ask.rest.end());
  const auto requests = parse_all(asked);
  if (!requests) return requests.refusal();
  auto ruling = rule_on_all(cluster, *requests);
  if (!ruling || is_owner) return ruling;
  if (auto f = check_coordinator(cluster.accounting().accounts(), caller.user_name, *requests,
                                 ruling->changes))
    return *f;
  return ruling;
}

std::string asked_text(const Administer& ask) {
  if (ask.rest.empty()) return kept_command(ask.words);
  return cut_text("load of " + std::to_string(ask.rest.size() + 1) +
                      " requests, the first: " + quoted_words(ask.words),
                  command_bytes_max);
}

}  // namespace

void on_administer(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                   const Administer& ask) {
  auto ruling = rule_on_asked(r.cluster(), incoming.caller, ask);
  if (!ruling) return r.reply(incoming.peer, number, Refused{ruling.refusal()});
  if (!ask.test) {
    ruling->changes.emplace_back(RequestAnswered{0, "user " + incoming.caller.user_name,
                                                 asked_text(ask), false,
                                                 stored_answer(ruling->lines)});
    r.administer(std::move(ruling->changes));
  }
  r.reply(incoming.peer, number, Administered{std::move(ruling->lines)});
}

void on_sql_request(Reaction& r, const SqlRequest& asked) {
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
  const Accounts& accounts = cluster.accounting().accounts();
  const auto shares = fair_shares(cluster, now);
  const auto uses = account_uses(cluster, now);
  std::map<AssociationId, std::int64_t> running;
  for (const JobId id : cluster.jobs().live())
    if (const Association* own = accounts.of(*cluster.job(id)->job.spec))
      for (const Association* one : accounts.chain(*own)) running[one->id] += 1;
  AssociationList list;
  list.cluster = cluster.config().cluster_name;
  for (auto at = accounts.all().upper_bound(ask.after); at != accounts.all().end(); ++at) {
    list.more = list.associations.size() == limits::page_rows_max;
    if (list.more) break;
    AssociationView& view = list.associations.emplace_back();
    view.association = at->second;
    view.submitted = cluster.accounting().limits_in_use().submitted(at->first);
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
