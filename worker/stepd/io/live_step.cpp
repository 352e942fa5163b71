#include "worker/stepd/io/live_step.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "common/base/check.h"
#include "common/base/process_text.h"
#include "common/job/given_variables.h"
#include "common/messages/attachment.h"
#include "worker/stepd/io/step_leftovers.h"
#include "worker/stepd/step_environment.h"
#include "worker/supervisor/io/child.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {

using namespace stepd;

namespace {

constexpr std::string_view terminal_end = "\x04";  // ctrl-D, by which a terminal's input ends

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

// Sets the bytes that a process read and wrote, with those of children that it has waited for. The
// process may be a zombie. Includes bytes through the page cache, as in Slurm.
void count_bytes(pid_t pid, TaskExited& exited) {
  constexpr std::size_t file_bytes_max = 4096;
  const auto text = read_file("/proc/" + std::to_string(pid) + "/io", file_bytes_max);
  if (!text) return;
  exited.read_bytes = number_of_line(*text, "rchar:");
  exited.written_bytes = number_of_line(*text, "wchar:");
}

}  // namespace

LiveStep::LiveStep(StepLaunch launch, const StepSurroundings& around)
    : launch_(std::move(launch)), around_(around), run_(launch_) {}

LiveStep::~LiveStep() {
  for (const Task& task : tasks_) {
    const TaskProcess& process = task.process;
    for (const Descriptor* one :
         {&process.exited, &process.input, &process.output, &process.error, &task.epilog.exited})
      if (one->is_open()) around_.watches.remove(one->get());
  }
}

void LiveStep::feed(const Event& event) {
  for (const Action& action : run_.on(event, around_.now))
    std::visit([&](const auto& one) { execute(one); }, action);
}

std::optional<StepStatus> LiveStep::take_report() {
  if (!std::exchange(has_report_, false)) return std::nullopt;
  return run_.status();
}

// ---- the client ------------------------------------------------------------------------------

void LiveStep::execute(const ConnectToClient&) {
  const StreamPlace& place = launch_.streams;
  Connection::Options options;
  options.endpoint = place.endpoint;
  options.server_key = place.server_key;
  options.key = {place.public_key, place.secret_key};
  options.context = around_.context;
  options.carries_streams = true;
  auto link = Connection::open(options);
  if (!link) return feed(ClientLost{});
  link_ = std::move(*link);
  link_->add_to(around_.poller);
  const auto at = static_cast<std::size_t>(around_.job.node_index);
  say(StepJoin{launch_.number, launch_.node_index, around_.job.nodes[at].grant.node,
               launch_.ranks});
}

void LiveStep::receive() {
  if (!link_) return;
  for (const Message& message : link_->receive())
    std::visit([&](const auto& m) { on(m); }, message);
  if (link_ && link_->is_lost()) {
    link_.reset();
    feed(ClientLost{});
  }
}

void LiveStep::say(Message message) {
  if (link_) link_->send({std::move(message)});
}

void LiveStep::execute(const SendToClient& action) {
  const bool is_end = std::holds_alternative<TaskEnded>(action.message);
  if (is_end && attached_to_) return;  // a step of sattach has no tasks of its own
  if (is_end) each_follower([&](LiveStep& follower) { follower.say(action.message); });
  say(action.message);
}

void LiveStep::execute(const Report&) {
  has_report_ = true;
}

void LiveStep::execute(const Forget&) {
  is_forgotten_ = true;
  each_follower([](LiveStep& follower) { follower.detach(); });
}

// ---- tasks -----------------------------------------------------------------------------------

void LiveStep::on(const StepBegin& begin) {
  if (!tasks_.empty()) return;
  begin_ = begin;
  credit_ = begin.credit;
  feed(BeginReceived{});
}

void LiveStep::open_mpi() {
  if (begin_.mpi.empty() || begin_.mpi == "none") return;
  const AttemptKey& key = around_.job.key;
  const std::string name = "coxswain." + std::to_string(key.job.value) + "." +
                           std::to_string(key.attempt.value) + "." + std::to_string(launch_.number);
  if (begin_.mpi != "pmix") {
    mpi_ = open_pmi(launch_, begin_, name, around_.watches);
    return;
  }
  auto opened = around_.pmix.open(launch_, begin_, name);
  if (opened)
    mpi_ = std::move(*opened);
  else
    cannot_start_ = opened.refusal().fact;
}

