// The jobs, read ahead by a controller that stands by, and every few seconds what has changed of
// them since: who leads next reads only that (pg_job_load.h). Nothing is decided by it. Passive
// like its connection, which it has to itself; whoever stands by polls it, as long as it is open.
#pragma once

#include "common/base/backoff.h"
#include "common/base/time.h"
#include "controller/io/postgres/pg_connection.h"
#include "controller/io/postgres/pg_epoll.h"
#include "controller/io/records/pg_job_load.h"

namespace cox {

class StandbyJobReader {
 public:
  // min_job_age: so long after their end jobs count.
  StandbyJobReader(PgServers& servers, Milliseconds min_job_age);

  void poll(Now now);
  int fd() const { return epoll_.fd(); }
  Milliseconds next_in(Boot now) const;  // poll() by then, though nothing arrived
  bool is_closed() const { return connection_.is_closed(); }
  void close();                                       // and knows nothing
  std::size_t known() const { return jobs_.kept(); }  // jobs
  // What there is, for a store that opens now. It is read anew when this is polled again.
  PgJobLoad take();

 private:
  enum class Doing { Nothing, Beginning, Reading, Ending };

  void run(Doing doing, const std::vector<PgStatement>& statements, Boot now);
  void on_done(const std::vector<PgRows>& rows, Boot now);
  void rest(Boot now);

  Milliseconds min_job_age_;
  PgConnection connection_;
  PgEpoll epoll_;
  Backoff backoff_ = connection_backoff();
  PgJobLoad jobs_;
  Doing doing_ = Doing::Nothing;
  Boot began_{};
  Boot due_{};
};

}  // namespace cox
