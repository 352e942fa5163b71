#include "client/slurm/sattach.h"

#include <CLI/CLI.hpp>
#include <limits>

#include "common/count_format.h"
#include "common/hostlist.h"
#include "common/limits.h"
#include "common/text.h"

namespace cox {
namespace {

struct Words {
  std::string step, input, output, error;
};

void declare(CLI::App& app, AttachOptions& asked, Words& words) {
  app.add_option("--input-filter", words.input, "input goes to this task alone");
  app.add_option("--output-filter", words.output, "this task's output alone, and its errors");
  app.add_option("--error-filter", words.error, "this task's errors alone");
  app.add_flag("-l,--label", asked.label, "the task's number before each line");
  app.add_flag("--layout", asked.layout, "tell which tasks are where, and do no more");
  app.add_flag("--pty", asked.pty, "this terminal is the one of srun --pty");
  app.add_flag("-Q,--quiet", asked.quiet, "nothing but errors");
  app.add_flag("-v,--verbose", asked.verbose, "say more of what happens");
  app.add_option("STEP", words.step, "the step: JOB.STEP");
}

// "-" is all of them.
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
    return Refusal{"Did not find a period in the step ID string",
                   "write: sattach [OPTION]... JOB.STEP"};
  const auto job = parse_job_ref(text.substr(0, dot));
  if (!job) return job.refusal();
  asked.job = *job;
  const std::string step = text.substr(dot + 1);
  if (step == "batch" || step == "interactive" || step == "extern")
    return Refusal{"what a batch script writes goes to its file, and nobody can attach to it",
                   "`cox logs -f " + text.substr(0, dot) + "` follows it"};
  const auto number = parse_count(step, 0, std::numeric_limits<std::int32_t>::max());
  if (!number) return Refusal{quoted(step) + " does not look like a stepid", ""};
  asked.step = static_cast<std::int32_t>(*number);
  return std::nullopt;
}

}  // namespace

Result<AttachOptions> parse_attach(const std::vector<std::string>& words) {
  AttachOptions asked;
  const std::string first = words.empty() ? "" : words[0];
  asked.help = first == "-h" || first == "--help" || first == "-u" || first == "--usage";
  if (asked.help) return asked;
  CLI::App app;
  Words given;
  declare(app, asked, given);
  app.set_help_flag();
  app.add_flag("-V,--version", asked.version);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& wrong) {
    return Refusal{wrong.what(), "sattach --help shows all options"};
  }
  if (asked.version) return asked;
  if (asked.quiet && asked.verbose > 0)
    return Refusal{"don't specify both --verbose (-v) and --quiet (-Q)", ""};
  if (asked.pty && !(given.input + given.output + given.error).empty())
    return Refusal{"don't specify both --pty and I/O filtering", ""};
  if (Failure failure = set_step(given.step, asked)) return *std::move(failure);
  if (Failure failure = set_filter(given.input, "input-filter", asked.input)) return *failure;
  if (Failure failure = set_filter(given.output, "output-filter", asked.output)) return *failure;
  asked.error = asked.output;  // unless it is said too
  if (Failure failure = set_filter(given.error, "error-filter", asked.error)) return *failure;
  return asked;
}

Result<StepSession::Settings> attach_settings(const AttachOptions& asked, const StepView& step) {
  const std::string id =
      std::to_string(step.step.key.attempt.job.value) + "." + std::to_string(step.step.key.number);
  if (step.step.state == JobState::Pending)
    return Refusal{"step " + id + " has not begun: it waits for room in its allocation", ""};
  if (is_final(step.step.state)) return Refusal{"Job/step already completing or completed", ""};
  for (const std::int32_t rank : {asked.input, asked.output, asked.error})
    if (rank >= step.step.tasks)
      return Refusal{"step " + id + " has no task " + std::to_string(rank) + "; they are 0 to " +
                         std::to_string(step.step.tasks - 1),
                     ""};
  StepSession::Settings settings;
  settings.attached = step;
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
  options.verbose = asked.verbose;
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

std::string attach_help() {
  AttachOptions asked;
  Words words;
  CLI::App app("Shows what the tasks of a running step write from now on, and sends them input.",
               "sattach");
  declare(app, asked, words);
  return app.help();
}

}  // namespace cox
