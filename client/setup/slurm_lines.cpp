#include "client/setup/slurm_lines.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::string_view blanks = " \t\r";

// Returns the line up to a '#' that is neither quoted nor after a backslash.
std::string_view without_comment(std::string_view line) {
  bool in_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') in_quotes = !in_quotes;
    if (line[i] == '#' && !in_quotes && (i == 0 || line[i - 1] != '\\')) return line.substr(0, i);
  }
  return line;
}

// Removes the first setting from `rest` and returns it: for `Reason="a fan" State=DOWN` its name
// "Reason" and its value "a fan".
Result<SlurmSetting> take_setting(std::string_view& rest, const std::string& place) {
  SlurmSetting setting;
  const std::size_t end = std::min(rest.find_first_of(" \t\r="), rest.size());
  setting.name = rest.substr(0, end);
  rest.remove_prefix(end);
  if (!rest.empty() && rest.front() == '=') {
    rest.remove_prefix(1);
    char quote = 0;
    while (!rest.empty() && (quote != 0 || blanks.find(rest.front()) == blanks.npos)) {
      const char c = rest.front();
      rest.remove_prefix(1);
      if (c == '"' && (quote == 0 || quote == c)) {
        quote = quote == 0 ? c : '\0';
      } else {
        setting.value += c;
      }
    }
    if (quote != 0)
      return Refusal{place + ": a quotation mark is not closed", "close it in this line"};
  }
  rest = trimmed(rest);
  return setting;
}

bool begins_with(std::string_view line, std::string_view lower) {
  return lower_case(line.substr(0, lower.size())) == lower;
}

struct Sign {
  std::string_view begins;  // the beginning of a line, in lower case, that shows the kind of file
  SourceKind kind;
};

constexpr auto signs = std::to_array<Sign>(
    {{"switchname", SourceKind::TopologyConf}, {"blockname", SourceKind::TopologyConf},
     {"blocksizes", SourceKind::TopologyConf}, {"autodetect", SourceKind::GresConf},
     {"name=", SourceKind::GresConf},          {"clustername", SourceKind::SlurmConf},
     {"slurmctld", SourceKind::SlurmConf},     {"partitionname", SourceKind::SlurmConf},
     {"nodeset", SourceKind::SlurmConf},       {"include ", SourceKind::SlurmConf},
     {"cluster - ", SourceKind::Accounts},     {"parent - ", SourceKind::Accounts},
     {"account - ", SourceKind::Accounts},     {"user - ", SourceKind::Accounts},
     {"sacctmgr ", SourceKind::Accounts},      {"add ", SourceKind::Accounts},
     {"create ", SourceKind::Accounts},        {"modify ", SourceKind::Accounts},
     {"remove ", SourceKind::Accounts},        {"delete ", SourceKind::Accounts},
     {"name|", SourceKind::QosTable}});

std::optional<SourceKind> kind_of_line(std::string_view line) {
  for (const Sign& sign : signs)
    if (begins_with(line, sign.begins)) return sign.kind;
  if (!begins_with(line, "nodename")) return std::nullopt;
  // NodeName= lines are in slurm.conf and in gres.conf. Only those of gres.conf have a Name=.
  const bool of_gres = lower_case(line).find(" name=") != std::string::npos;
  return of_gres ? SourceKind::GresConf : SourceKind::SlurmConf;
}

}  // namespace

std::string SlurmLine::value(std::string_view name) const {
  for (const SlurmSetting& setting : settings)
    if (lower_case(setting.name) == name) return setting.value;
  return "";
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  return split(text, '\n');
}

Result<std::vector<SlurmLine>> slurm_lines(const SourceFile& source) {
  std::vector<SlurmLine> lines;
  std::size_t number = 0;
  std::size_t begun = 0;
  std::string joined_line;
  for (const std::string_view raw : lines_of(source.text)) {
    ++number;
    if (joined_line.empty()) begun = number;
    std::string_view line = trimmed(without_comment(raw));
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    joined_line += std::string(line) + (goes_on ? " " : "");
    if (goes_on) continue;
    SlurmLine out{base_name(source.name) + ":" + std::to_string(begun), {}};
    std::string_view rest = trimmed(joined_line);
    while (!rest.empty()) {
      auto setting = take_setting(rest, out.place);
      if (!setting) return setting.refusal();
      if (setting->name.empty())
        return Refusal{out.place + ": a value without a name", "write NAME=VALUE"};
      out.settings.push_back(std::move(*setting));
    }
    if (!out.settings.empty()) lines.push_back(std::move(out));
    joined_line.clear();
  }
  return lines;
}

std::optional<std::string> included_file(std::string_view line) {
  line = trimmed(without_comment(line));
  if (!begins_with(line, "include ") && !begins_with(line, "include\t")) return std::nullopt;
  return std::string(trimmed(line.substr(sizeof "include" - 1)));
}

Result<SourceKind> kind_of(const SourceFile& source) {
  const std::string name = lower_case(base_name(source.name));
  if (name == "slurm.conf") return SourceKind::SlurmConf;
  if (name == "gres.conf") return SourceKind::GresConf;
  if (name == "topology.conf") return SourceKind::TopologyConf;
  for (const std::string_view line : lines_of(source.text))
    if (const auto kind = kind_of_line(trimmed(line))) return *kind;
  return Refusal{quoted(source.name) + " is not a file of Slurm's that can be imported",
                 "pass a slurm.conf, gres.conf or topology.conf, the file of `sacctmgr dump "
                 "CLUSTER file=F`, or the output of `sacctmgr -P show qos`"};
}

}  // namespace cox
