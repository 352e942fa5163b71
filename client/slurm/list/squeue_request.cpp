#include "client/slurm/list/squeue_request.h"

#include <algorithm>
#include <array>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

// clang-format off
constexpr auto squeue_table = std::to_array<WordOption>({
  {"accounts", 'A', Takes::Value, "LIST", "only these accounts'", "SQUEUE_ACCOUNT"},
  {"", 'U', Takes::Value, "", "", ""},
  {"all", 'a', Takes::Nothing, "", "accepted: there are no hidden partitions", "SQUEUE_ALL"},
  {"array", 'r', Takes::Nothing, "", "a line for each task of an array", "SQUEUE_ARRAY"},
  {"array-unique", 0, Takes::Nothing, "", "tasks that wait alone on lines of their own",
   "SQUEUE_ARRAY_UNIQUE"},
  {"clusters", 'M', Takes::Value, "LIST", "this cluster's name, or all", "SLURM_CLUSTERS"},
  {"cluster", 0, Takes::Value, "", "", ""},
  {"config", 0, Takes::Value, "FILE", "the cluster's coxswain.toml", ""},
  {"federation", 0, Takes::Nothing, "", "accepted: there is no federation", "SQUEUE_FEDERATION"},
  {"format", 'o', Takes::Value, "FORMAT", "columns by letters: \"%i|%.8j %t\"", "SQUEUE_FORMAT"},
  {"Format", 'O', Takes::Value, "FORMAT", "columns by names: \"JobID:10,Name:.8,State:|\"",
   "SQUEUE_FORMAT2"},
  {"help", 0, Takes::Nothing, "", "this text", ""},
  {"hide", 0, Takes::Nothing, "", "accepted: there are no hidden partitions", ""},
  {"iterate", 'i', Takes::Value, "SECONDS", "again and again", ""},
  {"jobs", 'j', Takes::ValueAttached, "LIST", "only these ids", ""},
  {"json", 0, Takes::ValueAttached, "PARSER", "the jobs as Slurm's JSON", ""},
  {"licenses", 'L', Takes::Value, "LIST", "only those that ask for one of these",
   "SQUEUE_LICENSES"},
  {"local", 0, Takes::Nothing, "", "accepted: there is no federation", "SQUEUE_LOCAL"},
  {"long", 'l', Takes::Nothing, "", "more columns", ""},
  {"me", 0, Takes::Nothing, "", "only your own", ""},
  {"name", 'n', Takes::Value, "LIST", "only those of these names", "SQUEUE_NAMES"},
  {"noconvert", 0, Takes::Nothing, "", "memory in MB: 2048M, not 2G", ""},
  {"nodelist", 'w', Takes::Value, "LIST", "only those on these nodes", ""},
  {"node", 0, Takes::Value, "", "", ""},
  {"nodes", 0, Takes::Value, "", "", ""},
  {"noheader", 'h', Takes::Nothing, "", "no heads", ""},
  {"only-job-state", 0, Takes::Nothing, "", "accepted: all columns are known in any case", ""},
  {"partitions", 'p', Takes::Value, "LIST", "only those in these partitions", "SQUEUE_PARTITION"},
  {"priority", 'P', Takes::Nothing, "", "a line for each partition that a waiting job names",
   "SQUEUE_PRIORITY"},
  {"qos", 'q', Takes::Value, "LIST", "only those of these QOSes", "SQUEUE_QOS"},
  {"reservation", 'R', Takes::Value, "NAME", "only those in this reservation", ""},
  {"sibling", 0, Takes::Nothing, "", "accepted: there is no federation", "SQUEUE_SIBLING"},
  {"sib", 0, Takes::Nothing, "", "", ""},
  {"sort", 'S', Takes::Value, "LIST", "in the order of these letters of -o; -X: backwards",
   "SQUEUE_SORT"},
  {"start", 0, Takes::Nothing, "", "when waiting jobs are expected to start", ""},
  {"states", 't', Takes::Value, "LIST", "only these states, as PD or PENDING; all: ended ones too",
   "SQUEUE_STATES"},
  {"steps", 's', Takes::ValueAttached, "LIST", "steps instead of jobs: all, or these, like 17.0",
   ""},
  {"usage", 0, Takes::Nothing, "", "the options in brief", ""},
  {"user", 'u', Takes::Value, "LIST", "only these users', by name or number", "SQUEUE_USERS"},
  {"users", 0, Takes::Value, "", "", ""},
  {"verbose", 'v', Takes::Nothing, "", "what was asked for, first", ""},
  {"version", 'V', Takes::Nothing, "", "the version", ""},
  {"yaml", 0, Takes::ValueAttached, "PARSER", "the same as --json, which is YAML too", ""},
});
// clang-format on

