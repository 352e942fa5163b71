// Tests which jobs the store in memory returns to sacct: by id, array task, user, node, state and
// time.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class MemoryRecords : public testing::Test, public Bench {
 protected:
  MemoryRecords() { node("n1", 8); }
  // Returns the ids of the selected jobs, such as "1 2".
  std::string ids(const std::function<void(ListAccounting&)>& set) {
    ListAccounting asked;
    set(asked);
    const Reply reply = ask(asked);
    const auto* page = std::get_if<AccountingPage>(&reply.body);
    EXPECT_NE(page, nullptr) << refusal_of(reply);
    std::string text;
    if (page == nullptr) return text;
    for (const JobRecord& record : page->records)
      text += (text.empty() ? "" : " ") + std::to_string(record.job.id.value);
    return text;
  }
  std::string in_state(JobState state, Wall since, Wall until) {
    return ids([&](ListAccounting& asked) {
      asked.states = {state};
      asked.since = since;
      asked.until = until;
    });
  }
  Wall at(std::int64_t seconds) const { return began + std::chrono::seconds{seconds}; }
  JobId submit_array(const std::string& tasks) {
    const auto with = [&](JobSpec& spec) {
      spec.form = JobForm::Batch;
      spec.array = tasks;
      spec.hold = true;
    };
    return submit({.with = with});
  }

  const Wall began = now.wall;
};

TEST_F(MemoryRecords, AJobIsSelectedByItsIdAndATaskByItsArray) {
  const JobId plain = submit({});
  const JobId array = submit_array("1-9");
  const JobId other = submit_array("1-9");
  ask(ActOnJobs{JobVerb::Release, {array}});  // the released tasks start, each with its own row
  const auto selected = [&](const std::vector<JobId>& jobs, const std::vector<std::string>& tasks) {
    return ids([&](ListAccounting& asked) { asked.ids = jobs, asked.tasks = tasks; });
  };
  EXPECT_EQ(selected({plain}, {}), "1");
  const std::string of_array = selected({array}, {""});
  EXPECT_TRUE(of_array.starts_with("2 4 ")) << of_array;
  EXPECT_EQ(selected({array, plain}, {}), "1 " + of_array);
  EXPECT_EQ(selected({other}, {}), "3");
  EXPECT_EQ(selected({other}, {"5"}), "3") << "the row of the array stands for its task";
  EXPECT_EQ(selected({other}, {"10"}), "");
  const std::string second = selected({array}, {"2"});
  EXPECT_EQ(second.find(' '), std::string::npos) << second;
  EXPECT_NE(second, "");
  EXPECT_EQ(selected({plain, array}, {"", "2"}), "1 " + second);
  EXPECT_EQ(selected({plain}, {"2"}), "") << "it is no array";
}

TEST_F(MemoryRecords, AJobIsSelectedByNameQosUserAccountAndPartition) {
  submit({.with = [](JobSpec& spec) { spec.name = "a"; }});
  submit({.qos = "besteffort", .with = [](JobSpec& spec) { spec.name = "b"; }});
  using Field = std::vector<std::string> ListAccounting::*;
  const auto selected = [&](Field field, const std::vector<std::string>& wanted) {
    return ids([&](ListAccounting& asked) { asked.*field = wanted; });
  };
  EXPECT_EQ(selected(&ListAccounting::names, {"b", "c"}), "2");
  EXPECT_EQ(selected(&ListAccounting::names, {"a", "b"}), "1 2");
  EXPECT_EQ(selected(&ListAccounting::qos, {"standard"}), "1");
  EXPECT_EQ(selected(&ListAccounting::users, {"eve"}), "");
  EXPECT_EQ(selected(&ListAccounting::users, {"eve", "ada"}), "1 2");
  EXPECT_EQ(selected(&ListAccounting::accounts, {"physics"}), "");
  EXPECT_EQ(selected(&ListAccounting::partitions, {"main"}), "1 2");
  EXPECT_EQ(selected(&ListAccounting::partitions, {"gpu"}), "");
}

