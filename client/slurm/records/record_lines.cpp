#include "client/slurm/records/record_lines.h"

#include <algorithm>
#include <array>
#include <limits>

#include "client/slurm/records/record_rows.h"
#include "client/slurm/text/command_rows.h"
#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/time_format.h"
#include "common/job/job_ref.h"
#include "common/syntax/array_tasks.h"

namespace cox {
namespace {

constexpr std::string_view unit_letters = "KMGTP";

// Splits a list at commas, except within brackets (17_[1,3]). Removes quotes.
std::vector<std::string> record_words(std::string_view text) {
  std::vector<std::string> words{""};
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      words.emplace_back();
    else if (c != '"' && c != '\'')
      words.back() += c;
  }
  std::erase(words, "");
  return words;
}

Result<RecordSelector> wanted_of(const std::string& word) {
  RecordSelector wanted;
  std::string job = word;
  const std::size_t dot = word.find('.');
  if (dot != std::string::npos) {
    const std::string step = lower_case(word.substr(dot + 1));
    job = word.substr(0, dot);
    const auto number = parse_count(step, 0, std::numeric_limits<std::int32_t>::max());
    if (step == "batch")
      wanted.step = RecordSelector::batch;
    else if (step == "extern")
      wanted.step = RecordSelector::external;
    else if (number)
      wanted.step = static_cast<std::int32_t>(*number);
    else
      return Refusal{"Bad job/step specified: " + printable(word), ""};
  }
  const auto ref = parse_component_ref(job);
  if (!ref) return Refusal{"Bad job/step specified: " + printable(word), ref.refusal().fact};
  wanted.id = ref->id;
  wanted.tasks = ref->tasks;
  wanted.component = ref->component;
  return wanted;
}

Failure take_record_jobs(std::string_view text, std::vector<RecordSelector>& jobs) {
  for (const std::string& word : record_words(text)) {
    const auto wanted = wanted_of(word);
    if (!wanted) return wanted.refusal();
    jobs.push_back(*wanted);
    if (jobs.size() > limits::named_ids_max)
      return Refusal{"more than " + std::to_string(limits::named_ids_max) + " jobs at once", ""};
  }
  return std::nullopt;
}

// For sstat and seff, which do not show components by themselves.
Failure take_whole_jobs(std::string_view text, std::vector<RecordSelector>& jobs) {
  if (Failure failure = take_record_jobs(text, jobs)) return failure;
  for (const RecordSelector& wanted : jobs)
    if (wanted.component >= 0)
      return Refusal{
          "Bad job/step specified: " + printable(text),
          "a component cannot be shown alone; name the job: " + std::to_string(wanted.id.value)};
  return std::nullopt;
}

// Stores the first job of a list of jobs: seff reports only that one.
Failure take_first_job(std::string_view text, RecordSelector& job) {
  std::vector<RecordSelector> jobs;
  if (Failure failure = take_whole_jobs(text, jobs)) return failure;
  if (jobs.empty()) return Refusal{"Bad job/step specified: " + printable(text), ""};
  job = jobs.front();
  return std::nullopt;
}

// Returns the full name of a state of Slurm that Coxswain's jobs never have; empty: the word is
// none. --state accepts it. Only rows of earlier attempts match one of them, REQUEUED.
std::string_view state_of_slurm(const std::string& upper) {
  constexpr std::pair<std::string_view, std::string_view> states[] = {
      {"BF", "BOOT_FAIL"},    {"RQ", "REQUEUED"},    {"RS", "RESIZING"},
      {"RV", "REVOKED"},      {"ST", "STOPPED"},     {"SE", "SPECIAL_EXIT"},
      {"RH", "REQUEUE_HOLD"}, {"RF", "REQUEUE_FED"}, {"RD", "RESV_DEL_HOLD"},
      {"SO", "STAGE_OUT"}};
  for (const auto& [letters, full] : states)
    if (upper == letters || upper == full) return full;
  return "";
}

Failure take_record_states(SacctOptions& options, std::string_view text) {
  for (const std::string& word : record_words(text)) {
    const auto state = job_state_from(word);
    std::string upper = word;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (!state && state_of_slurm(upper).empty()) {
      std::vector<std::string_view> known;
      for (const JobState each : all_job_states) known.push_back(name(each));
      return Refusal{"unrecognized job state value '" + printable(word) + "'",
                     did_you_mean(upper, known)};
    }
    if (state) options.states.push_back(*state);
    options.shown_states.emplace_back(state ? shown_state(*state) : state_of_slurm(upper));
  }
  options.has_state_filter = true;
  return std::nullopt;
}

Failure take_range(std::string_view text, const std::string& what,
                   std::optional<CountRange>& range) {
  constexpr std::int64_t most = 1'000'000'000;
  const std::size_t dash = text.find('-');
  const auto least = parse_count(text.substr(0, dash), 0, most);
  const auto last = dash == text.npos ? least : parse_count(text.substr(dash + 1), 0, most);
  if (!least || !last || *last < *least)
    return Refusal{"invalid " + what + " range '" + printable(text) + "'",
                   "write it like 2 or 1-4"};
  range = CountRange{*least, *last};
  return std::nullopt;
}

Failure take_node_counts(std::string_view text, std::optional<CountRange>& range) {
  return take_range(text, "node", range);
}

Failure take_cpu_counts(std::string_view text, std::optional<CountRange>& range) {
  return take_range(text, "cpu", range);
}

Failure take_limit(std::string_view text, std::optional<std::int64_t>& limit_s) {
  const auto limit = parse_time_limit(text);
  if (!limit) return Refusal{"Invalid time limit specification", limit.refusal().fact};
  limit_s = *limit;
  return std::nullopt;
}

Failure take_words(std::string_view text, std::vector<std::string>& words) {
  for (std::string& word : record_words(text)) words.push_back(std::move(word));
  return std::nullopt;
}

Failure take_record_nodes(std::string_view text, std::vector<std::string>& nodes) {
  const auto names = expand_hostlist(text);
  if (!names) return names.refusal();
  nodes.insert(nodes.end(), names->begin(), names->end());
  return std::nullopt;
}

Failure take_unit(std::string_view text, char& unit) {
  if (text.size() != 1 || unit_letters.find(text.front()) == text.npos)
    return Refusal{"Invalid unit type", "one of K, M, G, T, P"};
  unit = text.front();
  return std::nullopt;
}

template <bool ends_lines>
Failure take_parsable(std::string_view, RecordLayout& layout) {
  layout.parsable = true;
  layout.ends_lines = ends_lines;
  return std::nullopt;
}

using Sacct = SacctOptions;
using Rule = OptionForm;
constexpr auto layout = &Sacct::layout;
constexpr auto take_format = into<&Sacct::format>;
template <auto member>
constexpr auto words_taken = set_by<take_words, member>;

// clang-format off
template <class Asked>
constexpr auto layout_rows = std::to_array<OptionRow<Asked>>({
  {"noheader", 'n', Takes::Nothing, "", "no header", "",
   not_into<layout, &RecordLayout::heads>},
  {"parsable", 'p', Takes::Nothing, "", "columns|like|this|", "",
   set_by<take_parsable<true>, layout>},
  {"parsable2", 'P', Takes::Nothing, "", "columns|like|this", "",
   set_by<take_parsable<false>, layout>},
  {"delimiter", 0, Takes::Value, "TEXT", "text between columns, instead of |", "",
   into<layout, &RecordLayout::delimiter>},
  {"noconvert", 0, Takes::Nothing, "", "amounts without units", "",
   not_into<layout, &RecordLayout::converts>},
  {"format", 'o', Takes::Value, "TEXT",
   "columns, with widths: jobid,state%20,nodelist%-30; --helpformat lists them", "", take_format},
  {"fields", 0, Takes::Value, "", "", "", take_format},
  {"helpformat", 'e', Takes::Nothing, "", "list the columns", "",
   into<&Sacct::help_format>},
  {"help-fields", 0, Takes::Nothing, "", "", "", into<&Sacct::help_format>},
  {"usage", 0, Takes::Nothing, "", "a short usage message", "", into<&Sacct::usage>},
});

constexpr auto sacct_own_rows = std::to_array<OptionRow<SacctOptions>>({
  config_row<SacctOptions>,
  help_row<SacctOptions>,
  {"jobs", 'j', Takes::Value, "TEXT", "only these jobs, or rows of them: 17,18_4,19.batch,20.0", "",
   set_by<take_record_jobs, &Sacct::jobs>},
  {"allusers", 'a', Takes::Nothing, "", "jobs of all users, not only your own", "",
   into<&Sacct::all_users>},
  {"user", 'u', Takes::Value, "TEXT", "only jobs of these users, by name or uid", "",
   words_taken<&Sacct::users>},
  {"uid", 0, Takes::Value, "", "", "", words_taken<&Sacct::users>},
  {"group", 'g', Takes::Value, "TEXT", "only jobs of these groups, by name or gid", "",
   words_taken<&Sacct::groups>},
  {"gid", 0, Takes::Value, "", "", "", words_taken<&Sacct::groups>},
  {"accounts", 'A', Takes::Value, "TEXT", "only jobs of these accounts", "",
   words_taken<&Sacct::accounts>},
  {"account", 0, Takes::Value, "", "", "", words_taken<&Sacct::accounts>},
  {"partition", 'r', Takes::Value, "TEXT", "only jobs in these partitions", "",
   words_taken<&Sacct::partitions>},
  {"qos", 'q', Takes::Value, "TEXT", "only jobs with these QOS", "", words_taken<&Sacct::qos>},
  {"name", 0, Takes::Value, "TEXT", "only jobs with these names", "", words_taken<&Sacct::names>},
  {"wckeys", 'W', Takes::Value, "TEXT", "only jobs with these keys", "",
   words_taken<&Sacct::wckeys>},
  {"constraints", 'C', Takes::Value, "TEXT", "only jobs that asked for all of these", "",
   words_taken<&Sacct::constraints>},
  {"reason", 'R', Takes::Value, "TEXT", "only jobs with one of these reasons", "",
   words_taken<&Sacct::reasons>},
  {"clusters", 'M', Takes::Value, "TEXT", "this cluster's name, or all", "",
   words_taken<&Sacct::clusters>},
  {"cluster", 0, Takes::Value, "", "", "", words_taken<&Sacct::clusters>},
  {"nodelist", 'N', Takes::Value, "TEXT", "only jobs that ran on one of these nodes, like n[1-4]",
   "", set_by<take_record_nodes, &Sacct::nodes>},
  {"nnodes", 'i', Takes::Value, "TEXT", "only jobs that ran on so many nodes: 2, 1-4", "",
   set_by<take_node_counts, &Sacct::node_counts>},
  {"ncpus", 'I', Takes::Value, "TEXT", "only jobs that ran on so many CPUs: 2, 1-4", "",
   set_by<take_cpu_counts, &Sacct::cpu_counts>},
  {"timelimit-min", 'k', Takes::Value, "TEXT",
   "only jobs with this time limit; with -K: at least this one", "",
   set_by<take_limit, &Sacct::limit_s_min>},
  {"timelimit-max", 'K', Takes::Value, "TEXT", "with -k: at most this time limit", "",
   set_by<take_limit, &Sacct::limit_s_max>},
  {"state", 's', Takes::Value, "TEXT",
   "only jobs that were in one of these states then: RUNNING,CA", "", take_record_states},
  {"starttime", 'S', Takes::Value, "TEXT", "since when: 8:00, 11/21, 2026-11-21T08:00, now-1days; "
   "default: today's midnight; with -s: now; with -j: ever", "", into<&Sacct::since_text>},
  {"endtime", 'E', Takes::Value, "TEXT", "until when; default: now", "",
   into<&Sacct::until_text>},
  {"truncate", 'T', Takes::Nothing, "", "cut times and spans to that time", "",
   into<&Sacct::truncate>},
  {"allocations", 'X', Takes::Nothing, "", "only jobs, without their steps", "",
   into<&Sacct::allocations>},
  {"duplicates", 'D', Takes::Nothing, "", "all attempts of requeued jobs", "",
   into<&Sacct::duplicates>},
  {"array", 0, Takes::Nothing, "", "each task of an array in a row of its own", "",
   into<&Sacct::each_task>},
  {"brief", 'b', Takes::Nothing, "", "the columns jobid,state,exitcode", "",
   into<&Sacct::brief>},
  {"long", 'l', Takes::Nothing, "", "many columns", "", into<&Sacct::long_format>},
  {"units", 0, Takes::Value, "TEXT", "amounts in this unit: K, M, G, T, P", "",
   set_by<take_unit, layout, &RecordLayout::unit>},
  {"json", 0, Takes::ValueAttached, "TEXT", "as Slurm's JSON, v0.0.40", "",
   taken_by<take_data_parser>, Rule::verbatim_refusal},
  {"batch-script", 'B', Takes::Nothing, "", "the script of the job that -j names", "",
   into<&Sacct::batch_script>},
  {"completion", 'c', Takes::Nothing, "", "refused: there are no such records", "",
   into<&Sacct::completion>},
  {"verbose", 'v', Takes::Nothing, "", "print the time that is searched", "",
   into<&Sacct::verbose>},
});

constexpr auto sacct_last_rows = std::to_array<OptionRow<SacctOptions>>({
  {"allclusters", 'L', Takes::Nothing, "", "accepted: there is one", "", ignore_option},
  {"federation", 0, Takes::Nothing, "", "accepted: there is none", "", ignore_option},
  {"local", 0, Takes::Nothing, "", "accepted: there is no federation", "", ignore_option},
  {"use-local-uid", 0, Takes::Nothing, "", "accepted: the uid is the one that the job runs as", "",
   ignore_option},
  {"", 't', Takes::Nothing, "", "as -X", "", into<&Sacct::allocations>},
  {"whole-hetjob", 0, Takes::ValueAttached, "TEXT", "accepted: each component is shown as a job",
   "", ignore_option},
  {"file", 'f', Takes::Value, "TEXT", "refused: records are in the database, not in a file", "",
   nullptr, Rule::refused},
  {"flags", 'F', Takes::Value, "TEXT", "refused: it is not recorded which pass started a job", "",
   nullptr, Rule::refused},
  {"associations", 'x', Takes::Value, "TEXT",
   "refused: jobs are kept by account and user: use -A and -u", "", nullptr, Rule::refused},
  {"env-vars", 0, Takes::Nothing, "", "refused: environments are not shown", "", nullptr,
   Rule::refused},
  {"yaml", 0, Takes::ValueAttached, "", "refused: there is --json", "", nullptr, Rule::refused},
});

constexpr auto sstat_own_rows = std::to_array<OptionRow<SstatOptions>>({
  config_row<SstatOptions>,
  help_row<SstatOptions>,
  {"JOB", 0, Takes::Operand, "TEXT", "jobs, or steps of them: 17,18_4.0,19.batch", "",
   set_by<take_whole_jobs, &Sacct::jobs>},
  {"jobs", 'j', Takes::Value, "TEXT", "jobs, or steps of them: 17,18_4.0,19.batch", "",
   set_by<take_whole_jobs, &Sacct::jobs>},
  {"allsteps", 'a', Takes::Nothing, "", "all steps of a job that is named", "",
   into<&SstatOptions::all_steps>},
  {"pidformat", 'i', Takes::Nothing, "", "the columns jobid,nodelist,pids", "",
   into<&SstatOptions::pids>},
});

constexpr auto sstat_last_rows = std::to_array<OptionRow<SstatOptions>>({
  {"json", 0, Takes::ValueAttached, "", "as JSON, with whole numbers", "",
   taken_by<take_data_parser>, Rule::verbatim_refusal},
  {"yaml", 0, Takes::ValueAttached, "", "", "", taken_by<take_data_parser>, Rule::verbatim_refusal},
  {"verbose", 'v', Takes::Nothing, "", "accepted: there are no more details", "", ignore_option},
});

constexpr OptionRow<SeffOptions> seff_rows[] = {
  config_row<SeffOptions>,
  help_row<SeffOptions>,
  {"JOB", 0, Takes::Operand, "TEXT", "the job", "",
   set_by<take_first_job, &SeffOptions::job>, Rule::needed},
};
// clang-format on

// Returns the option table of a command: the rows `before`, those about the layout, which sacct and
// sstat share, and the rows `behind`.
template <class Asked, std::size_t first, std::size_t last>
constexpr auto around_layout(const std::array<OptionRow<Asked>, first>& before,
                             const std::array<OptionRow<Asked>, last>& behind) {
  std::array<OptionRow<Asked>, first + layout_rows<Asked>.size() + last> all;
  auto at = std::ranges::copy(before, all.begin()).out;
  at = std::ranges::copy(layout_rows<Asked>, at).out;
  std::ranges::copy(behind, at);
  return all;
}

constexpr auto sacct_rows = around_layout(sacct_own_rows, sacct_last_rows);
constexpr auto sstat_rows = around_layout(sstat_own_rows, sstat_last_rows);

}  // namespace

const CommandLineOf<SacctOptions> sacct_line = command_line_from<sacct_rows>();
const CommandLineOf<SstatOptions> sstat_line = command_line_from<sstat_rows>();
const CommandLineOf<SeffOptions> seff_line = command_line_from<seff_rows>();

}  // namespace cox
