// A cluster in memory for the tests of the controller, without sockets or processes: the real
// Controller on the store in memory, and workers whose messages the test writes. Every message is
// encoded and decoded on its way.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/messages/codec.h"
#include "controller/turn/controller.h"
#include "tests/support/memory_store.h"

namespace cox {

class Bench {
 public:
  Bench() {
    config.checkpoint_root = "/checkpoints";
    config.partitions = {{"main", {}, true, 0, 0, 0}};
    config.owner_uid = 1000;
    config.fault_settle = Milliseconds{0};
    restart();
  }

  // Starts a new controller on the same store, as after a crash.
  void restart() {
    controller = std::make_unique<Controller>(config, store);
    controller->start(now);
    settle();
  }

  void node(const std::string& name, std::int64_t cpus, std::vector<std::string> features = {},
            std::vector<GresCount> gres = {}, std::int32_t gpus = 0,
            const std::string& gpu_type = "h100") {
    WorkerHello hello;
    for (std::int32_t i = 0; i < gpus; ++i) hello.node.total.gpus.push_back({i, gpu_type, "", 0});
    hello.node.name = name;
    hello.node.total.cpus = cpus;
    hello.node.total.memory_mb = 1000;
    hello.node.features = std::move(features);
    hello.node.total.gres = std::move(gres);
    hello.node.address = "10.0.0." + name.substr(1);
    hello.session = "session-" + name + std::to_string(++sessions);
    hello.number = ++numbers[name];
    hello.term_seen = controller->cluster().term();
    session[name] = hello.session;
    deliver(name, hello);
  }

  struct Ask {
    std::int64_t nodes = 1;
    std::int64_t tasks = 1;
    std::string qos = "standard";
    std::string constraint = {};
    std::int64_t time_limit_s = 0;
    std::int32_t checkpoint_signal = 0;
    std::function<void(JobSpec&)> with = {};  // sets further fields of the submission
    std::string gres = {};
    std::string licences = {};
  };
  std::string user = "ada";  // the user in whose name ask() and submit() send requests
  Failure wrong_settings;    // if set, reading coxswain.toml again fails with this refusal
  HostGroups groups = {};    // the groups of the host that a lookup for a request finds
  JobId submit(const Ask& ask, const std::string& request_id = "") {
    SubmitJob s;
    s.request_id = request_id.empty() ? "r" + std::to_string(++requests) : request_id;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.nodes = ask.nodes;
    s.spec.tasks = ask.tasks;
    s.spec.qos = ask.qos;
    s.spec.constraint = ask.constraint;
    s.spec.time_limit_s = ask.time_limit_s;
    s.spec.checkpoint_signal = ask.checkpoint_signal;
    if (ask.with) ask.with(s.spec);
    if (s.spec.form == JobForm::Batch) s.script = "#!/bin/sh\n";
    s.spec.gres = ask.gres;
    s.spec.licences = ask.licences;
    s.environment = std::string("A=1\0", 4);
    const Reply reply = this->ask(s);
    const auto* submitted = std::get_if<Submitted>(&reply.body);
    EXPECT_NE(submitted, nullptr) << refusal_of(reply);
    return submitted == nullptr ? JobId{} : submitted->id;
  }

  static std::string refusal_of(const Reply& reply) {
    const auto* refused = std::get_if<Refused>(&reply.body);
    return refused == nullptr ? "" : refused->why.fact;
  }

  Reply ask(decltype(Request::body) body) { return ask_as(1000, std::move(body)); }

  Reply ask_as(std::uint32_t uid, decltype(Request::body) body) {
    Request request{++requests, std::move(body)};
    Caller caller{Caller::Kind::Client, "", user, uid, uid};
    PeerMessage incoming{"client", caller, Message{request}};
    incoming.wrong_settings = wrong_settings;
    incoming.groups = groups;
    controller->receive(std::move(incoming), now);
    settle();
    Reply reply;
    std::erase_if(sent, [&](const Outgoing& o) {
      const auto* r = std::get_if<Reply>(&o.message);
      if (o.peer != "client" || r == nullptr || r->number != request.number) return false;
      reply = *r;
      return true;
    });
    EXPECT_EQ(reply.number, request.number) << "no reply";
    return reply;
  }

  void deliver(const std::string& node, Message message) {
    const auto decoded = decode(encode(message));
    ASSERT_TRUE(decoded.ok()) << decoded.refusal().fact;
    Caller caller{Caller::Kind::Worker, node, "ada", 1000, 1000};
    controller->receive({"worker-" + node, caller, decoded->front()}, now);
    settle();
  }

  void status(const std::string& node, AttemptStatus status) {
    status.revision = ++revisions[node];
    deliver(node, StatusReport{node, std::move(status), session[node], ++numbers[node]});
  }

  void beat(const std::string& node, std::vector<Heartbeat::Entry> entries = {}) {
    deliver(node, Heartbeat{node, session[node], ++numbers[node], std::move(entries)});
  }

