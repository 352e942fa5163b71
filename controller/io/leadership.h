// Which controller of several leads: a lease in PostgreSQL (cox.leadership), by the database's
// clock. Whoever holds it moves its end on each third of it; the others ask again and again, and
// take it when it has ended. Never waits, but in resign().
//
// The lease says when to try. What keeps a leader that has lost it without knowing (it was paused,
// or cut off) from making anything true is the turn row, which the next leader's first turn changes
// (store.h). While the database is away nobody can take the lead, and who leads goes on. Who is
// older than the schema takes no lease, and writes nothing.
#pragma once

#include <string>

#include "common/ids.h"
#include "common/time.h"
#include "controller/io/pg_connection.h"
#include "controller/io/pg_epoll.h"
#include "controller/recovery.h"

namespace cox {

class Leadership {
 public:
  // `holder`: this controller's name, the same each time it starts, so that one that died and is
  // back need not wait for its own lease.
  Leadership(PgServers& servers, std::string holder, Milliseconds lease);

  void poll(Boot now);
  int fd() const { return epoll_.fd(); }
  Milliseconds next_in(Boot now) const;  // poll() by then, though nothing arrived

  bool leads() const { return leads_; }
  // ... and nobody else can have taken it: the last answer is younger than the lease.
  bool is_sure(Boot now) const { return leads_ && now - asked_of_answer_ < lease_; }
  // When it took the lead, by the database's clock: a leadership of its own, though the holder is
  // the same.
  const std::string& since() const { return since_; }
  // As the last answer has it; empty: there was none yet.
  const std::string& holder() const { return told_holder_; }
  // What it saw to be true, looking on.
  const KnownTruth& known() const { return known_; }
  // Asks at once, and knows nothing until the answer.
  void doubt(Boot now);
  bool knows() const { return knows_; }
  // Who leads tells its term once it has loaded, and none while it loads (again): its lease is
  // longer then, as loading may hold up everything.
  void set_term(Term term);
  Term term() const { return term_; }
  const std::string& trouble() const { return trouble_; }  // why there is no answer; else empty
  // Why it takes no lease, though one may be free: the database's schema is newer than this
  // program, which another one has brought further. Empty: it may.
  const std::string& hindrance() const { return hindrance_; }

  // Gives the lease back; waits a moment for the answer.
  void resign();

 private:
  void ask(Boot now);
  void on_rows(const PgRows& rows, Boot now);
  Milliseconds pause() const;  // between two questions

  std::string name_;
  Milliseconds lease_;
  PgConnection connection_;
  PgEpoll epoll_;
  Backoff backoff_ = connection_backoff();
  Term term_;
  Boot ask_at_{};
  Boot asked_{};    // when the last question went out
  Boot doubted_{};  // what was asked before counts no more
  bool leads_ = false;
  bool has_led_ = false;  // it has told a term in this leadership
  bool knows_ = false;
  std::string told_holder_;
  KnownTruth known_;
  std::string since_;
  Boot asked_of_answer_{};  // when what was answered last was asked
  std::string trouble_;
  std::string hindrance_;
};

}  // namespace cox
