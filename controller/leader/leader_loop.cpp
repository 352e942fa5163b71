#include "controller/leader/leader_loop.h"

#include <utility>

#include "common/base/log_line.h"

namespace cox {

namespace {

constexpr Milliseconds refused_retry{1'000};
constexpr int refusals_max = 3;

// Returns what a standby logs about the leader, or about why it cannot lead itself.
std::string standby_text(const LeaderLoop::LeaseAnswer& lease) {
  if (!lease.trouble.empty()) return "cannot ask who leads message=" + quoted_value(lease.trouble);
  const std::string& why = lease.hindrance;
  return "standing by leader=" + quoted_value(lease.holder) +
         (why.empty() ? "" : " cannot_lead=" + quoted_value(why));
}

}  // namespace

LeaderLoop::Actions LeaderLoop::on(const Event& event, Boot now) {
  std::visit([&](const auto& one) { take(one, now); }, event);
  return std::exchange(actions_, {});
}

std::optional<Boot> LeaderLoop::wake_at() const {
  return state_ == State::Refused ? std::optional(retry_at_) : std::nullopt;
}

void LeaderLoop::take(const LeaseAnswer& lease, Boot now) {
  switch (state_) {
    case State::StandingBy: return lease.leads ? open(lease) : wait_for_lead(lease);
    case State::Refused: return wait_refused(now);
    case State::Confirming: return lease.leads ? confirm(lease) : wait_for_lead(lease);
    case State::Leading:
      if (!lease.leads || lease.since != since_) act(Stop{false});
      return;
    case State::Opening:
    case State::Ended: return;
  }
}

// ---- without the lease -------------------------------------------------------------------------

void LeaderLoop::stand_by() {
  state_ = State::StandingBy;
  standing_.clear();
}

void LeaderLoop::wait_for_lead(const LeaseAnswer& lease) {
  log_standing(lease);
  if (lease.has_answer) act(RefuseAll{lease.holder, lease.hindrance});
}

// Logs the state of a standby whenever it has changed.
void LeaderLoop::log_standing(const LeaseAnswer& lease) {
  if (!lease.has_answer && lease.trouble.empty()) return;
  std::string text = standby_text(lease);
  if (text == standing_) return;
  log(lease.hindrance.empty() ? Level::Info : Level::Warning, text);
  standing_ = std::move(text);
}

// ---- the store ---------------------------------------------------------------------------------

void LeaderLoop::open(const LeaseAnswer& lease) {
  if (is_superseded_ && lease.since == since_) {
    log(Level::Error,
        "superseded by a controller with the same name, or by an older database; it ends");
    return fail();
  }
  since_ = lease.since;
  is_superseded_ = false;
  state_ = State::Opening;
  act(OpenStore{merged(known_, lease.known)});
}

void LeaderLoop::take(const StoreOpened&, Boot) {
  if (state_ != State::Opening) return act(CloseStore{});
  refusals_ = 0;
  state_ = State::Confirming;
  standing_.clear();
  act(AskLease{});
}

void LeaderLoop::take(const StoreRefused& refused, Boot now) {
  if (state_ != State::Opening) return;
  refusal_ = refused.why;
  retry_at_ = now + refused_retry;
  state_ = State::Refused;
}

// The refusal may come from a server that is shutting down, so the loop tries again a little later.
void LeaderLoop::wait_refused(Boot now) {
  if (now < retry_at_) return act(RefuseAll{"", "it cannot lead yet: " + refusal_.fact});
  act(AskLease{});
  act(CheckDatabase{});
}

void LeaderLoop::log_refused() {
  log(Level::Warning, "cannot lead yet message=" + quoted_value(refusal_.fact));
}

void LeaderLoop::take(const DatabaseChecked& database, Boot) {
  if (state_ != State::Refused) return;
  if (!database.is_away) refusals_ += 1;
  if (!database.is_away && refusals_ >= refusals_max) {
    log(Level::Error, refusal_.fact + "; " + refusal_.hint);
    act(Resign{});
    return fail();
  }
  log_refused();
  stand_by();
}

void LeaderLoop::confirm(const LeaseAnswer& lease) {
  if (lease.since == since_) {
    state_ = State::Leading;
    return act(Start{});
  }
  act(AskLease{});
  act(CloseStore{});
  stand_by();
}

// ---- leading, and the end ----------------------------------------------------------------------

void LeaderLoop::take(const ControllerStatus& status, Boot) {
  if (state_ == State::Leading && status.is_superseded) act(Stop{false});
}

void LeaderLoop::take(const ControllerStopped& stopped, Boot) {
  is_superseded_ = stopped.is_superseded && !stopped.database_regressed;
  known_ = merged(stopped.known, known_);
  if (end_asked_) return end_as_asked();
  log(Level::Warning, stopped.database_regressed ? "the database may have lost committed turns"
                                                 : "another controller leads");
  act(AskLease{});
  stand_by();
}

void LeaderLoop::take(const EndRequested& asked, Boot) {
  if (state_ == State::Ended || end_asked_) return;
  end_asked_ = asked;
  if (state_ == State::Leading) return act(Stop{true});
  if (state_ == State::Refused) {
    act(AskLease{});
    log_refused();
  }
  if (state_ == State::Confirming) act(CloseStore{});
  end_as_asked();
}

void LeaderLoop::end_as_asked() {
  state_ = State::Ended;
  act(Resign{});
  log(Level::Info,
      end_asked_->restarts ? "restarts with the settings of its file" : "asked to end");
  act(Exit{false, end_asked_->restarts});
}

void LeaderLoop::fail() {
  state_ = State::Ended;
  act(Exit{true, false});
}

}  // namespace cox
