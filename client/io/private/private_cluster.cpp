#include "client/io/private/private_cluster.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "client/io/private/files.h"
#include "client/io/private/private_postgres.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/show/json.h"
#include "client/show/show_cluster.h"
#include "client/show/show_words.h"
#include "client/text/table.h"
#include "common/io/clock.h"
#include "common/io/config/config_file.h"
#include "common/job/supervisor_folder.h"

namespace cox {

namespace fs = std::filesystem;

Result<std::string> private_cluster_dir(const std::string& dir_given) {
  std::string dir = dir_given;
  if (dir.empty()) {
    const char* home = std::getenv("HOME");
    if (home == nullptr || home[0] != '/')
      return Refusal{"$HOME does not name a folder", "name a folder with --dir DIR"};
    dir = std::string(home) + "/.local/state/coxswain";
  }
  std::error_code error;
  const auto whole = fs::weakly_canonical(fs::absolute(dir, error), error);
  if (error) return Refusal{"cannot use the folder " + dir + ": " + error.message(), ""};
  std::string text = whole.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

std::string quoted_command(const std::string& command, const std::string& dir) {
  const auto by_default = private_cluster_dir("");
  return "'" + command + (by_default && *by_default == dir ? "" : " --dir " + dir) + "'";
}

Result<std::unique_ptr<FolderLock>> FolderLock::take(const std::string& dir) {
  const int fd = ::open((dir + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return Refusal{"cannot open " + dir + "/lock: " + std::strerror(errno), ""};
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return std::unique_ptr<FolderLock>(new FolderLock(fd));
  ::close(fd);
  return Refusal{"another 'cox up' or 'cox down' is at work in " + dir, "wait for it to end"};
}

FolderLock::~FolderLock() {
  ::close(fd_);
}

std::optional<Result<ClusterLayout>> kept_layout(const std::string& dir) {
  const auto text = read_file_if_any(dir + "/layout");
  if (!text) return text.refusal();
  if (!*text) return std::nullopt;
  return parse_layout(**text, dir);
}

std::string pids_path(const ClusterLayout& layout) {
  return layout.dir + "/pids";
}

Result<std::vector<Daemon>> expected_daemons(const ClusterLayout& layout) {
  const auto running = read_daemons(pids_path(layout));
  if (!running) return running.refusal();
  std::vector<Daemon> daemons = {running_postgres(layout).value_or(Daemon{"postgres", 0, 0})};
  const auto add = [&](const std::string& name) {
    const auto found = std::ranges::find(*running, name, &Daemon::name);
    daemons.push_back(found != running->end() ? *found : Daemon{name, 0, 0});
  };
  add("controller");
  for (std::int64_t k = 1; k <= layout.nodes; ++k) add("worker-" + node_name(k));
  return daemons;
}

std::vector<DaemonLine> lines_of(const std::vector<Daemon>& daemons) {
  std::vector<DaemonLine> lines;
  for (const auto& daemon : daemons) lines.push_back({daemon.name, daemon.pid});
  return lines;
}

std::vector<Daemon> live_supervisors(const ClusterLayout& layout, const std::string& node) {
  std::vector<Daemon> live;
  const std::string boot = boot_id();
  std::error_code error;
  for (const auto& folder : fs::directory_iterator(layout.dir + "/spool/" + node, error)) {
    const auto text = read_file((folder.path() / supervisor_folder::identity_file).string());
    if (!text) continue;
    std::istringstream lines(*text);
    std::string boot_then;
    Daemon daemon{folder.path().filename().string(), 0, 0};  // "<job>.<attempt>"
    if (!(lines >> boot_then >> daemon.pid >> daemon.start_time)) continue;
    if (boot_then == boot && is_running(daemon)) live.push_back(daemon);
  }
  return live;
}

void end_supervisors(const ClusterLayout& layout, const std::string& node, Milliseconds patience) {
  const auto live = live_supervisors(layout, node);
  for (const auto& each : live)  // without the note the controller counts a failure
    write_file(layout.dir + "/spool/" + node + "/" + each.name + "/" +
                   supervisor_folder::ended_file,
               "");
  stop_daemons(live, SIGKILL, patience);
}

namespace {

bool runs(const Daemon& daemon) {
  return daemon.pid != 0;
}

std::string processes_text(const std::vector<Daemon>& daemons, const Screen& screen) {
  Table table({"PROCESS", "STATE", "PID"});
  table.right(2);
  for (const auto& daemon : daemons) {
    table.row({daemon.name,
               runs(daemon) ? Cell("running", Colour::Green) : Cell("stopped", Colour::Red),
               runs(daemon) ? std::to_string(daemon.pid) : "-"});
  }
  return table.text(screen.colour);
}

struct ClusterState {
  ClusterView view;
  std::vector<NodeView> nodes;  // empty if the second request was not answered
};

Result<ClusterState> ask_cluster(const std::string& config) {
  constexpr Milliseconds patience{5'000};
  auto session = open_session(config);
  if (!session) return session.refusal();
  auto answer = session->controller->ask(ShowCluster{}, patience);
  if (!answer) return answer.refusal();
  if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
  auto* view = std::get_if<ClusterView>(&*answer);
  if (view == nullptr) return Refusal{"the controller sent an unexpected reply", ""};
  ClusterState state{std::move(*view), {}};
  answer = session->controller->ask(ListNodes{}, patience);
  if (auto* list = answer ? std::get_if<NodeList>(&*answer) : nullptr)
    state.nodes = std::move(list->nodes);
  return state;
}

// Returns the folder of the private cluster that `cox status` may show: --dir, or else the folder
// of the configuration that it uses.
Result<std::string> status_dir(const StatusOptions& options) {
  const auto config = find_config(options.config);
  if (!options.dir.empty() || !config) return private_cluster_dir(options.dir);
  return private_cluster_dir(fs::absolute(*config).parent_path().string());
}

bool is_configured_by(const ClusterLayout& layout, const std::string& config_given) {
  const auto config = find_config(config_given);
  std::error_code error;
  return config && fs::equivalent(*config, layout.config_path(), error);
}

}  // namespace

// `cox status`: shows the state of the cluster as the controller reports it and, if it is a private
// cluster, its processes.
int run_status(const Command& command, const StatusOptions& options) {
  const Screen screen = screen_now(STDOUT_FILENO);
  std::vector<Daemon> daemons;
  std::string config = options.config;
  const auto dir = status_dir(options);
  if (!dir) return print_refusal(command, dir.refusal(), options, exit_refused);
  const auto layout = kept_layout(*dir);
  if (layout && !*layout) return print_refusal(command, layout->refusal(), options, exit_refused);
  if (layout && (!options.dir.empty() || is_configured_by(**layout, options.config))) {
    auto expected = expected_daemons(**layout);
    if (!expected) return print_refusal(command, expected.refusal(), options, exit_refused);
    daemons = std::move(*expected);
    if (!options.dir.empty()) config = (*layout)->config_path();
  } else if (!options.dir.empty()) {
    return print_refusal(
        command,
        {"there is no private cluster in " + *dir, quoted_command("cox up", *dir) + " makes one"},
        options, exit_refused);
  }
  if (const auto found = find_client_config(config); !found)
    return print_refusal(command, found.refusal(), options, exit_refused);
  const auto state = ask_cluster(config);
  const ClusterView* view = state ? &state->view : nullptr;
  const std::vector<NodeView> nodes = state ? state->nodes : std::vector<NodeView>{};
  Shown shown;
  if (options.json) {
    shown.out = json_text(lines_of(daemons), view, nodes);
  } else {
    if (view) shown.out = show_cluster(*view, nodes, screen);
    if (!daemons.empty()) shown.out += (view ? "\n" : "") + processes_text(daemons, screen);
  }
  const bool all_stopped = !daemons.empty() && std::ranges::none_of(daemons, runs);
  if (!view)
    shown.err = all_stopped ? refusal_text({"the cluster is stopped",
                                            quoted_command("cox up", *dir) +
                                                " starts it again, with its jobs and history"})
                            : refusal_text({state.refusal().fact, "'cox doctor' shows more"});
  if (!view) shown.exit_code = exit_unreachable;
  return print(shown);
}

}  // namespace cox
