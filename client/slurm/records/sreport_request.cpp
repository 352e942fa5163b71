#include "client/slurm/records/sreport_request.h"

#include <algorithm>
#include <array>

#include "client/slurm/text/command_rows.h"
#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Returns whether the word is a beginning of the name with at least `least` letters.
bool begins(std::string_view name, std::string_view word, std::size_t least = 1) {
  return word.size() >= std::min(least, name.size()) &&
         lower_case(name).starts_with(lower_case(word));
}

struct Report {
  std::string_view type;
  std::string_view name;
  ReportKind kind;
};

constexpr auto reports = std::to_array<Report>({
    {"cluster", "AccountUtilizationByUser", ReportKind::AccountByUser},
    {"cluster", "UserUtilizationByAccount", ReportKind::UserByAccount},
    {"cluster", "Utilization", ReportKind::Utilization},
    {"job", "SizesByAccount", ReportKind::SizesByAccount},
    {"user", "TopUsage", ReportKind::TopUsage},
});

Refusal no_report(const std::string& type, const std::string& word) {
  std::string names;
  for (const Report& one : reports)
    if (one.type == type) names += (names.empty() ? "\"" : ", \"") + std::string(one.name) + "\"";
  return {"Not valid report " + printable(word), "Valid " + type + " reports are, " + names};
}

Result<ReportKind> kind_of(const std::vector<std::string>& words) {
  const std::string type = words.empty() ? "" : words[0];
  const auto of_type = std::ranges::find_if(
      reports, [&](const Report& one) { return !type.empty() && begins(one.type, type); });
  if (of_type == reports.end()) {
    if (begins("reservation", type, 2) || type.empty())
      return Refusal{type.empty() ? "no report is named" : "reservation reports are not supported",
                     "valid types of reports are cluster, job and user"};
    return Refusal{"invalid keyword: " + printable(type),
                   "valid types of reports are cluster, job and user"};
  }
  const std::string name = words.size() > 1 ? words[1] : "";
  for (const Report& one : reports)
    if (one.type == of_type->type && !name.empty() && begins(one.name, name)) return one.kind;
  return no_report(std::string(of_type->type), name);
}

struct Unit {
  std::string_view name;
  std::size_t least;
  ReportUnit unit;
};

Result<ReportUnit> unit_of(const std::string& text) {
  const auto units = std::to_array<Unit>({
      {"SecPer", 6, {1, true, "Seconds/Percentage of Total"}},
      {"MinPer", 6, {60, true, "Minutes/Percentage of Total"}},
      {"HourPer", 6, {3600, true, "Hours/Percentage of Total"}},
      {"Seconds", 1, {1, false, "Seconds"}},
      {"Minutes", 1, {60, false, "Minutes"}},
      {"Hours", 1, {3600, false, "Hours"}},
      {"Percent", 1, {0, true, "Percentage of Total"}},
  });
  if (text.empty()) return ReportUnit{};
  for (const Unit& one : units)
    if (begins(one.name, text, one.least)) return one.unit;
  return Refusal{"unknown time format " + printable(text),
                 "valid are Seconds, Minutes, Hours, Percent, SecPer, MinPer and HourPer"};
}

constexpr auto all_tres = std::to_array(
    {ReportTres::Cpu, ReportTres::Memory, ReportTres::Node, ReportTres::Billing, ReportTres::Gpu});

Failure take_tres(const std::string& text, ReportRequest& request) {
  if (text.empty()) return std::nullopt;
  request.names_tres = true;
  request.tres.clear();
  for (const std::string_view word : split(text, ',')) {
    if (lower_case(word) == "all") {
      request.tres.assign(all_tres.begin(), all_tres.end());
      continue;
    }
    const auto found = std::ranges::find_if(
        all_tres, [&](ReportTres one) { return name(one) == lower_case(word); });
    if (found == all_tres.end())
      return Refusal{"No valid TRES given: " + printable(word),
                     "valid are cpu, mem, node, billing, gres/gpu and ALL"};
    request.tres.push_back(*found);
  }
  return std::nullopt;
}

std::vector<std::string> names_in(const std::string& value, bool lower = false) {
  const std::string list = lower ? lower_case(value) : value;
  std::vector<std::string> names;
  for (const std::string_view one : split(list, ','))
    if (!one.empty()) names.emplace_back(one);
  return names;
}

