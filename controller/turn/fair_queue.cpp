#include "controller/turn/fair_queue.h"

#include <algorithm>

#include "common/base/limits.h"

namespace cox {
namespace {

// Work of a request that lists jobs, since a scheduling pass may run first.
constexpr std::int64_t page_work = 200;
// So many bytes of a large message count as one unit of work.
constexpr std::int64_t bytes_per_work = 1 << 16;

// Returns the name of the queue of a message: its user or node.
std::string sender_of(const PeerMessage& incoming) {
  const Caller& caller = incoming.caller;
  // A worker on this host has no key, so its connection identifies it.
  if (caller.kind == Caller::Kind::Worker)
    return "node " + (caller.node.empty() ? incoming.peer : caller.node);
  return "uid " + std::to_string(caller.uid);
}

// Returns the name of the queue of an event: its user, node or SQL role.
std::string user_of(const Event& event) {
  if (const auto* asked = std::get_if<SqlRequest>(&event)) return "role " + asked->by;
  const auto* incoming = std::get_if<PeerMessage>(&event);
  return incoming == nullptr ? "" : sender_of(*incoming);
}

PeerName connection_of(const Event& event) {
  const auto* incoming = std::get_if<PeerMessage>(&event);
  return incoming == nullptr ? "" : incoming->peer;
}

std::size_t bytes_of(const Event& event) {
  const auto* incoming = std::get_if<PeerMessage>(&event);
  return incoming == nullptr ? 0 : incoming->bytes;
}

struct WorkOf {
  std::int64_t operator()(const SubmitJobs& many) const {
    return 1 + static_cast<std::int64_t>(many.specs.size());
  }
  std::int64_t operator()(const UpdateCrontab& crontab) const {
    return 1 + static_cast<std::int64_t>(crontab.lines.size());
  }
  std::int64_t operator()(const ListJobs&) const { return page_work; }
  std::int64_t operator()(const ListNodes&) const { return page_work; }
  std::int64_t operator()(const ListPriorities&) const { return page_work; }
  std::int64_t operator()(const ListAssociations&) const { return page_work; }
  std::int64_t operator()(const ListSteps&) const { return page_work; }
  std::int64_t operator()(const ListCheckpoints&) const { return page_work; }
  std::int64_t operator()(const FollowEvents&) const { return page_work; }
  std::int64_t operator()(const TestJob&) const { return page_work; }
  std::int64_t operator()(const TakeSnapshot&) const { return page_work; }
  std::int64_t operator()(const auto&) const { return 1; }
};

}  // namespace

std::int64_t work_of(const Event& event) {
  if (const auto* asked = std::get_if<SqlRequest>(&event))
    return 1 + std::ranges::count(asked->command, '\n');
  const auto* incoming = std::get_if<PeerMessage>(&event);
  if (incoming == nullptr) return 1;
  const auto carried = static_cast<std::int64_t>(incoming->bytes) / bytes_per_work;
  const auto* request = std::get_if<Request>(&incoming->message);
  return carried + (request == nullptr ? 1 : std::visit(WorkOf{}, request->body));
}

bool FairQueue::has_room(const PeerMessage& incoming) const {
  return events_ < limits::queued_events_max && bytes_ < limits::queued_bytes_max &&
         waiting_of(incoming) < limits::queued_events_per_connection_max;
}

std::size_t FairQueue::waiting_of(const PeerMessage& incoming) const {
  const auto user = users_.find(sender_of(incoming));
  if (user == users_.end()) return 0;
  const auto queue = user->second.queues.find(incoming.peer);
  return queue == user->second.queues.end() ? 0 : queue->second.events.size();
}

// A queue that was empty begins as if it had been served as much work as the queue that was served
// last. So a user who was absent has no advantage.
void FairQueue::put(Event event) {
  ++events_;
  bytes_ += bytes_of(event);
  ++count_;
  const std::string name = user_of(event);
  const PeerName connection = connection_of(event);
  const auto [user_at, new_user] = users_.try_emplace(name);
  User& user = user_at->second;
  if (new_user) {
    user.had = served_;
    user.since = count_;
    turns_.emplace(user.had, user.since, name);
  }
  const auto [queue_at, new_queue] = user.queues.try_emplace(connection);
  ConnectionQueue& queue = queue_at->second;
  if (new_queue) {
    queue.had = user.served;
    queue.since = count_;
    user.turns.emplace(queue.had, queue.since, connection);
  }
  queue.events.push_back(std::move(event));
}

Event FairQueue::take_one(std::int64_t& work) {
  const auto user_at = users_.find(std::get<2>(*turns_.begin()));
  turns_.erase(turns_.begin());
  User& user = user_at->second;
  const auto queue_at = user.queues.find(std::get<2>(*user.turns.begin()));
  user.turns.erase(user.turns.begin());
  ConnectionQueue& queue = queue_at->second;
  Event event = std::move(queue.events.front());
  queue.events.pop_front();
  work = work_of(event);
  served_ = user.had;
  user.served = queue.had;
  queue.had += work;
  user.had += work;
  if (queue.events.empty()) {
    user.queues.erase(queue_at);
  } else {
    queue.since = ++count_;
    user.turns.emplace(queue.had, queue.since, queue_at->first);
  }
  if (user.queues.empty()) {
    users_.erase(user_at);
  } else {
    user.since = ++count_;
    turns_.emplace(user.had, user.since, user_at->first);
  }
  --events_;
  bytes_ -= bytes_of(event);
  return event;
}

std::vector<Event> FairQueue::take(std::size_t events_max, std::int64_t work_max) {
  std::vector<Event> taken;
  taken.reserve(std::min(events_, events_max));
  std::int64_t work_left = work_max;
  while (!empty() && taken.size() < events_max && work_left > 0) {
    std::int64_t work = 0;
    taken.push_back(take_one(work));
    work_left -= work;
  }
  return taken;
}

void FairQueue::take_from(ConnectionQueue& queue, const std::function<bool(const Event&)>& accepts,
                          std::vector<Event>& taken) {
  std::deque<Event> left;
  for (Event& event : queue.events) {
    if (!accepts(event)) {
      left.push_back(std::move(event));
      continue;
    }
    --events_;
    bytes_ -= bytes_of(event);
    taken.push_back(std::move(event));
  }
  queue.events = std::move(left);
}

std::vector<Event> FairQueue::take_if(const std::function<bool(const Event&)>& accepts) {
  std::vector<Event> taken;
  for (auto user_at = users_.begin(); user_at != users_.end();) {
    User& user = user_at->second;
    for (auto queue_at = user.queues.begin(); queue_at != user.queues.end();) {
      ConnectionQueue& queue = queue_at->second;
      take_from(queue, accepts, taken);
      if (queue.events.empty()) {
        user.turns.erase({queue.had, queue.since, queue_at->first});
        queue_at = user.queues.erase(queue_at);
      } else {
        ++queue_at;
      }
    }
    if (user.queues.empty()) {
      turns_.erase({user.had, user.since, user_at->first});
      user_at = users_.erase(user_at);
    } else {
      ++user_at;
    }
  }
  return taken;
}

}  // namespace cox
