#include "client/io/step/outlets.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/io/output_folders.h"

namespace cox {

using namespace srun;

namespace {

constexpr std::size_t file_bytes_at_once = 256u << 10;
// Bytes that are written to one outlet before the other outlets have their turn.
constexpr std::size_t bytes_per_turn = 1u << 20;
constexpr std::size_t messages = 1;  // index of the outlet (stderr) for srun's own messages

// Returns how many bytes can be written without blocking once the descriptor is writable. POSIX
// guarantees PIPE_BUF for pipes.
std::size_t bytes_at_once(int fd) {
  struct stat about {};
  const bool is_file = ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  return is_file ? file_bytes_at_once : PIPE_BUF;
}

bool is_writable(int fd) {
  pollfd one{fd, POLLOUT, 0};
  return ::poll(&one, 1, 0) > 0;
}

}  // namespace

Outlets::Outlets() {
  add_outlet(STDOUT_FILENO, Sink::Output, "standard output");
  add_outlet(STDERR_FILENO, Sink::Error, "standard error");
}

Outlets::~Outlets() {
  for (const Outlet& outlet : outlets_)
    if (outlet.fd > STDERR_FILENO) ::close(outlet.fd);
}

std::size_t Outlets::add_outlet(int fd, Sink sink, const std::string& name) {
  outlets_.push_back({fd, sink, name, bytes_at_once(fd)});
  return outlets_.size() - 1;
}

Result<std::size_t> Outlets::open_file(const std::string& path, Sink sink, bool append) {
  const int flags = O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
  const int fd = open_output(path, flags);
  if (fd < 0) {
    const char* why = errno == ENXIO ? "no process reads this FIFO" : std::strerror(errno);
    return Refusal{"cannot open " + path + ": " + why,
                   "name a file that you can write with --output or --error"};
  }
  return add_outlet(fd, sink, path);
}

Failure Outlets::open(const StepRoutes& routes) {
  const auto is_file = [](const StreamRoute& route) {
    return route.mode == StreamMode::Client && !route.path.empty();
  };
  if (is_file(routes.output)) {
    auto outlet = open_file(routes.output.path, Sink::Output, routes.append);
    if (!outlet) return outlet.refusal();
    output_ = *outlet;
  }
  if (routes.error_joins) {
    error_ = output_;
  } else if (is_file(routes.error)) {
    auto outlet = open_file(routes.error.path, Sink::Error, routes.append);
    if (!outlet) return outlet.refusal();
    error_ = *outlet;
  }
  return std::nullopt;
}

void Outlets::add(const Write& write) {
  std::size_t at = messages;
  if (write.sink == Sink::Output) at = output_;
  if (write.sink == Sink::Error) at = error_;
  outlets_[at].pieces.push_back({write.text, write.node, write.credit});
}

std::vector<Event> Outlets::write() {
  std::vector<Event> happened;
  for (Outlet& outlet : outlets_) write_some(outlet, happened);
  return happened;
}

void Outlets::write_some(Outlet& outlet, std::vector<Event>& happened) {
  std::size_t total = 0;
  while (!outlet.pieces.empty() && total < bytes_per_turn) {
    const Piece& piece = outlet.pieces.front();
    if (!outlet.is_lost) {
      if (!is_writable(outlet.fd)) return;
      const std::size_t left = piece.text.size() - outlet.written;
      const ssize_t count =
          ::write(outlet.fd, piece.text.data() + outlet.written, std::min(left, outlet.at_once));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (count < 0) {
        lose(outlet, errno, happened);
        continue;
      }
      total += static_cast<std::size_t>(count);
      outlet.written += static_cast<std::size_t>(count);
      if (outlet.written < piece.text.size()) continue;
    }
    happened.push_back(Written{piece.node, piece.credit});
    outlet.written = 0;
    outlet.pieces.pop_front();
  }
}

// Marks the outlet as lost. Its later output is dropped, so that the tasks do not block.
void Outlets::lose(Outlet& outlet, int error, std::vector<Event>& happened) {
  outlet.is_lost = true;
  const std::string why = "cannot write to " + outlet.name + ": " + std::strerror(error);
  happened.push_back(SinkLost{outlet.sink, error == EPIPE ? "" : why});
}

bool Outlets::is_empty() const {
  for (const Outlet& outlet : outlets_)
    if (!outlet.pieces.empty()) return false;
  return true;
}

void Outlets::watch(Poller& poller) const {
  for (const Outlet& outlet : outlets_)
    if (outlet.pieces.empty() || outlet.is_lost)
      poller.remove_fd(outlet.fd);
    else
      poller.add_fd(outlet.fd, POLLOUT);
}

}  // namespace cox
