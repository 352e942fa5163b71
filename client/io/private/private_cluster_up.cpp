// `cox up`: determines the layout, then creates and starts what it describes, step by step. Each
// step skips what is already done, so a second `cox up` is harmless and an interrupted one
// continues.
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <thread>

#include "client/io/private/files.h"
#include "client/io/private/private_cluster.h"
#include "client/io/private/private_postgres.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/setup/doctor.h"
#include "client/show/json.h"
#include "common/base/hostlist.h"
#include "common/io/clock.h"
#include "common/io/config/config_file.h"
#include "common/io/config/config_overlay.h"
#include "common/io/program_place.h"
#include "common/job/checkpoint_marker.h"
#include "common/messages/worker_messages.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

constexpr Milliseconds stop_patience{10'000};
// How long to wait until all nodes are up. A busy machine takes almost a minute.
constexpr Milliseconds nodes_patience{120'000};
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

// Returns the port if it is free, or 0 if it is taken. For port 0, returns any free port.
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

// Chooses the folder of the controller's socket: below the cluster's folder, or in a short one in
// /tmp if that path would be too long.
Failure resolve_run_dir(ClusterLayout& layout) {
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

// Refuses a folder that has other files: they would conflict, and `cox down --purge` removes the
// cluster's folder.
Failure check_folder(const std::string& dir) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    const std::string name = entry.path().filename().string();
    const bool ours =
        std::ranges::find(names_in_cluster_dir, name) != std::end(names_in_cluster_dir);
    if (ours || fs::exists(dir + "/layout", error)) continue;
    return Refusal{dir + " contains other files, such as " + name,
                   "name an empty or new folder with --dir"};
  }
  return {};
}

// Refuses to remove nodes on which jobs run: their processes would be killed.
Failure check_removed_nodes(const ClusterLayout& layout, std::int64_t nodes_before) {
  for (std::int64_t k = layout.nodes + 1; k <= nodes_before; ++k) {
    const std::string node = node_name(k);
    const auto live = live_supervisors(layout, node);
    if (live.empty()) continue;
    const std::string job = live.front().name.substr(0, live.front().name.find('.'));
    return Refusal{"node " + node + ", which --nodes leaves out, runs job " + job,
                   "end or requeue its jobs first (`cox drain " + node +
                       "` keeps new ones away), or give at least --nodes " + std::to_string(k)};
  }
  return {};
}

Result<ClusterLayout> resolve_layout(const std::string& dir, const UpOptions& asked) {
  auto kept = kept_layout(dir);
  if (kept && !*kept) return kept->refusal();
  ClusterLayout layout = kept ? **kept : ClusterLayout{};
  layout.dir = dir;
  if (layout.cluster_name.empty()) layout.cluster_name = "private-" + random_hex(4);
  const std::int64_t nodes_before = layout.nodes;
  if (auto why = apply_overrides(asked.wishes, layout)) return *why;
  if (auto why = check_removed_nodes(layout, nodes_before)) return *why;
  if (auto why = make_folders(layout)) return *why;
  if (auto why = resolve_run_dir(layout)) return *why;
  if (auto why = resolve_postgres_home(layout)) return *why;
  const auto running = read_daemons(pids_path(layout));
  if (!running) return running.refusal();
  if (!runs(*running, "controller")) {
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

// The controller or a worker, which should run.
struct Wanted {
  std::string name;
  std::vector<std::string> command;
  bool changed = false;  // its configuration file has changed, so it must be restarted
};

Result<bool> write_config(const std::string& path, const std::string& text) {
  if (read_file(path) == text) return false;
  if (auto why = write_file(path, text)) return *why;
  return true;
}

// Reads the overlay, a file of settings that replace those of `cox up`. It is the file given with
// the option --config, or else the copy of the file given to an earlier `cox up`.
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

// Returns the texts of the configuration files of the controller and of each worker. The only files
// that it writes are missing keys.
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

// Writes the configuration files of all daemons, or none if a setting of the overlay is wrong.
// Returns the daemons that should run.
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

// Stops daemons whose configuration has changed, and workers beyond the wanted number together with
// the ranks on their nodes.
void stop_surplus(const ClusterLayout& layout, std::vector<Daemon>& running,
                  const std::vector<Wanted>& wanted) {
  std::vector<Daemon> stop, kept;
  std::vector<std::string> nodes;
  for (const auto& daemon : running) {
    const auto found = std::ranges::find(wanted, daemon.name, &Wanted::name);
    (found == wanted.end() || found->changed ? stop : kept).push_back(daemon);
    if (found != wanted.end()) continue;
    say("stopping " + daemon.name);
    nodes.push_back(daemon.name.substr(daemon.name.find('-') + 1));
  }
  stop_daemons(stop, SIGTERM, stop_patience);
  for (const auto& node : nodes) end_supervisors(layout, node, stop_patience);
  running = kept;
}

// Waits until the controller has made the marker of the checkpoint folder, or has ended. A worker
// that does not find the marker gets no jobs, and looks again only a second later.
void await_marker(const ClusterLayout& layout, const Daemon& controller) {
  constexpr Milliseconds look_again{20};
  constexpr Milliseconds patience{10'000};  // then the workers start anyway
  const Boot end = read_clock().boot + patience;
  const std::string marker = layout.dir + "/checkpoints/" + checkpoint_marker_file;
  std::error_code error;
  while (!fs::exists(marker, error) && is_running(controller) && read_clock().boot < end)
    std::this_thread::sleep_for(look_again);
}

// The daemons that `cox up` has started, and when it began to.
struct Started {
  std::set<std::string> names;
  Boot since{};
};

Result<Started> start_missing(const ClusterLayout& layout, const std::vector<Wanted>& wanted) {
  auto known = read_daemons(pids_path(layout));
  if (!known) return known.refusal();
  std::vector<Daemon>& running = *known;
  stop_surplus(layout, running, wanted);
  Started started{{}, read_clock().boot};
  for (const auto& each : wanted) {
    if (runs(running, each.name)) continue;
    auto daemon = start_daemon(each.name, each.command, layout.log_path(each.name), std::nullopt);
    if (!daemon) return daemon.refusal();
    running.push_back(*daemon);
    started.names.insert(each.name);
    if (auto why = write_daemons(pids_path(layout), running)) return *why;
    if (each.name == "controller") await_marker(layout, *daemon);
  }
  if (auto why = write_daemons(pids_path(layout), running)) return *why;
  return started;
}

bool all_run(const ClusterLayout& layout) {
  const auto daemons = expected_daemons(layout);
  return daemons &&
         std::ranges::all_of(*daemons, [](const Daemon& daemon) { return daemon.pid != 0; });
}

// Returns the refusal for a cluster that does not come up: it names a daemon that has ended, or
// else `waiting_for`.
Refusal not_up(const ClusterLayout& layout, const std::string& waiting_for) {
  const auto daemons = expected_daemons(layout);
  if (!daemons) return daemons.refusal();
  for (const auto& daemon : *daemons) {
    if (daemon.pid != 0) continue;
    const std::string log_file = layout.log_path(daemon.name);
    return {daemon.name + " has ended; the end of " + log_file + ":", last_lines(log_file, 15)};
  }
  return {waiting_for, "look into " + layout.dir + "/log; " +
                           quoted_command("cox down", layout.dir) + " stops the cluster"};
}

// Returns the nodes that respond: the controller that leads has heard them, and those whose worker
// was started since then. Until it has, no job starts there.
std::set<std::string> responding(const Result<Answer>& answer, const Started& started) {
  std::set<std::string> names;
  const auto* list = answer ? std::get_if<NodeList>(&*answer) : nullptr;
  if (list == nullptr) return names;
  const Milliseconds age = read_clock().boot - started.since;
  for (const auto& view : list->nodes) {
    const bool is_heard = view.silent_ms >= 0;
    const bool is_heard_since =
        !started.names.contains("worker-" + view.node.name) || view.silent_ms < age.count();
    if (view.node.responding && is_heard && is_heard_since) names.insert(view.node.name);
  }
  return names;
}

constexpr Milliseconds patience{1'000};  // for an answer of the controller

// Returns why the controller cannot use its database yet; empty if it can.
std::string database_trouble(Asker& controller) {
  const auto answer = controller.ask(ShowCluster{}, patience);
  const auto* view = answer ? std::get_if<ClusterView>(&*answer) : nullptr;
  if (view == nullptr) return answer ? "the controller has no answer" : answer.refusal().fact;
  return view->database == "ready" ? "" : "the controller's database: " + view->database;
}

// Returns which nodes get no jobs yet because they do not see the checkpoint folder; empty if all
// do.
std::string folder_trouble(const Result<Answer>& answer) {
  const auto* list = answer ? std::get_if<NodeList>(&*answer) : nullptr;
  std::vector<std::string> names;
  if (list != nullptr)
    for (const auto& view : list->nodes)
      if (view.node.reason == no_checkpoint_folder) names.push_back(view.node.name);
  return names.empty() ? "" : compress_hostlist(names) + ": " + std::string(no_checkpoint_folder);
}

// Waits until all nodes respond and have the checkpoint folder, and the controller its database.
Failure await_nodes(const ClusterLayout& layout, const Started& started) {
  constexpr Milliseconds look_again{100};
  auto session = open_session(layout.config_path());
  if (!session) return session.refusal();
  const Boot began = read_clock().boot;
  std::int64_t printed = -1;
  for (;;) {
    const auto answer = session->controller->ask(ListNodes{}, patience);
    const auto names = responding(answer, started);
    std::int64_t here = 0;
    for (std::int64_t k = 1; k <= layout.nodes; ++k) here += names.contains(node_name(k)) ? 1 : 0;
    std::string progress = std::to_string(here) + " of " + std::to_string(layout.nodes) +
                           (layout.nodes == 1 ? " node" : " nodes") +
                           (here == 1 ? " responds" : " respond");
    if (answer && here != printed) say(progress);
    if (answer) printed = here;
    if (here == layout.nodes) progress = folder_trouble(answer);
    if (progress.empty()) progress = database_trouble(*session->controller);
    if (progress.empty()) return {};
    const Milliseconds waited = read_clock().boot - began;
    if (!all_run(layout) || waited >= nodes_patience)
      return not_up(layout, (answer ? progress : answer.refusal().fact) + " after " +
                                std::to_string(waited.count() / 1000) + " s");
    pause_for(*session->poller, look_again);
  }
}

// Warns if the overlay names nodes that this cluster lacks. That may be a mistake, but the file of
// a real cluster may also be tried on a smaller one.
void warn_of_missing_nodes(const ClusterLayout& layout, const ConfigOverlay& overlay) {
  std::vector<std::string> missing = nodes_named(overlay);
  for (std::int64_t k = 1; k <= layout.nodes; ++k) std::erase(missing, node_name(k));
  if (missing.empty()) return;
  sort_hostnames(missing);
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  say("warning: " + overlay.path + " names " + compress_hostlist(missing) +
      ", but this cluster has " + std::to_string(layout.nodes) +
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
  const auto running = read_daemons(pids_path(layout));
  if (!running) return running.refusal();
  if (all_run(layout) && !changes)
    say("the cluster is running already");
  else if (runs(*running, "controller") && !running_postgres(layout))
    say("starting PostgreSQL again");
  else if (runs(*running, "controller"))
    say("bringing the cluster to " + std::to_string(layout.nodes) +
        (layout.nodes == 1 ? " worker" : " workers"));
  else if (running_postgres(layout))
    say("starting the controller and the workers that have stopped");
  else
    say("starting PostgreSQL, the controller and " + std::to_string(layout.nodes) +
        (layout.nodes == 1 ? " worker" : " workers"));
  if (auto why = start_postgres(layout)) return why;
  const auto started = start_missing(layout, *wanted);
  if (!started) return started.refusal();
  return await_nodes(layout, *started);
}

// Returns the last message of `cox up`. It says how to set COX_CONFIG, unless commands find this
// cluster without it.
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

int run_up(const Command& command, const UpOptions& options) {
  const auto dir = private_cluster_dir(options.dir);
  if (!dir) return print_refusal(command, dir.refusal(), options, exit_refused);
  if (auto why = check_folder(*dir)) return print_refusal(command, *why, options, exit_refused);
  if (auto why = make_folder(*dir, 0700))
    return print_refusal(command, *why, options, exit_refused);
  const auto lock = FolderLock::take(*dir);
  if (!lock) return print_refusal(command, lock.refusal(), options, exit_refused);
  const auto layout = resolve_layout(*dir, options);
  if (!layout) return print_refusal(command, layout.refusal(), options, exit_refused);
  if (auto why = bring_up(*layout, options.config))
    return print_refusal(command, *why, options, exit_refused);
  if (!options.json) return print({ready_text(*layout), "", exit_ok});
  const auto daemons = expected_daemons(*layout);
  if (!daemons) return print_refusal(command, daemons.refusal(), options, exit_refused);
  return print({json_text(lines_of(*daemons), nullptr, {}), "", exit_ok});
}

}  // namespace cox
