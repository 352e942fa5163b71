#include "controller/operate/react.h"

// Dispatches each message. Each request gets exactly one reply, which has the number of the
// request.
#include "common/base/limits.h"
#include "common/job/job_row.h"
#include "controller/accounting/administer.h"
#include "controller/admit/cron.h"
#include "controller/admit/input_checks.h"
#include "controller/answer/answer.h"
#include "controller/answer/answer_array.h"
#include "controller/answer/inquiries.h"
#include "controller/attempt/react_worker.h"
#include "controller/attempt/steps.h"
#include "controller/attempt/worker_questions.h"
#include "controller/change/job_records.h"
#include "controller/ledger/authorisation.h"
#include "controller/ledger/checkpoints.h"
#include "controller/ledger/event_triggers.h"
#include "controller/ledger/verification.h"
#include "controller/operate/act.h"
#include "controller/operate/act_on_array.h"
#include "controller/operate/react_reservation.h"
#include "controller/operate/submit.h"
#include "controller/operate/test_job.h"
#include "controller/operate/update.h"
#include "controller/operate/update_partition.h"
#include "controller/scheduling/enact.h"
#include "controller/scheduling/ineligible.h"
#include "controller/scheduling/snapshot.h"
#include "controller/state/reservations.h"

namespace cox {
namespace {

constexpr std::int64_t wait_ms_max = 60'000;

struct RequestHandler {
  Reaction& r;
  const PeerMessage& incoming;
  std::int64_t number;
  const PeerName& peer = incoming.peer;
  const Caller& caller = incoming.caller;

  void refuse(Refusal why) const { r.reply(peer, number, Refused{std::move(why)}); }

  void operator()(const SubmitJob& ask) const { on_submit(r, incoming, number, ask); }

  void operator()(const SubmitJobs& ask) const { on_submit_many(r, incoming, number, ask); }

  void operator()(const TestJob& ask) const { on_test(r, incoming, number, ask); }

  void operator()(const ListJobs& ask) const {
    if (ask.ids.size() > limits::page_rows_max)
      return refuse(
          {"more than " + std::to_string(limits::page_rows_max) + " ids", "ask for fewer"});
    std::int64_t tasks = 0;
    for (const std::string& named : ask.tasks)
      if (const auto some = parse_array_tasks(named)) tasks += some->count();
    if (tasks > limits::array_tasks_max)
      return refuse({"more than " + std::to_string(limits::array_tasks_max) + " tasks",
                     "ask for fewer, or for whole arrays"});
    // Only the first page of a list runs a pass to explain pending jobs; the other pages show its
    // results. A pass for each page would delay the scheduler.
    if (ask.after == JobId{}) explain_pending_jobs(r, std::nullopt);
    r.reply(peer, number, list_jobs(r.cluster(), ask, r.now()));
  }

  void operator()(const ListNodes&) const { r.reply(peer, number, nodes_of(r.cluster(), r.now())); }

  void operator()(const ListLicences&) const { r.reply(peer, number, licences_of(r.cluster())); }

  void operator()(const ActOnReservation& ask) const { on_reservation(r, incoming, number, ask); }

  void operator()(const ListReservations&) const {
    r.reply(peer, number, reservations_of(r.cluster(), r.now()));
  }

  // Requests a read of the store. Its result becomes the reply.
  void read(decltype(WantedRead::what) what) const {
    r.reads.push_back({peer, number, std::move(what)});
  }

  // Returns the row that the request names: a job, or the row that stands for a task of an array.
  // nullopt: the request was refused, or waits for the store to read the job.
  template <class Question>
  std::optional<JobId> selected_row(const Question& ask) const {
    if (ask.task < 0) return ask.id;
    if (const auto row = r.cluster().jobs().arrays().row_of(ask.id, ask.task)) {
      if (auto why = check_one_row(r.cluster().job(*row)->job, ask.tasks)) {
        refuse(*why);
        return std::nullopt;
      }
      return row;
    }
    const JobSelector of{ask.id, ask.task, ask.tasks};
    if constexpr (requires { ask.after_sequence; })
      read(HistoryWanted{of, ask.after_sequence, false});
    else
      read(JobWanted{of});
    return std::nullopt;
  }

