#include <algorithm>
#include <charconv>

#include "client/slurm/records/record_columns.h"
#include "client/text/table.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr int column_width_max = 4096;

std::string padded(const LaidCell& cell, bool marks_cuts) {
  const auto wide = static_cast<std::size_t>(std::abs(cell.width));
  std::string text = cell.text;
  if (display_width(text) > wide && !cell.is_number) {
    text = cut_text(text, wide == 0 || !marks_cuts ? wide : wide - 1);
    if (marks_cuts && wide > 0) text += "+";
  }
  const std::size_t is = display_width(text);
  const std::string blanks(is < wide ? wide - is : 0, ' ');
  return cell.width < 0 ? text + blanks : blanks + text;
}

std::string line_of(const std::vector<LaidCell>& cells, const RecordLayout& layout,
                    bool marks_cuts) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool delimited = layout.ends_lines || i + 1 < cells.size();
    line += layout.parsable ? cells[i].text + (delimited ? layout.delimiter : "")
                            : padded(cells[i], marks_cuts) + " ";
  }
  return line + "\n";
}

Result<std::size_t> place_of(std::string_view asked, const std::vector<std::string_view>& names) {
  const std::string lower = lower_case(asked);
  const auto begins = [&](std::string_view name) { return lower_case(name).starts_with(lower); };
  const auto found = std::ranges::find_if(names, begins);
  if (found == names.end())
    return Refusal{"Invalid field requested: " + quoted(asked), did_you_mean(asked, names)};
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

Result<std::vector<ColumnChoice>> read_format(const std::vector<std::string>& formats,
                                              const ColumnNames& columns) {
  std::vector<ColumnChoice> wishes;
  for (const std::string& format : formats) {
    for (std::string_view part : split(format, ',')) {
      while (part.starts_with(' ')) part.remove_prefix(1);
      if (part.empty()) continue;
      const std::size_t percent = part.find('%');
      const std::string_view field = part.substr(0, percent);
      int width = 0;
      if (percent != std::string_view::npos) {
        const std::string_view text = part.substr(percent + 1);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
        if (error != std::errc{} || end != text.data() + text.size() ||
            std::abs(width) > column_width_max)
          return Refusal{quoted(part) + " has an invalid width", "write it like state%20"};
      }
      const bool all = !field.empty() && lower_case(field) == "all";
      if (!all) {
        const auto at = place_of(field, columns.names);
        if (!at) return at.refusal();
        wishes.push_back({*at, width != 0 ? width : columns.widths[*at]});
        continue;
      }
      for (std::size_t at = 0; at < columns.names.size(); ++at)
        wishes.push_back({at, width != 0 ? width : columns.widths[at]});
    }
  }
  return wishes;
}

std::string names_text(const std::vector<std::string_view>& names) {
  constexpr std::size_t per_line = 4;
  constexpr std::size_t width = 19;
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i % per_line == 0 ? "\n" : " ";
    out += names[i];
    out.append(width - std::min(width, names[i].size()), ' ');
  }
  return out + "\n";
}

std::string record_line(const std::vector<LaidCell>& cells, const RecordLayout& layout) {
  return line_of(cells, layout, true);
}

std::string record_heads(const std::vector<LaidCell>& names, const RecordLayout& layout) {
  if (!layout.heads) return "";
  std::vector<LaidCell> cells = names;
  for (LaidCell& cell : cells) cell.is_number = false;  // heads are cut, even above numbers
  const std::string heads = line_of(cells, layout, false);
  if (layout.parsable) return heads;
  for (LaidCell& cell : cells)
    cell.text.assign(static_cast<std::size_t>(std::abs(cell.width)), '-');
  return heads + line_of(cells, layout, false);
}

}  // namespace cox
