// The option tables of `cox submit` and `sbatch`, and of `srun`: how each option is written, what
// it sets, and its help text. They also list Slurm's options that Coxswain does not support, each
// with advice for the refusal. Pure; used by client/options/given_options, client/step/step_plan
// and the manual.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/options/option_row.h"
#include "client/options/submit_options.h"

namespace cox {

// A row of these tables. An option without a setter is stored with the job as text
// (JobSpec::stored_options).
using SubmitOption = OptionRow<SubmitOptions>;

// First steps of the paths in rows: from SubmitOptions to the struct whose member an option sets.
inline constexpr auto in_job = &SubmitOptions::spec;
inline constexpr auto in_step = &SubmitOptions::step;
inline constexpr auto in_step_spec = &StepOptions::spec;
inline constexpr auto in_allocation = &SubmitOptions::allocation;

// An option of Slurm that Coxswain does not support and refuses.
struct UnsupportedOption {
  std::string_view name;
  char letter = 0;
  std::string_view variable;
  std::string_view instead;  // the hint of the refusal: what the user can do instead
};

struct OptionTable {
  std::vector<SubmitOption> options;
  std::span<const UnsupportedOption> unsupported;
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

// Returns a warning for each option in `asked` that has no effect.
std::vector<std::string> ignored_option_warnings(const SubmitOptions& asked);

std::span<const UnsupportedOption> unsupported_option_table();
std::span<const UnsupportedOption> unsupported_allocation_option_table();  // for salloc
std::span<const UnsupportedOption> unsupported_step_option_table();

}  // namespace cox
