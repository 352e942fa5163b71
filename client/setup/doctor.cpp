#include "client/setup/doctor.h"

#include <algorithm>

#include "client/setup/doctor_keys.h"
#include "client/text/display_width.h"
#include "client/text/moments.h"
#include "client/text/node_faults.h"
#include "client/text/table.h"
#include "common/base/hostlist.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

constexpr std::int64_t clock_offset_max_ms = 1'000;
constexpr std::int64_t answer_slow_ms = 1'000;
constexpr std::int64_t hour_ms = 3'600'000;

std::string milliseconds(std::int64_t ms) {
  return std::to_string(ms) + " ms";
}

void diagnose_config(const ConfigReport& config, Findings& out) {
  for (const auto& problem : config.problems)
    out.problem(
        "configuration", problem.fact,
        problem.hint.empty() ? "correct it; 'cox config check' lists all problems" : problem.hint);
  if (!config.problems.empty()) return;
  std::string tables;
  for (const auto& program : programs_of(config))
    if (program.can_run) tables += (tables.empty() ? "" : ", ") + program.table;
  out.ok("configuration", config.path + " has " + (tables.empty() ? "no table" : tables));
}

void diagnose_clock(const std::string& whose, std::int64_t offset_ms, std::int64_t bound_ms,
                    Findings& out) {
  const std::string fact = whose + " clock differs from this host's by " + milliseconds(offset_ms) +
                           " (give or take " + milliseconds(bound_ms) + ")";
  // The clocks differ by at least this: the error bound is not counted.
  const std::int64_t surely = std::abs(offset_ms) - bound_ms;
  if (surely <= clock_offset_max_ms) return out.ok("clocks", fact);
  const std::string hint = "run a time service on both hosts, such as chrony or systemd-timesyncd";
  // Coxswain makes no decisions by the time of day, but shows it to users. So a difference up to an
  // hour is only a warning.
  if (surely > hour_ms) return out.problem("clocks", fact, hint);
  out.warn("clocks", fact + "; the limit is " + milliseconds(clock_offset_max_ms), hint);
}

bool controller_answers(const HostFacts& facts) {
  return facts.controller && !facts.controller->trouble;
}

void diagnose_lock(const LockHolder& lock, Findings& out) {
  const std::string age =
      lock.in_use_ms < 0 ? "" : " for " + std::to_string(lock.in_use_ms / 1000) + " s";
  const std::string pid = std::to_string(lock.pid);
  out.problem("database",
              "the session with pid " + pid + " of user " + lock.user + ", " +
                  (lock.state.empty() ? "in a transaction" : lock.state) + age +
                  ", holds a lock that the controller waits for; its last statement: " + lock.query,
              "end its transaction, or run in psql: SELECT pg_terminate_backend(" + pid + ")");
}

void diagnose_database(const HostFacts& facts, Findings& out) {
  if (facts.database_unchecked)
    return out.warn("database", facts.database_unchecked->fact, facts.database_unchecked->hint);
  if (!facts.database) return;
  const DatabaseFacts& database = *facts.database;
  if (!database.error.empty()) {
    if (controller_answers(facts) && facts.controller->view.database == "ready")
      return out.warn("database", "this user cannot reach it, but the controller can",
                      "run cox doctor as the controller's user to check it");
    return out.problem(
        "database",
        "cannot be reached" + (facts.user.empty() ? "" : " by user " + facts.user) + ": " +
            database.error,
        "check that PostgreSQL runs and that this user may connect. The controller connects as its "
        "own user: run cox doctor as that user. The setting is database in [controller]");
  }
  const std::string version = "PostgreSQL " + database.server_version;
  if (!database.writable)
    return out.problem("database", version + " is not writable for this user",
                       "it is a standby or read-only, or the role lacks rights: make the role the "
                       "owner of the database");
  if (database.schema_version > database.schema_known)
    return out.problem("database",
                       version + ", schema version " + std::to_string(database.schema_version) +
                           "; this controller knows versions up to " +
                           std::to_string(database.schema_known),
                       "install a controller at least as new as the one that last used it");
  if (database.schema_version > 0 && database.schema_version < database.schema_oldest)
    return out.problem(
        "database",
        version + ", schema version " + std::to_string(database.schema_version) +
            ", from before the first release: this controller refuses it, since it can upgrade " +
            std::to_string(database.schema_oldest) + " and newer",
        "only the program that made it can read it. Let it write the accounts and the history to "
        "files, then use an empty database (administrator guide, \"A database from before the "
        "first release\")");
  const bool is_old = database.schema_version < database.schema_known;
  out.ok("database", version + ", writable, schema version " +
                         std::to_string(database.schema_version) +
                         (is_old ? "; the controller upgrades it to " +
                                       std::to_string(database.schema_known) + " when it starts"
                                 : ""));
  if (database.lock) diagnose_lock(*database.lock, out);
  diagnose_clock("the database's", database.clock_offset_ms, database.clock_bound_ms, out);
}

