// Tests how the controller runs the programs of event triggers as real processes: as which user,
// with which arguments, and for how long.
#include "controller/io/trigger_runner.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "common/base/limits.h"
#include "common/io/clock.h"
#include "tests/patience.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

class TriggerRunnerTest : public testing::Test {
 protected:
  TriggerRunnerTest() {
    std::string pattern = (fs::temp_directory_path() / "cox-trigger-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    ::chmod(folder_.c_str(), 0777);
    config_.cluster_name = "lake";
  }
  ~TriggerRunnerTest() override { fs::remove_all(folder_); }

  // Writes a shell script, and returns its path. The output of the script goes to the file that its
  // last argument names.
  std::string program(const std::string& script, mode_t mode = 0755) {
    const std::string path = folder_ / "program";
    std::ofstream(path) << "#!/bin/sh\nfor last; do :; done\n{ " << script
                        << "; } > \"$last.part\"\nmv \"$last.part\" \"$last\"\n";
    ::chmod(path.c_str(), mode);
    return path;
  }
  TriggerRun run(const std::string& path, const std::string& file, std::uint32_t uid,
                 std::uint32_t gid) {
    return {EventTriggerId{3}, "ada", uid, gid, {path, "two", folder_ / file}};
  }
  TriggerRun own_run(const std::string& path, const std::string& file) {
    return run(path, file, ::geteuid(), ::getegid());
  }
  static std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  // Waits for the output file of a program, up to a deadline, and returns its content; "" if there
  // is none.
  std::string written(TriggerRunner& runner, const std::string& file) {
    const Boot end = read_clock().boot + patience();
    while (!fs::exists(folder_ / file) && read_clock().boot < end) {
      runner.turn(read_clock().boot);
      std::this_thread::sleep_for(Milliseconds{20});
    }
    return text_of(folder_ / file);
  }

  fs::path folder_;
  ControllerConfig config_;
};

TEST_F(TriggerRunnerTest, RunsTheProgramWithItsArguments) {
  TriggerRunner runner(config_);
  runner.take({own_run(program("echo $# $1 $COX_CLUSTER_NAME $SLURM_CLUSTER_NAME"), "a")});
  EXPECT_EQ(written(runner, "a"), "2 two lake lake\n");
}

TEST_F(TriggerRunnerTest, RunsTheProgramAsTheUserOfTheTriggerWithTheGroupsOfThatUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run programs as another user";
  constexpr std::uint32_t nobody = 65534;  // Debian's user nobody and group nogroup
  TriggerRunner runner(config_);
  runner.take({run(program("id -u; id -g; id -G; echo $USER"), "a", nobody, nobody)});
  EXPECT_EQ(written(runner, "a"), "65534\n65534\n65534\nnobody\n");
}

TEST_F(TriggerRunnerTest, OpensTheProgramAsTheUserOfTheTrigger) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run programs as another user";
  TriggerRunner runner(config_);
  const std::string path = program("echo", 0700);
  runner.take({run(path, "a", 65534, 65534), own_run(path, "b")});
  EXPECT_EQ(written(runner, "b"), "\n");
  EXPECT_FALSE(fs::exists(folder_ / "a")) << "only root may execute it";
}

TEST_F(TriggerRunnerTest, RunsNothingAsAnotherUserIfItIsNotRoot) {
  if (::geteuid() == 0) GTEST_SKIP() << "root can run programs as another user";
  TriggerRunner runner(config_);
  const std::string path = program("echo");
  runner.take({run(path, "a", 0, 0), own_run(path, "b")});
  EXPECT_EQ(written(runner, "b"), "\n");
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

TEST_F(TriggerRunnerTest, ContinuesAfterAMissingProgram) {
  TriggerRunner runner(config_);
  runner.take({own_run(folder_ / "nosuch", "a"), own_run(program("echo"), "b")});
  EXPECT_EQ(written(runner, "b"), "\n");
}

TEST_F(TriggerRunnerTest, KillsAProgramThatRunsForTooLong) {
  TriggerRunner runner(config_);
  const std::string path = folder_ / "slow";
  std::ofstream(path) << "#!/bin/sh\necho $$ > " << (folder_ / "pid").string() << ".part\nmv "
                      << (folder_ / "pid").string() << ".part " << (folder_ / "pid").string()
                      << "\nexec sleep 1000\n";
  ::chmod(path.c_str(), 0755);
  runner.take({own_run(path, "a")});
  const int pid = std::stoi("0" + written(runner, "pid"));
  ASSERT_GT(pid, 0);
  EXPECT_EQ(::kill(pid, 0), 0) << "the program runs";
  const Boot late = read_clock().boot + Milliseconds{limits::trigger_run_ms_max};
  const Boot end = read_clock().boot + patience();
  while (::kill(pid, 0) == 0 && read_clock().boot < end) {
    runner.turn(late);
    std::this_thread::sleep_for(Milliseconds{20});
  }
  EXPECT_NE(::kill(pid, 0), 0) << "the program has ended and was reaped";
}

}  // namespace
}  // namespace cox