Failure LiveStep::resolve_binding() {
  const AttemptCpus& all = around_.cpus;
  const auto at = static_cast<std::size_t>(around_.job.node_index);
  StepBinding::Place place{
      around_.job.nodes[at].grant.node, {}, all.why, all.one_ldom, around_.job.node_gpus};
  if (StepBinding::binds_cpus(begin_.environment)) {
    std::vector<IdSet> others;
    for (const auto& [number, step] : around_.steps)
      if (step.get() != this && step->run_.status().phase != StepPhase::Gone)
        others.push_back(step->own_cpus_);
    place.cpus = cpus_of_step(all.cpus, static_cast<std::size_t>(launch_.cpus), others);
    for (const CpuPlace& one : place.cpus) own_cpus_.push_back(one.cpu);
  }
  auto made = StepBinding::of(begin_.environment, launch_, place);
  if (!made) return made.refusal();
  binding_ = std::move(*made);
  return std::nullopt;
}

void LiveStep::execute(const StartTasks&) {
  if (const auto number = attached_step(begin_)) return attach(*number);
  if (const Failure failure = resolve_binding()) cannot_start_ = failure->fact;
  tasks_.resize(launch_.ranks.size());
  open_mpi();
  const StepEnvironment environment(around_.job, around_.go, launch_, begin_.environment,
                                    around_.folder);
  TasksStarted started;
  for (std::size_t local = 0; local < tasks_.size(); ++local) {
    start(local, environment);
    started.pids.push_back(tasks_[local].process.pid);
  }
  feed(started);
  for (const auto& [input, due] : std::exchange(early_input_, {})) take_input(input, due);
  for (std::size_t local = 0; local < tasks_.size(); ++local)
    if (tasks_[local].process.pid == 0) note_exit(local);
  settle_streams();
}

void LiveStep::start(std::size_t local, const StepEnvironment& environment) {
  TaskOrder order = order_of(local, environment);
  Task& task = tasks_[local];
  if (order.words.empty() || !cannot_start_.empty()) return;
  if (mpi_) {
    auto inherits = mpi_->prepare(local, order.environment);
    if (!inherits) {
      task.cannot_start = inherits.refusal().fact;
      return;
    }
    order.inherits = *inherits;
  }
  note_given(order.environment, begin_.environment);
  if (const Failure no_container = put_into_container(order)) {
    task.cannot_start = no_container->fact;
    return;
  }
  auto process = start_task(order);
  if (mpi_) mpi_->started(local);
  if (!process) {
    task.cannot_start = process.refusal().fact;
    return;
  }
  task.process = std::move(*process);
  Watches& watches = around_.watches;
  watches.add(task.process.exited.get(), {launch_.number, local, Watches::Kind::Exit});
  if (task.process.output.is_open())
    watches.add(task.process.output.get(), {launch_.number, local, Watches::Kind::Output});
  if (task.process.error.is_open())
    watches.add(task.process.error.get(), {launch_.number, local, Watches::Kind::Error});
  if (input_ended_) close_input(task);
}

void LiveStep::on_ready(std::size_t local, Watches::Kind kind) {
  if (local >= tasks_.size()) return;
  switch (kind) {
    case Watches::Kind::Exit: return note_exit(local);
    case Watches::Kind::Input: return write_input(tasks_[local], local);
    case Watches::Kind::Epilog: return note_epilog_exit(local);
    case Watches::Kind::Mpi: return mpi_ ? carry_out(mpi_->on_ready(local)) : void();
    case Watches::Kind::Output:
    case Watches::Kind::Error: read_stream(local, kind);
  }
}

// Handles the exit of a task without reaping it: its pid stays reserved until its group is killed.
void LiveStep::note_exit(std::size_t local) {
  Task& task = tasks_[local];
  if (task.has_exited) return;
  TaskExited exited;
  exited.local = local;
  if (task.process.pid == 0) {
    exited.exit_code = 1;
    exited.note = !task.cannot_start.empty() ? task.cannot_start
                  : !cannot_start_.empty()   ? cannot_start_
                                             : "no program was given for this task";
  } else {
    siginfo_t info{};
    rusage usage{};
    const long rc = ::syscall(SYS_waitid, P_PIDFD, task.process.exited.get(), &info,
                              WEXITED | WNOWAIT | WNOHANG, &usage);
    if (rc != 0 || info.si_pid == 0) return;
    around_.watches.remove(task.process.exited.get());
    const bool by_itself = info.si_code == CLD_EXITED;
    (by_itself ? exited.exit_code : exited.exit_signal) = info.si_status;
    exited.core_dumped = info.si_code == CLD_DUMPED;
    exited.usage = usage_of(usage);
    count_bytes(task.process.pid, exited);
    const std::string report = read_all(task.process.report.get());
    if (!report.empty()) exited.note = parse_start_failure(report).note;
  }
  task.has_exited = true;
  close_input(task);
  end_task(local, std::move(exited));
}

