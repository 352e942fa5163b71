// The columns of sreport, and its tables in Slurm's format. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "client/slurm/records/sacctmgr_columns.h"
#include "client/slurm/records/sreport_request.h"

namespace cox {

struct ReportColumn {
  std::string name;  // "Used"
  std::string head;
  int width = 10;  // negative: aligned to the left
};

using ReportRow = std::map<std::string, std::string>;  // by name of the column: its text

// Parses a format such as "Login,Used%12". The refusal names the unknown field.
Result<std::vector<ReportColumn>> report_columns(const std::string& format,
                                                 const ReportRequest& request);

std::string report_table(const std::vector<ReportColumn>& columns,
                         const std::vector<ReportRow>& rows, AccountingLayout layout, bool heads);

// Formats an amount of TRES-seconds in the unit, with a percentage if the unit has one. `of`: the
// TRES-seconds that are 100 %.
std::string amount_text(double seconds, double of, const ReportUnit& unit);

}  // namespace cox
