#include "client/setup/doctor.h"

#include <algorithm>

#include "client/setup/doctor_keys.h"
#include "client/text/display_width.h"
#include "client/text/table.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::int64_t clock_offset_max_ms = 1'000;
constexpr std::int64_t answer_slow_ms = 1'000;
constexpr std::int64_t hour_ms = 3'600'000;

std::string milliseconds(std::int64_t ms) {
  return std::to_string(ms) + " ms";
}

void judge_config(const ConfigReport& config, Findings& out) {
  for (const auto& problem : config.problems)
    out.problem(
        "configuration", problem.fact,
        problem.hint.empty() ? "correct it; 'cox config check' tells the rest" : problem.hint);
  if (!config.problems.empty()) return;
  std::string tables;
  for (const auto& program : programs_of(config))
    if (program.can_run) tables += (tables.empty() ? "" : ", ") + program.table;
  out.ok("configuration", config.path + " has " + (tables.empty() ? "no table" : tables));
}

void judge_clock(const std::string& whose, std::int64_t offset_ms, std::int64_t bound_ms,
                 Findings& out) {
  const std::string fact = whose + " clock differs from this host's by " + milliseconds(offset_ms) +
                           " (give or take " + milliseconds(bound_ms) + ")";
  // No more is held against it than is surely so.
  const std::int64_t surely = std::abs(offset_ms) - bound_ms;
  if (surely <= clock_offset_max_ms) return out.ok("clocks", fact);
  const std::string hint = "run a time service on both hosts, such as chrony or systemd-timesyncd";
  // Nothing is decided by the time of day, but people read it, and no zone is so far away.
  if (surely > hour_ms) return out.problem("clocks", fact, hint);
  out.warn("clocks", fact + "; the limit is " + milliseconds(clock_offset_max_ms), hint);
}

bool controller_answers(const HostFacts& facts) {
  return facts.controller && !facts.controller->trouble;
}

void judge_database(const HostFacts& facts, Findings& out) {
  if (facts.database_unchecked)
    return out.warn("database", facts.database_unchecked->fact, facts.database_unchecked->hint);
  if (!facts.database) return;
  const DatabaseFacts& database = *facts.database;
  if (!database.error.empty()) {
    if (controller_answers(facts) && facts.controller->view.database == "ready")
      return out.warn("database", "this user cannot reach it, but the controller can",
                      "run cox doctor as the controller's user to check it");
    return out.problem("database",
                       "cannot be reached" + (facts.user.empty() ? "" : " by user " + facts.user) +
                           ": " + database.error,
                       "is PostgreSQL running, and may this user connect? The controller connects "
                       "as its own user: run cox doctor as that one. See database in "
                       "[controller]");
  }
  const std::string version = "PostgreSQL " + database.server_version;
  if (!database.writable)
    return out.problem("database", version + " takes no changes from this user",
                       "it is a standby, read-only, or the role may not create in it: the role "
                       "must own the database");
  if (database.schema_version > database.schema_known)
    return out.problem("database",
                       version + ", schema version " + std::to_string(database.schema_version) +
                           "; this controller's program knows up to " +
                           std::to_string(database.schema_known),
                       "install a controller at least as new as the one that last used it");
  const bool is_old = database.schema_version < database.schema_known;
  out.ok("database", version + ", writable, schema version " +
                         std::to_string(database.schema_version) +
                         (is_old ? "; the controller brings it to " +
                                       std::to_string(database.schema_known) + " when it starts"
                                 : ""));
  judge_clock("the database's", database.clock_offset_ms, database.clock_bound_ms, out);
}

// Returns what to do when the folder or its marker is missing.
std::string folder_hint(const FolderFacts& folder, bool controller_runs) {
  if (!folder.by_controller) return "mount the storage that the controller uses there";
  if (!controller_runs) return "the controller makes it when it starts";
  return "it was there when the controller started: mount it again, or restart the controller, "
         "which creates it. No checkpoint can be saved until then";
}

