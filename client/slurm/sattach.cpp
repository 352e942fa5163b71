#include "client/slurm/sattach.h"

#include <array>
#include <limits>

#include "client/slurm/text/refused_words.h"
#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

struct AttachWords {
  AttachOptions asked;
  std::string input, output, error;  // filters
};

// clang-format off
constexpr OptionRow<AttachWords> sattach_table[] = {
  {"error-filter", 0, Takes::Value, "TASK", "only errors of this task", "",
   into<&AttachWords::error>},
  {"help", 'h', Takes::Nothing, "", "this text"},
  {"input-filter", 0, Takes::Value, "TASK", "send input to this task only", "",
   into<&AttachWords::input>},
  {"label", 'l', Takes::Nothing, "", "the task's number before each line", "",
   into<&AttachWords::asked, &AttachOptions::label>},
  {"layout", 0, Takes::Nothing, "", "print the node of each task, and exit", "",
   into<&AttachWords::asked, &AttachOptions::layout>},
  {"output-filter", 0, Takes::Value, "TASK", "only output and errors of this task", "",
   into<&AttachWords::output>},
  {"pty", 0, Takes::Nothing, "", "connect to the terminal of srun --pty", "",
   into<&AttachWords::asked, &AttachOptions::pty>},
  {"quiet", 'Q', Takes::Nothing, "", "print only errors", "",
   into<&AttachWords::asked, &AttachOptions::quiet>},
  {"usage", 'u', Takes::Nothing, "", "a short usage message"},
  {"verbose", 'v', Takes::Nothing, "", "print more details", "",
   into<&AttachWords::asked, &AttachOptions::verbose>},
  {"version", 'V', Takes::Nothing, "", "the version"},
};
// clang-format on

constexpr const char* sattach_operands = "JOB.STEP";
constexpr const char* sattach_usage = "Usage: sattach [OPTIONS] JOB.STEP\n";
constexpr const char* how_to_write_sattach = "write: sattach [OPTIONS] JOB.STEP";

// Parses the value of --input-filter and the like: the rank of a task. An empty text and "-" mean
// all tasks and leave `into` unchanged.
Failure set_filter(const std::string& text, const char* name, std::int32_t& into) {
  if (text.empty() || text == "-") return std::nullopt;
  const auto rank = parse_count(text, 0, limits::tasks_per_job_max - 1);
  if (!rank) return Refusal{"Invalid numeric value " + quoted(text) + " for " + name + ".", ""};
  into = static_cast<std::int32_t>(*rank);
  return std::nullopt;
}

Failure set_step(const std::string& text, AttachOptions& asked) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string::npos)
    return Refusal{"Did not find a period in the step ID string", how_to_write_sattach};
  const auto job = parse_job_ref(text.substr(0, dot));
  if (!job) return job.refusal();
  asked.job = *job;
  const std::string step = text.substr(dot + 1);
  if (step == "batch" || step == "interactive" || step == "extern")
    return Refusal{"a batch script writes to its output file; sattach cannot attach to it",
                   "`cox logs -f " + text.substr(0, dot) + "` follows it"};
  const auto number = parse_count(step, 0, std::numeric_limits<std::int32_t>::max());
  if (!number) return Refusal{quoted(step) + " does not look like a stepid", ""};
  asked.step = static_cast<std::int32_t>(*number);
  return std::nullopt;
}

}  // namespace

Result<ReadAttach> parse_attach(const std::vector<std::string>& words) {
  AttachWords filters;
  const auto read = read_option_words<AttachWords>({"sattach", sattach_usage, sattach_operands},
                                                   sattach_table, words, filters);
  if (const auto* shown = std::get_if<Shown>(&read)) return ReadAttach(*shown);
  const auto& operands = std::get<std::vector<std::string>>(read);
  AttachOptions& asked = filters.asked;
  if (operands.size() > 1) return Refusal{"too many parameters", how_to_write_sattach};
  if (asked.quiet && asked.verbose > 0)
    return Refusal{"don't specify both --verbose (-v) and --quiet (-Q)", ""};
  if (asked.pty && !(filters.input + filters.output + filters.error).empty())
    return Refusal{"don't specify both --pty and I/O filtering", ""};
  const std::string step = operands.empty() ? "" : operands[0];
  if (Failure failure = set_step(step, asked)) return *std::move(failure);
  if (Failure failure = set_filter(filters.input, "input-filter", asked.input)) return *failure;
  if (Failure failure = set_filter(filters.output, "output-filter", asked.output)) return *failure;
  asked.error = asked.output;  // --error-filter overrides this
  if (Failure failure = set_filter(filters.error, "error-filter", asked.error)) return *failure;
  return ReadAttach(std::move(asked));
}

std::vector<OptionForm> attach_options() {
  return forms_of<AttachWords>(sattach_table);
}

Result<StepSession::Settings> attach_settings(const AttachOptions& asked, const StepView& step) {
  const std::string id =
      std::to_string(step.step.key.attempt.job.value) + "." + std::to_string(step.step.key.number);
  if (step.step.state == JobState::Pending)
    return Refusal{"step " + id + " has not started: it waits for room in its allocation",
                   "wait until 'squeue -s' shows it"};
  if (is_final(step.step.state)) return Refusal{job_has_ended, ""};
  for (const std::int32_t rank : {asked.input, asked.output, asked.error})
    if (rank >= step.step.tasks)
      return Refusal{"step " + id + " has no task " + std::to_string(rank) + "; they are 0 to " +
                         std::to_string(step.step.tasks - 1),
                     ""};
  StepSession::Settings settings;
  settings.attached = step;
  settings.program = "sattach";
  settings.plan.create.job = step.step.key.attempt.job;
  StepSpec& spec = settings.plan.create.spec;
  spec.name = "sattach";
  for (const StepNode& node : step.step.nodes) spec.nodelist.push_back(node.node);
  spec.nodes_min = spec.nodes_max = spec.tasks = std::ssize(spec.nodelist);
  spec.overlap = spec.overcommit = spec.exact = spec.immediate = true;
  spec.gpus_per_node = 0;
  spec.component = step.step.spec.component;
  StepOptions& options = settings.plan.asked.step;
  options.label = asked.label;
  options.pty = asked.pty;
  settings.plan.asked.verbose = asked.verbose;
  settings.plan.asked.quiet = asked.quiet;
  settings.plan.words = {"sattach"};
  settings.plan.work_dir = "/";
  settings.routes.emplace();
  settings.routes->input.only_rank = asked.input;
  settings.routes->output.only_rank = asked.output;
  settings.routes->error.only_rank = asked.error;
  return settings;
}

std::string layout_text(const StepView& view) {
  const Step& step = view.step;
  std::vector<std::string> names;
  for (const StepNode& node : step.nodes) names.push_back(node.node);
  std::string text = "Job step layout:\n\t" + std::to_string(step.tasks) + " tasks, " +
                     std::to_string(names.size()) + " nodes (" + compress_hostlist(names) + ")\n\n";
  const auto ranks = ranks_on_nodes(step.nodes, step.spec);
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += "\tNode " + std::to_string(i) + " (" + names[i] + "), " +
            std::to_string(ranks[i].size()) + " task(s): ";
    for (const std::int32_t rank : ranks[i]) text += std::to_string(rank) + " ";
    text += "\n";
  }
  return text;
}

}  // namespace cox
