#include "worker/supervisor/io/log_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "worker/supervisor/io/child.h"
#include "worker/supervisor/io/frame_stream.h"

namespace cox {
namespace {

Reply refuse(std::int64_t number, std::string fact, std::string hint) {
  return {number, Refused{{std::move(fact), std::move(hint)}}};
}

Reply read_open_file(std::int64_t number, int fd, const ReadLog& ask) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
    return refuse(number, quoted(ask.path) + " is not a regular file",
                  "only regular files can be shown");
  const auto cap = static_cast<std::int64_t>(limits::log_chunk_bytes_max);
  LogChunk chunk;
  std::int64_t bytes = std::clamp<std::int64_t>(ask.bytes_max, 1, cap);
  // Skips the released part of a file that grew too large (log_size_max_mb): it would read as
  // zeros.
  const std::int64_t from = std::max<std::int64_t>(ask.offset, ::lseek(fd, ask.offset, SEEK_DATA));
  const std::int64_t to = ::lseek(fd, from, SEEK_HOLE);
  if (to > from) bytes = std::min(bytes, to - from);
  chunk.data.resize(static_cast<std::size_t>(bytes));
  const ssize_t got = ::pread(fd, chunk.data.data(), chunk.data.size(), from);
  if (got < 0) return refuse(number, quoted(ask.path) + ": " + std::strerror(errno), "try again");
  chunk.data.resize(static_cast<std::size_t>(got));
  chunk.next_offset = from + got;
  return {number, std::move(chunk)};
}

}  // namespace

Reply read_log(std::int64_t number, const ReadLog& ask) {
  if (ask.offset < 0 || ask.path.size() > limits::path_bytes_max ||
      ask.path.find('\0') != std::string::npos)
    return refuse(number, "the path or the offset is out of bounds", "");
  // O_NONBLOCK: a FIFO or a device must not block the reader.
  const int fd = ::open(ask.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 && errno == ENOENT) return {number, LogChunk{"", ask.offset, true}};
  if (fd < 0) return refuse(number, quoted(ask.path) + ": " + std::strerror(errno), "");
  Reply reply = read_open_file(number, fd, ask);
  ::close(fd);
  return reply;
}

int serve_log_reads(Descriptor socket, uid_t uid, gid_t gid) {
  if (!become_user(uid, gid)) return 1;
  FrameStream worker(std::move(socket), limits::frame_bytes_max);
  for (;;) {
    const auto events = static_cast<short>(worker.wants_write() ? POLLIN | POLLOUT : POLLIN);
    pollfd watched{worker.fd(), events, 0};
    if (::poll(&watched, 1, -1) < 0 && errno != EINTR) return 1;
    std::vector<Message> messages;
    bool lives = worker.read(messages) && worker.flush();
    for (const Message& message : messages) {
      const auto* request = std::get_if<Request>(&message);
      const auto* ask = request == nullptr ? nullptr : std::get_if<ReadLog>(&request->body);
      if (ask != nullptr) lives = worker.send(read_log(request->number, *ask)) && lives;
    }
    if (!lives) return 0;
  }
}

}  // namespace cox
