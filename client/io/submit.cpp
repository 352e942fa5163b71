#include "client/submit/submit.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "client/io/private/files.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/io/step/task_jobs.h"
#include "client/show/json.h"
#include "client/show/show_tested.h"
#include "client/slurm/list/squeue_request.h"
#include "client/slurm/text/refused_words.h"
#include "client/text/moments.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/io/clock.h"
#include "common/io/own_soft_limits.h"

namespace cox {
namespace {

constexpr const char* unreachable =
    "Batch job submission failed: Unable to contact slurm controller (connect failure)";

Result<std::string> read_bounded(std::istream& in, const std::string& name) {
  std::string text;
  std::array<char, 64 << 10> piece;
  while (in.good() && text.size() <= limits::script_bytes_max) {
    in.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > limits::script_bytes_max)
    return Refusal{name + " is larger than " + std::to_string(limits::script_bytes_max) +
                       " bytes, the limit for a script",
                   "keep data in files of their own and let the script read them"};
  return text;
}

// Refuses a script that cannot be opened. If it does not exist, suggests the file of the same
// folder with the most similar name.
Refusal refuse_unopened(const SubmitCommand& command, int error) {
  const std::string& path = command.script_path;
  const std::filesystem::path asked(path);
  const std::filesystem::path folder = asked.has_parent_path() ? asked.parent_path() : ".";
  std::vector<std::string> names;
  std::error_code failure;
  for (std::filesystem::directory_iterator file(folder, failure), end;
       !failure && file != end && names.size() < limits::page_rows_max; file.increment(failure))
    names.push_back(file->path().filename().string());
  std::ranges::sort(names);
  const std::string meant =
      error == ENOENT ? did_you_mean(asked.filename().string(), {names.begin(), names.end()}) : "";
  const std::string run = command.as_sbatch ? "sbatch --wrap='COMMAND'" : "cox submit -- ./program";
  return {"Unable to open file " + printable(path) + ": " + std::strerror(error),
          meant.empty() ? "name a script that can be read, or give a command: " + run
                        : printable(meant)};
}

Result<std::optional<std::string>> read_script(const SubmitCommand& command) {
  if (command.source == SubmitSource::ScriptStdin) {
    auto text = read_bounded(std::cin, "the script on standard input");
    if (!text) return text.refusal();
    return std::optional(std::move(text).value());
  }
  if (command.source != SubmitSource::ScriptFile) return std::optional<std::string>{};
  struct stat about {};
  if (::stat(command.script_path.c_str(), &about) == 0 && S_ISDIR(about.st_mode))
    return Refusal{"Unable to open file " + printable(command.script_path) + ": it is a folder",
                   "name the script's file"};
  std::ifstream file(command.script_path, std::ios::binary);
  if (!file) return refuse_unopened(command, errno);
  auto text = read_bounded(file, command.script_path);
  if (!text) return text.refusal();
  return std::optional(std::move(text).value());
}

Result<SubmitPlan> make_plan(const SubmitCommand& command) {
  auto script = read_script(command);
  if (!script) return script.refusal();
  auto around = submit_surroundings();
  if (!around) return around.refusal();
  auto plan = build_submit(command, *script, *around);
  if (!plan) return plan;
  plan->repeats = !plan->request.request_id.empty();
  if (!plan->repeats) plan->request.request_id = random_hex(16);
  return plan;
}

// Shows the id of the submitted job. `cluster` is the name given to sbatch --clusters, or empty.
Shown show_submitted(const Command& command, const Answer& answer, const SubmitPlan& plan,
                     const std::string& cluster) {
  const auto* submitted = std::get_if<Submitted>(&answer);
  if (submitted == nullptr)
    return {"", "cox: the controller sent an unexpected reply\n", exit_refused};
  const std::string id = std::to_string(submitted->id.value);
  Shown shown{"", "", exit_ok};
  if (plan.json)
    shown.out = json_text(answer);
  else if (plan.parsable)
    shown.out = id + (cluster.empty() ? "" : ";" + cluster) + "\n";
  if (plan.quiet) return shown;
  if (shown.out.empty()) {
    shown.out = (command.slurm ? "Submitted batch job " : "Submitted job ") + id;
    shown.out += (cluster.empty() ? "" : " on cluster " + printable(cluster)) + "\n";
  }
  const std::string name = command.slurm ? "sbatch: " : "cox: ";
  if (submitted->again && plan.repeats)
    shown.err = name + "job " + id + " was submitted before with this request id; no new job was " +
                "submitted\n";
  for (const std::string_view line : split(submitted->note, '\n'))
    if (!line.empty())
      shown.err += name + localised_text(std::string(line), screen_now(STDERR_FILENO)) + "\n";
  return shown;
}

// Prints the answer to a submission. If it cannot be written, prints the job's id to stderr, and
// the exit code stays 0: a script that submits again after a failure would run the job twice.
int print_submitted(const Command& command, const Shown& shown, JobId id) {
  if (print(shown) == shown.exit_code) return shown.exit_code;
  const std::string name = command.slurm ? "sbatch" : "cox";
  const std::string job = "job " + std::to_string(id.value);
  return print(
      {"", name + ": " + job + " is submitted, but its answer could not be written\n", exit_ok});
}

Shown show_tested_answer(const Command& command, const Answer& answer, const SubmitPlan& plan) {
  const auto* tested = std::get_if<JobTested>(&answer);
  if (tested == nullptr)
    return {"", "cox: the controller sent an unexpected reply\n", exit_refused};
  const int exit_code = tested->refused ? exit_refused : exit_ok;
  if (plan.json) return {json_text(answer), "", exit_code};
  const Screen screen = screen_now(STDOUT_FILENO);
  if (command.rules_only) return {show_submit_rules(*tested, screen), "", exit_code};
  if (command.slurm) return {"", show_tested_as_slurm(*tested, screen), exit_ok};
  return {show_tested(*tested, screen), "", exit_ok};
}

// Shows the warnings as sbatch does. With --quiet only refusals are shown.
Shown show_warnings(const Command& command, const SubmitPlan& plan) {
  Shown shown;
  if (plan.quiet) return shown;
  for (const std::string& warning : plan.warnings)
    shown.err += std::string(command.slurm ? "sbatch" : "cox") + ": warning: " + warning + "\n";
  return shown;
}

Question question_of(const Command& command, const SubmitPlan& plan) {
  if (!plan.test) return plan.request;
  return TestJob{plan.request.spec, plan.request.script, plan.request.environment,
                 command.rules_only};
}

int refuse_job(const Command& command, const Refusal& why, const SubmitPlan& plan,
               const Options& shown_as) {
  if (!command.slurm) return print_refusal(command, why, shown_as, exit_refused);
  const std::string first = slurm_prelude(why);
  if (!first.empty()) print(slurm_error(command.name, first));
  if (!plan.test)
    return print_refusal(command, refused_job("Batch job submission failed", why), shown_as,
                         exit_refused);
  const Refusal refused = refused_job("allocation failure", why);  // without "sbatch:", as in Slurm
  return print({"",
                printable(refused.fact) + "\n" +
                    (refused.hint.empty()
                         ? ""
                         : std::string(command.name) + ": " + printable(refused.hint) + "\n"),
                exit_refused});
}

// Checks sbatch --clusters. Returns the cluster's name if the option was given, else an empty
// string; returns the error if it names another cluster.
std::variant<std::string, Shown> resolve_cluster(Asker& controller, const Command& command,
                                                 const SubmitPlan& plan) {
  if (plan.clusters.empty()) return "";
  const std::string_view program = command.slurm ? command.name : "cox";
  auto answer = controller.ask(ShowCluster{});
  const auto* view = answer ? std::get_if<ClusterView>(&*answer) : nullptr;
  if (view == nullptr) return slurm_error(program, "the controller does not answer");
  if (auto wrong = refuse_other_clusters(program, plan.clusters, view->name)) return *wrong;
  return view->name;
}

// Fills in the job id of the task that --resume-from names. Refuses a whole array.
std::optional<NoJobOfTask> resolve_resume_task(Asker& controller, SubmitPlan& plan) {
  JobId& job = plan.request.spec.resume_from.job;
  if (job == JobId{}) return std::nullopt;
  if (plan.resume_task < 0) return refuse_whole_array(controller, job);
  const auto found = job_of_task(controller, job, plan.resume_task);
  if (const auto* none = std::get_if<NoJobOfTask>(&found)) return *none;
  job = std::get<JobId>(found);
  return std::nullopt;
}

}  // namespace

Result<SubmitSurroundings> submit_surroundings() {
  SubmitSurroundings around;
  for (char** each = environ; *each != nullptr; ++each) around.environment.emplace_back(*each);
  std::array<char, limits::path_bytes_max> dir{};
  if (::getcwd(dir.data(), dir.size()) == nullptr)
    return Refusal{std::string("cannot determine the current folder: ") + std::strerror(errno),
                   "go to a folder that exists"};
  around.work_dir = dir.data();
  // Tools that change the folder before they run this program may leave a wrong PWD.
  // SLURM_SUBMIT_DIR follows from PWD.
  std::erase_if(around.environment, [](const auto& one) { return one.starts_with("PWD="); });
  around.environment.push_back("PWD=" + around.work_dir);
  const Screen screen = screen_now(STDOUT_FILENO);
  around.here = {screen.now, screen.zone};
  if (const passwd* entry = ::getpwuid(::geteuid()); entry != nullptr)
    around.login = {std::string("HOME=") + entry->pw_dir, std::string("LOGNAME=") + entry->pw_name,
                    std::string("SHELL=") + entry->pw_shell, std::string("USER=") + entry->pw_name};
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) around.submit_host = host.data();
  around.soft_limits = own_soft_limits();
  around.read_file = read_named_file;
  return around;
}

