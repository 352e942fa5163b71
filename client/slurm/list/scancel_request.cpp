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

// clang-format off
constexpr auto scancel_table = std::to_array<WordOption>({
  {"account", 'A', Takes::Value, "LIST", "only these accounts'", "SCANCEL_ACCOUNT"},
  {"batch", 'b', Takes::Nothing, "", "signal their batch scripts alone", "SCANCEL_BATCH"},
  {"clusters", 'M', Takes::Value, "LIST", "this cluster's name, or all", "SLURM_CLUSTERS"},
  {"cluster", 0, Takes::Value, "", "", ""},
  {"config", 0, Takes::Value, "FILE", "the cluster's coxswain.toml", ""},
  {"cron", 'c', Takes::Nothing, "", "also end jobs of scrontab, and their lines", "SCANCEL_CRON"},
  {"ctld", 0, Takes::Nothing, "", "accepted: the controller sends them anyway", "SCANCEL_CTLD"},
  {"full", 'f', Takes::Nothing, "", "signal their batch scripts, children and steps",
   "SCANCEL_FULL"},
  {"help", 0, Takes::Nothing, "", "this text", ""},
  {"hurry", 'H', Takes::Nothing, "", "accepted: there are no burst buffers", "SCANCEL_HURRY"},
  {"interactive", 'i', Takes::Nothing, "", "ask about each job", "SCANCEL_INTERACTIVE"},
  {"me", 0, Takes::Nothing, "", "only your own", ""},
  {"name", 'n', Takes::Value, "LIST", "only those of these names", "SCANCEL_NAME"},
  {"jobname", 0, Takes::Value, "", "", ""},
  {"nodelist", 'w', Takes::Value, "LIST", "only those on these nodes", ""},
  {"partition", 'p', Takes::Value, "LIST", "only those in these partitions", "SCANCEL_PARTITION"},
  {"qos", 'q', Takes::Value, "LIST", "only those of these QOSes", "SCANCEL_QOS"},
  {"quiet", 'Q', Takes::Nothing, "", "no word about what was refused", ""},
  {"reservation", 'R', Takes::Value, "NAME", "only those in this reservation", ""},
  {"sibling", 0, Takes::Value, "NAME", "accepted: there is no federation", ""},
  {"signal", 's', Takes::Value, "SIGNAL", "sent to their steps, instead of ending them", ""},
  {"state", 't', Takes::Value, "STATE", "only those that wait (PD), run (R) or stand still (S)",
   "SCANCEL_STATE"},
  {"usage", 0, Takes::Nothing, "", "the options in brief", ""},
  {"user", 'u', Takes::Value, "USER", "only this user's", "SCANCEL_USER"},
  {"verbose", 'v', Takes::Nothing, "", "tell what is asked for", "SCANCEL_VERBOSE"},
  {"version", 'V', Takes::Nothing, "", "the version", ""},
  {"wckey", 0, Takes::Value, "WCKEY", "only those with it", "SCANCEL_WCKEY"},
});
// clang-format on

constexpr const char* scancel_operands = "[job_id[_array_id][.step_id]]";

constexpr const char* scancel_usage =
    "Usage: scancel [-A account] [--batch] [--full] [--interactive] [-n job_name]\n"
    "               [-p partition] [-Q] [-q qos] [-R reservation] [-s signal | integer]\n"
    "               [-t PENDING | RUNNING | SUSPENDED] [--usage] [-u user_name]\n"
    "               [--hurry] [-V] [-v] [-w hosts...] [--wckey=wckey]\n"
    "               [job_id[_array_id][.step_id]]\n";

// The variables come first, so that the command line beats them.
class ScancelReader {
 public:
  explicit ScancelReader(const Surroundings& around) : around_(around) {}

  std::variant<ScancelRequest, Shown> read(const GivenWords& given) {
    for (const WordOption& option : scancel_table) {
      const std::string value = variable_value(around_.environment, option.variable);
      if (!option.variable.empty() && !value.empty()) take_variable(option, value);
    }
    for (const GivenWord& word : given.options) take(*word.option, word.value);
    for (const std::string& word : given.operands) take_ids(word);
    if (!wrong_ && request_.meant.ids.empty() && !looks_first(request_))
      refuse("No job identification provided");
    if (wrong_) return Shown{wrong_->out, request_.meant.notes + wrong_->err, wrong_->exit_code};
    return std::move(request_);
  }

