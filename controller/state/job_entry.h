// A job with all that memory has of it: its row, its attempts, checkpoints and steps, and what the
// cluster notes beside them. Cluster alone changes it; everyone may read it.
#pragma once

#include <optional>
#include <vector>

#include "common/base/shared.h"
#include "common/job/attempt.h"
#include "common/job/job.h"
#include "common/job/step.h"
#include "schedule/model/plan.h"

namespace cox {

struct JobEntry {
  Job job;
  std::vector<Attempt> attempts;        // oldest first
  std::vector<Checkpoint> checkpoints;  // oldest first; pruned ones are left out
  std::vector<Step> steps;  // of the newest attempt, by number; of the ended ones the newest
  std::int32_t next_step = 0;
  Boot retry_after{};    // launches failed in a row: not before
  Wall begins{};         // PENDING, and not eligible before; Wall{}: it is
  bool in_line = false;  // the engine has it
  double priority = 0;   // as the engine has it, these three
  double fair_share = 0;
  AssociationId account;
  bool fills = false;               // as the engine has it: holes before reservations
  Shared<schedule::Limits> limits;  // as the engine has them
  AssociationId association;        // in line: whom it is charged to; none: nobody
  Wall ended_with{};                // its end, or that of its array; Wall{}: not known yet
  bool kept_out = false;            // PENDING, and no partition that it names starts it now
  std::int64_t counted = 0;         // among those that wait or run in its QOS: so many jobs
  std::int64_t change_count = 0;
  Wall recorded{};      // the newest moment written of it; a clock may have been set back since
  Boot client_heard{};  // of an allocation: when its client last asked about it
  // The progress of the launch of the live attempt (launch.h). It is kept in memory only.
  enum class Launch : std::uint8_t { Unknown, AwaitsProlog, Sent };
  Launch launch = Launch::Unknown;
  Boot prolog_asked{};  // when its prolog was last asked for

  const Attempt* live_attempt() const;
  // Whether it waits for nothing but room.
  bool is_eligible() const;
  const Step* step(std::int32_t number) const;
  // Of the live attempt: the job's, or a shorter one; 0: none.
  std::int64_t time_limit_s() const;
  // The newest that is neither damaged nor pruned.
  const Checkpoint* newest_checkpoint() const;
  // Of those in the rows above.
  Wall newest_moment() const;
};

}  // namespace cox
