#include "worker/supervisor/io/step_daemon.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "common/base/text.h"
#include "worker/supervisor/io/child.h"
#include "worker/supervisor/rank_environment.h"

namespace cox {

namespace {

constexpr std::size_t frame_bytes_from_daemon_max = 64u << 10;
constexpr int inherited_socket = 3;
// Lock file of cpu_claim.h, in the worker's spool folder.
constexpr const char* cpus_file = "/cpus";

// Returns the path of cox-stepd, which is installed beside this program.
std::string program() {
  char path[PATH_MAX];
  const ssize_t bytes = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string own(path, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  return own.substr(0, own.rfind('/') + 1) + "cox-stepd";
}

// Claims CPUs for bound tasks. Returns their list, such as "0,1", or why none could be claimed.
std::string claim_text(const LaunchSpec& launch, const std::string& folder, CpuClaim& claim) {
  const auto at = static_cast<std::size_t>(launch.node_index);
  const std::int64_t count = launch.nodes[at].grant.cpus;
  const std::string file = folder.substr(0, folder.rfind('/')) + cpus_file;
  auto claimed = claim_cpus(file, static_cast<std::size_t>(count), usable_cpus());
  if (!claimed) return claimed.refusal().fact;
  claim = std::move(*claimed);
  return comma_list(claim.cpus);
}

[[noreturn]] void run_child(const LaunchSpec& launch, const std::string& mark, int socket,
                            pid_t parent, bool is_inside, std::string cpus) {
  constexpr int exit_code_not_run = 127;
  ::setpgid(0, 0);
  become_plain_child(parent);
  if (!is_inside || !become_user(launch.spec.uid, launch.spec.gid)) ::_exit(exit_code_not_run);
  become_plain_child(parent);  // again: the change of user cleared PR_SET_PDEATHSIG
  if (socket == inherited_socket) {
    ::fcntl(socket, F_SETFD, 0);
  } else {
    ::dup2(socket, inherited_socket);
  }
  ::close_range(inherited_socket + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  std::string path = program();
  std::string name = "cox-stepd";
  std::string attempt =
      std::to_string(launch.key.job.value) + "." + std::to_string(launch.key.attempt.value);
  std::string marked = mark;
  char* const words[] = {name.data(), attempt.data(), cpus.data(), nullptr};
  char* const environment[] = {marked.data(), nullptr};
  ::execve(path.c_str(), words, environment);
  ::_exit(exit_code_not_run);
}

}  // namespace

Result<StepDaemon> StepDaemon::start(const LaunchSpec& launch, const GoOrder& go,
                                     const std::string& folder, const Containment& containment) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Refusal{std::string("cannot make a socket: ") + std::strerror(errno), ""};
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  const std::string mark = attempt_mark(folder);
  const pid_t parent = ::getpid();
  CpuClaim claim;
  const std::string cpus = claim_text(launch, folder, claim);
  const Containment::Forked forked = containment.fork_inside();
  if (forked.pid < 0)
    return Refusal{std::string("cannot start a process: ") + std::strerror(errno), ""};
  if (forked.pid == 0)
    run_child(launch, mark, theirs.get(), parent, forked.is_inside || containment.enter(), cpus);
  ::setpgid(forked.pid, forked.pid);
  // The program cox-stepd was installed together with this program or later, so it supports this
  // protocol version.
  StepDaemon daemon(forked.pid,
                    FrameStream(std::move(ours), frame_bytes_from_daemon_max, protocol_version));
  daemon.cpus_ = std::move(claim);
  LaunchSpec shortened = launch;
  shortened.script.clear();
  shortened.environment.clear();
  const AttemptKey key = launch.key;
  if (!daemon.send(Prepare{{}, std::move(shortened)}) || !daemon.send(Go{{}, key, go}))
    return Refusal{"the step daemon of this node could not be started", ""};
  return daemon;
}

bool StepDaemon::read(std::vector<StepStatus>& statuses) {
  std::vector<Message> messages;
  const bool lives = stream_.read(messages) && stream_.flush();
  for (Message& message : messages)
    if (auto* status = std::get_if<StepStatus>(&message)) statuses.push_back(std::move(*status));
  return lives;
}

}  // namespace cox
