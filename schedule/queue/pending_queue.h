// The queued jobs that are not held, in order: by higher partition tier, higher tier, higher
// priority, earlier eligible time, lower id. A job that has waited long enough (max_age_of() in
// order.h) gets the highest priority plus its fair share.
//
// Jobs are kept by class. Jobs of one class do not differ in anything that decides whether and
// where they start. So if a pass cannot start one of them, it skips the others. Classes are kept by
// kind. Jobs of one kind need the same room; they differ at most in their account and limits. So if
// a pass has no more room for one of them, it skips the whole kind.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/base/id_map.h"
#include "schedule/model/limit.h"
#include "schedule/model/request.h"
#include "schedule/model/scheduler_input.h"
#include "schedule/queue/longest_waits.h"
#include "schedule/queue/queue_keys.h"

namespace cox::schedule {

struct JobKind {
  const Request* request = nullptr;
  std::int32_t tier = 0;
  bool may_preempt = true;
  std::optional<Milliseconds> time_limit;
  std::optional<Milliseconds> time_min;
  std::optional<Milliseconds> fill_min;
  std::int32_t partition_tier = 0;
  auto operator<=>(const JobKind&) const = default;
  Standing standing() const { return {partition_tier, tier}; }
};

struct JobClass : JobKind {
  const Limits* limits = nullptr;
  std::int64_t account = 0;  // number of the account, whose first job gets a reservation; 0: none
  auto operator<=>(const JobClass&) const = default;
};

class PendingQueue {
 public:
  struct Queue;
  // A class, placed by its first job.
  struct Head {
    QueueKey first;
    const JobClass* job_class = nullptr;
    const Queue* queue = nullptr;
    friend bool operator<(const Head& a, const Head& b) { return a.first < b.first; }
    friend bool operator<(const Head& a, const QueueKey& b) { return a.first < b; }
    friend bool operator<(const QueueKey& a, const Head& b) { return a < b.first; }
  };
  using Heads = std::set<Head, std::less<>>;
  struct Kind {
    Heads heads;              // of all classes of the kind
    std::int64_t number = 0;  // as Queue::number
  };
  struct Queue {
    Shared<Request> request;
    Shared<Limits> limits;
    QueueKeys jobs;
    // number of this queue, never used twice, even if the class comes back
    std::int64_t number = 0;
    Kind* kind = nullptr;
    Heads::iterator head;  // in `kind`
  };
  struct At {
    const JobClass* job_class = nullptr;
    const Queue* queue = nullptr;
    const QueueKey* key = nullptr;
  };

  // REQUIRES: equal requests are one object (RequestPool), and the job is not in the queue.
  void add(const PendingJob& job);
  // REQUIRES: the job is in the queue. This holds for the next three functions, too.
  void remove(JobId id);
  // Sets the number of equal array tasks that the job stands for; it keeps its queue position.
  void set_copies(JobId id, std::int64_t copies);
  // Replaces the request of the job, which keeps its priority.
  void set_request(JobId id, const Shared<Request>& request);
  At at(JobId id) const;

  bool contains(JobId id) const { return places_.contains(id); }

  // Replaces the priority of each job by the result of this function.
  void prioritise(const std::function<double(const JobClass&, JobId)>& priority);

  // Gives jobs that have been eligible since the time that `since` returns for their standing, or
  // longer, this priority plus their fair share. Other jobs that had it get their own priority
  // again: the time is an earlier one if the clock was set back or a long wait was seen.
  void prefer_older_than(const std::function<Wall(Standing)>& since, double priority);

  const std::map<JobClass, Queue>& classes() const { return classes_; }
  const std::map<JobKind, Kind>& kinds() const { return kinds_; }
  // Returns for each account with queued jobs the number of its classes.
  const std::map<std::int64_t, std::int64_t>& accounts() const { return accounts_; }
  std::size_t size() const { return places_.size(); }

