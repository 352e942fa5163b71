// What the tests of both stores share: a database of either kind, waiting for an event, and rows
// that set every field.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "controller/change/store.h"
#include "controller/io/records/postgres_store.h"
#include "tests/store/private_postgres.h"
#include "tests/support/memory_store.h"

namespace cox::test {

// One database, of either kind; every open() is one more controller.
class Database {
 public:
  virtual ~Database() = default;
  virtual std::unique_ptr<Store> open(const LastKnownState& known = {}) = 0;
};
std::unique_ptr<Database> memory_database();
std::unique_ptr<Database> postgres_database();
// Makes the database check every change of state against common/job/job_state.h, as the history
// tells it: of a job's row it only sees what a whole turn comes to.
void install_transition_trigger(const std::string& conninfo);

// A database of each test's own, on the server that all share.
struct OnPostgres : testing::Test {
  PrivatePostgres& server = PrivatePostgres::shared();
  std::string conninfo = server.new_database();
  PgServers servers{conninfo};

  std::unique_ptr<Store> open() {
    auto store = PostgresStore::open(servers);
    EXPECT_TRUE(store.ok()) << (store.ok() ? "" : store.refusal().fact);
    return std::move(store).value();
  }
  std::string sql(const std::string& text) { return run_sql(conninfo, text); }
  // Changes rows that the controller alone writes.
  std::string by_hand(const std::string& text) { return sql("SET cox.writer = 'test'; " + text); }
};

// What a store says next; waits for it, with a deadline.
std::vector<StoreEvent> wait_for_events(Store& store);

// Waits until the store says a T. Whatever else it says meanwhile goes to `others`; without them it
// is a failure.
template <class T>
T next(Store& store, std::vector<StoreEvent>* others = nullptr) {
  for (;;) {
    const auto events = wait_for_events(store);
    if (events.empty()) {
      ADD_FAILURE() << "the store says nothing";
      return T{};
    }
    const T* found = nullptr;
    for (const auto& event : events) {
      if (const T* wanted = std::get_if<T>(&event); wanted != nullptr && found == nullptr) {
        found = wanted;
      } else if (others != nullptr) {
        others->push_back(event);
      } else {
        const auto* rejected = std::get_if<TurnRejected>(&event);
        ADD_FAILURE() << "unexpected event " << event.index() << " "
                      << (rejected != nullptr ? rejected->sqlstate + " " + rejected->message : "");
        return T{};
      }
    }
    if (found != nullptr) return *found;
  }
}

Snapshot load(Store& store, bool take_term = true, Wall ended_since = {});

// Turns of one controller, numbered by themselves.
class Controller {
 public:
  explicit Controller(std::unique_ptr<Store> store);
  explicit Controller(Database& database) : Controller(database.open()) {}

  Turn turn(std::vector<Change> changes, std::vector<std::string> blobs_wanted = {});
  Committed commit(std::vector<Change> changes, std::vector<std::string> blobs_wanted = {});
  TurnRejected commit_refused(std::vector<Change> changes);
  Store& store() { return *store_; }

  Snapshot loaded;
  TurnNumber last;

 private:
  std::unique_ptr<Store> store_;
};

inline constexpr std::int64_t noon = 1'793'000'000'123;  // a time with milliseconds
inline Wall at(std::int64_t seconds) {
  return wall_from_ms(noon + seconds * 1000);
}

Job a_job(std::int64_t id);  // PENDING, every field set to something of its own
Attempt an_attempt(std::int64_t job, std::int32_t number);  // two nodes, two ranks
Checkpoint a_checkpoint(std::int64_t job, std::int32_t attempt, std::int64_t step);
Node a_node(const std::string& name);
JobEvent an_event(std::int64_t job, const std::string& what);

// The change that takes `job` into a state, and makes it so.
EventAdded noted(const Job& job);  // its state, in its history
JobChanged change(Job& job, JobState to);

}  // namespace cox::test
