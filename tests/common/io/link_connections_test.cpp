// Tests which connections a listener closes: those of removed keys, those that never prove a key,
// and those whose messages have too many parts.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "common/base/limits.h"
#include "tests/common/link_fixture.h"

namespace cox {
namespace {

TEST_F(LinkTest, a_connection_ends_after_the_removal_of_its_key) {
  const auto key = make_key_files(dir_, "worker-n1").value();
  const auto other_key = make_key_files(dir_, "worker-n2").value();
  listen_tcp();
  auto removed = connect_tcp(key);
  auto other = connect_tcp(other_key);
  removed->send({heartbeat(1)});
  other->send({heartbeat(101)});
  ASSERT_TRUE(serve_until([&] { return arrived_.size() == 2; }));
  const auto& first = arrived_[0].identity.key_name == "worker-n1" ? arrived_[0] : arrived_[1];
  const PeerId peer = first.peer;
  arrived_.clear();
  std::filesystem::remove(dir_ + "/worker-n1.pub");
  ASSERT_TRUE(serve_until([&] { return listener_->refused_count() >= 1; }))
      << "the connection was not closed, so the peer did not connect again";
  listener_->send(peer, {heartbeat(2)});
  removed->send({heartbeat(3)});
  other->send({heartbeat(102)});
  ASSERT_TRUE(serve_until([&] { return !arrived_.empty(); }));
  ASSERT_EQ(arrived_.size(), 1u);
  EXPECT_EQ(arrived_[0].identity.key_name, "worker-n2")
      << "the connection of the other key continues";
  EXPECT_TRUE(removed->receive().empty()) << "no message goes to the removed key";

  std::filesystem::remove(dir_ + "/worker-n1.key");
  arrived_.clear();
  auto fresh = connect_tcp(make_key_files(dir_, "worker-n1").value());
  fresh->send({heartbeat(4)});
  ASSERT_TRUE(serve_until([&] { return !arrived_.empty(); }));
  EXPECT_EQ(number_of(arrived_[0].messages.at(0)), 4);
  EXPECT_EQ(arrived_[0].identity.key_name, "worker-n1") << "a new key of the same name works";
}

TEST_F(LinkTest, overwriting_a_key_file_ends_the_connections_of_the_old_key) {
  const auto other_dir = dir_ + "/elsewhere";
  std::filesystem::create_directory(other_dir);
  const auto old_key = make_key_files(dir_, "worker-n1").value();
  const auto new_key = make_key_files(other_dir, "worker-n1").value();
  listen_tcp();
  auto connection = connect_tcp(old_key);
  connection->send({heartbeat(1)});
  ASSERT_TRUE(serve_until([&] { return !arrived_.empty(); }));
  std::ofstream(dir_ + "/worker-n1.pub") << "public " << new_key.public_key << "\n";
  ASSERT_TRUE(serve_until([&] { return listener_->refused_count() >= 1; }));
}

// Returns the resident memory in MiB of this process, which runs the listener.
std::int64_t resident_mib() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  file >> pages >> pages;
  return pages * ::sysconf(_SC_PAGESIZE) >> 20;
}

// Sends one message of many parts from a child process, so that the sender's memory is not
// measured. The destructor ends the child also when the test fails; otherwise the child would keep
// the test's output open.
class SenderOfParts {
 public:
  SenderOfParts(int count, std::size_t bytes,
                const std::function<void(std::vector<std::string>)>& send)
      : child_(::fork()) {
    if (child_ != 0) return;
    send(std::vector<std::string>(static_cast<std::size_t>(count), std::string(bytes, 'x')));
    ::pause();
    ::_exit(0);
  }
  ~SenderOfParts() { end(); }
  SenderOfParts(const SenderOfParts&) = delete;
  SenderOfParts& operator=(const SenderOfParts&) = delete;
  void end() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(std::exchange(child_, 0), nullptr, 0);
  }

 private:
  pid_t child_;
};

