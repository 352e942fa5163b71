#include "controller/change/recovery.h"

#include <algorithm>
#include <tuple>

#include "common/base/check.h"
#include "common/base/content_hash.h"
#include "common/base/moment_text.h"

namespace cox {

LastKnownState merged(LastKnownState one, const LastKnownState& other) {
  const JobId next_job = std::max(one.next_job, other.next_job);
  // If both states are of one term, the state that its leader has seen is newer, even if a standby
  // has read a later turn: the leader had then not yet reported that turn to anybody.
  const auto place = [](const LastKnownState& known) {
    return std::tuple(known.term, known.is_all, known.turn);
  };
  if (place(one) < place(other)) one = other;
  one.next_job = next_job;
  return one;
}

Takeover take_over(const TurnFound& found, const LastKnownState& known, Wall now) {
  const bool has_all = known.is_all && known.term == found.term && known.turn <= found.turn;
  const bool database_regressed = known.term > found.term || known.turn > found.turn;
  const bool restored =
      !found.incarnation_noted.empty() && found.incarnation_noted != found.incarnation;
  const bool moved =
      restored || (found.timeline_noted != 0 && found.timeline_noted != found.timeline);
  const bool may_lack = (moved || database_regressed) && !has_all;
  // The former leader has the next job id in memory, so it knows all ids that were issued.
  const bool has_issued_ids = known.is_all && known.term >= found.term;
  Takeover to;
  to.term = Term{std::max(found.term, known.term).value + (may_lack ? terms_lost_max : 1)};
  // No id is ever issued twice. A job is committed before its id is shown, so a database that lacks
  // no commit has all ids, or has the next one in job_id_floor if jobs were deleted. It proves that
  // it lacks none if PostgreSQL ran all the time, if the former leader recorded the next id when it
  // was stopped in order, or if no job was ever submitted. Otherwise PostgreSQL may have returned
  // without its newest commits (a disk that lost writes, an older snapshot of it) and look
  // unchanged: ids are skipped. Far more are skipped if it was restored or promoted (may_lack).
  const bool is_next_job_recorded = found.next_job >= found.first_job;
  const bool has_all_ids =
      found.first_job == JobId{1} || is_next_job_recorded || found.is_same_server;
  const bool gapless = has_all_ids && !may_lack;
  const std::int64_t gap = gapless ? 0 : job_id_gap;
  to.id_floor = std::max(
      {found.id_floor, known.next_job, found.next_job, JobId{found.first_job.value + gap}});
  if (may_lack && !has_issued_ids)
    to.id_floor.value =
        std::max({found.id_floor, known.next_job, found.next_job, found.first_job}).value +
        job_ids_lost_max;
  if (!moved && !database_regressed) return to;
  Failover failover;
  failover.term = to.term;
  failover.to_timeline = found.timeline;
  failover.from_timeline = found.timeline_noted;
  failover.found = std::max(now, found.last_began + Milliseconds{1});
  if (has_all) failover.turns_lost = 0;
  if (known.turn > found.turn) failover.turns_lost = known.turn.value - found.turn.value;
  // If the database was restored, the server may have replayed commits of another time.
  const Wall last_commit = std::max(found.taken, found.last_commit);
  failover.lost_from = restored ? last_commit : std::max(found.replayed, last_commit);
  failover.lost_until = known.at;
  failover.first_lost_job = has_all ? to.id_floor : found.first_job;
  failover.first_new_job = to.id_floor;
  if (has_all) failover.settled = now;
  to.failover = std::move(failover);
  return to;
}

std::string job_identity(const std::string& seed, JobId id) {
  std::string uuid = content_hash(seed + "/" + std::to_string(id.value));
  for (const std::size_t dash : {8, 13, 18, 23}) uuid.insert(dash, "-");
  return uuid;
}

std::string failover_text(const Failover& failover) {
  const auto time = [](Wall at) { return at == Wall{} ? std::string("?") : moment_text(at); };
  return "from_timeline=" + std::to_string(failover.from_timeline) +
         " to_timeline=" + std::to_string(failover.to_timeline) +
         " turns_lost=" + (failover.turns_lost ? std::to_string(*failover.turns_lost) : "?") +
         " lost_from=" + time(failover.lost_from) + " lost_until=" + time(failover.lost_until) +
         " jobs_lost=" + std::to_string(failover.jobs_lost.size());
}

}  // namespace cox