 private:
  using Classes = std::map<JobClass, Queue>;
  // Where a job is: its class, and the first two members of its key.
  struct Place {
    Classes::iterator job_class;
    double priority = 0;
    Wall eligible;
  };

  void insert(const JobClass& job_class, const Shared<Request>& request,
              const Shared<Limits>& limits, QueueKey key);
  const QueueKey& key_of(JobId id) const;
  QueueKey take_out(JobId id);
  Classes::iterator class_at(const JobClass& job_class);
  void drop_if_empty(Classes::iterator job_class);
  // Enters the first job of the class into its kind, or removes what was entered.
  static void enter_head(Classes::iterator job_class);
  static void drop_head(Queue& queue);
  // Changes the keys of these jobs of one class.
  template <class Change>
  void change_keys(Classes::iterator job_class, const std::vector<JobId>& ids, Change change);

  Classes classes_;
  std::map<JobKind, Kind> kinds_;
  std::map<std::int64_t, std::int64_t> accounts_;
  IdMap<Place> places_;
  // Which jobs of one standing have waited long enough: those that have been eligible since
  // `since`.
  struct Aging {
    std::optional<Wall> since;
    // earliest eligible time of the other jobs, or a bound below it
    std::optional<Wall> oldest;
    bool includes(const QueueKey& key) const { return since && key.eligible <= *since; }
    void note(const QueueKey& key) {
      if (!includes(key) && (!oldest || key.eligible < *oldest)) oldest = key.eligible;
    }
  };
  std::map<Standing, Aging> aging_;
  double aged_priority_ = 0;
  std::int64_t last_number_ = 0;
};

// Returns the job as it is queued, without its run time in earlier attempts.
PendingJob job_of(const PendingQueue::At& at);

// A position in the queue, taken from a job that may have left the queue since.
struct QueuePlace {
  Standing standing;
  QueueKey key;
};

// Walks the queue in order. The queue must not change meanwhile.
class QueueCursor {
 public:
  // Where a cursor begins if a place is given: at the first job behind the place, or at the job in
  // the place itself. Without a place it begins with the first job.
  enum class From : std::uint8_t { Behind, Place };
  // `left_out`: the numbers of kinds that are skipped.
  explicit QueueCursor(const PendingQueue& pending,
                       const std::optional<QueuePlace>& place = std::nullopt,
                       From from = From::Behind,
                       const std::unordered_set<std::int64_t>& left_out = {});
  QueueCursor(const QueueCursor&) = delete;  // it has pointers to its own members
  QueueCursor& operator=(const QueueCursor&) = delete;

  // Returns the next job; at the end of the queue a value without a class.
  PendingQueue::At front() const;
  void next();
  // Skips the front job and all others of its class, or of its kind.
  void skip_class();
  void skip_kind();

 private:
  // A class and the next of its jobs.
  struct Next {
    const JobClass* job_class = nullptr;
    const PendingQueue::Queue* queue = nullptr;
    QueueKeys::const_iterator job;
  };
  // The jobs of one kind.
  struct Walk {
    Standing standing;
    // the first class of which no job was passed yet, and the end of these classes
    PendingQueue::Heads::const_iterator untouched;
    PendingQueue::Heads::const_iterator end;
    std::vector<Next> touched;  // a heap of the other classes, the first job on top

    bool is_over() const { return untouched == end && touched.empty(); }
    bool is_touched_first() const;
    const QueueKey& key() const {
      return is_touched_first() ? *touched.front().job : untouched->first;
    }
    Next front() const;
    Next take_front();
    void touch(const Next& next);
  };
  static bool later(const Walk* a, const Walk* b);
  void begin_at(Walk& walk, const PendingQueue::Kind& kind, const QueueKey& key, From from);
  // Returns the kind of the front job. sift() must be called after it has changed.
  Walk& first();
  void sift();

  std::vector<Walk> walks_;
  std::vector<Walk*> order_;  // a heap, the kind of the first job on top
};

}  // namespace cox::schedule
