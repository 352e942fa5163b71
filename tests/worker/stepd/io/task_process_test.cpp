// Tests how the step daemon starts tasks. Until its exec, the child process shares the memory of
// the daemon, and must not change it.
#include "worker/stepd/io/task_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/patience.h"
#include "tests/worker/temporary_folder.h"
#include "worker/supervisor/io/child.h"

namespace cox {
namespace {

std::string all_of(const Descriptor& from) {
  std::string text;
  char buffer[4096];
  for (;;) {
    pollfd wanted{from.get(), POLLIN, 0};
    const auto limit_ms = static_cast<int>(patience().count());
    if (::poll(&wanted, 1, limit_ms) != 1) return text + "(no end)";
    const ssize_t count = ::read(from.get(), buffer, sizeof buffer);
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

struct Ended {
  int status = 0;
  std::string output;
  std::string report;
};

Ended run(TaskOrder order) {
  order.work_dir = order.work_dir.empty() ? "/" : order.work_dir;
  order.input = order.error = {false, "/dev/null", true};
  auto task = start_task(order);
  Ended ended;
  if (!task) return ended;
  ended.output = all_of(task->output);
  ended.report = all_of(task->report);
  EXPECT_EQ(::waitpid(task->pid, &ended.status, 0), task->pid);
  return ended;
}

TEST(TaskProcess, FindsItsProgramInTheTasksPathAndLeavesTheDaemonsUnchanged) {
  const TemporaryFolder folder;
  const std::string program = folder.path() + "/tell";
  std::ofstream(program) << "echo $0 $SLURM_TASK_PID $$ $1\n";  // a script without a #! line
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  char** const before = environ;
  sigset_t mask_before;
  sigset_t mask_after;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask_before);
  TaskOrder order;
  order.words = {"tell", "more"};
  order.environment = {"A=b", "PATH=/nowhere:" + folder.path()};
  const Ended ended = run(order);
  EXPECT_EQ(ended.status, 0);
  const std::string pid = ended.output.substr(
      program.size() + 1, ended.output.find(' ', program.size() + 1) - program.size() - 1);
  EXPECT_EQ(ended.output, program + " " + pid + " " + pid + " more\n");
  EXPECT_EQ(ended.report, "");
  EXPECT_EQ(environ, before);
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask_after);
  for (int signal = 1; signal < NSIG; ++signal)
    EXPECT_EQ(::sigismember(&mask_before, signal), ::sigismember(&mask_after, signal)) << signal;
}

TEST(TaskProcess, TaskPrologsChangeTheEnvironmentOfTheTaskAndPrintToItsOutput) {
  const TemporaryFolder folder;
  const auto script = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.path() + "/" + name) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(folder.path() + "/" + name, std::filesystem::perms::owner_all);
    return folder.path() + "/" + name;
  };
  SitePrograms site;
  site.task_prolog = script("first", "echo export A=site; echo print $SLURM_TASK_PID\n");
  script("second", "echo export B=$A-and-user; echo unset C; echo nothing else\n");
  TaskOrder order;
  order.words = {"sh", "-c", "echo $A $B ${C-unset} $$"};
  order.environment = {"PATH=/usr/bin:/bin", "C=1"};
  order.work_dir = folder.path();
  // The user's prolog, relative to the task's working directory.
  order.prologs = task_prologs(site, "second");
  const Ended ended = run(order);
  EXPECT_EQ(ended.status, 0);
  const std::string pid = ended.output.substr(0, ended.output.find('\n'));
  EXPECT_EQ(ended.output, pid + "\nsite site-and-user unset " + pid + "\n");
  EXPECT_EQ(ended.report, "");
}

TEST(TaskProcess, DoesNotRunItsProgramIfATaskPrologFails) {
  TaskOrder order;
  order.words = {"sh", "-c", "echo ran"};
  order.environment = {"PATH=/usr/bin:/bin"};
  for (const auto& [path, code] : {std::pair{"/bin/false", 1}, {"/nowhere/prolog", 1}}) {
    order.prologs = task_prologs({}, path);
    const Ended ended = run(order);
    EXPECT_EQ(ended.output, "") << path;
    EXPECT_TRUE(WIFEXITED(ended.status));
    EXPECT_EQ(WEXITSTATUS(ended.status), code) << path;
    EXPECT_EQ(ended.report, "") << "the daemon counts it as started";
  }
}

