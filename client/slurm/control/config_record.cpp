#include "client/slurm/control/config_record.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "client/text/moments.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Settings of Slurm that Coxswain does not have, with the values that Slurm shows where nothing is
// configured. Some tools need one: Toil does not start without SchedulerTimeSlice, and checks its
// jobs at that interval.
constexpr auto absent = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"AccountingStoreFlags", "(null)"},
    {"AcctGatherEnergyType", "(null)"},
    {"AcctGatherNodeFreq", "0 sec"},
    {"BurstBufferType", "(null)"},
    {"CliFilterPlugins", "(null)"},
    {"CompleteWait", "0 sec"},
    {"DebugFlags", "(null)"},
    {"DisableRootJobs", "No"},
    {"FederationParameters", "(null)"},
    {"FirstJobId", "1"},
    {"HealthCheckInterval", "0 sec"},
    {"HealthCheckProgram", "(null)"},
    {"InactiveLimit", "0 sec"},
    {"JobCompType", "(null)"},
    {"JobRequeue", "1"},
    {"JobSubmitPlugins", "(null)"},
    {"KillOnBadExit", "0"},
    {"LaunchParameters", "(null)"},
    {"MCSPlugin", "(null)"},
    {"MpiDefault", "none"},
    {"OverTimeLimit", "0 min"},
    {"PrivateData", "none"},
    {"RebootProgram", "(null)"},
    {"RequeueExit", "(null)"},
    {"RequeueExitHold", "(null)"},
    {"ResumeProgram", "(null)"},
    {"SchedulerParameters", "(null)"},
    {"SchedulerTimeSlice", "30 sec"},
    {"SrunEpilog", "(null)"},
    {"SrunProlog", "(null)"},
    {"SuspendProgram", "(null)"},
    {"SuspendTime", "INFINITE"},
    {"TrackWCKey", "No"},
    {"WaitTime", "0 sec"},
    {"X11Parameters", "(null)"},
});

}  // namespace

std::vector<std::pair<std::string, std::string>> config_values(
    const Configuration& config, const std::vector<std::string>& hosts) {
  struct Before {
    bool operator()(const std::string& a, const std::string& b) const {
      return lower_case(a) < lower_case(b);
    }
  };
  std::map<std::string, std::string, Before> all;
  for (const auto& [name, value] : absent) all[std::string(name)] = value;
  for (const NamedValue& one : config.settings) all[one.name] = one.value;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    all["SlurmctldHost[" + std::to_string(i) + "]"] = hosts[i];
  return {all.begin(), all.end()};
}

std::string config_record(const Configuration& config, const std::vector<std::string>& hosts,
                          const Screen& screen) {
  constexpr std::size_t name_width = 23;
  std::string out = "Configuration data as of " + slurm_moment_text(config.now, screen) + "\n";
  for (const auto& [name, value] : config_values(config, hosts)) {
    std::string padded = printable(name);
    padded.resize(std::max(name_width, padded.size()), ' ');
    out += padded + " = " + printable(value.empty() ? "(null)" : value) + "\n";
  }
  // With several controllers it is unknown which of them has answered, so this line is left out;
  // `scontrol ping` shows them.
  return hosts.size() == 1 ? out + "\n" + ping_line(hosts.front(), true, true) : out;
}

std::string ping_line(const std::string& host, bool is_first, bool is_up) {
  return std::string("Slurmctld(") + (is_first ? "primary" : "backup") + ") at " + printable(host) +
         " is " + (is_up ? "UP" : "DOWN") + "\n";
}

}  // namespace cox