constexpr const char* squeue_usage =
    "Usage: squeue [-A account] [--clusters names] [-i seconds] [--job jobid]\n"
    "              [-n name] [-o format] [-p partitions] [--qos qos]\n"
    "              [--reservation reservation] [--sort fields] [--start]\n"
    "              [--step step_id] [-t states] [-u user_name] [--usage]\n"
    "              [-L licenses] [-w nodes] [--federation] [--local] [--sibling]\n"
    "\t      [-ahjlrsv]\n";

// Slurm's states beside ours: they may be asked for, and no job is in one.
constexpr std::array other_states = {"BOOT_FAIL", "BF", "RESIZING",     "RS", "RESV_DEL_HOLD", "RD",
                                     "REQUEUED",  "RQ", "REQUEUE_FED",  "RF", "REQUEUE_HOLD",  "RH",
                                     "REVOKED",   "RV", "SPECIAL_EXIT", "SE", "STAGE_OUT",     "SO",
                                     "STOPPED",   "ST"};

constexpr const char* valid_job_states =
    "PENDING,RUNNING,SUSPENDED,COMPLETED,CANCELLED,FAILED,TIMEOUT,NODE_FAIL,PREEMPTED,BOOT_FAIL,"
    "DEADLINE,OUT_OF_MEMORY,COMPLETING,CONFIGURING,RESIZING,RESV_DEL_HOLD,REQUEUED,REQUEUE_FED,"
    "REQUEUE_HOLD,REVOKED,SIGNALING,SPECIAL_EXIT,STAGE_OUT,STOPPED";

bool is_set(const std::string& text) {
  return !text.empty();
}

}  // namespace

std::vector<std::string> id_words(const std::string& text) {
  std::vector<std::string> words(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth <= 0)
      words.emplace_back();
    else
      words.back() += c;
  }
  std::erase(words, "");
  return words;
}

namespace {

// Takes the options one after the other; the first that is wrong ends it.
class SqueueReader {
 public:
  explicit SqueueReader(const Surroundings& around) : around_(around) {}

  std::variant<SqueueRequest, Shown> read(const GivenWords& given) {
    take_variables_first();
    for (const GivenWord& word : given.options) {
      take(*word.option, word);
      if (wrong_) return *wrong_;
    }
    take_operands(given.operands);
    if (!wrong_) take_variables_last();
    if (!wrong_) settle();
    if (wrong_) return *wrong_;
    return std::move(request_);
  }

 private:
  using Request = SqueueRequest;

  std::string variable(std::string_view name) const {
    return variable_value(around_.environment, name);
  }
  bool has(std::string_view name) const { return has_variable(around_.environment, name); }
  void refuse(const std::string& fact) { wrong_ = slurm_error("squeue", fact); }

  void take_variables_first() {
    request_.array = has("SQUEUE_ARRAY");
    request_.array_unique = has("SQUEUE_ARRAY_UNIQUE");
    request_.per_partition = has("SQUEUE_PRIORITY");
    request_.sort = variable("SQUEUE_SORT");
    request_.clusters = list_words(variable("SLURM_CLUSTERS"));
    request_.time_style = variable("SLURM_TIME_FORMAT");
    if (const auto bytes = parse_count(variable("SLURM_BITSTR_LEN"), 0, 1 << 20))
      request_.tasks_bytes = *bytes;
  }

  void take(const WordOption& option, const GivenWord& word) {
    const std::string_view name = option.name;
    const std::string& value = word.value;
    if (name == "json" || name == "yaml") return take_json(word);
    if (take_list(name, value) || take_flag(name)) return;
    if (name == "Format" || name == "format") take_format(name == "Format", value);
    if (name == "iterate") take_interval(value);
    if (name == "jobs" || name == "steps") take_ids_of(name == "steps", word);
    if (name == "nodelist") take_nodes(value);
    if (name == "states") take_states(value);
    if (name == "user") take_users(value);
    if (name == "sort") request_.sort = value;
    if (name == "config") request_.config = value;
    if (auto told = told_instead("squeue", squeue_table, name, squeue_usage))
      wrong_ = std::move(*told);
  }

  bool take_list(std::string_view name, const std::string& value) {
    const std::array<std::pair<std::string_view, std::vector<std::string> Request::*>, 7> lists = {
        {{"accounts", &Request::accounts},
         {"clusters", &Request::clusters},
         {"licenses", &Request::licences},
         {"name", &Request::names},
         {"partitions", &Request::partitions},
         {"qos", &Request::qos},
         {"reservation", &Request::reservation}}};
    const auto at = std::ranges::find(lists, name, [](const auto& each) { return each.first; });
    if (at == lists.end()) return false;
    request_.*(at->second) = list_words(value);
    return true;
  }

