// srun: one loop around a StepSession. It asks the controller, lets the step's nodes in, reads
// input, writes output and hands signals on; what to do about each is the session's.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "client/io/allocate.h"
#include "client/io/files.h"
#include "client/io/outlets.h"
#include "client/io/run.h"
#include "client/io/srun_components.h"
#include "client/io/step_door.h"
#include "client/io/terminal.h"
#include "client/show.h"
#include "common/io/clock.h"
#include "common/text.h"

namespace cox {

using namespace srun;

namespace {

constexpr std::size_t frames_at_once = 64;
constexpr Milliseconds answer_wait{10'000};  // beyond what it was asked to wait
constexpr Milliseconds end_again_after{3'000};
constexpr Milliseconds longest_wait{60'000};

// Those that are handed on to tasks, or mean something to srun. To be called before any thread is
// made: all of them inherit that these are blocked.
int open_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH})
    sigaddset(&signals, number);
  CHECK(::sigprocmask(SIG_BLOCK, &signals, nullptr) == 0);
  const int fd = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  CHECK(fd >= 0);
  return fd;
}

std::int32_t own_umask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<std::int32_t>(mask);
}

// The question that is under way, and when it went out.
struct Asking {
  std::int64_t number = 0;  // 0: none
  Question question{};
  Milliseconds again_after{0};
  Boot asked_at{};
};

class Srun {
 public:
  Srun(int signals, Poller& poller, Connection& controller, StepDoor& door, std::string request_id,
       const StepSession::Settings& settings)
      : signals_(signals),
        poller_(poller),
        controller_(controller),
        door_(door),
        create_(settings.plan.create),
        session_(settings) {
    create_.request_id = std::move(request_id);
    create_.streams = door.place();
  }

  int run();

 private:
  void feed(const Event& event);
  void execute(const Ask& ask);
  void execute(const EndStep&);
  void execute(const Tell& told) { door_.listener().send(told.peer, {told.message}); }
  void execute(const Write& write) { outlets_.add(write); }
  void execute(const OpenFiles& files);

  void send(Asking& asking, Question question, Milliseconds again_after);
  void send_again(Asking& asking);
  void hear_controller();
  void hear_nodes();
  void read_signals();
  void read_input();
  void watch();
  Milliseconds time_to_wait() const;

