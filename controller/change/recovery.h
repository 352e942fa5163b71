// A database that has gone back in time: a replica that lagged was promoted, or a backup restored.
// Whoever leads next compares what is known to have been true with what it finds, and decides here
// what to do about it: which term it takes, which job ids it never issues, what it tells people.
// Until every node has told what it runs, or can run nothing any more, no job starts: the database
// may have forgotten where it runs already (Cluster::failover). Of a node that it has forgotten as
// well nobody knows: those have node_timeout to come. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"

namespace cox {

// What a controller was told to be true, as its own leader or by looking on.
struct LastKnownState {
  Term term;
  TurnNumber turn;
  JobId next_job{1};        // ids from there on were not issued, as far as it knows
  Wall at{};                // when it was told
  bool is_all = false;      // it led, and nobody has led since
  std::vector<JobId> jobs;  // those it had in memory
};

// What is known by both.
LastKnownState merged(LastKnownState one, const LastKnownState& other);

// A row of cox.failover.
struct Failover {
  Term term;
  std::int64_t to_timeline = 0;
  std::int64_t from_timeline = 0;
  Wall found{};  // behind all that had begun by then, whatever the clocks say
  std::optional<std::int64_t> turns_lost;  // none: nobody knows
  Wall lost_from{};                        // Wall{}: not known, these two
  Wall lost_until{};
  JobId first_lost_job;
  JobId first_new_job;
  std::vector<JobId> jobs_lost;
  std::vector<std::string> attempts_lost;
  Wall settled{};  // Wall{}: some node has yet to tell what it runs
  bool operator==(const Failover&) const = default;
};

// The turn row as a new leader finds it.
struct TurnFound {
  Term term;
  TurnNumber turn;
  std::int64_t session = 0;
  JobId id_floor{1};
  Wall taken{};
  std::int64_t timeline_noted = 0;  // of the server that was written to last; 0: not known
  std::int64_t timeline = 0;        // of this one
  Wall replayed{};                  // Wall{}: not known
  JobId first_job{1};               // above all jobs it knows
  // Of all attempts of jobs that have not ended, by the clock of who led then; known only if it is
  // another server, or less is true than was known.
  Wall last_began{};
  // Which copy of the database it is: another one after pg_restore, or in another PostgreSQL.
  // `incarnation_noted`: when a leader wrote to it last. Empty: not known.
  std::string incarnation_noted{};
  std::string incarnation{};
  // The next job id, from an orderly stop, if nothing was written since; 0: there was no such stop.
  JobId next_job{};
};

struct Takeover {
  Term term;
  JobId id_floor;
  std::optional<Failover> failover;  // its jobs_lost are to be filled in
};

// More leaderships than can have begun within what a replica lags behind.
inline constexpr std::int64_t terms_lost_max = 1'000;
// Between the ids of two terms, unless the former was ended in order. Where nobody knows how many
// were issued in what was lost: more than a cluster can have accepted in it.
inline constexpr std::int64_t job_id_gap = 1'000;
inline constexpr std::int64_t job_ids_lost_max = 1'000'000;
// More often than one job can have been started in it.
inline constexpr std::int32_t attempts_lost_max = 100;

Takeover take_over(const TurnFound& found, const LastKnownState& known, Wall now);

// The identity of a job: a UUID made from its id and from random text that is new each time the
// store is loaded. So a database that was restored from a backup makes other ones.
std::string job_identity(const std::string& seed, JobId id);

// For the log.
std::string told(const Failover& failover);

}  // namespace cox
