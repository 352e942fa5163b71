#include "client/command_options.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <utility>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/cluster/advance_reservation.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

// Words of a list: "1,2" and "1 2" alike. Commas in brackets are of a word: 17_[1,3].
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  int depth = 0;
  for (const char c : text + ",") {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c != ',' || depth > 0) {
      word += c;
      continue;
    }
    if (!word.empty()) words.push_back(word);
    word.clear();
  }
  return words;
}

std::string take_id(const std::string& word, Options& options) {
  const auto ref = parse_step_ref(word);
  if (!ref) return ref.refusal().fact + "; " + ref.refusal().hint;
  if (ref->step >= 0)
    return cox::quoted(word) + " is a step, not a job; name its job, " +
           std::to_string(ref->job.id.value);
  options.ids.push_back(ref->job.id);
  options.tasks.push_back(ref->job.tasks);
  if (options.ids.size() > limits::request_ids_max)
    return "more than " + std::to_string(limits::request_ids_max) + " job ids at once";
  return "";
}

std::string take_ids(const std::string& text, Options& options) {
  const auto words = split(text);
  if (words.empty()) return take_id(text, options);  // nothing but commas is no id
  for (const auto& word : words)
    if (auto wrong = take_id(word, options); !wrong.empty()) return wrong;
  return "";
}

// One job, one task of an array, or several that are one row of the queue, as the controller knows.
std::string take_one_id(const std::string& text, Options& options) {
  if (auto wrong = take_ids(text, options); !wrong.empty()) return wrong;
  if (options.ids.size() != 1) return cox::quoted(text) + " names several jobs; name one";
  return "";
}

// "NAME=VALUE"
std::string take_change(const std::string& text, Options& options) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return cox::quoted(text) + " is no change: write NAME=VALUE";
  options.names.push_back(text.substr(0, equals));
  options.values.push_back(text.substr(equals + 1));
  return "";
}

std::string take_nodes(const std::string& text, std::vector<std::string>& nodes) {
  auto names = expand_hostlist(text);
  if (!names) return names.refusal().fact;
  nodes.insert(nodes.end(), names->begin(), names->end());
  return "";
}

std::string take_states(const std::string& text, Options& options) {
  for (const auto& word : split(text)) {
    if (word == "all" || word == "ALL") {
      options.states.assign(all_job_states.begin(), all_job_states.end());
      continue;
    }
    const auto state = job_state_from(word);
    if (!state) {
      std::vector<std::string_view> known;
      for (const auto each : all_job_states) known.push_back(name(each));
      std::string upper = word;
      for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      const std::string nearest_one = did_you_mean(upper, known);
      return cox::quoted(word) + " is not a job state" +
             (nearest_one.empty() ? "" : "; " + nearest_one);
    }
    options.states.push_back(*state);
  }
  return "";
}

// A positional or an option whose text is read by `take`, which tells what is wrong. What the
// declaring function refers to lives on the caller's stack, not on its own.
using Take = std::function<std::string(const std::string&)>;

CLI::Option* add(CLI::App& app, const std::string& names, const Take& take,
                 const std::string& about, bool many = false) {
  auto* option = app.add_option_function<std::vector<std::string>>(
      names,
      [take](const std::vector<std::string>& texts) {
        for (const auto& text : texts)
          if (auto wrong = take(text); !wrong.empty()) throw CLI::ValidationError(wrong);
      },
      about);
  option->type_size(1);
  option->expected(1, many ? CLI::detail::expected_max_vector_size : 1);
  option->allow_extra_args(many);  // else what follows belongs to the next
  return option;
}

CLI::Option* add_ids(CLI::App& app, const std::string& names, Options& options,
                     const std::string& about, bool many) {
  return add(
      app, names,
      [&options, many](const std::string& t) {
        return many ? take_ids(t, options) : take_one_id(t, options);
      },
      about, many);
}

// Takes ids as add_ids does, and of arrays single tasks: checkpoints belong to the job id of a
// task.
CLI::Option* add_ids_of_checkpoints(CLI::App& app, Options& options, const std::string& about,
                                    bool many) {
  options.tasks_as_jobs = true;
  return add(
      app, "JOB",
      [&options, many](const std::string& t) -> std::string {
        auto wrong = many ? take_ids(t, options) : take_one_id(t, options);
        const auto names_several = [](const std::string& tasks) {
          return !tasks.empty() && parse_array_tasks(tasks)->count() > 1;
        };
        if (!wrong.empty() || std::ranges::none_of(options.tasks, names_several)) return wrong;
        return quoted(t) + " names several tasks; name each, like 17_4";
      },
      about, many);
}

