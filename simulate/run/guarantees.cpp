#include "simulate/run/guarantees.h"

#include <algorithm>

namespace cox::simulate {
namespace {

bool is_of_type(const TraceJob& job, const std::string& type) {
  return type.empty() || (job.gpu_types.size() == 1 && job.gpu_types.front() == type);
}

// Returns how much of the resource the job counts, as the scheduler's limits count it.
std::int64_t amount_of(const TraceJob& job, const TresCount& what) {
  const std::int64_t nodes = std::max<std::int64_t>(job.nodes, 1);
  switch (what.what) {
    case Tres::Jobs: return 1;
    case Tres::Nodes: return nodes;
    case Tres::Cpus: return job.tasks * job.cpu_milli_per_task / 1'000;
    case Tres::MemoryMb: return nodes * job.memory_mb_per_node;
    case Tres::GpuMilli: return is_of_type(job, what.type) ? nodes * job.gpus * job.gpu_milli : 0;
    case Tres::Gres:
    case Tres::Licences: return 0;  // traces contain neither GRES nor licences
  }
  return 0;
}

}  // namespace

Guarantees::Guarantees(const Accounts& accounts) : accounts_(accounts) {
  for (std::size_t i = 0; i < accounts.all().size(); ++i)
    for (const TresCount& what : accounts.all()[i].guarantee)
      if (!accounts.all()[i].is_user && what.count > 0)
        all_.push_back({static_cast<OwnerAt>(i), what, 0, {}, {}});
}

bool Guarantees::is_of(OwnerAt owner, OwnerAt account) const {
  while (owner > account) owner = accounts_.all()[static_cast<std::size_t>(owner)].parent;
  return owner == account;
}

void Guarantees::change(OwnerAt owner, const TraceJob& job, bool on_nodes, bool begins) {
  for (Guarantee& one : all_) {
    const std::int64_t amount = amount_of(job, one.what);
    if (amount == 0 || !is_of(owner, one.account)) continue;
    if (on_nodes) {
      one.held += begins ? amount : -amount;
    } else if (begins) {
      one.requested.insert(amount);
    } else {
      one.requested.erase(one.requested.find(amount));
    }
  }
}

void Guarantees::look(Milliseconds now) {
  for (Guarantee& one : all_) {
    const bool is_short =
        !one.requested.empty() && one.held + *one.requested.begin() <= one.what.count;
    if (is_short && !one.short_since) one.short_since = now;
    if (one.short_since) one.longest = std::max(one.longest, now - *one.short_since);
    if (!is_short) one.short_since.reset();
  }
}

std::optional<double> Guarantees::longest_short_s(OwnerAt owner) const {
  std::optional<double> longest;
  for (const Guarantee& one : all_)
    if (one.account == owner)
      longest = std::max(longest.value_or(0), static_cast<double>(one.longest.count()) / 1'000);
  return longest;
}

}  // namespace cox::simulate
