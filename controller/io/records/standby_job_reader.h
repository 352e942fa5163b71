// Reads the jobs ahead in a standby, and rereads changed ones every 10 s or more. When the standby
// takes over, it needs to read only the latest changes (pg_job_load.h). No decision depends on
// these jobs. Has a connection of its own and no thread: the standby polls it while it is open
// (controller/io/leader_host.cpp).
#pragma once

#include "common/base/backoff.h"
#include "common/base/time.h"
#include "controller/io/postgres/pg_connection.h"
#include "controller/io/postgres/pg_epoll.h"
#include "controller/io/records/pg_job_load.h"

namespace cox {

class StandbyJobReader {
 public:
  // `min_job_age`: how long after its end a job is still read.
  StandbyJobReader(PgServers& servers, Milliseconds min_job_age);

  void poll(Now now);
  int fd() const { return epoll_.fd(); }
  // Returns the time until poll() must be called, even if nothing has arrived.
  Milliseconds next_in(Boot now) const;
  bool is_closed() const { return connection_.is_closed(); }
  void close();                                       // closes the connection and forgets all jobs
  std::size_t known() const { return jobs_.kept(); }  // number of jobs
  // Returns the jobs read so far, for a store that opens now, and closes the connection. If poll()
  // is called again, all jobs are read anew.
  PgJobLoad take();

 private:
  enum class Operation { Nothing, Beginning, Reading, Ending };

  void run(Operation operation, const std::vector<PgStatement>& statements, Boot now);
  void on_done(const std::vector<PgRows>& rows, Boot now);
  void rest(Boot now);

  Milliseconds min_job_age_;
  PgConnection connection_;
  PgEpoll epoll_;
  Backoff backoff_ = connection_backoff();
  PgJobLoad jobs_;
  Operation operation_ = Operation::Nothing;
  Boot began_{};
  Boot due_{};
};

}  // namespace cox
