#include "client/slurm/list/squeue_request.h"

#include <algorithm>
#include <array>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

constexpr const char* squeue_usage =
    "Usage: squeue [-A account] [--clusters names] [-i seconds] [--job jobid]\n"
    "              [-n name] [-o format] [-p partitions] [--qos qos]\n"
    "              [--reservation reservation] [--sort fields] [--start]\n"
    "              [--step step_id] [-t states] [-u user_name] [--usage]\n"
    "              [-L licenses] [-w nodes] [--federation] [--local] [--sibling]\n"
    "\t      [-ahjlrsv]\n";

// States of Slurm that Coxswain's jobs never have. --states accepts them, and no job matches.
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

// Applies the options of squeue in their order, and stops at the first wrong one.
struct SqueueReader {
  const Surroundings& around_;
  SqueueRequest request_{};
  bool jobs_ = false;
  bool only_state_ = false;
  std::optional<Shown> wrong_{};

  std::variant<SqueueRequest, Shown> read(const std::vector<std::string>& words);

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

  void accept_sibling(const std::string&) {}
  void take_me(const std::string&) { request_.users = {around_.user_name}; }

  void take_json(const std::string& parser) {
    request_.json = true;
    if (auto wrong = refuse_other_parsers("squeue", parser)) wrong_ = *wrong;
  }

