#include "controller/turn/fair_queue.h"

#include <algorithm>

#include "common/base/limits.h"

namespace cox {
namespace {

constexpr std::int64_t page_work = 200;           // of a listing, which may need a pass first
constexpr std::int64_t bytes_per_work = 1 << 16;  // of what carries much

// Whose turn an event counts as.
std::string user_of(const Event& event) {
  if (const auto* asked = std::get_if<SqlRequest>(&event)) return "role " + asked->by;
  const auto* said = std::get_if<PeerMessage>(&event);
  if (said == nullptr) return "";
  const Caller& caller = said->caller;
  // A machine's own worker has no key: it is told apart by its connection.
  if (caller.kind == Caller::Kind::Worker)
    return "node " + (caller.node.empty() ? said->peer : caller.node);
  return "uid " + std::to_string(caller.uid);
}

PeerName connection_of(const Event& event) {
  const auto* said = std::get_if<PeerMessage>(&event);
  return said == nullptr ? "" : said->peer;
}

std::size_t bytes_of(const Event& event) {
  const auto* said = std::get_if<PeerMessage>(&event);
  return said == nullptr ? 0 : said->bytes;
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
  const auto* said = std::get_if<PeerMessage>(&event);
  if (said == nullptr) return 1;
  const auto carried = static_cast<std::int64_t>(said->bytes) / bytes_per_work;
  const auto* request = std::get_if<Request>(&said->message);
  return carried + (request == nullptr ? 1 : std::visit(WorkOf{}, request->body));
}

bool FairQueue::has_room(const PeerMessage& said) const {
  return events_ < limits::queued_events_max && bytes_ < limits::queued_bytes_max &&
         waiting_of(said) < limits::queued_events_per_connection_max;
}

std::size_t FairQueue::waiting_of(const PeerMessage& said) const {
  const auto user = users_.find(user_of(said));
  if (user == users_.end()) return 0;
  const auto line = user->second.lines.find(said.peer);
  return line == user->second.lines.end() ? 0 : line->second.events.size();
}

// Who comes (back) stands equal to who was served last: nothing is saved up by having been away.
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
  const auto [line_at, new_line] = user.lines.try_emplace(connection);
  Line& line = line_at->second;
  if (new_line) {
    line.had = user.served;
    line.since = count_;
    user.turns.emplace(line.had, line.since, connection);
  }
  line.events.push_back(std::move(event));
}

Event FairQueue::take_one(std::int64_t& work) {
  const auto user_at = users_.find(std::get<2>(*turns_.begin()));
  turns_.erase(turns_.begin());
  User& user = user_at->second;
  const auto line_at = user.lines.find(std::get<2>(*user.turns.begin()));
  user.turns.erase(user.turns.begin());
  Line& line = line_at->second;
  Event event = std::move(line.events.front());
  line.events.pop_front();
  work = work_of(event);
  served_ = user.had;
  user.served = line.had;
  line.had += work;
  user.had += work;
  if (line.events.empty()) {
    user.lines.erase(line_at);
  } else {
    line.since = ++count_;
    user.turns.emplace(line.had, line.since, line_at->first);
  }
  if (user.lines.empty()) {
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
  std::int64_t work_left = work_max;
  while (!empty() && taken.size() < events_max && work_left > 0) {
    std::int64_t work = 0;
    taken.push_back(take_one(work));
    work_left -= work;
  }
  return taken;
}

void FairQueue::take_from(Line& line, const std::function<bool(const Event&)>& is_meant,
                          std::vector<Event>& taken) {
  std::deque<Event> left;
  for (Event& event : line.events) {
    if (!is_meant(event)) {
      left.push_back(std::move(event));
      continue;
    }
    --events_;
    bytes_ -= bytes_of(event);
    taken.push_back(std::move(event));
  }
  line.events = std::move(left);
}

std::vector<Event> FairQueue::take_if(const std::function<bool(const Event&)>& is_meant) {
  std::vector<Event> taken;
  for (auto user_at = users_.begin(); user_at != users_.end();) {
    User& user = user_at->second;
    for (auto line_at = user.lines.begin(); line_at != user.lines.end();) {
      Line& line = line_at->second;
      take_from(line, is_meant, taken);
      if (line.events.empty()) {
        user.turns.erase({line.had, line.since, line_at->first});
        line_at = user.lines.erase(line_at);
      } else {
        ++line_at;
      }
    }
    if (user.lines.empty()) {
      turns_.erase({user.had, user.since, user_at->first});
      user_at = users_.erase(user_at);
    } else {
      ++user_at;
    }
  }
  return taken;
}

}  // namespace cox
