// sacct: builds the request for jobs of the past and present, and shows them with the resources
// that they used. Pure.
#pragma once

#include <optional>

#include "client/command.h"
#include "client/slurm/records/record_options.h"

namespace cox {

Question ask_sacct(const SacctOptions& options);
Shown show_sacct(const Answer& answer, const SacctOptions& options, const Screen& screen);

// Returns output that needs no request: of --helpformat, of --usage, or an error in --format.
std::optional<Shown> show_record_help(const SacctOptions& options);

}  // namespace cox
