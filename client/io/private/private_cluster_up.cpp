// `cox up`: settles the layout, then makes true what it says, step by step; each step leaves alone
// what is true already, so that a second up is harmless and an interrupted one is continued.
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "client/io/private/files.h"
#include "client/io/private/private_cluster.h"
#include "client/io/private/private_postgres.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/setup/doctor.h"
#include "client/show/json.h"
#include "client/show/show.h"
#include "common/base/hostlist.h"
#include "common/io/clock.h"
#include "common/io/config/config_file.h"
#include "common/io/config/config_overlay.h"
#include "common/io/program_place.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

constexpr Milliseconds stop_patience{10'000};
constexpr Milliseconds nodes_patience{30'000};
constexpr std::size_t socket_path_bytes_max = 100;  // sun_path has 108

void say(const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
}

struct Programs {
  std::string controller;
  std::string worker;
  std::string supervisor;
};

Result<Programs> find_programs() {
  Programs programs;
  for (const auto& [place, name] : {std::pair{&programs.controller, "cox-controller"},
                                    {&programs.worker, "cox-worker"},
                                    {&programs.supervisor, "cox-supervisor"}}) {
    auto path = find_program(name);
    if (!path) return path.refusal();
    *place = std::move(path).value();
  }
  return programs;
}

sockaddr_in loopback(std::int64_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// The port itself if it is free, or for 0 any free one; 0 when it is taken.
std::int64_t free_port(std::int64_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return 0;
  const int yes = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address = loopback(port);
  socklen_t size = sizeof address;
  const bool bound = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(fd);
  return bound ? ntohs(address.sin_port) : 0;
}

Failure make_folders(const ClusterLayout& layout) {
  for (const char* name : {"", "/keys", "/workers", "/log", "/checkpoints", "/spool", "/run"})
    if (auto why = make_folder(layout.dir + name, 0700)) return why;
  for (std::int64_t k = 1; k <= layout.nodes; ++k)
    if (auto why = make_folder(layout.dir + "/spool/" + node_name(k), 0700)) return why;
  return {};
}

// The controller's socket: below the folder, or in a short one where that path would be too long.
Failure settle_run_dir(ClusterLayout& layout) {
  if (!layout.run_dir.empty() && is_folder_of(layout.run_dir, ::geteuid())) return {};
  layout.run_dir = layout.dir + "/run";
  if (layout.local_endpoint().size() <= socket_path_bytes_max) return {};
  auto made = make_unique_folder("/tmp/cox-");
  if (!made) return made.refusal();
  layout.run_dir = *made;
  return {};
}

bool runs(const std::vector<Daemon>& running, const std::string& name) {
  return std::ranges::find(running, name, &Daemon::name) != running.end();
}

// Only a folder of its own: what else lies in one would be in the way, and `down --purge` removes
// the cluster's folder.
Failure check_folder(const std::string& dir) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    const std::string name = entry.path().filename().string();
    const bool ours =
        std::ranges::find(names_in_cluster_dir, name) != std::end(names_in_cluster_dir);
    if (ours || fs::exists(dir + "/layout", error)) continue;
    return Refusal{dir + " holds something else already, such as " + name,
                   "name a folder that is empty or not there yet with --dir"};
  }
  return {};
}

Result<ClusterLayout> settle_layout(const std::string& dir, const PrivateClusterOptions& asked) {
  auto kept = kept_layout(dir);
  if (kept && !*kept) return kept->refusal();
  ClusterLayout layout = kept ? **kept : ClusterLayout{};
  layout.dir = dir;
  if (layout.cluster_name.empty()) layout.cluster_name = "private-" + random_hex(4);
  if (auto why = take_wishes(asked, layout)) return *why;
  if (auto why = make_folders(layout)) return *why;
  if (auto why = settle_run_dir(layout)) return *why;
  if (auto why = settle_postgres_home(layout)) return *why;
  if (!runs(read_daemons(pids_path(layout)), "controller")) {
    if (layout.port != 0) layout.port = free_port(layout.port);
    if (layout.port == 0) layout.port = free_port(0);
    if (layout.port == 0)
      return Refusal{"there is no free port on 127.0.0.1", "end a program that listens there"};
  }
  if (auto why = write_file(dir + "/layout", layout_text(layout))) return *why;
  return layout;
}

Result<std::string> make_key(const ClusterLayout& layout, const std::string& name) {
  const std::string dir = layout.dir + "/keys";
  const std::string path = dir + "/" + name + ".key";
  const bool whole = fs::exists(path) && fs::exists(dir + "/" + name + ".pub");
  auto key = whole ? read_key_file(path) : make_key_files(dir, name);
  if (!key) return key.refusal();
  return key->public_key;
}

// What should run, and whether what runs was started with the configuration of now.
struct Wanted {
  std::string name;
  std::vector<std::string> command;
  bool changed = false;  // its configuration is not what it was
};

Result<bool> write_config(const std::string& path, const std::string& text) {
  if (read_file(path) == text) return false;
  if (auto why = write_file(path, text)) return *why;
  return true;
}

// The file that is given, else the copy of the one that was given last.
Result<ConfigOverlay> read_overlay(const ClusterLayout& layout, const std::string& given) {
  std::error_code error;
  if (given.empty() && !fs::exists(layout.overlay_path(), error)) return ConfigOverlay{};
  const std::string path = given.empty() ? layout.overlay_path() : given;
  auto text = read_config_text(path);
  if (!text) return text.refusal();
  return ConfigOverlay{path, std::move(text).value()};
}

struct ConfigFile {
  std::string daemon;
  std::string path;
  std::string text;
};

// Of the controller, then of each worker.
Result<std::vector<ConfigFile>> make_configs(const ClusterLayout& layout, const Programs& programs,
                                             const ConfigOverlay& overlay) {
  const auto controller_key = make_key(layout, "controller");
  if (!controller_key) return controller_key.refusal();
  if (auto key = make_key(layout, "client"); !key) return key.refusal();
  auto text = lay_over_controller(controller_toml(layout, *controller_key), overlay);
  if (!text) return text.refusal();
  std::vector<ConfigFile> files = {{"controller", layout.config_path(), *text}};
  for (std::int64_t k = 1; k <= layout.nodes; ++k) {
    const std::string name = "worker-" + node_name(k);
    if (auto key = make_key(layout, name); !key) return key.refusal();
    text = lay_over_worker(worker_toml(layout, k, *controller_key, programs.supervisor), overlay,
                           node_name(k));
    if (!text) return text.refusal();
    files.push_back({name, layout.worker_config_path(k), *text});
  }
  return files;
}

// All or, when the overlay is wrong, nothing of it.
Result<std::vector<Wanted>> write_configs(const ClusterLayout& layout, const Programs& programs,
                                          const ConfigOverlay& overlay) {
  const auto files = make_configs(layout, programs, overlay);
  if (!files) return files.refusal();
  if (!overlay.path.empty())
    if (auto why = write_file(layout.overlay_path(), overlay.text)) return *why;
  std::vector<Wanted> wanted;
  for (const auto& file : *files) {
    const auto changed = write_config(file.path, file.text);
    if (!changed) return changed.refusal();
    const auto& program = file.daemon == "controller" ? programs.controller : programs.worker;
    wanted.push_back({file.daemon, {program, "--config", file.path}, *changed});
  }
  return wanted;
}

// Workers beyond the number wanted go, and their ranks with them.
void stop_surplus(const ClusterLayout& layout, std::vector<Daemon>& running,
                  const std::vector<Wanted>& wanted) {
  std::vector<Daemon> stop, kept, supervisors;
  for (const auto& daemon : running) {
    const auto found = std::ranges::find(wanted, daemon.name, &Wanted::name);
    (found == wanted.end() || found->changed ? stop : kept).push_back(daemon);
    if (found != wanted.end()) continue;
    say("stopping " + daemon.name);
    const std::string node = daemon.name.substr(daemon.name.find('-') + 1);
    for (const auto& each : live_supervisors(layout, node)) supervisors.push_back(each);
  }
  stop_daemons(stop, SIGTERM, stop_patience);
  stop_daemons(supervisors, SIGKILL, stop_patience);
  running = kept;
}

Failure start_missing(const ClusterLayout& layout, const std::vector<Wanted>& wanted) {
  auto running = read_daemons(pids_path(layout));
  stop_surplus(layout, running, wanted);
  for (const auto& each : wanted) {
    if (runs(running, each.name)) continue;
    auto daemon = start_daemon(each.name, each.command, layout.log_path(each.name), std::nullopt);
    if (!daemon) return daemon.refusal();
    running.push_back(*daemon);
    if (auto why = write_daemons(pids_path(layout), running)) return why;
  }
  return write_daemons(pids_path(layout), running);
}

// A daemon that should run and does not; else whatever keeps us waiting.
Refusal not_up(const ClusterLayout& layout, const std::string& waiting_for) {
  for (const auto& daemon : expected_daemons(layout)) {
    if (daemon.pid != 0) continue;
    const std::string log_file = layout.log_path(daemon.name);
    return {daemon.name + " has ended; the end of " + log_file + ":",
            "\n" + last_lines(log_file, 15)};
  }
  return {waiting_for, "look into " + layout.dir + "/log; 'cox down' stops what runs"};
}

std::set<std::string> responding(const Result<Answer>& answer) {
  std::set<std::string> names;
  const auto* list = answer ? std::get_if<NodeList>(&*answer) : nullptr;
  if (list == nullptr) return names;
  for (const auto& view : list->nodes)
    if (view.node.responding) names.insert(view.node.name);
  return names;
}

Failure await_nodes(const ClusterLayout& layout) {
  constexpr Milliseconds patience{1'000}, look_again{100};
  auto session = open_session(layout.config_path());
  if (!session) return session.refusal();
  const Boot end = read_clock().boot + nodes_patience;
  std::int64_t told = -1;
  for (;;) {
    const auto answer = session->controller->ask(ListNodes{}, patience);
    const auto names = responding(answer);
    std::int64_t here = 0;
    for (std::int64_t k = 1; k <= layout.nodes; ++k) here += names.contains(node_name(k)) ? 1 : 0;
    const std::string progress =
        std::to_string(here) + " of " + std::to_string(layout.nodes) + " nodes respond";
    if (answer && here != told) say(progress);
    if (answer) told = here;
    if (here == layout.nodes) return {};
    const auto daemons = expected_daemons(layout);
    const bool died = std::ranges::any_of(daemons, [](const Daemon& d) { return d.pid == 0; });
    if (died || read_clock().boot >= end)
      return not_up(layout, answer ? progress : answer.refusal().fact);
    pause_for(*session->poller, look_again);
  }
}

bool all_run(const ClusterLayout& layout) {
  const auto daemons = expected_daemons(layout);
  return std::ranges::all_of(daemons, [](const Daemon& daemon) { return daemon.pid != 0; });
}

// A real cluster's file may be tried on a smaller one; but it may be a mistake.
void warn_of_missing_nodes(const ClusterLayout& layout, const ConfigOverlay& overlay) {
  std::vector<std::string> missing = nodes_named(overlay);
  for (std::int64_t k = 1; k <= layout.nodes; ++k) std::erase(missing, node_name(k));
  if (missing.empty()) return;
  sort_hostnames(missing);
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  say("warning: " + overlay.path + " speaks of " + compress_hostlist(missing) +
      ", and this cluster has " + std::to_string(layout.nodes) +
      (layout.nodes == 1 ? " node" : " nodes") + "; `cox up --nodes` makes more");
}

Failure bring_up(const ClusterLayout& layout, const std::string& overlay_given) {
  const auto programs = find_programs();
  if (!programs) return programs.refusal();
  const auto overlay = read_overlay(layout, overlay_given);
  if (!overlay) return overlay.refusal();
  const auto wanted = write_configs(layout, *programs, *overlay);
  if (!wanted) return wanted.refusal();
  warn_of_missing_nodes(layout, *overlay);
  const bool changes = std::ranges::any_of(*wanted, &Wanted::changed);
  if (all_run(layout) && !changes)
    say("the cluster runs already");
  else if (runs(read_daemons(pids_path(layout)), "controller"))
    say("bringing the cluster to " + std::to_string(layout.nodes) +
        (layout.nodes == 1 ? " worker" : " workers"));
  else
    say("starting PostgreSQL, the controller and " + std::to_string(layout.nodes) +
        (layout.nodes == 1 ? " worker" : " workers"));
  if (auto why = start_postgres(layout)) return why;
  if (auto why = start_missing(layout, *wanted)) return why;
  return await_nodes(layout);
}

// Commands find a cluster in the usual folder by themselves, unless COX_CONFIG names another one.
std::string ready_text(const ClusterLayout& layout) {
  const auto found = find_config("");
  const bool is_found = found && *found == layout.config_path();
  const std::string config = is_found ? "" : "export COX_CONFIG=" + layout.config_path() + "\n";
  return "The cluster is up in " + layout.dir + " (" + std::to_string(layout.nodes) +
         (layout.nodes == 1 ? " node" : " nodes") + ").\n" + counted_not_enforced + ".\nTry:\n" +
         config +
         "cox submit -N1 -n2 -- sh -c 'echo rank $RANK of $WORLD_SIZE'\n"
         "cox queue --all\n"
         "cox nodes\n";
}

}  // namespace

int run_up(const Command& command, const Options& options) {
  const auto dir = private_cluster_dir(options.cluster);
  if (!dir) return print_refusal(command, dir.refusal(), options, exit_refused);
  if (auto why = check_folder(*dir)) return print_refusal(command, *why, options, exit_refused);
  if (auto why = make_folder(*dir, 0700))
    return print_refusal(command, *why, options, exit_refused);
  const auto lock = FolderLock::take(*dir);
  if (!lock) return print_refusal(command, lock.refusal(), options, exit_refused);
  const auto layout = settle_layout(*dir, options.cluster);
  if (!layout) return print_refusal(command, layout.refusal(), options, exit_refused);
  if (auto why = bring_up(*layout, options.config))
    return print_refusal(command, *why, options, exit_refused);
  if (!options.json) return print({ready_text(*layout), "", exit_ok});
  std::vector<ProcessLine> lines;
  for (const auto& daemon : expected_daemons(*layout)) lines.push_back({daemon.name, daemon.pid});
  return print({json_text(lines, nullptr), "", exit_ok});
}

}  // namespace cox
