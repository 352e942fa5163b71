// The two tables of options, of `cox submit` and `sbatch`, and of `srun`: how each is written, what
// it sets, and what --help says of it. Slurm's options that this version does not have stand here
// too, with what to do instead, so that they are refused clearly. Pure; for
// client/options/given_options, client/step/step_plan and the manual.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/options/getopt.h"
#include "client/options/submit_options.h"

namespace cox {

struct SubmitOption {
  std::string_view name;  // the long one, without "--"
  char letter = 0;        // 0: none
  Takes takes = Takes::Nothing;
  std::string_view variable;    // SBATCH_..., of srun SLURM_...; of several the first one set
  std::string_view value_name;  // "NUMBER", for --help
  std::string_view help;        // empty: another spelling of the option above it, or alike it
  bool command_line_only = false;
  // Judges the value and sets what it asks. The refusal speaks of the value; who calls puts the
  // option's name before it. Null: it is stored with the job as it is.
  Failure (*set)(SubmitOptions& asked, std::string_view value) = nullptr;
};

// An option of Slurm's that belongs to a later version.
struct LaterOption {
  std::string_view name;
  char letter = 0;
  std::string_view variable;
  std::string_view instead;  // the next step
};

struct OptionTable {
  std::vector<SubmitOption> options;
  std::span<const LaterOption> later;
};
const OptionTable& submit_options();
const OptionTable& step_options();

// submit_options() joins the five groups of job options: how the job runs, its resources, its
// container, options that are only stored, and options without effect. step_options() joins the
// four groups of srun's options: resources and placement of tasks, what srun sends along with the
// tasks, their container, and options without effect.
std::span<const SubmitOption> submit_option_table();
std::span<const SubmitOption> resource_option_table();
std::span<const SubmitOption> stored_option_table();
std::span<const SubmitOption> ignored_option_table();
std::span<const SubmitOption> step_option_table();
std::span<const SubmitOption> step_company_option_table();
std::span<const SubmitOption> ignored_step_option_table();
std::span<const SubmitOption> container_option_table();
std::span<const SubmitOption> container_step_option_table();

// The `set` of an option that has no effect.
Failure ignore_option(SubmitOptions& asked, std::string_view value);
// One for each option without an effect that was given.
std::vector<std::string> ignored_option_warnings(const SubmitOptions& asked);

std::span<const LaterOption> later_option_table();
std::span<const LaterOption> later_allocation_option_table();  // of salloc
std::span<const LaterOption> later_step_option_table();

}  // namespace cox
