#include "client/job_lines.h"

#include <algorithm>
#include <array>
#include <utility>

#include "client/command_line.h"
#include "client/submit/job_changes.h"
#include "client/submit/reservation_settings.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/cluster/advance_reservation.h"
#include "common/job/job_ref.h"
#include "common/syntax/array_tasks.h"

namespace cox {
namespace {

// Returns the words of a comma-separated list. Commas within brackets do not separate: 17_[1,3] is
// one word.
std::vector<std::string> words_of_list(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  int depth = 0;
  for (const char c : std::string(text) + ",") {
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

Failure take_id(std::string_view word, JobsOptions& options) {
  const auto ref = parse_step_ref(word);
  if (!ref) return ref.refusal();
  if (ref->step >= 0)
    return Refusal{quoted(word) + " is a step, not a job",
                   "name its job, " + std::to_string(ref->job.id.value)};
  options.ids.push_back(ref->job.id);
  options.tasks.push_back(ref->job.tasks);
  if (options.ids.size() > limits::named_ids_max)
    return Refusal{"more than " + std::to_string(limits::named_ids_max) + " job ids at once", ""};
  return std::nullopt;
}

Failure take_ids(JobsOptions& options, std::string_view text) {
  const auto words = words_of_list(text);
  if (words.empty()) return take_id(text, options);  // only commas: take_id refuses it
  for (const auto& word : words)
    if (Failure failure = take_id(word, options)) return failure;
  return std::nullopt;
}

// Parses one job, one task of an array, or several tasks of one array. Only the controller can
// check whether several tasks are one row of the queue.
Failure take_one_id(JobsOptions& options, std::string_view text) {
  if (Failure failure = take_ids(options, text)) return failure;
  if (options.ids.size() != 1) return Refusal{quoted(text) + " names several jobs", "name one"};
  return std::nullopt;
}

// Parses ids with `take`, but refuses a word that names several array tasks (17_[1-3]): checkpoints
// belong to the job id of one task.
template <auto take>
Failure take_single_tasks(JobsOptions& options, std::string_view text) {
  if (Failure failure = take(options, text)) return failure;
  const auto names_several = [](const std::string& tasks) {
    return !tasks.empty() && parse_array_tasks(tasks)->count() > 1;
  };
  if (std::ranges::none_of(options.tasks, names_several)) return std::nullopt;
  return Refusal{quoted(text) + " names several tasks", "name each, like 17_4"};
}

// Parses "NAME=VALUE".
Failure take_change(UpdateOptions& options, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0)
    return Refusal{quoted(text) + " is not a change; write NAME=VALUE", ""};
  options.names.emplace_back(text.substr(0, equals));
  options.values.emplace_back(text.substr(equals + 1));
  return std::nullopt;
}

Failure take_nodes(NodesOptions& options, std::string_view text) {
  auto names = expand_hostlist(text);
  if (!names) return Refusal{names.refusal().fact, ""};
  options.nodes.insert(options.nodes.end(), names->begin(), names->end());
  return std::nullopt;
}

Failure take_partitions(PartitionsOptions& options, std::string_view text) {
  for (const auto& word : words_of_list(text)) options.partitions.push_back(word);
  return std::nullopt;
}

Failure take_states(QueueOptions& options, std::string_view text) {
  for (const auto& word : words_of_list(text)) {
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
      return Refusal{quoted(word) + " is not a job state", did_you_mean(upper, known)};
    }
    options.states.push_back(*state);
  }
  return std::nullopt;
}

Failure take_step(std::string_view text, std::int64_t& step) {
  const auto number = parse_count(text, 0, std::numeric_limits<std::int64_t>::max());
  if (!number)
    return Refusal{quoted(text) + " is not a step", "a step is a whole number from 0 on, like 40"};
  step = *number;
  return std::nullopt;
}

using Form = OptionForm;
template <auto member>
constexpr auto take_rank = number_into<0, limits::tasks_per_job_max - 1, member>;
constexpr std::string_view rank_range = "INT:INT in [0 - 262143]";
static_assert(limits::tasks_per_job_max == 262144);

// clang-format off
constexpr OptionRow<NodesOptions> one_node = {
  "NODE", 0, Takes::Operand, "TEXT", "its name", "", taken_by<take_nodes>, Form::needed};
template <class Asked>
constexpr OptionRow<Asked> some_nodes = {
  "NODE", 0, Takes::Operands, "TEXT", "names, or lists like n[1-4]", "", taken_by<take_nodes>,
  Form::needed};
template <class Asked>
constexpr OptionRow<Asked> one_job = {
  "JOB", 0, Takes::Operand, "TEXT", "its id; 17_4 for an array task, 17_[4-9] for a row of the "
  "queue", "", taken_by<take_one_id>, Form::needed};
template <class Asked>
constexpr OptionRow<Asked> name_of_reservation = {
  "NAME", 0, Takes::Operand, "TEXT", "the reservation's name", "",
  into<&ReservationOptions::reservation>, Form::needed};

constexpr std::array<OptionRow<Options>, 0> no_arguments_rows{};

constexpr OptionRow<QueueOptions> queue_rows[] = {
  {"JOB", 0, Takes::Operands, "TEXT", "only these", "", taken_by<take_ids>},
  {"all", 'a', Takes::Nothing, "", "also jobs that ended recently", "",
   into<&QueueOptions::all_states>},
  {"states", 't', Takes::Value, "TEXT", "only these states, e.g. RUNNING,PD; all: also "
   "ended jobs", "", take_states},
  {"user", 'u', Takes::Value, "TEXT", "only this user's", "", into<&QueueOptions::user_name>},
  {"me", 0, Takes::Nothing, "", "only your own", "", into<&QueueOptions::only_mine>},
  {"partition", 'p', Takes::Value, "TEXT", "only this partition's", "",
   into<&QueueOptions::partition>},
};

constexpr OptionRow<JobsOptions> job_rows[] = {one_job<JobsOptions>};

constexpr OptionRow<JobsOptions> jobs_rows[] = {
  {"JOB", 0, Takes::Operands, "TEXT", "ids; tasks of arrays as 17_4 or 17_[1-3,7]", "",
   taken_by<take_ids>, Form::needed},
};

constexpr OptionRow<ReleaseOptions> release_rows[] = {
  {"JOB", 0, Takes::Operands, "TEXT", "ids; tasks of arrays as 17_4 or 17_[1-3,7]", "",
   taken_by<take_ids>, Form::needed},
  {"begin-anew", 0, Takes::Nothing, "", "also let them start without their checkpoints, which are "
   "kept", "", into<&ReleaseOptions::begin_anew>},
};

constexpr OptionRow<RequeueOptions> requeue_rows[] = {
  {"JOB", 0, Takes::Operands, "TEXT", "ids; tasks of arrays as 17_4 or 17_[1-3,7]", "",
   taken_by<take_ids>, Form::needed},
  {"from", 0, Takes::Value, "INT", "the training step to resume from; newer checkpoints are set "
   "aside and kept", "", set_by<take_step, &RequeueOptions::from>, Form::named},
};

constexpr OptionRow<UpdateOptions> update_rows[] = {
  {"JOB", 0, Takes::Operand, "TEXT", "its id", "", taken_by<take_one_id>, Form::needed},
  {"CHANGE", 0, Takes::Operands, "TEXT", "NAME=VALUE as for scontrol: TimeLimit=30, "
   "Partition=long, Nice=-10, ArrayTaskThrottle=5", "", take_change, Form::needed},
};

constexpr OptionRow<NodesOptions> node_rows[] = {one_node};

constexpr OptionRow<DrainOptions> drain_rows[] = {
  some_nodes<DrainOptions>,
  {"reason", 'r', Takes::Value, "TEXT", "why, for everybody to read", "",
   into<&DrainOptions::reason>, Form::needed},
};

constexpr OptionRow<DrainOptions> resume_rows[] = {
  some_nodes<DrainOptions>,
  {"reason", 'r', Takes::Value, "TEXT", "the reason, for the history", "",
   into<&DrainOptions::reason>},
};

constexpr OptionRow<NodesOptions> fence_rows[] = {
  some_nodes<NodesOptions>,
  {"confirm", 0, Takes::Nothing, "", "confirms that the nodes are powered off or have rebooted, so "
   "that none of their jobs runs there", "", ignore_option, Form::needed},
};

constexpr OptionRow<PartitionsOptions> partitions_rows[] = {
  {"PARTITION", 0, Takes::Operands, "TEXT", "names", "", take_partitions, Form::needed},
  {"reason", 'r', Takes::Value, "TEXT", "why, for everybody to read", "",
   into<&PartitionsOptions::reason>},
};

constexpr OptionRow<ReservationOptions> reservation_rows[] = {
  name_of_reservation<ReservationOptions>,
};

const std::string settings_help = [] {
  std::string names;
  for (const std::string_view name : reservation_settings())
    names += (names.empty() ? "" : ", ") + std::string(name);
  return "NAME=VALUE as for scontrol: " + names;
}();

const OptionRow<ReserveOptions> reserve_rows[] = {
  name_of_reservation<ReserveOptions>,
  {"SETTING", 0, Takes::Operands, "TEXT", settings_help, "", into<&ReserveOptions::settings>,
   Form::needed},
};

constexpr OptionRow<LogsOptions> logs_rows[] = {
  one_job<LogsOptions>,
  {"follow", 'f', Takes::Nothing, "", "keep printing new output, also of later attempts", "",
   into<&LogsOptions::follow>},
  {"rank", 'r', Takes::Value, rank_range, "only this rank's, byte for byte", "",
   take_rank<&LogsOptions::rank>, Form::named},
  {"stderr", 'e', Takes::Nothing, "", "standard error", "", into<&LogsOptions::error_stream>},
  {"attempt", 'a', Takes::Value, "INT:INT in [1 - 1000000]", "this attempt; default: the newest",
   "", number_into<1, 1'000'000, &LogsOptions::attempt, &AttemptNumber::value>, Form::named},
};

constexpr OptionRow<CheckpointDoneOptions> checkpoint_done_rows[] = {
  {"step", 's', Takes::Value, "INT", "the training step that was saved, in step-N/rank-R", "",
   set_by<take_step, &CheckpointDoneOptions::step>, Form::needed | Form::named},
  {"rank", 'r', Takes::Value, rank_range, "another rank than $COX_RANK", "",
   take_rank<&CheckpointDoneOptions::rank>, Form::named},
};

constexpr OptionRow<EventsOptions> events_rows[] = {
  {"JOB", 0, Takes::Operands, "TEXT", "only of these jobs; of an array, all of its tasks", "",
   taken_by<take_ids>},
  {"follow", 'f', Takes::Nothing, "", "only new events, until it is interrupted", "",
   into<&EventsOptions::follow>},
  {"user", 'u', Takes::Value, "TEXT", "only jobs of this user", "",
   into<&EventsOptions::user_name>},
  {"me", 0, Takes::Nothing, "", "only your own jobs", "", into<&EventsOptions::only_mine>},
};

constexpr OptionRow<ProgressOptions> progress_rows[] = {
  {"step", 's', Takes::Value, "INT", "the newest training step that is done", "",
   set_by<take_step, &ProgressOptions::step>, Form::needed | Form::named},
  {"total", 't', Takes::Value, "INT", "the total number of training steps", "",
   set_by<take_step, &ProgressOptions::total>, Form::named},
  {"metric", 'm', Takes::Value, "TEXT", "NAME=NUMBER, as loss=0.25; may be repeated", "",
   into<&ProgressOptions::metrics>, Form::repeats},
};

constexpr OptionRow<CheckpointsOptions> checkpoints_rows[] = {
  {"JOB", 0, Takes::Operands, "TEXT", "only of these jobs; array tasks as 17_4", "",
   taken_by<take_single_tasks<take_ids>>},
};

constexpr OptionRow<JobCheckpointsOptions> job_checkpoints_rows[] = {
  {"JOB", 0, Takes::Operand, "TEXT", "the job; an array task as 17_4", "",
   taken_by<take_single_tasks<take_one_id>>, Form::needed},
  {"step", 's', Takes::Value, "INT", "only of this training step; default: all", "",
   set_by<take_step, &JobCheckpointsOptions::step>, Form::named},
};
// clang-format on

}  // namespace

const CommandLineOf<Options> no_arguments_line = command_line_from<no_arguments_rows>();
const CommandLineOf<QueueOptions> queue_line = command_line_from<queue_rows>();
const CommandLineOf<JobsOptions> job_line = command_line_from<job_rows>();
const CommandLineOf<JobsOptions> jobs_line = command_line_from<jobs_rows>();
const CommandLineOf<ReleaseOptions> release_line = command_line_from<release_rows>();
const CommandLineOf<RequeueOptions> requeue_line = command_line_from<requeue_rows>();
const CommandLineOf<UpdateOptions> update_line = command_line_from<update_rows>();
const CommandLineOf<NodesOptions> node_line = command_line_from<node_rows>();
const CommandLineOf<DrainOptions> drain_line = command_line_from<drain_rows>();
const CommandLineOf<DrainOptions> resume_line = command_line_from<resume_rows>();
const CommandLineOf<NodesOptions> fence_line = command_line_from<fence_rows>();
const CommandLineOf<PartitionsOptions> partitions_line = command_line_from<partitions_rows>();
const CommandLineOf<ReservationOptions> reservation_line = command_line_from<reservation_rows>();
const CommandLineOf<ReserveOptions> reserve_line = command_line_from<reserve_rows>();
const CommandLineOf<LogsOptions> logs_line = command_line_from<logs_rows>();
const CommandLineOf<CheckpointDoneOptions> checkpoint_done_line =
    command_line_from<checkpoint_done_rows>();
const CommandLineOf<EventsOptions> events_line = command_line_from<events_rows>();
const CommandLineOf<ProgressOptions> progress_line = command_line_from<progress_rows>();
const CommandLineOf<CheckpointsOptions> checkpoints_line = command_line_from<checkpoints_rows>();
const CommandLineOf<JobCheckpointsOptions> job_checkpoints_line =
    command_line_from<job_checkpoints_rows>();

Failure QueueOptions::resolve(const CallerContext& caller) {
  if (only_mine) user_name = caller.user_name();
  return std::nullopt;
}

Failure EventsOptions::resolve(const CallerContext& caller) {
  if (only_mine) user_name = caller.user_name();
  return std::nullopt;
}

Failure UpdateOptions::resolve(const CallerContext& caller) {
  return resolve_job_changes(names, values, caller.here);
}

Failure ReservationOptions::resolve(const CallerContext&) {
  std::vector<std::string> none;
  resolve_reservation_name(reservation, none);
  return std::nullopt;
}

Failure ReserveOptions::resolve(const CallerContext& caller) {
  resolve_reservation_name(reservation, settings);
  return resolve_reservation_moments(settings, caller.here);
}

std::optional<std::int64_t> task_of(const JobsOptions& options) {
  if (options.tasks.empty() || options.tasks.front().empty()) return std::nullopt;
  const auto tasks = parse_array_tasks(options.tasks.front());
  CHECK(tasks.ok());  // take_id() accepts only valid tasks
  return tasks->first();
}

std::string row_of(const JobsOptions& options) {
  const bool named = !options.tasks.empty() && !options.tasks.front().empty();
  return named && parse_array_tasks(options.tasks.front())->count() > 1 ? options.tasks.front()
                                                                        : "";
}

}  // namespace cox
