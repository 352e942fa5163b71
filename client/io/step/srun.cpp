// srun: runs a step in an existing allocation, or in one that it requests
// (client/io/step/step_loop.h).
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/io/known_files.h"
#include "client/io/private/files.h"
#include "client/io/screen_output.h"
#include "client/io/step/allocate.h"
#include "client/io/step/srun_bcast.h"
#include "client/io/step/srun_components.h"
#include "client/io/step/srun_programs.h"
#include "client/io/step/step_loop.h"
#include "client/io/step/terminal.h"
#include "client/options/host_file.h"
#include "client/slurm/list/squeue_request.h"
#include "client/slurm/text/refused_words.h"
#include "common/base/text.h"
#include "common/io/clock.h"

namespace cox {
namespace {

std::int32_t own_umask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<std::int32_t>(mask);
}

// Runs a step and returns its exit code. With `shows_ends` it prints how the tasks ended.
Result<int> run_step(std::string_view program, bool shows_ends, StepPlan plan,
                     const SubmitSurroundings& around, StepConnection& connection, int signals) {
  auto listener = StepListener::open(connection.config);
  if (!listener) return listener.refusal();
  const TerminalSize size = terminal_size(STDIN_FILENO);
  StepSession::Settings settings;
  settings.umask = own_umask();
  settings.program = program;
  settings.shows_ends = shows_ends;
  const StepPlace place{(*listener)->port() > 0 ? (*listener)->address() : around.submit_host,
                        (*listener)->address(), (*listener)->port(), settings.umask,
                        ::getpriority(PRIO_PROCESS, 0)};
  add_step_variables(plan, place, around);
  settings.plan = std::move(plan);
  const StepOptions& asked = settings.plan.asked.step;
  settings.rows = size.rows;
  settings.columns = size.columns;
  settings.zone = around.here.zone;
  settings.exit_error = exit_code_for(around.environment, "SLURM_EXIT_ERROR");
  settings.exit_immediate = exit_code_for(around.environment, "SLURM_EXIT_IMMEDIATE");
  run_srun_program(asked.prolog, settings.plan.words, around.environment, "prolog_srun");
  std::optional<RawTerminal> raw;
  if (asked.pty) raw.emplace(STDIN_FILENO);
  const int code = run_session(settings, connection, **listener, signals);
  raw.reset();
  run_srun_program(asked.epilog, settings.plan.words, around.environment, "epilog_srun");
  return code;
}

Result<int> plan_and_run(std::string_view program, const std::vector<StepPart>& parts,
                         const SubmitSurroundings& around, StepConnection& connection,
                         int signals) {
  if (Failure failure = check_groups(parts, around.environment)) return *std::move(failure);
  if (parts.size() > 1) return run_components(parts, around.environment, signals);
  const StepCommand& command = parts.front().command;
  auto plan = plan_step(command, around, read_named_file);
  if (!plan) return plan.refusal();
  Shown notes;
  const std::string start = std::string(program) + ": ";
  if (!plan->about_job.empty()) notes.err += start + printable(plan->about_job) + "\n";
  for (const std::string& warning : plan->warnings)
    notes.err += start + "Warning: " + printable(warning) + "\n";
  if (!plan->asked.quiet) print(notes);
  // The tasks of sbcast print their own errors, so only srun shows how its tasks ended.
  const bool is_srun = program == "srun";
  if (is_srun && plan->asked.step.bcast) {
    const auto run_copy = [&](StepPlan copy) {
      return run_step(program, false, std::move(copy), around, connection, signals);
    };
    if (Failure failure = copy_program(*plan, around, run_copy)) return *std::move(failure);
  }
  return run_step(program, is_srun, std::move(*plan), around, connection, signals);
}

// Runs the step in a new allocation and gives it back with the step's exit code.
Result<int> run_with_allocation(const std::vector<StepPart>& parts, SubmitSurroundings around,
                                StepConnection& connection, int signals, Allocator& allocator) {
  std::vector<StepCommand> commands;
  for (const StepPart& part : parts) commands.push_back(part.command);
  auto plan = plan_allocation(commands, around);
  if (!plan) return plan.refusal();
  plan->request.request_id = random_hex(16);
  const auto cluster = allocator.cluster_name();
  if (!cluster) return cluster.refusal();
  const auto given = allocator.acquire(*plan);
  if (!given && allocator.was_interrupted())
    return exit_code_for(around.environment, "SLURM_EXIT_ERROR");
  if (!given) return given.refusal();
  around.environment = allocation_environment(around.environment, *given, *cluster);
  auto code = plan_and_run("srun", parts, around, connection, signals);
  constexpr int signal_base = 128;
  const int exit_code = code ? *code : 1;
  const int signal = exit_code > signal_base ? exit_code - signal_base : 0;
  const bool is_back = allocator.give_back(given->view.job.id, signal != 0 ? 0 : exit_code, signal);
  return is_back || exit_code != 0 ? code : exit_not_given_back;
}

// Checks the files of all parts, so that nothing is submitted for a file that cannot be opened.
Failure check_files(const std::vector<StepPart>& parts, const SubmitSurroundings& around) {
  for (const StepPart& part : parts)
    if (Failure failure = check_known_files(known_step_files(part.command, around))) return failure;
  return std::nullopt;
}

// Returns the refusal of --clusters; nothing if the option is valid.
std::optional<Shown> refuse_clusters(const StepCommand& command, const SubmitSurroundings& around,
                                     Allocator& allocator) {
  const auto asked = step_clusters(command, around);
  if (asked.empty()) return std::nullopt;
  const auto ours = allocator.cluster_name();
  if (!ours) return slurm_error("srun", ours.refusal().fact);
  return refuse_other_clusters("srun", asked, *ours);
}

}  // namespace

int run_srun(const Command& command, const std::vector<std::string>& words) {
  const int signals = open_step_signals();
  auto parsed = parse_steps(words);
  if (!parsed) return refuse_words(command, parsed.refusal());
  const SubmitOptions& options = parsed->front().command.options;
  if (options.help) return print({step_help(), "", exit_ok});
  if (options.version) return print({version_text(command), "", exit_ok});
  if (options.step.list_mpi)
    return print({"MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\n", "", exit_ok});
  auto around = submit_surroundings();
  if (!around) return print_refusal(command, around.refusal(), {}, exit_refused);
  if (command.name != "srun") forget_places_of_steps(around->environment);
  // With several components, the srun of each one prints the options itself.
  if (parsed->size() == 1)
    print({"", step_options_in_effect(parsed->front().command, *around), exit_ok});
  if (const Failure failure = check_files(*parsed, *around)) {
    print_refusal(command, *failure, {}, exit_refused);
    return exit_code_for(around->environment, "SLURM_EXIT_ERROR");
  }
  auto connection = open_step_connection(signals);
  if (!connection) return print_refusal(command, connection.refusal(), {}, exit_refused);
  Allocator allocator(*connection->poller, *connection->controller, signals, "srun");
  if (const auto wrong = refuse_clusters(parsed->front().command, *around, allocator))
    return print(*wrong);
  const bool inside = has_allocation(parsed->front().command, around->environment);
  const auto code = inside ? plan_and_run(command.name, *parsed, *around, *connection, signals)
                           : run_with_allocation(*parsed, *around, *connection, signals, allocator);
  if (code) return *code;
  print_refusal(command, code.refusal(), {}, exit_refused);
  if (const int known = slurm_exit_code(code.refusal()); known != exit_refused) return known;
  return exit_code_for(around->environment, "SLURM_EXIT_ERROR");
}

}  // namespace cox