std::string check_training_step(const std::string& text) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (parse_count(text, 0, most)) return "";
  return cox::quoted(text) + " is not a step; a step is a whole number from 0 on, like 40";
}

// CLI11 names the option that is missing; people need to know what it says.
std::string said_of(const CLI::App& app, const CLI::Error& error) {
  const std::string said = error.what();
  for (const CLI::Option* option : app.get_options())
    if (!option->get_positional() && said == option->get_name() + " is required")
      return printable(said + ": " + option->get_description());
  return printable(said);
}

CLI::Option* add_states(CLI::App& app, const std::string& names, Options& options) {
  return add(
      app, names, [&](const std::string& t) { return take_states(t, options); },
      "only these states, e.g. RUNNING,PD; all: the ended ones too");
}

CLI::Option* add_nodes(CLI::App& app, Options& options, bool many) {
  return add(
             app, "NODE", [&](const std::string& t) { return take_nodes(t, options.nodes); },
             many ? "names, or lists like n[1-4]" : "its name", many)
      ->required();
}

}  // namespace

std::optional<std::int64_t> task_of(const Options& options) {
  if (options.tasks.empty() || options.tasks.front().empty()) return std::nullopt;
  const auto tasks = parse_array_tasks(options.tasks.front());
  CHECK(tasks.ok());  // it was taken
  return tasks->first();
}

std::string row_of(const Options& options) {
  const bool named = !options.tasks.empty() && !options.tasks.front().empty();
  return named && parse_array_tasks(options.tasks.front())->count() > 1 ? options.tasks.front()
                                                                        : "";
}

void declare_nothing(CLI::App&, Options&) {}

void declare_queue(CLI::App& app, Options& options) {
  add_ids(app, "JOB", options, "only these", true);
  app.add_flag("-a,--all", options.all_states, "jobs that ended lately too");
  add_states(app, "-t,--states", options);
  app.add_option("-u,--user", options.user_name, "only this user's");
  app.add_flag("--me", options.only_mine, "only your own");
  app.add_option("-p,--partition", options.partition, "only this partition's");
}

void declare_job(CLI::App& app, Options& options) {
  add_ids(app, "JOB", options, "its id; of a task of an array 17_4, of a row of the queue 17_[4-9]",
          false)
      ->required();
}

void declare_jobs(CLI::App& app, Options& options) {
  add_ids(app, "JOB", options, "ids; tasks of arrays as 17_4 or 17_[1-3,7]", true)->required();
}

// CLI11 of Debian 13 refuses a name with "=".
void declare_update(CLI::App& app, Options& options) {
  add_ids(app, "JOB", options, "its id", false)->required();
  add(
      app, "CHANGE", [&](const std::string& t) { return take_change(t, options); },
      "NAME=VALUE, as scontrol has them: TimeLimit=30, Partition=long, Nice=-10, "
      "ArrayTaskThrottle=5",
      true)
      ->required();
}

void declare_node(CLI::App& app, Options& options) {
  add_nodes(app, options, false);
}

void declare_drain(CLI::App& app, Options& options) {
  add_nodes(app, options, true);
  app.add_option("-r,--reason", options.reason, "why, for everybody to read")->required();
}

void declare_resume(CLI::App& app, Options& options) {
  add_nodes(app, options, true);
  app.add_option("-r,--reason", options.reason, "why, for the record");
}

void declare_fence(CLI::App& app, Options& options) {
  add_nodes(app, options, true);
  app.add_flag_function(
         "--confirm", [](std::int64_t) {},
         "it says that the nodes are powered off or have rebooted, so that none of their jobs "
         "runs there")
      ->required();
}

void declare_partitions(CLI::App& app, Options& options) {
  add(
      app, "PARTITION",
      [&](const std::string& text) {
        for (const auto& word : split(text)) options.partitions.push_back(word);
        return std::string();
      },
      "names", true)
      ->required();
  app.add_option("-r,--reason", options.reason, "why, for everybody to read");
}

