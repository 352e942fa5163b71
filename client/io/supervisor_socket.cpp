#include "client/io/supervisor_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "common/base/limits.h"
#include "common/base/process_text.h"
#include "common/job/supervisor_folder.h"
#include "common/messages/codec.h"

namespace cox {
namespace {

// Wait for the answer to `cox checkpoint done`: 1 hour, because the supervisor first reads and
// hashes everything that the rank saved.
constexpr int answer_timeout_ms = 60 * 60 * 1000;

// How long a report is tried again if the supervisor runs and cannot be reached, or cannot reach
// the place of the save: the node may have a fault, such as a disk that is away. A rank that gave
// up at once would fail because of it.
constexpr std::chrono::seconds reach_max{60};
constexpr int reach_again_ms = 200;
constexpr const char* supervisor_program = "cox-supervisor";

struct Descriptor {
  int fd = -1;
  explicit Descriptor(int f) : fd(f) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

Refusal not_reached(const std::string& path) {
  return {"cannot reach the supervisor at " + path + ": " + std::strerror(errno),
          "check with 'cox show job' whether the attempt still runs"};
}

// Returns whether this process descends from a supervisor, as all processes of an attempt do while
// it runs. True if that is not known, since a parent may not be read.
bool has_supervisor_above() {
  for (pid_t pid = ::getppid(); pid > 1;) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto stat = parse_process_stat(text);
    const auto usage = parse_process_usage(text);
    if (!stat || !usage || usage->name == supervisor_program) return true;
    pid = stat->parent;
  }
  return false;
}

// Connects to the socket. Its path may be longer than sun_path allows, so the socket is addressed
// through the descriptor of its folder (/proc/self/fd/N).
bool connect_to(int socket, const std::string& path) {
  const auto slash = path.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const Descriptor dir(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (dir.fd < 0) return false;
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::string name = "/proc/self/fd/" + std::to_string(dir.fd) + "/" + file;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool read_all(int fd, char* to, std::size_t count) {
  while (count > 0) {
    pollfd wait{fd, POLLIN, 0};
    const int ready = ::poll(&wait, 1, answer_timeout_ms);
    if (ready == 0) errno = ETIMEDOUT;
    if (ready == 0) return false;
    const ssize_t n = ready < 0 ? -1 : ::read(fd, to, count);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ECONNRESET;
    if (n <= 0) return false;
    to += n;
    count -= static_cast<std::size_t>(n);
  }
  return true;
}

bool write_frame(int fd, const std::string& frame) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8)
    bytes += static_cast<char>((frame.size() >> shift) & 0xff);
  return write_all(fd, bytes + frame);
}

bool read_frame(int fd, std::string& frame) {
  std::array<unsigned char, 4> head{};
  if (!read_all(fd, reinterpret_cast<char*>(head.data()), head.size())) return false;
  std::size_t size = 0;
  for (std::size_t i = head.size(); i-- > 0;) size = size << 8 | head[i];
  if (size > limits::frame_bytes_max) {
    errno = EMSGSIZE;
    return false;
  }
  frame.resize(size);
  return read_all(fd, frame.data(), size);
}

// Sends the report once. Sets whether it is to be tried again: the supervisor runs and its socket
// is not there, or it answered that it could not reach the place of the save.
Result<CheckpointAnswer> report_once(const std::string& path, const Message& report,
                                     bool& may_retry) {
  may_retry = false;
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.fd < 0) return not_reached(path);
  if (!connect_to(socket.fd, path)) {
    const int error = errno;
    const Refusal refusal = not_reached(path);
    may_retry = error != EACCES && error != ENAMETOOLONG && has_supervisor_above();
    return refusal;
  }
  std::string frame;
  if (!write_frame(socket.fd, encode(report)) || !read_frame(socket.fd, frame))
    return not_reached(path);
  auto messages = decode(frame);
  if (!messages) return messages.refusal();
  for (const auto& message : *messages) {
    const auto* answer = std::get_if<CheckpointAnswer>(&message);
    if (answer == nullptr) continue;
    may_retry = answer->refused && answer->may_retry;
    return *answer;
  }
  return Refusal{"the supervisor sent an unexpected reply", ""};
}

}  // namespace

Result<std::string> supervisor_socket(const std::string& command) {
  const char* path = std::getenv(supervisor_folder::variable_socket);
  if (path != nullptr && path[0] != '\0') return std::string(path);
  return Refusal{"this is not a rank of a job: $COX_SUPERVISOR_SOCKET is not set",
                 "'cox " + command + "' works only in a job"};
}

Result<CheckpointAnswer> report_checkpoint(const std::string& path, const Message& report) {
  const auto give_up = std::chrono::steady_clock::now() + reach_max;
  while (true) {
    bool may_retry = false;
    auto answer = report_once(path, report, may_retry);
    if (!may_retry) return answer;
    if (std::chrono::steady_clock::now() >= give_up) {
      const std::string tried = " (tried for " + std::to_string(reach_max.count()) + " s)";
      if (!answer) return Refusal{answer.refusal().fact + tried, answer.refusal().hint};
      answer->refused->fact += tried;
      return answer;
    }
    ::poll(nullptr, 0, reach_again_ms);
  }
}

Failure report_progress(const std::string& path, const ProgressReport& report) {
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.fd < 0 || !connect_to(socket.fd, path) || !write_frame(socket.fd, encode(report)))
    return not_reached(path);
  return std::nullopt;
}

}  // namespace cox
