#include "controller/io/records/standby_job_reader.h"

#include <algorithm>
#include <utility>

namespace cox {
namespace {

constexpr Milliseconds read_interval{10'000};
constexpr int rest_share = 20;  // a pause lasts so many times as long as the read before it

}  // namespace

StandbyJobReader::StandbyJobReader(PgServers& servers, Milliseconds min_job_age)
    : min_job_age_(min_job_age),
      connection_(servers, {"session_settings", "server_timeline", "rollback", "begin_reading",
                            "count_jobs", "load_jobs", "close_jobs", "fetch_jobs", "load_specs",
                            "fetch_specs", "commit"}) {}

void StandbyJobReader::poll(Now now) {
  if (connection_.is_closed() && backoff_.is_due(now.boot)) connection_.connect(now.boot);
  while (const auto answer = connection_.poll(now.boot)) {
    switch (answer->kind) {
      case PgAnswer::Kind::Ready: due_ = std::max(due_, now.boot); break;
      case PgAnswer::Kind::Done: on_done(answer->rows, now.boot); break;
      case PgAnswer::Kind::Failed:
      case PgAnswer::Kind::Lost:
        if (operation_ != Operation::Nothing) rest(now.boot);
        close();
        backoff_.failed(now.boot);
    }
  }
  if (connection_.is_idle() && operation_ == Operation::Nothing && now.boot >= due_) {
    began_ = now.boot;
    std::vector<PgStatement> all{{"begin_reading", {}}};
    for (PgStatement& one : jobs_.begin(now.wall - min_job_age_, connection_.timeline()))
      all.push_back(std::move(one));
    run(Operation::Beginning, all, now.boot);
  }
  epoll_.watch(connection_);
}

void StandbyJobReader::run(Operation operation, const std::vector<PgStatement>& statements,
                           Boot now) {
  operation_ = operation;
  connection_.run(statements, now);
}

void StandbyJobReader::on_done(const std::vector<PgRows>& rows, Boot now) {
  if (operation_ == Operation::Ending) {
    operation_ = Operation::Nothing;
    jobs_.keep();
    backoff_.succeeded();
    return rest(now);
  }
  if (operation_ == Operation::Beginning) jobs_.begun(rows.at(1));
  operation_ = Operation::Reading;
  if (!jobs_.go_on(connection_, now)) run(Operation::Ending, {{"commit", {}}}, now);
}

// Sets the time of the next read. The longer a read took, the longer the pause, so that the server
// is not kept busy. But the pause is shorter than min_job_age: if jobs ended and left the
// controller's memory during one pause, the database's count of jobs would differ, and all jobs
// would be read again.
void StandbyJobReader::rest(Boot now) {
  const Milliseconds most = std::max(read_interval, min_job_age_ / 2);
  due_ = now + std::clamp<Milliseconds>(rest_share * (now - began_), read_interval, most);
}

Milliseconds StandbyJobReader::next_in(Boot now) const {
  Milliseconds next = read_interval;
  if (connection_.is_closed()) next = backoff_.retry_at() - now;
  if (connection_.is_idle()) next = due_ - now;
  if (const auto deadline = connection_.deadline()) next = *deadline - now;
  return std::max(next, Milliseconds{0});
}

PgJobLoad StandbyJobReader::take() {
  PgJobLoad taken = std::exchange(jobs_, {});
  close();
  return taken;
}

void StandbyJobReader::close() {
  connection_.close();
  jobs_ = {};
  operation_ = Operation::Nothing;
  epoll_.watch(connection_);
}

}  // namespace cox