void declare_reservation(CLI::App& app, Options& options) {
  app.add_option("NAME", options.reservation, "the reservation's name")->required();
}

void declare_reserve(CLI::App& app, Options& options) {
  declare_reservation(app, options);
  std::string names;
  for (const std::string_view name : reservation_settings())
    names += (names.empty() ? "" : ", ") + std::string(name);
  app.add_option("SETTING", options.settings, "NAME=VALUE, as scontrol has them: " + names)
      ->required();
}

void declare_logs(CLI::App& app, Options& options) {
  declare_job(app, options);
  app.add_flag("-f,--follow", options.follow, "go on as it is written, over attempts too");
  app.add_option("-r,--rank", options.rank, "this rank's alone, byte for byte")
      ->check(CLI::Range(std::int64_t{0}, limits::tasks_per_job_max - 1));
  app.add_flag_callback(
      "-e,--stderr", [&] { options.error_stream = true; }, "standard error");
  app.add_option("-a,--attempt", options.attempt.value, "of this attempt; else the newest")
      ->check(CLI::Range(1, 1'000'000));
}

void declare_checkpoint_done(CLI::App& app, Options& options) {
  app.add_option("-s,--step", options.step, "the step that was saved, in step-N/rank-R")
      ->required()
      ->check(check_training_step);
  app.add_option("-r,--rank", options.rank, "another rank than $COX_RANK")
      ->check(CLI::Range(std::int64_t{0}, limits::tasks_per_job_max - 1));
}

void declare_events(CLI::App& app, Options& options) {
  add_ids(app, "JOB", options, "only those of these jobs; of an array, of all its tasks", true);
  app.add_flag("-f,--follow", options.follow, "only what happens from now on, until it is stopped");
  app.add_option("-u,--user", options.user_name, "only of this user's jobs");
  app.add_flag("--me", options.only_mine, "only of your own jobs");
}

void declare_progress(CLI::App& app, Options& options) {
  app.add_option("-s,--step", options.step, "the newest step that is done")
      ->required()
      ->check(check_training_step);
  app.add_option("-t,--total", options.total, "of so many steps")->check(check_training_step);
  app.add_option("-m,--metric", options.metrics, "NAME=NUMBER, as loss=0.25; may be repeated")
      ->allow_extra_args(false);
}

void declare_checkpoints(CLI::App& app, Options& options) {
  add_ids_of_checkpoints(app, options, "only those of these jobs; tasks of arrays as 17_4", true);
}

void declare_remove_checkpoints(CLI::App& app, Options& options) {
  add_ids_of_checkpoints(app, options, "whose checkpoints; of a task of an array 17_4", false)
      ->required();
  app.add_option("-s,--step", options.step, "only that of this step; else all of them")
      ->check(check_training_step);
}

void declare_sacctmgr(CLI::App& app, Options& options) {
  app.set_help_flag("--help", "this text");
  app.add_option("WORD", options.words,
                 "add, modify, delete or show; account, user, qos or association; names and "
                 "NAME=VALUE pairs")
      ->required();
  app.add_flag("-i,--immediate", options.immediate, "do it without asking back");
  app.add_flag("--json{true},--yaml{true}", options.json, "show: as Slurm's JSON, that of v0.0.40");
  app.add_flag("-n,--noheader", options.no_header, "no heads");
  app.add_flag("-p,--parsable", options.parsable, "columns|like|this|");
  app.add_flag("-P,--parsable2", options.parsable2, "columns|like|this");
  app.add_flag("-s,--associations", options.with_associations,
               "show: each association of users and accounts");
  app.add_flag("-Q,--quiet", options.quiet, "nothing but refusals");
  app.add_flag_callback(
      "-v,--verbose", [] {}, "accepted: messages are always complete");
  app.add_flag_callback(
      "-o,--oneliner", [] {}, "accepted: each entry is on one line");
}

