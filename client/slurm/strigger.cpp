#include "client/slurm/strigger.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr const char* program_name = "strigger";

constexpr const char* strigger_usage =
    "Usage: strigger [--set | --get | --clear | --version] [-AdDfiIjnNopQRtuv]\n";

constexpr auto events = std::to_array<std::pair<std::string_view, TriggerEvent>>({
    {"down", TriggerEvent::Down},
    {"up", TriggerEvent::Up},
    {"drained", TriggerEvent::Drained},
    {"draining", TriggerEvent::Draining},
    {"idle", TriggerEvent::Idle},
    {"resume", TriggerEvent::Resume},
    {"fini", TriggerEvent::Fini},
    {"time", TriggerEvent::Time},
    {"primary_slurmctld_resumed_operation", TriggerEvent::ControllerStarted},
});

constexpr const char* no_roles =
    "Coxswain has no primary and no backup controller. Use "
    "--primary_slurmctld_resumed_operation: it is the event that a controller becomes the leader";
constexpr const char* no_database_events =
    "without its database the controller records nothing, so it runs no triggers. Its journal and "
    "'cox status' show when the database is not reachable";

// Pairs of an event of Slurm that Coxswain does not have, and the reason or what to use instead.
constexpr auto missing_events = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"primary_slurmctld_failure", no_roles},
    {"primary_slurmctld_resumed_control", no_roles},
    {"backup_slurmctld_failure", no_roles},
    {"backup_slurmctld_resumed_operation", no_roles},
    {"backup_slurmctld_assumed_control", no_roles},
    {"primary_slurmctld_acct_buffer_full", "nothing is buffered: jobs are recorded as they change"},
    {"primary_slurmdbd_failure", "there is no slurmdbd: the controller writes to its database"},
    {"primary_slurmdbd_resumed_operation",
     "there is no slurmdbd: the controller writes to its database"},
    {"primary_database_failure", no_database_events},
    {"primary_database_resumed_operation", no_database_events},
    {"fail", "nodes have no state FAIL: use --drained or --down"},
    {"reconfig",
     "a controller reads its settings when it starts: use --primary_slurmctld_resumed_operation"},
    {"front_end", "there are no front end nodes"},
    {"burst_buffer", "there are no burst buffers"},
});

template <std::size_t count, class Value>
const Value* find_in(const std::array<std::pair<std::string_view, Value>, count>& pairs,
                     std::string_view key) {
  const auto found = std::ranges::find(pairs, key, &std::pair<std::string_view, Value>::first);
  return found == pairs.end() ? nullptr : &found->second;
}

Shown strigger_error(const std::string& fact) {
  return slurm_error(program_name, fact);
}

template <TriggerRequest::Mode mode>
Failure take_mode(TriggerRequest& wish, std::string_view) {
  wish.mode = mode;
  ++wish.modes;
  return std::nullopt;
}

auto number_from(std::int64_t least, std::string_view value) {
  return parse_count(value, least, std::int64_t{1} << 53);
}

Failure take_trigger_job(TriggerRequest& wish, std::string_view value) {
  const auto job = number_from(1, value);
  if (!job)
    return Refusal{
        "Invalid jobid " + printable(value) +
            ": give the number of a job; 'squeue -o %A' shows the number of an array task",
        ""};
  wish.job = JobId{*job};
  return std::nullopt;
}

Failure take_trigger_id(TriggerRequest& wish, std::string_view value) {
  const auto id = number_from(1, value);
  if (!id) return Refusal{"Invalid id " + printable(value), ""};
  wish.id = EventTriggerId{*id};
  return std::nullopt;
}

Failure take_offset(TriggerRequest& wish, std::string_view value) {
  const bool is_negative = value.starts_with('-');
  const auto offset =
      parse_count(value.substr(is_negative ? 1 : 0), 0, limits::trigger_offset_s_max);
  if (!offset) return Refusal{"The --offset parameter must be between +/-32000", ""};
  wish.offset_s = is_negative ? -*offset : *offset;
  return std::nullopt;
}

Failure take_flags(TriggerRequest& wish, std::string_view value) {
  if (!lower_case(value).starts_with("perm"))
    return Refusal{"Invalid flags " + printable(value), ""};
  wish.permanent = true;
  return std::nullopt;
}