  bool take_flag(std::string_view name) {
    const std::array<std::pair<std::string_view, bool Request::*>, 6> flags = {
        {{"array", &Request::array},
         {"array-unique", &Request::array_unique},
         {"long", &Request::long_list},
         {"noheader", &Request::no_header},
         {"priority", &Request::per_partition},
         {"start", &Request::start}}};
    const auto at = std::ranges::find(flags, name, [](const auto& each) { return each.first; });
    if (at != flags.end()) request_.*(at->second) = true;
    if (name == "noconvert") request_.convert_units = false;
    if (name == "verbose") ++request_.verbose;
    if (name == "me") request_.users = {around_.user_name};
    if (name == "only-job-state") only_state_ = true;
    return at != flags.end() || name == "noconvert" || name == "verbose" || name == "me" ||
           name == "only-job-state";
  }

  void take_json(const GivenWord& word) {
    request_.json = true;
    if (auto wrong = refuse_other_parsers("squeue", word.value)) wrong_ = *wrong;
  }

  void take_format(bool by_names, const std::string& value) {
    if (by_names && request_.format)
      return refuse("-O (--Format) is incompatible with -o (--format)");
    if (!by_names && request_.format_names)
      return refuse("-o (--format) is incompatible with -O (--Format)");
    (by_names ? request_.format_names : request_.format) = value;
  }

