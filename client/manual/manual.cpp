#include "client/manual/manual.h"

#include <algorithm>
#include <sstream>

#include "client/command_line.h"
#include "client/options/help_text.h"
#include "client/options/submit_option_table.h"
#include "client/slurm/names.h"
#include "client/step/allocation.h"
#include "common/job/job_state.h"
#include "common/syntax/simulate_options.h"

namespace cox {
namespace {

// Returns the valid values of an option. They are those of a value name such as "all|rank0", or are
// listed here. Empty: any value.
std::vector<std::string> values_of(const std::string& long_name, const std::string& value_name) {
  if (long_name == "--qos") return {"critical", "standard", "besteffort"};
  if (long_name == "--open-mode") return {"append", "truncate"};
  std::vector<std::string> values;
  if (long_name == "--states" || long_name == "--state") {
    for (const JobState state : all_job_states) values.emplace_back(cox::name(state));
    return values;
  }
  if (value_name.find('|') == std::string::npos) return values;
  std::istringstream parts(value_name);
  for (std::string part; std::getline(parts, part, '|');) values.push_back(part);
  return values;
}

std::string list_of(const std::string& long_name, const std::string& value_name) {
  if (value_name.empty()) return "";
  if (long_name == "--partition" || long_name == "--partitions") return "partitions";
  if (long_name == "--account" || long_name == "--accounts") return "accounts";
  if (long_name == "--job" || long_name == "--jobs" || long_name == "--jobid") return "jobs";
  const bool is_count = value_name == "NUMBER" || value_name == "INT";
  const bool is_node = long_name == "--nodelist" || long_name == "--exclude" ||
                       long_name == "--node" || long_name == "--nodes";
  return is_node && !is_count ? "nodes" : "";
}

ManualOption from_row(const SubmitOption& row) {
  ManualOption option;
  if (row.letter != 0) option.names.push_back(std::string("-") + row.letter);
  option.names.push_back("--" + std::string(row.name));
  if (row.takes != Takes::Nothing) option.value_name = row.value_name;
  option.value_optional = row.takes == Takes::ValueAttached;
  option.help = row.help;
  option.variable = row.variable;
  option.values = values_of(option.names.back(), option.value_name);
  option.list = list_of(option.names.back(), option.value_name);
  return option;
}

void add_rows(std::span<const SubmitOption> rows, ManualCommand& manual) {
  for (const SubmitOption& row : rows) {
    if (!row.help.empty()) {
      manual.options.push_back(from_row(row));
      continue;
    }
    // This row is another name of the option in the row above.
    auto& names = manual.options.back().names;
    names.push_back("--" + std::string(row.name));
  }
}

void add_submit(const Command& command, ManualCommand& manual) {
  if (command.slurm) {
    manual.forms = {"[OPTION]... [: [OPTION]...]... [SCRIPT [ARGUMENT]...]"};
  } else {
    manual.forms = {"[OPTION]... -- COMMAND [ARGUMENT]...",
                    "[OPTION]... [: [OPTION]...]... [SCRIPT [ARGUMENT]...]"};
    manual.options.push_back({{"--config"}, "FILE", false, "the cluster's coxswain.toml", "", {}});
  }
  manual.operands.push_back({"SCRIPT", "a batch script; it runs on the first node", false, false});
  add_rows(submit_options().options, manual);
}

void add_step(ManualCommand& manual) {
  manual.forms = {"[OPTION]... COMMAND [ARGUMENT]... [: [OPTION]... COMMAND [ARGUMENT]...]..."};
  manual.operands.push_back({"COMMAND", "the program that each task runs", true, false});
  add_rows(step_options().options, manual);
}

void add_allocation(ManualCommand& manual) {
  manual.forms = {"[OPTION]... [: [OPTION]...]... [COMMAND [ARGUMENT]...]"};
  manual.operands.push_back({"COMMAND", "runs here while the allocation lasts", false, false});
  add_rows(allocation_options().options, manual);
}

void add_listing(const Command& command, ManualCommand& manual) {
  manual.forms = {"[OPTION]..."};
  for (const OptionForm& row : command.options()) {
    if (row.help.empty()) {
      if (!row.name.empty()) manual.options.back().names.push_back("--" + std::string(row.name));
      continue;
    }
    ManualOption option;
    if (row.letter != 0) option.names.push_back(std::string("-") + row.letter);
    option.names.push_back("--" + std::string(row.name));
    option.value_name = row.value_name;
    option.value_optional = row.takes == Takes::ValueAttached;
    option.help = row.help;
    option.variable = row.variable;
    option.values = values_of(option.names.back(), option.value_name);
    option.list = list_of(option.names.back(), option.value_name);
    manual.options.push_back(std::move(option));
  }
}

void add_simulate(ManualCommand& manual) {
  manual.forms = {"--trace FILE --cluster SPEC [OPTION]..."};
  manual.options.push_back({{"-h", "--help"}, "", false, "this text", "", {}});
  manual.options.push_back({{"--version"}, "", false, "the program's version", "", {}});
  for (const SimulateOption& each : simulate_options) {
    const std::string value_name(each.value_name);
    const std::string help = std::string(each.help) + (each.required ? "; needed" : "");
    const std::string option = "--" + std::string(each.name);
    manual.options.push_back(
        {{option}, value_name, false, help, "", values_of(option, value_name)});
  }
}

void add_declared(const Command& command, ManualCommand& manual) {
  std::string form = "[OPTION]...";
  const std::vector<OptionForm> forms = declared_options(command);
  for (const NamedOption& each : named_options(forms)) {
    const OptionForm& option = *each.form;
    const std::string name = each.names.back();
    const bool is_needed = option.has(OptionForm::needed);
    if (option.is_operand()) {
      const bool is_many = option.takes == Takes::Operands;
      const std::string shown = name + (is_many ? "..." : "");
      form += is_needed ? " " + shown : " [" + shown + "]";
      manual.operands.push_back({name, std::string(option.help), is_needed, is_many});
      continue;
    }
    const std::string value_name(name == "--config" ? "FILE" : option.type());
    const std::string help = std::string(option.help) + (is_needed ? "; needed" : "");
    manual.options.push_back({each.names, value_name, false, help, "", values_of(name, value_name),
                              list_of(name, value_name)});
  }
  manual.forms = {form};
}

}  // namespace

ManualCommand manual_of(const Command& command) {
  ManualCommand manual;
  manual.name = (command.slurm ? "" : "cox ") + std::string(command.name);
  manual.summary = command.summary;
  if (command.run == Run::Submit) {
    add_submit(command, manual);
  } else if (command.run == Run::Step) {
    add_step(manual);
  } else if (command.run == Run::Broadcast) {
    add_listing(command, manual);
    manual.forms = {"[OPTION]... SOURCE DEST"};
    manual.operands.push_back({"SOURCE", "the file here", true, false});
    manual.operands.push_back({"DEST", "its path on the nodes", true, false});
  } else if (command.run == Run::Attach) {
    add_listing(command, manual);
    manual.forms = {"[OPTION]... JOB.STEP"};
    manual.operands.push_back({"JOB", "the job and its step, like 17.0", true, false});
  } else if (command.run == Run::Allocate) {
    add_allocation(manual);
  } else if (command.run == Run::List || command.run == Run::Trigger) {
    add_listing(command, manual);
  } else if (command.run == Run::CancelMatching) {
    add_listing(command, manual);
    manual.forms = {"[OPTION]... [JOB]..."};
    manual.operands.push_back({"JOB", "ids of jobs, or of steps like 17.0", false, true});
  } else if (command.run == Run::Crontab) {
    add_listing(command, manual);
    manual.forms = {"[OPTION]... [FILE]"};
    manual.operands.push_back({"FILE", "the crontab; - for standard input", false, false});
  } else if (command.run == Run::Simulate) {
    add_simulate(manual);
  } else {
    add_declared(command, manual);
  }
  return manual;
}

std::vector<ManualCommand> all_manuals() {
  std::vector<ManualCommand> all;
  for (const auto* table : {&own_commands(), &slurm_commands()})
    for (const Command& command : *table) all.push_back(manual_of(command));
  return all;
}

ManualCommand manual_of_help(const std::string& name, const std::string& help_text) {
  ManualCommand manual;
  manual.name = name;
  manual.forms = {"[OPTION]..."};
  std::istringstream lines(help_text);
  for (std::string line; std::getline(lines, line);) {
    if (manual.summary.empty()) manual.summary = line;
    const std::size_t help_at = line.find_first_not_of(' ', line.find("  ", 3));
    if (!line.starts_with("  -") || help_at == std::string::npos) continue;
    std::istringstream head(line.substr(0, help_at));
    std::string names;
    ManualOption option;
    head >> names >> option.value_name;
    std::istringstream each_name(names);
    for (std::string each; std::getline(each_name, each, ',');) option.names.push_back(each);
    option.help = line.substr(help_at);
    manual.options.push_back(std::move(option));
  }
  return manual;
}

std::vector<std::string> words_of(std::string_view command_name) {
  std::istringstream text{std::string(command_name)};
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  if (words.size() > 1) words.erase(words.begin());
  return words;
}

}  // namespace cox
