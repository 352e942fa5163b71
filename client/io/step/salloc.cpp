// salloc: gets an allocation, and runs a command on this host while it lasts.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "client/io/private/run_program.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/io/step/allocate.h"
#include "client/slurm/list/squeue_request.h"
#include "client/submit/submit.h"
#include "common/base/hostlist.h"
#include "common/base/text.h"
#include "common/io/clock.h"

namespace cox {
namespace {

constexpr Milliseconds look{5'000};

constexpr int forwarded_signals[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2};

int open_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : forwarded_signals) sigaddset(&signals, number);
  sigaddset(&signals, SIGCHLD);
  CHECK(::sigprocmask(SIG_BLOCK, &signals, nullptr) == 0);
  ::signal(SIGTTOU, SIG_IGN);  // lets salloc take the terminal back from the command
  const int fd = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  CHECK(fd >= 0);
  return fd;
}

std::vector<std::string> shell_of(const std::vector<std::string>& environment) {
  for (const std::string& each : environment)
    if (each.starts_with("SHELL=") && each.size() > 6) return {each.substr(6)};
  return {"/bin/sh"};
}

// The command, in a process group of its own. It gets the terminal if salloc has it.
class Child {
 public:
  Child(std::vector<std::string> words, std::vector<std::string> environment) {
    const bool has_terminal =
        ::isatty(STDIN_FILENO) != 0 && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
    const auto argv = exec_words(words);
    const auto envp = exec_words(environment);
    pid_ = ::fork();
    CHECK(pid_ >= 0);
    if (pid_ != 0) {
      ::setpgid(pid_, pid_);
      if (has_terminal) ::tcsetpgrp(STDIN_FILENO, pid_);
      lent_terminal_ = has_terminal;
      return;
    }
    ::setpgid(0, 0);
    if (has_terminal) ::tcsetpgrp(STDIN_FILENO, ::getpid());
    ::signal(SIGTTOU, SIG_DFL);
    ::signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execvpe(argv[0], argv.data(), envp.data());
    const std::string why = "salloc: error: " + words[0] + ": " + std::strerror(errno) + "\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, why.data(), why.size());
    ::_exit(errno == ENOENT ? 127 : 126);
  }
  ~Child() {
    if (lent_terminal_) ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
  }
  Child(const Child&) = delete;

  void signal(int number) const { ::kill(-pid_, number); }
  std::optional<int> ended() const {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    return status;
  }

 private:
  pid_t pid_ = -1;
  bool lent_terminal_ = false;
};

// Waits until the command has ended. Meanwhile forwards signals to it, and signals it when the
// allocation ends.
class Watch {
 public:
  Watch(Poller& poller, Connection& controller, int signals, const Child& child, int kill_signal)
      : poller_(poller),
        controller_(controller),
        signals_(signals),
        child_(child),
        kill_signal_(kill_signal == 0 ? SIGHUP : kill_signal) {}

  int run(const JobDetail& given) {
    const JobId id = given.view.job.id;
    std::int64_t known = given.change_count;
    Request asked{};
    Boot asked_at{};
    for (;;) {
      if (const auto status = child_.ended()) return *status;
      const Boot now = read_clock().boot;
      if (!revoked_ && (asked.number == 0 || now >= asked_at + 3 * look)) {
        asked = {++number_, WaitJob{id, known, look.count()}};
        controller_.send({asked});
        asked_at = now;
      }
      poller_.wait(look);
      hand_signals_on();
      for (Message& message : controller_.receive()) {
        const auto* reply = std::get_if<Reply>(&message);
        if (reply == nullptr || reply->number != asked.number) continue;
        // Refused: asked again later, as if there were no reply
        if (std::holds_alternative<Refused>(reply->body)) continue;
        asked.number = 0;
        if (const auto* detail = std::get_if<JobDetail>(&reply->body)) {
          known = detail->change_count;
          if (detail->view.job.state != JobState::Running &&
              detail->view.job.state != JobState::Suspended)
            revoke(id);
        }
      }
    }
  }

