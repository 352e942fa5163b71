// Which requests enter the queue, and how they are answered while PostgreSQL is away.
#include "common/messages/standing_by.h"
#include "controller/admit/cron.h"
#include "controller/operate/react.h"
#include "controller/operate/submit.h"
#include "controller/turn/controller.h"

namespace cox {
namespace {

// Returns whether a query is answered from memory while PostgreSQL is away, if its jobs are in
// memory.
struct ReadsMemory {
  bool operator()(const ListJobs&) const { return true; }
  bool operator()(const ListNodes&) const { return true; }
  bool operator()(const ShowJob&) const { return true; }
  bool operator()(const ShowCluster&) const { return true; }
  bool operator()(const LocateLog&) const { return true; }
  bool operator()(const ListLicences&) const { return true; }
  bool operator()(const ListAssociations&) const { return true; }
  bool operator()(const ListReservations&) const { return true; }
  bool operator()(const ListCheckpoints&) const { return true; }
  bool operator()(const ListTriggers&) const { return true; }
  bool operator()(const ListSteps&) const { return true; }
  bool operator()(const ListPriorities&) const { return true; }
  bool operator()(const ShowConfiguration&) const { return true; }
  bool operator()(const ShowStatistics&) const { return true; }
  bool operator()(const ShowCrontab&) const { return true; }
  bool operator()(const auto&) const { return false; }
};

bool reads_memory(const Request& request) {
  return std::visit(ReadsMemory{}, request.body);
}

}  // namespace

// Returns whether the request may enter the queue. If not, it was answered here, or is dropped, or
// gets the answer of an earlier copy of it.
bool Controller::takes_request(const PeerMessage& incoming, const Request& request, Now now) {
  if (OpenRequests::records(request)) {
    if (open_requests_.joins(incoming, request)) return false;
    if (const Refused* before = open_requests_.refusal_of(incoming, request, now.boot)) {
      effects_.reply(incoming.peer, request.number, *before);
      return false;
    }
    // Before memory is loaded it is unknown whether a former leader accepted the request. So it is
    // dropped, not refused, and the client repeats it.
    if (!ready() && !queue_.has_room(incoming)) return false;
    open_requests_.open(incoming, request);
  }
  if (queue_.has_room(incoming)) return true;
  if (is_accepted(request))
    answer_from_memory(incoming, request, now);
  else
    refuse_for_now(incoming, request, now);
  return false;
}

void Controller::refuse_for_now(const PeerMessage& incoming, const Request& request, Now now) {
  Refusal why{"the controller has " + std::to_string(queue_.size()) + " requests waiting, " +
                  std::to_string(queue_.waiting_of(incoming)) + " of them yours",
              "try again in a moment"};
  if (outage_.is_on()) why = outage_.refusal(is_read_only(request), now.boot);
  effects_.reply(incoming.peer, request.number, Refused{why, true});
}

// Answers or refuses those queued requests that need not wait for PostgreSQL. No turn has taken
// them yet.
void Controller::settle_while_away(Now now) {
  if (!outage_.is_on() || queue_.empty()) return;
  const bool is_long = outage_.is_long(now.boot);
  const auto can_settle = [&](const Event& event) { return can_settle_now(event, is_long); };
  for (const Event& event : queue_.take_if(can_settle)) {
    const auto& incoming = std::get<PeerMessage>(event);
    const auto& request = std::get<Request>(incoming.message);
    if (ready() && (reads_memory(request) || is_accepted(request)))
      answer_from_memory(incoming, request, now);
    else
      refuse_for_now(incoming, request, now);
  }
}

// Returns whether the event is a request that can be answered or refused now. Before memory is
// loaded, only queries can be refused: a former leader may have accepted the other requests.
bool Controller::can_settle_now(const Event& event, bool is_long) const {
  const auto* incoming = std::get_if<PeerMessage>(&event);
  const auto* request = incoming == nullptr ? nullptr : std::get_if<Request>(&incoming->message);
  if (request == nullptr || incoming->caller.kind != Caller::Kind::Client) return false;
  if (ready()) return is_long || reads_memory(*request);
  return is_long && is_read_only(*request);
}

// Returns whether the request is a submission whose job is committed and in memory. A job that
// memory has forgotten was accepted min_job_age ago or earlier; no client repeats a request for so
// long.
bool Controller::is_accepted(const Request& request) const {
  if (!ready()) return false;
  std::string id;
  if (const auto* one = std::get_if<SubmitJob>(&request.body)) id = one->request_id;
  if (const auto* many = std::get_if<SubmitJobs>(&request.body)) id = first_request_of(*many);
  if (const auto* crontab = std::get_if<UpdateCrontab>(&request.body))
    id = first_request_of(*crontab);
  if (id.empty()) return false;
  const auto job = cluster_.jobs().of_request(id);
  return job && *job < last_commit_.next_job;
}

void Controller::answer_from_memory(const PeerMessage& incoming, const Request& request, Now now) {
  Reaction r(cluster_, feed_, now);
  on_request(r, incoming, request);
  CHECK(r.changes.empty() && r.waiters.empty());
  // The reply needs a job that memory has forgotten.
  if (!r.reads.empty()) return refuse_for_now(incoming, request, now);
  for (Outgoing& each : r.outgoing) {
    auto* reply = std::get_if<Reply>(&each.message);
    if (reply != nullptr && outage_.is_on() && is_read_only(request)) outage_.mark(*reply);
    effects_.messages.push_back(std::move(each));
  }
}

// Puts the submission back into the queue, with the answer of submit_program. Every run of the
// program ends by a deadline, so every submission gets a reply.
void Controller::submit_run_ended(SubmitRunEnded ended) {
  auto incoming = verdicts_.take(std::move(ended));
  if (incoming && state_ != State::Superseded) queue_.put(std::move(*incoming));
}

}  // namespace cox
