#include "controller/io/postgres/leadership.h"

#include <poll.h>

#include <algorithm>

#include "common/io/clock.h"

namespace cox {

namespace {

constexpr Milliseconds resign_wait{1'000};

}  // namespace

Leadership::Leadership(PgServers& servers, std::string holder, Milliseconds lease)
    : name_(std::move(holder)),
      lease_(lease),
      connection_(servers, {"session_settings", "server_timeline", "rollback", "leadership_lease",
                            "leadership_resign"}) {}

Milliseconds Leadership::next_in(Boot now) const {
  if (connection_.is_closed()) return std::max(Milliseconds{0}, backoff_.retry_at() - now);
  if (connection_.is_idle()) return lease_.due_in(now);
  return lease_.pause();  // an answer that arrives before that makes fd() readable
}

void Leadership::poll(Boot now) {
  if (connection_.is_closed() && backoff_.is_due(now)) connection_.connect(now);
  while (auto answer = connection_.poll(now)) {
    trouble_ = answer->message;
    switch (answer->kind) {
      case PgAnswer::Kind::Ready: break;
      case PgAnswer::Kind::Done:
        if (answer->rows.front().size() == 1) {
          on_rows(answer->rows.front(), now);
          break;
        }
        trouble_ =
            "cox.leadership or cox.turn has no row. Restore that of cox.leadership with: SET "
            "cox.writer = 'repair'; INSERT INTO cox.leadership (holder, term, since, ends_at) "
            "VALUES ('', 0, now(), now()). If cox.turn is empty, restore the database";
        [[fallthrough]];
      case PgAnswer::Kind::Failed: connection_.close(); [[fallthrough]];
      case PgAnswer::Kind::Lost: backoff_.failed(now);
    }
  }
  if (connection_.is_idle() && lease_.is_due(now)) ask(now);
  epoll_.watch(connection_);
}

void Leadership::ask(Boot now) {
  const LeaderLease::Question question = lease_.ask(now);
  connection_.run(
      {{"leadership_lease",
        {name_, std::to_string(question.lease.count()), std::to_string(question.term.value),
         question.has_never_led ? "t" : "f", std::to_string(newest_migration())}}},
      now);
}

void Leadership::on_rows(const PgRows& rows, Boot now) {
  backoff_.succeeded();
  const LeaderLease::Answer answer{rows.cell(0, "leads") == "t",
                                   std::string(rows.cell(0, "holder").value_or("")),
                                   std::string(rows.cell(0, "since").value_or(""))};
  if (!lease_.answered(answer, now)) return;
  schema_ = static_cast<int>(rows.number(0, "schema"));
  hindrance_ = schema_ > newest_migration() ? schema_too_new(schema_).fact : "";
  const Now ours = read_clock();
  server_time_ = {wall_from_ms(rows.number(0, "time_of_day")), ours};
  known_ = merged(known_, {Term{rows.number(0, "term")},
                           TurnNumber{rows.number(0, "turn")},
                           JobId{rows.number(0, "next_job")},
                           ours.wall,
                           false,
                           {}});
}

// Whether it holds the lease need not be known: an answer may be under way.
void Leadership::resign() {
  const Boot end = read_clock().boot + resign_wait;
  bool asked = false;
  for (Boot now = read_clock().boot; now < end && !connection_.is_closed();
       now = read_clock().boot) {
    while (connection_.poll(now)) continue;
    if (connection_.is_idle() && asked) return;
    if (connection_.is_idle()) {
      connection_.run({{"leadership_resign", {name_}}}, now);
      asked = true;
    }
    pollfd wanted{connection_.fd(), connection_.events(), 0};
    ::poll(&wanted, 1, static_cast<int>((end - now).count()));
  }
}

}  // namespace cox