  bool is_revoked() const { return revoked_; }

 private:
  void hand_signals_on() {
    signalfd_siginfo info;
    while (::read(signals_, &info, sizeof info) == sizeof info)
      if (info.ssi_signo != SIGCHLD) child_.signal(static_cast<int>(info.ssi_signo));
  }

  void revoke(JobId id) {
    if (std::exchange(revoked_, true)) return;
    std::fprintf(stderr, "salloc: Job allocation %lld has been revoked.\n",
                 static_cast<long long>(id.value));
    child_.signal(kill_signal_);
    child_.signal(SIGCONT);
  }

  Poller& poller_;
  Connection& controller_;
  int signals_;
  const Child& child_;
  int kill_signal_;
  bool revoked_ = false;
  std::int64_t number_ = 0;
};

void say(bool quiet, const std::string& text) {
  if (!quiet) std::fprintf(stderr, "salloc: %s\n", text.c_str());
}

Result<int> run_allocation(const AllocationCommand& command, AllocationPlan plan,
                           const SubmitSurroundings& around, int signals) {
  auto config = find_client_config("");
  if (!config) return config.refusal();
  auto options = controller_options(*config);
  if (!options) return options.refusal();
  auto poller = Poller::create();
  auto controller = Connection::open(*options);
  if (!controller) return controller.refusal();
  (*controller)->add_to(*poller);
  poller->add_fd(signals, POLLIN);
  Allocator allocator(*poller, **controller, signals, "salloc");
  const auto cluster = allocator.cluster_name();
  if (!cluster) return cluster.refusal();
  if (const auto wrong =
          refuse_other_clusters("salloc", clusters_named(plan.request.spec), *cluster))
    return print(*wrong);
  plan.request.request_id = random_hex(16);
  const auto given = allocator.acquire(plan);
  if (!given) return given.refusal();
  const JobId id = given->view.job.id;
  say(plan.quiet, "Granted job allocation " + std::to_string(id.value));
  say(plan.quiet, "Waiting for resource configuration");
  say(plan.quiet, "Nodes " + compress_hostlist(given->view.nodes) + " are ready for job");
  if (plan.asked.bell) std::fputc('\a', stderr);
  if (plan.asked.no_shell) return 0;
  const bool is_private = config->controller.starts_with("ipc://");
  const AddressOfNode addresses = is_private ? allocator.addresses() : AddressOfNode{};
  int status = 0;
  bool revoked = false;
  {
    const Child child(command.words.empty() ? shell_of(around.environment) : command.words,
                      allocation_environment(around.environment, *given, *cluster, addresses));
    Watch watch(*poller, **controller, signals, child, plan.asked.kill_signal);
    status = watch.run(*given);
    revoked = watch.is_revoked();
  }
  const int code = WIFSIGNALED(status) ? 0 : WEXITSTATUS(status);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (!revoked) {
    say(plan.quiet, "Relinquishing job allocation " + std::to_string(id.value));
    if (!allocator.give_back(id, code, signal) && status == 0) return exit_not_given_back;
  }
  return signal != 0 ? 128 + signal : code;
}

}  // namespace

int run_salloc(const Command& command, const std::vector<std::string>& words) {
  const int signals = open_signals();
  auto parsed = parse_allocation(words);
  if (!parsed) return refuse_words(command, parsed.refusal());
  if (parsed->options.help) return print({allocation_help(), "", exit_ok});
  if (parsed->options.version) return print({version_text(command), "", exit_ok});
  auto around = submit_surroundings();
  if (!around) return print_refusal(command, around.refusal(), {}, exit_refused);
  auto plan = plan_allocation(*parsed, *around);
  if (!plan) return refuse_words(command, plan.refusal());
  print({"", plan->options_in_effect, exit_ok});
  for (const std::string& warning : plan->warnings)
    say(plan->quiet, "warning: " + printable(warning));
  const auto code = run_allocation(*parsed, std::move(*plan), *around, signals);
  if (code) return *code;
  return print_refusal(command, code.refusal(), {}, exit_refused);
}

}  // namespace cox
