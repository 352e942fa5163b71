#include "client/options/submit_option_table.h"

#include <algorithm>
#include <csignal>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "client/options/mail_types.h"
#include "client/options/option_values.h"
#include "client/options/signal_format.h"
#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

// ---- where and how it runs -------------------------------------------------------------------

Failure set_path(std::string_view value, std::string& into) {
  // Slurm's "none" for a stream.
  return set_text(value == "none" ? "/dev/null" : value, limits::path_bytes_max, into);
}

// As Slurm has it, an empty one is none.
Failure set_words(std::string_view value, std::size_t bytes_max, std::string& into) {
  if (!value.empty()) return set_text(value, bytes_max, into);
  into.clear();
  return std::nullopt;
}

Failure set_name(SubmitOptions& asked, std::string_view value) {
  return set_words(value, limits::name_bytes_max, asked.spec.name);
}

Failure set_comment(SubmitOptions& asked, std::string_view value) {
  return set_words(value, limits::name_bytes_max, asked.spec.comment);
}

Failure set_wckey(SubmitOptions& asked, std::string_view value) {
  return set_words(value, limits::word_bytes_max, asked.spec.wckey);
}

Failure set_mail_type(SubmitOptions& asked, std::string_view value) {
  const Result<std::string> types = parse_mail_types(value);
  if (!types) return types.refusal();
  asked.spec.mail_type = *types;
  return std::nullopt;
}

Failure set_mail_user(SubmitOptions& asked, std::string_view value) {
  return set_words(value, limits::word_bytes_max, asked.spec.mail_user);
}

Failure set_work_dir(SubmitOptions& asked, std::string_view value) {
  return set_text(value, limits::path_bytes_max, asked.spec.work_dir);
}

Failure set_output(SubmitOptions& asked, std::string_view value) {
  return set_path(value, asked.spec.output);
}

Failure set_error(SubmitOptions& asked, std::string_view value) {
  return set_path(value, asked.spec.error);
}

Failure set_input(SubmitOptions& asked, std::string_view value) {
  return set_path(value, asked.spec.input);
}

Failure set_open_mode(SubmitOptions& asked, std::string_view value) {
  return set_append(value, asked.spec.append_output);
}

Failure set_export(SubmitOptions& asked, std::string_view value) {
  asked.export_list = value;
  return std::nullopt;
}

Failure set_hold(SubmitOptions& asked, std::string_view) {
  asked.spec.hold = true;
  return std::nullopt;
}

// ---- checkpoints and second tries ------------------------------------------------------------

Failure set_signal(SubmitOptions& asked, std::string_view value) {
  const Result<SignalRequest> signal = parse_signal_request(value);
  if (!signal) return signal.refusal();
  asked.spec.signal = *signal;
  return std::nullopt;
}

Failure set_checkpoint_signal(SubmitOptions& asked, std::string_view value) {
  const Result<std::int32_t> signal = parse_signal(value);
  if (!signal) return signal.refusal();
  if (*signal == SIGKILL || *signal == SIGSTOP)
    return Refusal{quoted(value) + " cannot be caught, so nothing would be saved",
                   "choose one the job handles, like USR1"};
  asked.spec.checkpoint_signal = *signal;
  return std::nullopt;
}

Failure set_checkpoint_by(SubmitOptions& asked, std::string_view value) {
  if (value != "all" && value != "rank0")
    return Refusal{quoted(value) + " does not say who saves", "write all or rank0"};
  asked.spec.checkpoint_by = value == "all" ? CheckpointBy::AllRanks : CheckpointBy::Rank0;
  return std::nullopt;
}

Failure set_requeue(SubmitOptions& asked, std::string_view) {
  asked.spec.requeue = true;
  return std::nullopt;
}

Failure set_no_requeue(SubmitOptions& asked, std::string_view) {
  asked.spec.requeue = false;
  return std::nullopt;
}

Failure set_requeue_on_timeout(SubmitOptions& asked, std::string_view) {
  asked.spec.requeue_on_timeout = true;
  return std::nullopt;
}

// JOB or JOB:STEP, of a task of an array 17_4:STEP
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
        "write JOB for its newest one, or JOB:STEP, e.g. 17:40; of a task of an array 17_4"};
  asked.spec.resume_from.job = job->id;
  asked.resume_task = has_task ? *task : -1;
  asked.spec.resume_from.step = has_step ? *step : -1;
  return std::nullopt;
}

Failure set_no_fence(SubmitOptions& asked, std::string_view) {
  asked.spec.no_fence = true;
  return std::nullopt;
}

Failure set_job_propagate(SubmitOptions& asked, std::string_view value) {
  return set_propagated(value, asked.propagate);
}

// ---- the command itself ----------------------------------------------------------------------

Failure set_wrap(SubmitOptions& asked, std::string_view value) {
  if (value.empty()) return Refusal{"the command is empty", "write --wrap='command'"};
  asked.wrap = value;
  return std::nullopt;
}

Failure set_request_id(SubmitOptions& asked, std::string_view value) {
  return set_text(value, limits::word_bytes_max, asked.request_id);
}

Failure set_parsable(SubmitOptions& asked, std::string_view) {
  asked.parsable = true;
  return std::nullopt;
}

