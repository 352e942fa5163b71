#include "controller/admit/partition_choice.h"

#include <algorithm>
#include <limits>

#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/cluster/unknown_group.h"

namespace cox {
namespace {

bool names(const std::vector<std::string>& list, const std::string& word) {
  return std::ranges::find(list, word) != list.end();
}

bool names_any(const std::vector<std::string>& list, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](const std::string& word) { return names(list, word); });
}

// Returns the job's account and all accounts above it: a list that names one of them applies.
std::vector<std::string> accounts_of(const Accounts& accounts, const JobSpec& s) {
  std::vector<std::string> all{s.account};
  if (const Association* own = accounts.of(s))
    for (const Association* one : accounts.chain(*own)) all.push_back(one->account);
  return all;
}

// Checks the job's account or QOS against the partition's lists `allow` and `deny`. `what`:
// "account" or "QOS". `all`: its name, followed by the accounts above it.
Failure check_listed(const PartitionConfig& partition, const std::string& what,
                     const std::vector<std::string>& all, const std::vector<std::string>& allow,
                     const std::vector<std::string>& deny) {
  const std::string& is = all.front();
  const std::string taken = "partition " + partition.name + " takes ";
  const std::string own = is.empty() ? "this job has none" : "not " + quoted(is);
  if (!allow.empty() && !names_any(allow, all))
    return Refusal{taken + "only jobs of " + what + " " + joined(allow, ", ") + "; " + own,
                   "ask for another partition; `cox show partitions` lists them"};
  if (names_any(deny, all))
    return Refusal{taken + "no jobs of " + what + " " + is,
                   "ask for another partition; `cox show partitions` lists them"};
  return std::nullopt;
}

bool is_member(const AllowedGroup& group, const Caller& caller) {
  return group.gid == caller.gid || names(group.members, caller.user_name);
}

Failure check_group(const PartitionConfig& partition, const Caller& caller) {
  if (partition.allow_groups.empty()) return std::nullopt;
  std::vector<std::string> groups, unknown;
  for (const AllowedGroup& group : partition.allow_groups) {
    if (is_member(group, caller)) return std::nullopt;
    groups.push_back(group.name);
    if (is_unknown(group)) unknown.push_back(group.name);
  }
  if (!unknown.empty())
    return Refusal{"whether " + caller.user_name + " may use partition " + partition.name +
                       " is not known: no lookup of group " + joined(unknown, ", ") +
                       " on the controller's host has found it yet",
                   "submit again in a minute; `getent group` on that host shows whether it exists"};
  return Refusal{"partition " + partition.name + " takes only jobs of group " +
                     joined(groups, ", ") + "; " + caller.user_name + " is in none of them",
                 "ask for another partition; `cox show partitions` lists them"};
}

Failure check_known(const ControllerConfig& config, const std::vector<std::string>& asked) {
  for (const std::string& name : asked) {
    if (partition_of(config, name) != nullptr) continue;
    std::vector<std::string_view> known;
    std::string all = "possible: ";
    for (const auto& p : config.partitions) {
      all += (known.empty() ? "" : ", ") + p.name;
      known.push_back(p.name);
    }
    const std::string nearest_one = did_you_mean(name, known);
    return Refusal{"there is no partition " + quoted(name),
                   nearest_one.empty() ? all : nearest_one};
  }
  return std::nullopt;
}

}  // namespace

Failure PartitionChoice::check_whose(const PartitionConfig& p, const ParsedSpec& s) const {
  const Partition& now = cluster_.partitions().row(p.name);
  if (!takes_jobs(now.state))
    return Refusal{"partition " + p.name + " takes no new jobs: it is " +
                       std::string(name(now.state)) +
                       (now.reason.empty() ? "" : " (" + now.reason + ")"),
                   "ask for another partition; `cox show partitions` lists them"};
  if (auto f = check_listed(p, "account", accounts_of(cluster_.accounting().accounts(), s),
                            p.allow_accounts, p.deny_accounts))
    return f;
  if (auto f = check_listed(p, "QOS", {s.qos}, p.allow_qos, p.deny_qos)) return f;
  if (!p.qos.empty() && !cluster_.accounting().qos().contains(p.qos))
    return Refusal{
        "partition " + p.name + " has the QOS " + quoted(p.qos) + ", which does not exist",
        "an administrator must add it, or remove it from the configuration"};
  if (auto f = check_group(p, caller_)) return f;
  return check_time(p, s);
}

Failure PartitionChoice::check_limits(const PartitionConfig& p, const ParsedSpec& s) const {
  if (auto f = check_whose(p, s)) return f;
  if (auto f = check_size(p, s)) return f;
  const auto qos = cluster_.accounting().qos().find(p.qos);
  if (qos == cluster_.accounting().qos().end() || p.qos == s.qos) return std::nullopt;
  auto failure = check_qos_limits(qos->second, s, time_from_);
  if (failure) failure->fact = "partition " + p.name + ": " + failure->fact;
  return failure;
}

