#include "client/slurm/records/record_command_line.h"

#include <CLI/CLI.hpp>
#include <charconv>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/job/job_ref.h"
#include "common/syntax/array_tasks.h"

namespace cox {
namespace {

constexpr std::string_view unit_letters = "KMGTP";

[[noreturn]] void refuse(const std::string& fact, const std::string& hint = "") {
  throw CLI::ValidationError(fact + (hint.empty() ? "" : "; " + hint));
}

// Words of a list; commas in brackets are of a word: 17_[1,3].
std::vector<std::string> words_of(const std::string& text) {
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

RecordWanted wanted_of(const std::string& word) {
  RecordWanted wanted;
  std::string job = word;
  const std::size_t dot = word.find('.');
  if (dot != std::string::npos) {
    const std::string step = lower_case(word.substr(dot + 1));
    job = word.substr(0, dot);
    const auto number = parse_count(step, 0, std::numeric_limits<std::int32_t>::max());
    if (step == "batch")
      wanted.step = RecordWanted::batch;
    else if (step == "extern")
      wanted.step = RecordWanted::external;
    else if (number)
      wanted.step = static_cast<std::int32_t>(*number);
    else
      refuse("Bad job/step specified: " + printable(word));
  }
  const auto ref = parse_job_ref(job);
  if (!ref) refuse("Bad job/step specified: " + printable(word), ref.refusal().fact);
  wanted.id = ref->id;
  wanted.tasks = ref->tasks;
  return wanted;
}

void take_jobs(const std::string& text, RecordOptions& options) {
  for (const std::string& word : words_of(text)) {
    options.jobs.push_back(wanted_of(word));
    if (options.jobs.size() > limits::page_rows_max)
      refuse("more than " + std::to_string(limits::page_rows_max) + " jobs at once");
  }
}

// Slurm's states that our jobs are never in are asked for in vain, and known.
bool is_state_of_slurm(const std::string& upper) {
  for (const std::string_view one :
       {"BOOT_FAIL",     "BF", "REQUEUED",     "RQ", "RESIZING",     "RS", "REVOKED",     "RV",
        "STOPPED",       "ST", "SPECIAL_EXIT", "SE", "REQUEUE_HOLD", "RH", "REQUEUE_FED", "RF",
        "RESV_DEL_HOLD", "RD", "STAGE_OUT",    "SO"})
    if (upper == one) return true;
  return false;
}

void take_states(const std::string& text, RecordOptions& options) {
  for (const std::string& word : words_of(text)) {
    const auto state = job_state_from(word);
    std::string upper = word;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (!state && !is_state_of_slurm(upper)) {
      std::vector<std::string_view> known;
      for (const JobState each : all_job_states) known.push_back(name(each));
      refuse("unrecognized job state value '" + printable(word) + "'", did_you_mean(upper, known));
    }
    if (state) options.states.push_back(*state);
  }
  options.asks_states = true;
}

CountRange range_of(const std::string& text, const std::string& what) {
  constexpr std::int64_t most = 1'000'000'000;
  const std::size_t dash = text.find('-');
  const auto least = parse_count(text.substr(0, dash), 0, most);
  const auto last = dash == std::string::npos ? least : parse_count(text.substr(dash + 1), 0, most);
  if (!least || !last || *last < *least)
    refuse("invalid " + what + " range '" + printable(text) + "'", "write it like 2 or 1-4");
  return {*least, *last};
}

std::int64_t limit_of(const std::string& text) {
  const auto limit = parse_time_limit(text);
  if (!limit) refuse("Invalid time limit specification", limit.refusal().fact);
  return *limit;
}

using Take = std::function<void(const std::string&)>;

CLI::Option* add(CLI::App& app, const std::string& names, const Take& take,
                 const std::string& about) {
  auto* option = app.add_option_function<std::vector<std::string>>(
      names,
      [take](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) take(text);
      },
      about);
  option->type_size(1)->expected(1)->allow_extra_args(false);
  return option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* add_list(CLI::App& app, const std::string& names, std::vector<std::string>& into,
                      const std::string& about) {
  return add(
      app, names,
      [&into](const std::string& text) {
        for (std::string& word : words_of(text)) into.push_back(std::move(word));
      },
      about);
}

void accept(CLI::App& app, const std::string& names, const std::string& about) {
  app.add_flag_callback(
      names, [] {}, "accepted: " + about);
}

void refuse_flag(CLI::App& app, const std::string& names, const std::string& why) {
  app.add_flag_callback(
      names, [why] { refuse(why); }, "refused: " + why);
}

void refuse_option(CLI::App& app, const std::string& names, const std::string& why) {
  add(
      app, names, [why](const std::string&) { refuse(why); }, "refused: " + why);
}

void declare_layout(CLI::App& app, RecordOptions& records) {
  RecordLayout& layout = records.layout;
  app.add_flag_callback(
      "-n,--noheader", [&layout] { layout.heads = false; }, "no heads");
  app.add_flag_callback(
      "-p,--parsable", [&layout] { layout.parsable = layout.ends_lines = true; },
      "columns|like|this|");
  app.add_flag_callback(
      "-P,--parsable2",
      [&layout] {
        layout.parsable = true;
        layout.ends_lines = false;
      },
      "columns|like|this");
  app.add_option("--delimiter", layout.delimiter, "what stands between them, instead of |");
  app.add_flag_callback(
      "--noconvert", [&layout] { layout.converts = false; }, "amounts as they are, without units");
  add(
      app, "-o,--format,--fields",
      [&records](const std::string& text) { records.format.push_back(text); },
      "columns, with widths: jobid,state%20,nodelist%-30; --helpformat lists them");
  app.add_flag("-e,--helpformat,--help-fields", records.help_format, "list the columns");
  app.add_flag("--usage", records.usage, "how it is called");
}

void declare_which(CLI::App& app, RecordOptions& records) {
  app.add_flag("-a,--allusers", records.all_users, "jobs of all users, not your own alone");
  add_list(app, "-u,--user,--uid", records.users, "only these users', names or numbers");
  add_list(app, "-g,--group,--gid", records.groups, "only of these groups, names or numbers");
  add_list(app, "-A,--accounts,--account", records.accounts, "only those of these accounts");
  add_list(app, "-r,--partition", records.partitions, "only those of these partitions");
  add_list(app, "-q,--qos", records.qos, "only those of these QOS");
  add_list(app, "--name", records.names, "only those with these names");
  add_list(app, "-W,--wckeys", records.wckeys, "only those with these keys");
  add_list(app, "-C,--constraints", records.constraints, "only those that asked for all of these");
  add_list(app, "-R,--reason", records.reasons, "only those that wait for one of these reasons");
  add_list(app, "-M,--clusters,--cluster", records.clusters, "of this cluster; all: the same");
  add(
      app, "-N,--nodelist",
      [&records](const std::string& text) {
        const auto names = expand_hostlist(text);
        if (!names) refuse(names.refusal().fact, names.refusal().hint);
        records.nodes.insert(records.nodes.end(), names->begin(), names->end());
      },
      "only those that ran on one of these nodes, like n[1-4]");
  add(
      app, "-i,--nnodes",
      [&records](const std::string& text) { records.node_counts = range_of(text, "node"); },
      "only those that ran on so many nodes: 2, 1-4");
  add(
      app, "-I,--ncpus",
      [&records](const std::string& text) { records.cpu_counts = range_of(text, "cpu"); },
      "only those that ran on so many CPUs: 2, 1-4");
  add(
      app, "-k,--timelimit-min",
      [&records](const std::string& text) { records.limit_s_min = limit_of(text); },
      "only those with this time limit, or from it on with -K");
  add(
      app, "-K,--timelimit-max",
      [&records](const std::string& text) { records.limit_s_max = limit_of(text); },
      "with -k: up to this time limit");
}

void declare_when(CLI::App& app, RecordOptions& records) {
  add(
      app, "-s,--state", [&records](const std::string& text) { take_states(text, records); },
      "only those that were in one of these states then: RUNNING,CA");
  app.add_option(
      "-S,--starttime", records.since_text,
      "since when: 8:00, 11/21, 2026-11-21T08:00, now-1days; else today's midnight, with "
      "-s now, with -j ever");
  app.add_option("-E,--endtime", records.until_text, "until when; else now");
  app.add_flag("-T,--truncate", records.truncate, "times and spans within that time alone");
}

void declare_what(CLI::App& app, RecordOptions& records, Options& options) {
  app.add_flag("-X,--allocations", records.allocations, "jobs alone, without what runs in them");
  app.add_flag("-D,--duplicates", records.duplicates, "all runs of jobs that were run again");
  app.add_flag("--array", records.each_task, "each task of an array in a row of its own");
  app.add_flag("-b,--brief", records.brief, "the columns jobid,state,exitcode");
  app.add_flag("-l,--long", records.long_format, "many columns");
  add(
      app, "--units",
      [&records](const std::string& text) {
        if (text.size() != 1 || unit_letters.find(text.front()) == std::string_view::npos)
          refuse("Invalid unit type", "one of K, M, G, T, P");
        records.layout.unit = text.front();
      },
      "amounts in this unit: K, M, G, T, P");
  app.add_option_function<std::vector<std::string>>(
         "--json", [&options](const std::vector<std::string>&) { options.json = true; },
         "as JSON, in Slurm's shape, that of v0.0.40")
      ->type_size(1)
      ->expected(0, 1);
  app.add_flag("-B,--batch-script", records.batch_script, "the script of the job that -j names");
  app.add_flag("-c,--completion", records.completion, "refused: there are no such records");
  app.add_flag("-v,--verbose", records.verbose, "tell which time is looked at");
}

}  // namespace

void declare_sacct(CLI::App& app, Options& options) {
  RecordOptions& records = options.records;
  app.set_help_flag("-h,--help", "this text");
  add(
      app, "-j,--jobs", [&records](const std::string& text) { take_jobs(text, records); },
      "only these jobs, or rows of them: 17,18_4,19.batch,20.0");
  declare_which(app, records);
  declare_when(app, records);
  declare_what(app, records, options);
  declare_layout(app, records);
  accept(app, "-L,--allclusters", "there is one");
  accept(app, "--federation", "there is none");
  accept(app, "--local", "there is no federation");
  accept(app, "--use-local-uid", "the uid is the one that the job runs as");
  app.add_flag_callback(
      "-t", [&records] { records.allocations = true; }, "as -X");
  add(
      app, "--whole-hetjob", [](const std::string&) {}, "accepted: each component is told as a job")
      ->expected(0, 1);
  refuse_option(app, "-f,--file", "records are in the database, in no file");
  refuse_option(app, "-F,--flags", "it is not recorded which pass started a job");
  refuse_option(app, "-x,--associations", "jobs are kept by account and user: use -A and -u");
  refuse_flag(app, "--env-vars", "environments are not told");
  refuse_flag(app, "--yaml", "there is --json");
}

void declare_sstat(CLI::App& app, Options& options) {
  RecordOptions& records = options.records;
  app.set_help_flag("-h,--help", "this text");
  add(
      app, "-j,--jobs,JOB", [&records](const std::string& text) { take_jobs(text, records); },
      "jobs, or steps of them: 17,18_4.0,19.batch");
  app.add_flag("-a,--allsteps", records.all_steps, "all steps of a job that is named");
  app.add_flag("-i,--pidformat", records.pids, "the columns jobid,nodelist,pids");
  declare_layout(app, records);
  app.add_flag("--json{true},--yaml{true}", options.json, "as JSON, with whole numbers");
  accept(app, "-v,--verbose", "there is no more to tell");
}

void declare_seff(CLI::App& app, Options& options) {
  options.records.efficiency = true;
  app.set_help_flag("-h,--help", "this text");
  add(
      app, "JOB", [&options](const std::string& text) { take_jobs(text, options.records); },
      "the job")
      ->required();
}

}  // namespace cox