  void operator()(const ShowJob& ask) const {
    const auto id = selected_row(ask);
    if (!id) return;
    const JobEntry* e = r.cluster().job(*id);
    if (e == nullptr) {
      JobWanted what{{*id, std::min<std::int64_t>(ask.task, -1)}};
      if (caller.kind == Caller::Kind::Worker)
        what.worker = std::make_shared<PeerMessage>(incoming);
      return read(std::move(what));
    }
    if (!may_see(caller, e->attempts)) return refuse(not_on_node(caller.node));
    const bool whole = is_whole_array(r.cluster(), e->job, ask.task);
    if (whole) e = r.cluster().job(row_of_array(r.cluster(), *id));
    explain_pending_jobs(r, e->job.id);
    r.reply(peer, number,
            whole ? detail_of_array(r.cluster(), *e, r.now(), true)
                  : detail_of(r.cluster(), *e, r.now()));
  }

  void operator()(const ShowHistory& ask) const {
    const auto id = selected_row(ask);
    if (!id) return;
    const JobEntry* e = r.cluster().job(*id);
    // If the job is not in memory, the store finds out whether it is an array.
    const bool whole = e == nullptr ? ask.task < 0 : is_whole_array(r.cluster(), e->job, ask.task);
    read(HistoryWanted{{*id}, ask.after_sequence, whole});
  }

  void operator()(const WaitJob& ask) const {
    const auto id = selected_row(ask);
    if (!id) return;
    const JobEntry* e = r.cluster().job(*id);
    if (e == nullptr) return (*this)(ShowJob{*id});
    if (may_act_on(r.cluster(), caller, e->job))
      r.soft_state().edit(*id).last_client_contact = r.now().boot;
    explain_pending_jobs(r, *id);
    const bool whole = is_whole_array(r.cluster(), e->job, ask.task);
    if (e->change_count != ask.known_change_count || ask.wait_ms <= 0) {
      r.reply(peer, number,
              whole ? detail_of_array(r.cluster(), *e, r.now(), false)
                    : detail_of(r.cluster(), *e, r.now()));
      return;
    }
    const Milliseconds wait{std::min(ask.wait_ms, wait_ms_max)};
    r.waiters.push_back({peer, number, *id, ask.known_change_count, r.now().boot + wait, whole});
  }

  void operator()(const FollowEvents& ask) const {
    if (ask.ids.size() > limits::request_ids_max)
      return refuse({"more than " + std::to_string(limits::request_ids_max) + " jobs",
                     "name fewer, or none to follow all"});
    const Milliseconds wait{std::clamp<std::int64_t>(ask.wait_ms, 0, wait_ms_max)};
    r.followers.push_back({peer, number, ask, r.now().boot + wait});
  }

  void operator()(const ActOnJobs& ask) const {
    if (ask.ids.size() > limits::request_ids_max)
      return refuse(
          {"more than " + std::to_string(limits::request_ids_max) + " jobs in one request",
           "name fewer at a time"});
    Acted acted;
    for (std::size_t i = 0; i < ask.ids.size(); ++i)
      acted.outcomes.push_back(
          act_on_job(r, caller, ask, ask.ids[i], i < ask.tasks.size() ? ask.tasks[i] : ""));
    r.reply(peer, number, std::move(acted));
  }

  void operator()(const EndAllocation& ask) const {
    r.reply(peer, number, Acted{{end_allocation(r, caller, ask)}});
  }

  void operator()(const CreateStep& ask) const { on_create_step(r, incoming, number, ask); }

  void operator()(const ListSteps& ask) const {
    if (ask.ids.size() > limits::page_rows_max)
      return refuse(
          {"more than " + std::to_string(limits::page_rows_max) + " ids", "ask for fewer"});
    r.reply(peer, number, list_steps(r.cluster(), ask, r.now()));
  }

  void operator()(const SignalJobs& ask) const {
    r.reply(peer, number, signal_jobs(r, caller, ask));
  }

  void operator()(const ListAccounting& ask) const {
    if (const Failure failure = check(ask)) return refuse(*failure);
    read(ask);
  }
  void operator()(const SampleUsage&) const {
    refuse({"the controller runs no jobs", "ask the workers"});
  }

