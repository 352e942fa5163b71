// Which requests are taken in, and what they are answered while PostgreSQL is away.
#include <algorithm>

#include "common/base/moment_text.h"
#include "common/messages/standing_by.h"
#include "controller/admit/cron.h"
#include "controller/operate/react.h"
#include "controller/operate/submit.h"
#include "controller/turn/controller.h"

namespace cox {
namespace {

constexpr Milliseconds away_patience{2'000};
constexpr std::size_t unrecorded_named_max = 20;  // changes that an answer names

// Questions that are answered without PostgreSQL, as far as memory knows the jobs.
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

struct Changed {
  std::vector<JobId>& jobs;
  std::vector<std::string>& others;

  void operator()(const JobAdded& c) const { jobs.push_back(c.job.id); }
  void operator()(const JobChanged& c) const { jobs.push_back(c.job.id); }
  void operator()(const JobRespecified& c) const { jobs.push_back(c.job.id); }
  void operator()(const AttemptAdded& c) const { jobs.push_back(c.attempt.key.job); }
  void operator()(const AttemptChanged& c) const { jobs.push_back(c.attempt.key.job); }
  void operator()(const CheckpointAdded& c) const { jobs.push_back(c.checkpoint.key.job); }
  void operator()(const CheckpointChanged& c) const { jobs.push_back(c.checkpoint.key.job); }
  void operator()(const StepPut& c) const { jobs.push_back(c.step.key.attempt.job); }
  void operator()(const NodeChanged& c) const { others.push_back("node " + c.node.name); }
  void operator()(const PartitionChanged& c) const {
    others.push_back("partition " + c.partition.name);
  }
  void operator()(const PartitionRemoved& c) const { others.push_back("partition " + c.name); }
  void operator()(const ReservationPut& c) const {
    others.push_back("reservation " + c.reservation.name);
  }
  void operator()(const ReservationRemoved& c) const { others.push_back("reservation " + c.name); }
  void operator()(const EventTriggerPut& c) const {
    others.push_back("trigger " + std::to_string(c.trigger.id.value));
  }
  void operator()(const EventTriggerRemoved& c) const {
    others.push_back("trigger " + std::to_string(c.id.value));
  }
  void operator()(const AssociationPut& c) const {
    others.push_back("account " + c.association.account);
  }
  void operator()(const AssociationRemoved&) const { others.emplace_back("accounts"); }
  void operator()(const QosPut& c) const { others.push_back("QOS " + c.qos.name); }
  void operator()(const QosRemoved& c) const { others.push_back("QOS " + c.name); }
  void operator()(const CrontabPut& c) const {
    others.push_back("the crontab of " + c.crontab.user_name);
  }
  void operator()(const CrontabRemoved&) const { others.emplace_back("crontabs"); }
  void operator()(const auto&) const {}  // follows from the others, or is not shown
};

}  // namespace

// False: the request is answered already, or its answer comes with that of an earlier copy.
bool Controller::takes_request(const PeerMessage& said, const Request& request, Now now) {
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
    answer_from_memory(said, request, now);
  else
    refuse_for_now(said, request, now);
  return false;
}

void Controller::refuse_for_now(const PeerMessage& said, const Request& request, Now now) {
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
    const auto& said = std::get<PeerMessage>(event);
    const auto& request = std::get<Request>(said.message);
    if (ready() && (reads_memory(request) || is_accepted(request)))
      answer_from_memory(said, request, now);
    else
      refuse_for_now(said, request, now);
  }
}

// Before memory is loaded it is not known what a former leader has accepted.
bool Controller::can_settle_now(const Event& event, bool is_long) const {
  const auto* said = std::get_if<PeerMessage>(&event);
  const auto* request = said == nullptr ? nullptr : std::get_if<Request>(&said->message);
  if (request == nullptr || said->caller.kind != Caller::Kind::Client) return false;
  if (ready()) return is_long || reads_memory(*request);
  return is_long && only_asks(*request);
}

// A submission whose job is committed, and in memory. A job that memory has forgotten
// (min_job_age) was accepted longer ago than any client repeats a request.
bool Controller::is_accepted(const Request& request) const {
  if (!ready()) return false;
  std::string id;
  if (const auto* one = std::get_if<SubmitJob>(&request.body)) id = one->request_id;
  if (const auto* many = std::get_if<SubmitJobs>(&request.body)) id = first_request_of(*many);
  if (const auto* crontab = std::get_if<UpdateCrontab>(&request.body))
    id = first_request_of(*crontab);
  if (id.empty()) return false;
  const auto job = cluster_.job_of_request(id);
  return job && *job < committed_jobs_;
}

void Controller::answer_from_memory(const PeerMessage& said, const Request& request, Now now) {
  Reaction r(cluster_, now);
  on_request(r, said, request);
  CHECK(r.changes.empty() && r.waiters.empty());
  // A job that memory has forgotten.
  if (!r.reads.empty()) return refuse_for_now(said, request, now);
  for (Outgoing& each : r.outgoing) {
    auto* reply = std::get_if<Reply>(&each.message);
    if (reply != nullptr && away_since_ && only_asks(request)) mark_as_old(*reply);
    outgoing_.push_back(std::move(each));
  }
}

void Controller::mark_as_old(Reply& reply) const {
  reply.as_of = away_at_;
  reply.unrecorded = unrecorded();
  if (auto* view = std::get_if<ClusterView>(&reply.body))
    view->database = "away since " + moment_text(away_at_) + ": " + away_why_;
}

void Controller::note_unrecorded(const std::vector<Change>& changes) {
  const Changed changed{unrecorded_jobs_, unrecorded_others_};
  for (const Change& change : changes) std::visit(changed, change);
}

std::vector<std::string> Controller::unrecorded() const {
  std::vector<JobId> jobs = unrecorded_jobs_;
  std::ranges::sort(jobs);
  std::vector<std::string> all;
  for (const JobId id : jobs) all.push_back("job " + std::to_string(id.value));
  all.insert(all.end(), unrecorded_others_.begin(), unrecorded_others_.end());
  std::ranges::sort(all.begin() + std::ssize(jobs), all.end());
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  if (all.size() <= unrecorded_named_max) return all;
  const std::size_t more = all.size() - unrecorded_named_max;
  all.resize(unrecorded_named_max);
  all.push_back(std::to_string(more) + " more");
  return all;
}

}  // namespace cox
