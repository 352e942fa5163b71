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
// How long to wait for a reply, in addition to the wait that the request asks of the controller.
constexpr Milliseconds answer_wait{10'000};
constexpr Milliseconds end_again_after{3'000};
constexpr Milliseconds longest_wait{60'000};

// A request that waits for its reply, and when it was sent.
struct PendingRequest {
  std::int64_t number = 0;  // 0: none
  Question question{};
  Milliseconds again_after{0};
  Boot asked_at{};
};

class StepLoop {
 public:
  StepLoop(int signals, StepConnection& connection, StepListener& listener, std::string request_id,
           const StepSession::Settings& settings)
      : signals_(signals),
        poller_(*connection.poller),
        controller_(*connection.controller),
        number_(connection.requests),
        listener_(listener),
        create_(settings.plan.create),
        session_(settings) {
    create_.request_id = std::move(request_id);
    create_.streams = listener.place();
  }

  int run();

 private:
  void feed(const Event& event);
  void execute(const RequestStep& ask);
  void execute(const EndStep& action);
  void execute(const SendMessage& send) { listener_.listener().send(send.peer, {send.message}); }
  void execute(const Write& write) { outlets_.add(write); }
  void execute(const OpenFiles& files);

  void send(PendingRequest& pending, Question question, Milliseconds again_after);
  void send_again(PendingRequest& pending);
  void receive_replies();
  void receive_from_nodes();
  void read_signals();
  void read_input();
  void watch();
  Milliseconds time_to_wait() const;

  int signals_;
  Poller& poller_;
  Connection& controller_;
  std::int64_t& number_;  // number of the last request
  StepListener& listener_;
  CreateStep create_;
  StepSession session_;
  Outlets outlets_;
  PendingRequest step_;       // CreateStep
  PendingRequest end_;        // SignalJobs
  int input_ = STDIN_FILENO;  // below 0: standard input has ended
  // After the step's end the user has sent a signal: srun no longer waits until slow readers have
  // taken its output.
  bool leaves_ = false;
};

void StepLoop::feed(const Event& event) {
  for (const Action& action : session_.on(event, read_clock()))
    std::visit([&](const auto& one) { execute(one); }, action);
}

// ---- the controller --------------------------------------------------------------------------

void StepLoop::send(PendingRequest& pending, Question question, Milliseconds again_after) {
  pending = {++number_, std::move(question), again_after, read_clock().boot};
  controller_.send({Request{pending.number, pending.question}});
}

// Repeats a request that has no reply yet. The request id makes it idempotent: copies of a
// CreateStep create only one step.
void StepLoop::send_again(PendingRequest& pending) {
  const Boot now = read_clock().boot;
  if (pending.number == 0 || now < pending.asked_at + pending.again_after) return;
  if (&pending == &step_)
    feed(ControllerSilent{{"the controller has not answered for " +
                               std::to_string(pending.again_after.count() / 1000) + " s",
                           ""}});
  send(pending, Question(pending.question), pending.again_after);
}

void StepLoop::execute(const RequestStep& ask) {
  create_.known = ask.known;
  create_.wait_ms = ask.wait.count();
  send(step_, create_, ask.wait + answer_wait);
}

void StepLoop::execute(const EndStep& action) {
  if (!session_.step()) return;
  SignalJobs end;
  end.ids = {session_.step()->step.key.attempt.job};
  end.step = session_.step()->step.key.number;
  end.signal = action.signal;
  end.to_children = true;
  send(end_, end, end_again_after);
}

void StepLoop::receive_replies() {
  for (Message& message : controller_.receive()) {
    if (const auto* rejected = std::get_if<Rejected>(&message)) feed(Denied{rejected->why, false});
    const auto* reply = std::get_if<Reply>(&message);
    if (reply == nullptr) continue;
    if (reply->number == end_.number) {
      end_.number = 0;
      feed(EndAccepted{});
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

// ---- the step's nodes, srun's input and output, its signals ----------------------------------

void StepLoop::receive_from_nodes() {
  for (Incoming& incoming : listener_.listener().receive(frames_at_once)) {
    if (!StepListener::is_step_daemon(incoming.identity)) continue;
    for (Message& message : incoming.messages)
      feed(MessageReceived{incoming.peer, std::move(message)});
  }
}

void StepLoop::execute(const OpenFiles& files) {
  if (Failure failure = outlets_.open(files.routes)) return feed(FilesFailed{*failure});
  const StreamRoute& route = files.routes.input;
  if (route.mode != StreamMode::Client || route.path.empty()) return;
  input_ =
      // O_NONBLOCK, since a FIFO may have no writer yet
      ::open(route.path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
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
  for (const PendingRequest* pending : {&step_, &end_})
    if (pending->number != 0) next = std::min(next, pending->asked_at + pending->again_after);
  return std::max(next - now, Milliseconds{0});
}

int StepLoop::run() {
  listener_.listener().add_to(poller_);
  feed(Started{});
  while (!leaves_ && !(session_.is_over() && outlets_.is_empty())) {
    for (const Event& event : outlets_.write()) feed(event);
    watch();
    if (session_.is_over() && outlets_.is_empty()) break;
    poller_.wait(time_to_wait());
    read_signals();
    receive_replies();
    receive_from_nodes();
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

Result<StepConnection> open_step_connection(int signals) {
  auto config = find_client_config("");
  if (!config) return config.refusal();
  auto options = controller_options(*config);
  if (!options) return options.refusal();
  auto controller = Connection::open(*options);
  if (!controller) return controller.refusal();
  StepConnection connection{std::move(*config), Poller::create(), std::move(*controller)};
  connection.controller->add_to(*connection.poller);
  connection.poller->add_fd(signals, POLLIN);
  return connection;
}

int run_session(const StepSession::Settings& settings, StepConnection& connection,
                StepListener& listener, int signals) {
  return StepLoop(signals, connection, listener, random_hex(16), settings).run();
}

}  // namespace cox
