#include "client/io/private/private_cluster.h"

#include <fcntl.h>
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
#include "client/show/show.h"
#include "common/io/clock.h"
#include "common/io/config/config_file.h"
#include "common/job/supervisor_folder.h"

namespace cox {

namespace fs = std::filesystem;

Result<std::string> private_cluster_dir(const PrivateClusterOptions& options) {
  std::string dir = options.dir;
  if (dir.empty()) {
    const char* home = std::getenv("HOME");
    if (home == nullptr || home[0] != '/')
      return Refusal{"$HOME does not name a folder", "say where with --dir DIR"};
    dir = std::string(home) + "/.local/state/coxswain";
  }
  std::error_code error;
  const auto whole = fs::weakly_canonical(fs::absolute(dir, error), error);
  if (error) return Refusal{"cannot use the folder " + dir + ": " + error.message(), ""};
  std::string text = whole.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
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
  const auto text = read_file(dir + "/layout");
  if (!text) return std::nullopt;
  return parse_layout(*text, dir);
}

std::string pids_path(const ClusterLayout& layout) {
  return layout.dir + "/pids";
}

std::vector<Daemon> expected_daemons(const ClusterLayout& layout) {
  const auto running = read_daemons(pids_path(layout));
  std::vector<Daemon> daemons = {running_postgres(layout).value_or(Daemon{"postgres", 0, 0})};
  const auto add = [&](const std::string& name) {
    const auto found = std::ranges::find(running, name, &Daemon::name);
    daemons.push_back(found != running.end() ? *found : Daemon{name, 0, 0});
  };
  add("controller");
  for (std::int64_t k = 1; k <= layout.nodes; ++k) add("worker-" + node_name(k));
  return daemons;
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

Result<ClusterView> ask_cluster(const std::string& config) {
  constexpr Milliseconds patience{5'000};
  auto session = open_session(config);
  if (!session) return session.refusal();
  auto answer = session->controller->ask(ShowCluster{}, patience);
  if (!answer) return answer.refusal();
  if (const auto* view = std::get_if<ClusterView>(&*answer)) return *view;
  if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
  return Refusal{"the controller gave an answer of another kind", ""};
}

}  // namespace

// The controller's view, and the private cluster's processes if there is one and no other is meant.
int run_status(const Command& command, const Options& options) {
  const Screen screen = screen_now(STDOUT_FILENO);
  std::vector<Daemon> daemons;
  std::string config = options.config;
  const auto dir = private_cluster_dir(options.cluster);
  const auto layout = dir && config.empty() ? kept_layout(*dir) : std::nullopt;
  if (layout && !*layout) return print_refusal(command, layout->refusal(), options, exit_refused);
  const bool elsewhere = options.cluster.dir.empty() && std::getenv("COX_CONFIG") != nullptr;
  if (layout && !elsewhere) {
    daemons = expected_daemons(**layout);
    config = (*layout)->config_path();
  } else if (!options.cluster.dir.empty()) {
    return print_refusal(
        command,
        {"there is no private cluster in " + *dir, "'cox up --dir " + *dir + "' makes one"},
        options, exit_refused);
  }
  if (const auto found = find_client_config(config); !found)
    return print_refusal(command, found.refusal(), options, exit_refused);
  const auto view = ask_cluster(config);
  Shown shown;
  if (options.json) {
    std::vector<ProcessLine> lines;
    for (const auto& daemon : daemons) lines.push_back({daemon.name, daemon.pid});
    shown.out = json_text(lines, view ? &*view : nullptr);
  } else {
    if (view) shown.out = show_cluster(*view, screen);
    if (!daemons.empty()) shown.out += (view ? "\n" : "") + processes_text(daemons, screen);
  }
  const bool all_stopped = !daemons.empty() && std::ranges::none_of(daemons, runs);
  if (!view)
    shown.err = all_stopped ? refusal_text({"the cluster is stopped",
                                            "'cox up' starts it again, with all that it knows"})
                            : refusal_text({view.refusal().fact, "'cox doctor' tells more"});
  if (!view) shown.exit_code = exit_unreachable;
  return print(shown);
}

}  // namespace cox
