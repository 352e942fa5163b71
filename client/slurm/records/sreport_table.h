// The columns of sreport and how its tables are printed, as Slurm prints them. Pure.
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
  int width = 10;  // negative: text stands to the left
};

using ReportRow = std::map<std::string, std::string>;  // texts by the names of columns

// "Login,Used%12"; a Refusal names the field that is unknown.
Result<std::vector<ReportColumn>> report_columns(const std::string& format,
                                                 const ReportRequest& request);

std::string report_table(const std::vector<ReportColumn>& columns,
                         const std::vector<ReportRow>& rows, AccountingLayout layout, bool heads);

// `seconds` of one of it, in the unit that is asked for; `of`: what is a hundred per cent.
std::string amount_text(double seconds, double of, const ReportUnit& unit);

}  // namespace cox
