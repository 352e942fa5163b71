#include <algorithm>
#include <array>

#include "client/options/signal_format.h"
#include "client/slurm/list/scancel.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

constexpr const char* scancel_operands = "[job_id[_array_id][.step_id]]";

constexpr const char* scancel_usage =
    "Usage: scancel [-A account] [--batch] [--full] [--interactive] [-n job_name]\n"
    "               [-p partition] [-Q] [-q qos] [-R reservation] [-s signal | integer]\n"
    "               [-t PENDING | RUNNING | SUSPENDED] [--usage] [-u user_name]\n"
    "               [--hurry] [-V] [-v] [-w hosts...] [--wckey=wckey]\n"
    "               [job_id[_array_id][.step_id]]\n";

// Parses the environment variables before the command line, so that the command line overrides
// them.
struct ScancelReader {
  const Surroundings& around_;
  ScancelRequest request_{};
  std::optional<Shown> wrong_{};

  std::variant<ScancelRequest, Shown> read(const std::vector<std::string>& words);

  void refuse(const std::string& fact) {
    if (!wrong_) wrong_ = slurm_error("scancel", fact);
  }

  void refuse_id(const std::string& word, const Refusal& why) {
    if (wrong_) return;
    refuse("Invalid job id " + word);
    wrong_->err += slurm_error("scancel", why.fact + "; " + why.hint).err;
  }

  void take_variable(const OptionRow<ScancelReader>& option, const std::string& value);
  void take_me(const std::string&) { take_user(around_.user_name); }

  void take_user(const std::string& value) {
    if (around_.user_exists && !around_.user_exists(value))
      return refuse("Invalid user name: " + value);
    request_.filters.users = {value};
  }

  void take_nodes(const std::string& value) {
    auto names = expand_hostlist(value);
    if (!names) return refuse("Invalid node list: " + value);
    std::ranges::replace(*names, "localhost", around_.host_name);
    request_.filters.nodes = *names;
  }

  void take_signal(const std::string& value) {
    const auto signal = parse_signal(value);
    if (signal)
      request_.signal = *signal;
    else if (!wrong_)
      wrong_ = Shown{"", "Unknown job signal: " + printable(value) + "\n", exit_refused};
  }

  void take_states(const std::string& value) {
    std::vector<JobState> states;
    for (const std::string& word : list_words(value)) {
      const auto state = job_state_from(word);
      if (state && !is_final(*state)) {
        states.push_back(*state);
        continue;
      }
      refuse("Invalid job state specified: " + word);
      wrong_->err +=
          slurm_error("scancel", "Valid job states are PENDING, RUNNING, and SUSPENDED").err;
      return;
    }
    request_.filters.states = states;
  }

  void take_ids(const std::string& text) {
    for (const std::string& word : id_words(text)) {
      const auto ref = parse_step_ref(word);
      if (!ref) return refuse_id(word, ref.refusal());
      request_.filters.ids.push_back({ref->job.id, ref->job.tasks, ref->step});
    }
    if (request_.filters.ids.size() > limits::named_ids_max)
      refuse("more than " + std::to_string(limits::named_ids_max) + " job ids at once");
  }
};

constexpr auto in_scancel = &ScancelReader::request_;
constexpr auto in_filters = &ScancelRequest::filters;

