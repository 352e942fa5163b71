// What the controller asks of its store beside commits, and what becomes of the answers.
#include <algorithm>

#include "common/job_ref.h"
#include "common/limits.h"
#include "common/log_line.h"
#include "controller/answer_array.h"
#include "controller/controller.h"
#include "controller/dependencies.h"
#include "controller/worker_questions.h"

namespace cox {
namespace {

constexpr Milliseconds qos_interval{2'000};     // so soon a change of a tier is noticed
constexpr Milliseconds requests_interval{500};  // and what is asked by SQL

}  // namespace

bool Controller::may_read(const PeerName& peer) const {
  const auto is_its = [&](const auto& read) { return read.second.peer == peer; };
  return reads_.size() < limits::reads_waiting_max &&
         std::cmp_less(std::ranges::count_if(reads_, is_its), limits::reads_per_connection_max);
}

void Controller::ask_reads(std::vector<WantedRead> reads) {
  for (auto& read : reads) {
    if (!may_read(read.peer)) {
      const Refusal why{std::to_string(reads_.size()) + " questions wait for the database",
                        "try again in a moment"};
      outgoing_.push_back({read.peer, Reply{read.number, Refused{why, true}}});
      continue;
    }
    const std::int64_t ticket = next_ticket_++;
    if (read.what == WantedRead::What::Accounting) {
      store_.read_accounting(ticket, read.accounting);
    } else if (read.task >= 0) {
      store_.read_task(ticket, read.job, read.task);
    } else if (read.what == WantedRead::What::History && read.whole_array) {
      store_.read_array_history(ticket, read.job, read.after_sequence);
    } else if (read.what == WantedRead::What::History) {
      store_.read_history(ticket, read.job, read.after_sequence);
    } else {
      const bool is_shown =
          read.what == WantedRead::What::Job || read.what == WantedRead::What::Log;
      store_.read_job(ticket, read.job, is_shown);
    }
    reads_.emplace(ticket, std::move(read));
  }
}

void Controller::on(const HistoryRead& event, Now) {
  const auto read = reads_.extract(event.ticket);
  if (read.empty()) return;
  const WantedRead& ask = read.mapped();
  Reply reply{ask.number, HistoryPage{event.events, event.more, event.job_names}};
  if (event.events.empty() && ask.after_sequence == 0)
    reply.body = Refused{never_was(cluster_, ask.job, -1)};
  outgoing_.push_back({ask.peer, std::move(reply)});
}

void Controller::on(const JobRead& event, Now now) {
  auto read = reads_.extract(event.ticket);
  if (read.empty()) return;
  WantedRead& ask = read.mapped();
  Reply reply{ask.number, Refused{never_was(cluster_, ask.job, ask.task)}};
  if (ask.what == WantedRead::What::History) {
    const Failure why =
        event.jobs.empty() ? std::nullopt : check_one_row(event.jobs.front(), ask.tasks);
    if (why) reply.body = Refused{*why};
    if (!why && !event.jobs.empty())
      return ask_reads({{WantedRead::What::History, ask.peer, ask.number, event.jobs.front().id,
                         ask.after_sequence}});
  } else if (ask.what == WantedRead::What::Request) {
    if (event.jobs.empty()) {
      reply.body = Refused{{"the database refuses it", ""}};
    } else if (ask.jobs_asked > 0) {
      reply.body = SubmittedJobs{event.jobs.front().id, ask.jobs_asked, true};
    } else {
      reply.body = Submitted{event.jobs.front().id, true, ""};
    }
  } else if (ask.what == WantedRead::What::Recall && event.jobs.empty()) {
    reply.body = Refused{never_submitted(ask.job)};
  } else if (ask.what == WantedRead::What::Recall) {
    ask.again->recalled.push_back(event.jobs.front());
    queue_.put(std::move(*ask.again));
    return;
  } else if (ask.again && !may_see(ask.again->caller, event.attempts)) {
    reply.body = Refused{not_on_node(ask.again->caller.node)};
  } else if (!event.jobs.empty()) {
    reply.body = answer_forgotten(cluster_, event, ask, now);
  }
  outgoing_.push_back({ask.peer, std::move(reply)});
}

// What administrators change in the database takes effect without a restart.
void Controller::ask_for_qos(Now now) {
  if (state_ != State::Ready || away_since_ || qos_ticket_) return;
  if (now.boot - qos_asked_ < qos_interval) return;
  qos_asked_ = now.boot;
  qos_ticket_ = next_ticket_++;
  store_.read_qos(*qos_ticket_);
}

void Controller::ask_for_requests(Now now) {
  if (state_ != State::Ready || away_since_ || requests_ticket_) return;
  if (now.boot - requests_asked_ < requests_interval) return;
  requests_asked_ = now.boot;
  requests_ticket_ = next_ticket_++;
  store_.read_requests(*requests_ticket_);
}

// A row is read again until its answer is committed; one that is being judged is not judged twice.
void Controller::on(const RequestsRead& event, Now) {
  if (requests_ticket_ != event.ticket) return;
  requests_ticket_.reset();
  std::set<std::int64_t> asked_now;
  for (const AskedBySql& asked : event.requests) {
    asked_now.insert(asked.id);
    if (asked_by_sql_.insert(asked.id).second) queue_.put(asked);
  }
  std::erase_if(asked_by_sql_, [&](std::int64_t id) { return !asked_now.contains(id); });
}

void Controller::on(const QosRead& event, Now) {
  if (qos_ticket_ != event.ticket) return;  // read before a turn that changed them
  qos_ticket_.reset();
  if (state_ == State::New || state_ == State::Loading) return;
  const auto is_known = [this](const Qos& qos) {
    const auto known = cluster_.qos().find(qos.name);
    return known != cluster_.qos().end() && known->second == qos;
  };
  if (std::ranges::all_of(event.qos, is_known)) return;
  remark(false, "a QOS has changed");
  cluster_.set_qos(event.qos);
  scheduling_due_ = true;
}

void Controller::on(const ReadFailed& event, Now) {
  if (event.ticket == qos_ticket_) qos_ticket_.reset();
  if (event.ticket == requests_ticket_) requests_ticket_.reset();
  const auto read = reads_.extract(event.ticket);
  if (read.empty()) return;
  const WantedRead& ask = read.mapped();
  remark(true, about({ask.job, {}}) + "cannot be read message=" + quoted_value(event.message));
  const Refusal why{"the database cannot be read: " + event.message,
                    "nothing is lost; try again in a moment"};
  outgoing_.push_back({ask.peer, Reply{ask.number, Refused{why, true}}});
}

}  // namespace cox
