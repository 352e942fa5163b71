// sdiag: what the controller has done since it started, in Slurm's lines.
#include <array>
#include <ctime>
#include <map>

#include "client/slurm/answers.h"
#include "common/text.h"

namespace cox {
namespace {

using Values = std::map<std::string, std::string>;

// "Sun Nov 22 12:31:06 2026 (1795350666)", in local time.
std::string moment_line(Wall moment, const Screen& screen) {
  const std::time_t seconds = to_ms(moment) / 1000;
  const std::time_t local = seconds + screen.utc_offset_s;
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

// Slurm's name in front, as wide as it writes it.
std::string lines_of(const Values& values,
                     std::initializer_list<std::pair<const char*, const char*>> lines) {
  std::string out;
  for (const auto& [text, name] : lines) out += text + value_of(values, name) + "\n";
  return out;
}

}  // namespace

Question ask_sdiag(const Options&) {
  return ShowStatistics{};
}

Shown show_sdiag(const Answer& answer, const Options&, const Screen& screen) {
  const auto* told = std::get_if<Statistics>(&answer);
  if (told == nullptr) return {"", "slurm_get_statistics: Unexpected message\n", exit_refused};
  Values values;
  for (const NamedValue& one : told->values) values[one.name] = one.value;
  const std::string bar(55, '*');
  Shown shown;
  shown.out = bar + "\nsdiag output at " + moment_line(told->now, screen) + "\nData since      " +
              moment_line(told->since, screen) + "\n" + bar + "\n";
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
  shown.out += "\nJob states ts:  " + moment_line(told->now, screen) + "\n";
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
