#include "common/io/address_guard.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "common/check.h"
#include "common/io/clock.h"
#include "common/io/log.h"
#include "common/io/zmq_socket.h"
#include "common/limits.h"
#include "common/log_line.h"

namespace cox {
namespace {

// An address is let in again when it has become less than so much of its limit.
constexpr std::size_t let_in_percent = 90;
// The rest of the descriptors is for files, the database and what else there is.
constexpr std::size_t connections_percent_max = 75;

std::size_t connections_by_descriptors() {
  rlimit limit{};
  CHECK(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  return limit.rlim_cur / 100 * connections_percent_max;
}

std::string dotted(std::uint32_t address) {
  const in_addr raw{htonl(address)};
  char text[INET_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET, &raw, text, sizeof text);
  return text;
}

// Drops what opens a connection (SYN without ACK) from these addresses, or from any. A connection
// inherits the filter of its listener, so all else must pass.
std::vector<sock_filter> program_against(const std::set<std::uint32_t>& addresses, bool all) {
  constexpr std::uint32_t flags_offset = 13, syn = 0x02, syn_or_ack = 0x12, source_offset = 12;
  constexpr std::uint32_t pass = 0xffffffff, drop = 0;
  std::vector<sock_filter> code{
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, flags_offset),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, syn_or_ack),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, syn, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, pass),
  };
  if (!all) {
    code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                            static_cast<std::uint32_t>(SKF_NET_OFF) + source_offset));
    for (const std::uint32_t address : addresses) {
      code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, address, 0, 1));
      code.push_back(BPF_STMT(BPF_RET | BPF_K, drop));
    }
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, all ? drop : pass));
  return code;
}

}  // namespace

// Its queue has no bound: libzmq's thread would wait for whoever reads it.
AddressGuard::AddressGuard(zmq::context_t& context, zmq::socket_t& listening,
                           std::size_t per_address_max)
    : monitor_(context, zmq::socket_type::pair),
      per_address_max_(per_address_max),
      connections_max_(connections_by_descriptors()) {
  constexpr const char* place = "inproc://address-guard";
  constexpr int events = ZMQ_EVENT_LISTENING | ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED;
  if (zmq_socket_monitor(listening.handle(), place, events) != 0) throw zmq::error_t();
  monitor_.set(zmq::sockopt::rcvhwm, 0);
  monitor_.set(zmq::sockopt::linger, 0);
  monitor_.connect(place);
}

void AddressGuard::serve() {
  zmq::message_t part;
  while (receive_part(monitor_, part)) {
    std::uint16_t event = 0;
    std::int32_t fd = -1;
    CHECK(part.size() == sizeof event + sizeof fd);
    std::memcpy(&event, part.data(), sizeof event);
    std::memcpy(&fd, static_cast<const char*>(part.data()) + sizeof event, sizeof fd);
    while (part.more()) CHECK(receive_part(monitor_, part));
    if (event == ZMQ_EVENT_LISTENING) listening_ = fd;
    if (event == ZMQ_EVENT_ACCEPTED) on_accepted(fd);
    if (event == ZMQ_EVENT_DISCONNECTED) on_closed(fd);
  }
}

// Gone again already, perhaps: then the descriptor is nobody's, or that of a connection whose event
// comes later.
void AddressGuard::on_accepted(int fd) {
  on_closed(fd);
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return;
  if (peer.sin_family != AF_INET) return;
  const Address address = ntohl(peer.sin_addr.s_addr);
  of_fd_[fd] = address;
  const bool too_many = ++count_[address] >= per_address_max_ && !turned_away_.contains(address) &&
                        turned_away_.size() < limits::addresses_turned_away_max;
  if (too_many) {
    turned_away_.insert(address);
    tell("turned away address=" + dotted(address) + " connections=" +
         std::to_string(count_[address]) + " limit=" + std::to_string(per_address_max_));
  }
  const bool all = all_turned_away_ || of_fd_.size() >= connections_max_;
  if (all && !all_turned_away_)
    tell("all are turned away connections=" + std::to_string(of_fd_.size()) +
         " limit=" + std::to_string(connections_max_));
  if (too_many || all != all_turned_away_) filter(all);
}

void AddressGuard::on_closed(int fd) {
  const auto at = of_fd_.find(fd);
  if (at == of_fd_.end()) return;
  const Address address = at->second;
  of_fd_.erase(at);
  const std::size_t left = --count_[address];
  if (left == 0) count_.erase(address);
  const bool let_in =
      left * 100 < per_address_max_ * let_in_percent && turned_away_.erase(address) > 0;
  const bool all = all_turned_away_ && of_fd_.size() * 100 >= connections_max_ * let_in_percent;
  if (let_in || all != all_turned_away_) filter(all);
}

void AddressGuard::tell(const std::string& words) {
  const Boot now = read_clock().boot;
  if (told_ && now - *told_ < Milliseconds{limits::offence_log_interval_ms}) return;
  told_ = now;
  log_warning(words);
}

void AddressGuard::filter(bool all) {
  all_turned_away_ = all;
  if (listening_ < 0) return;
  int rc = 0;
  if (turned_away_.empty() && !all) {
    const int ignored = 0;
    rc = ::setsockopt(listening_, SOL_SOCKET, SO_DETACH_FILTER, &ignored, sizeof ignored);
  } else {
    auto code = program_against(turned_away_, all);
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    rc = ::setsockopt(listening_, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
  }
  if (rc != 0)
    log_warning("the listening socket takes no filter error=" + quoted_value(std::strerror(errno)));
}

}  // namespace cox
