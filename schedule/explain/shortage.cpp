#include "schedule/explain/shortage.h"

#include <algorithm>
#include <bit>

#include "common/base/count_format.h"
#include "schedule/explain/explain_text.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

std::int64_t tasks_at_least(const ResolvedRequest& need) {
  return std::max<std::int64_t>(need.tasks / need.nodes, 1);
}

// A GRES with a type is counted both as its type and under its name. If the type is listed, drops
// the kind of the name.
void drop_names_counted_by_type(const Counted& counted, std::vector<std::int32_t>& kinds) {
  std::erase_if(kinds, [&](std::int32_t kind) {
    const GresCount all = counted.gres_of({kind, 1});
    return all.type.empty() && std::ranges::any_of(kinds, [&](std::int32_t other) {
             return other != kind && counted.gres_of({other, 1}).name == all.name;
           });
  });
}

std::string gpus_text(std::int64_t milli, const std::string& noun) {
  if (milli % gpu_whole == 0) return count_of(milli / gpu_whole, noun);
  return format_milli(milli) + " " + noun + "s";
}

}  // namespace

Shortage shortage_on(const ExplainContext& context, const ResolvedRequest& need, NodeAt at) {
  const Room& room = context.pass.rooms().unclaimed();
  const NodeRoom& here = room[at];
  Shortage missing;
  const bool in_use = need.request->exclusive && here.holders > 0;
  missing.cpus = in_use || here.cpus < need.cpus_per_task * tasks_at_least(need);
  missing.memory = here.memory_mb < need.memory_mb || lacks_whole_memory(need, here, at);
  missing.gpus = !has_gpus(need, room, at);
  for (const Count& count : need.gres)
    if (!room.has_gres(at, {count})) missing.gres.push_back(count.kind);
  drop_names_counted_by_type(context.facts.nodes().counted(), missing.gres);
  const bool known = missing.cpus || missing.memory || missing.gpus || !missing.gres.empty();
  if (!known) (need.gpus > 0 ? missing.gpus : missing.cpus) = true;
  return missing;
}

std::vector<std::int32_t> missing_licences(const ExplainContext& context,
                                           const ResolvedRequest& need) {
  std::vector<std::int32_t> kinds;
  for (const Count& count : need.licences)
    if (!context.pass.rooms().unclaimed().has_licences({count})) kinds.push_back(count.kind);
  return kinds;
}

void HeldPart::add(const HeldPart& other) {
  cpus += other.cpus;
  memory_mb += other.memory_mb;
  gpu_milli += other.gpu_milli;
  for (const auto& [kind, count] : other.gres) gres[kind] += count;
}

HeldPart held_of(const ExplainContext& context, const ResolvedRequest& need,
                 const Shortage& missing, const Holder& holder) {
  HeldPart held;
  const NodePart& share = holder.share;
  if (missing.cpus) held.cpus = share.cpus;
  if (missing.memory) held.memory_mb = share.memory_mb;
  const GpuBits kind = context.facts.nodes()[share.node].devices_of(need.request->gpu_types);
  if (missing.gpus)
    held.gpu_milli = std::int64_t{std::popcount(share.gpus & kind)} * share.gpu_milli;
  for (const Count& count : *holder.each)
    if (std::ranges::find(missing.gres, count.kind) != missing.gres.end())
      held.gres[count.kind] = count.count;
  return held;
}

std::string held_text(const ExplainContext& context, const ResolvedRequest& need,
                      const HeldPart& held) {
  std::vector<std::string> parts;
  if (held.cpus > 0) parts.push_back(count_of(held.cpus, "CPU"));
  if (held.memory_mb > 0) parts.push_back(std::to_string(held.memory_mb) + " MB");
  if (held.gpu_milli > 0) parts.push_back(gpus_text(held.gpu_milli, gpu_noun(*need.request)));
  for (const auto& [kind, count] : held.gres)
    parts.push_back(format_gres({{}, {context.facts.nodes().counted().gres_of({kind, count})}}));
  return listed(parts);
}

std::string part_text(const ExplainContext& context, const ResolvedRequest& need, NodeAt at,
                      const HeldPart& held) {
  const NodeFacts& facts = context.facts.nodes()[at];
  const NodeResources& total = facts.node->total;
  std::vector<std::string> parts;
  const auto add = [&parts](const std::string& part, const std::string& whole) {
    parts.push_back(part + " of " + whole);
  };
  if (held.cpus > 0) add(std::to_string(held.cpus), count_of(total.cpus, "CPU"));
  if (held.memory_mb > 0)
    add(std::to_string(held.memory_mb), std::to_string(total.memory_mb) + " MB");
  if (held.gpu_milli > 0)
    add(format_milli(held.gpu_milli),
        count_of(std::popcount(facts.devices_of(need.request->gpu_types)), "GPU"));
  const auto whole = context.facts.matcher().idle().gres(at);
  for (const auto& [kind, count] : held.gres) {
    const Count all{kind, whole[static_cast<std::size_t>(kind)]};
    add(std::to_string(count), format_gres({{}, {context.facts.nodes().counted().gres_of(all)}}));
  }
  return joined(parts, ", ");
}

}  // namespace cox::schedule
