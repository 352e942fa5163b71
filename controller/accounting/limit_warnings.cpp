#include "controller/accounting/limit_warnings.h"

#include <algorithm>
#include <optional>
#include <set>

#include "common/base/nearest.h"
#include "common/base/text.h"
#include "controller/accounting/quota_warnings.h"

namespace cox {
namespace {

bool counts_tres(const AccountingSetting& setting) {
  return setting.name.find("tres") != std::string::npos || setting.name == "guarantee" ||
         setting.name == "deserved";
}

// Returns the resources that the setting limits. Of "cpu=4,mem=-1", mem is not one of them.
TresList tres_in(const AccountingSetting& setting) {
  TresList tres_list;
  for (const std::string_view part : split(setting.value, ','))
    if (const auto list = parse_tres_by_hours(part))
      for (const TresCount& one : *list)
        if (one.count > 0) tres_list.push_back(one);
  return tres_list;
}

std::int64_t total_of(const Cluster& cluster, const TresCount& tres) {
  if (tres.what != Tres::Licences) return cluster.nodes().total_of(tres);
  for (const LicenceCount& licence : cluster.config().scheduling.licences)
    if (licence.name == tres.name) return licence.count;
  return 0;
}

// Returns the names of all GPUs, other GRES and licences of the cluster, without and with types.
std::set<std::string> names_there(const Cluster& cluster) {
  std::set<std::string> names;
  const auto add = [&](Tres what, const std::string& name, const std::string& type) {
    names.insert(tres_name({what, name, "", 0}));
    if (!type.empty()) names.insert(tres_name({what, name, type, 0}));
  };
  for (const auto& [name, node] : cluster.nodes().all()) {
    for (const GpuDevice& gpu : node.total.gpus) add(Tres::GpuMilli, "", gpu.type);
    for (const GresCount& gres : node.total.gres) add(Tres::Gres, gres.name, gres.type);
  }
  for (const LicenceCount& licence : cluster.config().scheduling.licences)
    add(Tres::Licences, licence.name, "");
  return names;
}

// Returns "did you mean ...?", or nothing if no name is similar. Types are compared only with types
// of the same resource.
std::string similar_name(const TresCount& tres, const std::set<std::string>& names) {
  const std::string name = tres_name(tres);
  const std::size_t at = name.find(tres.type.empty() ? '/' : ':') + 1;
  std::vector<std::string_view> candidates;
  for (const std::string& one : names)
    if (one.starts_with(name.substr(0, at))) candidates.push_back(std::string_view(one).substr(at));
  const std::string_view found = nearest(std::string_view(name).substr(at), candidates);
  return found.empty() ? "" : "did you mean " + name.substr(0, at) + std::string(found) + "?";
}

std::string tres_warning(const Cluster& cluster, const Accounts& accounts,
                         const AccountingSetting& setting, const TresCount& tres) {
  const std::int64_t has = total_of(cluster, tres);
  if (has == 0) return absence_text(cluster, tres);
  if (setting.name != "kepttres") return "";
  if (tres.count <= has) return kept_warning(cluster, accounts, tres);
  TresCount all = tres;
  all.count = has;
  return "KeptTRES reserves " + format_tres({tres}) + ", and the cluster has only " +
         format_tres({all}) + ": jobs of lower tiers get none of it";
}

}  // namespace

std::string absence_text(const Cluster& cluster, const TresCount& tres) {
  const std::set<std::string> names = names_there(cluster);
  const std::string suggestion = similar_name(tres, names);
  const std::string all =
      names.empty() ? "" : "it has " + joined({names.begin(), names.end()}, ", ");
  const std::string hint = suggestion.empty() ? all : suggestion;
  return "the cluster has no " + tres_name(tres) + (hint.empty() ? "" : "; " + hint);
}

std::vector<std::string> tres_warnings(const Cluster& cluster, const Accounts& accounts,
                                       const std::vector<AccountingSetting>& set) {
  std::vector<std::string> warnings;
  if (cluster.nodes().all().empty()) return warnings;
  for (const AccountingSetting& setting : set) {
    if (!counts_tres(setting)) continue;
    for (const TresCount& tres : tres_in(setting)) {
      std::string warning = tres_warning(cluster, accounts, setting, tres);
      if (!warning.empty() && std::ranges::find(warnings, warning) == warnings.end())
        warnings.push_back(std::move(warning));
    }
  }
  return warnings;
}

}  // namespace cox
