// Tests what commands do while the controller refuses requests for now, as it does without
// PostgreSQL. The questions go over a real socket to a controller in another thread.
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "client/command_line.h"
#include "client/io/run.h"
#include "client/io/step/allocate.h"
#include "client/io/step/task_jobs.h"
#include "common/io/link.h"
#include "tests/client/find_command.h"

namespace cox {
namespace {

const Refused for_now{{"PostgreSQL has not answered for 3 s: gone", "try again in a moment"}, true};

class OutageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/cox-outage-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    dir_ = pattern;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGQUIT);
    ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &signals, &mask_), 0);
    signals_ = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    ASSERT_GE(signals_, 0);
    poller_->add_fd(signals_, POLLIN);
    auto opened = Listener::open({.local_endpoint = endpoint()});
    ASSERT_TRUE(opened.ok());
    listener_ = std::move(opened).value();
    listener_->add_to(*controller_poller_);
  }
  void TearDown() override {
    over_ = true;
    if (controller_.joinable()) controller_.join();
    signalfd_siginfo pending;
    while (::read(signals_, &pending, sizeof pending) == sizeof pending) continue;
    ::close(signals_);
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    std::filesystem::remove_all(dir_);
  }

  std::string endpoint() const { return "ipc://" + dir_ + "/controller"; }

  // Starts a controller. `answer` receives each question and the number of questions before it.
  void start_controller(std::function<Answer(const Question&, int)> answer) {
    controller_ = std::thread([this, answer = std::move(answer)] {
      while (!over_) {
        controller_poller_->wait(Milliseconds{50});
        for (const auto& incoming : listener_->receive(100))
          for (const auto& message : incoming.messages) {
            const auto& request = std::get<Request>(message);
            listener_->send(incoming.peer,
                            {Reply{request.number, answer(request.body, received_++)}});
          }
      }
    });
  }

  bool give_back() {
    auto connection = Connection::open({.endpoint = endpoint()});
    CHECK(connection.ok());
    (*connection)->add_to(*poller_);
    Allocator allocator(*poller_, **connection, signals_, "srun");
    ::testing::internal::CaptureStderr();
    const bool is_back = allocator.give_back(JobId{1007}, 7, 0);
    printed_ = ::testing::internal::GetCapturedStderr();
    return is_back;
  }
  Session session() {
    auto asker = Asker::to_controller(*poller_, {.endpoint = endpoint()});
    CHECK(asker.ok());
    Session made{{}, Poller::create(), nullptr};
    made.controller = std::make_unique<Asker>(std::move(asker).value());
    return made;
  }

  std::string dir_;
  std::string printed_;
  int signals_ = -1;
  sigset_t mask_{};
  std::unique_ptr<Poller> poller_ = Poller::create();
  std::unique_ptr<Poller> controller_poller_ = Poller::create();
  std::unique_ptr<Listener> listener_;
  std::thread controller_;
  std::atomic<bool> over_ = false;
  std::atomic<int> received_ = 0;
};

TEST_F(OutageTest, TheReleaseOfAnAllocationIsRepeatedUntilTheControllerAcceptsIt) {
  std::atomic<std::int32_t> code = -1;
  start_controller([&](const Question& question, int before) -> Answer {
    if (before < 2) return for_now;
    code = std::get<EndAllocation>(question).exit_code;
    return Acted{};
  });
  EXPECT_TRUE(give_back());
  EXPECT_EQ(received_, 3);
  EXPECT_EQ(code, 7);
  EXPECT_EQ(printed_,
            "srun: PostgreSQL has not answered for 3 s: gone; still waiting to release the "
            "allocation of job 1007; Ctrl-C ends the wait\n");
}

TEST_F(OutageTest, AnInterruptShowsHowToReleaseTheAllocation) {
  const pthread_t user = ::pthread_self();
  start_controller([user](const Question&, int before) -> Answer {
    if (before > 0) ::pthread_kill(user, SIGQUIT);
    return for_now;
  });
  EXPECT_FALSE(give_back());
  EXPECT_NE(printed_.find("\nsrun: error: interrupted, the allocation of job 1007 still exists; "
                          "`scancel 1007` releases it\n"),
            std::string::npos)
      << printed_;
}

TEST_F(OutageTest, ASignalBeforeTheWaitDoesNotEndTheWait) {
  start_controller([](const Question&, int before) -> Answer {
    return before < 1 ? Answer{for_now} : Answer{Acted{}};
  });
  ::pthread_kill(::pthread_self(), SIGQUIT);
  EXPECT_TRUE(give_back()) << printed_;
}