TEST(TaskProcess, TheTaskEpilogOfTheUserComesBeforeThatOfTheSite) {
  SitePrograms site;
  site.task_prolog = "/site/prolog";
  site.task_epilog = "/site/epilog";
  const auto paths = [](const std::vector<TaskProgram>& programs) {
    std::string all;
    for (const TaskProgram& one : programs) all += one.path + " ";
    return all;
  };
  EXPECT_EQ(paths(task_prologs(site, "mine")), "/site/prolog ./mine ");
  EXPECT_EQ(paths(task_epilogs(site, "bin/mine")), "bin/mine /site/epilog ");
  EXPECT_EQ(task_epilogs(site, "/mine").front().limit, Milliseconds{5'000}) << "Slurm's limit";
  EXPECT_EQ(task_epilogs(site, "/mine").back().limit, Milliseconds{300'000});
  EXPECT_TRUE(task_prologs({}, "").empty());
}

TEST(TaskProcess, ReportsWhyItCannotRun) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/data") << "no program\n";
  TaskOrder order;
  order.environment = {"PATH=" + folder.path() + ":/bin"};
  for (const auto& [word, code, why] : {std::tuple{"nowhere", 127, "No such file or directory"},
                                        {"data", 126, "Permission denied"}}) {
    order.words = {word};
    const Ended ended = run(order);
    EXPECT_EQ(WEXITSTATUS(ended.status), code);
    EXPECT_EQ(parse_start_failure(ended.report).note,
              std::string("cannot run ") + word + ": " + why);
  }
}

TEST(TaskProcess, NamesTheInterpreterThatIsMissing) {
  const TemporaryFolder folder;
  TaskOrder order;
  order.environment = {"PATH=" + folder.path()};
  order.words = {"script"};
  for (const auto& [text, why] : {std::pair{"#!/nosuch/python -u\n", "/nosuch/python"},
                                  {"#! /nosuch/env python\n", "/nosuch/env"},
                                  {"#!/nosuch/sh", "/nosuch/sh"}}) {
    std::ofstream(folder.path() + "/script") << text;
    std::filesystem::permissions(folder.path() + "/script", std::filesystem::perms::owner_all);
    const Ended ended = run(order);
    EXPECT_EQ(WEXITSTATUS(ended.status), 127);
    EXPECT_EQ(parse_start_failure(ended.report).note,
              std::string("cannot run script: its interpreter ") + why + " does not exist");
  }
}

TEST(TaskProcess, HasTheSoftLimitsOfItsUserUpToTheHardLimits) {
  TaskOrder order;
  order.environment = {"PATH=/bin:/usr/bin"};
  order.words = {"sh", "-c", "ulimit -n; ulimit -c; ulimit -Hn"};
  order.error_joins = true;
  order.soft_limits = {{"NOFILE", 150, false}, {"CORE", 0, true}};
  const std::string usual = run(order).output;
  EXPECT_TRUE(usual.starts_with("150\n0\n")) << usual;
  const std::string hard = usual.substr(6);
  EXPECT_GE(hard.size(), 4U) << "a hard limit is never changed: " << hard;
  // A soft limit above the node's hard limit is lowered to it. If the user named that limit
  // explicitly, the task's output reports it instead.
  order.soft_limits = {{"NOFILE", unlimited, false}, {"CORE", 0, false}};
  EXPECT_EQ(run(order).output, hard + "0\n" + hard);
  order.words = {"echo", "ran"};
  order.soft_limits = {{"NOFILE", unlimited, true}};
  EXPECT_EQ(run(order).output,
            "slurmstepd: error: Can't propagate RLIMIT_NOFILE of 'unlimited' from submit host: "
            "Operation not permitted\nran\n");
}

TEST(TaskProcess, WritesToATerminalThatPassesBytesUnchanged) {
  TaskOrder order;
  order.environment = {"PATH=/bin:/usr/bin"};
  order.words = {"sh", "-c", "[ -t 1 ] && printf 'a\\nb\\003\\r'"};
  EXPECT_EQ(run(order).output, "");
  order.output_is_terminal = true;
  EXPECT_EQ(run(order).output, "a\nb\003\r");
}

}  // namespace
}  // namespace cox
