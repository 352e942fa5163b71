// Tests how a worker answers clients that request log data. Real reader processes read the files as
// the job's user.
#include "worker/io/log_desk.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io/clock.h"
#include "common/job/supervisor_folder.h"
#include "common/messages/codec.h"
#include "tests/patience.h"
#include "tests/worker/launches.h"
#include "tests/worker/temporary_folder.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

constexpr uid_t log_owner = 64'123;
constexpr gid_t log_group = 64'124;

class LogDeskTest : public testing::Test {
 protected:
  LogDeskTest()
      : processes(folder / "spool", ""),
        desk(config(), {"ipc://" + (folder / "controller")}, processes) {
    fs::permissions(folder.path(), fs::perms(0755));
    launch = gang_launch(1, 2);
    launch.spec.uid = ::geteuid() == 0 ? log_owner : ::geteuid();
    launch.spec.gid = ::geteuid() == 0 ? log_group : ::getegid();
    launch.spec.work_dir = folder.path();
  }

  WorkerConfig config() const {
    WorkerConfig made;
    made.node_name = "n1";
    made.supervisor_program =
        (fs::read_symlink("/proc/self/exe").parent_path() / "cox-supervisor").string();
    return made;
  }
  // Writes the launch file of the attempt, so that the worker finds it as launched on this node.
  void launched() {
    write_text(processes.folder_of(launch.key) + "/" + supervisor_folder::launch_file,
               encode_launch(launch));
  }
  // Makes a file that the job's user may not read. Returns false if that is impossible since the
  // test does not run as root.
  bool hide(const std::string& name) {
    write_text(folder / name, "the secret\n");
    return ::geteuid() == 0 && ::chmod((folder / name).c_str(), 0600) == 0;
  }

  // Sends a client's request for a rank's log from `offset` (in bytes) on. answer() returns the
  // reply.
  void ask(std::int32_t rank, const std::string& path = "", std::int64_t offset = 0) {
    ReadLog question;
    question.key = launch.key;
    question.rank = rank;
    question.path = path;
    question.offset = offset;
    question.bytes_max = 1'000;
    desk.ask("peer", ++number, question, read_clock().boot);
  }
  // Waits for the reply. `ahead` is added to the time, so that a timeout can pass at once.
  Reply answer(Milliseconds ahead = Milliseconds{0}) {
    std::vector<LogDesk::Answer> answers;
    if (!wait_for([&] {
          answers = desk.work(read_clock().boot + ahead);
          return !answers.empty();
        })) {
      ADD_FAILURE() << "no reply";
      return {};
    }
    EXPECT_EQ(answers.front().peer, "peer");
    EXPECT_EQ(answers.front().reply.number, number);
    return answers.front().reply;
  }
  static std::string data_of(const Reply& reply) {
    const auto* chunk = std::get_if<LogChunk>(&reply.body);
    return chunk != nullptr ? chunk->data : "refused: " + fact_of(reply);
  }
  static std::string fact_of(const Reply& reply) {
    const auto* refused = std::get_if<Refused>(&reply.body);
    return refused != nullptr ? refused->why.fact : "";
  }
  bool is_refused(const Reply& reply, const std::string& why) {
    return fact_of(reply).find(why) != std::string::npos;
  }

  TemporaryFolder folder;
  Processes processes;
  LogDesk desk;
  LaunchSpec launch;
  std::int64_t number = 0;
};

TEST_F(LogDeskTest, ReadsTheRanksFileUpToItsEnd) {
  launched();
  write_text(folder / "slurm-17.1.out", "one\n");
  ask(1);
  EXPECT_EQ(data_of(answer()), "one\n");
  write_text(folder / "slurm-17.1.out", "one\ntwo\n");  // what `cox logs -f` reads next
  ask(1, "", 4);
  EXPECT_EQ(data_of(answer()), "two\n");
  ask(0);
  EXPECT_TRUE(std::get<LogChunk>(answer().body).missing);
}

TEST_F(LogDeskTest, APathInTheRequestIsIgnored) {
  launched();
  if (!hide("secret")) GTEST_SKIP() << "only root can hide a file from the user";
  write_text(folder / "slurm-17.0.out", "its output\n");
  ask(0, folder / "secret");
  EXPECT_EQ(data_of(answer()), "its output\n");
}

TEST_F(LogDeskTest, AFileThatTheUserMayNotReadIsRefused) {
  if (!hide("secret")) GTEST_SKIP() << "only root can hide a file from the user";
  launch.spec.output = folder / "secret";
  launched();
  ask(0);
  const Reply reply = answer();
  EXPECT_TRUE(is_refused(reply, "Permission denied")) << data_of(reply);
}

TEST_F(LogDeskTest, ALinkToAFileThatTheUserMayNotReadIsRefused) {
  if (!hide("secret")) GTEST_SKIP() << "only root can hide a file from the user";
  launched();
  ASSERT_EQ(::symlink((folder / "secret").c_str(), (folder / "slurm-17.0.out").c_str()), 0);
  ask(0);
  const Reply reply = answer();
  EXPECT_TRUE(is_refused(reply, "Permission denied")) << data_of(reply);
}

TEST_F(LogDeskTest, AFifoInPlaceOfTheOutputIsRefusedAndDoesNotBlockTheWorker) {
  launched();
  ASSERT_EQ(::mkfifo((folder / "slurm-17.0.out").c_str(), 0644), 0);
  ask(0);
  const Reply reply = answer();
  EXPECT_TRUE(is_refused(reply, "not a regular file")) << data_of(reply);
}

TEST_F(LogDeskTest, ARequestForARankOfAnotherNodeIsRefused) {
  launched();
  ask(2);
  const Reply reply = answer();
  EXPECT_TRUE(is_refused(reply, "has no output on node n1")) << data_of(reply);
}

TEST_F(LogDeskTest, AnUnknownAttemptIsRefusedTemporarilyAfterATimeout) {
  ask(0);
  EXPECT_TRUE(desk.work(read_clock().boot).empty()) << "the controller is asked first";
  const Reply reply = answer(Milliseconds{5'000});
  EXPECT_TRUE(is_refused(reply, "the controller has not replied within 5 s")) << data_of(reply);
  EXPECT_TRUE(std::get<Refused>(reply.body).retry);
}

}  // namespace
}  // namespace cox