  template <bool by_names>
  void take_format(const std::string& value) {
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

  template <bool steps>
  void take_ids_of(const std::string& value) {
    (steps ? request_.steps : jobs_) = true;
    if (!value.empty()) take_ids(steps, value);
  }

  void take_ids(bool steps, const std::string& text) {
    if (!steps || !id_words(text).empty()) request_.ids.clear();
    for (const std::string& word : id_words(text)) {
      const std::size_t dot = word.find('.');
      const auto job =
          steps ? parse_job_ref(word.substr(0, dot)) : parse_component_ref(word.substr(0, dot));
      if (!steps) {
        if (!job || dot != std::string::npos) return refuse("Invalid job id: " + word);
        request_.ids.push_back({job->id, job->tasks, -1, job->component});
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

  // Accepts operands as ids if -j or -s was given without a value: "squeue -j 17".
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
      if (around_.user_exists && !around_.user_exists(user))
        request_.notes += slurm_error("squeue", "Invalid user: " + user).err + "\n";
    if (request_.users.empty()) request_.users = {""};  // matches no user
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
};

constexpr auto in_request = &SqueueReader::request_;

// clang-format off
constexpr OptionRow<SqueueReader> squeue_table[] = {
  {"accounts", 'A', Takes::Value, "LIST", "only jobs of these accounts", "SQUEUE_ACCOUNT",
   words_into<in_request, &SqueueRequest::accounts>},
  {"", 'U', Takes::Value, "", "", "", words_into<in_request, &SqueueRequest::accounts>},
  {"all", 'a', Takes::Nothing, "", "accepted: there are no hidden partitions", "SQUEUE_ALL",
   ignore_option},
  {"array", 'r', Takes::Nothing, "", "a line for each task of an array", "SQUEUE_ARRAY",
   into<in_request, &SqueueRequest::array>},
  {"array-unique", 0, Takes::Nothing, "", "a line for each pending task with a row of its own",
   "SQUEUE_ARRAY_UNIQUE", into<in_request, &SqueueRequest::array_unique>},
  {"clusters", 'M', Takes::Value, "LIST", "this cluster's name, or all", "SLURM_CLUSTERS",
   words_into<in_request, &SqueueRequest::clusters>},
  {"cluster", 0, Takes::Value, "", "", "", words_into<in_request, &SqueueRequest::clusters>},
  {"config", 0, Takes::Value, "FILE", "the cluster's coxswain.toml", "",
   into<in_request, &SqueueRequest::config>},
  {"federation", 0, Takes::Nothing, "", "accepted: there is no federation", "SQUEUE_FEDERATION",
   ignore_option},
  {"format", 'o', Takes::Value, "FORMAT", "columns by letters: \"%i|%.8j %t\"", "SQUEUE_FORMAT",
   calls<&SqueueReader::take_format<false>>},
  {"Format", 'O', Takes::Value, "FORMAT", "columns by names: \"JobID:10,Name:.8,State:|\"",
   "SQUEUE_FORMAT2", calls<&SqueueReader::take_format<true>>},
  {"help", 0, Takes::Nothing, "", "this text"},
  {"hide", 0, Takes::Nothing, "", "accepted: there are no hidden partitions", "", ignore_option},
  {"iterate", 'i', Takes::Value, "SECONDS", "repeat at this interval", "",
   calls<&SqueueReader::take_interval>},
  {"jobs", 'j', Takes::ValueAttached, "LIST", "only these jobs", "",
   calls<&SqueueReader::take_ids_of<false>>},
  {"json", 0, Takes::ValueAttached, "PARSER", "the jobs as Slurm's JSON", "",
   calls<&SqueueReader::take_json>},
  {"licenses", 'L', Takes::Value, "LIST", "only jobs that ask for one of these", "SQUEUE_LICENSES",
   words_into<in_request, &SqueueRequest::licences>},
  {"local", 0, Takes::Nothing, "", "accepted: there is no federation", "SQUEUE_LOCAL",
   ignore_option},
  {"long", 'l', Takes::Nothing, "", "more columns", "",
   into<in_request, &SqueueRequest::long_list>},
  {"me", 0, Takes::Nothing, "", "only your own jobs", "", calls<&SqueueReader::take_me>},
  {"name", 'n', Takes::Value, "LIST", "only jobs with these names", "SQUEUE_NAMES",
   words_into<in_request, &SqueueRequest::names>},
  {"noconvert", 0, Takes::Nothing, "", "memory in MB: 2048M, not 2G", "",
   not_into<in_request, &SqueueRequest::convert_units>},
  {"nodelist", 'w', Takes::Value, "LIST", "only jobs on these nodes", "",
   calls<&SqueueReader::take_nodes>},
  {"node", 0, Takes::Value, "", "", "", calls<&SqueueReader::take_nodes>},
  {"nodes", 0, Takes::Value, "", "", "", calls<&SqueueReader::take_nodes>},
  {"noheader", 'h', Takes::Nothing, "", "no header", "",
   into<in_request, &SqueueRequest::no_header>},
  {"only-job-state", 0, Takes::Nothing, "", "accepted: all columns are always available", "",
   into<&SqueueReader::only_state_>},
  {"partitions", 'p', Takes::Value, "LIST", "only jobs in these partitions", "SQUEUE_PARTITION",
   words_into<in_request, &SqueueRequest::partitions>},
  {"priority", 'P', Takes::Nothing, "", "a line for each partition that a pending job names",
   "SQUEUE_PRIORITY", into<in_request, &SqueueRequest::per_partition>},
  {"qos", 'q', Takes::Value, "LIST", "only jobs with these QOS", "SQUEUE_QOS",
   words_into<in_request, &SqueueRequest::qos>},
  {"reservation", 'R', Takes::Value, "NAME", "only jobs in this reservation", "",
   words_into<in_request, &SqueueRequest::reservation>},
  {"sibling", 0, Takes::Nothing, "", "accepted: there is no federation", "SQUEUE_SIBLING",
   calls<&SqueueReader::accept_sibling>},
  {"sib", 0, Takes::Nothing, "", "", "", calls<&SqueueReader::accept_sibling>},
  {"sort", 'S', Takes::Value, "LIST", "sort by these letters of -o; -X: descending",
   "SQUEUE_SORT", into<in_request, &SqueueRequest::sort>},
  {"start", 0, Takes::Nothing, "", "when pending jobs are expected to start", "",
   into<in_request, &SqueueRequest::start>},
  {"states", 't', Takes::Value, "LIST", "only these states, like PD or PENDING; all: also ended",
   "SQUEUE_STATES", calls<&SqueueReader::take_states>},
  {"steps", 's', Takes::ValueAttached, "LIST", "steps instead of jobs: all, or these, like 17.0",
   "", calls<&SqueueReader::take_ids_of<true>>},
  {"usage", 0, Takes::Nothing, "", "a short usage message"},
  {"user", 'u', Takes::Value, "LIST", "only jobs of these users, by name or uid", "SQUEUE_USERS",
   calls<&SqueueReader::take_users>},
  {"users", 0, Takes::Value, "", "", "", calls<&SqueueReader::take_users>},
  {"verbose", 'v', Takes::Nothing, "", "print the options in effect first", "",
   into<in_request, &SqueueRequest::verbose>},
  {"version", 'V', Takes::Nothing, "", "the version"},
  {"yaml", 0, Takes::ValueAttached, "PARSER", "the same as --json, which is YAML too", "",
   calls<&SqueueReader::take_json>},
};
// clang-format on

std::variant<SqueueRequest, Shown> SqueueReader::read(const std::vector<std::string>& words) {
  take_variables_first();
  auto operands =
      read_option_words<SqueueReader>({"squeue", squeue_usage}, squeue_table, words, *this);
  if (const auto* shown = std::get_if<Shown>(&operands)) return *shown;
  take_operands(std::get<std::vector<std::string>>(operands));
  if (!wrong_) take_variables_last();
  if (!wrong_) settle();
  if (wrong_) return *wrong_;
  return std::move(request_);
}

}  // namespace

std::vector<OptionForm> squeue_options() {
  return forms_of<SqueueReader>(squeue_table);
}

std::variant<SqueueRequest, Shown> read_squeue_request(const std::vector<std::string>& words,
                                                       const Surroundings& around) {
  return SqueueReader{around}.read(words);
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
  return slurm_error(program, "Unable to find plugin: data_parser/" + asked + "; only " +
                                  std::string(ours) + " is supported");
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
