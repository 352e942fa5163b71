#include "controller/job/spec_pool.h"

#include <string_view>

namespace cox {
namespace {

constexpr std::size_t specs_remembered_max = 4096;
// A specification with a longer command is not remembered.
constexpr std::size_t command_bytes_max = 4096;

// Returns a hash of the fields that usually differ between jobs. Specifications with equal hashes
// are compared in full.
std::size_t hash_of(const JobSpec& spec) {
  const std::hash<std::string_view> hash;
  std::size_t all = hash(spec.name);
  const auto add = [&](std::size_t one) { all = all * 31 + one; };
  for (const std::string& word : spec.command) add(hash(word));
  for (const auto* text : {&spec.script_hash, &spec.environment_hash, &spec.work_dir, &spec.output})
    add(hash(*text));
  add(spec.uid);
  add(static_cast<std::size_t>(nodes_of_all(spec)));
  add(static_cast<std::size_t>(spec.tasks));
  add(static_cast<std::size_t>(spec.cpus_per_task));
  add(static_cast<std::size_t>(spec.memory_mb_per_node));
  add(static_cast<std::size_t>(spec.gpus_per_node));
  add(static_cast<std::size_t>(spec.time_limit_s));
  add(hash(spec.qos));
  add(hash(spec.comment));
  return all;
}

}  // namespace

Shared<ParsedSpec> SpecPool::shared(Shared<ParsedSpec> spec) {
  if (!spec.is(given_)) {
    given_ = spec;
    answered_ = pooled(std::move(spec));
  }
  return answered_;
}

Shared<ParsedSpec> SpecPool::shared_with_terms(const Shared<ParsedSpec>& spec) {
  if (!spec.is(given_)) {
    ParsedSpec own = *spec;
    terms_.share(own);
    given_ = spec;
    answered_ = pooled(std::move(own));
  }
  return answered_;
}

Shared<ParsedSpec> SpecPool::pooled(Shared<ParsedSpec> spec) {
  std::size_t command_bytes = 0;
  for (const std::string& word : spec->command) command_bytes += word.size();
  if (command_bytes > command_bytes_max) return spec;
  if (latest_.size() >= specs_remembered_max) latest_.clear();
  const auto [known, is_new] = latest_.emplace(hash_of(*spec), spec);
  if (!is_new && !(known->second == spec)) known->second = std::move(spec);
  return known->second;
}

}  // namespace cox
