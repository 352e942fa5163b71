#include "client/slurm/records/sacctmgr_columns.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "client/text/table.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/base/time_format.h"

namespace cox {
namespace accounting_column {
namespace {

using Row = AccountingRow;
using Count = std::optional<std::int64_t>;

std::string count_text(const Count& count) {
  return count ? std::to_string(*count) : "";
}
std::string wall_text(const Count& seconds) {
  if (!seconds) return "";
  return *seconds == 0 ? "00:00:00" : format_time_limit(*seconds);
}

// These return a limit of the row: that of its association or, in a row of a QOS, of the QOS. Empty
// if the limit is not set.
template <auto association, auto qos>
std::string tres_of(const Row& row) {
  if (row.qos != nullptr) return format_tres(row.qos->limits.*qos);
  return row.association == nullptr ? "" : format_tres(row.association->limits.*association);
}
template <auto association>
std::string account_tres_of(const Row& row) {
  return row.association == nullptr ? "" : format_tres(row.association->limits.*association);
}
template <auto association, auto qos>
std::string count_of(const Row& row) {
  if (row.qos != nullptr) return count_text(row.qos->limits.*qos);
  return row.association == nullptr ? "" : count_text(row.association->limits.*association);
}
template <auto association, auto qos>
std::string wall_of(const Row& row) {
  if (row.qos != nullptr) return wall_text(row.qos->limits.*qos);
  return row.association == nullptr ? "" : wall_text(row.association->limits.*association);
}
template <auto field>
std::string text_of(const Row& row) {
  return row.association == nullptr ? "" : row.association->*field;
}

using A = AssociationLimits;
using Q = QosLimits;

std::string shares_text(const Row& row) {
  if (row.association == nullptr) return "";
  return row.association->shares_of_parent ? "parent" : std::to_string(row.association->shares);
}
std::string account_text(const Row& row) {
  return row.association == nullptr ? "" : std::string(row.indent, ' ') + row.association->account;
}
std::string name_text(const Row& row) {
  if (row.resource != nullptr) return std::string(row.resource->name);
  return row.qos != nullptr ? row.qos->name : text_of<&Association::account>(row);
}
std::string id_text(const Row& row) {
  if (row.resource != nullptr) return std::to_string(row.resource->id);
  return row.association == nullptr ? "" : std::to_string(row.association->id.value);
}
std::string parent_id_text(const Row& row) {
  return row.association == nullptr ? "" : std::to_string(row.parent_id.value);
}
std::string no_text(const Row&) {
  return "";
}
std::string mode_text(const Row& row) {
  return row.qos == nullptr ? "" : std::string(name(row.qos->preempt_mode));
}
std::string exempt_text(const Row& row) {
  return row.qos == nullptr ? "" : wall_text(row.qos->preempt_exempt_time_s);
}

constexpr auto known = std::to_array<AccountingColumn>({
    {"Cluster", "Cluster", 10, [](const Row& r) { return r.cluster; }},
    {"Account", "Account", 10, account_text},
    {"User", "User", 10, text_of<&Association::user_name>},
    {"Partition", "Partition", 10, text_of<&Association::partition>},
    {"ParentName", "Par Name", 10, text_of<&Association::parent>},
    {"Share", "Share", 9, shares_text},
    {"Fairshare", "Share", 9, shares_text},
    {"DefaultAccount", "Def Acct", 10, [](const Row& r) { return r.default_account; }},
    {"Coordinators", "Coord Accounts", 20, [](const Row& r) { return r.coordinators; }},
    {"AdminLevel", "Admin", 9, [](const Row&) { return std::string("None"); }},
    {"Description", "Descr", 20, text_of<&Association::description>},
    {"Organization", "Org", 20, text_of<&Association::organization>},
    {"Name", "Name", 10, name_text},
    {"Type", "Type", 8,
     [](const Row& r) { return r.resource ? std::string(r.resource->type) : ""; }},
    {"Priority", "Priority", 10,
     [](const Row& r) { return r.qos == nullptr ? "" : std::to_string(r.qos->tier); }},
    {"GraceTime", "GraceTime", 10,
     [](const Row& r) { return r.qos == nullptr ? "" : wall_text(r.qos->grace_ms / 1000); }},
    {"PreemptMode", "PreemptMode", 11, mode_text},
    {"PreemptExemptTime", "PreemptExemptTime", 19, exempt_text},
    {"GrpJobs", "GrpJobs", 7, count_of<&A::grp_jobs, &Q::grp_jobs>},
    {"GrpTRES", "GrpTRES", 13, tres_of<&A::grp_tres, &Q::grp_tres>},
    {"Guarantee", "Guarantee", 13, account_tres_of<&A::guarantee>},
    {"Deserved", "Deserved", 13, account_tres_of<&A::deserved>},
    {"KeptTRES", "KeptTRES", 13,
     [](const Row& r) { return r.qos ? format_tres(r.qos->limits.kept_tres) : ""; }},
    {"GrpSubmit", "GrpSubmit", 9, count_of<&A::grp_submit_jobs, &Q::grp_submit_jobs>},
    {"GrpWall", "GrpWall", 11, wall_of<&A::grp_wall_s, &Q::grp_wall_s>},
    {"GrpTRESMins", "GrpTRESMins", 13, tres_of<&A::grp_tres_mins, &Q::grp_tres_mins>},
    {"MaxJobs", "MaxJobs", 7,
     [](const Row& r) { return r.association ? count_text(r.association->limits.max_jobs) : ""; }},
    {"MaxTRES", "MaxTRES", 13, tres_of<&A::max_tres_per_job, &Q::max_tres_per_job>},
    {"MaxSubmit", "MaxSubmit", 9,
     [](const Row& r) {
       return r.association ? count_text(r.association->limits.max_submit_jobs) : "";
     }},
    {"MaxWall", "MaxWall", 11, wall_of<&A::max_wall_s, &Q::max_wall_s>},
    {"MaxTRESMins", "MaxTRESMins", 13,
     [](const Row& r) {
       return r.association ? format_tres(r.association->limits.max_tres_mins_per_job) : "";
     }},
    {"MaxTRESPU", "MaxTRESPU", 13,
     [](const Row& r) { return r.qos ? format_tres(r.qos->limits.max_tres_per_user) : ""; }},
    {"MaxJobsPU", "MaxJobsPU", 9,
     [](const Row& r) { return r.qos ? count_text(r.qos->limits.max_jobs_per_user) : ""; }},
    {"MaxSubmitPU", "MaxSubmitPU", 11,
     [](const Row& r) { return r.qos ? count_text(r.qos->limits.max_submit_jobs_per_user) : ""; }},
    {"MinTRES", "MinTRES", 13,
     [](const Row& r) { return r.qos ? format_tres(r.qos->limits.min_tres_per_job) : ""; }},
    {"QOS", "QOS", 20,
     [](const Row& r) { return r.association ? joined(r.association->qos, ",") : ""; }},
    {"DefaultQOS", "Def QOS", 9, text_of<&Association::default_qos>},
    {"ID", "ID", 6, id_text},
    {"ParentID", "ParentID", 8, parent_id_text},
    {"UsageFactor", "UsageFactor", 11,
     [](const Row& r) { return std::string(r.qos == nullptr ? "" : "1.000000"); }},
    // Slurm's columns of what Coxswain does not have.
    {"GrpTRESRunMins", "GrpTRESRunMins", 13, no_text},
    {"MaxTRESRunMinsPerUser", "MaxTRESRunMinsPU", 15, no_text},
    {"MaxTRESPerNode", "MaxTRESPerNode", 14, no_text},
    {"MaxTRESPerAccount", "MaxTRESPA", 13, no_text},
    {"MaxJobsPerAccount", "MaxJobsPA", 9, no_text},
    {"MaxSubmitJobsPerAccount", "MaxSubmitPA", 11, no_text},
    {"UsageThreshold", "UsageThres", 10, no_text},
    {"LimitFactor", "LimitFactor", 11, no_text},
    {"Flags", "Flags", 20, no_text},
    {"Preempt", "Preempt", 10, no_text},
    {"QosRaw", "QOS_RAW", 10, no_text},
    {"ControlHost", "ControlHost", 15, no_text},
    {"ControlPort", "ControlPort", 12, no_text},
    {"RPC", "RPC", 5, no_text},
    {"TRES", "TRES", 20, no_text},
    {"Classification", "Class", 9, no_text},
    {"WCKeys", "WCKeys", 20, no_text},
    {"DefaultWCKey", "Def WCKey", 10, no_text},
    {"MaxCPUs", "MaxCPUs", 8, no_text},
    {"GrpCPUs", "GrpCPUs", 8, no_text},
    {"MaxNodes", "MaxNodes", 8, no_text},
    {"GrpNodes", "GrpNodes", 8, no_text},
    {"GrpCPUMins", "GrpCPUMins", 11, no_text},
    {"MaxCPUMins", "MaxCPUMins", 11, no_text},
    {"MaxCPUsPerUser", "MaxCPUsPU", 9, no_text},
    {"MaxNodesPerUser", "MaxNodesPU", 10, no_text},
    {"MinCPUs", "MinCPUs", 8, no_text},
    {"GrpMem", "GrpMem", 7, no_text},
    {"GrpCPURunMins", "GrpCPURunMins", 13, no_text},
});

// Other names of a column: those by which the limit is set, which Slurm accepts as columns, too.
struct OtherName {
  std::string_view name, column;
};
constexpr auto other_names =
    std::to_array<OtherName>({{"MaxTRESPerUser", "MaxTRESPU"},
                              {"MaxJobsPerUser", "MaxJobsPU"},
                              {"MaxSubmitJobsPerUser", "MaxSubmitPU"},
                              {"MaxSubmitJobsPU", "MaxSubmitPU"},
                              {"GrpSubmitJobs", "GrpSubmit"},
                              {"MaxSubmitJobs", "MaxSubmit"},
                              {"MaxWallDurationPerJob", "MaxWall"},
                              {"MaxTRESPerJob", "MaxTRES"},
                              {"MaxTRESPJ", "MaxTRES"},
                              {"MaxTRESMinsPerJob", "MaxTRESMins"},
                              {"MinTRESPerJob", "MinTRES"},
                              {"QOSLevel", "QOS"},
                              {"MaxTRESPA", "MaxTRESPerAccount"},
                              {"MaxJobsPA", "MaxJobsPerAccount"},
                              {"MaxSubmitPA", "MaxSubmitJobsPerAccount"},
                              {"MaxTRESPN", "MaxTRESPerNode"},
                              {"MaxTRESRunMinsPU", "MaxTRESRunMinsPerUser"},
                              {"MaxCPUsPU", "MaxCPUsPerUser"},
                              {"MaxNodesPU", "MaxNodesPerUser"}});

const AccountingColumn* column_named(std::string_view asked) {
  const auto is = [&](const AccountingColumn& c) {
    return lower_case(c.name) == lower_case(asked);
  };
  const auto begins = [&](const AccountingColumn& c) {
    return !asked.empty() && lower_case(c.name).starts_with(lower_case(asked));
  };
  for (const OtherName& other : other_names)
    if (lower_case(other.name) == lower_case(asked)) return column_named(other.column);
  auto found = std::ranges::find_if(known, is);
  if (found == known.end()) found = std::ranges::find_if(known, begins);
  return found == known.end() ? nullptr : &*found;
}

// Pads the text to `width` columns (negative: aligned to the left). Like Slurm, cuts a longer text
// and ends it with a '+'.
std::string padded(const std::string& text, int width) {
  const std::size_t wide = static_cast<std::size_t>(std::abs(width));
  const std::size_t is = display_width(text);
  if (is > wide) return cut_text(text, wide == 0 ? 0 : wide - 1) + "+";
  const std::string blanks(wide - is, ' ');
  return width < 0 ? text + blanks : blanks + text;
}

}  // namespace
}  // namespace accounting_column

Result<std::vector<AccountingColumn>> accounting_columns(std::string_view format) {
  std::vector<AccountingColumn> columns;
  for (const std::string_view part : split(format, ',')) {
    const std::size_t percent = part.find('%');
    const AccountingColumn* found = accounting_column::column_named(part.substr(0, percent));
    if (found == nullptr) {
      std::vector<std::string_view> names;
      for (const AccountingColumn& column : accounting_column::known) names.push_back(column.name);
      return Refusal{"Unknown field " + quoted(part), did_you_mean(part, names)};
    }
    columns.push_back(*found);
    if (percent == std::string_view::npos) continue;
    const std::string_view width = part.substr(percent + 1);
    const auto [end, error] =
        std::from_chars(width.data(), width.data() + width.size(), columns.back().width);
    if (error != std::errc{} || end != width.data() + width.size() ||
        std::abs(columns.back().width) > 4096)
      return Refusal{quoted(part) + " has an invalid width", "write it like account%30"};
  }
  return columns;
}

std::string accounting_table(const std::vector<AccountingColumn>& columns,
                             const AccountingRows& rows, AccountingLayout layout, bool heads) {
  const bool plain = layout == AccountingLayout::Columns;
  const auto line = [&](const auto& text_of_column) {
    std::string out;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string text = text_of_column(columns[i]);
      if (!plain && i > 0) out += "|";
      out += plain ? accounting_column::padded(text, columns[i].width) + " " : text;
    }
    return out + (layout == AccountingLayout::Parsable ? "|\n" : "\n");
  };
  std::string out;
  if (heads) out += line([](const AccountingColumn& c) { return std::string(c.head); });
  if (heads && plain)
    out += line([](const AccountingColumn& c) {
      return std::string(static_cast<std::size_t>(std::abs(c.width)), '-');
    });
  for (const AccountingRow& row : rows)
    out += line([&](const AccountingColumn& c) { return printable(c.text(row)); });
  return out;
}

}  // namespace cox
