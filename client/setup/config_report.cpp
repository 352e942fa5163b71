#include "client/setup/config_report.h"

#include <algorithm>
#include <array>
#include <regex>

#include "client/text/table.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr const char* partition_table = "[[partition]]";

// Tables that the controller reads besides [controller], if the file has them.
constexpr std::array<const char*, 6> controller_tables{
    partition_table, "[[submit_rule]]", "[scheduling]", "[topology]", "[[switch]]", "[[block]]"};

bool is_in_file(const ConfigReport& report, const std::string& table) {
  return std::any_of(report.lines.begin(), report.lines.end(),
                     [&](const ConfigLine& line) { return line.table == table && line.given; });
}

std::string shown(const ConfigLine& line) {
  std::string text;
  for (const auto& word : line.value) text += (text.empty() ? "" : ", ") + printable(word);
  return text.empty() ? "-" : text;
}

std::string problems_text(const ConfigReport& report, const Screen& screen) {
  std::string text;
  for (const auto& problem : report.problems) {
    text += coloured(printable(problem.fact), Colour::Red, screen.colour) + "\n";
    if (!problem.hint.empty()) text += "  " + printable(problem.hint) + "\n";
  }
  const auto count = report.problems.size();
  return text + std::to_string(count) + (count == 1 ? " problem" : " problems") + "\n";
}

std::string warnings_text(const ConfigReport& report, const Screen& screen) {
  std::string text;
  for (const auto& warning : report.warnings) {
    text += coloured("warning: " + printable(warning.fact), Colour::Yellow, screen.colour) + "\n";
    if (!warning.hint.empty()) text += "  " + printable(warning.hint) + "\n";
  }
  return text;
}

std::string report_end(const ConfigReport& report) {
  const auto count = report.warnings.size();
  std::string text = printable(report.path) + ": no problems";
  if (count > 0) text += ", " + std::to_string(count) + (count == 1 ? " warning" : " warnings");
  return text + "\n";
}

std::string values_text(const ConfigReport& report, const std::string& table,
                        const Screen& screen) {
  Table rows({"KEY", "VALUE", "FROM"});
  for (const auto& line : report.lines) {
    if (line.table != table) continue;
    rows.row({line.key, shown(line), line.given ? "the file" : "default"});
  }
  return rows.text(screen.colour);
}

}  // namespace

std::string without_password(const std::string& database) {
  static const std::regex keyword(R"((password\s*=\s*)('(\\.|[^'\\])*'|\S+))");
  static const std::regex uri(R"((://[^:/@]*:)[^@]*@)");
  return std::regex_replace(std::regex_replace(database, keyword, "$1***"), uri, "$1***@");
}

std::vector<ConfigProgram> programs_of(const ConfigReport& report) {
  std::vector<ConfigProgram> programs{
      {"cox-controller", "[controller]"}, {"cox-worker", "[worker]"}, {"cox", "[client]"}};
  for (auto& program : programs) {
    const bool has_table =
        std::any_of(report.lines.begin(), report.lines.end(),
                    [&](const ConfigLine& line) { return line.table == program.table; });
    program.can_run = has_table && report.problems.empty();
  }
  return programs;
}

Shown show_config_report(const ConfigReport& report, const Screen& screen) {
  if (!report.problems.empty()) return {problems_text(report, screen), "", exit_refused};
  std::string out;
  for (const auto& program : programs_of(report)) {
    out += coloured(program.name, Colour::Bold, screen.colour);
    if (!program.can_run) {
      out += ": the file has no " + program.table + ", so it cannot run from this file\n\n";
      continue;
    }
    out += " takes from " + program.table + "\n";
    out += values_text(report, program.table, screen) + "\n";
    if (program.table != "[controller]") continue;
    for (const std::string table : controller_tables)
      if (is_in_file(report, table))
        out += "and from " + table + "\n" + values_text(report, table, screen) + "\n";
    if (!is_in_file(report, partition_table))
      out += "and, without a [[partition]], has one partition, main, with all nodes\n\n";
  }
  return {out + warnings_text(report, screen) + report_end(report), "", exit_ok};
}

}  // namespace cox