TEST_F(OutageTest, AWaitThatBeginsInAnOutageLastsUntilTheJobHasEnded) {
  start_controller([](const Question&, int before) -> Answer {
    if (before < 1) return for_now;
    JobDetail ended;
    ended.view.job.id = JobId{17};
    ended.view.job.state = JobState::Failed;
    ended.view.job.exit_code = 4;
    return ended;
  });
  JobsOptions options;
  options.ids = {JobId{17}};
  const Command wait{"wait", "", Run::Wait, &job_line};
  Session asks = session();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(follow_to_end(wait, asks, options, true), 4);
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(printed.find("PostgreSQL has not answered for 3 s: gone\n     still waiting for it"),
            std::string::npos)
      << printed;
}

TEST_F(OutageTest, AControllerIsCalledUnreachableOnlyIfItWasAsked) {
  const std::string config = dir_ + "/coxswain.toml";
  const auto printed_with = [&](const char* program, const std::string& text) {
    std::ofstream(config) << "[client]\n" << text;
    ::setenv("COX_CONFIG", config.c_str(), 1);
    const auto words = std::string(program) == "squeue" ? std::vector<std::string>{}
                                                        : std::vector<std::string>{"show", "job"};
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run_command(command_called(program), words), exit_refused);
    ::unsetenv("COX_CONFIG");
    return ::testing::internal::GetCapturedStderr();
  };
  for (const char* program : {"scontrol", "squeue"}) {
    const std::string wrong = printed_with(program, "controler = \"ipc:///x\"\n");
    EXPECT_EQ(wrong.find(std::string(program) + ": error: " + config + ":2: unknown key"), 0u)
        << wrong;
    const std::string away = printed_with(program, "controller = \"" + endpoint() + "-gone\"\n");
    EXPECT_NE(away.find("Unable to contact slurm controller (connect failure)\n"),
              std::string::npos);
    EXPECT_NE(away.find("error: check that it runs; 'cox doctor' shows more"), std::string::npos)
        << away;
  }
}

TEST_F(OutageTest, AnArrayTaskIsReplacedByTheIdOfItsJob) {
  start_controller([](const Question& question, int) -> Answer {
    const auto& ask = std::get<ShowJob>(question);
    if (ask.task > 3) return Refused{{"array 10 has no task 4", ""}};
    JobDetail detail;
    detail.view.job.id = JobId{ask.id.value + ask.task};
    if (ask.task == 3) detail.view.job.array_tasks = *parse_array_tasks("2-3");
    return detail;
  });
  Session asks = session();
  JobsOptions options;
  options.ids = {JobId{10}, JobId{17}};
  options.tasks = {"1", ""};
  EXPECT_FALSE(name_tasks_by_jobs(*asks.controller, options));
  EXPECT_EQ(options.ids, (std::vector{JobId{11}, JobId{17}}));
  EXPECT_EQ(options.tasks, (std::vector<std::string>{"", ""}));
  const auto why = [&](std::int64_t task) {
    const auto found = job_of_task(*asks.controller, JobId{10}, task);
    return std::holds_alternative<NoJobOfTask>(found) ? std::get<NoJobOfTask>(found).why.fact : "";
  };
  EXPECT_EQ(why(3), "task 10_3 has not started, so it has no checkpoint");
  EXPECT_EQ(why(4), "array 10 has no task 4");
}

TEST_F(OutageTest, AWholeArrayIsRefusedWhereEachTaskHasItsOwnCheckpoints) {
  start_controller([](const Question& question, int) -> Answer {
    const auto& ask = std::get<ShowJob>(question);
    if (ask.id == JobId{99}) return Refused{{"there never was a job 99", ""}};
    JobDetail detail;
    if (ask.id == JobId{10})
      detail.tasks = {{JobState::Failed, 3, 0, 1, "2"}, {JobState::Completed, 0, 0, 2, "1,3"}};
    return detail;
  });
  Session asks = session();
  JobsOptions options;
  options.ids = {JobId{17}, JobId{99}};
  options.tasks = {"", ""};
  EXPECT_FALSE(name_tasks_by_jobs(*asks.controller, options));
  options.ids.push_back(JobId{10});
  options.tasks.emplace_back();
  const auto none = name_tasks_by_jobs(*asks.controller, options);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->why.fact, "array 10 has 3 tasks, and each has its own checkpoints");
  EXPECT_EQ(none->why.hint, "name one, like 10_2; `cox checkpoints` lists those of all jobs");
}

}  // namespace
}  // namespace cox
