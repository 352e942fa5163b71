#include "client/io/run.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>

#include "client/command_line.h"
#include "client/io/pages.h"
#include "client/io/private/job_signals.h"
#include "client/io/screen_output.h"
#include "client/io/step/task_jobs.h"
#include "client/show/show_words.h"
#include "client/slurm/text/refused_words.h"
#include "client/text/moments.h"
#include "common/base/text.h"
#include "common/io/config/config_file.h"

namespace cox {

std::string own_user_name() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(::geteuid());
}

namespace {

int run_ask(const Command& command, Options& options) {
  block_job_signals_of_requeue(command.name == "requeue");
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  if (const auto wrong = wrong_clusters(command.name, options.clusters, *session->controller))
    return print(*wrong);
  if (auto* jobs = dynamic_cast<CheckpointsOptions*>(&options))
    if (const auto none = name_tasks_by_jobs(*session->controller, *jobs))
      return print_refusal(command, none->why, options, none->exit_code);
  auto answer = ask_all_pages(*session->controller, command.question(options));
  if (!answer) return print_refusal(command, answer.refusal(), options, exit_unreachable);
  if (const auto* refused = std::get_if<Refused>(&*answer))
    return print_refusal(command, refused->why, options, exit_refused);
  return print(command.show(*answer, options, screen_now(STDOUT_FILENO)));
}

}  // namespace

Result<ClientConfig> find_client_config(const std::string& config_given) {
  auto path = find_config(config_given);
  if (!path) return path.refusal();
  auto config = read_config(*path);
  if (!config) return config.refusal();
  if (config->client.controller.empty())
    return Refusal{*path + " does not name the controller",
                   "set controller = \"ipc://...\" or \"tcp://...\" in its [client] table"};
  return config->client;
}

Result<Session> open_session(const std::string& config_given) {
  auto config = find_client_config(config_given);
  if (!config) return config.refusal();
  auto options = controller_options(*config);
  if (!options) return options.refusal();
  Session session{*config, Poller::create(), nullptr};
  auto asker = Asker::to_controller(*session.poller, *options);
  if (!asker) return asker.refusal();
  session.controller = std::make_unique<Asker>(std::move(asker).value());
  return session;
}

int print_refusal(const Command& command, const Refusal& why, const Options& options,
                  int exit_code) {
  Shown shown = show_refused(why, options);
  shown.exit_code = exit_code;
  const std::string fact = localised_text(why.fact, screen_now(STDERR_FILENO));
  shown.err = refusal_text({fact, why.hint});
  if (!command.slurm) return print(shown);
  const std::string prefix = std::string(command.name) + ": error: ";
  shown.err = prefix + fact + "\n";
  if (!why.hint.empty()) shown.err += prefix + printable(why.hint) + "\n";
  shown.exit_code = exit_refused;  // all errors of Slurm's commands have this code
  return print(shown);
}

int refuse_words(const Command& command, const Refusal& why, const Options& options,
                 int exit_code) {
  const int code = print_refusal(command, why, options, exit_code);
  return command.slurm ? slurm_exit_code(why) : code;
}

namespace {

// Parses the command line into the struct that `carry_out` takes, and calls it. Prints --help or a
// refusal instead.
template <class Asked>
int with_options(const Command& command, const std::vector<std::string>& words,
                 int (*carry_out)(const Command&, Asked)) {
  Parsed parsed = parse_options(command, words, surroundings().environment);
  if (const auto* help = std::get_if<std::string>(&parsed)) return print({*help, "", exit_ok});
  if (const auto* why = std::get_if<Refusal>(&parsed))
    return print_refusal(command, *why, {}, exit_usage);
  Options& options = *std::get<std::unique_ptr<Options>>(parsed);
  const Screen screen = screen_now(STDOUT_FILENO);
  if (const Failure failure = options.resolve({{screen.now, screen.zone}, own_user_name}))
    return print_refusal(command, *failure, options, exit_usage);
  return carry_out(command, dynamic_cast<std::remove_cvref_t<Asked>&>(options));
}

}  // namespace

int run_command(const Command& command, const std::vector<std::string>& words) {
  const auto with = [&](auto carry_out) { return with_options(command, words, carry_out); };
  switch (command.run) {
    case Run::Ask: return with(run_ask);
    case Run::List: return run_listing(command, words);
    case Run::Submit: return run_submit(command, words);
    case Run::Step: return run_srun(command, words);
    case Run::Allocate: return run_salloc(command, words);
    case Run::Broadcast: return run_sbcast(command, words);
    case Run::Attach: return run_sattach(command, words);
    case Run::Trigger: return run_strigger(command, words);
    case Run::CancelMatching: return run_cancel(command, words);
    case Run::Crontab: return run_scrontab(command, words);
    case Run::Administer: return with(run_administer);
    case Run::Records: return with(run_records);
    case Run::Efficiency: return with(run_efficiency);
    case Run::Report: return with(run_report);
    case Run::Sample: return with(run_sample);
    case Run::Control: return with(run_control);
    case Run::Wait: return with(run_wait);
    case Run::Logs: return with(run_logs);
    case Run::CheckpointDone: return with(run_checkpoint_done);
    case Run::CheckpointFinished: return with(run_checkpoint_finished);
    case Run::Progress: return with(run_progress);
    case Run::Events: return with(run_events);
    case Run::CheckpointOrphans: return with(run_checkpoint_orphans);
    case Run::Up: return with(run_up);
    case Run::Down: return with(run_down);
    case Run::Status: return with(run_status);
    case Run::Demo: return with(run_demo);
    case Run::ConfigCheck: return with(run_config_check);
    case Run::Import: return with(run_import);
    case Run::Doctor: return with(run_doctor);
    case Run::KeyMake: return with(run_key_make);
    case Run::Simulate: return run_simulate(command, words);
    case Run::Snapshot: return with(run_snapshot);
    case Run::Replay: return with(run_replay);
  }
  CHECK(false && "unknown Run");
}

}  // namespace cox
