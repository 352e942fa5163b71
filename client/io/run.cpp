#include "client/io/run.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>

#include "client/command_options.h"
#include "client/io/pages.h"
#include "client/io/private/job_signals.h"
#include "client/io/screen_output.h"
#include "client/io/step/task_jobs.h"
#include "client/show/show.h"
#include "client/slurm/text/answers.h"
#include "client/slurm/text/refused_words.h"
#include "client/submit/job_changes.h"
#include "client/submit/reservation_settings.h"
#include "client/text/moments.h"
#include "common/base/text.h"
#include "common/io/config/config_file.h"

namespace cox {

std::string own_user_name() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(::geteuid());
}

namespace {

int run_ask(const Command& command, Options options) {
  block_job_signals_of_requeue(command.name == "requeue");
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  if (options.tasks_as_jobs)
    if (const auto none = name_tasks_by_jobs(*session->controller, options))
      return print_refusal(command, none->why, options, none->exit_code);
  auto answer = ask_all_pages(*session->controller, command.question(options));
  if (!answer) return print_refusal(command, answer.refusal(), options, exit_unreachable);
  if (const auto* refused = std::get_if<Refused>(&*answer))
    return print_refusal(command, refused->why, options, exit_refused);
  return print(command.show(*answer, options, screen_now(STDOUT_FILENO)));
}

int carry_out(const Command& command, const Options& options) {
  switch (command.way) {
    case Way::Ask: return run_ask(command, options);
    case Way::Administer: return run_administer(command, options);
    case Way::Control: return run_control(command, options);
    case Way::Records: return run_records(command, options);
    case Way::Report: return run_report(command, options);
    case Way::Sample: return run_sample(command, options);
    case Way::CancelMatching:
    case Way::Crontab:
    case Way::List:
    case Way::Submit:
    case Way::RunStep:
    case Way::Allocate:
    case Way::Broadcast:
    case Way::Attach:
    case Way::Trigger:
    case Way::Simulate: break;  // read their own command lines
    case Way::Snapshot: return run_snapshot(command, options);
    case Way::Replay: return run_replay(command, options);
    case Way::Wait: return run_wait(command, options);
    case Way::Logs: return run_logs(command, options);
    case Way::CheckpointDone: return run_checkpoint_done(command, options);
    case Way::Events: return run_events(command, options);
    case Way::Progress: return run_progress(command, options);
    case Way::CheckpointOrphans: return run_checkpoint_orphans(command, options);
    case Way::Up: return run_up(command, options);
    case Way::Down: return run_down(command, options);
    case Way::Status: return run_status(command, options);
    case Way::Demo: return run_demo(command, options);
    case Way::ConfigCheck: return run_config_check(command, options);
    case Way::Import: return run_import(command, options);
    case Way::Doctor: return run_doctor(command, options);
    case Way::KeyMake: return run_key_make(command, options);
  }
  CHECK(false && "unknown Way");
}

}  // namespace

Result<ClientConfig> find_client_config(const std::string& config_given) {
  auto path = find_config(config_given);
  if (!path) return path.refusal();
  auto config = read_config(*path);
  if (!config) return config.refusal();
  if (config->client.controller.empty())
    return Refusal{*path + " does not say where the controller is",
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
  const std::string fact = told_text(why.fact, screen_now(STDERR_FILENO));
  shown.err = refusal_text({fact, why.hint});
  if (!command.slurm) return print(shown);
  const std::string prefix = std::string(command.name) + ": error: ";
  shown.err = prefix + fact + "\n";
  if (!why.hint.empty()) shown.err += prefix + printable(why.hint) + "\n";
  shown.exit_code = exit_refused;  // Slurm's programs know no other
  return print(shown);
}

int refuse_words(const Command& command, const Refusal& why, const Options& options,
                 int exit_code) {
  const int code = print_refusal(command, why, options, exit_code);
  return command.slurm ? slurm_exit_code(why) : code;
}

int run_command(const Command& command, const std::vector<std::string>& words) {
  if (command.way == Way::List) return run_listing(command, words);
  if (command.way == Way::CancelMatching) return run_cancel(command, words);
  if (command.way == Way::Crontab) return run_scrontab(command, words);
  if (command.way == Way::Submit) return run_submit(command, words);
  if (command.way == Way::RunStep) return run_srun(command, words);
  if (command.way == Way::Broadcast) return run_sbcast(command, words);
  if (command.way == Way::Attach) return run_sattach(command, words);
  if (command.way == Way::Trigger) return run_strigger(command, words);
  if (command.way == Way::Allocate) return run_salloc(command, words);
  if (command.way == Way::Simulate) return run_simulate(command, words);
  Parsed parsed = parse_options(command, words);
  if (const auto* help = std::get_if<std::string>(&parsed)) return print({*help, "", exit_ok});
  if (const auto* why = std::get_if<Refusal>(&parsed))
    return print_refusal(command, *why, {}, exit_usage);
  auto options = std::get<Options>(std::move(parsed));
  if (options.only_mine) options.user_name = own_user_name();
  const Screen screen = screen_now(STDOUT_FILENO);
  settle_reservation_name(options.reservation, options.settings);
  if (auto failure =
          settle_reservation_moments(options.settings, {screen.now, screen.utc_offset_s}))
    return print_refusal(command, *failure, options, exit_usage);
  if (auto failure =
          settle_job_changes(options.names, options.values, {screen.now, screen.utc_offset_s}))
    return print_refusal(command, *failure, options, exit_usage);
  return carry_out(command, options);
}

}  // namespace cox
