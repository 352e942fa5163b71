#include <algorithm>
#include <utility>

#include "client/cluster_lines.h"
#include "client/command.h"
#include "client/job_lines.h"
#include "client/show/json.h"
#include "client/show/show_accounts.h"
#include "client/show/show_acted.h"
#include "client/show/show_checkpoints.h"
#include "client/show/show_cluster.h"
#include "client/show/show_history.h"
#include "client/show/show_job.h"
#include "client/show/show_licences.h"
#include "client/show/show_nodes.h"
#include "client/show/show_partitions.h"
#include "client/show/show_queue.h"
#include "client/show/show_reservations.h"
#include "client/show/show_why.h"
#include "client/show/show_words.h"
#include "client/slurm/text/version_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace cox {
namespace {

Question ask_queue(const QueueOptions& options) {
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
Question ask_reserve(const ReserveOptions& options) {
  return ActOnReservation{verb, options.reservation, options.settings};
}
Question ask_delete_reservation(const ReservationOptions& options) {
  return ActOnReservation{ReservationVerb::Delete, options.reservation, {}};
}
Question ask_cluster(const Options&) {
  return ShowCluster{};
}
Question ask_job(const JobsOptions& options) {
  return ShowJob{options.ids.front(), task_of(options).value_or(-1), row_of(options)};
}
Question ask_history(const JobsOptions& options) {
  return ShowHistory{options.ids.front(), 0, task_of(options).value_or(-1), row_of(options)};
}

template <JobVerb verb>
Question ask_act(const JobsOptions& options) {
  return ActOnJobs{verb, options.ids, options.tasks};
}

Question ask_release(const ReleaseOptions& options) {
  return ActOnJobs{options.begin_anew ? JobVerb::BeginAnew : JobVerb::Release, options.ids,
                   options.tasks};
}

Question ask_requeue(const RequeueOptions& options) {
  return ActOnJobs{options.from < 0 ? JobVerb::Requeue : JobVerb::RequeueFrom, options.ids,
                   options.tasks, options.from};
}

Question ask_checkpoints(const CheckpointsOptions& options) {
  return ListCheckpoints{options.ids, {}};
}
Question ask_remove_checkpoints(const JobCheckpointsOptions& options) {
  return RemoveCheckpoints{options.ids.front(), options.step};
}

Question ask_verify_checkpoints(const JobCheckpointsOptions& options) {
  return VerifyCheckpoints{options.ids.front(), options.step};
}

Question ask_update(const UpdateOptions& options) {
  return UpdateJobs{options.ids, options.tasks, options.names, options.values};
}

template <bool drain>
Question ask_act_on_nodes(const DrainOptions& options) {
  return ActOnNodes{drain, options.nodes, options.reason};
}

// Requests that the nodes be fenced. A controller of an older version, which cannot fence, reads
// the same request as a drain.
Question ask_fence(const NodesOptions& options) {
  return ActOnNodes{true, options.nodes, "to be fenced", true};
}

template <PartitionState state>
Question ask_partition_state(const PartitionsOptions& options) {
  UpdatePartitions update{options.partitions, {{"State", std::string(name(state))}}};
  if (!options.reason.empty()) update.values.push_back({"Reason", options.reason});
  return update;
}

Shown unexpected() {
  return {"", "cox: the controller sent an unexpected reply\n", exit_refused};
}

// Shows the answer as JSON or as text. An answer that is not a Body does not fit the question and
// is an error.
template <class Body, std::string (*show)(const Body&, const Screen&)>
Shown show_as(const Answer& answer, const Options& options, const Screen& screen) {
  const auto* body = std::get_if<Body>(&answer);
  if (body == nullptr) return unexpected();
  return {options.json ? json_text(answer) : show(*body, screen), "", exit_ok};
}

// Names the filters, so that a misspelt name of a user or partition is seen.
std::string no_jobs_text(const QueueOptions& options) {
  return "No jobs" + (options.user_name.empty() ? "" : " of user " + printable(options.user_name)) +
         (options.partition.empty() ? "" : " in partition " + printable(options.partition)) + ".\n";
}

Shown show_queue_answer(const Answer& answer, const QueueOptions& options, const Screen& screen) {
  Shown shown = show_as<JobList, show_queue>(answer, options, screen);
  const auto* list = std::get_if<JobList>(&answer);
  if (list == nullptr) return shown;
  if (shown.out == show_queue({}, screen))
    shown.out = no_jobs_text(options);
  for (const auto& id : list->unknown) {
    const std::string number = std::to_string(id.value);
    shown.err += refusal_text({"job " + number + " is neither queued nor recently finished",
                               "if there was one, 'cox history " + number + "' shows it"});
    shown.exit_code = exit_refused;
  }
  return shown;
}

Shown show_some_nodes(const Answer& answer, const NodesOptions& options, const Screen& screen) {
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

Shown show_one_reservation(const Answer& answer, const ReservationOptions& options,
                           const Screen& screen) {
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

CommandGroup commands_that_show() {
  return {
      "Jobs and nodes",
      {
          {"submit", "queue a job: a script, or a command as every rank", Run::Submit},
          asking<ask_queue, show_queue_answer>("queue", "pending and running jobs", queue_line),
          asking<ask_nodes, show_as<NodeList, show_nodes>>(
              "nodes", "the nodes: state, use and jobs", no_arguments_line),
          asking<ask_job, show_as<JobDetail, show_job>>("show job", "everything about one job",
                                                        job_line),
          asking<ask_cluster, show_as<ClusterView, show_qos>>(
              "show qos", "the QOS: tier, preemption and limits", no_arguments_line),
          asking<ask_associations, show_as<AssociationList, show_accounts>>(
              "show accounts", "the tree of accounts: shares, limits, use and fair share",
              no_arguments_line),
          asking<ask_nodes, show_some_nodes>("show node", "everything about nodes", node_line),
          asking<ask_nodes, show_as<NodeList, show_partitions>>(
              "show partitions", "the partitions: their states, limits and rules",
              no_arguments_line),
          asking<ask_licences, show_as<LicenceList, show_licences>>(
              "show licenses", "the cluster's licences, how many are free and which jobs hold some",
              no_arguments_line),
          asking<ask_reservations, show_as<ReservationList, show_reservations>>(
              "show reservations", "the advance reservations: times, nodes and users",
              no_arguments_line),
          asking<ask_reservations, show_one_reservation>(
              "show reservation", "everything about one advance reservation", reservation_line),
          asking<ask_history, show_as<HistoryPage, show_history>>(
              "history", "every event of a job, with its time and reason", job_line),
          {"events", "recent events of jobs; with -f, new events as they happen", Run::Events,
           &events_line},
          asking<ask_job, show_as<JobDetail, show_why>>("why", "what a job waits for, with numbers",
                                                        job_line),
          {"logs", "what a job's ranks have written", Run::Logs, &logs_line},
          {"wait", "follow a job to its end; exits with its exit code", Run::Wait, &job_line},
      }};
}

CommandGroup commands_that_change_jobs() {
  return {
      "Change jobs and their checkpoints",
      {
          asking<ask_act<JobVerb::Cancel>, show_acted_answer>("cancel", "end jobs for good",
                                                              jobs_line),
          asking<ask_act<JobVerb::Hold>, show_acted_answer>(
              "hold", "keep pending jobs from starting", jobs_line),
          asking<ask_release, show_acted_answer>("release", "let held jobs start", release_line),
          asking<ask_requeue, show_acted_answer>(
              "requeue", "stop running jobs, and queue them or recently ended jobs again",
              requeue_line),
          asking<ask_act<JobVerb::Preempt>, show_acted_answer>(
              "preempt", "stop running jobs after a checkpoint, and requeue them", jobs_line),
          asking<ask_remove_checkpoints, show_acted_answer>(
              "checkpoints remove", "remove checkpoints of a job that does not run",
              job_checkpoints_line),
          asking<ask_verify_checkpoints, show_acted_answer>(
              "checkpoints verify",
              "read checkpoints of a job on a node, and mark those that are damaged",
              job_checkpoints_line),
          {"checkpoints orphans", "checkpoint folders without a checkpoint in the database",
           Run::CheckpointOrphans, &no_arguments_line},
          asking<ask_checkpoints, show_as<CheckpointList, show_checkpoints>>(
              "checkpoints", "checkpoints, their sizes, and when they will be removed",
              checkpoints_line),
          asking<ask_update, show_acted_answer>("update", "change settings of a job", update_line),
      }};
}

CommandGroup commands_of_operators() {
  return {
      "For operators",
      {
          asking<ask_act_on_nodes<true>, show_acted_answer>("drain", "give nodes no new work",
                                                            drain_line),
          asking<ask_act_on_nodes<false>, show_acted_answer>(
              "resume", "give drained nodes work again", resume_line),
          asking<ask_fence, show_acted_answer>(
              "fence",
              "confirm that silent nodes are powered off, so that their jobs restart at once",
              fence_line),
          {.name = "submit-rules test",
           .summary = "show what the submission rules decide about a job, without submitting it",
           .run = Run::Submit,
           .rules_only = true},
          asking<ask_partition_state<PartitionState::Up>, show_acted_answer>(
              "partition up", "accept and start jobs in partitions again", partitions_line),
          asking<ask_partition_state<PartitionState::Down>, show_acted_answer>(
              "partition down", "start no jobs in partitions; new jobs are queued",
              partitions_line),
          asking<ask_partition_state<PartitionState::Drain>, show_acted_answer>(
              "partition drain", "refuse new jobs in partitions; queued jobs still start",
              partitions_line),
          asking<ask_partition_state<PartitionState::Inactive>, show_acted_answer>(
              "partition inactive", "refuse new jobs in partitions, and start none",
              partitions_line),
          asking<ask_reserve<ReservationVerb::Create>, show_acted_answer>(
              "reserve create", "reserve nodes for users, accounts or QOS for a time",
              reserve_line),
          asking<ask_reserve<ReservationVerb::Update>, show_acted_answer>(
              "reserve update", "change a reservation", reserve_line),
          asking<ask_delete_reservation, show_acted_answer>("reserve delete", "end a reservation",
                                                            reservation_line),
      }};
}

CommandGroup commands_of_ranks() {
  return {"In a rank of a job",
          {
              {"checkpoint done", "from a rank: report that a training step is saved",
               Run::CheckpointDone, &checkpoint_done_line},
              {"checkpoint finished", "from a rank: report that the job's work is done",
               Run::CheckpointFinished, &no_arguments_line},
              {"progress", "from a rank: report its progress", Run::Progress, &progress_line},
          }};
}

CommandGroup commands_of_hosts() {
  return {
      "This host and its cluster",
      {
          {"up", "start a private cluster of your own", Run::Up, &up_line},
          {"down", "stop the private cluster; its state is kept", Run::Down, &down_line},
          {"status", "processes of the private cluster, and a summary of the cluster", Run::Status,
           &status_line},
          {"doctor", "check this host and its cluster, and show what to do", Run::Doctor,
           &no_arguments_line},
          {"config check", "show every mistake in a coxswain.toml, or the values that programs use",
           Run::ConfigCheck, &config_check_line},
          {"import", "convert Slurm's files to a coxswain.toml, and SQL for accounts", Run::Import,
           &import_line},
          {"key make", "make a key for a controller, a worker or a client", Run::KeyMake,
           &key_make_line},
          {"demo", "run the demo: a training is preempted and resumes, on a private cluster",
           Run::Demo, &demo_line},
      }};
}

CommandGroup commands_of_the_engine() {
  return {"The scheduler",
          {
              {"simulate", "run a trace of jobs through the scheduling engine, in virtual time",
               Run::Simulate},
              {"snapshot", "save the scheduler's whole input from the live controller",
               Run::Snapshot, &snapshot_line},
              {"replay", "repeat the decision from a saved snapshot, and explain it", Run::Replay,
               &replay_line},
          }};
}

}  // namespace

const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> groups{
      commands_that_show(), commands_that_change_jobs(), commands_of_operators(),
      commands_of_ranks(),  commands_of_hosts(),         commands_of_the_engine()};
  return groups;
}

const std::vector<Command>& own_commands() {
  static const std::vector<Command> table = [] {
    std::vector<Command> all;
    for (const CommandGroup& group : command_groups())
      all.insert(all.end(), group.commands.begin(), group.commands.end());
    return all;
  }();
  return table;
}

Result<FoundCommand> find_command(const std::vector<Command>& commands,
                                  const std::vector<std::string>& words) {
  CHECK(!words.empty());
  const std::string two = words.size() > 1 ? words[0] + " " + words[1] : words[0];
  std::vector<std::string_view> known;
  std::vector<std::string_view> known_below;
  // the commands of two words whose first word was given, as a hint: 'cox key make'
  std::string below;
  const Command* of_one_word = nullptr;
  for (const auto& command : commands) {
    if (command.name == two) return FoundCommand{&command, words.size() > 1 ? 2U : 1U};
    if (command.name == words[0]) of_one_word = &command;
    known.push_back(command.name);
    if (!command.name.starts_with(words[0] + " ")) continue;
    below += (below.empty() ? "'cox " : "' or 'cox ") + std::string(command.name);
    known_below.push_back(command.name.substr(words[0].size() + 1));
  }
  const std::string meant_below(words.size() > 1 ? nearest(words[1], known_below) : "");
  // `cox checkpoints 7` is the command of one word, `cox checkpoints verfy 7` a misspelling.
  if (of_one_word != nullptr && meant_below.empty()) return FoundCommand{of_one_word, 1};
  if (!below.empty() && words.size() == 1)
    return Refusal{cox::quoted(words[0]) + " is not a whole command", below + "'"};
  if (!below.empty())
    return Refusal{"'cox " + printable(two) + "' is not a command",
                   meant_below.empty()
                       ? below + "'"
                       : "did you mean 'cox " + words[0] + " " + meant_below + "'?"};
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
  return out.empty() ? "" : out + "\nSee 'cox COMMAND --help' for the options of each.\n";
}

std::string overview_text(const std::vector<CommandGroup>& groups,
                          const std::vector<Command>& slurm) {
  constexpr std::size_t line_width = 80;
  std::size_t width = 0;
  for (const CommandGroup& group : groups)
    for (const Command& command : group.commands) width = std::max(width, command.name.size());
  std::string out = "cox: jobs for a whole gang of ranks. Usage: cox COMMAND ...\n";
  for (const CommandGroup& group : groups) {
    out += "\n" + std::string(group.title) + "\n";
    for (const Command& command : group.commands)
      out += "  " + std::string(command.name) + std::string(width + 2 - command.name.size(), ' ') +
             std::string(command.summary) + "\n";
  }
  out +=
      "\n  cox COMMAND --help  its options         --json    the answer as JSON\n"
      "  --config FILE       another cluster     --version\n\n"
      "Exit codes: 0 done, 1 refused or failed, 2 the command line is wrong,\n"
      "            3 no controller answers. 'cox wait' exits as the job did.\n"
      "The cluster is found by --config, $COX_CONFIG, ~/.local/state/coxswain (cox up),\n"
      "/etc/coxswain. Called by one of these names, it acts as that Slurm command:\n";
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
