#include "client/options/submit_option_table.h"

#include <algorithm>
#include <csignal>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "client/options/option_values.h"
#include "client/options/signal_format.h"
#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "common/job/open_mode.h"
#include "common/syntax/mail_types.h"

namespace cox {
namespace submit_option {
namespace {

// ---- where and how the job runs ---------------------------------------------------------------

Failure set_path(std::string_view value, std::string& into) {
  // as in Slurm, "none" means no file
  return set_text(value == "none" ? "/dev/null" : value, limits::path_bytes_max, into);
}

// Stores a text. As in Slurm, an empty value unsets the option.
Failure set_words(std::string_view value, std::size_t bytes_max, std::string& into) {
  if (!value.empty()) return set_text(value, bytes_max, into);
  into.clear();
  return std::nullopt;
}

// ---- checkpoints and requeues ----------------------------------------------------------------

Failure set_checkpoint_signal(SubmitOptions& asked, std::string_view value) {
  const Result<std::int32_t> signal = parse_signal(value);
  if (!signal) return signal.refusal();
  if (*signal == SIGKILL || *signal == SIGSTOP)
    return Refusal{quoted(value) + " cannot be caught, so nothing would be saved",
                   "choose one the job handles, like USR1"};
  asked.spec.checkpoint_signal = *signal;
  return std::nullopt;
}

Failure set_open_mode(SubmitOptions& asked, std::string_view value) {
  if (Failure failure = set_append(value, asked.spec.append_output)) return failure;
  std::erase(asked.spec.stored_options, truncate_stored);
  if (!asked.spec.append_output) asked.spec.stored_options.emplace_back(truncate_stored);
  return std::nullopt;
}

Failure set_checkpoint_by(SubmitOptions& asked, std::string_view value) {
  if (value != "all" && value != "rank0")
    return Refusal{quoted(value) + " is neither all nor rank0", "write all or rank0"};
  asked.spec.checkpoint_by = value == "all" ? CheckpointBy::AllRanks : CheckpointBy::Rank0;
  return std::nullopt;
}

// Parses --resume-from: JOB or JOB:STEP, where JOB may be an array task like 17_4 and STEP is a
// training step.
Failure set_resume_from(SubmitOptions& asked, std::string_view value) {
  const std::size_t colon = value.find(':');
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const auto job = parse_job_ref(value.substr(0, colon));
  const bool has_task = job && !job->tasks.empty();
  const auto task = parse_count(has_task ? job->tasks : "0", 0, limits::array_task_id_max);
  const bool has_step = colon != value.npos;
  const auto step = parse_count(has_step ? value.substr(colon + 1) : "0", 0, most);
  if (!job || !task || !step)
    return Refusal{
        quoted(value) + " names no checkpoint",
        "write JOB for its newest one, or JOB:STEP, as in 17:40; for an array task 17_4"};
  asked.spec.resume_from.job = job->id;
  asked.resume_task = has_task ? *task : -1;
  asked.spec.resume_from.step = has_step ? *step : -1;
  return std::nullopt;
}

// ---- options of the submit command -----------------------------------------------------------

Failure set_wrap(SubmitOptions& asked, std::string_view value) {
  if (value.empty()) return Refusal{"the command is empty", "write --wrap='command'"};
  asked.wrap = value;
  return std::nullopt;
}

template <std::size_t bytes_max>
Failure set_bounded_words(std::string_view value, std::string& into) {
  return set_words(value, bytes_max, into);
}
template <std::size_t bytes_max, auto... steps>
constexpr auto words_into = set_by<set_bounded_words<bytes_max>, steps...>;

constexpr auto none = Takes::Nothing;
constexpr auto optional = Takes::ValueAttached;
constexpr auto required = Takes::Value;

// clang-format off
constexpr SubmitOption options[] = {
  {"job-name", 'J', required, "NAME", "name of the job", "SBATCH_JOB_NAME",
   words_into<limits::name_bytes_max, in_job, &JobSpec::name>},
  {"hold", 'H', none, "", "hold the job until it is released", "", into<in_job, &JobSpec::hold>},
  {"chdir", 'D', required, "FOLDER", "the working directory; default: the current one", "",
   text_into<limits::path_bytes_max, in_job, &JobSpec::work_dir>},
  {"output", 'o', required, "FILE",
   "file for the output; may contain %j, %t, %x, ...", "SBATCH_OUTPUT",
   set_by<set_path, in_job, &JobSpec::output>},
  {"error", 'e', required, "FILE",
   "file for errors; default: the file for the output", "SBATCH_ERROR",
   set_by<set_path, in_job, &JobSpec::error>},
  {"input", 'i', required, "FILE", "its input", "SBATCH_INPUT",
   set_by<set_path, in_job, &JobSpec::input>},
  {"open-mode", 0, required, "MODE", "append or truncate", "SBATCH_OPEN_MODE",
   set_open_mode},
  {"export", 0, required, "LIST", "ALL, NONE, or NAME and NAME=VALUE,...", "SBATCH_EXPORT",
   into<&SubmitOptions::export_list>},
  {"propagate", 0, optional, "LIMITS", "soft limits to pass on: ALL, NONE, CORE,STACK,...", "",
   set_by<set_propagated, &SubmitOptions::propagate>},
  {"signal", 0, required, "[B:]SIGNAL[@SECONDS]", "signal to send SECONDS before the time limit",
   "SBATCH_SIGNAL", parsed_into<parse_signal_request, in_job, &JobSpec::signal>},
  {"checkpoint-signal", 0, required, "SIGNAL", "signal that asks the job to save", "",
   set_checkpoint_signal},
  {"checkpoint-by", 0, required, "all|rank0", "which ranks report a saved step", "",
   set_checkpoint_by},
  {"requeue", 0, none, "", "run again when preempted or a node is lost", "SBATCH_REQUEUE",
   into<in_job, &JobSpec::requeue>},
  {"no-requeue", 0, none, "", "end when preempted or a node is lost", "SBATCH_NO_REQUEUE",
   not_into<in_job, &JobSpec::requeue>},
  {"requeue-on-timeout", 0, none, "", "resume from its checkpoint after the time limit", "",
   into<in_job, &JobSpec::requeue_on_timeout>},
  {"resume-from", 0, required, "JOB[:STEP]", "begin from a checkpoint of another job", "",
   set_resume_from},
  {"no-fence", 0, none, "",
   "it writes only in its checkpoint folder: it may resume sooner", "",
   into<in_job, &JobSpec::no_fence>},
  {"comment", 0, required, "TEXT", "a comment that squeue and sacct show", "",
   words_into<limits::name_bytes_max, in_job, &JobSpec::comment>},
  {"wckey", 0, required, "WORD", "a word that squeue and sacct show", "SBATCH_WCKEY",
   words_into<limits::word_bytes_max, in_job, &JobSpec::wckey>},
  {"mail-type", 0, required, "BEGIN,END,FAIL,...", "events to send mail about", "",
   parsed_into<parse_mail_types, in_job, &JobSpec::mail_type>},
  {"mail-user", 0, required, "USER", "who gets the mail; default: you", "",
   words_into<limits::word_bytes_max, in_job, &JobSpec::mail_user>},
  {"wrap", 0, required, "COMMAND", "make a script of this command", "", set_wrap,
   OptionForm::command_line_only},
  {"request-id", 0, required, "ID",
   "repeat the submission with this id, whose outcome is unknown", "",
   text_into<limits::word_bytes_max, &SubmitOptions::request_id>, OptionForm::command_line_only},
  {"parsable", 0, none, "", "print only the job id", "", into<&SubmitOptions::parsable>},
  {"quiet", 'Q', none, "", "print only errors", "", into<&SubmitOptions::quiet>},
  {"verbose", 'v', none, "", "print the options in effect first", "",
   into<&SubmitOptions::verbose>},
  {"wait", 'W', none, "", "wait until the job has ended; exit with its code", "SBATCH_WAIT",
   into<&SubmitOptions::wait>},
  {"test", 0, none, "", "show when and where it would start; submit nothing", "",
   into<&SubmitOptions::test>},
  {"test-only", 0, none, "", "", "", into<&SubmitOptions::test>},
  {"json", 0, none, "", "print the answer as JSON", "", into<&SubmitOptions::json>,
   OptionForm::command_line_only},
  {"help", 'h', none, "", "print this", "", into<&SubmitOptions::help>,
   OptionForm::command_line_only},
  {"usage", 0, none, "", "", "", into<&SubmitOptions::help>, OptionForm::command_line_only},
  {"version", 'V', none, "", "print the version", "", into<&SubmitOptions::version>,
   OptionForm::command_line_only},
};
// clang-format on

}  // namespace
}  // namespace submit_option

std::span<const SubmitOption> submit_option_table() {
  return submit_option::options;
}

const OptionTable& submit_options() {
  static const OptionTable table = [] {
    OptionTable all{{}, unsupported_option_table()};
    for (const auto& some :
         {submit_option_table(), resource_option_table(), container_option_table(),
          stored_option_table(), ignored_option_table()})
      all.options.insert(all.options.end(), some.begin(), some.end());
    return all;
  }();
  return table;
}

const OptionTable& step_options() {
  static const OptionTable table = [] {
    OptionTable all{{}, unsupported_step_option_table()};
    for (const auto& some : {step_option_table(), step_company_option_table(),
                             container_step_option_table(), ignored_step_option_table()})
      all.options.insert(all.options.end(), some.begin(), some.end());
    return all;
  }();
  return table;
}

}  // namespace cox