// Returns what to do when the checkpoint folder or its marker file is missing.
std::string folder_hint(const FolderFacts& folder, bool controller_runs) {
  if (!folder.by_controller) return "mount the storage that the controller uses there";
  if (!controller_runs)
    return "mount it; for a new cluster, the controller creates it when it starts";
  return "it existed when the controller started: mount it again. Until then no checkpoint can be "
         "saved";
}

void diagnose_folder(const FolderFacts& folder, bool controller_runs, Findings& out) {
  const std::string check = "shared folder";
  const std::string though =
      folder.by_controller && controller_runs ? ", though the controller runs" : "";
  if (!folder.is_there)
    return out.problem(check, folder.path + " is not there" + though,
                       folder_hint(folder, controller_runs));
  if (!folder.marker)
    return out.problem(check, folder.path + " lacks the controller's marker file" + though,
                       folder.by_controller
                           ? folder_hint(folder, controller_runs)
                           : "it is not the storage that the controller uses: mount that one here");
  if (*folder.marker != folder.cluster_name)
    return out.problem(check,
                       folder.path + " belongs to cluster " + quoted(*folder.marker) +
                           ", but this is cluster " + quoted(folder.cluster_name),
                       "give each cluster a checkpoint_root of its own");
  if (!folder.is_writable)
    return out.warn(check, folder.path + " is not writable for this user",
                    "the user whose jobs run here must be able to write there");
  out.ok(check, folder.path + " belongs to this cluster and is writable");
}

void diagnose_cgroups(const CgroupFacts& cgroups, Findings& out) {
  if (!cgroups.has_version_2)
    return out.warn("cgroups", "this host has no cgroup v2",
                    "boot with systemd.unified_cgroup_hierarchy=1; until then the worker finds a "
                    "job's processes by their environment variables");
  std::string names;
  for (const auto& controller : cgroups.controllers) names += " " + controller;
  const std::string fact = "version 2, controllers" + (names.empty() ? " none" : names);
  if (cgroups.can_make) return out.ok("cgroups", fact);
  out.warn("cgroups", fact + "; this process may not create cgroups",
           "if the worker may not either, it finds a job's processes by their environment "
           "variables: set Delegate=yes in its systemd unit");
}

void diagnose_gpus(const GpuFacts& gpus, Findings& out) {
  const std::string fact = "gres in [worker] has " + std::to_string(gpus.configured) +
                           " GPUs, but the NVIDIA driver shows " + std::to_string(gpus.found);
  if (gpus.found >= gpus.configured) return out.ok("gpus", fact);
  out.warn("gpus", fact,
           "jobs may get GPUs that do not exist: check 'nvidia-smi' and the kernel log, or remove "
           "the GPUs from gres, so that the worker detects them");
}