void judge_folder(const FolderFacts& folder, bool controller_runs, Findings& out) {
  const std::string check = "shared folder";
  const std::string though =
      folder.by_controller && controller_runs ? ", though the controller runs" : "";
  if (!folder.is_there)
    return out.problem(check, folder.path + " is not there" + though,
                       folder_hint(folder, controller_runs));
  if (!folder.marker)
    return out.problem(check, folder.path + " does not hold the controller's marker" + though,
                       folder.by_controller
                           ? folder_hint(folder, controller_runs)
                           : "it is other storage than the controller's: mount the same one");
  if (*folder.marker != folder.cluster_name)
    return out.problem(check,
                       folder.path + " is of the cluster " + quoted(*folder.marker) +
                           ", this one is " + quoted(folder.cluster_name),
                       "give each cluster a checkpoint_root of its own");
  if (!folder.is_writable)
    return out.warn(check, folder.path + " is not writable for this user",
                    "the user whose jobs run here must be able to write there");
  out.ok(check, folder.path + " is the cluster's, and writable");
}

void judge_cgroups(const CgroupFacts& cgroups, Findings& out) {
  if (!cgroups.has_version_2)
    return out.warn("cgroups", "there is no cgroup v2",
                    "boot with systemd.unified_cgroup_hierarchy=1; until then a job's processes "
                    "are found by their environment");
  std::string names;
  for (const auto& controller : cgroups.controllers) names += " " + controller;
  const std::string fact = "version 2, controllers" + (names.empty() ? " none" : names);
  if (cgroups.can_make) return out.ok("cgroups", fact);
  out.warn("cgroups", fact + "; this process may make no cgroup",
           "where the worker may not either, a job's processes are found by their environment: "
           "the unit of the worker should say Delegate=yes");
}

void judge_gpus(const GpuFacts& gpus, Findings& out) {
  const std::string fact = "gres in [worker] has " + std::to_string(gpus.configured) +
                           " GPUs, and the NVIDIA driver shows " + std::to_string(gpus.found);
  if (gpus.found >= gpus.configured) return out.ok("gpus", fact);
  out.warn("gpus", fact,
           "look at 'nvidia-smi' and the kernel's log; leave GPUs out of gres to have those found "
           "that are there. Jobs are given GPUs that do not exist");
}

void judge_mail(const MailFacts& mail, Findings& out) {
  if (mail.is_there) return out.ok("mail", "is sent by " + mail.program);
  const std::string fact = mail.program + " is not there, so no mail is sent";
  const std::string hint =
      "install a program that takes mail as sendmail does, such as the package msmtp-mta, or set "
      "mail_program in [controller]";
  if (mail.is_configured) return out.problem("mail", "mail_program " + fact, hint);
  if (mail.jobs.empty()) return out.ok("mail", fact + "; no job asks for any");
  out.warn("mail", fact + ", and job " + mail.jobs.front() + " asks for it", hint);
}

void judge_nodes(const ControllerFacts& controller, Findings& out) {
  for (const auto& view : controller.nodes) {
    if (view.node.responding) continue;
    out.warn("nodes",
             view.node.name + " was not heard for " + std::to_string(view.silent_ms / 1000) + " s",
             "look at its worker and the network between: on that host, run cox doctor");
  }
  const auto& view = controller.view;
  const std::string count = std::to_string(view.nodes_responding) + " of " +
                            std::to_string(view.nodes) + " nodes respond";
  if (view.nodes == 0)
    return out.warn("nodes", "no worker has ever said hello", "start cox-worker on a host");
  if (view.nodes_responding == view.nodes) out.ok("nodes", count);
}

void judge_each(const std::vector<Ping>& pings, Findings& out) {
  for (const Ping& ping : pings) {
    if (!ping.is_up)
      out.warn("controller", ping.endpoint + " does not answer",
               "start it: until then fewer can take over");
    else if (!ping.hindrance.empty())
      out.warn("controller", ping.endpoint + " stands by and could not lead: " + ping.hindrance,
               "see to it before the leader ends");
    else
      out.ok("controller", ping.endpoint + (ping.stands_by         ? " stands by"
                                            : ping.cluster.empty() ? " answers"
                                                                   : " leads"));
  }
}

