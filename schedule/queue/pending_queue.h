// Those who wait and are not held, in order: the higher rank first, then the higher tier, then the
// higher priority (who has waited for max_age has the most that there is, but for its account's
// share: order.h), then who is eligible for longer, then the lower id.
// Kept by kind: jobs of one kind differ in nothing that decides whether and where they fit, so
// a pass that cannot start one of them need not look at the next.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedule/model/limit.h"
#include "schedule/model/request.h"
#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

struct QueueKey {
  double priority = 0;
  Wall eligible;
  JobId id;
  std::int64_t copies = 1;  // these make no difference to the order
  double fair_share = 0;
  double own = 0;  // the priority that it has until it has waited for max_age
  friend bool operator<(const QueueKey& a, const QueueKey& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.eligible != b.eligible) return a.eligible < b.eligible;
    return a.id < b.id;
  }
};

struct Kind {
  const Request* request = nullptr;
  std::int32_t tier = 0;
  bool may_preempt = true;
  std::optional<Milliseconds> time_limit;
  std::optional<Milliseconds> time_min;
  std::optional<Milliseconds> fill_min;
  const Limits* limits = nullptr;
  std::int32_t rank = 0;
  std::int64_t account = 0;  // whose first one has a reservation
  auto operator<=>(const Kind&) const = default;
  std::pair<std::int32_t, std::int32_t> standing() const { return {rank, tier}; }
};

class PendingQueue {
 public:
  struct Queue {
    Shared<Request> request;
    Shared<Limits> limits;
    std::set<QueueKey> jobs;
    std::int64_t number = 0;  // of this queue alone, though its kind goes and comes again
  };

  // REQUIRES: equal requests are one in memory (RequestPool). In line at most once.
  void add(const PendingJob& job);
  // REQUIRES: the job as it was added. For how many it stood.
  std::int64_t remove(const PendingJob& job);
  // It stands for so many from now on, in the same place. For how many it stood.
  std::int64_t set_copies(const PendingJob& job, std::int64_t copies);

  // From now on each has the priority that this gives it, whichever it was added with.
  void prioritise(const std::function<double(const Kind&, JobId)>& priority);

  // Who is eligible since then or longer has this priority from now on, and what its account's
  // share gives it. A clock that is set back makes them young again.
  void prefer_older_than(Wall eligible, double priority);

  const std::map<Kind, Queue>& kinds() const { return kinds_; }
  std::size_t size() const { return size_; }
  // Looks through all of them. Null: it is not in line.
  const Kind* kind_with(JobId id) const;

 private:
  QueueKey key_of(const PendingJob& job) const;
  bool is_aged(const QueueKey& key) const { return aged_since_ && key.eligible <= *aged_since_; }

  std::map<Kind, Queue> kinds_;
  std::unordered_map<JobId, double>
      given_;                   // priorities of those that have another than they came with
  std::optional<Wall> oldest_;  // of those not aged yet, or older
  std::optional<Wall> aged_since_;
  double aged_priority_ = 0;
  std::size_t size_ = 0;
  std::int64_t last_number_ = 0;
};

// Where somebody stands, or stood.
struct QueuePlace {
  std::pair<std::int32_t, std::int32_t> standing;  // rank and tier
  QueueKey key;
};

// Walks a line in order. The line does not change meanwhile.
class QueueCursor {
 public:
  // From the first, or from the first behind that place, or from whoever stands in it.
  enum class From : std::uint8_t { Behind, Place };
  explicit QueueCursor(const PendingQueue& line,
                       const std::optional<QueuePlace>& place = std::nullopt,
                       From from = From::Behind);

  struct At {
    const Kind* kind = nullptr;
    const PendingQueue::Queue* queue = nullptr;
    const QueueKey* key = nullptr;
  };
  // Empty kind: the end.
  At front() const;
  void next();
  // Leaves out the others of the front's kind.
  void skip_kind();

 private:
  struct Head {
    std::pair<std::int32_t, std::int32_t> standing;
    const Kind* kind;
    const PendingQueue::Queue* queue;
    std::set<QueueKey>::const_iterator job;
  };
  static bool later(const Head& a, const Head& b);

  std::vector<Head> heads_;  // a heap, the first in line on top
};

}  // namespace cox::schedule
