#include "controller/admit/partition_choice.h"

#include <algorithm>
#include <limits>

#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/syntax/partition_list.h"

namespace cox {
namespace {

bool names(const std::vector<std::string>& list, const std::string& word) {
  return std::ranges::find(list, word) != list.end();
}

bool names_any(const std::vector<std::string>& list, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](const std::string& word) { return names(list, word); });
}

// Its account and those that this one is part of: who takes an account takes all below it.
std::vector<std::string> accounts_of(const Accounts& accounts, const JobSpec& s) {
  std::vector<std::string> all{s.account};
  if (const Association* own = accounts.of(s))
    for (const Association* one : accounts.chain(*own)) all.push_back(one->account);
  return all;
}

// `allow` and `deny`: lists of the configuration, by the name of their key. `all`: what it is, and
// what that is part of.
Failure check_listed(const PartitionConfig& partition, const std::string& what,
                     const std::vector<std::string>& all, const std::vector<std::string>& allow,
                     const std::vector<std::string>& deny) {
  const std::string& is = all.front();
  const std::string taken = "partition " + partition.name + " takes ";
  const std::string own = is.empty() ? "this job has none" : "not " + quoted(is);
  if (!allow.empty() && !names_any(allow, all))
    return Refusal{taken + "jobs of " + what + " " + joined(allow, ", ") + " alone; " + own,
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
  std::vector<std::string> groups;
  for (const AllowedGroup& group : partition.allow_groups) {
    if (is_member(group, caller)) return std::nullopt;
    groups.push_back(group.name);
  }
  return Refusal{"partition " + partition.name + " takes jobs of group " + joined(groups, ", ") +
                     " alone; " + caller.user_name + " is in none of them",
                 "ask for another partition; `cox show partitions` lists them"};
}

Failure check_known(const ControllerConfig& config, std::string_view asked) {
  for (const std::string_view name : partition_names(asked)) {
    if (partition_of(config, name) != nullptr) continue;
    std::vector<std::string_view> known;
    std::string all = "there is: ";
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

Failure PartitionChoice::check_whose(const PartitionConfig& p, const JobSpec& s) const {
  const Partition& now = cluster_.partition(p.name);
  if (!takes_jobs(now.state))
    return Refusal{"partition " + p.name + " takes no new jobs: it is " +
                       std::string(name(now.state)) +
                       (now.reason.empty() ? "" : " (" + now.reason + ")"),
                   "ask for another partition; `cox show partitions` lists them"};
  if (auto f = check_listed(p, "account", accounts_of(cluster_.accounts(), s), p.allow_accounts,
                            p.deny_accounts))
    return f;
  if (auto f = check_listed(p, "QOS", {s.qos}, p.allow_qos, p.deny_qos)) return f;
  if (!p.qos.empty() && !cluster_.qos().contains(p.qos))
    return Refusal{"partition " + p.name + " has the QOS " + quoted(p.qos) + ", which is not there",
                   "an administrator adds it to cox.qos, or takes it out of the configuration"};
  if (auto f = check_group(p, caller_)) return f;
  return check_time(p, s);
}

Failure PartitionChoice::check_limits(const PartitionConfig& p, const JobSpec& s) const {
  if (auto f = check_whose(p, s)) return f;
  if (auto f = check_size(p, s)) return f;
  const auto qos = cluster_.qos().find(p.qos);
  if (qos == cluster_.qos().end() || p.qos == s.qos) return std::nullopt;
  auto failure = check_qos_limits(qos->second, s, time_from_);
  if (failure) failure->fact = "partition " + p.name + ": " + failure->fact;
  return failure;
}

// As they are to be written. Those that are closed now take it too, but start it later: they are
// named where there is no other. Each is judged as a submission is, so only the first few are.
std::string PartitionChoice::others_hint(const JobSpec& s) const {
  constexpr int partitions_judged_max = 8;
  std::string open, closed;
  int judged = 0;
  for (const PartitionConfig& p : cluster_.config().partitions) {
    if (!takes_ || ++judged > partitions_judged_max) break;
    if (!takes_(p.name)) continue;
    JobSpec there = s;
    there.partition = p.name;
    std::string& names = cluster_.keeps_out(there) ? closed : open;
    names += (names.empty() ? "" : ",") + p.name;
  }
  if (!open.empty()) return "these would take it: --partition=" + open;
  if (closed.empty()) return "";
  return "these would take it, and start it when they are open again: --partition=" + closed;
}

Refusal PartitionChoice::refusal(const JobSpec& s) const {
  Refusal refusal = left_out_.front();
  for (std::size_t i = 1; i < left_out_.size(); ++i) refusal.fact += "; " + left_out_[i].fact;
  const std::string others = others_hint(s);
  if (!others.empty()) refusal.hint = others;
  return refusal;
}

// Of those that are named and pass; a refusal when none does.
Failure PartitionChoice::keep(JobSpec& s, Check check) {
  std::string kept;
  for (const std::string_view name : partition_names(s.partition)) {
    auto failure = (this->*check)(*partition_of(cluster_.config(), name), s);
    if (failure) {
      left_out_.push_back(std::move(*failure));
    } else {
      kept += (kept.empty() ? "" : ",") + std::string(name);
    }
  }
  if (kept.empty()) return refusal(s);
  s.partition = std::move(kept);
  return std::nullopt;
}

// The least of all; what its account says counts where its QOS says nothing.
void PartitionChoice::settle_time(JobSpec& s) {
  const auto take = [&](std::int64_t given, const std::string& from) {
    if (given == 0 || (s.time_limit_s > 0 && s.time_limit_s <= given)) return;
    s.time_limit_s = given;
    time_from_ = from;
  };
  for (const PartitionConfig* p : partitions_of(cluster_.config(), s.partition)) {
    const bool has_default = p->time_limit_default_s > 0;
    take(has_default ? p->time_limit_default_s : p->time_limit_max_s,
         (has_default ? "time_limit_default of partition " : "time_limit_max of partition ") +
             p->name);
  }
  for (const Qos* qos : cluster_.qos_binding(s))
    take(qos->limits.max_wall_s.value_or(0), "MaxWall of QOS " + qos->name);
  const Association* own = cluster_.accounts().of(s);
  if (own == nullptr || cluster_.qos_of(s).limits.max_wall_s) return;
  take(cluster_.accounts().limits_of(*own).max_wall_s.value_or(0), "MaxWall of its account");
}

Failure PartitionChoice::settle(JobSpec& s) {
  if (partition_names(s.partition).empty()) s.partition = partition_of(cluster_.config(), "")->name;
  if (auto f = check_known(cluster_.config(), s.partition)) return f;
  if (auto f = keep(s, &PartitionChoice::check_whose)) return f;
  if (s.time_limit_s == 0) settle_time(s);
  return std::nullopt;
}

Failure PartitionChoice::drop_too_small(JobSpec& s) {
  return keep(s, &PartitionChoice::check_limits);
}

std::int64_t memory_mb_per_cpu_default(const ControllerConfig& config, const JobSpec& spec) {
  std::int64_t most = 0;
  for (const PartitionConfig* p : partitions_of(config, spec.partition))
    most = std::max(most, p->memory_mb_per_cpu_default);
  return most;
}

std::int64_t fewest_nodes(const ControllerConfig& config, const JobSpec& spec) {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (const PartitionConfig* p : partitions_of(config, spec.partition))
    fewest = std::min(fewest, p->min_nodes);
  return fewest;
}

Wall opens_at(const ControllerConfig& config, const PartitionConfig& partition, Wall from) {
  if (partition.hours.empty()) return from;
  const WeekHours& hours = config.hours.at(partition.hours);
  return are_open(hours, from) ? from : next_turn(hours, from);
}

}  // namespace cox
