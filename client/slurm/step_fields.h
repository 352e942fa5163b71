// The columns of squeue's lists of steps, as job_fields.h has those of jobs. Pure.
#pragma once

#include <span>

#include "client/slurm/field_format.h"
#include "client/slurm/squeue_rows.h"

namespace cox {

std::span<const Field<StepRow>> step_fields();

}  // namespace cox
