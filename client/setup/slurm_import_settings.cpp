// Converts the settings of slurm.conf that apply to the whole cluster.
#include <algorithm>
#include <array>
#include <charconv>

#include "client/setup/slurm_import_parts.h"
#include "client/setup/slurm_import_words.h"
#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/cluster/scheduling_settings.h"
#include "common/resources/licence.h"

namespace cox {
namespace {

constexpr std::int64_t minute_s = 60;
constexpr std::int64_t hour_s = 3600;
constexpr std::int64_t week_s = 7 * 24 * hour_s;

// A setting of slurm.conf with its place, and the draft and notes to which it is converted.
struct Taking {
  const std::string& place;
  const SlurmSetting& setting;
  ImportDraft& draft;
  ImportNotes notes{draft.notes};

  const std::string& value() const { return setting.value; }
  std::string lower() const { return lower_case(setting.value); }
  void same(std::string_view words) { notes.same(place, setting, words); }
  void missing(std::string_view words) { notes.missing(place, setting, words); }
  void changed(std::string_view words) { notes.changed(place, setting, words); }
};

bool has_key(const TomlKeys& keys, std::string_view key) {
  return std::ranges::find(keys, key, [](const auto& one) { return one.first; }) != keys.end();
}

std::string duration_text(std::int64_t seconds) {
  if (seconds % hour_s == 0 && seconds > 0)
    return toml_text(std::to_string(seconds / hour_s) + "h");
  if (seconds % minute_s == 0 && seconds > 0)
    return toml_text(std::to_string(seconds / minute_s) + "min");
  return toml_text(std::to_string(seconds) + "s");
}

// Takes over a duration that is given as a number of units of `unit` seconds. Clamps it to the
// range of the key in coxswain.toml.
void take_duration(Taking& t, TomlKeys& keys, std::string_view key, std::int64_t unit,
                   std::int64_t least_s, std::int64_t most_s) {
  const auto number = parse_count(t.value(), 0, 1'000'000'000);
  if (!number) return t.missing(number.refusal().fact);
  const std::int64_t seconds = std::clamp(*number * unit, least_s, most_s);
  if (seconds != *number * unit) t.changed("adjusted to the range of " + std::string(key));
  put(keys, key, duration_text(seconds));
}

// Takes over a maximum. Clamps it to the range of the key in coxswain.toml.
void take_most(Taking& t, std::string_view key, std::int64_t most) {
  const auto number = parse_count(t.value(), 0, 1'000'000'000);
  if (!number) return t.missing(number.refusal().fact);
  const std::int64_t kept = std::clamp<std::int64_t>(*number, 1, most);
  if (kept != *number) t.changed("adjusted to the range of " + std::string(key));
  put(t.draft.controller, key, std::to_string(kept));
}

// Takes over a duration in the format of time limits ("7-0"). Clamps it to the range of the key in
// coxswain.toml.
void take_time(Taking& t, std::string_view key, std::int64_t least_s) {
  const auto seconds = parse_time_limit(t.value());
  if (!seconds) return t.missing(seconds.refusal().fact);
  const std::int64_t kept = std::clamp(*seconds, least_s, 52 * week_s);
  if (kept != *seconds) t.changed("adjusted to the range of " + std::string(key));
  put(t.draft.scheduling, key, duration_text(kept));
}

void put_weight(Taking& t, std::string_view key, std::string_view text) {
  double weight = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc() || end != text.data() + text.size() || !(weight >= 0) ||
      weight > static_cast<double>(priority_weight_max))
    return t.missing("the weight must be a number from 0 to " +
                     std::to_string(priority_weight_max));
  const auto whole = static_cast<std::int64_t>(weight);
  if (static_cast<double>(whole) != weight)
    t.changed("weights are whole numbers; the fraction is dropped");
  t.draft.weighs = t.draft.weighs || whole > 0;
  put(t.draft.scheduling, key, std::to_string(whole));
}

void take_tres_weights(Taking& t) {
  for (const std::string& one : list_of(t.value())) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string tres = lower_case(one.substr(0, equals));
    const std::string weight = equals < one.size() ? one.substr(equals + 1) : "";
    if (tres == "cpu") {
      put_weight(t, "weight_cpu", weight);
    } else if (tres == "gres/gpu") {
      put_weight(t, "weight_gpu", weight);
    } else {
      ImportNotes(t.draft.notes)
          .missing(t.place, {t.setting.name, one}, "only CPUs and GPUs have a weight");
    }
  }
}

struct Parameter {
  std::string_view name;
  void (*take)(Taking& t);
};

// SchedulerParameters that are taken over. All others have no meaning for Coxswain's scheduler.
constexpr auto parameters = std::to_array<Parameter>({
    {"kill_invalid_depend",
     [](Taking& t) { put(t.draft.controller, "kill_invalid_depend", "true"); }},
    {"max_switch_wait",
     [](Taking& t) { take_duration(t, t.draft.scheduling, "max_switch_wait", 1, 0, week_s); }},
});

void take_scheduler_parameters(Taking& all) {
  for (const std::string& one : list_of(all.value())) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string name = lower_case(one.substr(0, equals));
    const SlurmSetting setting{name, equals < one.size() ? one.substr(equals + 1) : ""};
    Taking t{all.place, setting, all.draft};
    const auto found = std::ranges::find(parameters, name, &Parameter::name);
    if (found != parameters.end()) {
      found->take(t);
    } else if (name.starts_with("bf_") || name.find("depth") != std::string::npos) {
      t.missing("each scheduling pass looks at every queued job, so there is no depth to limit");
    } else if (name == "max_script_size") {
      t.missing("a script may have up to 4 MiB");
    } else if (name.starts_with("preempt_") || name.find("requeue") != std::string::npos) {
      t.missing(
          "the jobs whose preemption costs least are preempted; see the keys preempt_... of "
          "[scheduling]");
    } else {
      t.missing("there is no such parameter; docs/configuration.md lists those of [scheduling]");
    }
  }
}

void take_host(Taking& t) {
  const std::string host = t.value().substr(0, t.value().find_first_of("(,"));
  if (!t.draft.controller_host.empty())
    return t.missing("for a standby, start another controller with the same database");
  if (!is_host_name(host)) return t.missing("it is not a valid host name");
  t.draft.controller_host = host;
}

void take_licences(Taking& t) {
  std::string text = t.value();
  std::ranges::replace(text, ';', ',');
  const auto licences = parse_licences(text);
  if (!licences) return t.missing(licences.refusal().fact);
  put(t.draft.scheduling, "licences", toml_text(text));
}

void take_memory(Taking& t, std::string& into) {
  const auto megabytes = parse_count(t.value(), 0, 1'000'000'000);
  if (!megabytes && t.lower() != "unlimited") return t.missing(megabytes.refusal().fact);
  if (megabytes && *megabytes > 0) into = std::to_string(*megabytes);
}

void take_scheduler_type(Taking& t) {
  if (t.lower() == "sched/builtin") return put(t.draft.scheduling, "backfill", "\"none\"");
  if (t.lower() != "sched/backfill") return t.missing("set backfill of [scheduling] instead");
  t.changed(
      "only the first queued job gets a reservation (backfill = \"easy\"); with \"conservative\" "
      "every queued job gets one, as in Slurm");
}

void take_preempt_type(Taking& t) {
  t.draft.preempt_type = t.lower();
  if (t.lower() == "preempt/qos")
    return t.changed("a QOS with a higher tier preempts those with a lower tier");
  if (t.lower() == "preempt/none")
    return t.changed(
        "jobs of imported QOS are never preempted; higher tiers still preempt standard and "
        "besteffort");
  t.missing(
      "the tier of a partition puts its jobs first in the queue, but preempts nothing; a QOS with "
      "a higher tier does");
}

void take_select_type(Taking& t) {
  t.draft.whole_nodes = t.lower() == "select/linear";
  if (t.draft.whole_nodes)
    return t.changed("each partition gets exclusive = true, so jobs do not share nodes");
  t.same("CPUs, memory and GRES are allocated individually");
}

void take_select_parameters(Taking& t) {
  for (const std::string& one : list_of(t.value())) {
    const SlurmSetting setting{t.setting.name, one};
    ImportNotes notes(t.draft.notes);
    const std::string word = lower_case(one);
    if (word.find("core") != std::string::npos || word.find("socket") != std::string::npos)
      notes.changed(t.place, setting, "single CPUs are allocated, not whole cores or sockets");
    else if (word == "cr_cpu" || word == "cr_cpu_memory" || word == "cr_memory")
      notes.same(t.place, setting, "CPUs are allocated, and the memory that jobs ask for");
    else
      notes.missing(t.place, setting, "placement of [scheduling] sets which nodes jobs get");
  }
}

template <const char* key>
void take_weight(Taking& t) {
  put_weight(t, key, t.value());
}

constexpr char age[] = "weight_age";
constexpr char fair_share[] = "weight_fair_share";
constexpr char size[] = "weight_size";
constexpr char of_partition[] = "weight_partition";
constexpr char of_qos[] = "weight_qos";

void take_cluster_name(Taking& t) {
  if (!is_host_name(t.value()))
    return t.missing("it is not a valid name: use letters, digits, '-', '_' and '.'");
  put(t.draft.controller, "cluster_name", toml_text(t.value()));
}

void take_kill_wait(Taking& t) {
  take_duration(t, t.draft.controller, "kill_wait", 1, 0, hour_s);
}

void take_favor_small(Taking& t) {
  if (t.lower() == "yes") put(t.draft.scheduling, "favor_small", "true");
}

void take_job_requeue(Taking& t) {
  if (t.value() == "0")
    return t.changed("jobs are requeued unless submitted with --no-requeue or SBATCH_NO_REQUEUE=1");
  t.same("jobs are requeued unless submitted with --no-requeue");
}

// Takes over the path of a program. A pattern or several programs, which Slurm also accepts, become
// a note.
void take_program(Taking& t, TomlKeys& keys, std::string_view key) {
  if (t.value().find_first_of("*?[,") != std::string::npos)
    return t.missing("name one program, which may run the others: " + std::string(key) +
                     " is a path");
  if (!t.value().starts_with('/')) return t.missing("it is not an absolute path");
  put(keys, key, toml_text(t.value()));
}

void take_prolog(Taking& t) {
  take_program(t, t.draft.worker, "prolog");
  if (has_key(t.draft.worker, "prolog"))
    t.changed("if it fails, the job is requeued and not held, as with nohold_on_prolog_fail");
}

void take_prolog_timeout(Taking& t) {
  for (TomlKeys* keys : {&t.draft.worker, &t.draft.controller})
    take_duration(t, *keys, "prolog_epilog_timeout", 1, 1, 24 * hour_s);
}

void take_prolog_flags(Taking& t) {
  for (const std::string& one : list_of(t.value())) {
    ImportNotes notes(t.draft.notes);
    const SlurmSetting setting{t.setting.name, one};
    if (lower_case(one) == "alloc")
      notes.same(t.place, setting, "a prolog runs when the nodes are allocated");
    else
      notes.missing(t.place, setting,
                    "a prolog has no flags; it runs on all nodes of a job before the job starts");
  }
}

void take_preempt_mode(Taking& t) {
  t.draft.preempt_mode = t.lower();
  if (t.lower().starts_with("requeue"))
    return t.changed(
        "each QOS has its own mode; with requeue jobs are stopped without being asked to save; "
        "for jobs that can save: sacctmgr -i modify qos NAME set PreemptMode=checkpoint "
        "GraceTime=60");
  t.changed("each QOS has its own mode: sacctmgr modify qos NAME set PreemptMode=...");
}

constexpr auto taken = std::to_array<Parameter>({
    {"clustername", take_cluster_name},
    {"slurmctldhost", take_host},
    {"controlmachine", take_host},
    {"backupcontroller", take_host},
    {"controladdr",
     [](Taking& t) { t.missing("set `controller` of [worker] to this address where needed"); }},
    {"backupaddr",
     [](Taking& t) {
       t.missing("for a standby, start another controller with the same database");
     }},
    {"killwait", take_kill_wait},
    {"minjobage",
     [](Taking& t) { take_duration(t, t.draft.controller, "min_job_age", 1, 0, week_s); }},
    {"maxjobcount", [](Taking& t) { take_most(t, "max_jobs", limits::jobs_max); }},
    {"maxarraysize", [](Taking& t) { take_most(t, "max_array_size", limits::array_tasks_max); }},
    {"priorityweightage", take_weight<age>},
    {"priorityweightfairshare", take_weight<fair_share>},
    {"priorityweightjobsize", take_weight<size>},
    {"priorityweightpartition", take_weight<of_partition>},
    {"priorityweightqos", take_weight<of_qos>},
    {"priorityweighttres", take_tres_weights},
    {"priorityfavorsmall", take_favor_small},
    {"prioritymaxage", [](Taking& t) { take_time(t, "max_age", minute_s); }},
    {"prioritydecayhalflife", [](Taking& t) { take_time(t, "usage_half_life", 0); }},
    {"prioritycalcperiod",
     [](Taking& t) { take_duration(t, t.draft.scheduling, "usage_period", minute_s, 1, hour_s); }},
    {"prioritytype",
     [](Taking& t) {
       t.same("the weights set the priority; without any, jobs start in the order of submission");
     }},
    {"licenses", take_licences},
    {"schedulertype", take_scheduler_type},
    {"schedulerparameters", take_scheduler_parameters},
    {"preempttype", take_preempt_type},
    {"preemptmode", take_preempt_mode},
    {"preemptexempttime", [](Taking& t) { take_time(t, "preempt_exempt_time", 0); }},
    {"selecttype", take_select_type},
    {"selecttypeparameters", take_select_parameters},
    {"jobrequeue", take_job_requeue},
    {"defmempercpu", [](Taking& t) { take_memory(t, t.draft.memory_per_cpu); }},
    {"maxmempernode", [](Taking& t) { take_memory(t, t.draft.memory_per_node_max); }},
    {"prolog", take_prolog},
    {"epilog", [](Taking& t) { take_program(t, t.draft.worker, "epilog"); }},
    {"taskprolog", [](Taking& t) { take_program(t, t.draft.worker, "task_prolog"); }},
    {"taskepilog", [](Taking& t) { take_program(t, t.draft.worker, "task_epilog"); }},
    {"prologslurmctld", [](Taking& t) { take_program(t, t.draft.controller, "prolog_program"); }},
    {"epilogslurmctld", [](Taking& t) { take_program(t, t.draft.controller, "epilog_program"); }},
    {"prologepilogtimeout", take_prolog_timeout},
    {"prologflags", take_prolog_flags},
});

}  // namespace

void import_setting(const std::string& place, const SlurmSetting& setting, ImportDraft& draft) {
  Taking t{place, setting, draft};
  const std::string name = lower_case(setting.name);
  const auto found = std::ranges::find(taken, name, &Parameter::name);
  if (found != taken.end()) return found->take(t);
  if (const ImportWords* words = words_of_setting(name)) {
    if (words->fate == ImportFate::Same) return t.same(words->words);
    return t.missing(words->words);
  }
  auto known = names_with_words();
  for (const Parameter& one : taken) known.push_back(one.name);
  t.notes.unknown(place, setting, known);
}

// Writes keys for settings that slurm.conf leaves out and whose defaults differ. Without a
// PriorityWeight, jobs run in the order of submission. Otherwise a weight that is left out is 0 and
// max_age is a week, as in Slurm. max_age_min is max_age, so that no job goes first earlier.
void finish_settings(ImportDraft& draft) {
  if (!draft.weighs) {
    std::erase_if(draft.scheduling,
                  [](const auto& key) { return key.first.starts_with("weight"); });
    put(draft.scheduling, "order", "\"fcfs\"");
    return;
  }
  for (const std::string_view key : {"weight_age", "weight_fair_share", "weight_shortness"})
    if (!has_key(draft.scheduling, key)) put(draft.scheduling, key, "0");
  if (!has_key(draft.scheduling, "max_age")) put(draft.scheduling, "max_age", "\"168h\"");
  const auto max_age = std::ranges::find(
      draft.scheduling, "max_age", [](const auto& key) { return std::string_view(key.first); });
  if (!has_key(draft.scheduling, "max_age_min"))
    put(draft.scheduling, "max_age_min", max_age->second);
}

}  // namespace cox
