// Tests the faults that the simulator causes in the store in memory: delayed, lost and ambiguous
// commits, outages, a second controller.
#include "tests/store/store_bench.h"

namespace cox::test {
namespace {

struct MemoryFaults : testing::Test {
  std::shared_ptr<MemoryDatabase> database = std::make_shared<MemoryDatabase>();
  MemoryStore store{database};
  Term term;

  void SetUp() override { term = load(store).term; }
  void commit(std::int64_t number) {
    store.commit({term, TurnNumber{number}, at(0), {JobAdded{a_job(number), {}, {}}}, {}});
  }
  std::size_t jobs() const { return database->tables.jobs.size(); }
};

TEST_F(MemoryFaults, ADelayedCommitIsAppliedWhenItIsReported) {
  store.commit_delay_polls = 2;
  commit(1);
  EXPECT_TRUE(store.poll().empty());
  EXPECT_TRUE(store.poll().empty());
  EXPECT_EQ(jobs(), 0u);
  EXPECT_EQ(next<Committed>(store).number, TurnNumber{1});
  EXPECT_EQ(jobs(), 1u);
}

TEST_F(MemoryFaults, ALostCommitIsRepeated) {
  store.next_commit = MemoryStore::Fate::Lost;
  commit(1);
  next<StoreAway>(store);
  EXPECT_EQ(jobs(), 0u);
  std::vector<StoreEvent> others;
  next<Committed>(store, &others);
  EXPECT_EQ(jobs(), 1u);
  commit(2);
  next<Committed>(store);
}

TEST_F(MemoryFaults, AnAmbiguousCommitIsAppliedBeforeItIsReported) {
  store.next_commit = MemoryStore::Fate::Ambiguous;
  commit(1);
  next<StoreAway>(store);
  EXPECT_EQ(jobs(), 1u);
  std::vector<StoreEvent> others;
  EXPECT_EQ(next<Committed>(store, &others).number, TurnNumber{1});
  EXPECT_EQ(jobs(), 1u);
}

TEST_F(MemoryFaults, ARestartedControllerFindsOnlyCommittedTurns) {
  for (const auto& [fate, happened] :
       {std::pair{MemoryStore::Fate::Lost, 0u}, std::pair{MemoryStore::Fate::Ambiguous, 1u}}) {
    store.next_commit = fate;
    const auto before = jobs();
    commit(load(store, false).turn.value + 1);
    next<StoreAway>(store);
    store.away_polls = 0;
    const Snapshot again = load(store);  // a lost commit is dropped, an ambiguous one was committed
    EXPECT_EQ(again.jobs.size(), before + happened);
    term = again.term;
  }
}

TEST_F(MemoryFaults, AnOutageIsReportedOnceAndEnds) {
  store.away_polls = 3;
  commit(1);
  next<StoreAway>(store);
  EXPECT_TRUE(store.poll().empty());
  EXPECT_TRUE(store.poll().empty());
  std::vector<StoreEvent> others;
  next<Committed>(store, &others);
  ASSERT_EQ(others.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<StoreBack>(others[0]));
}

TEST_F(MemoryFaults, AnotherControllerSupersedesADelayedTurn) {
  store.commit_delay_polls = 1;
  commit(1);
  EXPECT_TRUE(store.poll().empty());
  MemoryStore rival{database};
  load(rival);
  next<Superseded>(store);
  EXPECT_EQ(jobs(), 0u);
}

}  // namespace
}  // namespace cox::test