Failure take_grouping(const std::string& value, ReportRequest& request) {
  if (begins("individual", value, 3)) {
    request.individual = true;
    return std::nullopt;
  }
  request.grouping.clear();
  for (const std::string& one : names_in(value)) {
    const auto size = parse_count(one, 1, limits::nodes_per_job_max * 1000);
    const bool grows = request.grouping.empty() || (size && *size > request.grouping.back());
    if (!size || !grows)
      return Refusal{"Invalid grouping: " + printable(value),
                     "write increasing sizes, like 50,100,150"};
    request.grouping.push_back(*size);
  }
  return std::nullopt;
}

Failure take_jobs(const std::string& value, ReportRequest& request) {
  for (const std::string& one : names_in(value)) {
    const auto id = parse_count(one, 1, std::int64_t{1} << 52);
    if (!id)
      return Refusal{"Invalid job id: " + printable(one), "write job ids, separated by commas"};
    request.jobs.push_back(JobId{*id});
  }
  return std::nullopt;
}

Failure take_moment(const std::string& value, const LocalTime& here, Wall& moment) {
  const auto parsed = parse_past_moment(value, here);
  if (!parsed) return parsed.refusal();
  moment = std::min(*parsed, here.now);
  return std::nullopt;
}

bool take_flag(const std::string& word, ReportRequest& request) {
  const auto flags = std::to_array<std::pair<std::string_view, bool ReportRequest::*>>(
      {{"tree", &ReportRequest::tree},
       {"group", &ReportRequest::group},
       {"flatview", &ReportRequest::flat},
       {"acctasparent", &ReportRequest::as_parent},
       {"printjobcount", &ReportRequest::counts_jobs}});
  for (const auto& [name, flag] : flags)
    if (begins(name, word, 2)) return request.*flag = true;
  return begins("all_clusters", word, 2) || lower_case(word) == "where";
}

// Returns whether the report can be limited by this condition. The use of the whole cluster is not
// kept by account, user or job.
bool takes(ReportKind kind, std::string_view what) {
  if (begins("grouping", what)) return kind == ReportKind::SizesByAccount;
  if (begins("topcount", what)) return kind == ReportKind::TopUsage;
  constexpr std::array<std::string_view, 5> choices{"accounts", "users", "partitions", "nodes",
                                                    "jobs"};
  const bool is_choice = begins("acct", what, 4) ||
                         std::ranges::any_of(choices, [&](auto one) { return begins(one, what); });
  return kind != ReportKind::Utilization || !is_choice;
}

// Parses a word after the report: a condition such as "start=11/01", or a flag such as "tree".
Failure take_word(const std::string& word, const LocalTime& here, ReportRequest& request) {
  const Refusal unknown{"Unknown condition: " + printable(word), "Use keyword set to modify value"};
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return take_flag(word, request) ? Failure{} : Failure{unknown};
  const std::string what = word.substr(0, equals);
  const std::string value = word.substr(equals + 1);
  if (!takes(request.kind, what)) return unknown;
  if (begins("start", what)) return take_moment(value, here, request.start);
  if (begins("end", what)) return take_moment(value, here, request.end);
  if (begins("accounts", what) || begins("acct", what, 4))
    request.accounts = names_in(value, true);
  else if (begins("users", what))
    request.users = names_in(value);
  else if (begins("partitions", what))
    request.partitions = names_in(value);
  else if (begins("nodes", what))
    request.nodes = names_in(value);
  else if (begins("format", what))
    request.format = value;
  else if (begins("jobs", what))
    return take_jobs(value, request);
  else if (begins("grouping", what))
    return take_grouping(value, request);
  else if (begins("topcount", what)) {
    const auto count = parse_count(value, 1, 1'000'000);
    if (!count) return Refusal{"Invalid TopCount: " + printable(value), "a number from 1"};
    request.top_count = static_cast<std::size_t>(*count);
  } else if (begins("clusters", what)) {
    request.clusters = names_in(value);
  } else {
    return unknown;
  }
  return std::nullopt;
}