// Signals the task with this rank, or all tasks if `rank` is below 0. SIGKILL, SIGSTOP and SIGCONT
// always go to the whole process group of a task, as in Slurm.
void LiveStep::signal(std::int32_t signal, std::int32_t rank, Reach reach) {
  const bool to_group =
      reach == Reach::Group || signal == SIGKILL || signal == SIGSTOP || signal == SIGCONT;
  for (std::size_t local = 0; local < tasks_.size(); ++local) {
    const Task& task = tasks_[local];
    const pid_t pid = task.process.pid;
    const bool is_addressed = rank < 0 || launch_.ranks[local] == rank;
    if (!is_addressed || pid <= 0 || task.has_exited) continue;
    if (to_group) ::kill(-pid, signal);
    // Signals the task's own process, also if it has left its group. It is not reaped, so its pid
    // still belongs to it.
    if (!to_group || ::getpgid(pid) != pid) ::kill(pid, signal);
  }
}

void LiveStep::execute(const SignalAll& action) {
  if (attached_to_) return detach();
  signal(action.signal, -1, Reach::Group);
}

void LiveStep::execute(const KillLeftovers&) {
  const StepLeftovers leftovers(around_.folder, launch_.number);
  kill_epilogs();
  for (Task& task : tasks_) {
    if (task.process.pid <= 0) continue;
    ::kill(-task.process.pid, SIGKILL);
    ::kill(task.process.pid, SIGKILL);  // the task's process may have left its group
    if (!task.has_exited) continue;
    ::waitpid(task.process.pid, nullptr, 0);
    task.process.pid = 0;
  }
  leftovers.kill_all();
}

// ---- streams ---------------------------------------------------------------------------------

std::size_t LiveStep::read_stream(std::size_t local, Watches::Kind kind) {
  Task& task = tasks_[local];
  Descriptor& from = kind == Watches::Kind::Output ? task.process.output : task.process.error;
  if (!from.is_open() || is_paused_) return 0;
  std::array<char, stream_chunk_bytes_max> buffer;  // not initialised: reads are small
  const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (count <= 0) {  // at its end a terminal reports an error
    end_stream(local, kind);
    return 0;
  }
  credit_ -= count + stream_cost;
  const auto stream = kind == Watches::Kind::Output ? StreamName::Output : StreamName::Error;
  StreamBytes bytes{launch_.ranks[local], stream,
                    std::string(buffer.data(), static_cast<std::size_t>(count))};
  each_follower([&](LiveStep& follower) { follower.offer(bytes); });
  say(std::move(bytes));
  if (credit_ <= 0) pause_streams(true);
  return static_cast<std::size_t>(count);
}

// Reads at most as many bytes as a pipe holds, because a process may write for ever.
void LiveStep::execute(const ReadRest&) {
  for (std::size_t local = 0; local < tasks_.size(); ++local)
    for (const Watches::Kind kind : {Watches::Kind::Output, Watches::Kind::Error})
      for (std::size_t all = 0; all < task_pipe_bytes;) {
        const std::size_t read = read_stream(local, kind);
        if (read == 0) break;
        all += read;
      }
}

void LiveStep::end_stream(std::size_t local, Watches::Kind kind) {
  Task& task = tasks_[local];
  Descriptor& from = kind == Watches::Kind::Output ? task.process.output : task.process.error;
  around_.watches.remove(from.get());
  from.reset();
  const auto stream = kind == Watches::Kind::Output ? StreamName::Output : StreamName::Error;
  const StreamEnd end{launch_.ranks[local], stream};
  each_follower([&](LiveStep& follower) { follower.say(end); });
  say(end);
  settle_streams();
}

void LiveStep::settle_streams() {
  const bool any_open = std::ranges::any_of(tasks_, [](const Task& task) {
    return task.process.output.is_open() || task.process.error.is_open();
  });
  if (any_open || std::exchange(streams_settled_, true)) return;
  feed(StreamsEnded{});
}

void LiveStep::pause_streams(bool pause) {
  if (is_paused_ == pause) return;
  is_paused_ = pause;
  Watches& watches = around_.watches;
  for (std::size_t local = 0; local < tasks_.size(); ++local) {
    const TaskProcess& process = tasks_[local].process;
    const auto turn = [&](const Descriptor& one, Watches::Kind kind) {
      if (!one.is_open()) return;
      if (pause)
        watches.remove(one.get());
      else
        watches.add(one.get(), {launch_.number, local, kind});
    };
    turn(process.output, Watches::Kind::Output);
    turn(process.error, Watches::Kind::Error);
  }
  feed(StreamsPaused{pause});
}

