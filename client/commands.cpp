#include <algorithm>
#include <utility>

#include "client/command.h"
#include "client/command_options.h"
#include "client/show/json.h"
#include "client/show/show.h"
#include "client/show/show_checkpoints.h"
#include "client/slurm/text/version_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace cox {
namespace {

Question ask_queue(const Options& options) {
  ListJobs list{options.ids,       options.states, options.user_name,
                options.partition, JobId{},        options.tasks};
  const bool every_state = options.states.empty() && (options.all_states || !options.ids.empty());
  if (every_state) list.states.assign(all_job_states.begin(), all_job_states.end());
  return list;
}

Question ask_nodes(const Options&) {
  return ListNodes{};
}
Question ask_licences(const Options&) {
  return ListLicences{};
}
Question ask_associations(const Options&) {
  return ListAssociations{};
}
Question ask_reservations(const Options&) {
  return ListReservations{};
}
template <ReservationVerb verb>
Question ask_reserve(const Options& options) {
  return ActOnReservation{verb, options.reservation, options.settings};
}
Question ask_cluster(const Options&) {
  return ShowCluster{};
}
Question ask_job(const Options& options) {
  return ShowJob{options.ids.front(), task_of(options).value_or(-1), row_of(options)};
}
Question ask_history(const Options& options) {
  return ShowHistory{options.ids.front(), 0, task_of(options).value_or(-1), row_of(options)};
}

template <JobVerb verb>
Question ask_act(const Options& options) {
  return ActOnJobs{verb, options.ids, options.tasks};
}

Question ask_checkpoints(const Options& options) {
  return ListCheckpoints{options.ids, {}};
}
Question ask_remove_checkpoints(const Options& options) {
  return RemoveCheckpoints{options.ids.front(), options.step};
}

Question ask_update(const Options& options) {
  return UpdateJobs{options.ids, options.tasks, options.names, options.values};
}

template <bool drain>
Question ask_act_on_nodes(const Options& options) {
  return ActOnNodes{drain, options.nodes, options.reason};
}

// An older controller, which fences no nodes, drains them.
Question ask_fence(const Options& options) {
  return ActOnNodes{true, options.nodes, "to be fenced", true};
}

template <PartitionState state>
Question ask_partition_state(const Options& options) {
  UpdatePartitions update{options.partitions, {{"State", std::string(name(state))}}};
  if (!options.reason.empty()) update.values.push_back({"Reason", options.reason});
  return update;
}

Shown unexpected() {
  return {"", "cox: the controller gave an answer of another kind\n", exit_refused};
}

// Shows an Answer of the one kind that belongs to the question.
template <class Body, std::string (*show)(const Body&, const Screen&)>
Shown show_as(const Answer& answer, const Options& options, const Screen& screen) {
  const auto* body = std::get_if<Body>(&answer);
  if (body == nullptr) return unexpected();
  return {options.json ? json_text(answer) : show(*body, screen), "", exit_ok};
}

Shown show_queue_answer(const Answer& answer, const Options& options, const Screen& screen) {
  Shown shown = show_as<JobList, show_queue>(answer, options, screen);
  const auto* list = std::get_if<JobList>(&answer);
  if (list == nullptr) return shown;
  for (const auto& id : list->unknown) {
    const std::string number = std::to_string(id.value);
    shown.err += refusal_text({"job " + number + " is neither queued nor recently finished",
                               "if there was one, 'cox history " + number + "' shows it"});
    shown.exit_code = exit_refused;
  }
  return shown;
}

Shown show_some_nodes(const Answer& answer, const Options& options, const Screen& screen) {
  const auto* list = std::get_if<NodeList>(&answer);
  if (list == nullptr) return unexpected();
  std::vector<std::string_view> known;
  for (const auto& view : list->nodes) known.push_back(view.node.name);
  Shown all;
  for (const std::string& wanted : options.nodes) {
    const auto at = std::ranges::find(known, wanted);
    if (at == known.end()) {
      const std::string meant = did_you_mean(wanted, known);
      return show_refused({"there is no node " + cox::quoted(wanted),
                           meant.empty() ? "`cox nodes` lists them" : meant},
                          options);
    }
    const NodeView& view = list->nodes[static_cast<std::size_t>(at - known.begin())];
    if (!all.out.empty()) all.out += "\n";
    all.out += options.json ? json_text(view) : show_node(view, screen);
  }
  return all;
}

Shown show_one_reservation(const Answer& answer, const Options& options, const Screen& screen) {
  const auto* list = std::get_if<ReservationList>(&answer);
  if (list == nullptr) return unexpected();
  std::vector<std::string_view> known;
  for (const ReservationView& view : list->reservations) known.push_back(view.reservation.name);
  const auto at = std::ranges::find(known, options.reservation);
  if (at == known.end()) {
    const std::string meant = did_you_mean(options.reservation, known);
    return show_refused({"there is no reservation " + cox::quoted(options.reservation),
                         meant.empty() ? "`cox show reservations` lists them" : meant},
                        options);
  }
  const ReservationView& view = list->reservations[static_cast<std::size_t>(at - known.begin())];
  return {options.json ? json_text(view) : show_reservation(view, screen), "", exit_ok};
}

Shown show_acted_answer(const Answer& answer, const Options& options, const Screen& screen) {
  const auto* acted = std::get_if<Acted>(&answer);
  if (acted == nullptr) return unexpected();
  Shown shown = show_acted(*acted, screen);
  if (options.json) shown.out = json_text(answer);
  return shown;
}

// What users ask and do.
std::vector<Command> commands_of_jobs() {
  return {
      {"submit", "queue a job: a script, or a command as every rank", Way::Submit},
      {"queue", "the jobs that wait and run", Way::Ask, declare_queue, ask_queue,
       show_queue_answer},
      {"nodes", "the nodes and what they do", Way::Ask, declare_nothing, ask_nodes,
       show_as<NodeList, show_nodes>},
      {"show job", "everything about one job", Way::Ask, declare_job, ask_job,
       show_as<JobDetail, show_job>},
      {"show qos", "the tiers, and the limits of each", Way::Ask, declare_nothing, ask_cluster,
       show_as<ClusterView, show_qos>},
      {"show accounts", "the tree of accounts: who may have how much, has it, and is next",
       Way::Ask, declare_nothing, ask_associations, show_as<AssociationList, show_accounts>},
      {"show node", "everything about nodes", Way::Ask, declare_node, ask_nodes, show_some_nodes},
      {"show partitions", "the partitions: their states, limits and rules", Way::Ask,
       declare_nothing, ask_nodes, show_as<NodeList, show_partitions>},
      {"show licenses", "the cluster's licences, how many are free and which jobs hold some",
       Way::Ask, declare_nothing, ask_licences, show_as<LicenceList, show_licences>},
      {"show reservations", "the advance reservations: when, which nodes, and for whom", Way::Ask,
       declare_nothing, ask_reservations, show_as<ReservationList, show_reservations>},
      {"show reservation", "everything about one of them", Way::Ask, declare_reservation,
       ask_reservations, show_one_reservation},
      {"history", "every event of a job, with its time and why", Way::Ask, declare_job, ask_history,
       show_as<HistoryPage, show_history>},
      {"events", "what has happened to all jobs lately; with -f also what happens from now on",
       Way::Events, declare_events},
      {"why", "what a job waits for, with numbers", Way::Ask, declare_job, ask_job,
       show_as<JobDetail, show_why>},
      {"logs", "what a job's ranks have written", Way::Logs, declare_logs},
      {"wait", "follow a job to its end; exits with its exit code", Way::Wait, declare_job},
      {"cancel", "end jobs for good", Way::Ask, declare_jobs, ask_act<JobVerb::Cancel>,
       show_acted_answer},
      {"hold", "keep pending jobs from starting", Way::Ask, declare_jobs, ask_act<JobVerb::Hold>,
       show_acted_answer},
      {"release", "let held jobs start", Way::Ask, declare_jobs, ask_act<JobVerb::Release>,
       show_acted_answer},
      {"requeue", "stop running jobs, and queue them or recently ended jobs again", Way::Ask,
       declare_jobs, ask_act<JobVerb::Requeue>, show_acted_answer},
      {"preempt", "have running jobs save, stop and wait again", Way::Ask, declare_jobs,
       ask_act<JobVerb::Preempt>, show_acted_answer},
      {"checkpoints remove", "remove checkpoints of a job that does not run", Way::Ask,
       declare_remove_checkpoints, ask_remove_checkpoints, show_acted_answer},
      {"checkpoints orphans", "folders of checkpoints that the database does not know",
       Way::CheckpointOrphans, declare_nothing},
      {"checkpoints", "checkpoints, their sizes, and when they will be removed", Way::Ask,
       declare_checkpoints, ask_checkpoints, show_as<CheckpointList, show_checkpoints>},
      {"update", "change what may be changed of a job", Way::Ask, declare_update, ask_update,
       show_acted_answer},
  };
}

// Nodes, partitions and advance reservations.
std::vector<Command> commands_of_operators() {
  return {
      {"drain", "give nodes no new work", Way::Ask, declare_drain, ask_act_on_nodes<true>,
       show_acted_answer},
      {"resume", "give drained nodes work again", Way::Ask, declare_resume, ask_act_on_nodes<false>,
       show_acted_answer},
      {"fence", "say that silent nodes are powered off: their jobs need not wait", Way::Ask,
       declare_fence, ask_fence, show_acted_answer},
      {.name = "submit-rules test",
       .summary = "show what the submission rules decide about a job, without submitting it",
       .way = Way::Submit,
       .rules_only = true},
      {"partition up", "have partitions take and start jobs again", Way::Ask, declare_partitions,
       ask_partition_state<PartitionState::Up>, show_acted_answer},
      {"partition down", "partitions start no jobs; new ones wait there", Way::Ask,
       declare_partitions, ask_partition_state<PartitionState::Down>, show_acted_answer},
      {"partition drain", "partitions take no new jobs; those that wait start", Way::Ask,
       declare_partitions, ask_partition_state<PartitionState::Drain>, show_acted_answer},
      {"partition inactive", "partitions take no new jobs, and start none", Way::Ask,
       declare_partitions, ask_partition_state<PartitionState::Inactive>, show_acted_answer},
      {"reserve create", "keep nodes for some users, accounts or QOSes for a time", Way::Ask,
       declare_reserve, ask_reserve<ReservationVerb::Create>, show_acted_answer},
      {"reserve update", "change a reservation", Way::Ask, declare_reserve,
       ask_reserve<ReservationVerb::Update>, show_acted_answer},
      {"reserve delete", "end a reservation", Way::Ask, declare_reservation,
       ask_reserve<ReservationVerb::Delete>, show_acted_answer},
  };
}

// What is carried out here, and the programs beside.
std::vector<Command> commands_of_clusters() {
  return {
      {"checkpoint done", "from a rank: this step is saved", Way::CheckpointDone,
       declare_checkpoint_done},
      {"progress", "from a rank: how far it has come", Way::Progress, declare_progress},
      {"up", "start a private cluster of your own", Way::Up, declare_up},
      {"down", "stop it; its state is kept", Way::Down, declare_down},
      {"status", "what runs of it, and the cluster at a glance", Way::Status, declare_status},
      {"doctor", "check this host and its cluster, and tell what to do", Way::Doctor,
       declare_nothing},
      {"config check", "every mistake in a coxswain.toml, and what its programs would use",
       Way::ConfigCheck, declare_config_check},
      {"import", "a coxswain.toml, and SQL for accounts, from the files of Slurm", Way::Import,
       declare_import},
      {"key make", "make a key for a controller, a worker or a client", Way::KeyMake,
       declare_key_make},
      {"demo", "a training makes room, resumes and proves it, on a cluster of its own", Way::Demo,
       declare_demo},
      {"simulate", "run a trace of jobs through the scheduling engine, in virtual time",
       Way::Simulate},
      {"snapshot", "save all that the scheduler decides by, from the live controller",
       Way::Snapshot, declare_snapshot},
      {"replay", "decide again by a saved snapshot, and explain it", Way::Replay, declare_replay},
  };
}

}  // namespace

