// sattach: finds the step, then attaches to its streams (client/slurm/sattach.h).
#include "client/slurm/sattach.h"

#include <unistd.h>

#include <algorithm>

#include "client/io/pages.h"
#include "client/io/screen_output.h"
#include "client/io/step/step_loop.h"
#include "client/io/step/terminal.h"
#include "common/base/text.h"

namespace cox {
namespace {

Result<StepView> find_step(const AttachOptions& asked) {
  auto session = open_session("");
  if (!session) return session.refusal();
  ListSteps list;
  list.ids = {asked.job.id};
  list.tasks = {asked.job.tasks};
  list.ended = true;
  const auto answer = ask_all_pages(*session->controller, list);
  if (!answer) return answer.refusal();
  if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
  const auto* steps = std::get_if<StepList>(&*answer);
  if (steps == nullptr) return Refusal{"the controller sent an unexpected reply", ""};
  // Step numbers start again in each attempt: the newest step with this number is meant.
  const StepView* found = nullptr;
  for (const StepView& view : steps->steps)
    if (view.step.key.number == asked.step) found = &view;
  if (found == nullptr)
    return Refusal{"Could not get job step info: Invalid job id specified",
                   "`squeue --steps` lists the steps that run"};
  return *found;
}

Result<int> attach(const AttachOptions& asked, int signals) {
  const auto step = find_step(asked);
  if (!step) return step.refusal();
  if (asked.layout) return print({layout_text(*step), "", exit_ok});
  auto settings = attach_settings(asked, *step);
  if (!settings) return settings.refusal();
  const auto around = submit_surroundings();
  if (!around) return around.refusal();
  settings->zone = around->here.zone;
  settings->exit_error = exit_code_for(around->environment, "SLURM_EXIT_ERROR");
  settings->exit_immediate = settings->exit_error;
  auto connection = open_step_connection(signals);
  if (!connection) return connection.refusal();
  auto listener = StepListener::open(connection->config);
  if (!listener) return listener.refusal();
  std::optional<RawTerminal> raw;
  if (asked.pty) raw.emplace(STDIN_FILENO);
  return run_session(*settings, *connection, **listener, signals);
}

}  // namespace

int run_sattach(const Command& command, const std::vector<std::string>& words) {
  const int signals = open_step_signals();
  const auto asked = parse_attach(words);
  if (!asked) return print_refusal(command, asked.refusal(), {}, exit_usage);
  if (const auto* shown = std::get_if<Shown>(&*asked)) return print(*shown);
  const auto code = attach(std::get<AttachOptions>(*asked), signals);
  return code ? *code : print_refusal(command, code.refusal(), {}, exit_refused);
}

}  // namespace cox
