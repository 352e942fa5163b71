#include "client/io/step/step_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "client/io/step/outlets.h"
#include "client/io/step/terminal.h"
#include "common/io/clock.h"

namespace cox {

using namespace srun;

namespace {

constexpr std::size_t frames_at_once = 64;
constexpr Milliseconds answer_wait{10'000};  // beyond what it was asked to wait
constexpr Milliseconds end_again_after{3'000};
constexpr Milliseconds longest_wait{60'000};

// The question that is under way, and when it went out.
struct Asking {
  std::int64_t number = 0;  // 0: none
  Question question{};
  Milliseconds again_after{0};
  Boot asked_at{};
};

class StepLoop {
 public:
  StepLoop(int signals, StepLine& line, StepDoor& door, std::string request_id,
           const StepSession::Settings& settings)
      : signals_(signals),
        poller_(*line.poller),
        controller_(*line.controller),
        number_(line.requests),
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
  std::int64_t& number_;  // number of the last request
  StepDoor& door_;
  CreateStep create_;
  StepSession session_;
  Outlets outlets_;
  Asking step_;               // CreateStep
  Asking end_;                // SignalJobs
  int input_ = STDIN_FILENO;  // -1: it has ended
  bool leaves_ = false;       // a signal says not to wait for readers any more
};

void StepLoop::feed(const Event& event) {
  for (const Action& action : session_.on(event, read_clock()))
    std::visit([&](const auto& one) { execute(one); }, action);
}

// ---- the controller --------------------------------------------------------------------------

void StepLoop::send(Asking& asking, Question question, Milliseconds again_after) {
  asking = {++number_, std::move(question), again_after, read_clock().boot};
  controller_.send({Request{asking.number, asking.question}});
}

// The same as before: it is one step, however often it is asked for.
void StepLoop::send_again(Asking& asking) {
  const Boot now = read_clock().boot;
  if (asking.number == 0 || now < asking.asked_at + asking.again_after) return;
  if (&asking == &step_)
    feed(Silence{{"the controller has not answered for " +
                      std::to_string(asking.again_after.count() / 1000) + " s",
                  ""}});
  send(asking, Question(asking.question), asking.again_after);
}

void StepLoop::execute(const Ask& ask) {
  create_.known = ask.known;
  create_.wait_ms = ask.wait.count();
  send(step_, create_, ask.wait + answer_wait);
}

void StepLoop::execute(const EndStep&) {
  if (!session_.step()) return;
  SignalJobs end;
  end.ids = {session_.step()->step.key.attempt.job};
  end.step = session_.step()->step.key.number;
  send(end_, end, end_again_after);
}

void StepLoop::hear_controller() {
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

void StepLoop::hear_nodes() {
  for (Incoming& incoming : door_.listener().receive(frames_at_once)) {
    if (!StepDoor::may_speak(incoming.identity)) continue;
    for (Message& message : incoming.messages) feed(Heard{incoming.peer, std::move(message)});
  }
}

void StepLoop::execute(const OpenFiles& files) {
  if (Failure failure = outlets_.open(files.routes)) return feed(FilesFailed{*failure});
  const StreamRoute& route = files.routes.input;
  if (route.mode != StreamMode::Client || route.path.empty()) return;
  input_ =
      ::open(route.path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // a FIFO has no writer yet
  if (input_ < 0)
    feed(FilesFailed{{"cannot open " + route.path + ": " + std::strerror(errno),
                      "name a file that you can read with --input"}});
}

void StepLoop::read_input() {
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

void StepLoop::read_signals() {
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

void StepLoop::watch() {
  outlets_.watch(poller_);
  if (input_ < 0) return;
  if (session_.input_room() > 0)
    poller_.add_fd(input_, POLLIN);
  else
    poller_.remove_fd(input_);
}

Milliseconds StepLoop::time_to_wait() const {
  const Boot now = read_clock().boot;
  Boot next = now + longest_wait;
  if (const auto at = session_.wakeup()) next = std::min(next, *at);
  for (const Asking* asking : {&step_, &end_})
    if (asking->number != 0) next = std::min(next, asking->asked_at + asking->again_after);
  return std::max(next - now, Milliseconds{0});
}

int StepLoop::run() {
  door_.listener().add_to(poller_);
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

}  // namespace

int open_step_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH})
    sigaddset(&signals, number);
  CHECK(::sigprocmask(SIG_BLOCK, &signals, nullptr) == 0);
  const int fd = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  CHECK(fd >= 0);
  return fd;
}

Result<StepLine> open_step_line(int signals) {
  auto config = find_client_config("");
  if (!config) return config.refusal();
  auto options = controller_options(*config);
  if (!options) return options.refusal();
  auto controller = Connection::open(*options);
  if (!controller) return controller.refusal();
  StepLine line{std::move(*config), Poller::create(), std::move(*controller)};
  line.controller->add_to(*line.poller);
  line.poller->add_fd(signals, POLLIN);
  return line;
}

int run_session(const StepSession::Settings& settings, StepLine& line, StepDoor& door,
                int signals) {
  return StepLoop(signals, line, door, random_hex(16), settings).run();
}

}  // namespace cox
