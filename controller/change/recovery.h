// Detects a database that has gone back in time, because a lagging replica was promoted or a backup
// was restored. A new leader compares the last known state with what it finds in the database. It
// chooses its term and the job ids that it never issues, and records the failover. Pure.
//
// The database may have forgotten that a job runs. So no job starts until every node has reported
// what it runs, or has lost its lease (Cluster::failover). Nodes that the database has forgotten,
// too, have node_timeout to register.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"

namespace cox {

// The newest committed state that a controller has seen, as leader or as standby.
struct LastKnownState {
  Term term;
  TurnNumber turn;
  JobId next_job{1};  // no id from this one on was issued, as far as this controller has seen
  Wall at{};          // when this state was committed or read
  // This controller was the leader of `term`, so its state is complete for that term.
  bool is_all = false;
  std::vector<JobId> jobs;  // jobs that this controller had in memory
};

// Returns the newer of the two states, with the higher next_job.
LastKnownState merged(LastKnownState one, const LastKnownState& other);

// A row of cox.failover.
struct Failover {
  Term term;
  std::int64_t to_timeline = 0;
  std::int64_t from_timeline = 0;
  // When the failover was found. Later than the begin of every attempt in the database, even if the
  // clocks of controllers differ.
  Wall found{};
  std::optional<std::int64_t> turns_lost;  // nullopt: not known
  Wall lost_from{};                        // Wall{}: not known
  Wall lost_until{};                       // likewise
  JobId first_lost_job;
  JobId first_new_job;
  std::vector<JobId> jobs_lost;
  std::vector<std::string> attempts_lost;
  Wall settled{};  // when jobs could start again; Wall{}: jobs still wait for reports of nodes
  bool operator==(const Failover&) const = default;
};

// The turn row as a new leader finds it.
struct TurnFound {
  Term term;
  TurnNumber turn;
  std::int64_t session = 0;
  JobId id_floor{1};
  Wall taken{};
  // The PostgreSQL timeline when a leader last wrote; 0: not known.
  std::int64_t timeline_noted = 0;
  std::int64_t timeline = 0;  // of this server
  // Commit time of the last transaction that the server replayed; Wall{}: not known.
  Wall replayed{};
  JobId first_job{1};  // higher than all job ids in the database
  // The latest begin of an attempt among jobs that have not ended, by the clock of the leader then.
  // Known only if the server has changed or the database has gone back.
  Wall last_began{};
  // Identifies the copy of the database; it changes when the database is restored with pg_restore
  // or moved to another PostgreSQL. `incarnation_noted`: its value when a leader last wrote. Empty:
  // not known.
  std::string incarnation_noted{};
  std::string incarnation{};
  // The next job id that the former leader recorded when it was stopped in order, if nothing was
  // written since; 0: it recorded none.
  JobId next_job{};
  // The latest moment that a committed turn has recorded. Known when last_began is.
  Wall last_commit{};
  // PostgreSQL was not restarted since the former leader took its term, and the row does not come
  // from a backup.
  bool is_same_server = false;
};

struct Takeover {
  Term term;
  JobId id_floor;
  std::optional<Failover> failover;  // the caller fills in its jobs_lost
};

// More terms than can have begun in the time that a failover has lost. A new leader skips so many.
inline constexpr std::int64_t terms_lost_max = 1'000;
// Job ids that are skipped between two terms if PostgreSQL was restarted since the former one began
// and its leader was not stopped in order (take_over()).
inline constexpr std::int64_t job_id_gap = 1'000;
// Job ids that are skipped if it is not known how many were issued in the time that a failover has
// lost. A cluster cannot have accepted more jobs in that time.
inline constexpr std::int64_t job_ids_lost_max = 1'000'000;
// More attempts than one job can have had in the time that a failover has lost.
inline constexpr std::int32_t attempts_lost_max = 100;

// Decides what a new leader does: its term, its first job id, and the failover to record, if any.
Takeover take_over(const TurnFound& found, const LastKnownState& known, Wall now);

// Returns the identity of a job: a UUID made from its id and from random text that is new each time
// the store is loaded. So a restored database never gives two jobs the same identity.
std::string job_identity(const std::string& seed, JobId id);

// Returns the failover as key=value pairs for the log.
std::string failover_text(const Failover& failover);

}  // namespace cox
