#include "controller/state/job_requests.h"

#include <string>
#include <utility>
#include <vector>

#include "controller/job/magnetic.h"
#include "controller/job/request.h"
#include "schedule/place/alternatives.h"

namespace cox {

Shared<schedule::Request> JobRequests::of_spec(const Shared<ParsedSpec>& spec) const {
  return of_specs_.of(spec, [this](const ParsedSpec& asked) {
    const ControllerConfig& config = partitions_.config();
    const Partitions open = partitions_.open_to(asked);
    auto request =
        open.empty() ? make_request(config, asked, {}) : make_request(config, asked, {}, open);
    return by_gpu_type(
        drawn_in(reservations_.all(), accounting_.accounts(), std::move(request), asked));
  });
}

Shared<schedule::Request> JobRequests::of_live(const JobEntry& e) const {
  const Attempt* attempt = e.live_attempt();
  const ParsedSpec& spec = *e.job.spec;
  if (attempt == nullptr || attempt->partition.empty() || attempt->partition == spec.partition)
    return of_spec(e.job.spec);
  auto request = make_request(partitions_.config(), spec, {}, partitions_.of(e));
  return by_gpu_type(
      drawn_in(reservations_.all(), accounting_.accounts(), std::move(request), spec));
}

Shared<schedule::Request> JobRequests::by_gpu_type(Shared<schedule::Request> request) const {
  using schedule::DivideByType;
  if (!counts_gpu_types_ && nodes_.gpu_types().size() < 2) return request;
  std::vector<std::string> types;
  for (const auto& [type, count] : nodes_.gpu_types()) types.push_back(type);
  return schedule::by_gpu_type(*request, types,
                               counts_gpu_types_         ? DivideByType::All
                               : nodes_.has_mixed_gpus() ? DivideByType::UntypedMixed
                                                         : DivideByType::Untyped);
}

bool JobRequests::settle_gpu_types() {
  const bool before = std::exchange(counts_gpu_types_, accounting_.counts_gpu_types());
  return counts_gpu_types_ != before;
}

}  // namespace cox
