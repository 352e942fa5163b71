// What the controller asks of its store beside commits, and what becomes of the answers.
#include <algorithm>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/log_line.h"
#include "common/job/job_ref.h"
#include "controller/admit/dependencies.h"
#include "controller/answer/answer_array.h"
#include "controller/attempt/worker_questions.h"
#include "controller/turn/controller.h"

namespace cox {
namespace {

constexpr Milliseconds qos_interval{2'000};     // so soon a change of a tier is noticed
constexpr Milliseconds requests_interval{500};  // and what is asked by SQL

void ask(Store& store, std::int64_t ticket, const JobMeant& of, bool is_shown) {
  if (of.task >= 0)
    store.read_task(ticket, of.job, of.task);
  else
    store.read_job(ticket, of.job, is_shown);
}

void ask(Store& store, std::int64_t ticket, const HistoryWanted& what) {
  if (what.of.task >= 0)
    store.read_task(ticket, what.of.job, what.of.task);
  else if (what.whole_array)
    store.read_array_history(ticket, what.of.job, what.after_sequence);
  else
    store.read_history(ticket, what.of.job, what.after_sequence);
}

void ask(Store& store, std::int64_t ticket, const JobWanted& what) {
  ask(store, ticket, what.of, true);
}

void ask(Store& store, std::int64_t ticket, const LogWanted& what) {
  ask(store, ticket, what.of, true);
}

void ask(Store& store, std::int64_t ticket, const RecallWanted& what) {
  store.read_job(ticket, what.job, false);
}

void ask(Store& store, std::int64_t ticket, const ListAccounting& what) {
  store.read_accounting(ticket, what);
}

void ask(Store&, std::int64_t, const SubmissionWanted&) {
  CHECK(false && "ask_for_request() has asked already: the store wants the request id");
}

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
    std::visit([&](const auto& what) { ask(store_, ticket, what); }, read.what);
    reads_.emplace(ticket, std::move(read));
  }
}

void Controller::on(const HistoryRead& event, Now) {
  const auto read = reads_.extract(event.ticket);
  if (read.empty()) return;
  const WantedRead& asked = read.mapped();
  const auto* what = std::get_if<HistoryWanted>(&asked.what);
  CHECK(what != nullptr);
  Reply reply{asked.number, HistoryPage{event.events, event.more, event.job_names}};
  if (event.events.empty() && what->after_sequence == 0)
    reply.body = Refused{never_was(cluster_, what->of.job, -1)};
  outgoing_.push_back({asked.peer, std::move(reply)});
}

// What a job that was read means for each kind of question: the reply, or nothing where it is yet
// to come.
struct Controller::JobReadAnswer {
  using Body = std::optional<decltype(Reply::body)>;

  Controller& controller;
  const WantedRead& asked;
  const JobRead& found;
  Now now;

  const Cluster& cluster() const { return controller.cluster_; }
  bool is_empty() const { return found.jobs.empty(); }
  Body none(const JobMeant& of) const { return Refused{never_was(cluster(), of.job, of.task)}; }

  // It was a task: its row is known now.
  Body operator()(const HistoryWanted& what) const {
    if (is_empty()) return none(what.of);
    const Job& row = found.jobs.front();
    if (const Failure why = check_one_row(row, what.of.tasks)) return Refused{*why};
    controller.ask_reads(
        {{asked.peer, asked.number, HistoryWanted{{row.id}, what.after_sequence, false}}});
    return std::nullopt;
  }

  Body operator()(const JobWanted& what) const {
    if (what.worker && !may_see(what.worker->caller, found.attempts))
      return Refused{not_on_node(what.worker->caller.node)};
    if (is_empty()) return none(what.of);
    return answer_forgotten(cluster(), found, what.of, now);
  }

  Body operator()(const LogWanted& what) const {
    if (is_empty()) return none(what.of);
    return log_of_forgotten(cluster(), found, what.of, what.log);
  }

  Body operator()(const SubmissionWanted& what) const {
    if (is_empty()) return Refused{{"the database refuses it", ""}};
    const JobId first = found.jobs.front().id;
    if (what.jobs_asked > 0) return SubmittedJobs{first, what.jobs_asked, true};
    return Submitted{first, true, ""};
  }

  Body operator()(const RecallWanted& what) const {
    if (is_empty()) return Refused{never_submitted(what.job)};
    what.again->recalled.push_back(found.jobs.front());
    controller.queue_.put(std::move(*what.again));
    return std::nullopt;
  }

  Body operator()(const ListAccounting&) const { CHECK(false && "its answer is no job"); }
};

void Controller::on(const JobRead& event, Now now) {
  const auto read = reads_.extract(event.ticket);
  if (read.empty()) return;
  const WantedRead& asked = read.mapped();
  auto body = std::visit(JobReadAnswer{*this, asked, event, now}, asked.what);
  if (body) outgoing_.push_back({asked.peer, Reply{asked.number, *std::move(body)}});
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
  for (const SqlRequest& asked : event.requests) {
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
  const WantedRead& asked = read.mapped();
  remark(true,
         about({job_of(asked), {}}) + "cannot be read message=" + quoted_value(event.message));
  const Refusal why{"the database cannot be read: " + event.message,
                    "nothing is lost; try again in a moment"};
  outgoing_.push_back({asked.peer, Reply{asked.number, Refused{why, true}}});
}

}  // namespace cox