  int signals_;
  Poller& poller_;
  Connection& controller_;
  StepDoor& door_;
  CreateStep create_;
  StepSession session_;
  Outlets outlets_;
  Asking step_;  // CreateStep
  Asking end_;   // SignalJobs
  std::int64_t number_ = 0;
  int input_ = STDIN_FILENO;  // -1: it has ended
  bool leaves_ = false;       // a signal says not to wait for readers any more
};

void Srun::feed(const Event& event) {
  for (const Action& action : session_.on(event, read_clock()))
    std::visit([&](const auto& one) { execute(one); }, action);
}

// ---- the controller --------------------------------------------------------------------------

void Srun::send(Asking& asking, Question question, Milliseconds again_after) {
  asking = {++number_, std::move(question), again_after, read_clock().boot};
  controller_.send({Request{asking.number, asking.question}});
}

// The same as before: it is one step, however often it is asked for.
void Srun::send_again(Asking& asking) {
  const Boot now = read_clock().boot;
  if (asking.number == 0 || now < asking.asked_at + asking.again_after) return;
  if (&asking == &step_)
    feed(Silence{{"the controller has not answered for " +
                      std::to_string(asking.again_after.count() / 1000) + " s",
                  ""}});
  send(asking, Question(asking.question), asking.again_after);
}

void Srun::execute(const Ask& ask) {
  create_.known = ask.known;
  create_.wait_ms = ask.wait.count();
  send(step_, create_, ask.wait + answer_wait);
}

void Srun::execute(const EndStep&) {
  if (!session_.step()) return;
  SignalJobs end;
  end.ids = {session_.step()->step.key.attempt.job};
  end.step = session_.step()->step.key.number;
  send(end_, end, end_again_after);
}

void Srun::hear_controller() {
  for (Message& message : controller_.receive()) {
    if (const auto* rejected = std::get_if<Rejected>(&message)) feed(Denied{rejected->why, false});
    const auto* reply = std::get_if<Reply>(&message);
    if (reply == nullptr) continue;
    if (reply->number == end_.number) {
      end_.number = 0;
      feed(EndTaken{});
    }
    if (reply->number != step_.number) continue;
    step_.number = 0;
    if (const auto* shown = std::get_if<StepShown>(&reply->body))
      feed(Answered{*shown});
    else if (const auto* refused = std::get_if<Refused>(&reply->body))
      feed(Denied{refused->why, refused->retry});
  }
  send_again(step_);
  send_again(end_);
}

// ---- nodes, input, output, signals -----------------------------------------------------------

void Srun::hear_nodes() {
  for (Incoming& incoming : door_.listener().receive(frames_at_once)) {
    if (!StepDoor::may_speak(incoming.identity)) continue;
    for (Message& message : incoming.messages) feed(Heard{incoming.peer, std::move(message)});
  }
}

void Srun::execute(const OpenFiles& files) {
  if (Failure failure = outlets_.open(files.routes)) return feed(FilesFailed{*failure});
  const StreamRoute& route = files.routes.input;
  if (route.mode != StreamMode::Client || route.path.empty()) return;
  input_ = ::open(route.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (input_ < 0)
    feed(FilesFailed{{"cannot open " + route.path + ": " + std::strerror(errno), ""}});
}

void Srun::read_input() {
  const std::size_t room = session_.input_room();
  if (input_ < 0 || room == 0 || !poller_.ready(input_)) return;
  std::string data(room, '\0');
  const ssize_t count = ::read(input_, data.data(), data.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count > 0) {
    data.resize(static_cast<std::size_t>(count));
    return feed(InputRead{std::move(data)});
  }
  poller_.remove_fd(input_);
  input_ = -1;
  feed(InputEnded{});
}

void Srun::read_signals() {
  signalfd_siginfo info;
  while (::read(signals_, &info, sizeof info) == sizeof info) {
    const auto number = static_cast<std::int32_t>(info.ssi_signo);
    leaves_ = leaves_ || (session_.is_over() && number != SIGWINCH);
    if (number != SIGWINCH) {
      feed(Signalled{number});
    } else if (const TerminalSize size = terminal_size(STDIN_FILENO); size.rows > 0) {
      feed(Resized{size.rows, size.columns});
    }
  }
}

void Srun::watch() {
  outlets_.watch(poller_);
  if (input_ < 0) return;
  if (session_.input_room() > 0)
    poller_.add_fd(input_, POLLIN);
  else
    poller_.remove_fd(input_);
}

Milliseconds Srun::time_to_wait() const {
  const Boot now = read_clock().boot;
  Boot next = now + longest_wait;
  if (const auto at = session_.wakeup()) next = std::min(next, *at);
  for (const Asking* asking : {&step_, &end_})
    if (asking->number != 0) next = std::min(next, asking->asked_at + asking->again_after);
  return std::max(next - now, Milliseconds{0});
}

int Srun::run() {
  door_.listener().add_to(poller_);
  if (::fcntl(input_, F_GETFD) < 0) {
    input_ = -1;
    feed(InputEnded{});
  }
  feed(Started{});
  while (!leaves_ && !(session_.is_over() && outlets_.is_empty())) {
    for (const Event& event : outlets_.write()) feed(event);
    watch();
    if (session_.is_over() && outlets_.is_empty()) break;
    poller_.wait(time_to_wait());
    read_signals();
    hear_controller();
    hear_nodes();
    read_input();
    feed(Tick{});
  }
  return session_.exit_code();
}

// ---- from the command line on ----------------------------------------------------------------

// The way to the controller, and who waits on it.
struct Line {
  ClientConfig config;
  std::unique_ptr<Poller> poller;
  std::unique_ptr<Connection> controller;
};

Result<Line> open_line(int signals) {
  auto config = find_client_config("");
  if (!config) return config.refusal();
  auto options = controller_options(*config);
  if (!options) return options.refusal();
  auto controller = Connection::open(*options);
  if (!controller) return controller.refusal();
  Line line{std::move(*config), Poller::create(), std::move(*controller)};
  line.controller->add_to(*line.poller);
  line.poller->add_fd(signals, POLLIN);
  return line;
}

Result<int> run_step(StepPlan plan, const SubmitSurroundings& around, Line& line, int signals) {
  auto door = StepDoor::open(line.config);
  if (!door) return door.refusal();
  const TerminalSize size = terminal_size(STDIN_FILENO);
  StepSession::Settings settings;
  settings.umask = own_umask();
  const StepPlace place{(*door)->port() > 0 ? (*door)->address() : around.submit_host,
                        (*door)->address(), (*door)->port(), settings.umask,
                        ::getpriority(PRIO_PROCESS, 0)};
  add_step_variables(plan, place, around);
  const bool pty = plan.asked.step.pty;
  settings.plan = std::move(plan);
  settings.rows = size.rows;
  settings.columns = size.columns;
  settings.utc_offset_s = around.here.utc_offset_s;
  settings.exit_error = exit_code_for(around.environment, "SLURM_EXIT_ERROR");
  settings.exit_immediate = exit_code_for(around.environment, "SLURM_EXIT_IMMEDIATE");
  std::optional<RawTerminal> raw;
  if (pty) raw.emplace(STDIN_FILENO);
  return Srun(signals, *line.poller, *line.controller, **door, random_hex(16), settings).run();
}

Result<int> plan_and_run(const std::vector<StepPart>& parts, const SubmitSurroundings& around,
                         Line& line, int signals) {
  if (parts.size() > 1) return run_beside(parts, around.environment, signals);
  const StepCommand& command = parts.front().command;
  auto plan = plan_step(command, around, read_file);
  if (!plan) return plan.refusal();
  Shown warnings;
  for (const std::string& warning : plan->warnings)
    warnings.err += "srun: Warning: " + printable(warning) + "\n";
  if (!plan->asked.quiet) print(warnings);
  return run_step(std::move(*plan), around, line, signals);
}

// Where there is no allocation: in one of its own, which ends with it and as it does.
Result<int> run_with_allocation(const std::vector<StepPart>& parts, SubmitSurroundings around,
                                Line& line, int signals) {
  std::vector<StepCommand> commands;
  for (const StepPart& part : parts) commands.push_back(part.command);
  auto plan = plan_allocation(commands, around);
  if (!plan) return plan.refusal();
  plan->request.request_id = random_hex(16);
  Allocator allocator(*line.poller, *line.controller, signals, "srun");
  const auto cluster = allocator.cluster_name();
  if (!cluster) return cluster.refusal();
  const auto given = allocator.acquire(*plan);
  if (!given) return given.refusal();
  around.environment = allocation_environment(around.environment, *given, *cluster);
  auto code = plan_and_run(parts, around, line, signals);
  constexpr int signal_base = 128;
  const int exit_code = code ? *code : 1;
  const int signal = exit_code > signal_base ? exit_code - signal_base : 0;
  allocator.give_back(given->view.job.id, signal != 0 ? 0 : exit_code, signal);
  return code;
}

}  // namespace

int run_srun(const Command& command, const std::vector<std::string>& words) {
  const int signals = open_signals();
  auto parsed = parse_steps(words);
  if (!parsed) return print_refusal(command, parsed.refusal(), {}, exit_usage);
  const SubmitOptions& options = parsed->front().command.options;
  if (options.help) return print({step_help(), "", exit_ok});
  if (options.version) return print({version_text(command), "", exit_ok});
  if (options.step.list_mpi)
    return print({"MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\n", "", exit_ok});
  auto around = look_around();
  if (!around) return print_refusal(command, around.refusal(), {}, exit_refused);
  auto line = open_line(signals);
  if (!line) return print_refusal(command, line.refusal(), {}, exit_refused);
  const bool inside = has_allocation(parsed->front().command, around->environment);
  const auto code = inside ? plan_and_run(*parsed, *around, *line, signals)
                           : run_with_allocation(*parsed, *around, *line, signals);
  if (code) return *code;
  print_refusal(command, code.refusal(), {}, exit_refused);
  return exit_code_for(around->environment, "SLURM_EXIT_ERROR");
}

}  // namespace cox
