// The part of StepSession that handles messages of the step's nodes: streams, credit, ends of
// tasks.
#include <signal.h>

#include <algorithm>
#include <utility>

#include "client/step/step_session.h"
#include "client/text/moments.h"
#include "common/base/text.h"

namespace cox {

using namespace srun;

namespace {

// Most bytes of output, of all nodes together, that were sent and not yet written. Roughly, since
// each node has at least node_credit_min.
constexpr std::int64_t unwritten_bytes_max = 256ll << 20;
constexpr std::int64_t node_credit_min = 1ll << 20;
constexpr std::size_t input_chunk_bytes_max = 64u << 10;

}  // namespace

std::int64_t StepSession::node_credit() const {
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(nodes_.size(), 1));
  return std::clamp(unwritten_bytes_max / count, node_credit_min, stream_credit);
}

void StepSession::send(const Node& node, Message message) {
  if (node.peer.empty() || node.left) return;
  actions_.push_back(SendMessage{node.peer, std::move(message)});
}

// Sends a signal to all tasks. A node that has not connected yet gets it as soon as its tasks
// begin.
void StepSession::signal_tasks(std::int32_t signal) {
  for (Node& node : nodes_)
    if (node.peer.empty())
      node.early_signals.push_back(signal);
    else
      send(node, SignalTasks{signal, -1});
}

void StepSession::handle(const MessageReceived& received, Now now) {
  if (const auto* joined = std::get_if<StepJoin>(&received.message)) {
    // A node may connect before the controller reports that the step is RUNNING.
    if (!runs())
      early_.emplace_back(received.peer, *joined);
    else
      join(received.peer, *joined);
    return;
  }
  const auto at = by_peer_.find(received.peer);
  if (at == by_peer_.end() || nodes_[at->second].left) return;
  std::visit([&](const auto& message) { on(at->second, message, now); }, received.message);
}

void StepSession::join(const std::string& peer, const StepJoin& joined) {
  const auto at = static_cast<std::size_t>(joined.node_index);
  const bool is_known = joined.number == step_->step.key.number && joined.node_index >= 0 &&
                        at < nodes_.size() && nodes_[at].peer.empty() &&
                        nodes_[at].name == joined.node;
  if (!is_known || by_peer_.contains(peer)) return;
  Node& node = nodes_[at];
  node.peer = peer;
  node.ranks = settings_.attached ? attached_ranks(node.name) : joined.ranks;
  by_peer_[peer] = at;
  if (begin_.commands.empty()) return;  // adopt() failed, and the step is being ended
  if (settings_.plan.asked.verbose > 0 && !settings_.attached)
    say("launching " + id() + " on host " + node.name + ", " + std::to_string(node.ranks.size()) +
        " tasks: " + rank_list(node.ranks));
  send(node, begin_);
  for (const std::int32_t signal : std::exchange(node.early_signals, {}))
    send(node, SignalTasks{signal, -1});
  if (input_over_ && gets_input(node)) send(node, InputEnd{});
}

// Returns the ranks of the tasks that the watched step has on this node.
std::vector<std::int32_t> StepSession::attached_ranks(const std::string& node) const {
  const Step& step = settings_.attached->step;
  const auto found = std::ranges::find(step.nodes, node, &StepNode::node);
  if (found == step.nodes.end()) return {};
  return ranks_on_nodes(step.nodes,
                        step.spec)[static_cast<std::size_t>(found - step.nodes.begin())];
}

void StepSession::on(std::size_t at, const TasksBegun& begun, Now) {
  if (settings_.plan.asked.verbose > 0)
    say("Node " + nodes_[at].name + ", " + std::to_string(begun.pids.size()) + " tasks started");
  const bool is_repeated = std::exchange(nodes_[at].pids, begun.pids).has_value();
  if (is_repeated || !asked_.shows_processes || begin_.commands.empty()) return;
  if (std::ranges::all_of(nodes_, [](const Node& node) { return node.pids.has_value(); }))
    show_processes();
}

// Prints host, process id and program of each task, in Slurm's form and in the order of ranks.
void StepSession::show_processes() {
  std::map<std::int32_t, std::string> lines;
  for (const Node& node : nodes_)
    for (std::size_t i = 0; i < std::min(node.ranks.size(), node.pids->size()); ++i)
      lines[node.ranks[i]] = "host:" + node.name + ", pid:" + std::to_string((*node.pids)[i]);
  std::map<std::int32_t, std::string> programs;
  for (const TaskCommand& command : begin_.commands)
    for (const std::int32_t rank : command.ranks) programs[rank] = command.words.front();
  const std::string& only_program = begin_.commands.front().words.front();
  for (const auto& [rank, line] : lines) {
    const auto own = programs.find(rank);
    say("task:" + std::to_string(rank) + ", " + line +
        ", executable:" + (own == programs.end() ? only_program : own->second));
  }
}

// ---- output ----------------------------------------------------------------------------------

Sink StepSession::sink_of(StreamName stream) const {
  return stream == StreamName::Output || routes_.error_joins ? Sink::Output : Sink::Error;
}

void StepSession::credit(std::size_t at, std::int64_t bytes) {
  Node& node = nodes_[at];
  node.credit_due += bytes;
  if (node.credit_due < node_credit() / 4) return;
  send(node, OutputCredit{std::exchange(node.credit_due, 0)});
}