void diagnose_mail(const MailFacts& mail, Findings& out) {
  if (mail.is_there) return out.ok("mail", "is sent by " + mail.program);
  const std::string fact = mail.program + " does not exist, so no mail is sent";
  const std::string hint =
      "install a program that is called like sendmail, such as the package msmtp-mta, or set "
      "mail_program in [controller]";
  if (mail.is_configured) return out.problem("mail", "mail_program " + fact, hint);
  if (mail.jobs.empty()) return out.ok("mail", fact + "; no job asks for any");
  out.warn("mail", fact + ", and job " + mail.jobs.front() + " asks for it", hint);
}

void diagnose_partitions(const ControllerFacts& controller, Findings& out) {
  std::vector<std::string> alone;
  for (const NodeView& view : controller.nodes)
    if (view.partitions.empty()) alone.push_back(view.node.name);
  if (!alone.empty())
    out.warn("partitions",
             "no partition has " + compress_hostlist(alone) + ", so no job can run there",
             "add them to the nodes of a [[partition]], then run 'scontrol reconfigure'");
  for (const PartitionGone& gone : controller.partitions_gone) {
    const std::string job = gone.jobs.front();
    const std::size_t others = gone.jobs.size() - 1;
    out.problem("partitions",
                "partition " + gone.name + " is no longer configured, and job " + job +
                    (others == 0 ? "" : " and " + std::to_string(others) + " more") +
                    (others == 0 ? " waits for it" : " wait for it"),
                "configure it again, or move the jobs: 'cox update " + job + " Partition=NAME'");
  }
}

void diagnose_nodes(const ControllerFacts& controller, Findings& out) {
  for (const auto& view : controller.nodes) {
    if (!view.second_worker.empty())
      out.warn("nodes",
               view.node.name + " has a second worker, at " + view.second_worker +
                   ", which is not served",
               "stop the wrong one: each machine needs a node_name and a key of its own");
    if (view.node.responding) continue;
    if (view.beats_to_return > 0) {
      out.warn("nodes",
               view.node.name + " responds again after a silence; it is used after " +
                   std::to_string(view.beats_to_return) +
                   (view.beats_to_return == 1 ? " more good heartbeat" : " more good heartbeats"),
               "wait; a number that does not fall means that heartbeats get lost on the network");
      continue;
    }
    const std::string since = view.silent_ms < 0
                                  ? "since this controller leads"
                                  : "for " + std::to_string(view.silent_ms / 1000) + " s";
    out.warn("nodes", view.node.name + " has not responded " + since,
             "check its worker and the network: run cox doctor on that host");
  }
  for (const NodeFault& fault : node_faults(controller.nodes))
    out.problem("nodes", fault_text(fault), fault_hint(fault));
  const auto& view = controller.view;
  const std::string count = std::to_string(view.nodes_responding) + " of " +
                            std::to_string(view.nodes) + (view.nodes == 1 ? " node" : " nodes") +
                            (view.nodes_responding == 1 ? " responds" : " respond");
  if (view.nodes == 0)
    return out.warn("nodes", "no worker has ever registered", "start cox-worker on a host");
  if (view.nodes_responding == view.nodes) out.ok("nodes", count);
}

void diagnose_each_controller(const std::vector<Ping>& pings, Findings& out) {
  for (const Ping& ping : pings) {
    if (!ping.is_up)
      out.warn("controller", ping.endpoint + " does not answer",
               "start it: until then fewer controllers can take over");
    else if (!ping.hindrance.empty())
      out.warn("controller", ping.endpoint + " is a standby that could not lead: " + ping.hindrance,
               "correct this before the leader ends");
    else
      out.ok("controller", ping.endpoint + (ping.is_standby        ? " is a standby"
                                            : ping.cluster.empty() ? " answers"
                                                                   : " is the leader"));
  }
}