 private:
  void refuse(const std::string& fact) {
    if (!wrong_) wrong_ = slurm_error("scancel", fact);
  }

  // A flag's variable must be true, but for these three the variable only has to be set.
  void take_variable(const WordOption& option, const std::string& value) {
    const bool is_flag = option.takes == Takes::Nothing;
    const std::string word = lower_case(value);
    if (!is_flag || option.name == "cron" || option.name == "ctld" || option.name == "hurry" ||
        word == "true" || word == "t")
      return take(option, value);
    if (word == "false" || word == "f") return;
    const std::string fact = "Unrecognized " + std::string(option.variable) + " value: " + value;
    request_.meant.notes += slurm_error("scancel", fact).err;  // and it goes on, as Slurm does
  }

  void take(const WordOption& option, const std::string& value) {
    const std::string_view name = option.name;
    if (take_flag(name) || take_list(name, value)) return;
    if (name == "me") take_user(around_.user_name);
    if (name == "nodelist") take_nodes(value);
    if (name == "signal") take_signal(value);
    if (name == "state") take_states(value);
    if (name == "user") take_user(value);
    if (name == "wckey") request_.wckey = value;
    if (name == "config") request_.meant.config = value;
    if (wrong_) return;
    if (auto told = told_instead("scancel", scancel_table, name, scancel_usage, scancel_operands))
      wrong_ = std::move(*told);
  }

  bool take_flag(std::string_view name) {
    const std::array<std::pair<std::string_view, bool ScancelRequest::*>, 5> flags = {
        {{"batch", &ScancelRequest::batch_script},
         {"cron", &ScancelRequest::cron},
         {"full", &ScancelRequest::full},
         {"interactive", &ScancelRequest::interactive},
         {"quiet", &ScancelRequest::quiet}}};
    const auto at = std::ranges::find(flags, name, [](const auto& each) { return each.first; });
    if (at != flags.end()) request_.*(at->second) = true;
    if (name == "verbose") ++request_.meant.verbose;
    return at != flags.end() || name == "verbose";
  }

  bool take_list(std::string_view name, const std::string& value) {
    using Request = SqueueRequest;
    const std::array<std::pair<std::string_view, std::vector<std::string> Request::*>, 6> lists = {
        {{"account", &Request::accounts},
         {"clusters", &Request::clusters},
         {"name", &Request::names},
         {"partition", &Request::partitions},
         {"qos", &Request::qos},
         {"reservation", &Request::reservation}}};
    const auto at = std::ranges::find(lists, name, [](const auto& each) { return each.first; });
    if (at == lists.end()) return false;
    request_.meant.*(at->second) = list_words(value);
    return true;
  }

  void take_user(const std::string& value) {
    if (around_.knows_user && !around_.knows_user(value))
      return refuse("Invalid user name: " + value);
    request_.meant.users = {value};
  }

  void take_nodes(const std::string& value) {
    auto names = expand_hostlist(value);
    if (!names) return refuse("Invalid node list: " + value);
    std::ranges::replace(*names, "localhost", around_.host_name);
    request_.meant.nodes = *names;
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
    request_.meant.states = states;
  }

  void take_ids(const std::string& text) {
    for (const std::string& word : id_words(text)) {
      const auto ref = parse_step_ref(word);
      if (!ref) return refuse("Invalid job id " + word);
      request_.meant.ids.push_back({ref->job.id, ref->job.tasks, ref->step});
    }
    if (request_.meant.ids.size() > limits::page_rows_max)
      refuse("more than " + std::to_string(limits::page_rows_max) + " job ids at once");
  }

  const Surroundings& around_;
  ScancelRequest request_;
  std::optional<Shown> wrong_;
};

}  // namespace

std::span<const WordOption> scancel_options() {
  return scancel_table;
}

std::variant<ScancelRequest, Shown> read_scancel_request(const std::vector<std::string>& words,
                                                         const Surroundings& around) {
  auto given = read_option_words("scancel", scancel_table, words);
  if (auto* wrong = std::get_if<Shown>(&given)) return *wrong;
  return ScancelReader(around).read(std::get<GivenWords>(given));
}

}  // namespace cox
