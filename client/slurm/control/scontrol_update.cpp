// scontrol update, create and delete. Their words are "Name=Value"; one of them, such as JobId=17,
// names the job, node, partition or reservation.
#include <algorithm>
#include <array>

#include "client/slurm/control/scontrol.h"
#include "client/slurm/list/squeue_request.h"
#include "client/submit/job_changes.h"
#include "client/submit/reservation_settings.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

struct Setting {
  std::string name;
  std::string value;
};

// Parses "Name=value"; name and value may also be separate words: "job 17 TimeLimit=5".
Result<std::vector<Setting>> settings_in(const ControlWords& words) {
  std::vector<Setting> settings;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos && i + 1 < words.size()) {
      settings.push_back({word, words[++i]});
      continue;
    }
    if (equals == std::string::npos || equals == 0)
      return Refusal{"Invalid input: " + printable(word) + "\nRequest aborted", ""};
    Setting one{word.substr(0, equals), word.substr(equals + 1)};
    settings.push_back(std::move(one));
  }
  return settings;
}

// Returns the line for a refused update: "17_1: Job has already finished" for an array task, "Job
// has already finished for job 17" for another job. If a setting was refused, the line names no
// job.
std::string update_error(const Refusal& why, const std::string& what) {
  if (slurm_words(why).starts_with("Update of this parameter is not supported: ")) {
    std::string lines = act_error("", why, "");
    return lines.insert(lines.find('\n') + 1, "Request aborted\n");
  }
  const bool is_task = what.find('_') != std::string::npos;
  const std::string before = is_task ? what + ": " : "";
  std::string lines = act_error(before, why, is_task ? "" : " for job " + what);
  const std::string_view ended = job_has_ended;
  return lines.compare(before.size(), ended.size(), ended) == 0
             ? lines.replace(before.size(), ended.size(), "Job has already finished")
             : lines;
}

// Returns a warning for each partition that does not take the job (controller/operate/update.cpp).
std::string warnings_in(const std::string& done) {
  const std::size_t note = done.find("; partition ");
  return note == std::string::npos
             ? ""
             : "scontrol: warning: " + printable(done.substr(note + 2)) + "\n";
}

// Prints the refusals. If some array tasks were refused, also prints "17_1: No error" for each
// changed task, as Slurm does.
Shown shown_updates(const std::vector<Answer>& answers) {
  Shown shown = shown_acts(answers, update_error);
  for (const Answer& answer : answers)
    if (const auto* acted = std::get_if<Acted>(&answer))
      for (const Acted::Outcome& one : acted->outcomes) shown.err += warnings_in(one.done);
  if (shown.exit_code == exit_ok) return shown;
  for (const Answer& answer : answers)
    if (const auto* acted = std::get_if<Acted>(&answer))
      for (const Acted::Outcome& one : acted->outcomes)
        if (!one.refused && one.what.find('_') != std::string::npos)
          shown.err += printable(one.what) + ": No error\n";
  return shown;
}

ControlPlan update_jobs(std::vector<Setting> settings, const ControlContext& context) {
  ControlWords named;
  UpdateJobs update;
  for (Setting& one : settings) {
    if (means(one.name, "JobId", 3) && !means(one.name, "JobName", 4)) {
      named.push_back(one.value);
      continue;
    }
    update.names.push_back(one.name);
    update.values.push_back(one.value);
  }
  if (auto wrong = resolve_job_changes(update.names, update.values, context.here))
    return complain("scontrol: error: " + printable(wrong->fact));
  const auto jobs = jobs_named(named);
  if (!jobs) return complain_of_job("", jobs.refusal(), " for job " + joined(named, ","));
  if (update.names.empty()) return complain("No changes specified");
  update.ids = jobs->ids;
  update.tasks = jobs->tasks;
  ControlPlan plan;
  plan.questions = {std::move(update)};
  plan.show = shown_updates;
  return plan;
}

constexpr const char* node_states =
    "Valid states are: DOWN DRAIN RESUME UNDRAIN\nNot all states are valid given a node's prior "
    "state";

// Handles NodeName=ALL, which means every node: requests the list of nodes first.
ControlPlan act_on_all_nodes(ActOnNodes act) {
  ControlPlan plan;
  plan.questions = {ListNodes{}};
  plan.then = [act = std::move(act)](const Answer& answer) {
    const auto* list = std::get_if<NodeList>(&answer);
    if (list == nullptr) return complain("slurm_update error: Unexpected message");
    ControlPlan acts;
    ActOnNodes all = act;
    for (const NodeView& view : list->nodes) all.nodes.push_back(view.node.name);
    acts.questions = {std::move(all)};
    acts.show = show_acts("slurm_update error: ", "");
    return acts;
  };
  return plan;
}

