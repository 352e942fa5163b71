// The columns of squeue's lists of steps; job_fields.h has those of jobs. Pure.
#pragma once

#include <span>

#include "client/slurm/list/squeue_rows.h"
#include "client/slurm/text/field_format.h"

namespace cox {

std::span<const Field<StepRow>> step_fields();

}  // namespace cox
