#include "worker/supervisor/io/frame_stream.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "common/messages/codec.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {

namespace {

constexpr std::size_t length_bytes = 4;
// Limit of one call of read(), so that no peer blocks the owner's loop.
constexpr std::size_t read_bytes_max = 1u << 20;
constexpr int backlog = 256;

std::uint32_t read_length(const std::string& bytes) {
  std::uint32_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) {
    length = (length << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

std::string length_of(const std::string& frame) {
  std::string bytes;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    bytes += static_cast<char>((frame.size() >> (8 * i)) & 0xff);
  }
  return bytes;
}

struct Address {
  Descriptor folder;
  sockaddr_un path{};
};

Result<Address> address_in(const std::string& folder, const std::string& name) {
  Address address;
  address.folder.reset(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!address.folder.is_open()) return io_refusal(folder, "open", errno);
  const std::string path = "/proc/self/fd/" + std::to_string(address.folder.get()) + "/" + name;
  CHECK(path.size() < sizeof address.path.sun_path);
  address.path.sun_family = AF_UNIX;
  std::memcpy(address.path.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Descriptor stream_socket() {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

}  // namespace

FrameStream::FrameStream(Descriptor socket, std::size_t frame_bytes_max, int peer_version)
    : socket_(std::move(socket)), frame_bytes_max_(frame_bytes_max), version_(peer_version) {
  ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
}

bool FrameStream::read(std::vector<Message>& messages) {
  char buffer[65536];
  for (std::size_t taken = 0; taken < read_bytes_max;) {
    const ssize_t n = ::read(socket_.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return take_frames(messages);
    if (n <= 0) {
      take_frames(messages);
      return false;
    }
    taken += static_cast<std::size_t>(n);
    received_.append(buffer, static_cast<std::size_t>(n));
    if (!take_frames(messages)) return false;
  }
  return true;
}

bool FrameStream::take_frames(std::vector<Message>& messages) {
  while (received_.size() >= length_bytes) {
    const std::size_t length = read_length(received_);
    if (length == 0 || length > frame_bytes_max_) return false;
    if (received_.size() < length_bytes + length) return true;
    auto decoded = decode_frame(std::string_view(received_).substr(length_bytes, length));
    if (!decoded) return false;
    version_ = decoded->version;
    for (Message& message : decoded->messages) messages.push_back(std::move(message));
    received_.erase(0, length_bytes + length);
  }
  return true;
}

bool FrameStream::send(const Message& message) {
  for (const std::string& frame : encode_frames({message}, version_)) {
    if (unsent_.size() + frame.size() > unsent_bytes_max) return false;
    unsent_ += length_of(frame) + frame;
  }
  return flush();
}

bool FrameStream::flush() {
  while (!unsent_.empty()) {
    const ssize_t n = ::send(socket_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    unsent_.erase(0, static_cast<std::size_t>(n));
  }
  return true;
}

uid_t FrameStream::peer_uid() const {
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known = ::getsockopt(socket_.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  return known ? peer.uid : static_cast<uid_t>(-1);
}

Result<Descriptor> listen_in(const std::string& folder, const std::string& name) {
  auto address = address_in(folder, name);
  if (!address) return address.refusal();
  ::unlinkat(address->folder.get(), name.c_str(), 0);
  Descriptor socket = stream_socket();
  const auto* generic = reinterpret_cast<const sockaddr*>(&address->path);
  if (!socket.is_open() || ::bind(socket.get(), generic, sizeof address->path) != 0 ||
      ::listen(socket.get(), backlog) != 0) {
    return io_refusal(folder + "/" + name, "listen", errno);
  }
  return socket;
}

Result<Descriptor> connect_in(const std::string& folder, const std::string& name) {
  auto address = address_in(folder, name);
  if (!address) return address.refusal();
  Descriptor socket = stream_socket();
  const auto* generic = reinterpret_cast<const sockaddr*>(&address->path);
  if (!socket.is_open() || ::connect(socket.get(), generic, sizeof address->path) != 0) {
    return io_refusal(folder + "/" + name, "connect", errno);
  }
  return socket;
}

}  // namespace cox
