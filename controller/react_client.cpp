// What people ask. Each request gets exactly one reply with its number.
#include "common/limits.h"
#include "controller/admit.h"
#include "controller/react.h"

namespace cox {
namespace {

constexpr std::int64_t wait_ms_max = 60'000;

struct Asker {
  Reaction& r;
  const PeerName& peer;
  const Caller& caller;
  std::int64_t number;

  void refuse(Refusal why) const { r.reply(peer, number, Refused{std::move(why)}); }

  void operator()(const SubmitJob& ask) const { on_submit(r, peer, number, caller, ask); }

  void operator()(const ListJobs& ask) const {
    if (ask.ids.size() > limits::page_rows_max)
      return refuse(
          {"more than " + std::to_string(limits::page_rows_max) + " ids", "ask for fewer"});
    r.reply(peer, number, list_jobs(r.cluster(), ask, r.now()));
  }

  void operator()(const ListNodes&) const { r.reply(peer, number, nodes_of(r.cluster(), r.now())); }

  void operator()(const ShowJob& ask) const {
    if (const JobEntry* e = r.cluster().job(ask.id)) {
      r.reply(peer, number, detail_of(r.cluster(), *e, r.now()));
    } else {
      r.reads.push_back({WantedRead::What::Job, peer, number, ask.id, 0});
    }
  }

  void operator()(const ShowHistory& ask) const {
    r.reads.push_back({WantedRead::What::History, peer, number, ask.id, ask.after_sequence});
  }

  void operator()(const WaitJob& ask) const {
    const JobEntry* e = r.cluster().job(ask.id);
    if (e == nullptr) return (*this)(ShowJob{ask.id});
    if (e->change_count != ask.known_change_count || ask.wait_ms <= 0) {
      r.reply(peer, number, detail_of(r.cluster(), *e, r.now()));
      return;
    }
    const Milliseconds wait{std::min(ask.wait_ms, wait_ms_max)};
    r.waiters.push_back({peer, number, ask.id, ask.known_change_count, r.now().boot + wait});
  }

  void operator()(const ActOnJobs& ask) const {
    if (ask.ids.size() > limits::request_ids_max)
      return refuse(
          {"more than " + std::to_string(limits::request_ids_max) + " jobs in one request",
           "name fewer at a time"});
    Acted acted;
    for (const JobId id : ask.ids) acted.outcomes.push_back(act_on_job(r, caller, ask.verb, id));
    r.reply(peer, number, std::move(acted));
  }

  void operator()(const ActOnNodes& ask) const {
    if (ask.nodes.size() > limits::hostlist_nodes_max)
      return refuse({"more than " + std::to_string(limits::hostlist_nodes_max) + " nodes", ""});
    Acted acted;
    for (const auto& n : ask.nodes) acted.outcomes.push_back(act_on_node(r, caller, ask, n));
    r.reply(peer, number, std::move(acted));
  }

  void operator()(const ShowCluster&) const {
    ClusterView view;
    view.name = r.cluster().config().cluster_name;
    view.version = COX_VERSION;
    view.term = r.cluster().term();
    view.nodes = static_cast<std::int64_t>(r.cluster().nodes().size());
    for (const auto& [name, node] : r.cluster().nodes())
      view.nodes_responding += node.responding && !r.cluster().liveness(name).session.empty();
    for (const JobId id : r.cluster().unfinished())
      (is_live(r.cluster().job(id)->job.state) ? view.jobs_live : view.jobs_pending) += 1;
    view.database = "ready";
    for (const auto& [name, q] : r.cluster().qos()) view.qos.push_back(name);
    r.reply(peer, number, std::move(view));
  }

  void operator()(const ReadLog&) const {
    refuse({"the controller carries no logs", "ask the worker that LocateLog names"});
  }

  void operator()(const LocateLog& ask) const {
    if (const JobEntry* e = r.cluster().job(ask.id)) {
      r.reply(peer, number, log_place(r.cluster(), *e, ask));
    } else {
      r.reads.push_back({WantedRead::What::Log, peer, number, ask.id, 0, ask});
    }
  }
};

}  // namespace

void on_request(Reaction& r, const PeerName& peer, const Caller& caller, const Request& request) {
  std::visit(Asker{r, peer, caller, request.number}, request.body);
}

void on_submit(Reaction& r, const PeerName& peer, std::int64_t number, const Caller& caller,
               const SubmitJob& submit) {
  if (const auto known = r.cluster().job_of_request(submit.request_id);
      known && !submit.request_id.empty()) {
    r.reply(peer, number, Submitted{*known, true});
    return;
  }
  auto spec = admit(r.cluster(), caller, submit, r.now());
  if (!spec) {
    r.reply(peer, number, Refused{spec.refusal()});
    return;
  }
  Job job;
  job.id = r.cluster().next_job();
  job.spec = std::move(*spec);
  job.held = job.spec.hold;
  job.request_id = submit.request_id;
  job.submitted = job.eligible = r.now().wall;
  Blob script{job.spec.script_hash, submit.script};
  Blob environment{job.spec.environment_hash, submit.environment};
  const JobId id = job.id;
  r.add_job(std::move(job), std::move(script), std::move(environment), "submitted");
  r.reply(peer, number, Submitted{id, false});
}

void react(Reaction& r, const PeerSaid& said) {
  const bool worker = said.caller.kind == Caller::Kind::Worker;
  const auto may_speak_for = [&](const std::string& node) {
    return worker && (said.caller.node.empty() || said.caller.node == node);
  };
  const auto reject = [&](const std::string& fact) {
    r.send(said.peer, Rejected{{fact, "use the key that was made for it"}});
  };
  if (const auto* hello = std::get_if<WorkerHello>(&said.message)) {
    if (!may_speak_for(hello->node.name)) return reject("this key does not stand for the node");
    on_hello(r, said.peer, *hello);
  } else if (const auto* beat = std::get_if<Heartbeat>(&said.message)) {
    if (may_speak_for(beat->node)) on_heartbeat(r, *beat);
  } else if (const auto* report = std::get_if<StatusReport>(&said.message)) {
    if (!may_speak_for(report->node)) return reject("this key does not stand for the node");
    if (take_number(r.beliefs(), report->node, report->session, report->number, r.now().boot))
      on_status(r, said.peer, *report);
  } else if (const auto* request = std::get_if<Request>(&said.message)) {
    if (worker) return reject("a worker's key asks nothing");
    on_request(r, said.peer, said.caller, *request);
  }
}

}  // namespace cox