TEST_F(LinkTest, a_peer_that_sends_an_endless_message_is_closed_before_it_uses_much_memory) {
  const auto key = make_key_files(dir_, "worker-n1").value();
  server_key_ = make_key_files(dir_, "controller").value();
  listen({.local_endpoint = local_,
          .tcp_endpoint = "tcp://127.0.0.1:*",
          .key = server_key_,
          .key_dir = dir_,
          .key_prefixes = {"worker-"}});
  constexpr std::size_t mib = 1 << 20;
  const std::int64_t before = resident_mib();
  std::int64_t most = before;
  for (const bool by_tcp : {false, true}) {
    for (const auto& [count, bytes] : {std::pair(40, 12 * mib), std::pair(2'000'000, 1ul)}) {
      SenderOfParts sender(count, bytes, [&](const std::vector<std::string>& parts) {
        RawPeer hostile = by_tcp
                              ? RawPeer(listener_->tcp_endpoint(), "", server_key_.public_key, key)
                              : RawPeer(local_);
        hostile.send(parts);
        ::pause();
      });
      auto honest = by_tcp ? connect_tcp(key) : connect_local();
      const auto closed_before = listener_->closed_count();
      ASSERT_TRUE(serve_until([&] {
        most = std::max(most, resident_mib());
        return listener_->closed_count() > closed_before;
      })) << count
          << (by_tcp ? " by tcp" : " local");
      sender.end();
      honest->send({heartbeat(1)});
      ASSERT_TRUE(serve_until([&] { return !arrived_.empty(); }));
      arrived_.clear();
    }
  }
  // The listener may hold 64 MiB of unread parts, and AddressSanitizer keeps 256 MiB of freed
  // memory. Without this limit of the listener the first message takes 480 MiB.
  EXPECT_LT(most - before, 400) << "MiB";
}

// Opens a TCP connection from address `source` without libzmq, and sends the bytes of `says`.
int connect_raw(const std::string& endpoint, const std::string& source, const std::string& says) {
  sockaddr_in from{};
  from.sin_family = AF_INET;
  ::inet_pton(AF_INET, source.c_str(), &from.sin_addr);
  sockaddr_in to = from;
  ::inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  to.sin_port =
      htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&from), sizeof from), 0);
  EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  EXPECT_EQ(::send(fd, says.data(), says.size(), MSG_NOSIGNAL), static_cast<ssize_t>(says.size()));
  return fd;
}

TEST_F(LinkTest, a_flood_of_connections_without_a_key_does_not_disturb_others) {
  const auto key = make_key_files(dir_, "worker-n1").value();
  listen_tcp();
  auto before = connect_tcp(key);
  before->send({heartbeat(1)});
  ASSERT_TRUE(serve_until([&] { return arrived_.size() == 1; }));
  std::vector<int> flood;
  for (int k = 0; k < 3'000; ++k)
    flood.push_back(connect_raw(listener_->tcp_endpoint(), "127.0.1." + std::to_string(k % 23 + 1),
                                std::string("\xff\0\0\0\0\0\0\0\1\x7f\3", k % 12)));
  auto after = connect_tcp(key);
  after->send({heartbeat(2)});
  before->send({heartbeat(3)});
  ASSERT_TRUE(serve_until([&] { return arrived_.size() == 3; }));
  EXPECT_GE(listener_->closed_count(), 3'000 - limits::unproven_connections_max);
  for (const int fd : flood) ::close(fd);
}

TEST_F(LinkTest, a_handshake_that_announces_a_large_frame_is_closed_at_once) {
  listen_tcp();
  std::string says(64, '\0');
  says.replace(0, 11, std::string("\xff\0\0\0\0\0\0\0\1\x7f\3", 11));
  says.replace(12, 5, "CURVE");
  says += std::string("\6\0\0\0\0\1\0\0\0", 9);  // announces a command of 16 MiB
  const int fd = connect_raw(listener_->tcp_endpoint(), "127.0.0.1", says);
  char bytes[256];
  ASSERT_TRUE(serve_until([&] {
    const ssize_t count = ::recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    return count == 0 || (count < 0 && errno == ECONNRESET);
  }));
  EXPECT_EQ(listener_->closed_count(), 1);
  ::close(fd);
}

}  // namespace
}  // namespace cox