  void take_interval(const std::string& value) {
    const auto seconds = parse_count(value, 1, 1'000'000'000);
    if (!seconds) return refuse("--iterate=" + value);
    request_.every_s = *seconds;
  }

  void take_ids_of(bool steps, const GivenWord& word) {
    (steps ? request_.steps : jobs_) = true;
    if (word.has_value) take_ids(steps, word.value);
  }

  void take_ids(bool steps, const std::string& text) {
    if (!steps || !id_words(text).empty()) request_.ids.clear();
    for (const std::string& word : id_words(text)) {
      const std::size_t dot = word.find('.');
      const auto job = parse_job_ref(word.substr(0, dot));
      if (!steps) {
        if (!job || dot != std::string::npos) return refuse("Invalid job id: " + word);
        request_.ids.push_back({job->id, job->tasks, -1});
        continue;
      }
      if (dot == std::string::npos) return refuse("Invalid job_step id: " + word + ".??");
      const std::string step = word.substr(dot + 1);
      const auto number = parse_count(step, 0, 1'000'000'000);
      if (!job || (!number && step != "batch")) return refuse("Invalid job_step id: " + word);
      request_.ids.push_back(
          {job->id, job->tasks, number ? static_cast<std::int32_t>(*number) : Request::batch_step});
    }
  }

  // What stands behind -j and -s as a word of its own.
  void take_operands(const std::vector<std::string>& operands) {
    std::size_t taken = 0;
    if (!operands.empty() && (jobs_ || request_.steps)) {
      take_ids(!jobs_, operands[0]);
      taken = 1;
    }
    if (wrong_ || operands.size() == taken) return;
    wrong_ = slurm_error("squeue", "Unrecognized option: " + operands[taken]);
    wrong_->err += squeue_usage;
  }

  void take_nodes(const std::string& value) {
    auto names = expand_hostlist(value);
    if (!names) return refuse("'" + value + "' invalid entry for --nodelist");
    std::ranges::replace(*names, "localhost", around_.host_name);
    request_.nodes = *names;
  }

  void take_states(const std::string& value) {
    std::vector<JobState> states;
    if (same_field_name(value, "all")) {
      states.assign(all_job_states.begin(), all_job_states.end());
    } else {
      for (const std::string& word : list_words(value)) {
        const auto state = job_state_from(word);
        const bool known = state || std::ranges::any_of(other_states, [&](const char* other) {
                             return same_field_name(word, other);
                           });
        if (state) states.push_back(*state);
        if (known) continue;
        wrong_ = slurm_error("squeue", "Invalid job state specified: " + word);
        wrong_->err +=
            std::string("squeue: error: Valid job states include: ") + valid_job_states + "\n\n";
        return;
      }
    }
    request_.states = states;
  }

  void take_users(const std::string& value) {
    request_.users = list_words(value);
    for (const std::string& user : request_.users)
      if (around_.knows_user && !around_.knows_user(user))
        request_.notes += slurm_error("squeue", "Invalid user: " + user).err + "\n";
    if (request_.users.empty()) request_.users = {""};  // nobody's
  }

  void take_variables_last() {
    Request& r = request_;
    const bool own = r.format || r.format_names || r.long_list || r.start || r.steps;
    if (!own && is_set(variable("SQUEUE_FORMAT")))
      r.format = variable("SQUEUE_FORMAT");
    else if (!own && is_set(variable("SQUEUE_FORMAT2")))
      r.format_names = variable("SQUEUE_FORMAT2");
    const auto list = [&](std::vector<std::string>& to, std::string_view name) {
      if (to.empty()) to = list_words(variable(name));
    };
    list(r.accounts, "SQUEUE_ACCOUNT");
    list(r.names, "SQUEUE_NAMES");
    list(r.licences, "SQUEUE_LICENSES");
    list(r.partitions, "SQUEUE_PARTITION");
    list(r.qos, "SQUEUE_QOS");
    if (!r.states && is_set(variable("SQUEUE_STATES"))) take_states(variable("SQUEUE_STATES"));
    if (r.users.empty() && is_set(variable("SQUEUE_USERS"))) take_users(variable("SQUEUE_USERS"));
  }

  void refuse_both(const std::string& options) {
    wrong_ = Shown{"",
                   "squeue: fatal: Options " + options +
                       " are mutually exclusive. Please remove one and retry.\n",
                   exit_refused};
  }

  void settle() {
    Request& r = request_;
    if (r.long_list && r.format) return refuse_both("-o(--format) and -l(--long)");
    if (only_state_ && r.steps) return refuse_both("--only-job-state and -s(--steps)");
    if (jobs_ && r.steps && r.ids.empty()) return refuse("Incompatible options --jobs and --steps");
    if (!r.start || r.steps) return;
    if (!r.format && !r.format_names) r.format = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R";
    if (r.sort.empty()) r.sort = "S";
    if (!r.states) r.states = {{JobState::Pending}};
  }

  const Surroundings& around_;
  SqueueRequest request_;
  bool jobs_ = false;
  bool only_state_ = false;
  std::optional<Shown> wrong_;
};

}  // namespace

std::span<const WordOption> squeue_options() {
  return squeue_table;
}

std::variant<SqueueRequest, Shown> read_squeue_request(const std::vector<std::string>& words,
                                                       const Surroundings& around) {
  const auto given = read_option_words("squeue", squeue_table, words);
  if (const auto* wrong = std::get_if<Shown>(&given)) return *wrong;
  return SqueueReader(around).read(std::get<GivenWords>(given));
}

std::string asked_text(const SqueueRequest& r) {
  const auto text = [](const std::string& each) {
    return each.empty() ? "(null)" : printable(each);
  };
  const auto words = [&](const std::vector<std::string>& each) { return text(joined(each, ",")); };
  std::vector<std::string> ids;
  std::vector<std::string> states;
  for (const auto& id : r.ids) ids.push_back(format_job_ref(id.job, id.tasks));
  for (const JobState state : r.states.value_or(std::vector<JobState>{}))
    states.emplace_back(name(state));
  return asked_lines({{"array", asked_flag(r.array)},
                      {"format", text(r.format_names.value_or(r.format.value_or("")))},
                      {"iterate", std::to_string(r.every_s)},
                      {r.steps ? "steps" : "jobs", words(ids)},
                      {"accounts", words(r.accounts)},
                      {"licenses", words(r.licences)},
                      {"names", words(r.names)},
                      {"nodes", words(r.nodes)},
                      {"partitions", words(r.partitions)},
                      {"priority", asked_flag(r.per_partition)},
                      {"reservation", words(r.reservation)},
                      {"sort", text(r.sort)},
                      {"start_flag", r.start ? "1" : "0"},
                      {"states", words(states)},
                      {"step_flag", r.steps ? "1" : "0"},
                      {"users", words(r.users)},
                      {"verbose", std::to_string(r.verbose)}}) +
         "\n\n";
}

std::vector<std::string> list_words(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ','))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

std::optional<Shown> refuse_other_parsers(std::string_view program, const std::string& asked) {
  constexpr std::string_view ours = "v0.0.40";
  if (asked.empty() || std::string_view(asked).starts_with(ours)) return std::nullopt;
  return slurm_error(
      program, "Unable to find plugin: data_parser/" + asked + "; there is " + std::string(ours));
}

std::optional<Shown> refuse_other_clusters(std::string_view program,
                                           const std::vector<std::string>& asked,
                                           const std::string& ours) {
  for (const std::string& name : asked)
    if (name != ours && name != "all") {
      Shown wrong = slurm_error(program, "No cluster '" + name + "' known by database.");
      wrong.err += slurm_error(program, "'" + name +
                                            "' can't be reached now, or it is an invalid entry "
                                            "for --cluster.  Use 'sacctmgr list clusters' to see "
                                            "available clusters.")
                       .err;
      return wrong;
    }
  return std::nullopt;
}

}  // namespace cox
