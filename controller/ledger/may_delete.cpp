#include "controller/ledger/may_delete.h"

#include <algorithm>

namespace cox {

Milliseconds kept_after_end(const Cluster& cluster, JobState state) {
  return state == JobState::Completed ? cluster.config().checkpoints_kept_completed
                                      : cluster.config().checkpoints_kept_ended;
}

std::optional<MayDelete> MayDelete::as_surplus(const std::vector<Checkpoint>& sound,
                                               std::int64_t keep, const Checkpoint& checkpoint) {
  const auto newer = std::ranges::count_if(sound, [&](const Checkpoint& other) {
    return other.step > checkpoint.step && !other.by_exit;
  });
  return newer >= keep ? std::optional(MayDelete()) : std::nullopt;
}

std::optional<MayDelete> MayDelete::by_age(const Cluster& cluster, const KeptCheckpoint& kept,
                                           Wall now) {
  const bool is_needed = cluster.checkpoints().is_begun_from(kept.checkpoint.key.job);
  const bool is_old = now - kept.ended >= kept_after_end(cluster, kept.state);
  const bool is_believed = cluster.soft().time_of_day.doubt().empty();
  return is_old && is_believed && !is_needed ? std::optional(MayDelete()) : std::nullopt;
}

std::optional<MayDelete> MayDelete::by_word_of(const Cluster& cluster, const Caller& caller,
                                               const KeptCheckpoint& kept) {
  const bool may = caller.uid == kept.uid || caller.uid == cluster.config().owner_uid;
  return may ? std::optional(MayDelete()) : std::nullopt;
}

}  // namespace cox