namespace {

// What every command takes, then its own.
void declare_all(const Command& command, CLI::App& app, Options& options) {
  CHECK(command.declare != nullptr);
  app.set_help_flag("-h,--help", "this text");
  app.add_option("--config", options.config, "the cluster's coxswain.toml");
  if (!command.slurm) app.add_flag("--json", options.json, "the answer as JSON");
  command.declare(app, options);
}

DeclaredOption described(const CLI::Option& option) {
  DeclaredOption out;
  out.operand = option.get_positional();
  if (out.operand) out.names.push_back(option.get_name(true));
  for (const auto& letter : option.get_snames()) out.names.push_back("-" + letter);
  for (const auto& name : option.get_lnames()) out.names.push_back("--" + name);
  const bool takes_value = option.get_expected_max() > 0;
  const std::string type = option.get_type_name();  // "INT:INT in [0 - 9]" when it is checked
  if (takes_value) out.value_name = type.substr(0, type.find(':'));
  out.help = option.get_description();
  out.required = option.get_required();
  out.many = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
  return out;
}

// As getopt has it for Slurm's programs: --job is --jobs where no other begins so.
void write_out_names(const CLI::App& app, std::vector<std::string>& words) {
  for (std::string& word : words) {
    if (word == "--") return;
    const std::size_t end = std::min(word.find('='), word.size());
    if (!word.starts_with("--") || end == 2) continue;
    const std::string begun = word.substr(2, end - 2);
    std::vector<std::string> meant;
    bool exact = false;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        exact = exact || name == begun;
        if (!name.starts_with(begun)) continue;
        meant.push_back(name);
        break;  // another name of the same option
      }
    }
    if (!exact && meant.size() == 1) word = "--" + meant.front() + word.substr(end);
  }
}

// There is one data parser, which may be named: --json=v0.0.40.
Failure take_parser(std::string& word) {
  const std::size_t equals = word.find('=');
  if (!word.starts_with("--json=") && !word.starts_with("--yaml=")) return std::nullopt;
  const std::string parser = word.substr(equals + 1);
  word.erase(equals);
  if (parser.empty() || parser.starts_with("v0.0.40")) return std::nullopt;
  return Refusal{"Unable to find plugin: data_parser/" + printable(parser), "there is v0.0.40"};
}

// CLI11 reads a word like "[1-3]" as a list and drops its brackets, unless a character follows
// them. No word of a command line ends in this one.
constexpr char behind_bracket = '\0';

void guard_brackets(std::vector<std::string>& words) {
  for (std::string& word : words)
    if (word.starts_with('[') && word.ends_with(']')) word += behind_bracket;
}

void drop_guards(std::vector<std::string>& words) {
  for (std::string& word : words)
    if (word.ends_with(behind_bracket)) word.pop_back();
}

}  // namespace

std::vector<DeclaredOption> declared_options(const Command& command) {
  Options options;
  CLI::App app;
  declare_all(command, app, options);
  std::vector<DeclaredOption> list;
  for (const CLI::Option* option : std::as_const(app).get_options()) {
    list.push_back(described(*option));
  }
  return list;
}

Parsed parse_options(const Command& command, const std::vector<std::string>& words) {
  Options options;
  const std::string program = (command.slurm ? "" : "cox ") + std::string(command.name);
  CLI::App app(std::string(command.summary), program);
  app.get_formatter()->column_width(28);
  try {
    declare_all(command, app, options);
    std::vector<std::string> written = words;
    if (command.slurm) write_out_names(app, written);
    if (command.slurm)
      for (std::string& word : written)
        if (Failure failure = take_parser(word)) return *failure;
    if (command.way == Way::Control) guard_brackets(written);
    std::vector<std::string> reversed(written.rbegin(), written.rend());  // as CLI11 wants them
    app.parse(std::move(reversed));
    drop_guards(options.words);
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ExtrasError& error) {
    const std::string help = "see '" + program + " --help'";
    const std::string said = printable(error.what());
    const std::size_t at = said.find(": -");  // ... was not expected: --nosuch
    if (!command.slurm || at == std::string::npos) return Refusal{said, help};
    const std::string option = said.substr(at + 2, said.find_first_of(" =", at + 2) - (at + 2));
    return Refusal{option.starts_with("--") ? "unrecognized option '" + option + "'"
                                            : "invalid option -- '" + option.substr(1) + "'",
                   help};
  } catch (const CLI::Error& error) {
    return Refusal{said_of(app, error), "see '" + program + " --help'"};
  }
  return options;
}

}  // namespace cox