const std::vector<Command>& own_commands() {
  static const std::vector<Command> table = [] {
    std::vector<Command> all;
    for (const auto& some : {commands_of_jobs(), commands_of_operators(), commands_of_clusters()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return table;
}

Result<Found> find_command(const std::vector<Command>& commands,
                           const std::vector<std::string>& words) {
  CHECK(!words.empty());
  const std::string two = words.size() > 1 ? words[0] + " " + words[1] : words[0];
  std::vector<std::string_view> known;
  std::vector<std::string_view> known_below;
  std::string below;  // "show" alone: what may follow
  for (const auto& command : commands) {
    if (command.name == words[0]) return Found{&command, 1};
    if (command.name == two) return Found{&command, 2};
    known.push_back(command.name);
    if (!command.name.starts_with(words[0] + " ")) continue;
    below += (below.empty() ? "'cox " : "' or 'cox ") + std::string(command.name);
    known_below.push_back(command.name.substr(words[0].size() + 1));
  }
  if (!below.empty() && words.size() == 1)
    return Refusal{cox::quoted(words[0]) + " is not a whole command", below + "'"};
  if (!below.empty()) {
    const std::string meant(nearest(words[1], known_below));
    return Refusal{
        "'cox " + printable(two) + "' is not a command",
        meant.empty() ? below + "'" : "did you mean 'cox " + words[0] + " " + meant + "'?"};
  }
  std::string_view meant = nearest(two, known);
  if (meant.empty()) meant = nearest(words[0], known);
  return Refusal{
      cox::quoted(words[0]) + " is not a command",
      meant.empty() ? "'cox --help' lists them" : "did you mean 'cox " + std::string(meant) + "'?"};
}

std::string group_text(const std::vector<Command>& commands, std::string_view word) {
  const std::string group = std::string(word) + " ";
  std::string out;
  for (const auto& command : commands) {
    if (command.name == word) return "";
    if (command.name.starts_with(group))
      out += "  cox " + std::string(command.name) + "  " + std::string(command.summary) + "\n";
  }
  return out.empty() ? "" : out + "\n'cox COMMAND --help' tells what each takes.\n";
}

std::string overview_text(const std::vector<Command>& commands, const std::vector<Command>& slurm) {
  constexpr std::size_t line_width = 80;
  std::size_t width = 0;
  for (const auto& command : commands) width = std::max(width, command.name.size());
  std::string out = "cox: jobs for a whole gang of ranks. Usage: cox COMMAND ...\n\n";
  for (const auto& command : commands) {
    out += "  " + std::string(command.name) + std::string(width + 2 - command.name.size(), ' ');
    out += std::string(command.summary) + "\n";
  }
  out +=
      "\n  cox COMMAND --help  what it takes       --json    the answer as JSON\n"
      "  --config FILE       another cluster     --version\n\n"
      "Exit codes: 0 done, 1 refused or failed, 2 the command line is wrong,\n"
      "            3 no controller answers. 'cox wait' exits as the job did.\n"
      "The cluster is found by --config, $COX_CONFIG, ~/.local/state/coxswain (cox up),\n"
      "/etc/coxswain. Called by one of these names it answers as that program of Slurm's:\n";
  std::string line;
  for (const auto& command : slurm) {
    if (line.size() + command.name.size() >= line_width) out += std::exchange(line, "") + "\n";
    line += (line.empty() ? "  " : " ") + std::string(command.name);
  }
  return out + line + "\n";
}

void take_leading_options(std::vector<std::string>& words, Options& options) {
  constexpr std::string_view config = "--config";
  std::size_t taken = 0;
  for (; taken < words.size(); ++taken) {
    const std::string& word = words[taken];
    if (word == "--json") {
      options.json = true;
    } else if (word == config && taken + 1 < words.size()) {
      options.config = words[++taken];
    } else if (word.starts_with("--config=")) {
      options.config = word.substr(config.size() + 1);
    } else {
      break;
    }
  }
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(taken));
}

std::string version_text(const Command& command) {
  return command.slurm ? slurm_version_text() : "cox " COX_VERSION "\n";
}

Shown show_refused(const Refusal& why, const Options& options) {
  return {options.json ? json_text(why) : "", refusal_text(why), exit_refused};
}

}  // namespace cox
