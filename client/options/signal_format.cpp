#include "client/options/signal_format.h"

#include <array>
#include <cctype>
#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::int64_t signal_number_max = 64;  // SIGRTMAX on Linux

struct SignalName {
  std::string_view name;
  std::int32_t number;
};

constexpr std::array<SignalName, 28> signal_names = {{
    {"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},     {"ABRT", SIGABRT},
    {"KILL", SIGKILL}, {"ALRM", SIGALRM}, {"TERM", SIGTERM},     {"USR1", SIGUSR1},
    {"USR2", SIGUSR2}, {"URG", SIGURG},   {"CONT", SIGCONT},     {"STOP", SIGSTOP},
    {"TSTP", SIGTSTP}, {"TTIN", SIGTTIN}, {"TTOU", SIGTTOU},     {"CHLD", SIGCHLD},
    {"PIPE", SIGPIPE}, {"XCPU", SIGXCPU}, {"XFSZ", SIGXFSZ},     {"WINCH", SIGWINCH},
    {"IO", SIGIO},     {"PWR", SIGPWR},   {"VTALRM", SIGVTALRM}, {"PROF", SIGPROF},
    {"BUS", SIGBUS},   {"SEGV", SIGSEGV}, {"FPE", SIGFPE},       {"ILL", SIGILL},
}};

std::string advice(std::string_view name) {
  std::vector<std::string_view> names;
  for (const SignalName& signal : signal_names) names.push_back(signal.name);
  const std::string meant = did_you_mean(name, names);
  return meant.empty() ? "write a name like USR1 or TERM, or its number" : meant;
}

}  // namespace

Result<std::int32_t> parse_signal(std::string_view text) {
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    const Result<std::int64_t> number = parse_count(text, 1, signal_number_max);
    if (!number) return Refusal{"the signal: " + number.refusal().fact, advice("")};
    return static_cast<std::int32_t>(*number);
  }
  std::string name;
  for (const unsigned char c : text) name += static_cast<char>(std::toupper(c));
  if (name.starts_with("SIG")) name.erase(0, 3);
  for (const SignalName& signal : signal_names)
    if (signal.name == name) return signal.number;
  return Refusal{quoted(text) + " is not a signal", advice(name)};
}

Result<SignalRequest> parse_signal_request(std::string_view text) {
  SignalRequest request;
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view whom = text.substr(0, colon);
    // R lets a job overlap a reservation with MaxStartDelay, which no reservation here has.
    if (whom.empty() || whom.find_first_not_of("BbRr") != std::string_view::npos)
      return Refusal{quoted(whom) + " before the colon is unknown",
                     "write B: for the batch script alone, or no colon for its steps"};
    request.batch_only = whom.find_first_of("Bb") != std::string_view::npos;
    text.remove_prefix(colon + 1);
  }
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    const Result<std::int64_t> seconds =
        parse_count(text.substr(at + 1), 0, limits::signal_seconds_max);
    if (!seconds)
      return Refusal{"the seconds before the end: " + seconds.refusal().fact,
                     "write it like USR1@120"};
    request.seconds_before = *seconds;
  }
  const Result<std::int32_t> number = parse_signal(text.substr(0, at));
  if (!number) return number.refusal();
  request.number = *number;
  return request;
}

}  // namespace cox
