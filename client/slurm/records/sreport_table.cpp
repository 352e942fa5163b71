#include "client/slurm/records/sreport_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "client/text/table.h"
#include "common/base/count_format.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace cox {
namespace report_column {
namespace {

struct Known {
  std::string_view name;
  std::string_view head;
  int width;
  int width_with_percent;  // width with -t and a percentage: "120(10.00%)"
};

constexpr auto known = std::to_array<Known>({
    {"Accounts", "Account", 15, 15},
    {"Allocated", "Allocated", 12, 20},
    {"Cluster", "Cluster", 9, 9},
    {"Down", "Down", 10, 18},
    {"Energy", "Energy", 8, 17},
    {"Idle", "Idle", 12, 20},
    {"Login", "Login", 9, 9},
    {"OverCommitted", "Over Comm", 9, 18},
    {"Planned", "Planned", 9, 18},
    {"PlannedDown", "PLND Down", 10, 18},
    {"Proper", "Proper Name", 15, 15},
    {"Reported", "Reported", 12, 20},
    {"TresCount", "TRES Count", 10, 10},
    {"TresName", "TRES Name", 14, 14},
    {"Used", "Used", 8, 17},
});

// Returns a name of a column in lower case, and an alias of Slurm replaced by the name in `known`.
std::string name_in_use(std::string_view word) {
  const std::string low = lower_case(word);
  if (low == "count" || low == "cpucount") return "trescount";
  return low == "reserved" ? "planned" : low;
}

const Known* column_named(std::string_view word) {
  const std::string low = name_in_use(word);
  const auto is = [&](const Known& one) { return lower_case(one.name) == low; };
  const auto begins = [&](const Known& one) { return lower_case(one.name).starts_with(low); };
  auto found = std::ranges::find_if(known, is);
  if (found == known.end()) found = std::ranges::find_if(known, begins);
  return found == known.end() || word.empty() ? nullptr : &*found;
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
}  // namespace report_column

Result<std::vector<ReportColumn>> report_columns(const std::string& format,
                                                 const ReportRequest& request) {
  constexpr int tree_width = -20;
  constexpr std::int64_t width_max = 4096;
  const bool both = request.unit.percent && request.unit.seconds > 0;
  std::vector<ReportColumn> columns;
  for (const std::string_view part : split(format, ',')) {
    const std::size_t percent = std::min(part.find('%'), part.size());
    const report_column::Known* one = report_column::column_named(part.substr(0, percent));
    if (one == nullptr) {
      std::vector<std::string_view> names;
      for (const report_column::Known& each : report_column::known) names.push_back(each.name);
      return Refusal{"Unknown field '" + printable(part) + "'", did_you_mean(part, names)};
    }
    ReportColumn column{std::string(one->name), std::string(one->head),
                        both ? one->width_with_percent : one->width};
    if (request.tree && column.name == "Accounts") column.width = tree_width;
    if (percent < part.size()) {
      const bool left = part.substr(percent + 1).starts_with('-');
      const auto width = parse_count(part.substr(percent + (left ? 2 : 1)), 1, width_max);
      if (!width)
        return Refusal{"Unknown field '" + printable(part) + "'", "write it like Used%12"};
      column.width = static_cast<int>(left ? -*width : *width);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

std::string report_table(const std::vector<ReportColumn>& columns,
                         const std::vector<ReportRow>& rows, AccountingLayout layout, bool heads) {
  const bool plain = layout == AccountingLayout::Columns;
  const auto line = [&](const auto& text_of) {
    std::string out;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string text = text_of(columns[i]);
      out +=
          plain ? report_column::padded(text, columns[i].width) + " " : (i > 0 ? "|" : "") + text;
    }
    return out + (layout == AccountingLayout::Parsable ? "|\n" : "\n");
  };
  std::string out;
  if (heads) out += line([](const ReportColumn& c) { return c.head; });
  if (heads && plain)
    out += line([](const ReportColumn& c) {
      return std::string(static_cast<std::size_t>(std::abs(c.width)), '-');
    });
  for (const ReportRow& row : rows)
    out += line([&](const ReportColumn& c) {
      const auto text = row.find(c.name);
      return text == row.end() ? std::string() : printable(text->second);
    });
  return out;
}

std::string amount_text(double seconds, double of, const ReportUnit& unit) {
  std::array<char, 96> text{};
  const double percent = 100 * seconds / (of > 0 ? of : 1);
  if (unit.seconds == 0) {
    std::snprintf(text.data(), text.size(), "%.2f%%", percent);
    return text.data();
  }
  const double amount = seconds / static_cast<double>(unit.seconds);
  if (unit.percent)
    std::snprintf(text.data(), text.size(), "%.0f(%.2f%%)", amount, percent);
  else
    std::snprintf(text.data(), text.size(), "%.0f", amount);
  return text.data();
}

}  // namespace cox
