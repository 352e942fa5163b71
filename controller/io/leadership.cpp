#include "controller/io/leadership.h"

#include <poll.h>

#include <algorithm>

#include "common/io/clock.h"
#include "controller/io/schema.h"

namespace cox {

namespace {

constexpr int renewals_in_a_lease = 3;
constexpr Milliseconds standby_pause{250};
constexpr Milliseconds loading_lease{60'000};
constexpr Milliseconds resign_wait{1'000};

}  // namespace

Leadership::Leadership(PgServers& servers, std::string holder, Milliseconds lease)
    : name_(std::move(holder)),
      lease_(lease),
      connection_(servers, {"session_settings", "server_timeline", "rollback", "leadership_lease",
                            "leadership_resign"}) {}

Milliseconds Leadership::pause() const {
  return leads_ ? lease_ / renewals_in_a_lease : std::min(standby_pause, lease_);
}

Milliseconds Leadership::next_in(Boot now) const {
  if (connection_.is_closed()) return std::max(Milliseconds{0}, backoff_.retry_at() - now);
  if (connection_.is_idle()) return std::max(Milliseconds{0}, ask_at_ - now);
  return pause();  // an answer wakes whoever waits for fd()
}

void Leadership::poll(Boot now) {
  if (connection_.is_closed() && backoff_.is_due(now)) connection_.connect(now);
  while (auto answer = connection_.poll(now)) {
    trouble_ = answer->message;
    switch (answer->kind) {
      case PgAnswer::Kind::Ready: break;
      case PgAnswer::Kind::Done: on_rows(answer->rows.front(), now); break;
      case PgAnswer::Kind::Failed: connection_.close(); [[fallthrough]];
      case PgAnswer::Kind::Lost: backoff_.failed(now);
    }
  }
  if (connection_.is_idle() && now >= ask_at_) ask(now);
  epoll_.watch(connection_);
}

void Leadership::ask(Boot now) {
  const bool loads = term_ == Term{};
  const std::string lease =
      std::to_string((loads ? std::max(lease_, loading_lease) : lease_).count());
  connection_.run({{"leadership_lease",
                    {name_, lease, std::to_string(term_.value), loads && !has_led_ ? "t" : "f",
                     std::to_string(newest_migration())}}},
                  now);
  asked_ = now;
  ask_at_ = now + pause();
}

void Leadership::on_rows(const PgRows& rows, Boot now) {
  backoff_.succeeded();
  // What was true a lease ago, before we were paused perhaps, says nothing; nor what was asked
  // before the doubt.
  if (now - asked_ >= lease_ || asked_ <= doubted_) {
    ask_at_ = now;
    return;
  }
  since_ = std::string(rows.cell(0, "since").value_or(""));
  asked_of_answer_ = asked_;
  leads_ = rows.cell(0, "leads") == "t";
  has_led_ = has_led_ && leads_;
  told_holder_ = std::string(rows.cell(0, "holder").value_or(""));
  const auto schema = static_cast<int>(rows.number(0, "schema"));
  hindrance_ = schema > newest_migration() ? schema_too_new(schema).fact : "";
  knows_ = true;
  known_ = merged(known_, {Term{rows.number(0, "term")},
                           TurnNumber{rows.number(0, "turn")},
                           JobId{rows.number(0, "next_job")},
                           read_clock().wall,
                           false,
                           {}});
  ask_at_ = now + pause();
}

void Leadership::set_term(Term term) {
  if (term_ == term) return;
  term_ = term;
  has_led_ = has_led_ || term != Term{};
  ask_at_ = Boot{};
}

void Leadership::doubt(Boot now) {
  leads_ = knows_ = false;
  doubted_ = ask_at_ = now;
}

void Leadership::resign() {
  if (!leads_) return;
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
