#include "schedule/model/request_pool.h"

#include <cstdint>
#include <functional>
#include <string>

namespace cox::schedule {

// Hashes the fields that differ most between requests.
std::size_t hash_of(const Request& request) {
  std::size_t hash = std::hash<std::string>{}(request.constraint);
  if (!request.reservation.empty()) hash ^= 17 * std::hash<std::string>{}(request.reservation);
  if (request.otherwise) hash = hash * 31 + hash_of(**request.otherwise);
  for (const Shared<Request>& one : request.components) hash = hash * 41 + hash_of(*one);
  for (const std::string& type : request.gpu_types) hash ^= std::hash<std::string>{}(type);
  for (const std::string& node : request.exclude) hash = hash * 37 + std::hash<std::string>{}(node);
  for (const std::int64_t number :
       {request.nodes, request.tasks, request.tasks_per_node, request.cpus_per_task,
        request.memory_mb_per_node, request.gpus_per_node, std::int64_t{request.gpu_milli},
        request.nodes_most, request.min_cpus, std::int64_t{request.contiguous}})
    hash = hash * 1'000'003 + static_cast<std::size_t>(number);
  return hash;
}

}  // namespace cox::schedule
