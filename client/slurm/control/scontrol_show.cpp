// The entities of `scontrol show ENTITY [NAME]`, except for jobs and assoc_mgr, and their --json.
#include "client/slurm/control/scontrol_show.h"

#include <algorithm>
#include <array>

#include "client/show/show_licences.h"
#include "client/show/show_nodes.h"
#include "client/show/show_partitions.h"
#include "client/show/show_reservations.h"
#include "client/slurm/control/config_record.h"
#include "client/slurm/control/control_json.h"
#include "common/base/check.h"
#include "common/base/hostlist.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "common/job/node_addresses.h"

namespace cox {
namespace {

// Returns "WHAT NAME not found" and exit code 1. Like Slurm, prints it on standard output.
Shown lacks(const std::string& what, const std::string& name) {
  return {what + " " + printable(name) + " not found\n", "", exit_refused};
}

ControlPlan not_found(const std::string& what, const std::string& name) {
  ControlPlan plan;
  plan.show = [what, name](const Answers&) { return lacks(what, name); };
  return plan;
}

// Returns the text of the records whose names are wanted; of all records, if no name is. A name
// without a record is an error.
template <class Views, class NameOf, class Record>
Shown show_records(const char* what, const Views& views, const ControlWords& wanted, NameOf name_of,
                   Record record) {
  Shown shown;
  if (wanted.empty())
    for (const auto& view : views) shown.out += record(view);
  for (const std::string& name : wanted) {
    const auto found = std::ranges::find(views, name, name_of);
    if (found != views.end()) {
      shown.out += record(*found);
      continue;
    }
    const Shown missing = lacks(what, name);
    shown.out += missing.out;
    shown.exit_code = missing.exit_code;
  }
  return shown;
}

ControlPlan show_nodes(const ControlWords& names, const ControlContext& context) {
  std::vector<std::string> wanted;
  for (const std::string& name : names) {
    const auto some = expand_hostlist(name);
    if (!some) return not_found("Node", name);
    wanted.insert(wanted.end(), some->begin(), some->end());
  }
  ControlPlan plan;
  plan.questions = {ListNodes{}};
  plan.show = [wanted, as = context.as](const Answers& answers) {
    const auto* list = body_of<NodeList>(answers, 0);
    if (list == nullptr) return not_answered("slurm_load_node error: ", answers.front());
    Shown shown = show_records(
        "Node", list->nodes, wanted, [](const NodeView& view) { return view.node.name; },
        [&](const NodeView& view) { return node_record(view, as); });
    if (wanted.empty() && list->nodes.empty()) shown.out = "No nodes in the system\n";
    return shown;
  };
  return plan;
}

ControlPlan show_partitions(const ControlWords& names, const ControlContext& context) {
  ControlPlan plan;
  plan.questions = {ListNodes{}};
  plan.show = [names, as = context.as](const Answers& answers) {
    const auto* list = body_of<NodeList>(answers, 0);
    if (list == nullptr) return not_answered("slurm_load_partitions error: ", answers.front());
    return show_records(
        "Partition", list->partitions, names, &PartitionView::name,
        [&](const PartitionView& view) { return partition_record(view, *list, as); });
  };
  return plan;
}

ControlPlan show_reservations(const ControlWords& names, const ControlContext& context) {
  ControlPlan plan;
  plan.questions = {ListReservations{}, ListNodes{}};
  plan.show = [names, as = context.as](const Answers& answers) {
    const auto* list = body_of<ReservationList>(answers, 0);
    const auto* nodes = body_of<NodeList>(answers, 1);
    if (list == nullptr || nodes == nullptr)
      return not_answered("slurm_load_reservations error: ", answers.front());
    Shown shown = show_records(
        "Reservation", list->reservations, names,
        [](const ReservationView& view) { return view.reservation.name; },
        [&](const ReservationView& view) { return reservation_record(view, *nodes, as); });
    if (shown.out.empty()) shown.out = "No reservations in the system\n";
    return shown;
  };
  return plan;
}

ControlPlan show_licences(const ControlWords& names, const ControlContext& context) {
  ControlPlan plan;
  plan.questions = {ListLicences{}};
  plan.show = [names, as = context.as](const Answers& answers) {
    const auto* list = body_of<LicenceList>(answers, 0);
    if (list == nullptr) return not_answered("slurm_load_licenses error: ", answers.front());
    if (list->licences.empty()) return Shown{"No licenses configured in Slurm.\n", "", exit_ok};
    return show_records("License", list->licences, names, &LicenceView::name,
                        [&](const LicenceView& view) { return licence_record(view, as); });
  };
  return plan;
}

// The steps of all jobs, of one job, or one step: "17", "17.0", "17_4.0", "17.batch".
struct StepsWanted {
  std::vector<JobId> ids;
  std::vector<std::string> tasks;
  std::int32_t step = -1;
  bool batch_alone = false;
};

Result<StepsWanted> steps_wanted(const ControlWords& names) {
  StepsWanted wanted;
  if (names.empty()) return wanted;
  constexpr std::string_view batch = ".batch";
  std::string name = names[0];
  wanted.batch_alone = name.ends_with(batch);
  if (wanted.batch_alone) name.erase(name.size() - batch.size());
  const auto ref = parse_step_ref(name);
  if (!ref) return ref.refusal();
  wanted.ids = {ref->job.id};
  wanted.tasks = {ref->job.tasks};
  wanted.step = ref->step;
  return wanted;
}

// Returns the running steps; the batch script of a job comes before its steps.
std::vector<StepFacts> steps_of(const JobList& running, const StepList& list,
                                const StepsWanted& wanted) {
  std::vector<StepFacts> all;
  for (const JobView& job : running.jobs) {
    if (job.job.spec->form == JobForm::Batch && wanted.step < 0)
      all.push_back(batch_step_facts(job));
    for (const StepView& step : list.steps) {
      const bool meant = step.step.key.attempt.job == job.job.id && !wanted.batch_alone &&
                         (wanted.step < 0 || step.step.key.number == wanted.step) &&
                         step.step.state == JobState::Running;
      if (meant) all.push_back(step_facts(step, job.job.spec->uid));
    }
  }
  return all;
}

ControlPlan show_steps(const ControlWords& names, const ControlContext& context) {
  const auto wanted = steps_wanted(names);
  if (!wanted) return complain_of_job("slurm_get_job_steps error: ", wanted.refusal());
  ListJobs jobs;
  jobs.ids = wanted->ids;
  jobs.tasks = wanted->tasks;
  jobs.states = {JobState::Running, JobState::Suspended, JobState::Signaling};
  ListSteps steps;
  steps.ids = wanted->ids;
  steps.tasks = wanted->tasks;
  ControlPlan plan;
  plan.questions = {jobs, steps};
  const std::string name = names.empty() ? "" : names[0];
  plan.show = [wanted = *wanted, name, as = context.as](const Answers& answers) {
    const auto* running = body_of<JobList>(answers, 0);
    const auto* list = body_of<StepList>(answers, 1);
    if (running == nullptr || list == nullptr)
      return not_answered("slurm_get_job_steps error: ", answers.front());
    Shown shown;
    for (const StepFacts& step : steps_of(*running, *list, wanted))
      shown.out += step_record(step, as);
    if (wanted.step >= 0 && shown.out.empty() && running->unknown.empty())
      return lacks("Job step", name);
    if (!running->unknown.empty() || (!name.empty() && shown.out.empty()))
      return Shown{"", std::string("slurm_get_job_steps error: ") + invalid_job_id + "\n",
                   exit_refused};
    return shown;
  };
  return plan;
}

// Adds the path of the coxswain.toml that scontrol itself has read. The controller's reply does not
// have it.
Configuration with_own_file(Configuration config, const ControlContext& context) {
  config.settings.push_back({"SLURM_CONF", context.config_file});
  return config;
}

ControlPlan show_config(const ControlWords&, const ControlContext& context) {
  ControlPlan plan;
  plan.questions = {ShowConfiguration{}};
  plan.show = [context](const Answers& answers) {
    const auto* config = body_of<Configuration>(answers, 0);
    if (config == nullptr) return not_answered("slurm_load_ctl_conf error: ", answers.front());
    return Shown{config_record(with_own_file(*config, context), context.hosts, context.as.screen),
                 "", exit_ok};
  };
  return plan;
}

// Returns the hosts in the hostlists. Without a hostlist, returns the nodes of the job in which
// scontrol runs.
Result<std::vector<std::string>> hosts_in(const ControlWords& lists,
                                          const ControlContext& context) {
  const std::string text = lists.empty() ? context.node_list : joined(lists, ",");
  if (text.empty()) return Refusal{"host list is empty", ""};
  auto names = expand_hostlist(text);
  if (!names) return Refusal{"Invalid hostlist: " + printable(text), names.refusal().fact};
  return names;
}

ControlPlan hosts_refused(const Refusal& why) {
  return complain("scontrol: error: " + why.fact +
                  (why.hint.empty() ? "" : "\nscontrol: error: " + why.hint));
}

// Prints the nodes in the hostlists. In a job whose nodes have names that no host has, prints their
// addresses, since scripts take the first line as MASTER_ADDR. srun -w accepts these, too.
ControlPlan show_hostnames(const ControlWords& lists, const ControlContext& context) {
  auto names = hosts_in(lists, context);
  if (!names) return hosts_refused(names.refusal());
  const NodeAddresses addresses(context.node_addresses);
  for (std::string& name : *names) name = addresses.address_of(name);
  return say(joined(*names, "\n") + "\n");
}

ControlPlan show_hostlist(const ControlWords& lists, const ControlContext& context) {
  const auto names = hosts_in(lists, context);
  if (!names) return hosts_refused(names.refusal());
  return say(compress_hostlist(*names) + "\n");
}

ControlPlan show_hostlist_sorted(const ControlWords& lists, const ControlContext& context) {
  auto names = hosts_in(lists, context);
  if (!names) return hosts_refused(names.refusal());
  sort_hostnames(*names);
  names->erase(std::unique(names->begin(), names->end()), names->end());
  return say(compress_hostlist(*names) + "\n");
}

// Prints "slurmctld slurmd", which tools may then run with -V: Coxswain has these two names.
ControlPlan show_daemons(const ControlWords&, const ControlContext&) {
  return say("slurmctld slurmd\n");
}

ControlPlan show_aliases(const ControlWords& names, const ControlContext& context) {
  ControlPlan plan = show_nodes(names, context);
  plan.show = [](const Answers& answers) {
    const auto* list = body_of<NodeList>(answers, 0);
    if (list == nullptr) return not_answered("slurm_load_node error: ", answers.front());
    std::vector<std::string> all;
    for (const NodeView& view : list->nodes) all.push_back(view.node.name);
    return Shown{joined(all, " ") + "\n", "", exit_ok};
  };
  return plan;
}

// Shows all switches, the switch with this name, or the switches above the node with this name.
ControlPlan show_topology(const ControlWords& names, const ControlContext&) {
  ControlPlan plan;
  plan.questions = {ShowConfiguration{}};
  const std::string wanted = names.empty() ? "" : names[0];
  plan.show = [wanted](const Answers& answers) {
    const auto* config = body_of<Configuration>(answers, 0);
    if (config == nullptr) return not_answered("slurm_load_topo error: ", answers.front());
    if (config->switches.empty())
      return Shown{"", "scontrol: error: No topology information available\n", exit_ok};
    std::string text;
    for (const SwitchView& one : config->switches) {
      const auto nodes = expand_hostlist(one.nodes);
      const bool above = nodes && std::ranges::find(*nodes, wanted) != nodes->end();
      if (!wanted.empty() && wanted != one.name && !above) continue;
      text += "SwitchName=" + printable(one.name) + " Level=" + std::to_string(one.level) +
              " LinkSpeed=1 Nodes=" + printable(one.nodes);
      if (!one.switches.empty()) text += " Switches=" + printable(one.switches);
      text += "\n";
    }
    if (!text.empty()) return Shown{text, "", exit_ok};
    return Shown{"",
                 "scontrol: error: Topology information contains no switch or node named " +
                     printable(wanted) + "\n",
                 exit_refused};
  };
  return plan;
}

// ---- --json. These functions are called only with replies that are no refusals

std::string nodes_as_json(const Answers& answers, const ControlWords& names, const FieldView& view,
                          const ControlContext&) {
  std::vector<std::string> wanted;
  for (const std::string& name : names)
    if (const auto some = expand_hostlist(name))
      wanted.insert(wanted.end(), some->begin(), some->end());
  return json_of_nodes(*body_of<NodeList>(answers, 0), wanted, view, {"show", "nodes"});
}

std::string partitions_as_json(const Answers& answers, const ControlWords& names,
                               const FieldView& view, const ControlContext&) {
  return json_of_partitions(*body_of<NodeList>(answers, 0), names, view, {"show", "partitions"});
}

std::string reservations_as_json(const Answers& answers, const ControlWords& names,
                                 const FieldView& view, const ControlContext&) {
  return json_of_reservations(*body_of<ReservationList>(answers, 0), *body_of<NodeList>(answers, 1),
                              names, view, {"show", "reservations"});
}

std::string licences_as_json(const Answers& answers, const ControlWords& names,
                             const FieldView& view, const ControlContext&) {
  return json_of_licences(*body_of<LicenceList>(answers, 0), names, view, {"show", "licenses"});
}

std::string steps_as_json(const Answers& answers, const ControlWords& names, const FieldView& view,
                          const ControlContext&) {
  const auto wanted = steps_wanted(names);
  CHECK(wanted.ok());  // show_steps() has refused wrong ids
  return json_of_steps(
      steps_of(*body_of<JobList>(answers, 0), *body_of<StepList>(answers, 1), *wanted), view,
      {"show", "steps"});
}

std::string config_as_json(const Answers& answers, const ControlWords&, const FieldView& view,
                           const ControlContext& context) {
  const Configuration config = with_own_file(*body_of<Configuration>(answers, 0), context);
  return json_of_config(config_values(config, context.hosts), view, {"show", "config"});
}

// An entity of `scontrol show`. `plan` is null if the entity is refused, with the hint `refused`.
// `json` formats the replies for --json, and is null if there is no JSON of the entity.
struct Entity {
  std::string_view name;
  std::size_t least = 0;
  ControlPlan (*plan)(const ControlWords& words, const ControlContext& context) = nullptr;
  std::string_view refused{};
  std::string (*json)(const Answers& answers, const ControlWords& names, const FieldView& view,
                      const ControlContext& context) = nullptr;
};

constexpr auto entities = std::to_array<Entity>({
    {"jobs", 1, show_jobs, "", jobs_as_json},
    {"jobid", 4, show_jobs, "", jobs_as_json},
    {"nodes", 1, show_nodes, "", nodes_as_json},
    {"partitions", 1, show_partitions, "", partitions_as_json},
    {"config", 1, show_config, "", config_as_json},
    {"steps", 2, show_steps, "", steps_as_json},
    {"reservations", 1, show_reservations, "", reservations_as_json},
    {"hostnames", 5, show_hostnames},
    {"hostlist", 5, show_hostlist},
    {"hostlistsorted", 9, show_hostlist_sorted},
    {"licenses", 2, show_licences, "", licences_as_json},
    {"daemons", 1, show_daemons},
    {"aliases", 1, show_aliases},
    {"topology", 1, show_topology},
    {"assoc_mgr", 2, show_assoc_mgr},
    {"slurmd", 2, nullptr, "`cox status` and `cox doctor` show this host's daemons"},
    {"federation", 1, nullptr, "there is one cluster"},
    {"frontend", 2, nullptr, "there are no front end nodes"},
    {"burstbuffer", 2, nullptr, "there are no burst buffers"},
    {"bbstat", 2, nullptr, "there are no burst buffers"},
    {"dwstat", 2, nullptr, "there are no burst buffers"},
});

// Changes the plan so that it prints JSON, for which it also requests the cluster's name. Errors
// are printed as text.
ControlPlan as_json(ControlPlan plan, const ControlWords& names, const ControlContext& context,
                    decltype(Entity::json) json) {
  plan.questions.push_back(ShowCluster{});
  plan.show = [text = std::move(plan.show), names, context, json](const Answers& answers) -> Shown {
    Shown shown = text(answers);
    const auto* cluster = std::get_if<ClusterView>(&answers.back());
    if (shown.exit_code != exit_ok || cluster == nullptr) return shown;
    FieldView view;
    view.screen = context.as.screen;
    view.cluster = cluster->name;
    if (context.as.group_name != nullptr) view.group_name = context.as.group_name;
    shown.out = json(answers, names, view, context);
    return shown;
  };
  return plan;
}

}  // namespace

Shown not_answered(const std::string& before, const Answer& answer) {
  const auto* refused = std::get_if<Refused>(&answer);
  const Refusal why = refused == nullptr ? Refusal{"Unexpected message", ""} : refused->why;
  return {"", act_error(before, why, ""), exit_refused};
}

std::vector<std::string> shown_entities() {
  std::vector<std::string> names;
  for (const Entity& each : entities)
    if (each.plan != nullptr) names.emplace_back(each.name);
  return names;
}

ControlPlan plan_show(const ControlWords& words, const ControlContext& context) {
  // `scontrol show JobId=5` means `scontrol show JobId 5`, as in Slurm.
  ControlWords parts = words;
  if (const auto equals = parts[0].find('='); equals != std::string::npos) {
    parts.insert(parts.begin() + 1, parts[0].substr(equals + 1));
    parts[0].erase(equals);
  }
  const auto found = std::ranges::find_if(
      entities, [&](const Entity& each) { return means(parts[0], each.name, each.least); });
  if (found == entities.end()) {
    std::vector<std::string_view> names;
    for (const Entity& each : entities) names.push_back(each.name);
    const std::string meant = did_you_mean(parts[0], names);
    return complain("invalid entity:" + printable(parts[0]) + " for keyword:show " +
                    (meant.empty() ? "" : "\nscontrol: error: " + meant));
  }
  if (found->plan == nullptr)
    return complain("scontrol: error: there is no " + std::string(found->name) +
                    " to show: " + std::string(found->refused));
  const ControlWords names(parts.begin() + 1, parts.end());
  ControlPlan plan = found->plan(names, context);
  if (!context.json) return plan;
  if (found->json == nullptr)
    return complain("scontrol: error: there is no JSON of " + std::string(found->name));
  return as_json(std::move(plan), names, context, found->json);
}

}  // namespace cox