Failure take_trigger_nodes(TriggerRequest& wish, std::string_view value) {
  wish.names_node = true;
  wish.nodes = value == "*" ? "" : value;
  return std::nullopt;
}

// A row of an event, such as --down, has no setter: take_event() stores its name.
// clang-format off
constexpr OptionRow<TriggerRequest> strigger_table[] = {
  {"set", 0, Takes::Nothing, "", "create a trigger", "", take_mode<TriggerRequest::Mode::Set>},
  {"get", 0, Takes::Nothing, "", "show triggers", "", take_mode<TriggerRequest::Mode::Get>},
  {"clear", 0, Takes::Nothing, "", "delete triggers", "", take_mode<TriggerRequest::Mode::Clear>},
  {"down", 'd', Takes::Nothing, "", "event: a node goes down"},
  {"up", 'u', Takes::Nothing, "", "event: a node returns from down"},
  {"drained", 'D', Takes::Nothing, "", "event: a drained node has no job left"},
  {"draining", 0, Takes::Nothing, "", "event: a node is drained while jobs run there"},
  {"idle", 'I', Takes::Nothing, "", "event: a node has been idle for --offset"},
  {"resume", 'R', Takes::Nothing, "", "event: a node is no longer drained"},
  {"fini", 'f', Takes::Nothing, "", "event: the job of --jobid has ended"},
  {"time", 't', Takes::Nothing, "", "event: the time limit of the job of --jobid"},
  {"primary_slurmctld_resumed_operation", 'A', Takes::Nothing, "",
   "event: a controller becomes the leader"},
  {"program", 'p', Takes::Value, "PATH", "the program to run: a path, optional arguments", "",
   into<&TriggerRequest::program>},
  {"jobid", 'j', Takes::Value, "JOB", "the job, or the job whose nodes are meant", "",
   take_trigger_job},
  {"node", 'n', Takes::ValueAttached, "LIST", "these nodes; without a value: all", "",
   take_trigger_nodes},
  {"offset", 'o', Takes::Value, "SECONDS", "time from the event to the run; negative: before", "",
   take_offset},
  {"flags", 0, Takes::Value, "PERM", "keep the trigger after its event", "", take_flags},
  {"id", 'i', Takes::Value, "NUMBER", "this trigger, to show or to delete", "", take_trigger_id},
  {"user", 0, Takes::Value, "USER", "triggers of this user, by name or uid", "",
   into<&TriggerRequest::user>},
  {"clusters", 'M', Takes::Value, "NAME", "this cluster's name", "",
   list_into<&TriggerRequest::clusters>},
  {"cluster", 0, Takes::Value, "NAME", "", "", list_into<&TriggerRequest::clusters>},
  {"noheader", 'N', Takes::Nothing, "", "no header", "", into<&TriggerRequest::no_header>},
  {"quiet", 'Q', Takes::Nothing, "", "no error if no trigger matches", "",
   into<&TriggerRequest::quiet>},
  {"verbose", 'v', Takes::Nothing, "", "show what was done", "", into<&TriggerRequest::verbose>},
  {"primary_slurmctld_failure", 'a', Takes::Nothing, "", "refused: no controller is the first"},
  {"primary_slurmctld_resumed_control", 'b', Takes::Nothing, "", "refused, likewise"},
  {"backup_slurmctld_failure", 'B', Takes::Nothing, "", "refused, likewise"},
  {"backup_slurmctld_resumed_operation", 'c', Takes::Nothing, "", "refused, likewise"},
  {"backup_slurmctld_assumed_control", 'C', Takes::Nothing, "", "refused, likewise"},
  {"primary_slurmctld_acct_buffer_full", 'e', Takes::Nothing, "",
   "refused: there is no such buffer"},
  {"primary_slurmdbd_failure", 'g', Takes::Nothing, "", "refused: there is no slurmdbd"},
  {"primary_slurmdbd_resumed_operation", 'G', Takes::Nothing, "", "refused, likewise"},
  {"primary_database_failure", 'h', Takes::Nothing, "", "refused: see the journal"},
  {"primary_database_resumed_operation", 'H', Takes::Nothing, "", "refused, likewise"},
  {"fail", 'F', Takes::Nothing, "", "refused: nodes have no state FAIL"},
  {"reconfig", 'r', Takes::Nothing, "", "refused: settings are read at the start"},
  {"front_end", 0, Takes::Nothing, "", "refused: there are no front end nodes"},
  {"burst_buffer", 0, Takes::Nothing, "", "refused: there are no burst buffers"},
  {"help", 0, Takes::Nothing, "", "this text"},
  {"usage", 0, Takes::Nothing, "", "a short usage message"},
  {"version", 'V', Takes::Nothing, "", "the version"},
};
// clang-format on