ControlPlan update_nodes(const std::vector<Setting>& settings, const ControlContext&) {
  ActOnNodes act;
  std::string state;
  bool means_all = false;
  for (const Setting& one : settings) {
    if (means(one.name, "NodeName", 1) && lower_case(one.value) == "all") {
      means_all = true;
    } else if (means(one.name, "NodeName", 1)) {
      const auto names = expand_hostlist(one.value);
      if (!names) return complain("slurm_update error: Invalid node name specified");
      act.nodes = *names;
    } else if (means(one.name, "State", 1)) {
      state = one.value;
    } else if (means(one.name, "Reason", 1)) {
      act.reason = one.value;
    } else {
      return complain(
          "Update of this parameter is not supported: " + printable(one.name) + "=" +
          printable(one.value) + "\nRequest aborted\nscontrol: error: " +
          "the resources, features and weight of a node are set in its coxswain.toml, under "
          "[worker]; those of a cluster of 'cox up' by its options");
    }
  }
  const bool drains = means(state, "DRAIN", 3) || lower_case(state) == "drained";
  const bool resumes =
      means(state, "RESUME", 3) || means(state, "UNDRAIN", 5) || means(state, "IDLE", 4);
  const bool sets_down = means(state, "DOWN", 4);
  if (!drains && !resumes && !sets_down)
    return complain("Invalid input: state=" + printable(state) + "\nRequest aborted\n" +
                    node_states);
  if (!resumes && act.reason.empty())
    return complain("You must specify a reason when DOWNING or DRAINING a node. Request denied");
  act.drain = !resumes;
  act.set_down = sets_down;
  if (means_all) return act_on_all_nodes(std::move(act));
  ControlPlan plan;
  plan.questions = {std::move(act)};
  plan.show = show_acts("slurm_update error: ", "");
  return plan;
}

Result<UpdatePartitions> partition_update(PartitionVerb verb,
                                          const std::vector<Setting>& settings) {
  UpdatePartitions update;
  update.verb = verb;
  for (const Setting& one : settings) {
    if (means(one.name, "PartitionName", 2)) {
      for (std::string& name : id_words(one.value)) update.partitions.push_back(std::move(name));
    } else if (means(one.name, "State", 2) && !partition_state_from(one.value)) {
      return Refusal{"scontrol: error: Invalid input: State=" + printable(one.value) +
                         "\nscontrol: error: Acceptable State values are UP, DOWN, DRAIN and "
                         "INACTIVE",
                     ""};
    } else {
      update.values.push_back({one.name, one.value});
    }
  }
  if (update.partitions.empty())
    return Refusal{
        "PartitionName must be given.\nscontrol: error: write PartitionName=NAME first; "
        "'scontrol show partitions' lists the names in use",
        ""};
  return update;
}

ControlPlan act_on_partitions(PartitionVerb verb, const std::vector<Setting>& settings,
                              const std::string& error) {
  auto update = partition_update(verb, settings);
  if (!update) return complain(update.refusal().fact);
  ControlPlan plan;
  plan.questions = {std::move(*update)};
  plan.show = show_acts(error, "");
  return plan;
}

// Returns the request to create, change or delete a reservation. Local times in its settings become
// UTC.
Result<ActOnReservation> reservation_act(ReservationVerb verb, const ControlWords& words,
                                         const ControlContext& context) {
  ActOnReservation act{verb, "", {}};
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = lower_case(word.substr(0, equals));
    if (name == "reservationname" || name == "reservation") {
      act.name = equals == std::string::npos ? "" : word.substr(equals + 1);
    } else {
      act.settings.push_back(word);
    }
  }
  if (auto wrong = resolve_reservation_moments(act.settings, context.here)) return *wrong;
  return act;
}

// Returns a name for a reservation that was created without one. Like Slurm, takes its first user
// or account and the first number that is free: "ada_1".
std::string free_name(const ActOnReservation& act, const ReservationList& list) {
  std::string base = "resv";
  for (const std::string& setting : act.settings) {
    const std::size_t equals = setting.find('=');
    const std::string name = lower_case(setting.substr(0, equals));
    if (equals == std::string::npos || (!means(name, "users", 4) && !means(name, "accounts", 4)))
      continue;
    base = setting.substr(equals + 1, setting.find(',', equals) - equals - 1);
    break;
  }
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::any_of(list.reservations, [&](const ReservationView& view) {
      return view.reservation.name == name;
    });
  };
  std::size_t number = 1;
  while (is_taken(base + "_" + std::to_string(number))) ++number;
  return base + "_" + std::to_string(number);
}