Failure set_quiet(SubmitOptions& asked, std::string_view) {
  asked.quiet = true;
  return std::nullopt;
}

Failure set_verbose(SubmitOptions& asked, std::string_view) {
  ++asked.verbose;
  return std::nullopt;
}

Failure set_wait(SubmitOptions& asked, std::string_view) {
  asked.wait = true;
  return std::nullopt;
}

Failure set_test(SubmitOptions& asked, std::string_view) {
  asked.test = true;
  return std::nullopt;
}

Failure set_json(SubmitOptions& asked, std::string_view) {
  asked.json = true;
  return std::nullopt;
}

Failure set_help(SubmitOptions& asked, std::string_view) {
  asked.help = true;
  return std::nullopt;
}

Failure set_version(SubmitOptions& asked, std::string_view) {
  asked.version = true;
  return std::nullopt;
}

constexpr auto none = Takes::Nothing;
constexpr auto optional = Takes::ValueAttached;
constexpr auto required = Takes::Value;

// clang-format off
constexpr SubmitOption options[] = {
  {"job-name", 'J', required, "SBATCH_JOB_NAME", "NAME", "name of the job", false, set_name},
  {"hold", 'H', none, "", "", "wait until it is released", false, set_hold},
  {"chdir", 'D', required, "", "FOLDER", "where it runs; here, if not given", false, set_work_dir},
  {"output", 'o', required, "SBATCH_OUTPUT", "FILE", "its output, with %j, %t, %x, ...", false,
   set_output},
  {"error", 'e', required, "SBATCH_ERROR", "FILE", "its errors; with the output, if not given",
   false, set_error},
  {"input", 'i', required, "SBATCH_INPUT", "FILE", "its input", false, set_input},
  {"open-mode", 0, required, "SBATCH_OPEN_MODE", "MODE", "append or truncate", false,
   set_open_mode},
  {"export", 0, required, "SBATCH_EXPORT", "LIST", "ALL, NONE, or NAME and NAME=VALUE,...", false,
   set_export},
  {"propagate", 0, optional, "", "LIMITS",
   "soft limits to pass on: ALL, NONE, CORE,STACK,...", false,
   set_job_propagate},
  {"signal", 0, required, "SBATCH_SIGNAL", "[B:]SIGNAL[@SECONDS]",
   "sent so long before the time limit", false, set_signal},
  {"checkpoint-signal", 0, required, "", "SIGNAL", "sent when it is asked to save", false,
   set_checkpoint_signal},
  {"checkpoint-by", 0, required, "", "all|rank0", "which ranks report a saved step", false,
   set_checkpoint_by},
  {"requeue", 0, none, "SBATCH_REQUEUE", "", "run again when preempted or a node is lost", false,
   set_requeue},
  {"no-requeue", 0, none, "SBATCH_NO_REQUEUE", "", "end instead", false, set_no_requeue},
  {"requeue-on-timeout", 0, none, "", "", "resume from its checkpoint after the time limit", false,
   set_requeue_on_timeout},
  {"resume-from", 0, required, "", "JOB[:STEP]", "begin from a checkpoint of another job", false,
   set_resume_from},
  {"no-fence", 0, none, "", "", "writes only in its checkpoint folder: resume sooner", false,
   set_no_fence},
  {"comment", 0, required, "", "TEXT", "for people: squeue and sacct show it", false, set_comment},
  {"wckey", 0, required, "SBATCH_WCKEY", "WORD", "likewise, a word", false, set_wckey},
  {"mail-type", 0, required, "", "BEGIN,END,FAIL,...", "what mail is sent of", false,
   set_mail_type},
  {"mail-user", 0, required, "", "USER", "to whom; to you, if not given", false, set_mail_user},
  {"wrap", 0, required, "", "COMMAND", "make a script of this command", true, set_wrap},
  {"request-id", 0, required, "", "ID", "of a submission whose outcome is unknown: submit it once",
   true, set_request_id},
  {"parsable", 0, none, "", "", "print the job's id alone", false, set_parsable},
  {"quiet", 'Q', none, "", "", "print nothing when it went well", false, set_quiet},
  {"verbose", 'v', none, "", "", "print the options in effect first", false, set_verbose},
  {"wait", 'W', none, "SBATCH_WAIT", "", "until it has ended, and end as it did", false, set_wait},
  {"test", 0, none, "", "", "say when and where it would start, and submit nothing", false,
   set_test},
  {"test-only", 0, none, "", "", "", false, set_test},
  {"json", 0, none, "", "", "print the answer as JSON", true, set_json},
  {"help", 'h', none, "", "", "print this", true, set_help},
  {"usage", 0, none, "", "", "", true, set_help},
  {"version", 'V', none, "", "", "print the version", true, set_version},

};
// clang-format on

}  // namespace

std::span<const SubmitOption> submit_option_table() {
  return options;
}

const OptionTable& submit_options() {
  static const OptionTable table = [] {
    OptionTable all{{}, later_option_table()};
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
    OptionTable all{{}, later_step_option_table()};
    for (const auto& some : {step_option_table(), step_company_option_table(),
                             container_step_option_table(), ignored_step_option_table()})
      all.options.insert(all.options.end(), some.begin(), some.end());
    return all;
  }();
  return table;
}

}  // namespace cox