bool has_event(const TriggerRequest& wish, std::string_view name) {
  return std::ranges::find(wish.events, name) != wish.events.end();
}

// Returns the name of an option that chooses nothing in this mode; empty: there is none. An option
// that is read and then ignored would show or delete more triggers than were meant.
std::string idle_option(const TriggerRequest& wish) {
  using Mode = TriggerRequest::Mode;
  const bool sets = wish.mode == Mode::Set;
  const bool clears = wish.mode == Mode::Clear;
  if (sets && wish.id != EventTriggerId{}) return "id";
  if (sets && !wish.user.empty()) return "user";
  if (clears && !wish.events.empty()) return wish.events.front();
  if (clears && wish.names_node) return "node";
  if (!sets && !wish.program.empty()) return "program";
  if (!sets && wish.offset_s != 0) return "offset";
  if (!sets && wish.permanent) return "flags";
  return "";
}

// Checks the options. Reports the first error in Slurm's order of checks, with Slurm's message.
std::optional<Shown> check_wish(const TriggerRequest& wish) {
  using Mode = TriggerRequest::Mode;
  if (wish.modes != 1)
    return strigger_error(
        "You must use exactly one of the following options: --set, --get or --clear");
  const bool names_one = wish.id != EventTriggerId{} || wish.job != JobId{} || !wish.user.empty();
  if (wish.mode == Mode::Clear && !names_one)
    return strigger_error("You must specify a --id, --jobid, or --user to clear");
  if (wish.mode == Mode::Set && wish.events.empty())
    return strigger_error("You must specify a trigger");
  if (wish.mode == Mode::Set && wish.program.empty())
    return strigger_error("You must specify a --program value");
  if ((has_event(wish, "fini") || has_event(wish, "time")) && wish.job == JobId{})
    return strigger_error("You must specify a --jobid value");
  if (!wish.program.empty() && wish.program[0] != '/')
    return strigger_error("The --program value must start with \"/\"");
  for (const std::string& event : wish.events)
    if (const auto* why = find_in(missing_events, event))
      return strigger_error("--" + event + " is not supported: " + std::string(*why));
  if (const std::string idle = idle_option(wish); !idle.empty())
    return strigger_error("--" + idle + " chooses no trigger with " +
                          (wish.mode == Mode::Set   ? "--set: it is for --get and --clear"
                           : wish.mode == Mode::Get ? "--get: use --id, --jobid, --node, --user or "
                                                      "an event"
                                                    : "--clear: use --id, --jobid or --user"));
  if (wish.mode == Mode::Set && wish.events.size() > 1)
    return strigger_error("--" + wish.events[0] + " and --" + wish.events[1] +
                          " are two events: set a trigger for each of them");
  return std::nullopt;
}

// Returns the line of `strigger --get` for a trigger. Its columns are as wide as Slurm's.
std::string trigger_line(const EventTrigger& trigger) {
  std::array<char, 256> head{};
  std::snprintf(head.data(), head.size(), "%7lld %-9s ", static_cast<long long>(trigger.id.value),
                resource_type(trigger).c_str());
  const auto to_right = [](std::string text, std::size_t width) {
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
  };
  const auto to_left = [](std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
  };
  return head.data() + to_right(resource_id(trigger), 7) + " " +
         to_left(std::string(name(trigger.event)), 35) + " " +
         to_right(std::to_string(trigger.offset_s), 6) + " " +
         to_left(printable(trigger.user_name), 8) + " " +
         to_left(trigger.permanent ? "PERM" : "", 5) + " " + printable(trigger.program) + "\n";
}