ControlPlan reservation_plan(ActOnReservation act, const std::string& done,
                             const std::string& error) {
  ControlPlan plan;
  plan.questions = {std::move(act)};
  plan.show = [acts = show_acts(error, ""), done](const std::vector<Answer>& answers) {
    Shown shown = acts(answers);
    if (shown.exit_code == exit_ok && !done.empty()) shown.out = done + "\n";
    return shown;
  };
  return plan;
}

}  // namespace

ControlPlan plan_update(const ControlWords& words, const ControlContext& context) {
  auto settings = settings_in(words);
  if (!settings) return complain(settings.refusal().fact);
  for (const Setting& one : *settings) {
    if (means(one.name, "NodeName", 2)) return update_nodes(*settings, context);
    if (means(one.name, "PartitionName", 2))
      return act_on_partitions(PartitionVerb::Update, *settings, "slurm_update error: ");
    if (means(one.name, "JobId", 3)) return update_jobs(*settings, context);
    if (means(one.name, "ReservationName", 3)) {
      auto act = reservation_act(ReservationVerb::Update, words, context);
      if (!act) return complain("scontrol: error: " + act.refusal().fact);
      return reservation_plan(std::move(*act), "Reservation updated.", "slurm_update error: ");
    }
    if (means(one.name, "StepId", 4))
      return complain(
          "Requested operation is presently disabled\nscontrol: error: the limits "
          "of a step cannot be changed; those of its job can");
  }
  return complain(
      "No valid entity in update command\nInput line must include \"NodeName\", "
      "\"PartitionName\", \"Reservation\", \"JobId\", or \"SlurmctldDebug\"");
}

ControlPlan plan_create(const ControlWords& words, const ControlContext& context) {
  ControlWords rest = words;
  const std::string first = lower_case(rest[0]);
  if (first.starts_with("res")) {
    if (first.find('=') == std::string::npos) rest.erase(rest.begin());
    if (rest.empty()) return complain("too few arguments for create keyword");
    auto act = reservation_act(ReservationVerb::Create, rest, context);
    if (!act) return complain("scontrol: error: " + act.refusal().fact);
    const std::string error = "Error creating the reservation: ";
    if (!act->name.empty())
      return reservation_plan(*act, "Reservation created: " + act->name, error);
    // Lists the reservations first, to find a name that is free.
    ControlPlan plan;
    plan.questions = {ListReservations{}};
    plan.then = [act = *act, error](const Answer& answer) {
      ActOnReservation named = act;
      const auto* list = std::get_if<ReservationList>(&answer);
      named.name = free_name(act, list == nullptr ? ReservationList{} : *list);
      return reservation_plan(named, "Reservation created: " + named.name, error);
    };
    return plan;
  }
  if (means(first.substr(0, first.find('=')), "partitionname", 4)) {
    if (first.find('=') == std::string::npos) rest.erase(rest.begin());
    const auto settings = settings_in(rest);
    if (!settings) return complain(settings.refusal().fact);
    return act_on_partitions(PartitionVerb::Create, *settings, "Error creating the partition: ");
  }
  return complain(
      "No valid entity in create command\nInput line must include \"PartitionName\" or "
      "\"Reservation\"");
}

ControlPlan plan_delete(const ControlWords& words, const ControlContext& context) {
  const std::string& word = words[0];
  const std::string name = lower_case(word.substr(0, word.find('=')));
  if (means(name, "partitionname", 3)) {
    const auto settings = settings_in(words);
    if (!settings) return complain(settings.refusal().fact);
    return act_on_partitions(PartitionVerb::Delete, {settings->front()},
                             "delete_partition " + printable(word) + ": ");
  }
  if (!means(name, "reservationname", 3))
    return complain("Invalid deletion entity: " + printable(word));
  ControlWords rest = words;
  if (word.find('=') == std::string::npos && words.size() > 1) rest = {"reservation=" + words[1]};
  auto act = reservation_act(ReservationVerb::Delete, rest, context);
  if (!act) return complain("scontrol: error: " + act.refusal().fact);
  act->settings.clear();
  return reservation_plan(*act, "", "delete_reservation " + printable(word) + ": ");
}

}  // namespace cox
