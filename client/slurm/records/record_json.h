// sacct --json, in the shape of Slurm's data_parser/v0.0.40, with the values that Coxswain has.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "client/slurm/records/record_rows.h"

namespace cox {

// Returns the JSON document of the rows. REQUIRES: the rows are those of the page, and the row of a
// job is followed by those of its steps.
std::string records_json(const AccountingPage& page, const std::vector<RecordRow>& rows,
                         const SacctOptions& options);

}  // namespace cox
