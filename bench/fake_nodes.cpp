#include "bench/fake_nodes.h"

#include "bench/measure.h"
#include "common/base/limits.h"
#include "common/io/clock.h"

namespace cox::bench {
namespace {

constexpr std::size_t hellos_at_once = 500;
// Number of slices of the nodes; in a second, each slice sends its heartbeats in turn.
constexpr std::size_t beats_a_second_of = 100;

}  // namespace

FakeNodes::FakeNodes(const ClientConfig& config, int nodes, std::int64_t cpus, Jobs jobs)
    : poller_(Poller::create()), run_(random_hex(8)), cpus_(cpus), jobs_(jobs) {
  auto connection = Connection::open({config.controller, config.controller_key, {}});
  if (!connection) give_up(connection.refusal().fact);
  connection_ = std::move(*connection);
  connection_->add_to(*poller_);
  for (int i = 0; i < nodes; ++i) {
    FakeNode& node = nodes_.emplace_back();
    node.name = "fake" + std::to_string(i);
    by_name_[node.name] = by_session_[session_of(node)] = nodes_.size() - 1;
  }
}

// Returns a session that is unique to this run. Messages in the session of an earlier run would be
// stale for the controller.
std::string FakeNodes::session_of(const FakeNode& node) const {
  return run_ + "-" + node.name;
}

void FakeNodes::hello(FakeNode& node) {
  WorkerHello hello;
  hello.node.name = node.name;
  hello.node.total.cpus = cpus_;
  hello.node.total.memory_mb = 64'000;
  hello.node.address = "127.0.0.1";
  hello.node.boot_id = "fake";
  hello.node.version = "bench";
  hello.session = session_of(node);
  hello.number = ++node.number;
  node.term_sent = term_;
  hello.term_seen = term_;
  for (const auto& [job, status] : node.attempts) hello.attempts.push_back(status);
  outgoing_.emplace_back(std::move(hello));
}

void FakeNodes::beat(FakeNode& node) {
  Heartbeat heartbeat{node.name, session_of(node), ++node.number, {}};
  for (const auto& [job, status] : node.attempts)
    heartbeat.attempts.push_back({status.key, status.revision, status.phase, 0});
  outgoing_.emplace_back(std::move(heartbeat));
  if (jobs_ == Jobs::RunForGood) return;
  // Reports each status until it is acknowledged, as a worker does. All nodes share one connection,
  // from which the controller reads only a limited amount at once.
  for (const auto& [job, status] : node.attempts) report(node, status);
}

void FakeNodes::report(FakeNode& node, const AttemptStatus& status) {
  outgoing_.emplace_back(StatusReport{node.name, status, session_of(node), ++node.number});
}

void FakeNodes::prepare(const LaunchSpec& launch) {
  const PlacedNode& placed = launch.nodes[static_cast<std::size_t>(launch.node_index)];
  const std::size_t at = by_name_.at(placed.grant.node);
  const std::int64_t job = launch.key.job.value;
  AttemptStatus& status = nodes_[at].attempts[job];
  status = AttemptStatus{};
  status.key = launch.key;
  status.revision = 1;
  status.phase = NodePhase::Ready;
  status.master_port = launch.node_index == 0 ? 29'500 : 0;
  const std::int32_t ranks = ranks_run_on(launch.spec, placed.grant, launch.node_index);
  for (std::int32_t i = 0; i < ranks; ++i) {
    RankStatus& rank = status.ranks.emplace_back();
    rank.rank = placed.grant.first_rank + i;
    rank.output_from = rank.error_from = 0;
  }
  nodes_of_job_[job].push_back(at);
  report(nodes_[at], status);
}

void FakeNodes::go(const Go& order) {
  const Wall now = read_clock().wall;
  for (const std::size_t at : nodes_of_job_[order.key.job.value]) {
    AttemptStatus& status = nodes_[at].attempts[order.key.job.value];
    if (status.key != order.key || status.phase == NodePhase::Gone) continue;
    status.revision = 2;
    const bool ends = jobs_ == Jobs::EndAtOnce;
    status.phase = ends ? NodePhase::Gone : NodePhase::Running;
    for (RankStatus& rank : status.ranks) {
      rank.phase = ends ? RankPhase::Exited : RankPhase::Running;
      rank.started = now;
      if (ends) rank.ended = now;
    }
    report(nodes_[at], status);
  }
  started_.push_back(order.key.job.value);
}

void FakeNodes::on(const Message& message) {
  if (const auto* welcome = std::get_if<Welcome>(&message)) {
    FakeNode& node = nodes_[by_session_.at(welcome->session)];
    heartbeat_ns_ = welcome->heartbeat_ms * 1'000'000;
    term_ = std::max(term_, welcome->term);
    // Sends the hello again with the new term, as a worker does: the controller waits for that.
    if (node.term_sent < term_) return hello(node);
    if (!node.welcome) ++welcomed_;
    node.welcome = true;
  } else if (const auto* ack = std::get_if<HeartbeatAck>(&message)) {
    if (ack->hello_wanted) hello(nodes_[by_session_.at(ack->session)]);
  } else if (const auto* prepare = std::get_if<Prepare>(&message)) {
    this->prepare(prepare->launch);
  } else if (const auto* order = std::get_if<Go>(&message)) {
    go(*order);
  } else if (const auto* ack = std::get_if<StatusAck>(&message)) {
    const auto nodes = nodes_of_job_.find(ack->key.job.value);
    if (ack->revision < 2 || nodes == nodes_of_job_.end() || jobs_ == Jobs::RunForGood) return;
    for (const std::size_t at : nodes->second) nodes_[at].attempts.erase(ack->key.job.value);
    nodes_of_job_.erase(nodes);
    ++ended_;
  } else if (const auto* rejected = std::get_if<Rejected>(&message)) {
    give_up("rejected: " + rejected->why.fact);
  }
}

void FakeNodes::turn(Milliseconds wait) {
  if (next_beat_ns_ != 0 && now_ns() >= next_beat_ns_) {
    const std::size_t slice = nodes_.size() / beats_a_second_of + 1;
    for (std::size_t i = 0; i < slice; ++i) beat(nodes_[beat_at_++ % nodes_.size()]);
    next_beat_ns_ += heartbeat_ns_ / static_cast<std::int64_t>(nodes_.size() / slice + 1);
  }
  for (std::size_t from = 0; from < outgoing_.size(); from += limits::frame_messages_max / 8) {
    const std::size_t to = std::min(outgoing_.size(), from + limits::frame_messages_max / 8);
    connection_->send({outgoing_.begin() + static_cast<std::ptrdiff_t>(from),
                       outgoing_.begin() + static_cast<std::ptrdiff_t>(to)});
  }
  outgoing_.clear();
  poller_->wait(wait);
  if (poller_->is_end_requested()) give_up("asked to end");
  for (const Message& message : connection_->receive()) on(message);
}

void FakeNodes::join() {
  Standstill standstill("the welcome of " + std::to_string(nodes_.size()) + " nodes");
  for (std::size_t at = 0; welcomed_ < nodes_.size();) {
    for (; at < nodes_.size() && at < welcomed_ + hellos_at_once; ++at) hello(nodes_[at]);
    turn(Milliseconds{100});
    standstill.check(static_cast<std::int64_t>(welcomed_));
  }
  next_beat_ns_ = now_ns();
}

}  // namespace cox::bench
