#include "client/slurm/list/sdiag.h"

#include <array>
#include <cstdlib>
#include <ctime>
#include <map>

#include "client/slurm/text/command_rows.h"
#include "client/slurm/text/json_document.h"
#include "common/base/text.h"

namespace cox {
namespace {

Failure refuse_reset(Options&, std::string_view) {
  return Refusal{"counters cannot be reset: they count from the controller's start", ""};
}

// clang-format off
constexpr OptionRow<Options> sdiag_rows[] = {
  help_row<Options>,
  config_row<Options>,
  clusters_row<Options>("SLURM_CLUSTERS"),
  cluster_row<Options>,
  json_row<Options>("as Slurm's JSON, v0.0.40"),
  yaml_row<Options>,
  {"all", 'a', Takes::Nothing, "", "accepted: everything is always shown", "", ignore_option},
  {"sort-by-id", 'i', Takes::Nothing, "", "accepted: calls are not counted by kind", "",
   ignore_option},
  {"sort-by-time", 't', Takes::Nothing, "", "accepted likewise", "", ignore_option},
  {"sort-by-time2", 'T', Takes::Nothing, "", "accepted likewise", "", ignore_option},
  {"reset", 'r', Takes::Nothing, "", "refused: counters start with the controller", "",
   refuse_reset},
  usage_row<Options>,
};
// clang-format on

using Values = std::map<std::string, std::string>;

// Returns "Sun Nov 22 12:31:06 2026 (1795350666)": the local time, and seconds since 1970.
std::string moment_line(Wall moment, const Screen& screen) {
  const std::time_t seconds = to_ms(moment) / 1000;
  const std::time_t local = local_seconds(screen.zone, moment);
  std::tm parts{};
  ::gmtime_r(&local, &parts);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%a %b %d %H:%M:%S %Y", &parts);
  return std::string(text.data()) + " (" + std::to_string(seconds) + ")";
}

std::string value_of(const Values& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? "0" : printable(found->second);
}

// Returns a line for each pair: Slurm's text, and the value with the given name from the
// controller's reply.
std::string lines_of(const Values& values,
                     std::initializer_list<std::pair<const char*, const char*>> lines) {
  std::string out;
  for (const auto& [text, name] : lines) out += text + value_of(values, name) + "\n";
  return out;
}

// Pairs of a key of Slurm's data parser (--json) and the name of its value in the controller's
// reply.
constexpr auto json_names = std::to_array<std::pair<const char*, const char*>>({
    {"server_thread_count", "Server thread count"},
    {"agent_queue_size", "Agent queue size"},
    {"agent_count", "Agent count"},
    {"agent_thread_count", "Agent thread count"},
    {"dbd_agent_queue_size", "DBD Agent queue size"},
    {"schedule_cycle_max", "Max cycle"},
    {"schedule_cycle_last", "Last cycle"},
    {"schedule_cycle_total", "Total cycles"},
    {"schedule_cycle_mean", "Mean cycle"},
    {"schedule_queue_length", "Last queue length"},
    {"jobs_submitted", "Jobs submitted"},
    {"jobs_started", "Jobs started"},
    {"jobs_completed", "Jobs completed"},
    {"jobs_canceled", "Jobs canceled"},
    {"jobs_failed", "Jobs failed"},
    {"jobs_pending", "Jobs pending"},
    {"jobs_running", "Jobs running"},
});

std::string json_of(const Statistics& statistics, const Values& values) {
  using namespace slurm_json;
  Json json = {{"req_time", moment(statistics.now)}, {"req_time_start", moment(statistics.since)}};
  for (const auto& [theirs, ours] : json_names) {
    const auto found = values.find(ours);
    const auto count = found == values.end() ? std::int64_t{0} : std::atoll(found->second.c_str());
    json[theirs] = count;
  }
  json["job_states_ts"] = moment(statistics.now);
  return document({"sdiag"}, "statistics", std::move(json), "", statistics.now);
}

}  // namespace

const CommandLineOf<Options> sdiag_line = command_line_from<sdiag_rows>();

Question ask_sdiag(const Options&) {
  return ShowStatistics{};
}

Shown show_sdiag(const Answer& answer, const Options& options, const Screen& screen) {
  const auto* statistics = std::get_if<Statistics>(&answer);
  if (statistics == nullptr)
    return {"", "slurm_get_statistics: Unexpected message\n", exit_refused};
  Values values;
  for (const NamedValue& one : statistics->values) values[one.name] = one.value;
  if (options.json) return {json_of(*statistics, values), "", exit_ok};
  const std::string bar(55, '*');
  Shown shown;
  shown.out = bar + "\nsdiag output at " + moment_line(statistics->now, screen) +
              "\nData since      " + moment_line(statistics->since, screen) + "\n" + bar + "\n";
  shown.out += lines_of(values, {{"Server thread count:  ", "Server thread count"},
                                 {"Agent queue size:     ", "Agent queue size"},
                                 {"Agent count:          ", "Agent count"},
                                 {"Agent thread count:   ", "Agent thread count"},
                                 {"DBD Agent queue size: ", "DBD Agent queue size"}});
  shown.out += "\n" + lines_of(values, {{"Jobs submitted: ", "Jobs submitted"},
                                        {"Jobs started:   ", "Jobs started"},
                                        {"Jobs completed: ", "Jobs completed"},
                                        {"Jobs canceled:  ", "Jobs canceled"},
                                        {"Jobs failed:    ", "Jobs failed"}});
  shown.out += "\nJob states ts:  " + moment_line(statistics->now, screen) + "\n";
  shown.out += lines_of(
      values, {{"Jobs pending:   ", "Jobs pending"}, {"Jobs running:   ", "Jobs running"}});
  shown.out += "\nMain schedule statistics (microseconds):\n";
  shown.out += lines_of(values, {{"\tLast cycle:   ", "Last cycle"},
                                 {"\tMax cycle:    ", "Max cycle"},
                                 {"\tTotal cycles: ", "Total cycles"},
                                 {"\tMean cycle:   ", "Mean cycle"},
                                 {"\tLast queue length: ", "Last queue length"}});
  shown.out += "\nTurns (transactions): " + value_of(values, "Turns") + "\n";
  return shown;
}

}  // namespace cox