// A trigger without a list of nodes is one for all nodes.
bool is_of_nodes(const TriggerRequest& wish, const EventTrigger& trigger) {
  if (resource_type(trigger) != "node") return false;
  const auto nodes = expand_hostlist(wish.nodes);
  if (wish.nodes.empty() || trigger.nodes.empty() || !nodes) return true;
  return std::ranges::any_of(*nodes, [&](const std::string& node) {
    return std::ranges::find(trigger.nodes, node) != trigger.nodes.end();
  });
}

bool is_shown(const TriggerRequest& wish, const std::string& user, const EventTrigger& trigger) {
  const auto is_its_event = [&](const std::string& event) { return event == name(trigger.event); };
  return std::ranges::all_of(wish.events, is_its_event) &&
         (wish.id == EventTriggerId{} || wish.id == trigger.id) &&
         (wish.job == JobId{} || wish.job == trigger.job) &&
         (!wish.names_node || is_of_nodes(wish, trigger)) &&
         (user.empty() || user == trigger.user_name);
}

}  // namespace

ReadTrigger read_strigger(const std::vector<std::string>& words) {
  TriggerRequest wish;
  const auto read = read_option_words<TriggerRequest>({program_name, strigger_usage},
                                                      strigger_table, words, wish);
  if (const auto* shown = std::get_if<Shown>(&read)) return *shown;
  if (const auto& operands = std::get<std::vector<std::string>>(read); !operands.empty())
    return strigger_error("unexpected word " + quoted(operands.front()) +
                          "; a list of nodes is written --node=" + printable(operands.front()));
  if (auto shown = check_wish(wish)) return *std::move(shown);
  return wish;
}

std::vector<OptionForm> strigger_options() {
  return forms_of<TriggerRequest>(strigger_table);
}

std::string program_path(const TriggerRequest& wish) {
  return wish.program.substr(0, wish.program.find(' '));
}

std::variant<Question, Shown> trigger_question(const TriggerRequest& wish,
                                               const std::string& user) {
  if (wish.mode == TriggerRequest::Mode::Get) return Question{ListTriggers{}};
  if (wish.mode == TriggerRequest::Mode::Clear)
    return Question{ClearTriggers{wish.id, wish.job, user}};
  SetTrigger set;
  EventTrigger& trigger = set.trigger;
  trigger.event = *find_in(events, wish.events.front());
  trigger.job = wish.job;
  trigger.offset_s = wish.offset_s;
  trigger.program = wish.program;
  trigger.permanent = wish.permanent;
  if (!wish.nodes.empty()) {
    auto nodes = expand_hostlist(wish.nodes);
    if (!nodes) return strigger_error("Invalid node name specified: " + nodes.refusal().fact);
    trigger.nodes = std::move(*nodes);
  }
  return Question{std::move(set)};
}

Shown show_triggers(const TriggerRequest& wish, const std::string& user, const TriggerList& list) {
  Shown shown;
  for (const EventTrigger& trigger : list.triggers) {
    if (!is_shown(wish, user, trigger)) continue;
    if (shown.out.empty() && !wish.no_header)
      shown.out =
          "TRIG_ID RES_TYPE   RES_ID TYPE                                OFFSET USER     FLAGS "
          "PROGRAM\n";
    shown.out += trigger_line(trigger);
  }
  return shown;
}

Shown show_trigger_acted(const TriggerRequest& wish, const Acted& acted) {
  Shown shown;
  for (const Acted::Outcome& outcome : acted.outcomes) {
    if (outcome.refused) {
      const Shown refused = show_trigger_refused(wish, *outcome.refused);
      shown.err += refused.err;
      shown.exit_code = std::max(shown.exit_code, refused.exit_code);
    } else if (wish.verbose) {
      shown.err += std::string(program_name) + ": " + outcome.what + " " + outcome.done + "\n";
    }
  }
  return shown;
}

Shown show_trigger_refused(const TriggerRequest& wish, const Refusal& why) {
  using Mode = TriggerRequest::Mode;
  if (wish.mode == Mode::Clear && wish.quiet) return {};
  const char* call = wish.mode == Mode::Set   ? "slurm_set_trigger"
                     : wish.mode == Mode::Get ? "slurm_get_triggers"
                                              : "slurm_clear_trigger";
  Shown shown{"", call + (": " + printable(why.fact)) + "\n", exit_refused};
  if (!why.hint.empty()) shown.err += slurm_error(program_name, printable(why.hint)).err;
  return shown;
}

}  // namespace cox