void diagnose_controller(const ControllerFacts& controller, Findings& out) {
  diagnose_each_controller(controller.each, out);
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
  if (controller.view.database.starts_with("refuses"))
    out.problem(
        "controller", "its database " + controller.view.database,
        "undo what was changed in the tables of schema cox: columns, constraints, triggers, "
        "rights. What is refused does not take effect; it is tried again");
  else if (controller.view.database.starts_with("has refused"))
    out.problem("controller", "its database " + controller.view.database,
                "its client knows; the request is not tried again. If a rule that was added to a "
                "table of schema cox is not meant to refuse it, undo the rule");
  else if (controller.view.database.starts_with("has never"))
    out.problem(
        "controller", "its database " + controller.view.database,
        "correct `database` in [controller] if it names another one than the cluster's; if "
        "that is lost, start the controller once with --accept-loss: it ends what nodes run");
  else if (controller.view.database.find("holds a lock") != std::string::npos)
    out.problem("controller", "its database: " + controller.view.database,
                "running jobs continue; 'cox doctor' as the controller's user, on its host, names "
                "the session and what ends it");
  else if (controller.view.database.starts_with("may have lost"))
    out.warn("controller", "its database " + controller.view.database,
             "wait for these reports; drain or fence nodes that will not send one");
  else if (controller.view.database != "ready")
    out.problem("controller", "its database: " + controller.view.database,
                "running jobs continue; check PostgreSQL on the controller's host");
  if (!controller.view.clock_doubt.empty())
    out.problem("controller", "its time of day " + controller.view.clock_doubt,
                "no checkpoint is deleted for its age now. Correct the clock; if it is right, "
                "restart the controller");
  diagnose_clock("the controller's", controller.clock_offset_ms, controller.answer_ms, out);
  diagnose_nodes(controller, out);
  diagnose_partitions(controller, out);
}

}  // namespace

std::vector<PartitionGone> partitions_gone(const std::vector<JobView>& jobs,
                                           const std::vector<PartitionView>& partitions) {
  const auto exists = [&partitions](std::string_view name) {
    return std::ranges::find(partitions, name, &PartitionView::name) != partitions.end();
  };
  std::vector<PartitionGone> all;
  for (const JobView& view : jobs) {
    if (view.job.state != JobState::Pending) continue;
    if (std::ranges::any_of(split(view.partition, ','), exists)) continue;
    auto gone = std::ranges::find(all, view.partition, &PartitionGone::name);
    if (gone == all.end()) gone = all.insert(gone, PartitionGone{view.partition, {}});
    gone->jobs.push_back(shown_id(view.job));
  }
  return all;
}

std::vector<Finding> findings_of(const HostFacts& facts) {
  Findings out;
  diagnose_config(facts.config, out);
  diagnose_database(facts, out);
  for (const auto& key : facts.keys) diagnose_key(key, out);
  for (const auto& handshake : facts.handshakes) diagnose_handshake(handshake, out);
  for (const auto& folder : facts.folders) diagnose_folder(folder, controller_answers(facts), out);
  if (facts.cgroups) diagnose_cgroups(*facts.cgroups, out);
  if (facts.gpus) diagnose_gpus(*facts.gpus, out);
  if (facts.mail) diagnose_mail(*facts.mail, out);
  for (const auto& listen : facts.listening) diagnose_listening(facts, listen, out);
  if (facts.controller) {
    diagnose_controller(*facts.controller, out);
  } else if (facts.config.problems.empty()) {
    out.warn("controller",
             "the configuration has no [client] table, so the controller is not checked",
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

// Returns the text of a finding, wrapped to the terminal's width. Lines after the first are
// indented.
std::string finding_text(const Finding& finding, const Screen& screen) {
  constexpr std::size_t begin = health_width + 1 + check_width + 1;
  constexpr std::size_t columns_min = 20;  // in a narrower terminal the text is not wrapped
  const std::string text = localised_text(finding.fact, screen) +
                           (finding.hint.empty() ? "" : " -> " + printable(finding.hint));
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
