// Helpers of the tests of both stores (PostgreSQL and memory): a database of either kind, waiting
// for events, and rows in which every field is set.
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

// A database on PostgreSQL or in memory. Each open() returns a new store on it, as one more
// controller opens it.
class Database {
 public:
  virtual ~Database() = default;
  virtual std::unique_ptr<Store> open(const LastKnownState& known = {}) = 0;
};
std::unique_ptr<Database> memory_database();
std::unique_ptr<Database> postgres_database();
// Lets PostgreSQL reject each change of a job's state that is not in the table of
// common/job/job_state.h. The trigger checks the history, since the row of a job only has the last
// state of a turn.
void install_transition_trigger(const std::string& conninfo);

// Gives each test a database of its own on the shared PostgreSQL server, with the schema if the
// test does not pass another one.
struct OnPostgres : testing::Test {
  explicit OnPostgres(std::string database = PrivatePostgres::shared().migrated_database())
      : conninfo(std::move(database)) {}

  PrivatePostgres& server = PrivatePostgres::shared();
  std::string conninfo;
  PgServers servers{conninfo};

  std::unique_ptr<Store> open() {
    auto store = PostgresStore::open(servers);
    EXPECT_TRUE(store.ok()) << (store.ok() ? "" : store.refusal().fact);
    return std::move(store).value();
  }
  std::string sql(const std::string& text) { return run_sql(conninfo, text); }
  // Runs SQL that changes rows which normally only the controller may write.
  std::string by_hand(const std::string& text) { return sql("SET cox.writer = 'test'; " + text); }
};

// Polls the store until it returns events, up to a deadline. Returns these events.
std::vector<StoreEvent> wait_for_events(Store& store);

// Whether the event says that the database is silent or back. On a slow machine it may be so silent
// in the midst of any test, and the store then does its work when it is back.
inline bool is_of_an_outage(const StoreEvent& event) {
  return std::holds_alternative<StoreAway>(event) || std::holds_alternative<StoreBack>(event);
}

// Waits until the store returns an event of type T, and returns it. Other events are added to
// `others`; if that is null, they fail the test unless they are of an outage.
template <class T>
T next(Store& store, std::vector<StoreEvent>* others = nullptr) {
  for (;;) {
    const auto events = wait_for_events(store);
    if (events.empty()) {
      ADD_FAILURE() << "no event of the store in time";
      return T{};
    }
    const T* found = nullptr;
    for (const auto& event : events) {
      if (const T* wanted = std::get_if<T>(&event); wanted != nullptr && found == nullptr) {
        found = wanted;
      } else if (others != nullptr) {
        others->push_back(event);
      } else if (!is_of_an_outage(event)) {
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

// Commits turns with the right numbers to a store, as one controller does.
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

inline constexpr std::int64_t noon = 1'793'000'000'123;  // in ms since 1970, not a whole second
inline Wall at(std::int64_t seconds) {
  return wall_from_ms(noon + seconds * 1000);
}

Job a_job(std::int64_t id);  // in state PENDING; each field has a distinct value
Attempt an_attempt(std::int64_t job, std::int32_t number);  // on two nodes, with two ranks
Checkpoint a_checkpoint(std::int64_t job, std::int32_t attempt, std::int64_t step);
Node a_node(const std::string& name);
JobEvent an_event(std::int64_t job, const std::string& what);

// Returns the event of the job's history that records its present state.
EventAdded noted(const Job& job);
// Sets the state in `job`. Returns the change that brings the stored job into that state.
JobChanged change(Job& job, JobState to);

}  // namespace cox::test