  void operator()(const ListPriorities& ask) const {
    if (ask.ids.size() > limits::page_rows_max)
      return refuse(
          {"more than " + std::to_string(limits::page_rows_max) + " ids", "ask for fewer"});
    r.engine();  // updates the engine: jobs get their priorities when they are put into its queue.
    r.reply(peer, number, list_priorities(r.cluster(), ask, r.now().wall));
  }

  void operator()(const ShowConfiguration&) const {
    r.reply(peer, number, configuration_of(r.cluster(), r.now().wall));
  }

  void operator()(const ShowStatistics&) const {
    r.reply(peer, number, statistics_of(r.cluster(), r.now().wall));
  }

  void operator()(const ReadScript& ask) const { on_read_script(r, incoming, number, ask); }

  void operator()(const UpdateJobs& ask) const {
    if (ask.ids.size() > limits::request_ids_max || ask.names.size() > limits::request_ids_max ||
        ask.names.size() != ask.values.size())
      return refuse({"more than " + std::to_string(limits::request_ids_max) +
                         " jobs or changes in one request, or a name without a value",
                     "name fewer at a time, as NAME=VALUE"});
    on_update_jobs(r, incoming, number, ask);
  }

  void operator()(const ActOnNodes& ask) const {
    if (ask.nodes.size() > limits::hostlist_nodes_max)
      return refuse({"more than " + std::to_string(limits::hostlist_nodes_max) + " nodes",
                     "name fewer at a time"});
    Acted acted;
    for (const auto& n : ask.nodes) acted.outcomes.push_back(act_on_node(r, caller, ask, n));
    r.reply(peer, number, std::move(acted));
  }

  void operator()(const UpdatePartitions& ask) const {
    if (ask.partitions.size() > limits::hostlist_nodes_max)
      return refuse({"more than " + std::to_string(limits::hostlist_nodes_max) + " partitions",
                     "name fewer at a time"});
    r.reply(peer, number, update_partitions(r, incoming, ask));
  }

  void operator()(const ShowCluster&) const {
    ClusterView view;
    view.name = r.cluster().config().cluster_name;
    view.version = COX_VERSION;
    view.term = r.cluster().term();
    view.nodes = static_cast<std::int64_t>(r.cluster().nodes().all().size());
    for (const auto& [name, node] : r.cluster().nodes().all())
      view.nodes_responding += node.responding && !r.cluster().soft().contact(name).session.empty();
    for (const JobId id : r.cluster().jobs().unfinished())
      (is_live(r.cluster().job(id)->job.state) ? view.jobs_live : view.jobs_pending) +=
          r.cluster().job(id)->counted;
    const std::string refusal = r.cluster().soft().database_refusal.text();
    const std::string& history = r.cluster().soft().missing_history;
    const std::string waits = failover_wait_text(r.cluster(), r.now());
    view.database = !refusal.empty()   ? refusal
                    : !history.empty() ? history
                    : !waits.empty()   ? waits
                                       : "ready";
    view.now = r.now().wall;
    view.clock_doubt = r.cluster().soft().time_of_day.doubt();
    view.billing_weights = format_billing_weights(r.cluster().config().usage.weights);
    const auto& estimates = r.cluster().waits().estimates();
    view.estimates = accuracy_of({estimates.begin(), estimates.end()});
    for (const auto& [name, q] : r.cluster().accounting().qos()) {
      view.qos.push_back(name);
      view.tiers.push_back(q);
    }
    std::ranges::stable_sort(view.tiers, std::ranges::greater{}, &Qos::tier);
    r.reply(peer, number, std::move(view));
  }

  void operator()(const Reconfigure&) const {
    const ControllerConfig& config = r.cluster().config();
    if (caller.uid != config.owner_uid) return refuse(only_for_owner());
    if (incoming.wrong_settings) return refuse(*incoming.wrong_settings);
    r.restarts = true;
    r.reply(peer, number, Acted{{{"", "the controller restarts", std::nullopt}}});
  }

  void operator()(const ReadLog&) const {
    refuse({"the controller carries no logs", "ask the worker that LocateLog names"});
  }

  void operator()(const Administer& ask) const { on_administer(r, incoming, number, ask); }

