#include "controller/accounting/limit_warnings.h"

#include <algorithm>
#include <optional>
#include <set>

#include "common/base/nearest.h"
#include "common/base/text.h"
#include "controller/accounting/quota_warnings.h"

namespace cox {
namespace {

bool counts_things(const AccountingSetting& setting) {
  return setting.name.find("tres") != std::string::npos || setting.name == "guarantee" ||
         setting.name == "deserved";
}

// "cpu=4,mem=-1": what is taken away is none of them.
TresList things_in(const AccountingSetting& setting) {
  TresList things;
  for (const std::string_view part : split(setting.value, ','))
    if (const auto list = parse_tres_by_hours(part))
      for (const TresCount& one : *list)
        if (one.count > 0) things.push_back(one);
  return things;
}

std::int64_t there_is(const Cluster& cluster, const TresCount& thing) {
  if (thing.what != Tres::Licences) return cluster.there_is(thing);
  for (const LicenceCount& licence : cluster.config().scheduling.licences)
    if (licence.name == thing.name) return licence.count;
  return 0;
}

// All that there is of GPUs, other GRES and licences, by name and by type.
std::set<std::string> names_there(const Cluster& cluster) {
  std::set<std::string> names;
  const auto add = [&](Tres what, const std::string& name, const std::string& type) {
    names.insert(tres_name({what, name, "", 0}));
    if (!type.empty()) names.insert(tres_name({what, name, type, 0}));
  };
  for (const auto& [name, node] : cluster.nodes()) {
    for (const GpuDevice& gpu : node.total.gpus) add(Tres::GpuMilli, "", gpu.type);
    for (const GresCount& gres : node.total.gres) add(Tres::Gres, gres.name, gres.type);
  }
  for (const LicenceCount& licence : cluster.config().scheduling.licences)
    add(Tres::Licences, licence.name, "");
  return names;
}

// A type is compared with types alone: gres/gpu:b200 is no misspelt gres/gpu:h100.
std::string meant_by(const TresCount& thing, const std::set<std::string>& names) {
  const std::string name = tres_name(thing);
  const std::size_t at = name.find(thing.type.empty() ? '/' : ':') + 1;
  std::vector<std::string_view> candidates;
  for (const std::string& one : names)
    if (one.starts_with(name.substr(0, at))) candidates.push_back(std::string_view(one).substr(at));
  const std::string_view found = nearest(std::string_view(name).substr(at), candidates);
  return found.empty() ? "" : "did you mean " + name.substr(0, at) + std::string(found) + "?";
}

std::string doubt_about(const Cluster& cluster, const Accounts& accounts,
                        const AccountingSetting& setting, const TresCount& thing) {
  const std::int64_t has = there_is(cluster, thing);
  if (has == 0) return none_of_it(cluster, thing);
  if (setting.name != "kepttres") return "";
  if (thing.count <= has) return doubt_about_kept(cluster, accounts, thing);
  TresCount all = thing;
  all.count = has;
  return "the cluster has " + format_tres({all}) + ", and " + setting.name + " keeps " +
         format_tres({thing}) + ": jobs of lower tiers get none of it";
}

}  // namespace

std::string none_of_it(const Cluster& cluster, const TresCount& thing) {
  const std::set<std::string> names = names_there(cluster);
  const std::string meant = meant_by(thing, names);
  const std::string all =
      names.empty() ? "" : "it has " + joined({names.begin(), names.end()}, ", ");
  const std::string hint = meant.empty() ? all : meant;
  return "the cluster has no " + tres_name(thing) + (hint.empty() ? "" : "; " + hint);
}

std::vector<std::string> doubts_about_things(const Cluster& cluster, const Accounts& accounts,
                                             const std::vector<AccountingSetting>& set) {
  std::vector<std::string> doubts;
  if (cluster.nodes().empty()) return doubts;
  for (const AccountingSetting& setting : set) {
    if (!counts_things(setting)) continue;
    for (const TresCount& thing : things_in(setting)) {
      std::string doubt = doubt_about(cluster, accounts, setting, thing);
      if (!doubt.empty() && std::ranges::find(doubts, doubt) == doubts.end())
        doubts.push_back(std::move(doubt));
    }
  }
  return doubts;
}

}  // namespace cox