// clang-format off
constexpr OptionRow<ScancelReader> scancel_table[] = {
  {"account", 'A', Takes::Value, "LIST", "only jobs of these accounts", "SCANCEL_ACCOUNT",
   words_into<in_scancel, in_filters, &SqueueRequest::accounts>},
  {"batch", 'b', Takes::Nothing, "", "signal only the batch scripts", "SCANCEL_BATCH",
   into<in_scancel, &ScancelRequest::batch_script>},
  {"clusters", 'M', Takes::Value, "LIST", "this cluster's name, or all", "SLURM_CLUSTERS",
   words_into<in_scancel, in_filters, &SqueueRequest::clusters>},
  {"cluster", 0, Takes::Value, "", "", "",
   words_into<in_scancel, in_filters, &SqueueRequest::clusters>},
  {"config", 0, Takes::Value, "FILE", "the cluster's coxswain.toml", "",
   into<in_scancel, in_filters, &SqueueRequest::config>},
  {"cron", 'c', Takes::Nothing, "", "also cancel jobs of scrontab, and disable their lines",
   "SCANCEL_CRON", into<in_scancel, &ScancelRequest::cron>},
  {"ctld", 0, Takes::Nothing, "", "accepted: the controller sends them anyway", "SCANCEL_CTLD",
   ignore_option},
  {"full", 'f', Takes::Nothing, "", "signal the batch scripts, their children and the steps",
   "SCANCEL_FULL", into<in_scancel, &ScancelRequest::full>},
  {"help", 0, Takes::Nothing, "", "this text"},
  {"hurry", 'H', Takes::Nothing, "", "accepted: there are no burst buffers", "SCANCEL_HURRY",
   ignore_option},
  {"interactive", 'i', Takes::Nothing, "", "ask before each job", "SCANCEL_INTERACTIVE",
   into<in_scancel, &ScancelRequest::interactive>},
  {"me", 0, Takes::Nothing, "", "only your own jobs", "", calls<&ScancelReader::take_me>},
  {"name", 'n', Takes::Value, "LIST", "only jobs with these names", "SCANCEL_NAME",
   words_into<in_scancel, in_filters, &SqueueRequest::names>},
  {"jobname", 0, Takes::Value, "", "", "",
   words_into<in_scancel, in_filters, &SqueueRequest::names>},
  {"nodelist", 'w', Takes::Value, "LIST", "only jobs on these nodes", "",
   calls<&ScancelReader::take_nodes>},
  {"partition", 'p', Takes::Value, "LIST", "only jobs in these partitions", "SCANCEL_PARTITION",
   words_into<in_scancel, in_filters, &SqueueRequest::partitions>},
  {"qos", 'q', Takes::Value, "LIST", "only jobs with these QOS", "SCANCEL_QOS",
   words_into<in_scancel, in_filters, &SqueueRequest::qos>},
  {"quiet", 'Q', Takes::Nothing, "", "do not report refusals", "",
   into<in_scancel, &ScancelRequest::quiet>},
  {"reservation", 'R', Takes::Value, "NAME", "only jobs in this reservation", "",
   words_into<in_scancel, in_filters, &SqueueRequest::reservation>},
  {"sibling", 0, Takes::Value, "NAME", "accepted: there is no federation", "", ignore_option},
  {"signal", 's', Takes::Value, "SIGNAL", "send this to the steps instead of cancelling the jobs",
   "", calls<&ScancelReader::take_signal>},
  {"state", 't', Takes::Value, "STATE", "only pending (PD), running (R) or suspended (S) jobs",
   "SCANCEL_STATE", calls<&ScancelReader::take_states>},
  {"usage", 0, Takes::Nothing, "", "a short usage message"},
  {"user", 'u', Takes::Value, "USER", "only jobs of this user", "SCANCEL_USER",
   calls<&ScancelReader::take_user>},
  {"verbose", 'v', Takes::Nothing, "", "print what is requested", "SCANCEL_VERBOSE",
   into<in_scancel, in_filters, &SqueueRequest::verbose>},
  {"version", 'V', Takes::Nothing, "", "the version"},
  {"wckey", 0, Takes::Value, "WCKEY", "only jobs with this key", "SCANCEL_WCKEY",
   into<in_scancel, &ScancelRequest::wckey>},
};
// clang-format on

// Applies an environment variable. As in Slurm, that of a flag must be "true" or "t" to turn it on;
// the variables of --cron, --ctld and --hurry may have any value.
void ScancelReader::take_variable(const OptionRow<ScancelReader>& option,
                                  const std::string& value) {
  const bool is_flag = option.takes == Takes::Nothing;
  const std::string word = lower_case(value);
  if (!is_flag || option.name == "cron" || option.name == "ctld" || option.name == "hurry" ||
      word == "true" || word == "t") {
    option.set(*this, value);
    return;
  }
  if (word == "false" || word == "f") return;
  const std::string fact = "Unrecognized " + std::string(option.variable) + " value: " + value;
  request_.filters.notes += slurm_error("scancel", fact).err;  // as in Slurm, not fatal
}

std::variant<ScancelRequest, Shown> ScancelReader::read(const std::vector<std::string>& words) {
  for (const auto& option : scancel_table) {
    const std::string value = variable_value(around_.environment, option.variable);
    if (!option.variable.empty() && !value.empty()) take_variable(option, value);
  }
  const auto read = read_option_words<ScancelReader>({"scancel", scancel_usage, scancel_operands},
                                                     scancel_table, words, *this);
  if (const auto* shown = std::get_if<Shown>(&read))
    wrong_ = *shown;
  else
    for (const std::string& word : std::get<std::vector<std::string>>(read)) take_ids(word);
  if (!wrong_ && request_.filters.ids.empty() && !needs_job_list(request_))
    refuse("No job identification provided");
  if (wrong_) return Shown{wrong_->out, request_.filters.notes + wrong_->err, wrong_->exit_code};
  return std::move(request_);
}

}  // namespace

std::vector<OptionForm> scancel_options() {
  return forms_of<ScancelReader>(scancel_table);
}

std::variant<ScancelRequest, Shown> read_scancel_request(const std::vector<std::string>& words,
                                                         const Surroundings& around) {
  return ScancelReader{around}.read(words);
}

}  // namespace cox
