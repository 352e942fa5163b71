#include "client/slurm/records/sacct.h"

#include <algorithm>
#include <optional>

#include "client/slurm/records/record_columns.h"
#include "client/slurm/records/record_json.h"
#include "client/slurm/records/record_text.h"
#include "client/submit/components.h"
#include "common/base/text.h"
#include "common/syntax/array_tasks.h"

namespace cox {
namespace {

constexpr const char* default_columns = "jobid,jobname,partition,account,alloccpus,state,exitcode";
constexpr const char* brief_columns = "jobid,state,exitcode";
constexpr const char* long_columns =
    "jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,"
    "maxrssnode,maxrsstask,averss,maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,"
    "mincputask,avecpu,ntasks,alloccpus,elapsed,state,exitcode,avecpufreq,reqcpufreqmin,"
    "reqcpufreqmax,reqcpufreqgov,reqmem,consumedenergy,maxdiskread,maxdiskreadnode,"
    "maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,"
    "reqtres,alloctres,tresusageinave,tresusageinmax,tresusageinmaxn,tresusageinmaxt,"
    "tresusageinmin,tresusageinminn,tresusageinmint,tresusageintot,tresusageoutmax,"
    "tresusageoutmaxn,tresusageoutmaxt,tresusageoutave,tresusageouttot";

std::vector<std::string> formats_of(const SacctOptions& options) {
  std::vector<std::string> formats = options.format;
  if (options.brief) formats.emplace_back(brief_columns);
  if (options.long_format) formats.emplace_back(long_columns);
  if (!formats.empty()) return formats;
  return {options.default_format.empty() ? default_columns : options.default_format};
}

Shown sacct_error(const std::string& fact, const std::string& hint = "") {
  return {"", "sacct: error: " + fact + "\n" + (hint.empty() ? "" : "sacct: error: " + hint + "\n"),
          exit_refused};
}

// Returns the first name in --clusters that is not the name of this cluster. Nothing if there is
// none.
std::optional<std::string> stranger_among(const SacctOptions& options) {
  for (const std::string& cluster : options.clusters)
    if (lower_case(cluster) != "all" && cluster != "-1" && cluster != options.cluster)
      return cluster;
  return std::nullopt;
}

std::string table_of(const std::vector<RecordRow>& rows, const std::vector<ColumnChoice>& wishes,
                     const SacctOptions& options) {
  const auto columns = record_columns();
  std::vector<LaidCell> cells;
  for (const ColumnChoice& wish : wishes)
    cells.push_back({std::string(columns[wish.at].name), wish.width, columns[wish.at].is_number});
  std::string out = record_heads(cells, options.layout);
  for (const RecordRow& row : rows) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i].text = printable(columns[wishes[i].at].text(row, options));
    out += record_line(cells, options.layout);
  }
  return out;
}

// Returns whether rows of jobs have a column that is computed from their steps.
bool needs_steps(const SacctOptions& options) {
  if (options.json) return true;
  const auto columns = record_columns();
  const auto wishes = read_format(formats_of(options), column_names(columns));
  return wishes && std::ranges::any_of(*wishes, [&](const ColumnChoice& wish) {
           return columns[wish.at].name == derived_exit_column;
         });
}

Shown show_script(const Script& script, const SacctOptions& options) {
  const std::string job = std::to_string(options.jobs.front().id.value);
  constexpr std::size_t line_width = 80;
  return {"Batch Script for " + job + "\n" + std::string(line_width, '-') + "\n" +
              (script.text.empty() ? "NONE" : script.text) + "\n",
          "", exit_ok};
}

}  // namespace

std::optional<Shown> show_record_help(const SacctOptions& options) {
  if (options.help_format)
    return Shown{names_text(column_names(record_columns()).names), "", exit_ok};
  if (options.usage) return Shown{"Usage: sacct [options]\n\tUse --help for help\n", "", exit_ok};
  const auto wishes = read_format(formats_of(options), column_names(record_columns()));
  if (!wishes) return sacct_error(wishes.refusal().fact, wishes.refusal().hint);
  return std::nullopt;
}

Question ask_sacct(const SacctOptions& options) {
  if (options.batch_script) {
    const RecordSelector& job = options.jobs.front();
    const auto tasks = parse_array_tasks(job.tasks);
    return ReadScript{job.id, tasks && !job.tasks.empty() ? tasks->first() : -1};
  }
  ListAccounting ask;
  for (const RecordSelector& wanted : options.jobs) {
    ask.ids.push_back(wanted.id);
    ask.tasks.push_back(wanted.tasks);
  }
  ask.users = options.users;
  ask.accounts = options.accounts;
  ask.partitions = options.partitions;
  ask.qos = options.qos;
  ask.names = options.names;
  ask.nodes = options.nodes;
  if (!options.duplicates) ask.states = options.states;  // otherwise each row is judged by itself
  ask.since = options.since;
  ask.until = options.until;
  ask.steps = !options.allocations || needs_steps(options);
  ask.all_runs = options.duplicates;
  return ask;
}

Shown show_sacct(const Answer& answer, const SacctOptions& options, const Screen&) {
  if (const auto* script = std::get_if<Script>(&answer)) return show_script(*script, options);
  const auto* answered = std::get_if<AccountingPage>(&answer);
  if (answered == nullptr) return sacct_error("Unexpected message");
  AccountingPage apart = *answered;
  apart.records = component_records(std::move(apart.records));
  const AccountingPage* page = &apart;
  SacctOptions with = options;
  with.cluster = page->cluster;
  with.here.now = page->now;
  if (const auto stranger = stranger_among(with))
    return sacct_error("'" + printable(*stranger) +
                           "' can't be reached now, or it is an invalid entry "
                           "for --cluster.",
                       "this is the cluster " + with.cluster);
  std::vector<RecordRow> rows;
  if (!with.has_state_filter || !with.states.empty() || with.duplicates)
    rows = record_rows(*page, with);
  Shown shown;
  if (with.verbose) {
    const auto moment = [&](Wall t) { return moment_text_as("", t, with.here); };
    shown.err = "sacct: Jobs eligible from " + moment(with.since) + " - " +
                (with.until == Wall{} ? "Now" : moment(with.until)) + "\n";
  }
  if (options.json) {
    shown.out = records_json(*page, rows, with);
    return shown;
  }
  const auto wishes = read_format(formats_of(with), column_names(record_columns()));
  if (!wishes) return sacct_error(wishes.refusal().fact, wishes.refusal().hint);
  shown.out = table_of(rows, *wishes, with);
  return shown;
}

}  // namespace cox