  void operator()(const ListAssociations& ask) const {
    r.reply(peer, number, list_associations(r.cluster(), ask, r.now()));
  }

  void operator()(const TakeSnapshot& ask) const { on_snapshot(r, peer, number, ask); }

  void operator()(const ListCheckpoints& ask) const {
    if (ask.ids.size() > limits::request_ids_max)
      return refuse(
          {"more than " + std::to_string(limits::request_ids_max) + " jobs in one request",
           "name fewer at a time"});
    r.reply(peer, number, list_checkpoints(r.cluster(), ask));
  }
  void operator()(const SetTrigger& ask) const { on_set_trigger(r, incoming, number, ask); }
  void operator()(const ClearTriggers& ask) const { on_clear_triggers(r, incoming, number, ask); }
  void operator()(const ListTriggers& ask) const {
    r.reply(peer, number, list_triggers(r.cluster(), ask));
  }

  void operator()(const RemoveCheckpoints& ask) const {
    r.reply(peer, number, remove_checkpoints(r, caller, ask));
  }
  void operator()(const VerifyCheckpoints& ask) const {
    if (is_not_stored(r.cluster(), ask.id)) return refuse(never_was(r.cluster(), ask.id, -1));
    r.reply(peer, number, verify_checkpoints(r, caller, ask));
  }

  void operator()(const ShowCrontab& ask) const { on_show_crontab(r, incoming, number, ask); }
  void operator()(const UpdateCrontab& ask) const { on_update_crontab(r, incoming, number, ask); }

  void operator()(const LocateLog& ask) const {
    const auto row =
        ask.task < 0 ? std::optional(ask.id) : r.cluster().jobs().arrays().row_of(ask.id, ask.task);
    const JobEntry* e = row ? r.cluster().job(*row) : nullptr;
    if (e == nullptr) {
      return read(LogWanted{{ask.id, ask.task, ask.tasks}, ask});
    }
    if (is_whole_array(r.cluster(), e->job, ask.task))
      return refuse(which_log(ask.id, standing_of_tasks(r.cluster(), ask.id),
                              task_with_log(r.cluster(), ask.id)));
    if (auto why = check_one_row(e->job, ask.tasks)) return refuse(*why);
    r.reply(peer, number, log_place(r.cluster(), *e, ask));
  }
};

}  // namespace

void on_request(Reaction& r, const PeerMessage& incoming, const Request& request) {
  std::visit(RequestHandler{r, incoming, request.number}, request.body);
}

void react(Reaction& r, const PeerMessage& incoming) {
  const bool worker = incoming.caller.kind == Caller::Kind::Worker;
  const auto may_speak_for = [&](const std::string& node) {
    return worker && (incoming.caller.node.empty() || incoming.caller.node == node);
  };
  const auto reject = [&](const std::string& fact) {
    r.send(incoming.peer, Rejected{{fact, "use the key that was made for this node"}});
  };
  if (const auto* hello = std::get_if<WorkerHello>(&incoming.message)) {
    if (!may_speak_for(hello->node.name)) return reject("this key is not the key of the node");
    on_hello(r, incoming.peer, *hello);
  } else if (const auto* beat = std::get_if<Heartbeat>(&incoming.message)) {
    if (may_speak_for(beat->node)) on_heartbeat(r, incoming.peer, *beat);
  } else if (const auto* report = std::get_if<StatusReport>(&incoming.message)) {
    if (!may_speak_for(report->node)) return reject("this key is not the key of the node");
    if (take_number(r, incoming.peer, report->node, report->session, report->number))
      on_status(r, incoming.peer, *report);
  } else if (const auto* removed = std::get_if<CheckpointRemoved>(&incoming.message)) {
    if (may_speak_for(removed->node)) on_checkpoint_removed(r, *removed);
  } else if (const auto* verified = std::get_if<CheckpointVerified>(&incoming.message)) {
    if (may_speak_for(verified->node)) on_checkpoint_verified(r, *verified);
  } else if (const auto* request = std::get_if<Request>(&incoming.message)) {
    const auto* shown = std::get_if<ShowJob>(&request->body);
    if (worker && (shown == nullptr || shown->task != row_itself))
      return reject("a worker may ask only about jobs of its node");
    on_request(r, incoming, *request);
  }
}

}  // namespace cox
