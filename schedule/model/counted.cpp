#include "schedule/model/counted.h"

#include <algorithm>

namespace cox::schedule {
namespace {

void add_to(Counts& counts, std::int32_t kind, std::int64_t count) {
  if (count <= 0) return;
  const auto at = std::ranges::lower_bound(counts, kind, {}, &Count::kind);
  if (at != counts.end() && at->kind == kind) {
    at->count += count;
  } else {
    counts.insert(at, {kind, count});
  }
}

}  // namespace

Counted::Counted(const std::vector<const SchedulerNode*>& nodes,
                 const std::vector<LicenceCount>& licences) {
  for (const SchedulerNode* node : nodes)
    for (const GresCount& gres : node->total.gres) {
      kinds_.emplace_back(gres.name, "");
      kinds_.emplace_back(gres.name, gres.type);
    }
  std::ranges::sort(kinds_);
  const auto repeated = std::ranges::unique(kinds_);
  kinds_.erase(repeated.begin(), repeated.end());
  idle_gres_.assign(nodes.size() * kinds_.size(), 0);
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    const Counts counts = gres(nodes[at]->total.gres).value_or(Counts{});
    for (const Count& count : counts)
      idle_gres_[at * kinds_.size() + static_cast<std::size_t>(count.kind)] = count.count;
  }
  for (const LicenceCount& licence : licences) {
    licence_names_.push_back(licence.name);
    idle_licences_.push_back(licence.count);
  }
}

std::optional<std::int32_t> Counted::find(const Kind& kind) const {
  const auto at = std::ranges::lower_bound(kinds_, kind);
  if (at == kinds_.end() || *at != kind) return std::nullopt;
  return static_cast<std::int32_t>(at - kinds_.begin());
}

// Adds the GRES to `counts`, under its kind and under its name. Returns false if no node has that
// kind.
bool Counted::add_gres(const GresCount& one, Counts& counts) const {
  const auto all_types = find({one.name, ""});
  const auto kind = find({one.name, one.type});
  if (!all_types || !kind) return false;
  add_to(counts, *all_types, one.count);
  if (*kind != *all_types) add_to(counts, *kind, one.count);
  return true;
}

bool Counted::add_licence(const LicenceCount& one, Counts& counts) const {
  const auto at = std::ranges::find(licence_names_, one.name);
  if (at == licence_names_.end()) return false;
  add_to(counts, static_cast<std::int32_t>(at - licence_names_.begin()), one.count);
  return true;
}

std::optional<Counts> Counted::gres(const std::vector<GresCount>& requested) const {
  Counts counts;
  for (const GresCount& one : requested)
    if (!add_gres(one, counts)) return std::nullopt;
  return counts;
}

std::optional<Counts> Counted::licences(const std::vector<LicenceCount>& requested) const {
  Counts counts;
  for (const LicenceCount& one : requested)
    if (!add_licence(one, counts)) return std::nullopt;
  return counts;
}

Counts Counted::gres_there_are(const std::vector<GresCount>& held) const {
  Counts counts;
  for (const GresCount& one : held) add_gres(one, counts);
  return counts;
}

Counts Counted::licences_there_are(const std::vector<LicenceCount>& held) const {
  Counts counts;
  for (const LicenceCount& one : held) add_licence(one, counts);
  return counts;
}

GresCount Counted::gres_of(const Count& count) const {
  const auto& [name, type] = kinds_[static_cast<std::size_t>(count.kind)];
  return {name, type, count.count};
}

LicenceCount Counted::licence_of(const Count& count) const {
  return {licence_names_[static_cast<std::size_t>(count.kind)], count.count};
}

}  // namespace cox::schedule
