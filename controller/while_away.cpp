// Which requests are taken in, and which are refused while PostgreSQL is away.
#include "common/standing_by.h"
#include "controller/controller.h"
#include "controller/react.h"

namespace cox {
namespace {

constexpr Milliseconds away_patience{2'000};

}  // namespace

// False: the request is answered already, or its answer comes with that of an earlier copy.
bool Controller::takes_request(const PeerSaid& said, const Request& request, Now now) {
  if (OpenRequests::records(request)) {
    if (open_requests_.joins(said, request)) return false;
    if (const Refused* before = open_requests_.refusal_of(said, request, now.boot)) {
      outgoing_.push_back({said.peer, Reply{request.number, *before}});
      return false;
    }
    // A request of which it cannot be known whether a former leader accepted it is not refused: the
    // client repeats it.
    if (!ready() && !queue_.has_room(said)) return false;
    open_requests_.open(said, request);
  }
  if (queue_.has_room(said)) return true;
  if (is_accepted(request))
    answer_accepted(said, request, now);
  else
    refuse_for_now(said, request, now);
  return false;
}

void Controller::refuse_for_now(const PeerSaid& said, const Request& request, Now now) {
  Refusal why{"the controller has " + std::to_string(queue_.size()) + " requests waiting, " +
                  std::to_string(queue_.waiting_of(said)) + " of them yours",
              "try again in a moment"};
  if (away_since_) {
    const auto seconds = (now.boot - *away_since_).count() / 1000;
    why = {"PostgreSQL has not answered for " + std::to_string(seconds) + " s: " + away_why_,
           only_asks(request)
               ? "running jobs go on and nothing accepted is lost; try again in a moment"
               : "nothing of this request was or will be done; running jobs go on; try again in a "
                 "moment"};
  }
  outgoing_.push_back({said.peer, Reply{request.number, Refused{why, true}}});
}

// Settles the requests in the queue, none of which a turn has taken.
void Controller::settle_while_away(Now now) {
  if (!away_since_ || queue_.empty()) return;
  const bool is_long = now.boot - *away_since_ > away_patience;
  const auto can_settle = [&](const Event& event) { return can_settle_now(event, is_long); };
  for (const Event& event : queue_.take_if(can_settle)) {
    const auto& said = std::get<PeerSaid>(event);
    const auto& request = std::get<Request>(said.message);
    if (is_accepted(request))
      answer_accepted(said, request, now);
    else
      refuse_for_now(said, request, now);
  }
}

// Before memory is loaded it is not known what a former leader has accepted.
bool Controller::can_settle_now(const Event& event, bool is_long) const {
  const auto* said = std::get_if<PeerSaid>(&event);
  const auto* request = said == nullptr ? nullptr : std::get_if<Request>(&said->message);
  if (request == nullptr || said->caller.kind != Caller::Kind::Client) return false;
  return is_long && (ready() || only_asks(*request));
}

// A submission whose job is committed, and in memory. A job that memory has forgotten
// (min_job_age) was accepted longer ago than any client repeats a request.
bool Controller::is_accepted(const Request& request) const {
  if (!ready()) return false;
  std::string id;
  if (const auto* one = std::get_if<SubmitJob>(&request.body)) id = one->request_id;
  if (const auto* many = std::get_if<SubmitJobs>(&request.body)) id = first_request_of(*many);
  if (id.empty()) return false;
  const auto job = cluster_.job_of_request(id);
  return job && *job < committed_jobs_;
}

void Controller::answer_accepted(const PeerSaid& said, const Request& request, Now now) {
  Reaction r(cluster_, now);
  on_request(r, said, request);
  CHECK(r.changes.empty() && r.reads.empty());
  for (Outgoing& each : r.outgoing) outgoing_.push_back(std::move(each));
}

}  // namespace cox