int run_submit(const Command& command, const std::vector<std::string>& all_words) {
  Options shown_as;  // for refusals
  std::vector<std::string> words = all_words;
  if (!command.slurm) take_leading_options(words, shown_as);
  auto parsed = parse_submit(words, command.slurm);
  if (!parsed) return refuse_words(command, parsed.refusal(), shown_as);
  if (parsed->options.help) return print({submit_help(command.slurm), "", exit_ok});
  if (parsed->options.version) return print({version_text(command), "", exit_ok});
  shown_as.json |= parsed->options.json;
  auto plan = make_plan(*parsed);
  if (!plan) return refuse_words(command, plan.refusal(), shown_as, exit_refused);
  plan->json |= shown_as.json;
  plan->test |= command.rules_only;
  print({"", plan->options_in_effect, exit_ok});
  print(show_warnings(command, *plan));
  auto session = open_session(shown_as.config);
  if (!session) return print_refusal(command, session.refusal(), shown_as, exit_refused);
  const auto cluster = resolve_cluster(*session->controller, command, *plan);
  if (const auto* wrong = std::get_if<Shown>(&cluster)) return print(*wrong);
  if (const auto none = resolve_resume_task(*session->controller, *plan))
    return command.slurm ? refuse_job(command, none->why, *plan, shown_as)
                         : print_refusal(command, none->why, shown_as, none->exit_code);
  auto answer = session->controller->ask(question_of(command, *plan));
  if (!answer) {
    if (command.slurm) print(slurm_error(command.name, unreachable));
    return print_refusal(command, answer.refusal(), shown_as, exit_unreachable);
  }
  if (const auto* refused = std::get_if<Refused>(&*answer))
    return refuse_job(command, refused->why, *plan, shown_as);
  if (plan->test) return print(show_tested_answer(command, *answer, *plan));
  const Shown shown = show_submitted(command, *answer, *plan, std::get<std::string>(cluster));
  const auto* submitted = std::get_if<Submitted>(&*answer);
  if (submitted == nullptr) return print(shown);
  const int code = print_submitted(command, shown, submitted->id);
  if (!plan->wait) return code;
  JobsOptions job;
  job.ids = {submitted->id};
  return follow_to_end(command, *session, job, !command.slurm && !plan->quiet);
}

}  // namespace cox