std::string sreport_help() {
  std::string text = "Valid <COMMAND> values are:\n";
  for (const Report& one : reports)
    text += "  " + std::string(one.type) + " " + std::string(one.name) + "\n";
  return text +
         "CONDITIONS\n"
         "  Start=TIME End=TIME  the span of time; default: yesterday\n"
         "  Accounts= Users= Partitions= Nodes= Jobs=  only these; not for cluster Utilization\n"
         "  Format=COLUMNS  like Login,Used%12\n"
         "  Tree  accounts indented by their depth\n"
         "  TopCount=NUMBER Group  for TopUsage: number of users; a user's accounts in one row\n"
         "  Grouping=50,250|individual PrintJobCount FlatView AcctAsParent  for SizesByAccount\n";
}

// clang-format off
constexpr OptionRow<SreportOptions> sreport_rows[] = {
  config_row<SreportOptions>,
  help_row<SreportOptions>,
  {"WORD", 0, Takes::Operands, "TEXT", "a type of report, the report, and conditions as NAME=VALUE",
   "", into<&SreportOptions::words>},
  {"", 't', Takes::Value, "TEXT", "Seconds, Minutes, Hours, Percent, SecPer, MinPer or HourPer", "",
   into<&SreportOptions::time_format>},
  {"tres", 'T', Takes::Value, "TEXT", "cpu, mem, node, billing, gres/gpu or ALL, by commas", "",
   into<&SreportOptions::tres>},
  no_header_row<SreportOptions>,
  parsable_row<SreportOptions>,
  parsable2_row<SreportOptions>,
  {"quiet", 'Q', Takes::Nothing, "", "print only the report", "", into<&SreportOptions::quiet>},
  {"cluster", 'M', Takes::Value, "TEXT", "this cluster's name, or all", "",
   list_into<&SreportOptions::clusters>},
  {"all_clusters", 'a', Takes::Nothing, "", "taken; there is one cluster", "", ignore_option},
  {"local", 'v', Takes::Nothing, "", "", "", ignore_option},
  {"federation", 0, Takes::Nothing, "", "", "", ignore_option},
  {"verbose", 0, Takes::Nothing, "", "", "", ignore_option},
  usage_row<SreportOptions>,
};
// clang-format on

}  // namespace

const CommandLineOf<SreportOptions> sreport_line = [] {
  auto line = command_line_from<sreport_rows>();
  line.first_line = "sreport [<OPTION>] [<COMMAND>]\n";
  line.head = "Valid <OPTION> values are";
  line.commands = [] { return "\n" + sreport_help(); };
  line.help_word = true;
  return line;
}();

std::string_view name(ReportTres tres) {
  switch (tres) {
    case ReportTres::Cpu: return "cpu";
    case ReportTres::Memory: return "mem";
    case ReportTres::Node: return "node";
    case ReportTres::Billing: return "billing";
    case ReportTres::Gpu: return "gres/gpu";
  }
  return "";
}

Result<ReportRequest> report_request(const SreportOptions& options, const LocalTime& here) {
  ReportRequest request;
  const auto kind = kind_of(options.words);
  if (!kind) return kind.refusal();
  request.kind = *kind;
  auto unit = unit_of(options.time_format);
  if (!unit) return unit.refusal();
  request.unit = std::move(*unit);
  if (auto f = take_tres(options.tres, request)) return *f;
  constexpr std::int64_t day_s = 24 * 3600;
  const std::int64_t local_s = local_seconds(here.zone, here.now);
  const std::int64_t midnight_s = local_s - local_s % day_s;
  request.end = moment_of_local(here.zone, midnight_s);
  request.start = moment_of_local(here.zone, midnight_s - day_s);
  for (std::size_t i = 2; i < options.words.size(); ++i)
    if (auto f = take_word(options.words[i], here, request)) return *f;
  if (request.end <= request.start)
    return Refusal{"End is not after Start", "set Start= and End=, for example End=now"};
  if (request.kind == ReportKind::SizesByAccount && request.tres.size() > 1)
    return Refusal{"job reports can only support a single TRES name", "name one with -T"};
  return request;
}

ListAccounting ask_report(const ReportRequest& request) {
  ListAccounting ask;
  ask.ids = request.jobs;
  ask.users = request.users;
  ask.partitions = request.partitions;
  ask.nodes = request.nodes;
  ask.since = request.start;
  ask.until = request.end;
  ask.steps = false;
  ask.all_runs = true;
  return ask;
}

}  // namespace cox
