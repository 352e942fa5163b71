// Tests what the probe of `cox doctor` reports about a handshake with a real listener: success, a
// refused key, another key of the listener, or no handshake at all.
#include "client/io/private/handshake_probe.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace cox {
namespace {

class HandshakeProbe : public testing::Test {
 protected:
  HandshakeProbe() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cox-probe-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    server_ = *make_key_pair();
    admitted_ = *make_key_files(folder_, "worker-n1");
    Listener::Options options;
    options.tcp_endpoint = "tcp://127.0.0.1:*";
    options.key = server_;
    options.key_dir = folder_;
    options.key_prefixes = {"worker-", "client"};
    listener_ = std::move(Listener::open(options)).value();
    endpoint_ = listener_->tcp_endpoint();
    // A listener decides about the key of a peer only while receive() runs, so this thread calls
    // receive() all the time, as a controller does.
    serving_ = std::thread([this] {
      while (!over_) {
        listener_->receive(10);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
  }
  ~HandshakeProbe() override {
    over_ = true;
    serving_.join();
    std::filesystem::remove_all(folder_);
  }
  HandshakeFacts probe(const std::string& endpoint, const std::string& server_key,
                       const KeyPair& key) {
    HandshakeFacts facts{"[worker]", endpoint, folder_ + "/worker-n1.key", {}, ""};
    probe_handshake(facts, server_key, key);
    return facts;
  }

  std::string folder_;
  KeyPair server_, admitted_;
  std::string endpoint_;
  std::unique_ptr<Listener> listener_;
  std::atomic<bool> over_ = false;
  std::thread serving_;
};

// A program that listens on a port of its own and sends `word` to the first peer that connects.
class Stranger {
 public:
  explicit Stranger(const std::string& word) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(fd_, any, size), 0);
    EXPECT_EQ(::listen(fd_, 1), 0);
    EXPECT_EQ(::getsockname(fd_, any, &size), 0);
    endpoint = "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    saying_ = std::thread([this, word] {
      const int peer = ::accept(fd_, nullptr, nullptr);
      if (peer < 0) return;
      EXPECT_EQ(::send(peer, word.data(), word.size(), MSG_NOSIGNAL), std::ssize(word));
      ::close(peer);
    });
  }
  ~Stranger() {
    saying_.join();
    ::close(fd_);
  }
  std::string endpoint;

 private:
  int fd_;
  std::thread saying_;
};

TEST_F(HandshakeProbe, AnAdmittedKeySucceeds) {
  EXPECT_EQ(probe(endpoint_, server_.public_key, admitted_).end, HandshakeEnd::Succeeded);
}

TEST_F(HandshakeProbe, AKeyThatTheControllerDoesNotHaveIsReportedAsRefused) {
  EXPECT_EQ(probe(endpoint_, server_.public_key, *make_key_pair()).end, HandshakeEnd::KeyRefused);
}

TEST_F(HandshakeProbe, AControllerWithAnotherKeyIsRecognised) {
  EXPECT_EQ(probe(endpoint_, make_key_pair()->public_key, admitted_).end,
            HandshakeEnd::OtherServerKey);
}

TEST_F(HandshakeProbe, AnotherProgramOnThePortIsRecognised) {
  const Stranger web("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_EQ(probe(web.endpoint, server_.public_key, admitted_).end, HandshakeEnd::Stranger);
}

TEST_F(HandshakeProbe, APortWithoutAListenerIsRecognised) {
  std::string endpoint;
  {
    const Stranger gone("");
    endpoint = gone.endpoint;
    EXPECT_EQ(probe(endpoint, server_.public_key, admitted_).end, HandshakeEnd::Stranger);
  }
  EXPECT_EQ(probe(endpoint, server_.public_key, admitted_).end, HandshakeEnd::NobodyListens);
}

TEST_F(HandshakeProbe, AnUnknownHostCannotBeReached) {
  const HandshakeFacts facts =
      probe("tcp://no-such-host.invalid:6820", server_.public_key, admitted_);
  EXPECT_EQ(facts.end, HandshakeEnd::Unreachable);
  EXPECT_NE(facts.why, "");
}

}  // namespace
}  // namespace cox