// Returns a hint with the partitions that would take the job, as the value of --partition.
// Partitions that are closed now are named only if there is no other. The job is validated in full
// for each partition, so only the first few are tried.
std::string PartitionChoice::others_hint(const ParsedSpec& s) const {
  constexpr int partitions_tried_max = 8;
  std::string open, closed;
  int tried = 0;
  for (const PartitionConfig& p : cluster_.config().partitions) {
    if (!takes_ || ++tried > partitions_tried_max) break;
    if (!takes_(p.name)) continue;
    ParsedSpec there = s;
    set_partitions(there, {p.name});
    std::string& names = cluster_.partitions().is_closed_to(there) ? closed : open;
    names += (names.empty() ? "" : ",") + p.name;
  }
  if (!open.empty()) return "these would take it: --partition=" + open;
  if (closed.empty()) return "";
  return "these would take it, and start it when they are open again: --partition=" + closed;
}

Refusal PartitionChoice::refusal(const ParsedSpec& s) const {
  Refusal refusal = left_out_.front();
  for (std::size_t i = 1; i < left_out_.size(); ++i) refusal.fact += "; " + left_out_[i].fact;
  const std::string others = others_hint(s);
  if (!others.empty()) refusal.hint = others;
  return refusal;
}

// Keeps the named partitions that pass the check. Refused if none does.
Failure PartitionChoice::keep(ParsedSpec& s, Check check) {
  std::vector<std::string> kept;
  for (const std::string& name : s.terms->partitions) {
    auto failure = (this->*check)(*partition_of(cluster_.config(), name), s);
    if (failure) {
      left_out_.push_back(std::move(*failure));
    } else {
      kept.push_back(name);
    }
  }
  if (kept.empty()) return refusal(s);
  set_partitions(s, std::move(kept));
  return std::nullopt;
}

// Sets the time limit to the shortest among those of the job's partitions (their default, else
// their maximum), MaxWall of its QOS and MaxWall of its account. The account's MaxWall counts only
// if the QOS has none.
void PartitionChoice::resolve_time(ParsedSpec& s) {
  const auto take = [&](std::int64_t given, const std::string& from) {
    if (given == 0 || (s.time_limit_s > 0 && s.time_limit_s <= given)) return;
    s.time_limit_s = given;
    time_from_ = from;
  };
  for (const PartitionConfig* p : partitions_of(cluster_.config(), s.terms->partitions)) {
    const bool has_default = p->time_limit_default_s > 0;
    take(has_default ? p->time_limit_default_s : p->time_limit_max_s,
         (has_default ? "time_limit_default of partition " : "time_limit_max of partition ") +
             p->name);
  }
  for (const Qos* qos : cluster_.accounting().qos_binding(s))
    take(qos->limits.max_wall_s.value_or(0), "MaxWall of QOS " + qos->name);
  const Association* own = cluster_.accounting().accounts().of(s);
  if (own == nullptr || cluster_.accounting().qos_of(s).limits.max_wall_s) return;
  take(cluster_.accounting().accounts().limits_of(*own).max_wall_s.value_or(0),
       "MaxWall of its account");
}

Failure PartitionChoice::resolve(ParsedSpec& s) {
  if (s.terms->partitions.empty()) set_partitions(s, {partition_of(cluster_.config(), "")->name});
  if (auto f = check_known(cluster_.config(), s.terms->partitions)) return f;
  if (auto f = keep(s, &PartitionChoice::check_whose)) return f;
  if (s.time_limit_s == 0) resolve_time(s);
  return std::nullopt;
}

Failure PartitionChoice::drop_too_small(ParsedSpec& s) {
  return keep(s, &PartitionChoice::check_limits);
}

std::int64_t memory_mb_per_cpu_default(const ControllerConfig& config, const ParsedSpec& spec) {
  std::int64_t most = 0;
  for (const PartitionConfig* p : partitions_of(config, spec.terms->partitions))
    most = std::max(most, p->memory_mb_per_cpu_default);
  return most;
}

std::int64_t fewest_nodes(const ControllerConfig& config, const ParsedSpec& spec) {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (const PartitionConfig* p : partitions_of(config, spec.terms->partitions))
    fewest = std::min(fewest, p->min_nodes);
  return fewest;
}

Wall opens_at(const ControllerConfig& config, const PartitionConfig& partition, Wall from) {
  if (partition.hours.empty()) return from;
  const WeekHours& hours = config.hours.at(partition.hours);
  return are_open(hours, from) ? from : next_turn(hours, from);
}

}  // namespace cox