void judge_controller(const ControllerFacts& controller, Findings& out) {
  judge_each(controller.each, out);
  if (controller.trouble)
    return out.problem("controller", controller.trouble->fact,
                       controller.trouble->hint.empty() ? "start it, and look at its log"
                                                        : controller.trouble->hint);
  const std::string fact = "version " + controller.view.version + " of cluster " +
                           controller.view.name + " answered in " +
                           milliseconds(controller.answer_ms);
  if (controller.answer_ms > answer_slow_ms)
    out.warn("controller", fact, "its host or the database is overloaded: see its log");
  else
    out.ok("controller", fact);
  if (controller.view.database != "ready")
    out.problem("controller", "its database: " + controller.view.database,
                "jobs go on; see to PostgreSQL on the controller's host");
  judge_clock("the controller's", controller.clock_offset_ms, controller.answer_ms, out);
  judge_nodes(controller, out);
}

}  // namespace

std::vector<Finding> findings_of(const HostFacts& facts) {
  Findings out;
  judge_config(facts.config, out);
  judge_database(facts, out);
  for (const auto& key : facts.keys) judge_key(key, out);
  for (const auto& handshake : facts.handshakes) judge_handshake(handshake, out);
  for (const auto& folder : facts.folders) judge_folder(folder, controller_answers(facts), out);
  if (facts.cgroups) judge_cgroups(*facts.cgroups, out);
  if (facts.gpus) judge_gpus(*facts.gpus, out);
  if (facts.mail) judge_mail(*facts.mail, out);
  for (const auto& listen : facts.listening) judge_listening(facts, listen, out);
  if (facts.controller) {
    judge_controller(*facts.controller, out);
  } else if (facts.config.problems.empty()) {
    out.warn("controller", "the configuration has no [client], so it is not asked",
             "give this host a [client] table and a client's key");
  }
  if (facts.config.problems.empty()) out.ok("nodes", counted_not_enforced);
  return out.take();
}

std::string example_text(const std::string& example) {
  std::string text =
      "\nA host that only submits jobs needs this in /etc/coxswain/coxswain.toml:\n\n"
      "    [client]\n"
      "    controller = \"tcp://HOST:6820\"\n"
      "    controller_key = \"THE KEY IN controller.pub ON THAT HOST\"\n"
      "    key_file = \"/etc/coxswain/keys/client.key\"\n";
  if (!example.empty()) text += "\nEvery key is explained in " + example + ".\n";
  return text;
}

namespace {

constexpr std::size_t health_width = 8;
constexpr std::size_t check_width = 14;

// Returns what was found, in lines that begin below each other and fit the terminal.
std::string finding_text(const Finding& finding, const Screen& screen) {
  constexpr std::size_t begin = health_width + 1 + check_width + 1;
  constexpr std::size_t columns_min = 20;  // in less, the terminal wraps better than we do
  const std::string text =
      printable(finding.fact) + (finding.hint.empty() ? "" : " -> " + printable(finding.hint));
  if (screen.width < begin + columns_min) return text + "\n";
  std::string lines;
  for (const std::string& line : wrapped_to_width(text, screen.width - begin))
    lines += (lines.empty() ? "" : std::string(begin, ' ')) + line + "\n";
  return lines;
}

}  // namespace

Shown show_findings(const std::vector<Finding>& findings, const Screen& screen) {
  const auto padded = [](std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
  };
  Shown shown;
  for (const auto& finding : findings) {
    const Colour colour = finding.health == Health::Ok        ? Colour::Green
                          : finding.health == Health::Warning ? Colour::Yellow
                                                              : Colour::Red;
    shown.out +=
        coloured(padded(std::string(name(finding.health)), health_width), colour, screen.colour) +
        " " + padded(finding.check, check_width) + " " + finding_text(finding, screen);
    if (finding.health == Health::Problem) shown.exit_code = exit_refused;
  }
  return shown;
}

}  // namespace cox
