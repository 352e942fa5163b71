// The members of Engine that count what running jobs and claims use of their limits.
#include <algorithm>

#include "schedule/engine/engine.h"
#include "schedule/model/request_chain.h"

namespace cox::schedule {
namespace {

std::int64_t tasks_of(const Placement& placement) {
  std::int64_t tasks = 0;
  for (const NodeGrant& grant : placement) tasks += grant.ranks;
  return tasks;
}

// Returns all grants of the attempt, also those of nodes already given back: limits count the whole
// attempt until it is over.
Placement all_granted(const RunningJob& job) {
  Placement all = job.grants;
  all.insert(all.end(), job.given_back.begin(), job.given_back.end());
  return all;
}

// Returns whether the request accepts the type of the granted GPUs. True if the type is unknown.
bool serves(const Nodes& nodes, const Request& request, const NodeGrant& grant) {
  if (request.gpu_types.empty() || grant.gpus.empty()) return true;
  const auto at = nodes.find(grant.node);
  if (!at) return true;
  const auto& devices = nodes[*at].node->total.gpus;
  const auto device = std::ranges::find(devices, grant.gpus.front(), &GpuDevice::index);
  return device == devices.end() ||
         std::ranges::find(request.gpu_types, device->type) != request.gpu_types.end();
}

bool serves(const Nodes& nodes, const Request& request, const Placement& placement) {
  if (request.components.empty()) return serves(nodes, request, placement.front());
  return std::ranges::all_of(placement, [&](const NodeGrant& grant) {
    const auto component = static_cast<std::size_t>(grant.component);
    return component >= request.components.size() ||
           serves(nodes, *request.components[component], grant);
  });
}

// Returns false if a request with --mincpus asks for another number of nodes than the placement
// has, since the CPUs of its tasks were computed for that number. Otherwise, and for an elastic
// job, returns true.
bool has_its_size(const Request& request, const Placement& placement) {
  return request.min_cpus == 0 || request.nodes_most > 0 || std::ssize(placement) == request.nodes;
}

}  // namespace

const Request& Engine::served_by(const Request& request, const Placement& placement) const {
  if (!request.otherwise || placement.empty()) return request;
  for (const Request& one : RequestChain(request))
    if (serves(nodes(), one, placement) && has_its_size(one, placement)) return one;
  return request;
}

Whole Engine::whole_of(const Request& request, const Placement& placement) const {
  if (!request.exclusive) return std::nullopt;
  return largest_of(nodes(), placement);
}

void Engine::update_limits(JobId id) {
  const auto kept = claims_.find(id);
  const auto running = running_.find(id);
  limit_use_.release(id);
  // A job that stops to continue elsewhere counts its claim or its grants, whichever has more
  // nodes.
  if (kept != claims_.end() &&
      (running == running_.end() ||
       kept->second.placement.size() > all_granted(running->second.job).size())) {
    const Placement& placement = kept->second.placement;
    limit_use_.hold(id, *kept->second.limits, served_by(*kept->second.request, placement),
                    std::ssize(placement), tasks_of(placement),
                    whole_of(*kept->second.request, placement));
  } else if (running != running_.end()) {
    const RunningJob& job = running->second.job;
    const Placement granted = all_granted(job);
    limit_use_.hold(id, *job.limits, served_by(*job.request, granted), std::ssize(granted),
                    tasks_of(granted), whole_of(*job.request, granted));
  }
}

bool Engine::allows_claim(JobId id) const {
  const KeptPlace& kept = claims_.at(id);
  return limit_use_.allows(id, *kept.limits, served_by(*kept.request, kept.placement),
                           std::ssize(kept.placement), tasks_of(kept.placement),
                           whole_of(*kept.request, kept.placement));
}

}  // namespace cox::schedule