void StepSession::on(std::size_t at, const StreamBytes& data, Now) {
  const std::int64_t cost = static_cast<std::int64_t>(data.data.size()) + stream_cost;
  const StreamRoute& route = sink_of(data.stream) == Sink::Output ? routes_.output : routes_.error;
  if (route.only_rank >= 0 && route.only_rank != data.rank) return credit(at, cost);
  const bool in_lines = lines_ && (asked_.label || route.only_rank < 0);
  std::string text = in_lines ? lines_->take(data.rank, data.stream, data.data) : data.data;
  if (text.empty()) return credit(at, cost);
  actions_.push_back(
      Write{sink_of(data.stream), std::move(text), static_cast<std::int32_t>(at), cost});
}

void StepSession::on(std::size_t, const StreamEnd& end, Now) {
  if (!lines_) return;
  std::string rest = lines_->end(end.rank, end.stream);
  if (!rest.empty()) actions_.push_back(Write{sink_of(end.stream), std::move(rest)});
}

void StepSession::handle(const Written& written, Now) {
  if (written.node < 0) return;
  credit(static_cast<std::size_t>(written.node), written.credit);
}

// ---- ends ------------------------------------------------------------------------------------

void StepSession::on(std::size_t at, const TaskEnded& ended, Now now) {
  Node& node = nodes_[at];
  const bool is_its = std::ranges::find(node.ranks, ended.rank) != node.ranks.end();
  if (!is_its || !node.ended.insert(ended.rank).second) return;
  if (ended_badly(ended)) node.failed.insert(ended.rank);
  killed_by_signal_ =
      killed_by_signal_ || ended.exit_signal == SIGKILL || ended.exit_signal == SIGTERM;
  if (!ended.note.empty()) notes_.insert(ended.note);
  // A user who ended the step with Ctrl-C expects that a signal ends the task. As Slurm's srun,
  // reports the signal then only with --verbose.
  const bool is_expected = forced_ && settings_.plan.asked.verbose == 0 && ended.exit_signal != 0 &&
                           !ended.out_of_memory;
  if (is_expected)
    ends_.count(ended);
  else
    ends_.add(static_cast<std::int32_t>(at), ended, now.boot);
  if (asked_.wait_s > 0 && !wait_at_ && !ending_)
    wait_at_ = now.boot + Milliseconds{asked_.wait_s * 1000};
  if (!asked_.kill_on_bad_exit || !ended_badly(ended) || ending_) return;
  for (const std::string& line : ends_.report_node(static_cast<std::int32_t>(at), node.name))
    complain(line);
  say("Terminating " + id());
  end_step();
}

void StepSession::on(std::size_t at, const StepLeft& left, Now now) {
  Node& node = nodes_[at];
  send(node, StepReleased{});
  node.left = true;
  const StepKey& key = step_->step.key;
  const bool is_cut = left.timed_out || left.stopped || killed_;
  if (is_cut && !ending_) say_aborted();
  if (is_cut && at == 0)  // as in Slurm, printed only for the first node
    warn("*** STEP " + std::to_string(key.attempt.job.value) + "." + std::to_string(key.number) +
         " ON " + node.name + " CANCELLED AT " +
         slurm_moment_text(now.wall, {false, now.wall, settings_.zone}) +
         (left.timed_out ? " DUE TO TIME LIMIT ***" : " ***"));
  for (const std::string& line : ends_.report_node(static_cast<std::int32_t>(at), node.name))
    complain(line);
  if (!left.note.empty() && !notes_.contains(left.note)) complain(node.name + ": " + left.note);
  if (left.aborted) end_step();
}

// ---- input -----------------------------------------------------------------------------------

bool StepSession::gets_input(const Node& node) const {
  const bool by_pty = asked_.pty;
  if (!by_pty && routes_.input.mode != StreamMode::Client) return false;
  const std::int32_t rank = by_pty ? 0 : routes_.input.only_rank;
  if (rank < 0) return true;
  return std::ranges::find(node.ranks, rank) != node.ranks.end();
}

// The node with the least credit limits how much input may be read, since all get the same input.
std::size_t StepSession::input_room() const {
  if (!runs() || input_over_) return 0;
  std::int64_t room = static_cast<std::int64_t>(input_chunk_bytes_max);
  bool anyone = false;
  for (const Node& node : nodes_) {
    if (node.peer.empty()) return 0;  // not connected: its ranks are not known yet
    if (node.left || !gets_input(node)) continue;
    anyone = true;
    room = std::min(room, node.input_room - stream_cost);
  }
  return anyone && room > 0 ? static_cast<std::size_t>(room) : 0;
}

void StepSession::handle(const InputRead& read, Now) {
  for (Node& node : nodes_) {
    if (node.left || !gets_input(node)) continue;
    node.input_room -= static_cast<std::int64_t>(read.data.size()) + stream_cost;
    send(node, InputBytes{routes_.input.only_rank, read.data});
  }
}

void StepSession::handle(const InputEnded&, Now) {
  if (std::exchange(input_over_, true)) return;
  for (const Node& node : nodes_)
    if (gets_input(node)) send(node, InputEnd{});
}

// ---- fences of MPI programs ------------------------------------------------------------------

void StepSession::on(std::size_t at, const StepGather& gather, Now) {
  std::map<std::size_t, std::string>& said = gathers_[gather.turn];
  said[at] = gather.data;
  if (said.size() < nodes_.size()) return;
  StepGathered gathered{gather.turn, {}};
  for (auto& [node, data] : said) gathered.data.push_back(std::move(data));
  gathers_.erase(gather.turn);
  for (const Node& node : nodes_) send(node, gathered);
}

void StepSession::on(std::size_t at, const InputCredit& credit, Now) {
  Node& node = nodes_[at];
  node.input_room =
      std::min(node.input_room + std::max<std::int64_t>(credit.bytes, 0), input_credit);
}

}  // namespace cox
