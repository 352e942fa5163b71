#include "client/slurm/records/account_json.h"

#include <cmath>
#include <map>

#include "client/slurm/text/json_document.h"
#include "common/base/text.h"

namespace cox {
namespace {

using namespace slurm_json;

Json known_part(double value) {
  return {{"set", true}, {"infinite", false}, {"number", value}};
}

Json optional_count(const std::optional<std::int64_t>& count) {
  return count ? known(*count) : Json{{"set", false}, {"infinite", true}, {"number", 0}};
}

Json optional_minutes(const std::optional<std::int64_t>& seconds) {
  return optional_count(seconds ? std::optional(*seconds / 60) : std::nullopt);
}

// Returns the TRES as JSON, each with type and name: "gres/gpu" has the type "gres" and the name
// "gpu".
Json tres_json(const TresList& list) {
  Json all = Json::array();
  for (const TresCount& one : list) {
    const std::string name = tres_name(one);
    const std::size_t slash = name.find('/');
    const std::int64_t count = one.what == Tres::GpuMilli ? one.count / 1000 : one.count;
    all.push_back({{"type", name.substr(0, slash)},
                   {"name", slash == std::string::npos ? "" : name.substr(slash + 1)},
                   {"count", count}});
  }
  return all;
}

Json named_seconds(const std::vector<TresUsage>& usage) {
  Json all = Json::array();
  for (const TresUsage& one : usage) all.push_back({{"name", one.tres}, {"value", one.seconds}});
  return all;
}

Json key_json(const Association& one, const std::string& cluster) {
  return {{"account", one.account},
          {"cluster", cluster},
          {"partition", one.partition},
          {"user", one.user_name},
          {"id", one.id.value}};
}

Json association_json(const Association& one, const std::string& cluster) {
  const AssociationLimits& limits = one.limits;
  Json json = key_json(one, cluster);
  json["comment"] = "";
  json["default"] = {{"qos", one.default_qos}};
  json["flags"] = Json::array();
  json["is_default"] = one.is_default;
  json["parent_account"] = one.parent;
  json["priority"] = unset();
  json["qos"] = words(one.qos);
  json["shares_raw"] = one.shares;
  json["max"] = {{"jobs",
                  {{"per",
                    {{"count", optional_count(limits.grp_submit_jobs)},
                     {"submitted", optional_count(limits.max_submit_jobs)},
                     {"wall_clock", optional_minutes(limits.max_wall_s)}}},
                   {"active", optional_count(limits.max_jobs)},
                   {"total", optional_count(limits.max_submit_jobs)}}},
                 {"tres",
                  {{"total", tres_json(limits.grp_tres)},
                   {"group", {{"minutes", tres_json(limits.grp_tres_mins)}}},
                   {"minutes", {{"per", {{"job", tres_json(limits.max_tres_mins_per_job)}}}}},
                   {"per", {{"job", tres_json(limits.max_tres_per_job)}}}}},
                 {"per", {{"account", {{"wall_clock", optional_minutes(limits.grp_wall_s)}}}}}};
  return json;
}

// Returns a QOS as JSON. Leaves out Slurm's key "id": a QOS has no number in Coxswain, and its
// place in the list can change.
Json qos_json(const Qos& qos) {
  const QosLimits& limits = qos.limits;
  Json json = {{"description", qos.name}, {"flags", Json::array()}, {"name", qos.name}};
  json["limits"] = {
      {"grace_time", qos.grace_ms / 1000},
      {"max",
       {{"active_jobs", {{"count", optional_count(limits.grp_jobs)}}},
        {"jobs",
         {{"active_jobs", {{"per", {{"user", optional_count(limits.max_jobs_per_user)}}}}},
          {"per", {{"user", optional_count(limits.max_submit_jobs_per_user)}}}}},
        {"tres",
         {{"total", tres_json(limits.grp_tres)},
          {"minutes", {{"total", tres_json(limits.grp_tres_mins)}}},
          {"per",
           {{"job", tres_json(limits.max_tres_per_job)},
            {"user", tres_json(limits.max_tres_per_user)}}}}},
        {"wall_clock",
         {{"per",
           {{"qos", optional_minutes(limits.grp_wall_s)},
            {"job", optional_minutes(limits.max_wall_s)}}}}}}},
      {"min", {{"tres", {{"per", {{"job", tres_json(limits.min_tres_per_job)}}}}}}}};
  json["preempt"] = {{"list", Json::array()},
                     {"mode", Json::array({std::string(name(qos.preempt_mode))})},
                     {"exempt_time", set_if(qos.preempt_exempt_time_s.has_value(),
                                            qos.preempt_exempt_time_s.value_or(0))}};
  json["priority"] = known(qos.tier);
  return json;
}

std::string sacctmgr_document(const char* what, Json list, const std::string& cluster,
                              const Screen& screen) {
  return document({"show", lower_case(what)}, what, std::move(list), cluster, screen.now);
}

// Returns the values of the map as a JSON list, sorted by their names.
Json in_order(std::map<std::string, Json> named) {
  Json list = Json::array();
  for (auto& [name, one] : named) list.push_back(std::move(one));
  return list;
}

}  // namespace

std::string json_of_shares(const std::vector<ShareShown>& rows, const std::string& cluster,
                           const Screen& screen) {
  Json list = Json::array();
  std::int64_t total = 0;
  for (const ShareShown& row : rows) {
    const AssociationView& view = *row.view;
    const Association& one = view.association;
    if (!one.shares_of_parent) total += one.shares;
    const bool has_level = !one.is_root() && row.share_of_siblings > 0;
    list.push_back({{"id", one.id.value},
                    {"cluster", cluster},
                    {"name", one.is_account() ? one.account : one.user_name},
                    {"parent", one.is_account() ? one.parent : one.account},
                    {"partition", one.partition},
                    {"shares_normalized", known_part(view.shares_part)},
                    {"shares", one.shares_of_parent ? unset() : known(one.shares)},
                    {"tres",
                     {{"run_seconds", tres_json(view.held)},
                      {"group_minutes", tres_json(one.limits.grp_tres_mins)},
                      {"usage", named_seconds(one.usage)}}},
                    {"effective_usage", one.is_root() ? 1.0 : row.share_of_siblings},
                    {"usage_normalized", known_part(view.usage_part)},
                    {"usage", std::llround(view.usage)},
                    {"fairshare",
                     {{"factor", view.fair_share},
                      {"level", has_level ? view.shares_part / row.share_of_siblings : 0.0}}},
                    {"type", Json::array({one.is_account() ? "ASSOCIATION" : "USER"})}});
  }
  return document({"sshare"}, "shares", {{"shares", std::move(list)}, {"total_shares", total}},
                  cluster, screen.now);
}

std::string json_of_accounts(const AccountingRows& rows, const AccountingRows& each,
                             const AssociationList& list, const Screen& screen) {
  std::map<std::string, Json> accounts;
  for (const AccountingRow& row : rows)
    accounts[row.association->account] = {{"associations", Json::array()},
                                          {"coordinators", Json::array()},
                                          {"description", ""},
                                          {"name", row.association->account},
                                          {"organization", ""},
                                          {"flags", Json::array()}};
  for (const AssociationView& view : list.associations) {
    const auto account = accounts.find(view.association.account);
    if (account == accounts.end() || !view.association.is_account()) continue;
    account->second["description"] = view.association.description;
    for (const std::string& user : view.association.coordinators)
      account->second["coordinators"].push_back({{"name", user}, {"direct", true}});
    account->second["organization"] = view.association.organization;
  }
  for (const AccountingRow& row : each)
    if (const auto account = accounts.find(row.association->account); account != accounts.end())
      account->second["associations"].push_back(key_json(*row.association, list.cluster));
  return sacctmgr_document("accounts", in_order(std::move(accounts)), list.cluster, screen);
}

std::string json_of_users(const AccountingRows& rows, const AccountingRows& each,
                          const std::string& cluster, const Screen& screen) {
  std::map<std::string, Json> users;
  const auto coordinated = [](const std::string& accounts) {
    Json list = Json::array();
    for (const std::string_view account : split(accounts, ','))
      if (!account.empty()) list.push_back({{"name", account}, {"direct", true}});
    return list;
  };
  for (const AccountingRow& row : rows)
    users[row.association->user_name] = {{"administrator_level", Json::array({"None"})},
                                         {"associations", Json::array()},
                                         {"coordinators", coordinated(row.coordinators)},
                                         {"default", {{"account", row.default_account}}},
                                         {"flags", Json::array()},
                                         {"name", row.association->user_name},
                                         {"old_name", ""},
                                         {"wckeys", Json::array()}};
  for (const AccountingRow& row : each)
    if (const auto user = users.find(row.association->user_name); user != users.end())
      user->second["associations"].push_back(key_json(*row.association, cluster));
  return sacctmgr_document("users", in_order(std::move(users)), cluster, screen);
}

std::string json_of_associations(const AccountingRows& rows, const std::string& cluster,
                                 const Screen& screen) {
  Json list = Json::array();
  for (const AccountingRow& row : rows) list.push_back(association_json(*row.association, cluster));
  return sacctmgr_document("associations", std::move(list), cluster, screen);
}

std::string json_of_clusters(const AccountingRows& rows, const std::string& cluster,
                             const Screen& screen) {
  Json list = Json::array();
  for (const AccountingRow& row : rows)
    list.push_back({{"name", row.cluster},
                    {"flags", Json::array()},
                    {"associations", {{"root", key_json(*row.association, row.cluster)}}}});
  return sacctmgr_document("clusters", std::move(list), cluster, screen);
}

std::string json_of_qos(const AccountingRows& rows, const std::string& cluster,
                        const Screen& screen) {
  Json list = Json::array();
  for (const AccountingRow& row : rows) list.push_back(qos_json(*row.qos));
  return sacctmgr_document("qos", std::move(list), cluster, screen);
}

std::string json_of_tres(const AccountingRows& rows, const std::string& cluster,
                         const Screen& screen) {
  Json list = Json::array();
  for (const AccountingRow& row : rows)
    list.push_back({{"type", row.resource->type},
                    {"name", row.resource->name},
                    {"id", row.resource->id},
                    {"count", 0}});
  return sacctmgr_document("TRES", std::move(list), cluster, screen);
}

}  // namespace cox
