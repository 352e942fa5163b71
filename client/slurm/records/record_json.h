// sacct --json: in the shape of Slurm's data_parser/v0.0.40, as far as we have what it tells.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "client/slurm/records/record_rows.h"

namespace cox {

// The rows are those of the page; a job's others follow it.
std::string records_json(const AccountingPage& page, const std::vector<RecordRow>& rows,
                         const RecordOptions& options);

}  // namespace cox
