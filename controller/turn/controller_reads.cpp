// Reads from the store that do not wait for the commit of a turn, and what follows from the
// answers.
#include <algorithm>

#include "common/base/check.h"
#include "common/base/log_line.h"
#include "common/job/job_ref.h"
#include "controller/admit/dependencies.h"
#include "controller/answer/answer_array.h"
#include "controller/attempt/worker_questions.h"
#include "controller/turn/controller.h"

namespace cox {

void Controller::on(const HistoryRead& event, Now) {
  const auto asked = reads_.take(event.ticket);
  if (!asked) return;
  const auto* what = std::get_if<HistoryWanted>(&asked->what);
  CHECK(what != nullptr);
  Reply reply{asked->number, HistoryPage{event.events, event.more, event.job_names}};
  if (event.events.empty() && what->after_sequence == 0)
    reply.body = Refused{never_was(cluster_, what->of.job, -1)};
  effects_.messages.push_back({asked->peer, std::move(reply)});
}

// Makes the reply to a read from the jobs that were found; one function for each kind of read.
// nullopt: another read must come first, and the reply comes later.
struct Controller::JobReadAnswer {
  using Body = std::optional<decltype(Reply::body)>;

  Controller& controller;
  const WantedRead& asked;
  const JobRead& found;
  Now now;

  const Cluster& cluster() const { return controller.cluster_; }
  bool is_empty() const { return found.jobs.empty(); }
  Body none(const JobSelector& of) const { return Refused{never_was(cluster(), of.job, of.task)}; }

  // The client named a task of an array. Its row is known now, so its history can be read.
  Body operator()(const HistoryWanted& what) const {
    if (is_empty()) return none(what.of);
    const Job& row = found.jobs.front();
    if (const Failure why = check_one_row(row, what.of.tasks)) return Refused{*why};
    controller.reads_.ask(
        {{asked.peer, asked.number, HistoryWanted{{row.id}, what.after_sequence, false}}},
        controller.effects_);
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
  const auto asked = reads_.take(event.ticket);
  if (!asked) return;
  auto body = std::visit(JobReadAnswer{*this, *asked, event, now}, asked->what);
  if (body) effects_.reply(asked->peer, asked->number, *std::move(body));
}

// Begins the reads that are due of what administrators may have changed by SQL: QOS and requests.
void Controller::ask_what_is_due(Now now) {
  if (state_ != State::Ready || outage_.is_on()) return;
  if (qos_read_.is_due(now.boot)) {
    qos_read_.begin(reads_.next_ticket(), now.boot);
    store_.read_qos(qos_read_.ticket());
  }
  if (requests_read_.is_due(now.boot)) {
    requests_read_.begin(reads_.next_ticket(), now.boot);
    store_.read_requests(requests_read_.ticket());
  }
}

// Queues the requests that were read. A request is read again and again until its answer is
// committed; one that is already queued is not queued again.
void Controller::on(const RequestsRead& event, Now) {
  if (!requests_read_.take(event.ticket)) return;
  std::set<std::int64_t> asked_now;
  for (const SqlRequest& asked : event.requests) {
    asked_now.insert(asked.id);
    if (asked_by_sql_.insert(asked.id).second) queue_.put(asked);
  }
  std::erase_if(asked_by_sql_, [&](std::int64_t id) { return !asked_now.contains(id); });
}

void Controller::on(const QosRead& event, Now) {
  // A read that was made before a turn changed QOS is ignored.
  if (!qos_read_.take(event.ticket)) return;
  if (state_ == State::New || state_ == State::Loading) return;
  const auto is_known = [this](const Qos& qos) {
    const auto known = cluster_.accounting().qos().find(qos.name);
    return known != cluster_.accounting().qos().end() && known->second == qos;
  };
  if (std::ranges::all_of(event.qos, is_known)) return;
  effects_.inform("a QOS has changed");
  cluster_.set_qos(event.qos);
  pass_.ask();
}

void Controller::on(const ReadFailed& event, Now) {
  if (qos_read_.take(event.ticket) || requests_read_.take(event.ticket)) return;
  const auto asked = reads_.take(event.ticket);
  if (!asked) return;
  effects_.warn(about({job_of(*asked), {}}) +
                "cannot be read message=" + quoted_value(event.message));
  const Refusal why{"the database cannot be read: " + event.message,
                    "nothing is lost; try again in a moment"};
  effects_.reply(asked->peer, asked->number, Refused{why, true});
}

}  // namespace cox
