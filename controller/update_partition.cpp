// What administrators change of partitions while the cluster runs: their state, by Slurm's names.
#include <algorithm>

#include "common/limits.h"
#include "common/nearest.h"
#include "common/text.h"
#include "controller/react.h"

namespace cox {
namespace {

bool is_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

Failure set_state(const std::string& value, Partition& partition) {
  const auto state = partition_state_from(value);
  if (!state)
    return Refusal{quoted(value) + " is not a state of a partition",
                   "it may be UP, DOWN, DRAIN or INACTIVE"};
  partition.state = *state;
  return std::nullopt;
}

Failure set_reason(const std::string& value, Partition& partition) {
  if (value.size() > limits::reason_bytes_max || !is_utf8(value) || has_control_characters(value))
    return Refusal{"the reason is longer than " + std::to_string(limits::reason_bytes_max) +
                       " bytes, or not printable",
                   "make it plain and shorter"};
  partition.reason = value;
  return std::nullopt;
}

Failure set_value(const NamedValue& one, Partition& partition) {
  if (is_word(one.name, "State")) return set_state(one.value, partition);
  if (is_word(one.name, "Reason")) return set_reason(one.value, partition);
  return Refusal{
      quoted(one.name) + " of a partition stands in the configuration",
      "change its [[partition]] and restart cox-controller; State and Reason are changed "
      "here"};
}

// A reason is of the state it was given with.
Result<Partition> changed(const Partition& known, const UpdatePartitions& update) {
  Partition partition = known;
  const auto is_state = [](const NamedValue& one) { return is_word(one.name, "State"); };
  if (std::ranges::any_of(update.values, is_state)) partition.reason.clear();
  for (const NamedValue& one : update.values)
    if (auto f = set_value(one, partition)) return *f;
  return partition;
}

std::string done_text(const Partition& partition) {
  const std::string text = "is " + std::string(name(partition.state)) + ": ";
  switch (partition.state) {
    case PartitionState::Up: return text + "jobs are taken, and start";
    case PartitionState::Down:
      return text + "jobs are taken, and none starts; those that run go on";
    case PartitionState::Drain: return text + "no jobs are taken; those that wait still start";
    case PartitionState::Inactive: return text + "no jobs are taken, and none starts";
  }
  return text;
}

Acted::Outcome update_one(Reaction& r, const Caller& caller, const UpdatePartitions& update,
                          const std::string& name) {
  const auto refuse = [&](Refusal why) { return Acted::Outcome{name, "", std::move(why)}; };
  const PartitionConfig* config = name.empty() ? nullptr : partition_of(r.cluster().config(), name);
  if (config == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& p : r.cluster().config().partitions) names.push_back(p.name);
    const std::string meant = did_you_mean(name, names);
    return refuse({"there is no partition " + quoted(name),
                   meant.empty() ? "`cox show partitions` lists them" : meant});
  }
  if (caller.uid != r.cluster().config().owner_uid)
    return refuse({"only the cluster's own user may do that", ""});
  Partition known = r.cluster().partition(name);
  known.name = name;
  auto partition = changed(known, update);
  if (!partition) return refuse(partition.refusal());
  if (!(*partition == known)) r.put(*partition);
  return {name, done_text(*partition), std::nullopt};
}

}  // namespace

Acted update_partitions(Reaction& r, const Caller& caller, const UpdatePartitions& update) {
  Acted acted;
  for (const std::string& name : update.partitions)
    acted.outcomes.push_back(update_one(r, caller, update, name));
  return acted;
}

}  // namespace cox
