// Acquires and renews the lease that decides which of several controllers leads: the row of
// cox.leadership, by the database's clock. LeaderLease (controller/leader/leader_lease.h) decides
// when to query it and what an answer means; this class sends the queries. It blocks only in
// resign(), and while libpq looks up a host's name (pg_connection.h). Used by
// controller/io/leader_host.cpp.
//
// The lease decides only when a controller tries to lead. A leader that was paused or cut off may
// have lost the lease unnoticed. Its turns are then rejected, because the next leader has changed
// the row of cox.turn (store.h). While the database is away, no controller can take over, and the
// leader continues. A controller older than the database's schema takes no lease and writes
// nothing.
#pragma once

#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "controller/change/recovery.h"
#include "controller/io/postgres/pg_connection.h"
#include "controller/io/postgres/pg_epoll.h"
#include "controller/io/postgres/schema.h"
#include "controller/leader/leader_lease.h"

namespace cox {

class Leadership {
 public:
  // `holder`: this controller's name. It is the same after a restart, so that a controller that has
  // died and restarted need not wait for the end of its own lease.
  Leadership(PgServers& servers, std::string holder, Milliseconds lease);

  void poll(Boot now);
  int fd() const { return epoll_.fd(); }
  // Returns the time until poll() must be called, even if fd() is not readable.
  Milliseconds next_in(Boot now) const;

  bool leads() const { return lease_.leads(); }
  bool is_sure(Boot now) const { return lease_.is_sure(now); }
  const std::string& since() const { return lease_.since(); }
  const std::string& holder() const { return lease_.holder(); }
  void doubt(Boot now) { lease_.doubt(now); }
  bool has_answer() const { return lease_.has_answer(); }
  void set_term(Term term) { lease_.set_term(term); }
  Term term() const { return lease_.term(); }
  // Returns the newest committed state that the answers of the database have shown.
  const LastKnownState& known() const { return known_; }
  // The time of day of the database's server in the newest answer, and when that came.
  struct ServerTime {
    Wall theirs{};
    Now ours{};
  };
  const std::optional<ServerTime>& server_time() const { return server_time_; }
  // Why the database has not answered; empty: it has.
  const std::string& trouble() const { return trouble_; }
  // Why this controller may not take the lease: another one has upgraded the database's schema
  // beyond what this program knows. Empty: it may.
  const std::string& hindrance() const { return hindrance_; }
  // Returns whether the last answer of the database had the schema version of this program.
  bool schema_is_ours() const { return schema_ == newest_migration(); }

  // Gives the lease back if this controller has it, or gets it by a query under way. Blocks for the
  // answer, for about 1 s at most.
  void resign();

 private:
  void ask(Boot now);
  void on_rows(const PgRows& rows, Boot now);

  std::string name_;
  LeaderLease lease_;
  PgConnection connection_;
  PgEpoll epoll_;
  Backoff backoff_ = connection_backoff();
  LastKnownState known_;
  std::optional<ServerTime> server_time_;
  std::string trouble_;
  std::string hindrance_;
  int schema_ = 0;
};

}  // namespace cox
