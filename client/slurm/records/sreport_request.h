// Parses the command line of sreport: the report, the span of time, the TRES and the unit. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/command.h"
#include "client/text/moment_format.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/messages/sacct_messages.h"

namespace cox {

struct SreportOptions : Options {
  std::vector<std::string> words;
  std::string time_format;  // "Hours"
  std::string tres;
  bool no_header = false;
  bool parsable = false;   // columns|like|this|
  bool parsable2 = false;  // columns|like|this
  bool quiet = false;
};

extern const CommandLineOf<SreportOptions> sreport_line;

enum class ReportKind : std::uint8_t {
  Utilization,
  AccountByUser,
  UserByAccount,
  TopUsage,
  SizesByAccount,
};

enum class ReportTres : std::uint8_t { Cpu, Memory, Node, Billing, Gpu };
std::string_view name(ReportTres tres);  // "gres/gpu"

// -t: the unit in which amounts of TRES-seconds are shown.
struct ReportUnit {
  std::int64_t seconds = 60;  // seconds in the unit; 0: show only the percentage
  bool percent = false;
  std::string text = "Minutes";  // "Minutes/Percentage of Total"
};

struct ReportRequest {
  ReportKind kind = ReportKind::Utilization;
  ReportUnit unit;
  std::vector<ReportTres> tres{ReportTres::Cpu};
  bool names_tres = false;  // -T is given: rows have a column with their TRES
  Wall start{};
  Wall end{};
  std::vector<std::string> clusters;
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  std::vector<std::string> partitions;
  std::vector<std::string> nodes;
  std::vector<JobId> jobs;
  std::string format;  // empty: the default columns of the report
  bool tree = false;
  bool group = false;  // group, of TopUsage: one row for all accounts of a user
  std::size_t top_count = 10;
  bool flat = false;       // FlatView, of SizesByAccount: each account without its child accounts
  bool as_parent = false;  // AcctAsParent: a row for each child account of the accounts
  bool counts_jobs = false;
  bool individual = false;  // grouping=individual: a group for each job size
  std::vector<std::int64_t> grouping{50, 250, 500, 1000};
};

// Parses the command line; times are in the caller's time zone. A refusal has the words of Slurm's
// sreport.
Result<ReportRequest> report_request(const SreportOptions& options, const LocalTime& here);

ListAccounting ask_report(const ReportRequest& request);

}  // namespace cox
