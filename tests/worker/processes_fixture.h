// Fixture that runs real supervisors and real ranks through a Processes object of the test, as a
// worker does. All waits have a deadline.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>

#include "common/io/clock.h"
#include "common/io/descriptor_limit.h"
#include "common/job/checkpoint_marker.h"
#include "common/job/supervisor_folder.h"
#include "tests/patience.h"
#include "tests/worker/launches.h"
#include "tests/worker/temporary_folder.h"
#include "worker/io/processes.h"
#include "worker/supervisor/io/containment.h"
#include "worker/supervisor/io/files/folder_lock.h"
#include "worker/supervisor/io/files/seal.h"
#include "worker/supervisor/io/files/status_journal.h"
#include "worker/supervisor/io/port.h"
#include "worker/supervisor/io/process_identity.h"
#include "worker/supervisor/rank_environment.h"

namespace cox {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

inline bool runs_nothing(const std::string& attempt_folder) {
  const auto marked = living_marked(attempt_mark(attempt_folder));
  return marked && marked->empty();
}

class ProcessesTest : public testing::Test {
 protected:
  void SetUp() override {
    write_text(marker(), "test\n");
    start_worker();
  }
  void TearDown() override {
    if (!processes || !known) return;
    processes->stop(launch.key, StopOrder{StopWhy::Cancel, false, 0, 0, ""});
    wait_until([&] { return lost || status.phase == NodePhase::Gone; });
  }

  void start_worker() {
    start_worker(fs::read_symlink("/proc/self/exe").parent_path() / "cox-supervisor");
  }
  void start_worker(const fs::path& program) {
    processes = std::make_unique<Processes>(spool(), program.string(), site, server_prefix, worker);
    const Failure failure = processes->adopt();
    ASSERT_FALSE(failure) << failure->fact;
  }
  std::string marker() const { return folder / "checkpoints/" + checkpoint_marker_file; }
  std::string spool() const { return folder / "spool"; }
  std::string attempt_folder() const { return spool() + "/17.1"; }

  LaunchSpec shell_gang(std::int32_t ranks, const std::string& script) {
    LaunchSpec shell = gang_launch(1, ranks);
    shell.spec.command = {"sh", "-c", script};
    shell.spec.work_dir = folder.path();
    shell.spec.uid = ::geteuid();
    shell.spec.gid = ::getegid();
    shell.environment = std::string("PATH=/usr/bin:/bin") + '\0';
    shell.job_checkpoint_dir = folder / "checkpoints/17";
    return shell;
  }

  void take_events() {
    pollfd watched{processes->fd(), POLLIN, 0};
    ::poll(&watched, 1, 50);
    for (const LauncherEvent& event : processes->poll()) {
      if (const auto* said = std::get_if<SupervisorReported>(&event)) status = said->status;
      if (const auto* found = std::get_if<CheckpointVerified>(&event)) verified = *found;
      if (const auto* gone = std::get_if<SupervisorLost>(&event)) {
        lost = true;
        status = gone->last;
      }
    }
  }
  bool wait_until(const std::function<bool()>& condition) {
    const auto end = Clock::now() + patience();
    while (!condition()) {
      if (Clock::now() > end) return false;
      take_events();
    }
    return true;
  }
  void prepare(const LaunchSpec& asked) {
    launch = asked;
    known = true;
    const Failure failure = processes->prepare(launch);
    ASSERT_FALSE(failure) << failure->fact;
  }
  void run(const LaunchSpec& asked) {
    prepare(asked);
    ASSERT_TRUE(wait_until([&] { return status.phase == NodePhase::Ready; })) << status.refused;
    GoOrder go;
    go.master_address = "127.0.0.11";
    go.master_port = status.master_port;
    go.started = read_clock().wall;
    processes->go(launch.key, go);
  }
  bool wait_gone() {
    return wait_until([&] { return status.phase == NodePhase::Gone; });
  }
  // Waits until the file exists in the test's folder, usually because a rank has made it.
  bool wait_file(const std::string& name) {
    return wait_until([&] { return fs::exists(folder / name); });
  }
  bool nothing_runs() const { return runs_nothing(attempt_folder()); }
  bool supervisor_has_ended() const { return lock_folder(attempt_folder()).ok(); }
  pid_t supervisor_pid() const {
    const std::string text = read_text(attempt_folder() + "/identity");
    return std::atoi(text.substr(text.find('\n') + 1).c_str());
  }

  TemporaryFolder folder;
  SitePrograms site;  // programs with which start_worker() begins
  std::vector<std::string> server_prefix;
  std::string worker;  // node and controllers; empty: none
  std::unique_ptr<Processes> processes;
  LaunchSpec launch;
  AttemptStatus status;
  std::optional<CheckpointVerified> verified;  // the newest
  bool lost = false;
  bool known = false;
};

}  // namespace cox
