// Which controller of several leads: a lease in PostgreSQL (cox.leadership), by the database's
// clock. What is asked when, and what the answers mean, is LeaderLease's
// (controller/leader/leader_lease.h); this asks. Never waits, but in resign(), and where libpq
// looks up a host's name (pg_connection.h).
//
// The lease says when to try. What keeps a leader that has lost it without knowing (it was paused,
// or cut off) from making anything true is the turn row, which the next leader's first turn changes
// (store.h). While the database is away nobody can take the lead, and who leads goes on. Who is
// older than the schema takes no lease, and writes nothing.
#pragma once

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
  // `holder`: this controller's name, the same each time it starts, so that one that died and is
  // back need not wait for its own lease.
  Leadership(PgServers& servers, std::string holder, Milliseconds lease);

  void poll(Boot now);
  int fd() const { return epoll_.fd(); }
  Milliseconds next_in(Boot now) const;  // poll() by then, though nothing arrived

  bool leads() const { return lease_.leads(); }
  bool is_sure(Boot now) const { return lease_.is_sure(now); }
  const std::string& since() const { return lease_.since(); }
  const std::string& holder() const { return lease_.holder(); }
  void doubt(Boot now) { lease_.doubt(now); }
  bool knows() const { return lease_.knows(); }
  void set_term(Term term) { lease_.set_term(term); }
  Term term() const { return lease_.term(); }
  // What it saw to be true, looking on.
  const LastKnownState& known() const { return known_; }
  const std::string& trouble() const { return trouble_; }  // why there is no answer; else empty
  // Why it takes no lease, though one may be free: the database's schema is newer than this
  // program, which another one has brought further. Empty: it may.
  const std::string& hindrance() const { return hindrance_; }
  // The database's schema is this program's, as far as it knows.
  bool schema_is_ours() const { return schema_ == newest_migration(); }

  // Gives the lease back; waits a moment for the answer.
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
  std::string trouble_;
  std::string hindrance_;
  int schema_ = 0;
};

}  // namespace cox
