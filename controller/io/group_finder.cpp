#include "controller/io/group_finder.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/io/host_groups.h"
#include "controller/change/made_partition.h"

namespace cox {
namespace {

constexpr Milliseconds lookup_max{limits::group_lookup_ms_max};
constexpr Milliseconds interval{limits::group_lookup_interval_ms};
constexpr std::size_t held_max = 1'000;
constexpr std::size_t held_bytes_max = 64'000'000;

std::vector<std::string> groups_named_by(const PeerMessage& incoming) {
  std::vector<std::string> names;
  const auto* request = std::get_if<Request>(&incoming.message);
  const auto* update = request == nullptr ? nullptr : std::get_if<UpdatePartitions>(&request->body);
  if (update == nullptr) return names;
  for (const NamedValue& one : update->values)
    for (std::string& name : groups_named(one)) names.push_back(std::move(name));
  return names;
}

// Returns whether the reply depends on the groups of which the caller is a member.
bool needs_groups(const PeerMessage& incoming) {
  const auto* request = std::get_if<Request>(&incoming.message);
  return request != nullptr && (std::holds_alternative<SubmitJob>(request->body) ||
                                std::holds_alternative<SubmitJobs>(request->body) ||
                                std::holds_alternative<UpdateJobs>(request->body) ||
                                std::holds_alternative<UpdateCrontab>(request->body));
}

}  // namespace

struct GroupFinder::Shared {
  struct Lookup {
    std::int64_t ticket = 0;
    std::vector<std::string> names;
  };
  std::mutex mutex;
  std::condition_variable wakes_thread;
  std::deque<Lookup> asked;
  std::map<std::int64_t, HostGroups> found;  // by ticket
  bool is_over = false;
  int end = -1;  // an eventfd, written when a lookup has ended

  ~Shared() { ::close(end); }

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      wakes_thread.wait(lock, [&] { return is_over || !asked.empty(); });
      if (is_over) return;
      const Lookup next = std::move(asked.front());
      asked.pop_front();
      lock.unlock();
      HostGroups groups;
      for (const std::string& name : next.names) groups[name] = find_host_group(name);
      lock.lock();
      found[next.ticket] = std::move(groups);
      ::eventfd_write(end, 1);
    }
  }
};

// Detaches the thread, so that a lookup that hangs cannot keep the controller from ending.
GroupFinder::GroupFinder(const ControllerConfig& config, Poller& poller)
    : owner_uid_(config.owner_uid), shared_(std::make_shared<Shared>()) {
  shared_->end = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  CHECK(shared_->end >= 0);
  wakes_ = poller.add_readable(shared_->end);
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  // The new thread inherits this mask, so no signal is delivered to it.
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([shared = shared_] { shared->run(); }).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

GroupFinder::~GroupFinder() {
  const std::lock_guard lock(shared_->mutex);
  shared_->is_over = true;
  shared_->wakes_thread.notify_one();
}

std::int64_t GroupFinder::ask(std::vector<std::string> names) {
  const std::int64_t ticket = next_ticket_++;
  ++in_progress_;
  const std::lock_guard lock(shared_->mutex);
  shared_->asked.push_back({ticket, std::move(names)});
  shared_->wakes_thread.notify_one();
  return ticket;
}

// A group that was found counts as unknown until the controller has taken the result. A directory
// service that hangs delays requests only for a time after the start.
bool GroupFinder::is_first_lookup_open(Boot now) const {
  if (!first_until_) return true;
  return now < *first_until_ &&
         std::ranges::any_of(unknown_, [&](const auto& name) { return !missing_.contains(name); });
}

bool GroupFinder::takes(PeerMessage& incoming, Boot now) {
  if (needs_groups(incoming) && is_first_lookup_open(now) && held_.size() < held_max &&
      held_bytes_ + incoming.bytes <= held_bytes_max) {
    held_bytes_ += incoming.bytes;
    held_.push_back({std::move(incoming), now + lookup_max});
    return true;
  }
  if (incoming.caller.uid != owner_uid_ || in_progress_ >= limits::group_lookups_max) return false;
  std::vector<std::string> names = groups_named_by(incoming);
  if (names.empty()) return false;
  const std::int64_t ticket = ask(std::move(names));
  waiting_.emplace(ticket, Waiting{std::move(incoming), now + lookup_max});
  return true;
}

void GroupFinder::look_up(const std::vector<std::string>& names, bool are_all, Boot now) {
  unknown_ = {names.begin(), names.end()};
  if (are_all && !first_until_) first_until_ = now + lookup_max;
  if (look_up_) return;
  std::vector<std::string> due;
  std::map<std::string, Boot> looked_up;
  for (const std::string& name : names) {
    const auto last = looked_up_.find(name);
    const bool is_due = last == looked_up_.end() || now - last->second >= interval;
    looked_up[name] = is_due ? now : last->second;
    if (is_due) due.push_back(name);
  }
  looked_up_ = std::move(looked_up);
  if (!due.empty()) look_up_ = ask(std::move(due));
}

GroupFinder::Ready GroupFinder::turn(Boot now) {
  std::map<std::int64_t, HostGroups> ended;
  {
    const std::lock_guard lock(shared_->mutex);
    ended = std::exchange(shared_->found, {});
    eventfd_t count = 0;
    ::eventfd_read(shared_->end, &count);
  }
  Ready ready;
  in_progress_ -= ended.size();
  for (auto& [ticket, groups] : ended) {
    if (look_up_ == ticket) {
      look_up_.reset();
      for (const auto& [name, group] : groups)
        if (!group) missing_.insert(name);
      ready.found = GroupsFound{std::move(groups)};
    } else if (auto one = waiting_.extract(ticket)) {
      one.mapped().incoming.groups = std::move(groups);
      ready.incoming.push_back(std::move(one.mapped().incoming));
    }
  }
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const bool is_late = now >= it->second.until;
    if (is_late) ready.incoming.push_back(std::move(it->second.incoming));
    it = is_late ? waiting_.erase(it) : std::next(it);
  }
  const bool is_open = is_first_lookup_open(now);
  while (!held_.empty() && (!is_open || now >= held_.front().until)) {
    held_bytes_ -= held_.front().incoming.bytes;
    ready.incoming.push_back(std::move(held_.front().incoming));
    held_.pop_front();
  }
  return ready;
}

std::vector<PeerMessage> GroupFinder::drop_all() {
  std::vector<PeerMessage> dropped;
  for (auto& [ticket, one] : waiting_) dropped.push_back(std::move(one.incoming));
  for (Waiting& one : held_) dropped.push_back(std::move(one.incoming));
  waiting_.clear();
  held_.clear();
  held_bytes_ = 0;
  first_until_.reset();
  unknown_.clear();
  missing_.clear();
  return dropped;
}

}  // namespace cox