TEST_F(MemoryRecords, AJobIsSelectedByTheNodesThatItRanOn) {
  node("n2", 8);
  const JobId first = submit({.with = [](JobSpec& spec) { spec.nodelist = {"n1"}; }});
  const JobId second = submit({.with = [](JobSpec& spec) { spec.nodelist = {"n2"}; }});
  submit({.with = [](JobSpec& spec) { spec.hold = true; }});
  EXPECT_EQ(nodes(first) + nodes(second), "n1n2");
  const auto on = [&](const std::vector<std::string>& wanted) {
    return ids([&](ListAccounting& asked) { asked.nodes = wanted; });
  };
  EXPECT_EQ(on({"n1"}), "1");
  EXPECT_EQ(on({"n2"}), "2");
  EXPECT_EQ(on({"n1", "n2"}), "1 2");
  EXPECT_EQ(on({}), "1 2 3");
}

// The job is submitted at second 0, runs from second 20 and ends at second 50.
TEST_F(MemoryRecords, AJobIsSelectedByTheTimesOfItsStates) {
  const JobId id = submit({.with = [](JobSpec& spec) { spec.hold = true; }});
  const JobId waits = submit({.with = [](JobSpec& spec) { spec.hold = true; }});
  EXPECT_EQ(waits, JobId{2});
  now.wall = at(20);
  ask(ActOnJobs{JobVerb::Release, {id}});
  ready(id);
  const Wall started = job(id).job.started;
  EXPECT_EQ(started, at(20));
  now.wall = at(50);
  finish(id, 0);
  EXPECT_EQ(job(id).job.ended, at(50));
  const auto within = [&](Wall since, Wall until) {
    return ids([&](ListAccounting& asked) { asked.since = since, asked.until = until; });
  };
  const Milliseconds ms{1};
  EXPECT_EQ(within(Wall{}, Wall{}), "1 2");
  EXPECT_EQ(within(at(50), Wall{}), "1 2");
  EXPECT_EQ(within(at(50) + ms, Wall{}), "2") << "it had ended";
  EXPECT_EQ(within(Wall{}, began), "1 2");
  EXPECT_EQ(within(Wall{}, began - ms), "") << "they were not submitted yet";
  EXPECT_EQ(in_state(JobState::Pending, Wall{}, Wall{}), "1 2");
  EXPECT_EQ(in_state(JobState::Pending, at(20), Wall{}), "1 2");
  EXPECT_EQ(in_state(JobState::Pending, at(20) + ms, Wall{}), "2") << "it had started";
  EXPECT_EQ(in_state(JobState::Running, Wall{}, Wall{}), "1");
  EXPECT_EQ(in_state(JobState::Running, Wall{}, at(20)), "1");
  EXPECT_EQ(in_state(JobState::Running, Wall{}, at(20) - ms), "") << "not yet";
  EXPECT_EQ(in_state(JobState::Completed, Wall{}, Wall{}), "1");
  EXPECT_EQ(in_state(JobState::Completed, at(10), at(50)), "1");
  EXPECT_EQ(in_state(JobState::Completed, at(10), at(50) - ms), "") << "it ran";
  EXPECT_EQ(in_state(JobState::Failed, Wall{}, Wall{}), "");
  EXPECT_EQ(in_state(JobState::Pending, Wall{}, at(10)), "1 2");
}

TEST_F(MemoryRecords, AJobCancelledWhilePendingCountsAsPendingUntilItsCancellation) {
  const JobId id = submit({.with = [](JobSpec& spec) { spec.hold = true; }});
  now.wall = at(30);
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  EXPECT_EQ(in_state(JobState::Pending, at(30), Wall{}), "1");
  EXPECT_EQ(in_state(JobState::Running, Wall{}, Wall{}), "") << "it never ran";
  EXPECT_EQ(in_state(JobState::Cancelled, at(30), at(40)), "1");
  EXPECT_EQ(in_state(JobState::Cancelled, Wall{}, at(29)), "") << "not yet";
}

}  // namespace
}  // namespace cox
