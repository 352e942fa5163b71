// Tests that the controller reports the events of a job to the site's own program in the order in
// which they happened.
#include "controller/io/notifier.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/patience.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

class NotifierTest : public testing::Test {
 protected:
  NotifierTest() {
    std::string pattern = (fs::temp_directory_path() / "cox-notifier-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    // The first run for each job waits until the file go.JOB exists.
    std::ofstream(folder_ / "program")
        << "#!/bin/sh\n"
        << "while [ $1 = began ] && [ ! -e " << (folder_ / "go").string() << ".$2 ]; do\n"
        << "  sleep 0.01\ndone\necho $1 $2 >> " << (folder_ / "calls").string() << "\n";
    ::chmod((folder_ / "program").c_str(), 0755);
    config_.notify_program = folder_ / "program";
    config_.mail_program = "/bin/true";
  }
  ~NotifierTest() override { fs::remove_all(folder_); }

  static Notice notice(Notice::What what, std::int64_t job) {
    Notice one;
    one.what = what;
    one.job.id = JobId{job};
    return one;
  }
  void let_go(std::int64_t job) { std::ofstream(folder_ / ("go." + std::to_string(job))) << "\n"; }
  std::vector<std::string> calls() const {
    std::ifstream file(folder_ / "calls");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  bool wait_for_lines(Notifier& notifier, std::size_t count) {
    const auto end = std::chrono::steady_clock::now() + patience();
    while (calls().size() < count && std::chrono::steady_clock::now() < end) {
      notifier.turn();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return calls().size() >= count;
  }

  fs::path folder_;
  ControllerConfig config_;
};

TEST_F(NotifierTest, EventsOfAJobAreReportedInOrderAndDoNotDelayThoseOfOtherJobs) {
  using What = Notice::What;
  Notifier notifier(config_);
  notifier.take({notice(What::Began, 1), notice(What::Requeued, 1), notice(What::Began, 2)});
  notifier.take({notice(What::Ended, 1), notice(What::Ended, 2)});
  let_go(2);
  ASSERT_TRUE(wait_for_lines(notifier, 2));
  EXPECT_EQ(calls(), (std::vector<std::string>{"began 2", "ended 2"}))
      << "job 1 is not finished yet";
  let_go(1);
  ASSERT_TRUE(wait_for_lines(notifier, 5));
  EXPECT_EQ(calls(),
            (std::vector<std::string>{"began 2", "ended 2", "began 1", "requeued 1", "ended 1"}));
}

}  // namespace
}  // namespace cox
