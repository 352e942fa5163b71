// Tests how the controller runs the site's submit_program as a real process: it answers, fails, is
// late, writes too much, or leaves child processes. Each run ends exactly once, in time.
#include "controller/io/submit_runner.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "common/base/limits.h"
#include "common/io/clock.h"
#include "tests/patience.h"

namespace cox {
namespace {

namespace fs = std::filesystem;
const Milliseconds deadline = patience();

class SubmitRunnerTest : public testing::Test {
 protected:
  SubmitRunnerTest() {
    std::string pattern = (fs::temp_directory_path() / "cox-submit-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    config_.submit_program = folder_ / "program";
    config_.submit_program_timeout = deadline;
  }
  ~SubmitRunnerTest() override { fs::remove_all(folder_); }

  void program(const std::string& script) {
    std::ofstream(folder_ / "program") << "#!/bin/sh\n" << script << "\n";
    ::chmod((folder_ / "program").c_str(), 0755);
  }
  SubmitRun run(std::int64_t ticket, Milliseconds time, std::uint32_t uid = 1000) {
    return {ticket, uid, "a submission\n", read_clock().boot + time};
  }
  std::vector<SubmitRunEnded> ends(SubmitRunner& runner, std::size_t count) {
    std::vector<SubmitRunEnded> all;
    const Boot end = read_clock().boot + deadline;
    while (all.size() < count && read_clock().boot < end) {
      for (SubmitRunEnded& one : runner.turn(read_clock().boot)) all.push_back(std::move(one));
      if (all.size() < count) poller_->wait(Milliseconds{50});
    }
    EXPECT_EQ(all.size(), count);
    all.resize(count);
    return all;
  }

  fs::path folder_;
  ControllerConfig config_;
  std::unique_ptr<Poller> poller_ = Poller::create();
};

TEST_F(SubmitRunnerTest, TheProgramReadsTheSubmissionAndItsOutputIsTheAnswer) {
  program("read line; echo \"got $line on $COX_CLUSTER_NAME\"; echo aside >&2");
  SubmitRunner runner(config_, *poller_);
  runner.take({run(7, deadline)});
  const auto end = ends(runner, 1)[0];
  EXPECT_EQ(end.ticket, 7);
  EXPECT_EQ(end.answer.error, "");
  EXPECT_EQ(end.answer.text, "got a submission on coxswain\n");
}

TEST_F(SubmitRunnerTest, AFailureIsReportedWithTheProgramsMessage) {
  program("echo no such licence >&2; exit 3");
  SubmitRunner runner(config_, *poller_);
  runner.take({run(1, deadline)});
  EXPECT_EQ(ends(runner, 1)[0].answer.error, "exit code 3: no such licence");
  program("kill -9 $$");
  runner.take({run(2, deadline)});
  EXPECT_EQ(ends(runner, 1)[0].answer.error, "it was ended by signal 9");
  fs::remove(folder_ / "program");
  runner.take({run(3, deadline)});
  EXPECT_NE(ends(runner, 1)[0].answer.error.find("cannot start"), std::string::npos);
}

TEST_F(SubmitRunnerTest, ALateProgramIsReportedAsNotEndedInTime) {
  program("sleep 1000 & exec sleep 1000");
  config_.submit_program_timeout = Milliseconds{1'000};
  SubmitRunner runner(config_, *poller_);
  runner.take({run(1, Milliseconds{100})});
  EXPECT_EQ(ends(runner, 1)[0].answer.error, "it did not end within 1 s");
}

TEST_F(SubmitRunnerTest, ProcessesThatAProgramLeavesDoNotDelayItsAnswer) {
  program("sleep 1000 & echo '{}'");
  SubmitRunner runner(config_, *poller_);
  runner.take({run(1, deadline)});
  EXPECT_EQ(ends(runner, 1)[0].answer.text, "{}\n");
}

TEST_F(SubmitRunnerTest, ATooLongAnswerOfTheProgramIsCutOneByteAboveTheLimit) {
  program("head -c 3000000 /dev/zero");
  SubmitRunner runner(config_, *poller_);
  runner.take({run(1, deadline)});
  EXPECT_EQ(ends(runner, 1)[0].answer.text.size(), limits::submit_answer_bytes_max + 1);
}

TEST_F(SubmitRunnerTest, AUserHasALimitOfProgramsAndWaitingProgramsTimeOut) {
  program("while [ ! -e " + (folder_ / "go").string() + " ]; do sleep 0.05; done; echo '{}'");
  SubmitRunner runner(config_, *poller_);
  std::vector<SubmitRun> many;
  for (std::int64_t i = 0; i < 8; ++i) many.push_back(run(i, deadline));
  many.push_back(run(100, Milliseconds{50}));
  many.push_back(run(200, deadline, 1001));
  runner.take(std::move(many));
  const auto first = ends(runner, 1)[0];
  EXPECT_EQ(first.ticket, 100) << "the ninth run of one user waits and is late";
  EXPECT_NE(first.answer.error.find("the program could not start"), std::string::npos);
  std::ofstream(folder_ / "go") << "\n";
  for (const SubmitRunEnded& each : ends(runner, 9)) EXPECT_EQ(each.answer.error, "");
}

TEST_F(SubmitRunnerTest, NoEarlierRunIsReportedAfterATakeover) {
  program("exec sleep 1000");
  SubmitRunner runner(config_, *poller_);
  runner.take({run(1, deadline)});
  runner.end_all();
  program("echo '{}'");
  runner.take({run(2, deadline)});
  EXPECT_EQ(ends(runner, 1)[0].ticket, 2);
}

}  // namespace
}  // namespace cox