void LiveStep::on(const OutputCredit& credit) {
  credit_ += std::clamp<std::int64_t>(credit.bytes, 0, stream_credit);
  if (credit_ > 0 && attached_to_) report_missed();
  if (credit_ > 0) pause_streams(false);
}

void LiveStep::on(const InputBytes& input) {
  LiveStep* taker = this;
  if (attached_to_) {
    const auto step = around_.steps.find(*attached_to_);
    taker = step == around_.steps.end() ? this : step->second.get();
  }
  taker->take_input(input, input_due_);
  give_input_credit(false);
}

void LiveStep::take_input(const InputBytes& input, const Due& due) {
  if (tasks_.empty() && !attached_to_) {
    early_input_.emplace_back(input, due);
    return;
  }
  const auto bytes = static_cast<std::int64_t>(input.data.size());
  auto chunk = std::make_shared<Chunk>(Chunk{input.data, bytes + stream_cost, due});
  for (std::size_t local = 0; local < tasks_.size(); ++local) {
    Task& task = tasks_[local];
    const bool is_addressed = input.rank < 0 || launch_.ranks[local] == input.rank;
    if (!is_addressed || !task.process.input.is_open()) continue;
    task.input.push_back(chunk);
    write_input(task, local);
  }
  if (chunk.use_count() == 1) *due += chunk->cost;
}

void LiveStep::on(const InputEnd&) {
  if (attached_to_) return;  // only srun, not sattach, ends the tasks' input
  input_ended_ = true;
  for (Task& task : tasks_)
    if (task.input.empty()) close_input(task);
  give_input_credit(true);
}

void LiveStep::write_input(Task& task, std::size_t local) {
  while (!task.input.empty() && task.process.input.is_open()) {
    const std::string& data = task.input.front()->data;
    const ssize_t count =
        ::write(task.process.input.get(), data.data() + task.written, data.size() - task.written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      if (!std::exchange(task.writes, true))
        around_.watches.add(task.process.input.get(),
                            {launch_.number, local, Watches::Kind::Input});
      return;
    }
    if (count < 0) return close_input(task);  // the task has closed its input
    task.written += static_cast<std::size_t>(count);
    if (task.written < data.size()) continue;
    const std::shared_ptr<Chunk> done = std::move(task.input.front());
    task.input.pop_front();
    task.written = 0;
    if (done.use_count() == 1) *done->due += done->cost;
  }
  if (std::exchange(task.writes, false)) around_.watches.remove(task.process.input.get());
  if (input_ended_) close_input(task);
  give_input_credit(false);
}

void LiveStep::close_input(Task& task) {
  Descriptor& input = task.process.input;
  for (const std::shared_ptr<Chunk>& dropped : std::exchange(task.input, {}))
    if (dropped.use_count() == 1) *dropped->due += dropped->cost;
  if (!input.is_open()) return;
  const bool is_terminal = begin_.pty_rank >= 0 && ::isatty(input.get()) == 1;
  if (is_terminal) [[maybe_unused]]
    const ssize_t ignored = ::write(input.get(), terminal_end.data(), terminal_end.size());
  around_.watches.remove(input.get());
  task.writes = false;
  input.reset();
  give_input_credit(false);
}

void LiveStep::give_input_credit(bool without_delay) {
  constexpr std::int64_t enough = input_credit / 4;
  if (*input_due_ == 0 || (!without_delay && *input_due_ < enough)) return;
  say(InputCredit{std::exchange(*input_due_, 0)});
}

// ---- MPI -------------------------------------------------------------------------------------

void LiveStep::carry_out(const std::vector<MpiEvent>& words) {
  for (const MpiEvent& word : words) {
    if (const auto* gather = std::get_if<StepGather>(&word))
      say(*gather);
    else
      feed(Aborted{std::get<MpiAbort>(word).message});
  }
}

void LiveStep::on(const StepGathered& gathered) {
  if (mpi_) carry_out(mpi_->on_gathered(gathered));
}

void LiveStep::on(const WindowSize& size) {
  winsize window{};
  window.ws_row = static_cast<unsigned short>(std::clamp(size.rows, 0, 0xffff));
  window.ws_col = static_cast<unsigned short>(std::clamp(size.columns, 0, 0xffff));
  for (std::size_t local = 0; local < tasks_.size(); ++local)
    if (launch_.ranks[local] == begin_.pty_rank && tasks_[local].process.output.is_open())
      ::ioctl(tasks_[local].process.output.get(), TIOCSWINSZ, &window);
}

}  // namespace cox
