// What the words of sreport ask for: a report, a span of time, and what is counted in which unit.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/options.h"
#include "client/text/moment_format.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/messages/sacct_messages.h"

namespace cox {

enum class ReportKind : std::uint8_t {
  Utilization,
  AccountByUser,
  UserByAccount,
  TopUsage,
  SizesByAccount,
};

enum class ReportTres : std::uint8_t { Cpu, Memory, Node, Billing, Gpu };
std::string_view name(ReportTres tres);  // "gres/gpu"

// How amounts are shown.
struct ReportUnit {
  std::int64_t seconds = 60;  // 0: only the percentage
  bool percent = false;
  std::string text = "Minutes";  // "Minutes/Percentage of Total"
};

struct ReportRequest {
  ReportKind kind = ReportKind::Utilization;
  ReportUnit unit;
  std::vector<ReportTres> tres{ReportTres::Cpu};
  bool names_tres = false;  // -T was given: rows name theirs
  Wall start{};
  Wall end{};
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  std::vector<std::string> partitions;
  std::vector<std::string> nodes;
  std::vector<JobId> jobs;
  std::string format;  // empty: the report's own
  bool tree = false;
  bool group = false;  // TopUsage: the accounts of a user together
  std::size_t top_count = 10;
  bool flat = false;       // SizesByAccount: each account by itself
  bool as_parent = false;  // SizesByAccount: the accounts below those named
  bool counts_jobs = false;
  bool individual = false;  // a group for each size there is
  std::vector<std::int64_t> grouping{50, 250, 500, 1000};
};

// Parses the command line; times are in the caller's time zone. A refusal has sreport's wording.
Result<ReportRequest> report_request(const Options& options, const LocalTime& here);

ListAccounting ask_report(const ReportRequest& request);
std::string sreport_help();  // its reports, and what they take

}  // namespace cox