  AttemptStatus status_of(JobId id, NodePhase phase) {
    AttemptStatus s;
    s.key = {id, job(id).job.attempt};
    s.phase = phase;
    return s;
  }

  // Reports every node of the live attempt as ready, so that the gang starts.
  void ready(JobId id) {
    for (const auto& n : attempt(id).nodes) {
      auto s = status_of(id, NodePhase::Ready);
      s.master_port = 4000;
      status(n.grant.node, s);
    }
  }

  // What nodes report of the ranks that finish() ends.
  std::optional<bool> asked_to_stop;
  // Ends all ranks of the job with this exit code, and reports that no process is left.
  void finish(JobId id, int code, bool saved = false, std::int64_t step = 0) {
    const Attempt live = attempt(id);
    for (const auto& n : live.nodes) {
      auto s = status_of(id, NodePhase::Gone);
      for (std::int32_t k = 0; k < n.grant.ranks; ++k) {
        RankStatus r;
        r.rank = n.grant.first_rank + k;
        r.phase = RankPhase::Exited;
        r.exit_code = code;
        r.ended = now.wall;
        r.asked_to_stop = asked_to_stop;
        if (saved) r.saved.push_back({step, 10, 1, true});
        s.ranks.push_back(r);
      }
      status(n.grant.node, s);
    }
  }

  void pass(Milliseconds time) {
    now.boot += time;
    now.wall += time;
    controller->tick(now);
    settle();
  }

  // Lets the time pass while only the nodes `alive` send heartbeats; the other nodes become silent.
  void pass_with_beats(Milliseconds time, const std::vector<std::string>& alive) {
    for (Milliseconds done{0}; done < time; done += Milliseconds{1000}) {
      for (const auto& n : alive) beat_as_is(n);
      pass(Milliseconds{1000});
    }
  }

  // Sends a heartbeat that lists exactly the attempts that the controller has recorded on the node.
  void beat_as_is(const std::string& node) {
    std::vector<Heartbeat::Entry> entries;
    for (const JobId id : controller->cluster().jobs().on_node(node))
      for (const auto& n : attempt(id).nodes)
        if (n.grant.node == node && n.phase != NodePhase::Gone)
          entries.push_back({attempt(id).key, n.revision, n.phase, 0});
    beat(node, entries);
  }

  void settle() {
    for (int i = 0; i < 20; ++i) controller->run(now);
    if (controller->ready()) controller->verify();
    for (auto& o : controller->take<Outgoing>()) {
      const auto decoded = decode(encode(o.message));
      ASSERT_TRUE(decoded.ok());
      sent.push_back({o.peer, decoded->front()});
    }
  }

  // The sent messages of one kind, with their receivers. If a test accesses more messages than were
  // sent, only that test fails. A crash would lose the results of all other tests.
  template <class M>
  class Taken : public std::vector<std::pair<PeerName, M>> {
   public:
    using One = std::pair<PeerName, M>;
    const One& front() const { return (*this)[0]; }
    const One& back() const { return (*this)[this->empty() ? 0 : this->size() - 1]; }
    const One& operator[](std::size_t at) const {
      static const One none;
      if (at < this->size()) return *(this->begin() + static_cast<std::ptrdiff_t>(at));
      ADD_FAILURE() << "only " << this->size() << " of these messages were sent";
      return none;
    }
  };

  template <class M>
  Taken<M> take() {
    Taken<M> found;
    std::erase_if(sent, [&](const Outgoing& o) {
      const auto* m = std::get_if<M>(&o.message);
      if (m != nullptr) found.emplace_back(o.peer, *m);
      return m != nullptr;
    });
    return found;
  }

  const JobEntry& job(JobId id) const {
    static const JobEntry none;
    const JobEntry* entry = controller->cluster().job(id);
    if (entry == nullptr) ADD_FAILURE() << "there is no job " << id.value;
    return entry == nullptr ? none : *entry;
  }
  const Attempt& attempt(JobId id) const {
    static const Attempt none;
    const auto& attempts = job(id).attempts;
    if (attempts.empty()) ADD_FAILURE() << "job " << id.value << " has not started";
    return attempts.empty() ? none : attempts.back();
  }
  std::string state(JobId id) const { return std::string(name(job(id).job.state)); }
  std::string nodes(JobId id) const {
    std::string text;
    for (const auto& n : attempt(id).nodes) text += n.grant.node;
    return text;
  }

  ControllerConfig config;
  std::shared_ptr<MemoryDatabase> database = std::make_shared<MemoryDatabase>();
  MemoryStore store{database};
  std::unique_ptr<Controller> controller;
  Now now{boot_from_ms(1'000'000), wall_from_ms(1'700'000'000'000)};
  std::vector<Outgoing> sent;
  std::map<std::string, std::string> session;
  std::map<std::string, std::int64_t> numbers;
  std::map<std::string, std::int64_t> revisions;
  int sessions = 0;
  int requests = 0;
};

}  // namespace cox
