#include "controller/state/soft_state.h"

namespace cox {

const NodeContact& SoftState::contact(const std::string& node) const {
  static const NodeContact never;
  const auto it = contacts_.find(node);
  return it == contacts_.end() ? never : it->second;
}

const JobContact& SoftState::job(JobId id) const {
  static const JobContact nothing;
  const auto it = jobs_.find(id);
  return it == jobs_.end() ? nothing : it->second;
}

void SoftState::forget(JobId id) {
  jobs_.erase(id);
}

void SoftState::forget(EventTriggerId id) {
  trigger_watch.jobs_over.erase(id);
  std::erase_if(trigger_watch.reported_idle, [&](const auto& pair) { return pair.first == id; });
}

void SoftState::forget_after_load() {
  jobs_.clear();
  trigger_watch.reported_idle.clear();
  trigger_watch.jobs_over.clear();
  pending_reasons_.clear();
  waited_for_limit.clear();
  longest_waits = schedule::LongestWaits();
  reasons_made_at = -1;
}

const StreamPlace* SoftState::streams_of(const StepKey& key) const {
  const auto found = streams_.find(key);
  return found == streams_.end() ? nullptr : &found->second;
}

const PendingReason& SoftState::pending_reason_of(JobId id) const {
  static const PendingReason none;
  const auto it = pending_reasons_.find(id);
  return it == pending_reasons_.end() ? none : it->second;
}

}  // namespace cox
